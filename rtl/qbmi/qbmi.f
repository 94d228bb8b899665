// qbmi and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/qbmi/qbmi_grant.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_onehot_mux.sv
rtl/qbmi/qbmi_ratio.sv
rtl/qbmi/qbmi_step.sv
rtl/lib/mt_sat_count.sv
rtl/qbmi/qbmi.sv
