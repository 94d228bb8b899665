// way_partition and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/way_partition/way_partition.f
// or iverilog -g2012 -s mt_way_partition -c rtl/way_partition/way_partition.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_popcount.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/way_partition/mt_way_partition.sv
