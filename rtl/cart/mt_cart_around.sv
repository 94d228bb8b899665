// SPDX-License-Identifier: Apache-2.0
// The row group of a leaf queue, as a mask of leaf queues: Cols neighbours are one group.  Combinational.
module mt_cart_around #(
  parameter int Rows = 4,                  // row groups of a branch
  parameter int Cols = 2,                  // leaf queues of a row group
  localparam int Queues = Rows * Cols,
  localparam int QueueW = (Queues > 1) ? $clog2(Queues) : 1
) (
  input  wire logic [QueueW-1:0] queue_i,  // number of a leaf queue
  output logic [Queues-1:0]      group_o   // mask of the queues in its row group
);
  logic [Queues-1:0] onehot;
  assign onehot = 1 << queue_i;

  generate
    for (genvar g = 0; g < Rows; g++) begin : g_group
      assign group_o[g*Cols +: Cols] = {Cols{|onehot[g*Cols +: Cols]}};
    end
  endgenerate
endmodule
