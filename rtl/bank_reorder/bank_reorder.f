// bank_reorder and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/bank_reorder/bank_reorder.f
// or iverilog -g2012 -s mt_bank_reorder -c rtl/bank_reorder/bank_reorder.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_ring_add.sv
rtl/lib/mt_first_from.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_sat_count.sv
rtl/bank_reorder/mt_bank_reorder.sv
