// evict_coalescer and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/evict_coalescer/evict_coalescer.f
// or iverilog -g2012 -s mt_evict_coalescer -c rtl/evict_coalescer/evict_coalescer.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_sat_count.sv
rtl/evict_coalescer/mt_evict_coalescer.sv
