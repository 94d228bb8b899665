// bpg and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_onehot_mux.sv
rtl/bpg/bpg_calc.sv
rtl/lib/mt_sat_count.sv
rtl/bpg/bpg_ratio.sv
rtl/bpg/bpg_cost.sv
rtl/bpg/bpg_select.sv
rtl/bpg/bpg.sv
