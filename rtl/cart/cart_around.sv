// The leaf queues of the row group that a leaf queue is in.
module cart_around #(
  parameter int Rows = 4,
  parameter int Cols = 2,
  localparam int Queues = Rows * Cols,
  localparam int QueueW = (Queues > 1) ? $clog2(Queues) : 1
) (
  input  wire logic [QueueW-1:0] queue_i,
  output logic [Queues-1:0]      group_o
);
  logic [Queues-1:0] onehot;
  assign onehot = Queues'(1) << queue_i;

  generate
    for (genvar g = 0; g < Rows; g++) begin : g_group
      assign group_o[g*Cols +: Cols] = {Cols{|onehot[g*Cols +: Cols]}};
    end
  endgenerate
endmodule
