// SPDX-License-Identifier: Apache-2.0
// Memory request prioritization buffer: groups the requests of an SM by warp in front of the L1D (Khairy15, table 4; Gu20, section 3.5).
//
// One FIFO queue for each warp.  The lowest-numbered non-empty queue is drained, chosen anew for each offer (fixed order, not greedy).
//
// Timing: one request in and one out per cycle; a request can leave in the cycle after it came.  in_ready_o depends on
// in_valid_i and in_queue_i; no other output depends on an input.  An entry that is freed in a cycle can be filled in the next.
// Parameters: Queues and Entries set the size, Shared the organisation, InfoW the width of a request.
`include "mt_assert.svh"

module mt_mrpb #(
  parameter int Queues  = 48,                     // number of queues, one for each warp
  parameter int Entries = 32,                     // requests held: by all queues together (Shared=1), by each queue (Shared=0)
  parameter int Shared  = 1,                      // organisation; 1: queues are linked lists in one pool of entries; 0: each queue has entries of its own
  parameter int InfoW   = 64,                     // bits of a request
  localparam int QueueW = (Queues > 1) ? $clog2(Queues) : 1,
  localparam int Places = (Shared != 0) ? Entries : Queues * Entries,
  localparam int UsedW  = (Places > 0) ? $clog2(Places + 1) : 1
) (
  input  wire logic              clk_i,           // clock, rising edge
  input  wire logic              rst_ni,          // synchronous reset, active low

  input  wire logic              in_valid_i,      // an incoming request is valid
  output logic                   in_ready_o,      // the incoming request fits and is accepted at this clock edge; 0 without in_valid_i
  input  wire logic [QueueW-1:0] in_queue_i,      // its queue; 0 has the highest priority
  input  wire logic [InfoW-1:0]  in_info_i,       // the request

  output logic                   out_valid_o,     // a queued request is offered
  input  wire logic              out_ready_i,     // the offered request is taken
  input  wire logic              out_refused_i,   // the offered request is refused in this cycle: the next offer is chosen anew; ignored with out_ready_i
  output logic [QueueW-1:0]      out_queue_o,     // its queue; else 0
  output logic [InfoW-1:0]       out_info_o,      // the request; else 0

  output logic [UsedW-1:0]       used_o,          // requests held
  output logic [31:0]            stalls_o,        // cycles in which an incoming request was not accepted; saturates
  output logic                   error_o          // enum mrpb_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_queues, Queues >= 1 && Queues <= 128)
  `MT_PARAM_CHECK(g_illegal_entries, Entries >= 1 && Entries <= 256)
  `MT_PARAM_CHECK(g_illegal_shared, Shared == 0 || Shared == 1)
  `MT_PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 64)

  // enum mrpb_error
  localparam logic MrpbOk         = 1'b0;
  localparam logic MrpbErrorQueue = 1'b1;

  localparam int SlotW  = (Entries > 1) ? $clog2(Entries) : 1;
  localparam int StepW  = $clog2(Entries + 1);
  localparam int PlaceW = (Places > 1) ? $clog2(Places) : 1;

  logic [Queues-1:0]  valid_q, valid_d;
  logic [Entries-1:0] busy_q, busy_d;
  (* mem2reg *)
  logic [SlotW-1:0]   head_q [Queues];
  logic [SlotW-1:0]   tail_q [Queues];
  logic [SlotW-1:0]   next_q [Entries];
  logic [InfoW-1:0]   info_q [Places];

  logic              hold_q, hold_d;
  logic [QueueW-1:0] hold_queue_q;
  logic [UsedW-1:0]  used_q, used_d;
  logic [31:0]       stalls_q, stalls_d;
  logic              error_q, error_d;

  // ---- fill: behind the youngest request of the queue
  logic [QueueW-1:0]  in_queue;
  logic [SlotW-1:0]   in_tail, in_behind, in_free, in_slot;
  logic [PlaceW-1:0]  in_place;
  logic [Entries-1:0] free_onehot;
  logic               known, in_filled, room, push;

  assign known      = (QueueW+1)'(in_queue_i) < (QueueW+1)'(Queues);
  assign in_queue   = known ? in_queue_i : '0;
  assign in_filled  = valid_q[in_queue];
  assign in_tail    = tail_q[in_queue];
  assign push       = in_valid_i & known & room;
  assign in_ready_o = push;

  mt_ring_add #(.Slots(Entries)) u_in_behind (.slot_i(in_tail), .step_i(StepW'(1)), .slot_o(in_behind));
  mt_first_one #(.Width(Entries)) u_free (.vector_i(~busy_q), .onehot_o(free_onehot));
  mt_onehot_index #(.Width(Entries)) u_free_index (.onehot_i(free_onehot), .index_o(in_free));

  // ---- drain: the lowest queue with a request; an offer that was neither taken nor refused is held
  logic [Queues-1:0] fresh_onehot;
  logic [QueueW-1:0] fresh_queue, queue;
  logic [SlotW-1:0]  fresh_slot, out_slot, out_behind, out_next;
  logic [PlaceW-1:0] out_place;
  logic              pop, emptied, same;

  mt_first_one #(.Width(Queues)) u_fresh (.vector_i(valid_q), .onehot_o(fresh_onehot));
  mt_onehot_index #(.Width(Queues)) u_fresh_index (.onehot_i(fresh_onehot), .index_o(fresh_queue));

  // Selected by the one-hot vector, not by the encoded number: info_q is still to be read in this cycle.
  always_comb begin
    fresh_slot = '0;
    for (int i = 0; i < Queues; i++) fresh_slot = fresh_slot | (head_q[i] & {SlotW{fresh_onehot[i]}});
  end

  assign out_valid_o = hold_q | (|valid_q);
  assign queue       = hold_q ? hold_queue_q : fresh_queue;
  assign out_slot    = hold_q ? head_q[hold_queue_q] : fresh_slot;
  assign pop         = out_valid_o & out_ready_i;
  assign hold_d      = out_valid_o & ~pop & ~out_refused_i;
  assign emptied     = pop & (out_slot == tail_q[queue]);
  assign same        = in_queue == queue;

  mt_ring_add #(.Slots(Entries)) u_out_behind (.slot_i(out_slot), .step_i(StepW'(1)), .slot_o(out_behind));

  assign out_queue_o = out_valid_o ? queue : '0;
  assign out_info_o  = out_valid_o ? info_q[out_place] : '0;

  // ---- entries: a pool with linked lists, or a ring for each queue
  assign room      = (Shared != 0) ? ~(&busy_q) : ~(in_filled & (in_behind == head_q[in_queue]));
  assign in_slot   = (Shared != 0) ? in_free : in_filled ? in_behind : '0;
  assign out_next  = (Shared != 0) ? next_q[out_slot] : out_behind;
  assign in_place  = (Shared != 0) ? PlaceW'(in_slot) : PlaceW'(in_queue) * PlaceW'(Entries) + PlaceW'(in_slot);
  assign out_place = (Shared != 0) ? PlaceW'(out_slot) : PlaceW'(queue) * PlaceW'(Entries) + PlaceW'(out_slot);

  always_comb begin
    valid_d = valid_q;
    if (emptied) valid_d[queue] = 1'b0;
    if (push) valid_d[in_queue] = 1'b1;
    busy_d = busy_q;
    if (pop) busy_d[out_slot] = 1'b0;
    if (push) busy_d[in_slot] = 1'b1;
  end

  assign used_d   = used_q + UsedW'(push) - UsedW'(pop);
  assign used_o   = used_q;
  assign stalls_o = stalls_q;
  assign error_d  = (in_valid_i & ~known) ? MrpbErrorQueue : error_q;
  assign error_o  = error_q;
  mt_sat_count u_stalls (.count_i(stalls_q), .step_i(in_valid_i & ~push), .count_o(stalls_d));

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q      <= '0;
      busy_q       <= '0;
      hold_q       <= 1'b0;
      hold_queue_q <= '0;
      used_q       <= '0;
      stalls_q     <= '0;
      error_q      <= MrpbOk;
    end else begin
      valid_q  <= valid_d;
      if (Shared != 0) busy_q <= busy_d;
      hold_q   <= hold_d;
      used_q   <= used_d;
      stalls_q <= stalls_d;
      error_q  <= error_d;
      if (hold_d) hold_queue_q <= queue;
    end
  end

  // The tables are valid only for a queue that is not empty: not reset, and they hold their values during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && pop && !emptied) head_q[queue] <= out_next;
    if (rst_ni && push) begin
      if (!in_filled || (same && emptied)) head_q[in_queue] <= in_slot;
      if (Shared != 0 && in_filled) next_q[in_tail] <= in_slot;
      tail_q[in_queue] <= in_slot;
      info_q[in_place] <= in_info_i;
    end
  end

  `MT_ASSERT(g_an_offer_is_held, !out_valid_o || valid_q[queue])

`ifdef FORMAL
  `define MT_MRPB_PROPERTIES
  `include "mt_mrpb_formal.sv"
  `undef MT_MRPB_PROPERTIES
`endif
endmodule
