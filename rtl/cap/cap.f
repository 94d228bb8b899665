// cap and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/lib/mt_sat_count.sv
rtl/lib/mt_sticky_error.sv
rtl/cap/cap.sv
