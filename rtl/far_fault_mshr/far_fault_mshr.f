// far_fault_mshr and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_sat_count.sv
rtl/lib/mt_sticky_error.sv
rtl/far_fault_mshr/far_fault_mshr.sv
