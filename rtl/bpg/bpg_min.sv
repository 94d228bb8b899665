// The smaller of two numbers of 1 to Count as a one-hot vector: bit 0 for 1.  Each bit by itself, with no comparison in front of a selection.
module bpg_min #(
  parameter int Count = 8,
  localparam int W = $clog2(Count + 1)
) (
  input  wire logic [W-1:0] a_i,
  input  wire logic [W-1:0] b_i,
  output logic [Count-1:0]  onehot_o
);
  generate
    for (genvar k = 1; k <= Count; k++) begin : g_k
      assign onehot_o[k-1] = (a_i == W'(k) && b_i >= W'(k)) || (b_i == W'(k) && a_i >= W'(k));
    end
  endgenerate
endmodule
