// pdp and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/pdp/pdp.f
// or iverilog -g2012 -s mt_pdp -c rtl/pdp/pdp.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_first_one.sv
rtl/lib/mt_first_from.sv
rtl/lib/mt_onehot_index.sv
rtl/pdp/mt_pdp_victim.sv
rtl/pdp/mt_pdp_samples.sv
rtl/pdp/mt_pdp.sv
