// warp_quota and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/warp_quota/warp_quota.f
// or iverilog -g2012 -s mt_warp_quota -c rtl/warp_quota/warp_quota.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/warp_quota/mt_warp_quota.sv
