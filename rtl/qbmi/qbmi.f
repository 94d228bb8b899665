// qbmi and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/qbmi/qbmi.f
// or iverilog -g2012 -s mt_qbmi -c rtl/qbmi/qbmi.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/qbmi/mt_qbmi_grant.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_onehot_mux.sv
rtl/qbmi/mt_qbmi_ratio.sv
rtl/qbmi/mt_qbmi_step.sv
rtl/qbmi/mt_qbmi.sv
