// bpg and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/bpg/bpg.f
// or iverilog -g2012 -s mt_bpg -c rtl/bpg/bpg.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_onehot_mux.sv
rtl/bpg/mt_bpg_calc.sv
rtl/lib/mt_sat_count.sv
rtl/bpg/mt_bpg_ratio.sv
rtl/bpg/mt_bpg_cost.sv
rtl/bpg/mt_bpg_select.sv
rtl/bpg/mt_bpg.sv
