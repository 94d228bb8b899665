// mshr and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/mshr/mshr.f
// or iverilog -g2012 -s mt_mshr -c rtl/mshr/mshr.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/mshr/mt_mshr.sv
