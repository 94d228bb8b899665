// SPDX-License-Identifier: Apache-2.0
// Formal properties of far_fault_mshr, proved by `make formal BLOCK=far_fault_mshr`; included at the end of mt_far_fault_mshr.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_FAR_FAULT_MSHR_PROPERTIES
  logic f_live;                                // a reset has occurred

  // An arbitrary page and requester, tracked from answers and responses alone.
  (* anyconst *) logic [PageW-1:0] f_page;
  (* anyconst *) logic [IdW-1:0]   f_id;
  logic             g_wait;                    // the requester waits: accepted, and no response yet
  logic             g_out;                     // a primary fault of the page is outstanding
  logic             g_untold;                  // the driver has not taken it
  logic [UsedW-1:0] g_ahead;                   // older faults that the driver has not taken

  logic f_asked, f_primary, f_filled, f_told, f_taken, f_older;
  assign f_asked   = req_valid_i && req_page_i == f_page && req_id_i == f_id && there;
  assign f_primary = alloc && req_page_i == f_page;
  assign f_filled  = fill && fill_page_i == f_page;
  assign f_told    = rsp_valid_o && rsp_ready_i && rsp_page_o == f_page && rsp_id_o == f_id;
  assign f_taken   = take && fault_page_o == f_page;
  assign f_older   = take || (withdraw && (arrived & f_ahead) != '0);

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume ({1'b0, f_id} < (IdW+1)'(Requesters));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live   <= 1'b1;
      g_wait   <= 1'b0;
      g_out    <= 1'b0;
      g_untold <= 1'b0;
    end else begin
      if (f_told) g_wait <= 1'b0;
      if (f_asked && (req_result_o == Primary || req_result_o == Secondary)) g_wait <= 1'b1;
      if (f_filled) g_out <= 1'b0;
      if (f_primary) g_out <= 1'b1;
      if (f_filled || f_taken) g_untold <= 1'b0;
      if (f_older) g_ahead <= g_ahead - UsedW'(1);
      if (f_primary) begin
        g_untold <= 1'b1;
        g_ahead  <= left;
      end
    end
  end

  logic [Entries-1:0] f_match, f_place, f_ahead;
  logic [UsedW-1:0]   sum_used;
  logic               twins, f_drains, f_waits;
  always_comb begin
    sum_used = '0;
    twins    = 1'b0;
    f_waits  = 1'b0;
    for (int i = 0; i < Entries; i++) begin
      f_match[i] = busy_q[i] & (page_q[i] == f_page);
      f_place[i] = due[i] & (page_q[order_q[i]] == f_page);
      f_ahead[i] = UsedW'(i) < g_ahead;
      f_waits    = f_waits | (f_match[i] & wait_q[i][f_id]);
      sum_used   = sum_used + UsedW'(busy_q[i]);
      for (int j = 0; j < i; j++) twins = twins | (busy_q[i] & busy_q[j] & (page_q[i] == page_q[j]));
    end
    f_drains = draining & (drain_page_q == f_page);
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // The count of outstanding faults is correct; no two entries share a page.
      p_used:   assert (used_q == sum_used && waiting_q <= used_q);
      p_unique: assert (!twins);
      // A requester answered PRIMARY or SECONDARY gets exactly one response.
      p_wait:  assert (g_wait == (f_waits | (f_drains & drain_wait_q[f_id])));
      if (f_told) p_told: assert (g_wait && !g_out);
      // The response follows the fill, and every fill of an outstanding page has a response.
      p_out: assert (g_out == (|f_match));
      if (fill_valid_i && fill_ready_o && fill_page_i == f_page) p_hit: assert (fill_hit_o == g_out);
      if (fill_hit_o) p_someone: assert (fill_wait != '0);
      // A primary fault is offered once, in order, unless the fill comes first; after the fill it is not offered.
      p_untold: assert (g_untold == (|f_place) && (!g_untold || g_out));
      if (fault_valid_o && fault_page_o == f_page) p_offer: assert (g_untold && g_ahead == '0 && !f_filled);
      if (g_untold) p_turn: assert (g_ahead < waiting_q && page_q[order_q[g_ahead]] == f_page);
      // Answers are correct.
      if (req_valid_i && req_page_i == f_page && there) begin
        if (req_result_o == Primary) p_primary: assert (!g_out && !f_drains && !f_filled);
        if (req_result_o == Secondary) p_secondary: assert (g_out && !f_filled);
        if (req_result_o == Full) p_full: assert (!g_out && (&busy_q));
        if (req_result_o == Draining) p_draining: assert (f_drains || f_filled);
      end
      // A request is done if and only if its requester starts to wait for the page; a refused one is not.
      if (f_asked) p_done: assert (req_done_o == (!g_wait && (req_result_o == Primary || req_result_o == Secondary)));
      if (bad_id || bad_twice) p_refused: assert (!req_done_o && !alloc && !merge);
      // The errors: a request of a requester that already waits for the page, and an illegal requester; nothing else.
      if (f_asked && !f_drains && !f_filled) p_twice: assert (bad_twice == g_wait);
    end
  end

`ifdef FORMAL_AUX
  logic x_order_ok, x_wait_ok;
  always_comb begin
    x_order_ok = 1'b1;
    x_wait_ok  = 1'b1;
    for (int i = 0; i < Entries; i++) begin
      if (due[i]) x_order_ok = x_order_ok & busy_q[order_q[i]];
      x_order_ok = x_order_ok & ({1'b0, order_q[i]} < (EntryW+1)'(Entries));
      for (int j = 0; j < i; j++) if (due[i]) x_order_ok = x_order_ok & (order_q[i] != order_q[j]);
      if (busy_q[i]) x_wait_ok = x_wait_ok & (wait_q[i] != '0);
    end
    if (f_live && rst_ni) begin
      x_order: assert (x_order_ok);
      x_waits: assert (x_wait_ok);
      x_once:  assert (!(f_drains && g_out));
    end
  end
`endif
`endif
