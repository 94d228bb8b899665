// far_fault_mshr and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/far_fault_mshr/far_fault_mshr.f
// or iverilog -g2012 -s mt_far_fault_mshr -c rtl/far_fault_mshr/far_fault_mshr.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/far_fault_mshr/mt_far_fault_mshr.sv
