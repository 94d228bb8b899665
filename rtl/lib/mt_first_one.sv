// SPDX-License-Identifier: Apache-2.0
// Fixed-priority arbiter: the lowest set bit, one-hot; 0 if no bit is set.
//
// Combinational.  Synthesis turns the carry chain of the negation into a prefix tree.
module mt_first_one #(
  parameter int Width = 8                   // bits of the vector
) (
  input  wire logic [Width-1:0] vector_i,   // requests
  output logic [Width-1:0]      onehot_o    // grant, one-hot
);
  assign onehot_o = vector_i & -vector_i;
endmodule
