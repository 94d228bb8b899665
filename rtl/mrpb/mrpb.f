// mrpb and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/mrpb/mrpb.f
// or iverilog -g2012 -s mt_mrpb -c rtl/mrpb/mrpb.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_ring_add.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_sat_count.sv
rtl/mrpb/mt_mrpb.sv
