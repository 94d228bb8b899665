// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter: the lowest set bit at or above from_i, else the lowest set bit, one-hot; 0 if no bit is set.
//
// Combinational.  Both searches run in parallel; the choice between them comes last.
module mt_first_from #(
  parameter int Width = 8,                  // bits of the vector
  localparam int IndexW = (Width > 1) ? $clog2(Width) : 1
) (
  input  wire logic [Width-1:0]  vector_i,  // requests
  input  wire logic [IndexW-1:0] from_i,    // bit with the highest priority
  output logic [Width-1:0]       onehot_o   // grant, one-hot
);
  logic [Width-1:0] upper;
  assign upper    = vector_i & ({Width{1'b1}} << from_i);
  assign onehot_o = (|upper) ? upper & -upper : vector_i & -vector_i;
endmodule
