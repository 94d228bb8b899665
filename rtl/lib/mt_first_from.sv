// The lowest bit that is set at or above number `from_i`, else the lowest of all, as a one-hot vector: a round-robin pick.
// Both are looked for at once; the choice between them comes last.
module first_from #(
  parameter int Width = 8,
  localparam int IndexW = (Width > 1) ? $clog2(Width) : 1
) (
  input  wire logic [Width-1:0]  vector_i,
  input  wire logic [IndexW-1:0] from_i,
  output logic [Width-1:0]       onehot_o
);
  logic [Width-1:0] upper;
  assign upper    = vector_i & ({Width{1'b1}} << from_i);
  assign onehot_o = (|upper) ? upper & -upper : vector_i & -vector_i;
endmodule
