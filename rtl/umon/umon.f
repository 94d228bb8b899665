// umon and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/umon/umon.f
// or iverilog -g2012 -s mt_umon -c rtl/umon/umon.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/umon/mt_umon.sv
