// cap and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/cap/cap.f
// or iverilog -g2012 -s mt_cap -c rtl/cap/cap.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/cap/mt_cap.sv
