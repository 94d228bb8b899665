`ifdef MSHR_PROPERTIES
`endif
