// gmmu and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/gmmu/gmmu.f
// or iverilog -g2012 -s mt_gmmu -c rtl/gmmu/gmmu.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/cap/mt_cap.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_sat_count.sv
rtl/lib/mt_popcount.sv
rtl/lease_sampler/mt_lease_sampler.sv
rtl/lease_table/mt_lease_table.sv
rtl/evict_coalescer/mt_evict_coalescer.sv
rtl/far_fault_mshr/mt_far_fault_mshr.sv
rtl/gmmu/mt_gmmu.sv
