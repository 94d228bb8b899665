// SPDX-License-Identifier: Apache-2.0
// Length of what two intervals share, each given by its first place and its length.
//
// Combinational.
module mt_block_overlap_shared #(
  parameter int FieldW = 8                       // bits of a place and of a length
) (
  input  wire logic [FieldW-1:0] a_i,            // first place of an interval
  input  wire logic [FieldW-1:0] a_length_i,     // its length; 0: empty
  input  wire logic [FieldW-1:0] b_i,            // first place of the other
  input  wire logic [FieldW-1:0] b_length_i,     // its length
  output logic [FieldW-1:0]      length_o        // places in both
);
  logic [FieldW:0] a_end, b_end, first, past;
  assign a_end    = {1'b0, a_i} + {1'b0, a_length_i};
  assign b_end    = {1'b0, b_i} + {1'b0, b_length_i};
  assign first    = {1'b0, (a_i > b_i) ? a_i : b_i};
  assign past     = (a_end < b_end) ? a_end : b_end;
  assign length_o = (past > first) ? FieldW'(past - first) : '0;
endmodule
