// SPDX-License-Identifier: Apache-2.0
// Population count: the number of set bits of a vector.
//
// Combinational: a tree of adders, sums of two bits, of four, of eight and so on.
module mt_popcount #(
  parameter int Width = 16,                  // bits of the vector, a power of two
  localparam int CountW = $clog2(Width) + 1
) (
  input  wire logic [Width-1:0] vector_i,    // vector
  output logic [CountW-1:0]     count_o      // its set bits
);
  generate
    for (genvar s = 0; s <= $clog2(Width); s++) begin : g_stage
      localparam int Sums = Width >> s;      // sums of 2^s bits each, s + 1 bits wide
      logic [Sums*(s+1)-1:0] sums;
      if (s == 0) begin : g_bits
        assign sums = vector_i;
      end else begin : g_add
        for (genvar i = 0; i < Sums; i++) begin : g_sum
          assign sums[i*(s+1) +: s+1] = {1'b0, g_stage[s-1].sums[2*i*s +: s]} + {1'b0, g_stage[s-1].sums[(2*i+1)*s +: s]};
        end
      end
    end
  endgenerate
  assign count_o = g_stage[$clog2(Width)].sums;
endmodule
