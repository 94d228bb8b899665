// dl_mshr and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/dl_mshr/dl_mshr.f
// or iverilog -g2012 -s mt_dl_mshr -c rtl/dl_mshr/dl_mshr.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/dl_mshr/mt_dl_mshr_dau.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/dl_mshr/mt_dl_mshr.sv
