// qbmi and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/qbmi/qbmi.f
// or iverilog -g2012 -s qbmi -c rtl/qbmi/qbmi.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/qbmi/qbmi_grant.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_onehot_mux.sv
rtl/qbmi/qbmi_ratio.sv
rtl/qbmi/qbmi_step.sv
rtl/qbmi/qbmi.sv
