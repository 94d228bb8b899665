// set_hash and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/set_hash/set_hash.f
// or iverilog -g2012 -s mt_set_hash -c rtl/set_hash/set_hash.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/set_hash/mt_set_hash_residue.sv
rtl/set_hash/mt_set_hash_mod.sv
rtl/set_hash/mt_set_hash_poly.sv
rtl/set_hash/mt_set_hash.sv
