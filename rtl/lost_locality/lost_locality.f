// lost_locality and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/lost_locality/lost_locality.f
// or iverilog -g2012 -s mt_lost_locality -c rtl/lost_locality/lost_locality.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/lost_locality/mt_lost_locality.sv
