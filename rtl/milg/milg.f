// milg and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/milg/milg.f
// or iverilog -g2012 -s mt_milg -c rtl/milg/milg.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/milg/mt_milg_divide.sv
rtl/lib/mt_sticky_error.sv
rtl/milg/mt_milg.sv
