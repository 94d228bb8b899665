// SPDX-License-Identifier: Apache-2.0
// Macros of all modules: checks of parameters at elaboration, assertions in simulation.  Verilator, Yosys and Icarus take them.
`ifndef MT_ASSERT_SVH
`define MT_ASSERT_SVH

// Stops elaboration, by an instance of a module that does not exist, if `rule` is false; `name` appears in the message.
`define MT_PARAM_CHECK(name, rule) \
  generate \
    if (!(rule)) begin : name \
      illegal_parameter u_illegal (); \
    end \
  endgenerate

// `property` holds at every rising edge of clk_i out of reset.  Simulators check it; proofs are in <block>_formal.sv.
`ifdef YOSYS
`define MT_ASSERT(name, property)
`else
`define MT_ASSERT(name, property) \
  always @(posedge clk_i) begin : name \
    if (rst_ni) assert (property); \
  end
`endif
`endif
