// bypass_learner and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/bypass_learner/bypass_learner.f
// or iverilog -g2012 -s mt_bypass_learner -c rtl/bypass_learner/bypass_learner.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/lib/mt_sticky_error.sv
rtl/bypass_learner/mt_bypass_learner.sv
