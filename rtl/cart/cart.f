// cart and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_ring_add.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/cart/cart_around.sv
rtl/lib/mt_onehot_mux.sv
rtl/cart/cart_choose.sv
rtl/lib/mt_first_from.sv
rtl/lib/mt_sat_count.sv
rtl/cart/cart.sv
