// set_hash and all that it instantiates; paths start at the root of the repository.
+incdir+rtl/lib
rtl/set_hash/set_hash_residue.sv
rtl/set_hash/set_hash_mod.sv
rtl/set_hash/set_hash_poly.sv
rtl/set_hash/set_hash.sv
