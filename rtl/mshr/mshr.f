// mshr and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_first_one.sv
rtl/mshr/mshr.sv
