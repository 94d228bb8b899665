// SPDX-License-Identifier: Apache-2.0
// One-hot multiplexer: the word that the set bit selects; 0 if no bit is set.
//
// Combinational: one AND-OR tree for each bit of the word.
module mt_onehot_mux #(
  parameter int Words = 8,                        // words to choose from
  parameter int Width = 1                         // bits of a word
) (
  input  wire logic [Words-1:0]       onehot_i,   // at most one bit is set
  input  wire logic [Words*Width-1:0] words_i,    // the words, word 0 in the low bits
  output logic [Width-1:0]            word_o      // the selected word
);
  generate
    for (genvar b = 0; b < Width; b++) begin : g_bit
      logic [Words-1:0] column;
      for (genvar i = 0; i < Words; i++) begin : g_word
        assign column[i] = words_i[i*Width+b];
      end
      assign word_o[b] = |(column & onehot_i);
    end
  endgenerate
endmodule
