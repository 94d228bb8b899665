// Of the candidates, the one with the largest count, the lowest of several, as a one-hot vector; zero without any.
// From the top bit of the counts down, whoever lacks a bit that another one has is out.
module cart_longest #(
  parameter int Width  = 8,
  parameter int CountW = 2
) (
  input  wire logic [Width-1:0]        candidates_i,
  input  wire logic [Width*CountW-1:0] counts_i,
  output logic [Width-1:0]             onehot_o
);
  logic [Width-1:0] left, have;

  always_comb begin
    left = candidates_i;
    for (int k = CountW - 1; k >= 0; k--) begin
      for (int i = 0; i < Width; i++) have[i] = left[i] & counts_i[i*CountW+k];
      if (|have) left = have;
    end
  end

  first_one #(.Width(Width)) u_lowest (.vector_i(left), .onehot_o(onehot_o));
endmodule
