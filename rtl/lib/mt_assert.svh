// Checks that Verilator, Yosys and Icarus all take.
`ifndef MEMTWIN_ASSERT_SVH
`define MEMTWIN_ASSERT_SVH

// Elaboration stops at a module that does not exist; `name` tells which rule was broken.
`define PARAM_CHECK(name, rule) \
  generate \
    if (!(rule)) begin : name \
      illegal_parameter u_illegal (); \
    end \
  endgenerate

// Holds at every clock edge out of reset; simulators check it.  What is proved is in <block>_formal.sv.
`ifdef YOSYS
`define ASSERT(name, property)
`else
`define ASSERT(name, property) \
  always @(posedge clk_i) begin : name \
    if (rst_ni) assert (property); \
  end
`endif
`endif
