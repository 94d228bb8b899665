// SPDX-License-Identifier: Apache-2.0
// Formal properties of dl_mshr, proved by `make formal BLOCK=dl_mshr`; included at the end of mt_dl_mshr.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// over the ghost state below that make them inductive.  Links alone do not bound the length of a chain, so each set also
// remembers its head, its position in the chain, and whether the chain has been released.
`ifdef MT_DL_MSHR_PROPERTIES
  localparam int F_PosW = SetW + 1;

  logic              f_live;                  // a reset has occurred
  logic [SetW-1:0]   g_owner [Sets];          // head of this set's super-entry
  logic [F_PosW-1:0] g_pos   [Sets];          // sets between the head and this one
  logic [SetW-1:0]   g_tail  [Sets];          // of a head: its chain's last set
  logic [Sets-1:0]   g_released;              // the super-entry drains
  logic [SetW-1:0]   g_last_set;              // its last set
  logic [UsedW-1:0]  g_popped;                // slots of it that have drained

  // An arbitrary line, and an arbitrary request for it, picked when it is accepted.
  (* anyconst *) logic [AddrW-1:0] f_addr;
  logic [UsedW-1:0]  f_count;                 // stored requests of the line
  logic              w_valid, w_write;
  logic [UsedW-1:0]  w_ahead;                 // requests that leave before the one picked
  logic [SetW-1:0]   w_set;
  logic [SlotW-1:0]  w_slot;
  logic [InfoW-1:0]  w_info;
  logic [DataPW-1:0] w_data;

  logic f_accept, f_pop;
  assign f_accept = accept & (s2_addr_q == f_addr);
  assign f_pop    = pop & (drain_addr_q == f_addr);

  mt_formal_fifo #(.CountW(UsedW), .DataW(SetW + SlotW + InfoW + 1 + DataPW)) u_fifo (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(f_accept), .data_i({slot_set, slot, s2_info_q, s2_write_q, s2_data_q}), .pop_i(f_pop),
    .count_o(f_count), .picked_o(w_valid), .ahead_o(w_ahead), .data_o({w_set, w_slot, w_info, w_write, w_data})
  );

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live     <= 1'b1;
      g_released <= '0;
      g_popped   <= '0;
    end else begin
      if (take) begin
        g_owner[new_set]    <= link ? g_owner[tail] : new_set;
        g_pos[new_set]      <= link ? g_pos[tail] + F_PosW'(1) : '0;
        g_released[new_set] <= 1'b0;
        g_tail[link ? g_owner[tail] : new_set] <= new_set;
      end
      if (fill_ok) begin
        for (int i = 0; i < Sets; i++) begin
          if (!s_free[i] && g_owner[i] == fill_set && !g_released[i]) g_released[i] <= 1'b1;
        end
        if (alloc && new_set == fill_set) g_released[new_set] <= 1'b1;
        if (link && g_owner[tail] == fill_set) g_released[new_set] <= 1'b1;
        g_last_set <= (alloc && new_set == fill_set) || (link && g_owner[tail] == fill_set) ? new_set : g_tail[fill_set];
      end
      g_popped <= fill_ok ? '0 : g_popped + UsedW'(pop);

    end
  end

  // ---- sums and searches over all sets
  logic [Sets-1:0]  attached, linked, pred_ok, f_waits;
  logic [FreeW-1:0] sum_free, sum_reserved;
  logic [UsedW-1:0] sum_slots;
  logic             twin_heads, f_drains;
  always_comb begin
    sum_free     = '0;
    sum_reserved = '0;
    sum_slots    = drain_valid_q ? '0 - UsedW'(drain_slot_q) : '0;
    twin_heads   = 1'b0;
    for (int i = 0; i < Sets; i++) begin
      sum_free     = sum_free + FreeW'(s_free[i] & ~ReservedSets[i]);
      sum_reserved = sum_reserved + FreeW'(s_free[i] & ReservedSets[i]);
      sum_slots    = sum_slots + (s_free[i] ? '0 : UsedW'(last_q[i]) + UsedW'(1));
      for (int j = 0; j < i; j++) twin_heads = twin_heads | (h[i] & h[j] & (addr_q[i] == addr_q[j]));
      twin_heads = twin_heads | (h[i] & drain_valid_q & (addr_q[i] == drain_addr_q));
    end
    f_drains = drain_valid_q & (drain_addr_q == f_addr);
  end

  generate
    for (genvar j = 0; j < Sets; j++) begin : g_pred
      logic [Sets-1:0] points_here;
      for (genvar i = 0; i < Sets; i++) begin : g_from
        assign points_here[i] = linked[i] & (next_q[i] == SetW'(j));
      end
      assign attached[j] = (state_q[j] >= 4'd6) & (state_q[j] <= 4'd9);
      assign linked[j]   = l[j] | (drain_valid_q & drain_linked_q & (drain_set_q == SetW'(j)));
      assign pred_ok[j]  = attached[j] ? (points_here != '0) & ((points_here & (points_here - 1'b1)) == '0)
                                       : points_here == '0;
      assign f_waits[j]  = h[j] & (addr_q[j] == f_addr);
    end
  endgenerate

  always_comb begin
    if (f_live && rst_ni) begin
      // nFreeSet equals the free sets of each kind; the count of occupied slots is correct.
      p_free:     assert (n_free_set_q == sum_free && n_free_reserved_q == sum_reserved);
      p_used:     assert (used_slots_q == sum_slots);
      // An attached set has one predecessor, no other set has any.
      p_pred:     assert (&pred_ok);
      // No two heads share a line, nor does a head share the draining one.
      p_unique:   assert (!twin_heads);
      // Reserved sets are never attached.
      p_reserved: assert ((attached & ReservedSets) == '0);
      // A drain ends within Sets * Slots slots, and drains no set twice.
      p_ends:     assert (!drain_valid_q || g_popped < UsedW'(Sets * Slots));
      // Of any line: every request drained was accepted, the last one is marked last, and none is lost.
      if (f_pop) p_made_up: assert (f_count != '0);
      if (f_pop) p_last:    assert (drain_last_o == (f_count == UsedW'(1)));
      if (!f_drains && f_waits == '0) p_lost: assert (f_count == '0);
      // A fill raises the error only if no request waits for its line; answers are correct.
      if (fill_bad && fill_addr_i == f_addr) p_error: assert (f_count + UsedW'(f_accept) == UsedW'(f_pop));
      if (rsp_valid_o && rsp_result_o == Primary && s2_addr_q == f_addr) p_primary: assert (f_count == '0);
      if (rsp_valid_o && rsp_result_o == Secondary && s2_addr_q == f_addr) p_secondary: assert (f_count != '0);
      if (rsp_valid_o && rsp_result_o == RfEntry) p_rf_entry: assert (sum_free == '0 && sum_reserved == '0);
      if (rsp_valid_o && rsp_result_o == RfMerge) p_rf_merge: assert (sum_free == '0);
      if (s2_valid_q && s2_drain_q) p_rf_drain: assert (drain_valid_q && drain_addr_q == s2_addr_q);
      // Any request leaves in order, unchanged.
      if (w_valid && f_pop && w_ahead == '0)
        p_order: assert (drain_info_o == w_info && drain_write_o == w_write && (DataW == 0 || drain_data_o == w_data));
      if (w_valid && f_pop && drain_last_o) p_out: assert (w_ahead == '0);
    end
  end

  // Chains are acyclic and end in L = 0: the place in the chain grows along every link and stays below Sets.
  logic [Sets-1:0] chain_ok, set_ok, owner_ok;
  generate
    for (genvar i = 0; i < Sets; i++) begin : g_chain
      logic [SetW-1:0] n, o, t;
      assign n = next_q[i];
      assign o = g_owner[i];
      assign t = g_tail[i];
      assign chain_ok[i] = s_free[i] | ((g_pos[i] < F_PosW'(Sets)) & (~linked[i] | (
                             ~s_free[n] & (g_pos[n] == g_pos[i] + F_PosW'(1)) & (g_owner[n] == o) &
                             (g_released[n] == g_released[i]))));
      // A set's state, slots and chain agree.
      assign set_ok[i]   = (state_q[i] <= 4'd10) & (s_free[i] | (last_q[i] <= SlotW'(Slots - 1))) &
                           (~s_full[i] | (last_q[i] == SlotW'(Slots - 1))) &
                           (((state_q[i] != 4'd1) & (state_q[i] != 4'd6)) | (last_q[i] != SlotW'(Slots - 1))) &
                           (((state_q[i] == 4'd5) | (state_q[i] == 4'd10)) ==
                            (drain_valid_q & (drain_set_q == SetW'(i))));
      // A live set belongs to a live head; a head stores its tail; the only set without a link is the tail.
      assign owner_ok[i] = s_free[i] |
          (g_released[i] ? drain_valid_q & ~h[i] & (linked[i] | (g_last_set == SetW'(i)))
                         : h[o] & (g_owner[o] == o) & (linked[i] | (g_tail[o] == SetW'(i)))) &
          (~h[i] | (~g_released[i] & (o == SetW'(i)) & (g_pos[i] == '0) & ~s_free[t] & ~linked[t] & ~g_released[t] &
                    (g_owner[t] == SetW'(i)) & ((TailPtr == 0) | (tail_q[i] == t))));
    end
  endgenerate
  always_comb begin
    if (f_live && rst_ni) p_chain: assert (&chain_ok);
  end

`ifdef FORMAL_AUX
  logic [UsedW-1:0] f_total, w_place;
  logic [SetW-1:0]  f_head, f_last_set;
  mt_onehot_index #(.Width(Sets)) u_f_head (.onehot_i(f_waits), .index_o(f_head));
  assign f_last_set = f_drains ? g_last_set : g_tail[f_head];
  assign f_total    = UsedW'(g_pos[f_last_set]) * UsedW'(Slots) + UsedW'(last_q[f_last_set]) + UsedW'(1)
                      - (f_drains ? g_popped : '0);
  assign w_place    = UsedW'(g_pos[w_set]) * UsedW'(Slots) + UsedW'(w_slot) - (f_drains ? g_popped : '0);

  logic [Sets-1:0] s2_waits;
  logic [PoolW-1:0] w_index;
  assign w_index = PoolW'(w_set) * PoolW'(Slots) + PoolW'(w_slot);
  generate
    for (genvar i = 0; i < Sets; i++) begin : g_s2
      assign s2_waits[i] = h[i] & (addr_q[i] == s2_addr_q);
    end
  endgenerate

  always_comb begin
    if (f_live && rst_ni) begin
      x_set:   assert (&set_ok);
      x_owner: assert (&owner_ok);
      if (drain_valid_q) begin
        x_drain: assert (!s_free[drain_set_q] && g_released[drain_set_q] && drain_slot_q <= last_q[drain_set_q]);
        x_last:  assert (!s_free[g_last_set] && g_released[g_last_set] && !linked[g_last_set] &&
                         g_owner[g_last_set] == g_owner[drain_set_q]);
        x_popped: assert (g_popped == UsedW'(g_pos[drain_set_q]) * UsedW'(Slots) + UsedW'(drain_slot_q));
        x_before: assert (g_pos[drain_set_q] <= g_pos[g_last_set]);
        if (drain_linked_q) x_full: assert (last_q[drain_set_q] == SlotW'(Slots - 1));
      end
      // The search result in stage 2 is still correct.
      if (s2_valid_q && !s2_drain_q) begin
        x_s2_drain: assert (!drain_valid_q || drain_addr_q != s2_addr_q);
        if (s2_hit_q) x_s2_hit: assert (!s_free[s2_set_q] && !g_released[s2_set_q] && (TailPtr == 0 || h[s2_set_q]) &&
                                        addr_q[g_owner[s2_set_q]] == s2_addr_q);
        else x_s2_miss: assert (s2_waits == '0);
      end
      // The line and the request picked.
      if (f_drains || f_waits != '0) x_count: assert (f_count == f_total);
      if (w_valid) begin
        x_held:  assert (f_drains || f_waits != '0);
        x_place: assert (w_ahead == w_place && w_ahead < f_count);
        x_where: assert (!s_free[w_set] && w_slot <= last_q[w_set] && g_released[w_set] == f_drains &&
                         (f_drains || g_owner[w_set] == f_head));
        x_what:  assert (info_q[w_index] == w_info && write_q[w_index] == w_write &&
                         (DataW == 0 || data_q[w_index] == w_data));
      end
    end
  end
`endif
`endif
