// The word that a one-hot vector points at, of several side by side: an OR tree for each bit of it.  No bit set gives 0.
module cart_select #(
  parameter int Words = 8,
  parameter int Width = 1
) (
  input  wire logic [Words-1:0]       onehot_i,
  input  wire logic [Words*Width-1:0] words_i,
  output logic [Width-1:0]            word_o
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
