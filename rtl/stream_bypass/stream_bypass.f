// stream_bypass and all that it instantiates.  From the root of the repository: verilator --lint-only -f rtl/stream_bypass/stream_bypass.f
// or iverilog -g2012 -s mt_stream_bypass -c rtl/stream_bypass/stream_bypass.f; any tool that reads +incdir+ and file names takes it.
+incdir+rtl/lib
rtl/stream_bypass/mt_stream_bypass.sv
