// dl_mshr and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/dl_mshr/dl_mshr_dau.sv
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/dl_mshr/dl_mshr.sv
