// SPDX-License-Identifier: Apache-2.0
// Formal properties of cart, proved by `make formal BLOCK=cart`; included at the end of mt_cart.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive, for row groups of at most two queues.
`ifdef MT_CART_PROPERTIES
  localparam int F_Held  = Cols * Entries;                        // requests of one line that fit
  localparam int F_Bound = F_Held * Queues * Patience;            // requests of a branch until any one in it has left

  logic f_live;                               // a reset has occurred

  // An arbitrary line, and an arbitrary request for it, picked when it is accepted.
  (* anyconst *) logic [AddrW-1:0] f_addr;
  logic [UsedW-1:0]  f_count;                 // stored requests of the line
  logic              w_valid;
  logic [UsedW-1:0]  w_ahead;                 // requests of the line that leave before the one picked
  logic [InfoW-1:0]  w_info;
  logic [QueueW-1:0] w_queue;
  logic [SlotW-1:0]  w_slot;
  logic [15:0]       w_taken;                 // requests that left its branch since it came
  logic [BankW:0]    g_passed;                // offers of other branches since its own was last offered or empty
  logic [UsedW-1:0]  g_used;
  logic [31:0]       g_stalls;
  logic              g_stalled;               // in the last cycle, the offer was neither accepted nor refused
  logic [AddrW-1:0]  g_addr;
  logic [InfoW-1:0]  g_info;

  logic [BankW-1:0]  f_bank;
  logic f_accept, f_pop, f_ends;
  assign f_bank   = BankW'(((f_addr >> BankMsb) << 1) | ((f_addr >> BankLsb) & AddrW'(1)));
  assign f_accept = push & (in_addr_i == f_addr);
  assign f_pop    = pop & (out_addr_o == f_addr);
  assign f_ends   = out_valid_o & ~hold_d;

  mt_formal_fifo #(.CountW(UsedW), .DataW(InfoW + QueueW + SlotW)) u_fifo (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(f_accept), .data_i({in_info_i, in_queue, in_slot}), .pop_i(f_pop),
    .count_o(f_count), .picked_o(w_valid), .ahead_o(w_ahead), .data_o({w_info, w_queue, w_slot})
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
      if (!busy_q[f_bank] || (f_ends && bank_q == f_bank)) g_passed <= '0;
      else if (f_ends) g_passed <= g_passed + (BankW+1)'(1);
      w_taken   <= w_valid ? w_taken + 16'(pop & (bank_q == f_bank)) : '0;
    end
  end

  // The queues with the tag of the line, and the state of its branch.
  logic [Queues-1:0] f_valid, f_tag, f_row;
  logic [UsedW-1:0]  sum_line, sum_all;
  logic              f_no_group, f_row_full;
  always_comb begin
    f_valid    = valid_q[f_bank];
    sum_line   = '0;
    sum_all    = '0;
    f_no_group = 1'b1;
    for (int q = 0; q < Queues; q++) begin
      f_row[q] = f_valid[q] & (row_q[GroupIW'(f_bank) * GroupIW'(Rows) + GroupIW'(q / Cols)] == f_addr[AddrW-1:RowLsb]);
      f_tag[q] = f_row[q] & (col_q[QueueIW'(f_bank) * QueueIW'(Queues) + QueueIW'(q)] == (f_addr[RowLsb-1:0] & ~BankMask[RowLsb-1:0]));
      if (f_tag[q]) sum_line = sum_line + UsedW'(count_q[QueueIW'(f_bank) * QueueIW'(Queues) + QueueIW'(q)]);
    end
    for (int g = 0; g < Rows; g++) if (f_valid[g*Cols +: Cols] == '0) f_no_group = 1'b0;
    for (int b = 0; b < Banks; b++)
      for (int q = 0; q < Queues; q++) if (valid_q[b][q]) sum_all = sum_all + UsedW'(count_q[b*Queues+q]);
    f_row_full = $countones(f_row) == Cols;
  end

  // Upper bound of the requests of its branch that leave before the one picked; each one that leaves lowers it.
  logic [QueueW-1:0] f_head, f_distance;
  logic [Queues-1:0] f_heads;
  logic [15:0]       f_potential;
  assign f_heads = f_tag & ~blocked_q[f_bank];
  mt_onehot_index #(.Width(Queues)) u_f_head (.onehot_i(f_heads), .index_o(f_head));
  assign f_distance  = (f_head >= turn_q[f_bank]) ? f_head - turn_q[f_bank] : f_head - turn_q[f_bank] + QueueW'(Queues);
  assign f_potential = (16'(w_ahead) * 16'(Queues) + 16'(f_distance)) * 16'(Patience) + 16'(Patience - 1) - 16'(served_q[f_bank]);

  always_comb begin
    if (f_live && rst_ni) begin
      // The counters are correct.
      p_used:    assert (used_q == g_used && used_q == sum_all);
      p_stalls:  assert (stalls_q == g_stalls);
      // Every stored request is offered; a stalled offer is held with its payload.
      p_valid:   assert (out_valid_o == (used_q != '0));
      if (g_stalled) p_stable: assert (out_valid_o && out_addr_o == g_addr && out_info_o == g_info);
      // Of any line: every request that leaves was accepted, and none is lost.
      if (f_pop) p_made_up: assert (f_count != '0);
      p_lost:    assert (f_count == sum_line);
      // A request stalls only if the group of its row is full, or if its row has none and every group belongs to another row.
      if (in_valid_i && !in_ready_o && in_addr_i == f_addr) p_stall: assert (f_row_full || (f_row == '0 && f_no_group));
      // Any request leaves in order among those of its line, unchanged.
      if (w_valid && f_pop && w_ahead == '0) p_order: assert (out_info_o == w_info);
      // No starvation: a branch is offered again after Banks - 1 others, and any of its requests leaves within F_Bound.
      p_offered: assert (g_passed < (BankW+1)'(Banks));
      if (Patience != 0 && w_valid) p_taken: assert (w_taken < 16'(F_Bound));
    end
  end

`ifdef FORMAL_AUX
  logic [Banks-1:0] x_branch_ok;
  generate
    for (genvar b = 0; b < Banks; b++) begin : g_branch_ok
      logic [Queues-1:0] queue_ok;
      logic [Rows-1:0]   row_ok;
      logic [Queues-1:0] last_mask, unblocked;
      logic [QueueW-1:0] last;
      logic              last_ok;
      assign last      = last_q[b];
      assign unblocked = valid_q[b] & ~blocked_q[b];
      mt_cart_around #(.Rows(Rows), .Cols(Cols)) u_last (.queue_i(last), .group_o(last_mask));
      for (genvar q = 0; q < Queues; q++) begin : g_queue_ok
        logic [CountW-1:0] count;
        logic              alone, before, behind;
        localparam int Other = (q % Cols == 0) ? q + Cols - 1 : q - Cols + 1;   // the other queue of its group
        assign count  = count_q[b*Queues+q];
        assign alone  = Cols == 1 || !valid_q[b][q] || !valid_q[b][Other] || col_q[b*Queues+q] != col_q[b*Queues+Other];
        assign before = linked_q[b][q] & ~blocked_q[b][q] & ~linked_q[b][Other] & blocked_q[b][Other] &
                        (next_q[b*Queues+q] == ColW'(Other % Cols));
        assign behind = ~linked_q[b][q] & blocked_q[b][q] & linked_q[b][Other] & ~blocked_q[b][Other];
        assign queue_ok[q] = (alone ? ~linked_q[b][q] & ~blocked_q[b][q] : before | behind) &
                             (~valid_q[b][q] | ((count != '0) & (count <= CountW'(Entries)) &
                                                (Entries == 1 || head_q[b*Queues+q] <= SlotW'(Entries - 1)) &
                                                ((col_q[b*Queues+q] & BankMask[RowLsb-1:0]) == '0)));
      end
      for (genvar g = 0; g < Rows; g++) begin : g_row_ok
        logic [Rows-1:0] same;
        for (genvar h = 0; h < Rows; h++) begin : g_other
          assign same[h] = (h < g) & (|valid_q[b][g*Cols +: Cols]) & (|valid_q[b][h*Cols +: Cols]) & (row_q[b*Rows+g] == row_q[b*Rows+h]);
        end
        assign row_ok[g] = same == '0;
      end
      assign last_ok = (~same_q[b] | (|(unblocked & (Queues'(1) << last_q[b])))) & (~stay_q[b] | (|(valid_q[b] & last_mask)));
      assign x_branch_ok[b] = (&queue_ok) & (&row_ok) & last_ok & (busy_q[b] == (|valid_q[b])) &
                              (Patience == 0 || served_q[b] < ServedW'(Patience) || (Patience & (Patience - 1)) == 0);
    end
  endgenerate

  // The request picked: its queue and position, and the requests of its line in front of it.
  logic [QueueIW-1:0] x_index;
  logic [SlotW-1:0]   x_head;
  logic [SlotW:0]     x_offset;
  logic [UsedW-1:0]   x_before;
  logic [QueueW-1:0]  x_held;
  logic [BankW-1:0]   x_turn;
  always_comb begin
    x_index  = QueueIW'(f_bank) * QueueIW'(Queues) + QueueIW'(w_queue);
    x_head   = (Entries > 1) ? head_q[x_index] : '0;
    x_offset = (w_slot >= x_head) ? (SlotW+1)'(w_slot - x_head) : (SlotW+1)'(w_slot) + (SlotW+1)'(Entries) - (SlotW+1)'(x_head);
    x_before = blocked_q[f_bank][w_queue] ? sum_line - UsedW'(count_q[x_index]) : '0;
    x_turn   = f_bank - bank_q;
    x_held   = (hold_queue_q >= turn_q[f_bank]) ? hold_queue_q - turn_q[f_bank] : hold_queue_q - turn_q[f_bank] + QueueW'(Queues);
    if (f_live && rst_ni) begin
      x_branch: assert (&x_branch_ok);
      if (hold_q) x_hold: assert ((valid_q[bank_q] & ~blocked_q[bank_q] & (Queues'(1) << hold_queue_q)) != '0);
      x_stalled: assert (g_stalled == hold_q);
      if (w_valid) begin
        x_where: assert (f_tag[w_queue] && x_offset < (SlotW+1)'(count_q[x_index]) && w_slot <= SlotW'(Entries - 1));
        x_what:  assert (info_q[EntryIW'(x_index) * EntryIW'(Entries) + EntryIW'(w_slot)] == w_info);
        x_ahead: assert (w_ahead == x_before + UsedW'(x_offset) && w_ahead < f_count);
        x_near:  assert (Patience == 0 || 17'(w_taken) + 17'(f_potential) < 17'(F_Bound));
      end
      if (out_valid_o) x_offered: assert (busy_q[bank_q]);
      // A queue filled during the offer may come first.
      if (Patience != 0 && w_valid && hold_q && bank_q == f_bank && served_q[f_bank] == ServedW'(Patience - 1) && f_distance < x_held)
        x_late: assert (w_taken == '0);
      if (busy_q[f_bank]) x_round: assert (g_passed + (BankW+1)'(x_turn) < (BankW+1)'(Banks));
      if (!busy_q[f_bank]) x_rest: assert (g_passed == '0);
    end
  end
`endif
`endif
