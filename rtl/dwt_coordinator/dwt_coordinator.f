// dwt_coordinator and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/dwt_coordinator/dwt_coordinator.f
// or iverilog -g2012 -s mt_dwt_coordinator -c rtl/dwt_coordinator/dwt_coordinator.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/dwt_coordinator/mt_dwt_coordinator.sv
