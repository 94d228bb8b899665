// evict_coalescer and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_sat_count.sv
rtl/evict_coalescer/evict_coalescer.sv
