// The queue of a branch that goes next: that of an offer that stands; else the one whose turn it is; else the same one as last time; else the longest of its
// row group; else the longest, the lowest of several.  Which of two goes before the other is known of every two, whoever is
// a candidate: of the candidates it is the one that none goes before.  Without any: queue 0.
module cart_choose #(
  parameter int Rows   = 4,
  parameter int Cols   = 2,
  parameter int CountW = 2,
  parameter int SlotW  = 1,
  localparam int Queues = Rows * Cols,
  localparam int QueueW = (Queues > 1) ? $clog2(Queues) : 1
) (
  input  wire logic [Queues-1:0]        eligible_i,
  input  wire logic [Queues*CountW-1:0] counts_i,
  input  wire logic [Queues*SlotW-1:0]  heads_i,
  input  wire logic                     hold_i,       // the offer stands
  input  wire logic [Queues-1:0]        held_i,       // its queue, if it does
  input  wire logic [QueueW-1:0]        last_i,
  input  wire logic                     same_i,       // the queue of last time has not run empty since
  input  wire logic                     stay_i,       // nor has its row group
  input  wire logic                     turn_i,       // a queue has its turn: the first from turn_from_i on
  input  wire logic [QueueW-1:0]        turn_from_i,
  output logic [Queues-1:0]             onehot_o,
  output logic [SlotW-1:0]              slot_o        // where its oldest request is
);
  logic [Queues-1:0] last_onehot, last_group, allowed, forced, candidates, above;

  assign last_onehot = Queues'(1) << last_i;
  cart_around #(.Rows(Rows), .Cols(Cols)) u_last_group (.queue_i(last_i), .group_o(last_group));
  assign allowed    = hold_i ? '0 : (turn_i | ~(same_i | stay_i)) ? '1 : same_i ? '0 : last_group;
  assign forced     = hold_i ? held_i : (same_i & ~turn_i) ? last_onehot : '0;
  assign candidates = (eligible_i & allowed) | forced;
  assign above      = ~({Queues{1'b1}} << turn_from_i);  // queues that turn_from_i is above

  generate
    for (genvar i = 0; i < Queues; i++) begin : g_queue
      logic [Queues-1:0] ahead;  // queues that go before this one
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

  cart_select #(.Words(Queues), .Width(SlotW)) u_slot (.onehot_i(onehot_o), .words_i(heads_i), .word_o(slot_o));
endmodule
