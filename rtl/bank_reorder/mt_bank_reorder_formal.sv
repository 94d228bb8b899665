// SPDX-License-Identifier: Apache-2.0
// Formal properties of bank_reorder, proved by `make formal BLOCK=bank_reorder`; included at the end of mt_bank_reorder.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_BANK_REORDER_PROPERTIES
  logic f_live;                               // a reset has occurred

  // An arbitrary queue, and an arbitrary request for it, picked when it is accepted.
  (* anyconst *) logic [BankW-1:0] f_any;
  logic [UsedW-1:0] f_count;                  // stored requests of the queue
  logic             w_valid;
  logic [UsedW-1:0] w_ahead;                  // requests of the queue that leave before the one picked
  logic [AddrW-1:0] w_addr;
  logic [InfoW-1:0] w_info;
  logic [SlotW-1:0] w_slot;
  logic [BankW:0]   g_passed;                 // offers of other queues since this one was last offered or empty
  logic [UsedW-1:0] g_used;
  logic [31:0]      g_stalls;
  logic             g_stalled;                // in the last cycle, the offer was neither accepted nor refused
  logic [AddrW-1:0] g_addr;
  logic [InfoW-1:0] g_info;

  logic [BankW-1:0] f_bank;
  logic f_accept, f_pop, f_ends;
  assign f_bank   = f_any & BankW'(Banks - 1);
  assign f_accept = push & (in_bank == f_bank);
  assign f_pop    = pop & (bank == f_bank);
  assign f_ends   = out_valid_o & ~hold_d;

  mt_formal_fifo #(.CountW(UsedW), .DataW(AddrW + InfoW + SlotW)) u_fifo (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(f_accept), .data_i({in_addr_i, in_info_i, in_slot}), .pop_i(f_pop),
    .count_o(f_count), .picked_o(w_valid), .ahead_o(w_ahead), .data_o({w_addr, w_info, w_slot})
  );

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      g_passed  <= '0;
      g_used    <= '0;
      g_stalls  <= '0;
      g_stalled <= 1'b0;
    end else begin
      g_used    <= g_used + UsedW'(in_valid_i & in_ready_o) - UsedW'(out_valid_o & out_ready_i);
      g_stalls  <= g_stalls + 32'(in_valid_i & ~in_ready_o & ~(&g_stalls));
      g_stalled <= out_valid_o & ~out_ready_i & ~((Rotate != 0) & out_refused_i);
      g_addr    <= out_addr_o;
      g_info    <= out_info_o;
      if (!busy_q[f_bank] || (f_ends && bank == f_bank)) g_passed <= '0;
      else if (f_ends) g_passed <= g_passed + (BankW+1)'(1);
    end
  end

  logic [UsedW-1:0] sum_all;
  always_comb begin
    sum_all = '0;
    for (int b = 0; b < Banks; b++) if (busy_q[b]) sum_all = sum_all + UsedW'(count_q[b]);
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // The counters are correct.
      p_used:    assert (used_q == g_used && used_q == sum_all);
      p_stalls:  assert (stalls_q == g_stalls);
      // Every stored request is offered; an offer that is not accepted is held.
      p_valid:   assert (out_valid_o == (used_q != '0));
      if (g_stalled) p_stable: assert (out_valid_o && out_addr_o == g_addr && out_info_o == g_info);
      // Of any queue, and so of any line: every request that leaves was accepted, and none is lost.
      if (f_pop) p_made_up: assert (f_count != '0);
      p_lost:    assert (f_count == (busy_q[f_bank] ? UsedW'(count_q[f_bank]) : '0));
      // A request stalls only if its queue is full.
      if (in_valid_i && in_bank == f_bank) p_stall: assert (in_ready_o == (f_count != UsedW'(Entries)));
      // Any request leaves in order, unchanged, after fewer than Entries others of its queue.
      if (w_valid && f_pop && w_ahead == '0) p_order: assert (out_addr_o == w_addr && out_info_o == w_info);
      if (w_valid) p_ahead: assert (w_ahead < UsedW'(Entries));
      // No starvation: a queue is offered again after Banks - 1 others.
      p_offered: assert (g_passed < (BankW+1)'(Banks));
    end
  end

`ifdef FORMAL_AUX
  logic [Banks-1:0] x_queue_ok;
  generate
    for (genvar b = 0; b < Banks; b++) begin : g_queue_ok
      assign x_queue_ok[b] = ~busy_q[b] | ((count_q[b] != '0) & (count_q[b] <= CountW'(Entries)) &
                                           (Entries == 1 || head_q[b] <= SlotW'(Entries - 1)));
    end
  endgenerate

  logic [SlotW-1:0] x_head;
  logic [SlotW:0]   x_offset;
  logic [BankW-1:0] x_turn, x_offered;
  always_comb begin
    x_head    = (Entries > 1) ? head_q[f_bank] : '0;
    x_offset  = (w_slot >= x_head) ? (SlotW+1)'(w_slot - x_head) : (SlotW+1)'(w_slot) + (SlotW+1)'(Entries) - (SlotW+1)'(x_head);
    x_turn    = (f_bank - turn_bank_q) & BankW'(Banks - 1);
    x_offered = (hold_bank_q - turn_bank_q) & BankW'(Banks - 1);
    if (f_live && rst_ni) begin
      x_queue: assert (&x_queue_ok && turn_bank_q <= BankW'(Banks - 1) && hold_bank_q <= BankW'(Banks - 1));
      if (hold_q) x_hold: assert (busy_q[hold_bank_q]);
      x_stalled: assert (g_stalled == hold_q);
      if (w_valid) begin
        x_where: assert (w_ahead == UsedW'(x_offset) && w_ahead < f_count && w_slot <= SlotW'(Entries - 1));
        x_what:  assert (addr_q[EntryIW'(f_bank) * EntryIW'(Entries) + EntryIW'(w_slot)] == w_addr &&
                         info_q[EntryIW'(f_bank) * EntryIW'(Entries) + EntryIW'(w_slot)] == w_info);
      end
      // A queue filled during the offer may come first.
      if (busy_q[f_bank]) x_round: assert (g_passed + (BankW+1)'(x_turn) < (BankW+1)'(Banks));
      if (!busy_q[f_bank]) x_rest: assert (g_passed == '0);
      if (hold_q && busy_q[f_bank] && x_turn < x_offered) x_passed: assert (g_passed == '0);
    end
  end
`endif
`endif
