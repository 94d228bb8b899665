// The lowest bit that is set, as a one-hot vector; zero if none is.  The carry chain of the negation becomes a prefix
// tree in synthesis.
module first_one #(
  parameter int Width = 8
) (
  input  wire logic [Width-1:0] vector_i,
  output logic [Width-1:0]      onehot_o
);
  assign onehot_o = vector_i & -vector_i;
endmodule
