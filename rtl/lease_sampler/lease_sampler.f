// lease_sampler and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/lease_sampler/lease_sampler.f
// or iverilog -g2012 -s mt_lease_sampler -c rtl/lease_sampler/lease_sampler.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_first_one.sv
rtl/lib/mt_sat_count.sv
rtl/lib/mt_onehot_index.sv
rtl/lib/mt_popcount.sv
rtl/lease_sampler/mt_lease_sampler.sv
