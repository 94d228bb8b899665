// SPDX-License-Identifier: Apache-2.0
// Formal properties of cap, proved by `make formal BLOCK=cap`; included at the end of mt_cap.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_CAP_PROPERTIES
  logic f_live;                                // a reset has occurred

  // An arbitrary chunk, an arbitrary requested migration, and the current fault.
  (* anyconst *) logic [ChunkW-1:0] f_chunk;
  (* anyseq *)   logic              f_pick;
  logic               w_valid, w_ahead, w_demand;
  logic [ChunkW-1:0]  w_chunk;
  logic [15:0]        w_pages;
  logic [AllocW-1:0]  w_alloc;
  logic [CountW-1:0]  g_avail;                 // Mavail when it was accepted
  logic               g_seen;                  // the chunk was looked up in this window
  logic [2:0]         g_waiting;               // requests for it that have not been accepted
  logic [31:0]        g_total_asked, g_faults;
  logic               g_looking, g_stalled;    // in the last cycle: the residency lookup stalled; a migration stalled
  logic [ChunkW-1:0]  g_look_chunk, g_req_chunk, g_first, g_last;
  logic [15:0]        g_req_pages;
  logic [AllocW-1:0]  g_req_alloc;

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  logic f_push, f_pop, f_look;
  assign f_look = look_valid_o & look_ready_i & (look_chunk_o == f_chunk);
  assign f_push = push & (chunk_q == f_chunk);
  assign f_pop  = req_valid_o & req_ready_i & (req_chunk_o == f_chunk);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live        <= 1'b1;
      w_valid       <= 1'b0;
      g_seen        <= 1'b0;
      g_waiting     <= '0;
      g_total_asked <= '0;
      g_faults      <= '0;
      g_looking     <= 1'b0;
      g_stalled     <= 1'b0;
    end else begin
      if (start) g_avail <= avail_pages_i;
      if (win_valid_o) begin
        g_seen  <= 1'b0;
        g_first <= win_first_o;
        g_last  <= win_last_o;
      end
      if (f_look) g_seen <= 1'b1;
      if (w_valid && pop) begin
        w_valid <= w_ahead;
        w_ahead <= 1'b0;
      end
      if (push && f_pick && !w_valid) begin
        w_valid  <= 1'b1;
        w_ahead  <= place;
        w_chunk  <= look_chunk_o;
        w_pages  <= absent;
        w_alloc  <= alloc_q;
        w_demand <= demand;
      end
      g_waiting     <= g_waiting + 3'(f_push) - 3'(f_pop);
      g_total_asked <= g_total_asked + 32'(push && g_total_asked != '1);
      g_faults      <= g_faults + 32'(win_valid_o && g_faults != '1);
      g_looking     <= look_valid_o & ~look_ready_i;
      g_look_chunk  <= look_chunk_o;
      g_stalled     <= req_valid_o & ~req_ready_i;
      g_req_chunk   <= req_chunk_o;
      g_req_pages   <= req_pages_o;
      g_req_alloc   <= req_alloc_o;
    end
  end

  // Magg by its definition; Mavail * Mreq * CDen as a sum over the bits of Mavail, element k over the first k.
  localparam int F_W = 2 * CountW + 14;
  logic [F_W-1:0]    f_partial [CountW+1];
  logic [CountW+6:0] sum_pages;
  logic [F_W-1:0]    f_right, f_left;
  logic [5:0]        f_chunks;
  logic [1:0]        f_held;
  always_comb begin
    sum_pages = '0;
    for (int i = 0; i < Allocs; i++) sum_pages = sum_pages + (CountW+7)'(alloc_pages_q[i]);
    f_partial[0] = '0;
    for (int k = 0; k < CountW; k++) f_partial[k+1] = f_partial[k] + (g_avail[k] ? (F_W'(pages_q) * F_W'(CDen)) << k : '0);
    f_right  = f_partial[CountW];
    f_left   = F_W'(total_q) * F_W'(16 * CNum);
    f_chunks = 6'd1 << log_q;
    f_held   = 2'(count_q != '0 && req_chunk_q[0] == f_chunk) + 2'(count_q == 2'd2 && req_chunk_q[1] == f_chunk);
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // The counters are correct.
      p_total:  assert ((CountW+7)'(total_q) == sum_pages);
      p_asked:  assert (asked_q == g_total_asked);
      p_faults: assert (faults_q == g_faults);
      if (win_valid_o) begin
        // The window size fits or is the smallest; the next size does not fit, exceeds Mreq, or does not exist.
        if (!over_q) begin
          p_fits:    assert (log_q == '0 || (f_left << log_q) <= f_right);
          p_mreq:    assert (log_q == '0 || (32'(f_chunks) << 4) <= 32'(pages_q));
          p_largest: assert (log_q == 3'(MaxLog) || (32'(f_chunks) << 5) > 32'(pages_q) ||
                             ((f_left << 1) << log_q) > f_right);
        end else begin
          p_over: assert (log_q == 3'(OverLog));
        end
        // The window contains the fault, lies in its allocation and in the aligned granule.
        p_around:  assert (win_first_o <= fault_chunk && fault_chunk <= win_last_o);
        p_aligned: assert ((win_first_o >> log_q) == (fault_chunk >> log_q) && (win_last_o >> log_q) == (fault_chunk >> log_q));
        p_clipped: assert (win_first_o >= base_q && win_last_o <= last_q);
        // It covers the whole intersection of granule and allocation.
        if ((f_chunk >> log_q) == (fault_chunk >> log_q) && f_chunk >= base_q && f_chunk <= last_q)
          p_all: assert (win_first_o <= f_chunk && f_chunk <= win_last_o);
      end
      // Every chunk of the window is looked up exactly once, and no other chunk is.
      if (f_look) p_once: assert (!g_seen && g_first <= f_chunk && f_chunk <= g_last);
      if (step && chunk_q == end_q && g_first <= f_chunk && f_chunk <= g_last) p_every: assert (g_seen || f_look);
      // A migration is requested for absent pages only; always if they are in the chunk of the fault.
      if (push) p_absent: assert (absent != '0 && (absent & look_resident_i) == '0);
      if (step && demand && absent != '0) p_demand: assert (push);
      if (step && FirstPage == 0 && absent != '0) p_each: assert (push);
      // No migration is lost or invented; a stalled one is held.
      p_waiting: assert (g_waiting == 3'(f_held));
      if (w_valid && pop && !w_ahead)
        p_same: assert (req_chunk_o == w_chunk && req_pages_o == w_pages && req_alloc_o == w_alloc && req_demand_o == w_demand);
      if (g_looking) p_look_stands: assert (look_valid_o && look_chunk_o == g_look_chunk);
      if (g_stalled) p_req_stands: assert (req_valid_o && req_chunk_o == g_req_chunk && req_pages_o == g_req_pages && req_alloc_o == g_req_alloc);
      // No allocation changes while a migration waits.
      if (alloc_valid_i && alloc_ready_o) p_quiet: assert (!req_valid_o && state_q == Idle);
    end
  end

`ifdef FORMAL_AUX
  logic [4:0] x_bits;           // bits of Mavail that have been multiplied
  always @(posedge clk_i) x_bits <= (state_q == Multiply) ? x_bits + 5'd1 : '0;
  logic [31:0] x_product_ok;
  always_comb begin
    x_product_ok = '0;
    for (int k = 0; k <= CountW; k++)
      x_product_ok[k] = F_W'(sum_q) == f_partial[k] && left_q == g_avail >> k && term_q == (ProductW'(pages_q) * ProductW'(CDen)) << k;
    if (f_live && rst_ni) begin
      x_state: assert (state_q <= Walk && count_q <= 2'd2);
      if (state_q == Scale) x_avail: assert (left_q == g_avail && x_bits == '0);
      if (state_q == Multiply) x_product: assert (x_product_ok[x_bits] && x_bits <= 5'(CountW));
      if (state_q == Choose || (state_q == Window && !over_q)) begin
        x_sum:    assert (F_W'(sum_q) == f_right);
        x_limit_: assert (F_W'(limit_q) == f_left << log_q);
      end
      if (state_q == Multiply) x_start: assert (F_W'(limit_q) == f_left << MaxLog && log_q == 3'(MaxLog));
      if (state_q == Choose || (state_q == Window && !over_q)) begin
        x_log:   assert (log_q <= 3'(MaxLog));
        x_above: assert (log_q == 3'(MaxLog) || (32'(f_chunks) << 5) > 32'(pages_q) || ((f_left << 1) << log_q) > f_right);
      end
      if (state_q == Window && !over_q) x_chosen: assert (log_q == '0 || ((f_left << log_q) <= f_right && (pages_q >> 4) >> log_q != '0));
      if (state_q == Window && over_q) x_over: assert (log_q == 3'(OverLog));
      if (state_q == Multiply || state_q == Choose) x_not_over: assert (!over_q);
      if (state_q == Walk) begin
        x_walk: assert (g_first <= chunk_q && chunk_q <= g_last && end_q == g_last);
        x_seen: assert (g_seen == (g_first <= f_chunk && f_chunk < chunk_q));
      end
      if (w_valid) begin
        x_there: assert (count_q > 2'(w_ahead));
        x_same:  assert (req_chunk_q[w_ahead] == w_chunk && req_pages_q[w_ahead] == w_pages &&
                         req_alloc_q[w_ahead] == w_alloc && req_demand_q[w_ahead] == w_demand);
      end
    end
  end
`endif
`endif
