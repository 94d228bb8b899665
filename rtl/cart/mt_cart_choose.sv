// SPDX-License-Identifier: Apache-2.0
// Selects the queue that a branch drains next (Gu20, section 2.4.4).  Priority: (1) the held request, (2) round-robin
// turn, (3) the queue drained last, (4) the longest queue of the same row, (5) the longest queue.  Ties: lowest index.
//
// Combinational, an all-pairs compare: the order of every two queues is computed while the candidates are, and the candidate
// that no other candidate precedes wins.  Without a candidate: queue 0.
module mt_cart_choose #(
  parameter int Rows   = 4,                           // row groups of a branch
  parameter int Cols   = 2,                           // leaf queues of a row group
  parameter int CountW = 2,                           // bits of a queue length
  parameter int SlotW  = 1,                           // bits of a slot number
  localparam int Queues = Rows * Cols,
  localparam int QueueW = (Queues > 1) ? $clog2(Queues) : 1
) (
  input  wire logic [Queues-1:0]        eligible_i,   // per queue: it holds a request and is not blocked
  input  wire logic [Queues*CountW-1:0] counts_i,     // per queue: its length
  input  wire logic [Queues*SlotW-1:0]  heads_i,      // per queue: slot of its oldest request
  input  wire logic                     hold_i,       // the held request stands
  input  wire logic [Queues-1:0]        held_i,       // one-hot: the queue of the held request
  input  wire logic [QueueW-1:0]        last_i,       // queue drained last
  input  wire logic                     same_i,       // that queue has not run empty since
  input  wire logic                     stay_i,       // its row group has not run empty since
  input  wire logic                     turn_i,       // round-robin turn: the first eligible queue from turn_from_i on
  input  wire logic [QueueW-1:0]        turn_from_i,  // queue at which the round robin starts
  output logic [Queues-1:0]             onehot_o,     // one-hot: the selected queue
  output logic [SlotW-1:0]              slot_o        // slot of its oldest request
);
  logic [Queues-1:0] last_onehot, last_group, allowed, forced, candidates, above;

  assign last_onehot = 1 << last_i;
  mt_cart_around #(.Rows(Rows), .Cols(Cols)) u_last_group (.queue_i(last_i), .group_o(last_group));
  assign allowed    = hold_i ? '0 : (turn_i | ~(same_i | stay_i)) ? '1 : same_i ? '0 : last_group;
  assign forced     = hold_i ? held_i : (same_i & ~turn_i) ? last_onehot : '0;
  assign candidates = (eligible_i & allowed) | forced;
  assign above      = ~({Queues{1'b1}} << turn_from_i);  // queues below turn_from_i

  generate
    for (genvar i = 0; i < Queues; i++) begin : g_queue
      logic [Queues-1:0] ahead;  // queues that precede this one
      for (genvar j = 0; j < Queues; j++) begin : g_other
        localparam int Low  = (i < j) ? i : j;
        localparam int High = (i < j) ? j : i;
        logic low_first;
        assign low_first = turn_i ? ~(above[Low] & ~above[High]) :
                                    counts_i[Low*CountW +: CountW] >= counts_i[High*CountW +: CountW];
        assign ahead[j]  = (j < i) ? low_first : (j > i) & ~low_first;
      end
      if (i == 0) begin : g_default
        assign onehot_o[i] = (candidates & (ahead | ~{Queues{candidates[i]}})) == '0;
      end else begin : g_chosen
        assign onehot_o[i] = candidates[i] & ((candidates & ahead) == '0);
      end
    end
  endgenerate

  mt_onehot_mux #(.Words(Queues), .Width(SlotW)) u_slot (.onehot_i(onehot_o), .words_i(heads_i), .word_o(slot_o));
endmodule
