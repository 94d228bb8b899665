// tlp_modulator and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/tlp_modulator/tlp_modulator.f
// or iverilog -g2012 -s mt_tlp_modulator -c rtl/tlp_modulator/tlp_modulator.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_popcount.sv
rtl/lib/mt_sticky_error.sv
rtl/tlp_modulator/mt_tlp_modulator.sv
