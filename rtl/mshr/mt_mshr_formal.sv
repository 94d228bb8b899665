// SPDX-License-Identifier: Apache-2.0
// Formal properties of mshr, proved by `make formal BLOCK=mshr`; included at the end of mt_mshr.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_MSHR_PROPERTIES
  logic f_live;                               // a reset has occurred

  // An arbitrary line, and an arbitrary request for it, picked when it is accepted.
  (* anyconst *) logic [AddrW-1:0] f_addr;
  logic [UsedW-1:0]  f_count;                 // stored requests of the line
  logic              w_valid, w_write;
  logic [UsedW-1:0]  w_ahead;                 // requests that leave before the one picked
  logic [SetW-1:0]   w_set;
  logic [SlotW-1:0]  w_slot;
  logic [InfoW-1:0]  w_info;
  logic [DataPW-1:0] w_data;
  logic [UsedW-1:0]  g_popped;                // slots of the draining entry that have drained

  logic f_accept, f_pop;
  assign f_accept = accept & (req_addr_i == f_addr);
  assign f_pop    = pop & (drain_addr == f_addr);

  mt_formal_fifo #(.CountW(UsedW), .DataW(SetW + SlotW + InfoW + 1 + DataPW)) u_fifo (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(f_accept), .data_i({slot_set, slot, req_info_i, req_write_i, req_data_i}), .pop_i(f_pop),
    .count_o(f_count), .picked_o(w_valid), .ahead_o(w_ahead), .data_o({w_set, w_slot, w_info, w_write, w_data})
  );

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live   <= 1'b1;
      g_popped <= '0;
    end else begin
      g_popped <= fill_ok ? '0 : g_popped + UsedW'(pop);
    end
  end

  logic [FreeW-1:0]   sum_free;
  logic [UsedW-1:0]   sum_slots;
  logic [Entries-1:0] f_waits;
  logic               twins, f_drains;
  always_comb begin
    sum_free  = '0;
    sum_slots = drain_valid_q ? '0 - UsedW'(drain_slot_q) : '0;
    twins     = 1'b0;
    for (int i = 0; i < Entries; i++) begin
      sum_free  = sum_free + FreeW'(!busy_q[i]);
      sum_slots = sum_slots + (busy_q[i] ? UsedW'(last_q[i]) + UsedW'(1) : '0);
      for (int j = 0; j < i; j++) twins = twins | (busy_q[i] & busy_q[j] & (addr_q[i] == addr_q[j]));
      f_waits[i] = live_q[i] & (addr_q[i] == f_addr);
    end
    f_drains = drain_valid_q & (drain_addr == f_addr);
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // The counts of free entries and occupied slots are correct.
      p_free:   assert (n_free_q == sum_free);
      p_used:   assert (used_slots_q == sum_slots);
      // No two entries share a line.
      p_unique: assert (!twins);
      // A drain ends within Slots slots.
      p_ends:   assert (!drain_valid_q || g_popped < UsedW'(Slots));
      // Of any line: every request drained was accepted, the last one is marked last, and none is lost.
      if (f_pop) p_made_up: assert (f_count != '0);
      if (f_pop) p_last:    assert (drain_last_o == (f_count == UsedW'(1)));
      if (!f_drains && f_waits == '0) p_lost: assert (f_count == '0);
      // A fill raises the error only if no request waits for its line; answers are correct.
      if (fill_bad && fill_addr_i == f_addr) p_error: assert (f_count == UsedW'(f_pop));
      if (rsp_valid_o && rsp_result_o == Primary && req_addr_i == f_addr) p_primary: assert (f_count == UsedW'(f_pop));
      if (rsp_valid_o && rsp_result_o == Secondary && req_addr_i == f_addr) p_secondary: assert (f_count != '0);
      if (rsp_valid_o && rsp_result_o == RfEntry) p_rf_entry: assert (sum_free == '0 && !done);
      if (rsp_valid_o && rsp_result_o == RfMerge && req_addr_i == f_addr) p_rf_merge: assert (f_count == UsedW'(Slots));
      if (rsp_valid_o && rsp_result_o == RfDrain && req_addr_i == f_addr)
        p_rf_drain: assert ((f_drains && !done) || (fill_ok && fill_addr_i == f_addr));
      // Any request leaves in order, unchanged.
      if (w_valid && f_pop && w_ahead == '0)
        p_order: assert (drain_info_o == w_info && drain_write_o == w_write && (DataW == 0 || drain_data_o == w_data));
      if (w_valid && f_pop && drain_last_o) p_out: assert (w_ahead == '0);
    end
  end

`ifdef FORMAL_AUX
  logic [SetW-1:0]   f_set;
  logic [PoolW-1:0]  w_index;
  logic [Entries-1:0] entry_ok;
  mt_onehot_index #(.Width(Entries)) u_f_set (.onehot_i(f_waits), .index_o(f_set));
  assign w_index = PoolW'(w_set) * PoolW'(Slots) + PoolW'(w_slot);
  generate
    for (genvar i = 0; i < Entries; i++) begin : g_entry_ok
      assign entry_ok[i] = (~busy_q[i] | (last_q[i] <= SlotW'(Slots - 1))) &
                           ((busy_q[i] & ~live_q[i]) == (drain_valid_q & (drain_set_q == SetW'(i)))) &
                           (busy_q[i] | ~live_q[i]);
    end
  endgenerate

  always_comb begin
    if (f_live && rst_ni) begin
      x_entry: assert (&entry_ok);
      if (drain_valid_q) x_drain: assert (drain_slot_q <= last_q[drain_set_q] && g_popped == UsedW'(drain_slot_q));
      if (f_drains) x_left: assert (f_count == UsedW'(last_q[drain_set_q]) + UsedW'(1) - g_popped);
      if (f_waits != '0) x_count: assert (f_count == UsedW'(last_q[f_set]) + UsedW'(1));
      if (w_valid) begin
        x_held:  assert (f_drains || f_waits != '0);
        x_where: assert (w_set == (f_drains ? drain_set_q : f_set) && w_slot <= last_q[w_set]);
        x_place: assert (w_ahead == UsedW'(w_slot) - (f_drains ? g_popped : '0) && w_ahead < f_count);
        x_what:  assert (info_q[w_index] == w_info && write_q[w_index] == w_write &&
                         (DataW == 0 || data_q[w_index] == w_data));
      end
    end
  end
`endif
`endif
