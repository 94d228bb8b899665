// The lowest bit that is set at or above number `from_i`, else the lowest of all, as a one-hot vector: a round-robin pick.
module first_from #(
  parameter int Width = 8,
  localparam int IndexW = (Width > 1) ? $clog2(Width) : 1
) (
  input  wire logic [Width-1:0]  vector_i,
  input  wire logic [IndexW-1:0] from_i,
  output logic [Width-1:0]       onehot_o
);
  logic [Width-1:0] upper, chosen;
  assign upper    = (vector_i >> from_i) << from_i;
  assign chosen   = (|upper) ? upper : vector_i;
  assign onehot_o = chosen & -chosen;
endmodule
