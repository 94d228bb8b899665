// warp_locality and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/warp_locality/warp_locality.f
// or iverilog -g2012 -s mt_warp_locality -c rtl/warp_locality/warp_locality.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_popcount.sv
rtl/warp_locality/mt_warp_locality_degree.sv
rtl/lib/mt_first_from.sv
rtl/warp_locality/mt_warp_locality_search.sv
rtl/warp_locality/mt_warp_locality_sum.sv
rtl/warp_locality/mt_warp_locality.sv
