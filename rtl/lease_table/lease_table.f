// lease_table and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/lease_table/lease_table.f
// or iverilog -g2012 -s mt_lease_table -c rtl/lease_table/lease_table.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sat_count.sv
rtl/lib/mt_sticky_error.sv
rtl/lease_table/mt_lease_table.sv
