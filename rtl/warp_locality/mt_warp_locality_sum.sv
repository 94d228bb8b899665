// SPDX-License-Identifier: Apache-2.0
// Sum of words.
//
// Combinational: a tree of adders.
module mt_warp_locality_sum #(
  parameter int Words = 8,                       // words
  parameter int Width = 8,                       // bits of a word
  parameter int SumW = 16                        // bits of the sum
) (
  input  wire logic [Words*Width-1:0] words_i,   // the words, word 0 in the low bits
  output logic [SumW-1:0]             sum_o      // their sum, modulo 2^SumW
);
  localparam int Depth = $clog2(Words);

  generate
    for (genvar s = 0; s <= Depth; s++) begin : g_stage
      localparam int Sums = (Words + (1 << s) - 1) >> s;  // of 2^s words each; the last one may have fewer
      logic [Sums*SumW-1:0] sums;
      for (genvar i = 0; i < Sums; i++) begin : g_sum
        if (s == 0) begin : g_word
          assign sums[i*SumW +: SumW] = SumW'(words_i[i*Width +: Width]);
        end else if (2 * i + 1 < ((Words + (1 << (s - 1)) - 1) >> (s - 1))) begin : g_two
          assign sums[i*SumW +: SumW] = g_stage[s-1].sums[2*i*SumW +: SumW] + g_stage[s-1].sums[(2*i+1)*SumW +: SumW];
        end else begin : g_one
          assign sums[i*SumW +: SumW] = g_stage[s-1].sums[2*i*SumW +: SumW];
        end
      end
    end
  endgenerate
  assign sum_o = g_stage[Depth].sums;
endmodule
