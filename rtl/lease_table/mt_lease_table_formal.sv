// SPDX-License-Identifier: Apache-2.0
// Formal properties of lease_table, proved by `make formal BLOCK=lease_table`; included at the end of mt_lease_table.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_LEASE_TABLE_PROPERTIES
  logic f_live;                                // a reset has occurred

  // An arbitrary page, tracked from its commands and accesses alone.
  (* anyconst *) logic [PageW-1:0] f_page;
  logic              g_resident;
  logic [LeaseW-1:0] g_left;                   // accesses left
  logic              g_due;                    // its expiry has been neither taken nor withdrawn
  logic [HeldW-1:0]  g_held;                   // migrations less evictions
  logic [31:0]       g_expired;
  logic              g_stalled;                // in the last cycle, an expiry stalled
  logic [PageW-1:0]  g_stalled_page;

  logic f_here, f_told, f_expire;
  logic [LeaseW-1:0] f_given;
  assign f_here   = page == f_page;
  assign f_told   = exp_valid_o & exp_ready_i & (exp_page_o == f_page);
  assign f_expire = acc & f_here & there & g_resident & (g_left == LeaseW'(1));
  assign f_given  = (cmd_op_i == Recall) ? cmd_lease_i / 2 : cmd_lease_i;

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume (f_page < (PageW+1)'(Pages));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live     <= 1'b1;
      g_resident <= 1'b0;
      g_left     <= '0;
      g_due      <= 1'b0;
      g_held     <= '0;
      g_expired  <= '0;
      g_stalled  <= 1'b0;
    end else begin
      if (f_here && (migrate || recall)) g_left <= (f_given == '0) ? LeaseW'(1) : f_given;
      if (f_here && migrate) g_resident <= 1'b1;
      if (f_here && evict) begin
        g_resident <= 1'b0;
        g_left     <= '0;
      end
      if (acc && f_here && there && g_left != '0) g_left <= g_left - LeaseW'(1);
      if (f_told || (f_here && (evict || recall || acc_expired_o))) g_due <= 1'b0;
      if (f_expire) g_due <= 1'b1;
      g_held         <= g_held + HeldW'(migrate) - HeldW'(evict);
      g_expired      <= g_expired + 32'(expire && g_expired != '1);
      g_stalled      <= exp_valid_o & ~exp_ready_i & ~(acc_expired_o & (page == exp_page_o));
      g_stalled_page <= exp_page_o;
    end
  end

  logic [HeldW-1:0]  sum_resident;
  logic [CountW-1:0] f_waiting;                // expiries of the page in the queue
  always_comb begin
    sum_resident = '0;
    for (int i = 0; i < Pages; i++) sum_resident = sum_resident + HeldW'(page_q[i][LeaseW] && (ready_q || sweep_q > PageW'(i)));
    f_waiting = '0;
    for (int i = 0; i < Events; i++)
      f_waiting = f_waiting + CountW'(count_q > CountW'(i) && live_q[i] && exp_q[i] == f_page);
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // The resident count is migrations less evictions, and that of the table; the count of expiries is correct.
      p_held:    assert (resident_q == g_held && resident_q == sum_resident);
      p_expired: assert (expired_q == g_expired);
      // Any page is resident from its migration to its eviction; its remaining lease is the lease given less its accesses.
      if (ready_q) p_word: assert (page_q[f_page] == {g_resident, g_left});
      // No expiry is lost, duplicated or invented: the page is queued exactly once while its expiry is due.
      p_due: assert (f_waiting == CountW'(g_due));
      if (f_told) p_told: assert (g_due);
      // An offered page is resident and its lease has expired; it is not evicted, recalled or migrated in that cycle.
      if (exp_valid_o && exp_page_o == f_page)
        p_true: assert (g_resident && g_left == '0 && !(f_here && (evict || recall || migrate)));
      // A stalled expiry is held, unless its page is evicted, recalled or accessed.
      if (g_stalled && !((evict || recall) && page == g_stalled_page)) p_stable: assert (exp_valid_o && exp_page_o == g_stalled_page);
      // acc_expired_o is 1 if and only if the lease was used up before this access.
      if (acc && f_here && there) p_expired_then: assert (acc_expired_o == (g_resident && g_left == '0) && acc_done_o == g_resident);
      // A refused request changes no page and no expiry, and raises an error; an accepted one raises none.
      if (cmd || acc) p_done: assert ((cmd_done_o || acc_done_o) != (bad || bad_resident || bad_absent));
      if (bad || bad_resident || bad_absent)
        p_refused: assert (!(migrate || evict || recall || access || acc_expired_o) && kept == live_q);
      // Expiries never stall a command.
      if (cmd_valid_i && ready_q) p_command: assert (cmd_ready_o);
    end
  end

`ifdef FORMAL_AUX
  logic [Pages-1:0]  x_cleared;
  logic [Events-1:0] x_used;
  always_comb begin
    for (int i = 0; i < Pages; i++) x_cleared[i] = ready_q || sweep_q <= PageW'(i) || page_q[i] == '0;
    for (int i = 0; i < Events; i++) x_used[i] = count_q > CountW'(i) || !live_q[i];
    if (f_live && rst_ni) begin
      x_sweep:   assert ({1'b0, sweep_q} < (PageW+1)'(Pages) && (&x_cleared));
      x_queue:   assert (count_q <= CountW'(Events) && (&x_used));
      x_start:   assert (ready_q || (count_q == '0 && resident_q == '0 && !g_resident && g_left == '0));
      x_due:     assert (!g_due || (g_resident && g_left == '0));
      x_absent:  assert (g_resident || g_left == '0);
      x_stalled: assert (!g_stalled || (count_q != '0 && live_q[0] && exp_q[0] == g_stalled_page));
    end
  end
`endif
`endif
