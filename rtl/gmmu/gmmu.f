// gmmu and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_sat_count.sv
rtl/lib/mt_sticky_error.sv
rtl/cap/cap.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_popcount.sv
rtl/lease_sampler/lease_sampler.sv
rtl/lease_table/lease_table.sv
rtl/evict_coalescer/evict_coalescer.sv
rtl/far_fault_mshr/far_fault_mshr.sv
rtl/gmmu/gmmu.sv
