`ifdef DL_MSHR_PROPERTIES
`endif
