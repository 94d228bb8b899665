// SPDX-License-Identifier: Apache-2.0
// Formal properties of mrpb, proved by `make formal BLOCK=mrpb`; included at the end of mt_mrpb.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_MRPB_PROPERTIES
  logic f_live;                               // a reset has occurred

  // An arbitrary queue, and an arbitrary request for it, picked when it is accepted.
  (* anyconst *) logic [QueueW-1:0] f_any;
  logic [UsedW-1:0]  f_count;                 // stored requests of the queue
  logic              w_valid;
  logic [UsedW-1:0]  w_ahead;                 // requests of the queue that leave before the one picked
  logic [InfoW-1:0]  w_info;
  logic [PlaceW-1:0] w_place;
  logic [UsedW-1:0]  g_used;
  logic [31:0]       g_stalls;
  logic              g_error;
  logic              g_stalled;               // in the last cycle, the offer was neither taken nor refused
  logic [QueueW-1:0] g_queue;
  logic [InfoW-1:0]  g_info;

  logic [QueueW-1:0] f_queue;
  logic f_exists, f_accept, f_pop;
  assign f_queue  = ((QueueW+1)'(f_any) < (QueueW+1)'(Queues)) ? f_any : '0;
  assign f_exists = (QueueW+1)'(in_queue_i) < (QueueW+1)'(Queues);
  assign f_accept = in_valid_i & in_ready_o & (in_queue_i == f_queue);
  assign f_pop    = out_valid_o & out_ready_i & (out_queue_o == f_queue);

  mt_formal_fifo #(.CountW(UsedW), .DataW(InfoW + PlaceW)) u_fifo (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(f_accept), .data_i({in_info_i, in_place}), .pop_i(f_pop),
    .count_o(f_count), .picked_o(w_valid), .ahead_o(w_ahead), .data_o({w_info, w_place})
  );

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      g_used    <= '0;
      g_stalls  <= '0;
      g_error   <= 1'b0;
      g_stalled <= 1'b0;
    end else begin
      g_used    <= g_used + UsedW'(in_valid_i & in_ready_o) - UsedW'(out_valid_o & out_ready_i);
      g_stalls  <= g_stalls + 32'(in_valid_i & ~in_ready_o & ~(&g_stalls));
      g_error   <= g_error | (in_valid_i & ~f_exists);
      g_stalled <= out_valid_o & ~out_ready_i & ~out_refused_i;
      g_queue   <= out_queue_o;
      g_info    <= out_info_o;
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // The counters and the error are correct.
      p_used:    assert (used_o == g_used && used_o <= UsedW'(Places));
      p_stalls:  assert (stalls_o == g_stalls);
      p_error:   assert (error_o == g_error);
      // Every stored request is offered; an offer that is neither taken nor refused stands.
      p_valid:   assert (out_valid_o == (used_o != '0));
      if (g_stalled) p_stable: assert (out_valid_o && out_queue_o == g_queue && out_info_o == g_info);
      // Any other offer is of the lowest queue with a request: no lower one has any.
      if (out_valid_o && !g_stalled && f_queue < out_queue_o) p_lowest: assert (f_count == '0);
      // Of any queue: every request that leaves was accepted, and none is lost.
      if (f_pop) p_made_up: assert (f_count != '0);
      if (f_count != '0) p_lost: assert (out_valid_o && (g_stalled || out_queue_o <= f_queue));
      // A request waits only if its queue does not exist, or the pool or its own ring is full.
      if (in_valid_i && in_queue_i == f_queue) p_stall: assert (in_ready_o == ((Shared != 0 ? used_o : f_count) != UsedW'(Entries)));
      if (in_valid_i && !f_exists) p_refused: assert (!in_ready_o);
      // Any request leaves in the order of its queue, unchanged.
      if (w_valid && f_pop && w_ahead == '0) p_order: assert (out_info_o == w_info);
      if (w_valid) p_ahead: assert (w_ahead < UsedW'(Entries));
    end
  end

`ifdef FORMAL_AUX
  // Of each place: whether it holds a request, of which queue, and how many of that queue leave before.
  logic [Places-1:0] x_used;
  logic [QueueW-1:0] x_owner [Places];
  logic [UsedW-1:0]  x_pos [Places];
  logic [UsedW-1:0]  x_count [Queues];

  always @(posedge clk_i) begin
    for (int p = 0; p < Places; p++) begin
      if (pop && x_owner[p] == queue) x_pos[p] <= x_pos[p] - UsedW'(1);
      if (pop && out_place == PlaceW'(p)) x_used[p] <= 1'b0;
      if (push && in_place == PlaceW'(p)) begin
        x_used[p]  <= 1'b1;
        x_owner[p] <= in_queue;
        x_pos[p]   <= x_count[in_queue] - UsedW'(pop & same);
      end
      if (!rst_ni) x_used[p] <= 1'b0;
    end
    for (int q = 0; q < Queues; q++) begin
      x_count[q] <= !rst_ni ? '0 : x_count[q] + UsedW'(push & (in_queue == QueueW'(q))) - UsedW'(pop & (queue == QueueW'(q)));
    end
  end

  // The place behind p in its queue, and that in front of it in its ring.
  function automatic [PlaceW-1:0] x_ring(input [PlaceW-1:0] p, input logic back);
    x_ring = back ? ((p % PlaceW'(Entries) == '0) ? p + PlaceW'(Entries - 1) : p - PlaceW'(1))
                  : ((p % PlaceW'(Entries) == PlaceW'(Entries - 1)) ? p - PlaceW'(Entries - 1) : p + PlaceW'(1));
  endfunction

  logic [Places-1:0] x_place_ok, x_apart_ok;
  logic [Queues-1:0] x_queue_ok;
  logic [UsedW-1:0]  x_sum;
  generate
    for (genvar p = 0; p < Places; p++) begin : g_place
      logic [PlaceW-1:0] behind, ahead;
      logic [UsedW-1:0]  left;
      logic              chained, in_ring;
      assign behind = (Shared != 0) ? PlaceW'(next_q[SlotW'(p % Entries)]) : x_ring(PlaceW'(p), 1'b0);
      assign ahead  = x_ring(PlaceW'(p), 1'b1);
      assign left   = x_count[x_owner[p]] - UsedW'(1);
      assign chained = (PlaceW+1)'(behind) < (PlaceW+1)'(Places) && x_used[behind] && x_owner[behind] == x_owner[p] &&
                       x_pos[behind] == x_pos[p] + UsedW'(1);
      assign in_ring = x_owner[p] == QueueW'(p / Entries) &&
                       (x_pos[p] == '0 || (x_used[ahead] && x_pos[ahead] == x_pos[p] - UsedW'(1)));
      assign x_place_ok[p] = ~x_used[p] | ((QueueW+1)'(x_owner[p]) < (QueueW+1)'(Queues) && x_count[x_owner[p]] != '0 &&
                                           x_pos[p] <= left && (x_pos[p] == left || chained) && (Shared != 0 || in_ring));
      logic [Places-1:0] apart;
      for (genvar o = 0; o < Places; o++) begin : g_other
        assign apart[o] = o == p || ~x_used[o] || ~x_used[p] || x_owner[o] != x_owner[p] || x_pos[o] != x_pos[p];
      end
      assign x_apart_ok[p] = &apart;
    end
    for (genvar q = 0; q < Queues; q++) begin : g_queue
      logic [PlaceW-1:0] head, tail;
      assign head = (Shared != 0) ? PlaceW'(head_q[q]) : PlaceW'(q * Entries) + PlaceW'(head_q[q]);
      assign tail = (Shared != 0) ? PlaceW'(tail_q[q]) : PlaceW'(q * Entries) + PlaceW'(tail_q[q]);
      assign x_queue_ok[q] = (valid_q[q] == (x_count[q] != '0)) && x_count[q] <= UsedW'(Entries) &&
          (~valid_q[q] | ((SlotW+1)'(head_q[q]) < (SlotW+1)'(Entries) && (SlotW+1)'(tail_q[q]) < (SlotW+1)'(Entries) &&
                          x_used[head] && x_owner[head] == QueueW'(q) && x_pos[head] == '0 &&
                          x_used[tail] && x_owner[tail] == QueueW'(q) && x_pos[tail] == x_count[q] - UsedW'(1)));
    end
  endgenerate

  logic [UsedW-1:0] x_places;
  always_comb begin
    x_sum    = '0;
    x_places = '0;
    for (int q = 0; q < Queues; q++) x_sum = x_sum + x_count[q];
    for (int p = 0; p < Places; p++) x_places = x_places + UsedW'(x_used[p]);
    if (f_live && rst_ni) begin
      x_place: assert (&x_place_ok);
      x_apart: assert (&x_apart_ok);
      x_queue: assert (&x_queue_ok);
      x_total: assert (used_q == x_sum && used_q == x_places && f_count == x_count[f_queue]);
      if (Shared != 0) x_busy: assert (busy_q == Entries'(x_used));
      x_held: assert (g_stalled == hold_q && (!hold_q || (valid_q[hold_queue_q] && (QueueW+1)'(hold_queue_q) < (QueueW+1)'(Queues))));
      if (hold_q) x_offer: assert (g_queue == hold_queue_q && g_info == out_info_o);
      if (w_valid) x_picked: assert (x_used[w_place] && x_owner[w_place] == f_queue && x_pos[w_place] == w_ahead && info_q[w_place] == w_info);
    end
  end
`endif
`endif
