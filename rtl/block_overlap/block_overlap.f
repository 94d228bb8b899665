// block_overlap and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/block_overlap/block_overlap.f
// or iverilog -g2012 -s mt_block_overlap -c rtl/block_overlap/block_overlap.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_onehot_mux.sv
rtl/lib/mt_sticky_error.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/block_overlap/mt_block_overlap_shared.sv
rtl/block_overlap/mt_block_overlap.sv
