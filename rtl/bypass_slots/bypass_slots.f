// bypass_slots and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/bypass_slots/bypass_slots.f
// or iverilog -g2012 -s mt_bypass_slots -c rtl/bypass_slots/bypass_slots.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_first_one.sv
rtl/lib/mt_onehot_index.sv
rtl/bypass_slots/mt_bypass_slots.sv
