// SPDX-License-Identifier: Apache-2.0
// One-hot to binary encoder: the number of the set bit; 0 if no bit is set.
//
// Combinational: one OR tree for each bit of the number.
module mt_onehot_index #(
  parameter int Width = 8,                  // bits of the vector
  localparam int IndexW = (Width > 1) ? $clog2(Width) : 1
) (
  input  wire logic [Width-1:0] onehot_i,   // at most one bit is set
  output logic [IndexW-1:0]     index_o     // its number
);
  generate
    for (genvar b = 0; b < IndexW; b++) begin : g_bit
      logic [Width-1:0] counted;
      for (genvar i = 0; i < Width; i++) begin : g_input
        assign counted[i] = (((i >> b) & 1) != 0) & onehot_i[i];
      end
      assign index_o[b] = |counted;
    end
  endgenerate
endmodule
