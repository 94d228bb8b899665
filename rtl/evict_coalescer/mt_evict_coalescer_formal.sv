// SPDX-License-Identifier: Apache-2.0
// Formal properties of evict_coalescer, proved by `make formal BLOCK=evict_coalescer`; included at the end of mt_evict_coalescer.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_EVICT_COALESCER_PROPERTIES
  logic f_live;                                // a reset has occurred

  // An arbitrary block, tracked from the ports alone.
  (* anyconst *) logic [BlockW-1:0] f_block;
  logic [15:0]       g_pages;                  // its pages that have expired and were not evicted, recalled or cleared since
  logic [15:0]       g_recall;                 // its pages that wait to be recalled
  logic [CountW:0]   g_handed;                 // entries evicted since memory pressure was signalled
  logic [31:0]       g_evicted;
  logic              g_error;

  // Yosys also elaborates the default of 256 entries before it sets the parameters of the run: logic over all pairs of entries
  // is left out there.  No run has as many.
  localparam int Seen = (Entries > 16) ? 1 : Entries;

  // Update order: entries in use that were updated before this one.
  (* mem2reg *)
  logic [UsedW-1:0]  g_rank [Seen];

  logic [15:0]       f_exp_bit, f_acc_bit, f_clear_bit;   // of the pages of this block that arrive in this cycle
  logic              f_revoke, f_evict, f_recall;
  assign f_exp_bit   = (exp_valid_i && exp_ready_o && exp_page_i[PageW-1:4] == f_block) ? 16'd1 << exp_page_i[3:0] : '0;
  assign f_acc_bit   = (acc_valid_i && acc_ready_o && acc_page_i[PageW-1:4] == f_block) ? 16'd1 << acc_page_i[3:0] : '0;
  assign f_clear_bit = (clear_valid_i && clear_page_i[PageW-1:4] == f_block) ? 16'd1 << clear_page_i[3:0] : '0;
  assign f_revoke    = (f_acc_bit & g_pages) != '0 || (f_acc_bit != '0 && acc_expired_i);
  assign f_evict     = evict_valid_o & evict_ready_i & (evict_block_o == f_block);
  assign f_recall    = recall_valid_o & recall_ready_i & (recall_block_o == f_block);

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      g_pages   <= '0;
      g_recall  <= '0;
      g_handed  <= '0;
      g_evicted <= '0;
      g_error   <= 1'b0;
    end else begin
      g_pages  <= (f_revoke || f_evict) ? '0 : (g_pages | f_exp_bit) & ~f_clear_bit;
      g_recall <= f_revoke ? g_pages | f_acc_bit : f_recall ? '0 : g_recall & ~f_clear_bit;
      if (press_valid_i && press_ready_o) g_handed <= '0;
      else if (evict_valid_o && evict_ready_i && evict_why_o) g_handed <= g_handed + (CountW+1)'(1);
      if (evict_valid_o && evict_ready_i && g_evicted != '1) g_evicted <= g_evicted + 32'd1;
      g_error <= g_error | exp_bad;
    end
    for (int i = 0; i < Seen; i++) begin
      if ((freed || update) && g_rank[i] > g_rank[entry]) g_rank[i] <= g_rank[i] - UsedW'(1);
      if (update && entry == IndexW'(i)) g_rank[i] <= used_q - UsedW'(1);
      if (add && entry == IndexW'(i)) g_rank[i] <= used_q;
    end
  end

  // The entries of the block.
  logic [15:0]       f_table;
  logic [UsedW-1:0]  f_entries, sum_used;      // entries of the block; entries in use
  logic              f_oldest;                 // the block has the least recently updated entry
  always_comb begin
    f_table   = '0;
    f_entries = '0;
    sum_used  = '0;
    f_oldest  = 1'b0;
    for (int i = 0; i < Seen; i++) begin
      sum_used = sum_used + UsedW'(used[i]);
      if (used[i] && block_q[i] == f_block) begin
        f_table   = f_table | pages_q[i];
        f_entries = f_entries + UsedW'(1);
        f_oldest  = f_oldest | (g_rank[i] == '0);
      end
    end
  end

  // The list links all entries in use in update order, in both directions.
  logic [Seen-1:0]   f_forth, f_back;
  always_comb begin
    for (int i = 0; i < Seen; i++) begin
      f_forth[i] = !used[i] || g_rank[i] + UsedW'(1) == used_q || (used[next_q[i]] && g_rank[next_q[i]] == g_rank[i] + UsedW'(1));
      f_back[i]  = !used[i] || g_rank[i] == '0 || (used[prev_q[i]] && g_rank[prev_q[i]] == g_rank[i] - UsedW'(1));
    end
  end

  logic f_waits;                               // the page that waits for an entry is one of the block
  assign f_waits = pend_q & (pend_page_q[PageW-1:4] == f_block);

  always_comb begin
    if (f_live && rst_ni) begin
      p_used: assert (used_q == sum_used);
      // A block has at most one entry, and none while a page of it waits for one: no page is stored twice.
      p_one: assert (f_entries + UsedW'(f_waits) <= UsedW'(1));
      // No page is lost or invented: an expired page is kept until it is evicted, recalled or cleared.
      p_kept: assert ((f_table | (f_waits ? 16'd1 << pend_page_q[3:0] : '0)) == g_pages);
      if (evict_valid_o && evict_block_o == f_block) p_evict: assert (evict_pages_o == g_pages && g_pages != '0);
      p_recall: assert ((recall_block_q == f_block ? recall_pages_q : '0) == g_recall);
      if (f_recall) p_recall_out: assert (recall_pages_o == (g_recall & ~f_clear_bit));
      // The least recently updated entry is offered; the list has the entries in use in update order.
      if (evict_valid_o && evict_block_o == f_block) p_oldest: assert (f_oldest);
      if (used_q != '0)
        p_ends: assert (used[head_q] && g_rank[head_q] == '0 && used[tail_q] && g_rank[tail_q] == used_q - UsedW'(1));
      p_list: assert ((&f_forth) && (&f_back));
      // A revoked entry is not evicted in that cycle; a cleared page is neither evicted nor recalled in it.
      if (f_revoke && g_pages != '0) p_revoked: assert (!evict_valid_o);
      p_cleared: assert ((f_clear_bit & ((evict_valid_o && evict_block_o == f_block) ? evict_pages_o : '0)) == '0
                         && (f_clear_bit & ((recall_valid_o && recall_block_o == f_block) ? recall_pages_o : '0)) == '0);
      // An eviction has a reason: a page waits and the table is full, or memory is over-subscribed.
      if (evict_valid_o && !evict_why_o) p_full: assert (pend_q && used_q == UsedW'(Entries));
      if (evict_valid_o && evict_why_o) p_pressure: assert (press_q && g_handed < (CountW+1)'(Batch));
      if (press_done_o)
        p_batch: assert ({1'b0, press_count_o} == g_handed && (g_handed == (CountW+1)'(Batch) || used_q == '0));
      // A stalled eviction never stalls an access, a clear, or a new pressure request.
      if (!clear_valid_i && !exp_ready_o && recall_pages_q == '0) p_access: assert (acc_ready_o && clear_ready_o);
      p_evicted: assert (evicted_q == g_evicted);
      // A page that expires twice raises the error and changes nothing else.
      if (f_exp_bit != '0) p_twice: assert (exp_bad == ((g_pages & f_exp_bit) != '0) && (!exp_bad || (!we && !pend_d)));
      p_error: assert (error_q == g_error);
    end
  end

`ifdef FORMAL_AUX
  logic [Seen-1:0] x_apart;
  always_comb begin
    for (int i = 0; i < Seen; i++) begin
      x_apart[i] = !used[i] || g_rank[i] < used_q;
      for (int j = 0; j < Seen; j++)
        if (i != j && used[i] && used[j]) x_apart[i] = x_apart[i] && g_rank[i] != g_rank[j] && block_q[i] != block_q[j];
      if (used[i] && pend_q) x_apart[i] = x_apart[i] && block_q[i] != pend_page_q[PageW-1:4];
    end
    if (f_live && rst_ni) begin
      x_ranks: assert (&x_apart);
      x_room:  assert (used_q <= UsedW'(Entries));
      x_count: assert (!press_q || ({1'b0, count_q} == g_handed && count_q <= CountW'(Batch)));
    end
  end
`endif
`endif
