// dwt_core and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/dwt_core/dwt_core.f
// or iverilog -g2012 -s mt_dwt_core -c rtl/dwt_core/dwt_core.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_mux.sv
rtl/dwt_core/mt_dwt_core.sv
