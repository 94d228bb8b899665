// bank_reorder and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_ring_add.sv
rtl/lib/mt_first_from.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_sat_count.sv
rtl/bank_reorder/bank_reorder.sv
