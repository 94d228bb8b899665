// cart and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/cart/cart.f
// or iverilog -g2012 -s mt_cart -c rtl/cart/cart.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_ring_add.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/cart/mt_cart_around.sv
rtl/lib/mt_onehot_mux.sv
rtl/cart/mt_cart_choose.sv
rtl/lib/mt_first_from.sv
rtl/lib/mt_sat_count.sv
rtl/cart/mt_cart.sv
