// SPDX-License-Identifier: Apache-2.0
// Formal properties of lease_sampler, proved by `make formal BLOCK=lease_sampler`; included at the end of mt_lease_sampler.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_LEASE_SAMPLER_PROPERTIES
  logic f_live;                                // a reset has occurred

  // An arbitrary block of an arbitrary group, tracked from its accesses alone.
  (* anyconst *) logic [GroupW-1:0] f_group;
  (* anyconst *) logic [BlockW-1:0] f_block;
  logic              g_held;                   // it has an entry
  logic [CountW-1:0] g_count;                  // accesses to it
  logic [15:0]       g_tag;                    // its pages that were accessed
  logic              g_due;                    // its group had an entry in this period, and got no lease for it yet
  logic              g_known;                  // the lease of the group, from upd_*
  logic [LeaseW-1:0] g_lease;
  logic [DivideW-1:0] g_dividend;              // the dividend
  logic [31:0]       g_ignored, g_samples;
  logic [CycleW-1:0] g_cycle;                  // cycles since the reset, modulo the period

  logic f_access, f_mine, f_forget, f_told, f_taken;
  assign f_forget = forget_valid_i & (forget_group_i == f_group);
  assign f_mine   = acc_valid_i & (g_cycle < CycleW'(Duty)) & (acc_group_i == f_group) & ~f_forget;
  assign f_access = f_mine & (acc_page_i[PageW-1:4] == f_block);
  assign f_told   = upd_valid_o & (upd_group_o == f_group);

  logic [NW-1:0]      used, found;             // entries in use; those of the block
  logic               f_any, f_of_work, f_same, f_sound;
  logic [Groups-1:0]  waiting;                 // groups with an entry, except the current one
  always_comb begin
    used      = '0;
    found     = '0;
    f_any     = 1'b0;
    f_of_work = 1'b0;
    f_same    = 1'b1;
    f_sound   = 1'b1;
    f_taken   = 1'b0;
    waiting   = '0;
    for (int i = 0; i < Entries; i++) begin
      used      = used + NW'(valid_q[i]);
      f_any     = f_any | (valid_q[i] && group_q[i] == f_group);
      f_of_work = f_of_work | (valid_q[i] && group_q[i] == work_q);
      f_sound   = f_sound & (!valid_q[i] || ({1'b0, group_q[i]} < (GroupW+1)'(Groups) && count_q[i] != '0 && tag_q[i] != '0));
      if (valid_q[i] && group_q[i] == f_group && block_q[i] == f_block) begin
        found   = found + NW'(1);
        f_same  = f_same & (count_q[i] == g_count) & (tag_q[i] == g_tag);
        f_taken = f_taken | taken[i];
      end
      for (int g = 0; g < Groups; g++)
        waiting[g] = waiting[g] | (valid_q[i] && group_q[i] == GroupW'(g) && (state_q == Rest || work_q != GroupW'(g)));
    end
  end

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume ({1'b0, f_group} < (GroupW+1)'(Groups));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      g_held    <= 1'b0;
      g_due     <= 1'b0;
      g_known   <= 1'b0;
      g_ignored <= '0;
      g_samples <= '0;
      g_cycle   <= '0;
    end else begin
      g_cycle <= (g_cycle == CycleW'(Period - 1)) ? '0 : g_cycle + CycleW'(1);
      if (f_access && g_held) begin
        g_count <= (g_count == '1) ? g_count : g_count + CountW'(1);
        g_tag   <= g_tag | (16'd1 << acc_page_i[3:0]);
      end
      if (f_access && !g_held && !(&valid)) begin
        g_held  <= 1'b1;
        g_count <= CountW'(1);
        g_tag   <= 16'd1 << acc_page_i[3:0];
      end
      // Its entry is freed when its group is forgotten or when its division starts.
      if (f_forget || f_taken) g_held <= 1'b0;
      if (f_mine && (|place)) g_due <= 1'b1;
      if (f_forget || f_told) g_due <= 1'b0;
      if (f_told) begin
        g_known <= 1'b1;
        g_lease <= upd_lease_o;
      end
      if (f_forget) g_known <= 1'b0;
      if (state_q == Entry || state_q == Scale) g_dividend <= quot_d;
      g_ignored <= g_ignored + 32'(full && g_ignored != '1);
      g_samples <= g_samples + 32'(upd_valid_o && g_samples != '1);
    end
  end

  // The division, without overflow: quotient * divisor.
  localparam int WideW = DivideW + DivisorW + 2;
  logic [DivideW-1:0] f_result;
  logic [WideW-1:0]   f_twice, f_product;
  assign f_result  = sum_d - ((phase_q == Pages) ? sum_q : '0);
  assign f_twice   = WideW'(g_dividend) << 1;
  assign f_product = (WideW'(f_result) * WideW'(divisor_q)) << 1;

  always_comb begin
    if (f_live && rst_ni) begin
      // Accesses are counted in D of S cycles; all divisions end, and all entries are freed, before the next period.
      p_cycle: assert (sampling_o == (g_cycle < CycleW'(Duty)));
      if (sampling_o) p_rest: assert (state_q == Rest);
      if (g_cycle == '0) p_clear: assert (valid_q == '0 && !g_held && !g_due);
      // Any block has at most one entry, with its accesses (saturating) and its pages.
      p_entry: assert (found == NW'(g_held) && f_same);
      // An access is ignored if and only if its block has no entry and none is free.
      if (f_access) p_full: assert (full == (!g_held && (&valid)));
      p_ignored: assert (ignored_q == g_ignored && samples_q == g_samples);
      // Any group that had an entry gets one lease in that period, unless it is forgotten; no other group gets one.
      p_due: assert (g_due == (f_any || (state_q != Rest && work_q == f_group)));
      if (f_told) p_told: assert (g_due && !f_forget);
      // A lookup returns the last update; a lease is never 0.
      if (look_group_i == f_group)
        p_look: assert (look_known_o == g_known && look_lease_o == (g_known ? g_lease : Initial) && look_lease_o != '0);
      // The weighted lease lies between the old one and the sample.
      if (f_told && g_known)
        p_between: assert (upd_lease_o >= ((got < g_lease) ? got : g_lease) && upd_lease_o <= ((got > g_lease) ? got : g_lease));
      if (f_told && !g_known) p_first: assert (upd_lease_o == got);
      // Every quotient is rounded to nearest; no division by 0.
      if (state_q == Round && !drop)
        p_nearest: assert (divisor_q != '0 && f_product <= f_twice + WideW'(divisor_q) && f_product + WideW'(divisor_q) >= f_twice);
    end
  end

`ifdef FORMAL_AUX
  // Cycles until all divisions end: each takes one to start, one per bit, and one to round.
  localparam int Division = DivideW + 2, OneGroup = 2 * Division + 2;
  logic [StepW:0]     x_bits;                  // bits of the quotient still missing
  logic [CycleW+1:0]  x_left, x_own;
  logic [DivideW-1:0] x_low;
  assign x_bits = (state_q == Divide) ? {1'b0, step_q} + (StepW+1)'(1) : '0;
  assign x_low  = quot_q & ~({DivideW{1'b1}} << (DivideW - 32'(x_bits)));
  always_comb begin
    x_own = (CycleW+2)'(x_bits) + (CycleW+2)'(1);
    case (state_q)
      Rest:    x_own = '0;
      Entry:   x_own = (CycleW+2)'(2 * Division + 1);
      Scale:   x_own = (CycleW+2)'(Division + 1);
      Update:  x_own = (CycleW+2)'(1);
      default: begin
        if (phase_q == Pages) x_own = x_own + (CycleW+2)'(2 * Division + 1);
        if (phase_q == Average) x_own = x_own + (CycleW+2)'(Division + 1);
        if (phase_q == Lease) x_own = x_own + (CycleW+2)'(1);
      end
    endcase
    x_left = x_own + (CycleW+2)'(used) * (CycleW+2)'(Division);
    for (int g = 0; g < Groups; g++) x_left = x_left + (waiting[g] ? (CycleW+2)'(OneGroup) : '0);
  end

  always_comb begin
    if (f_live && rst_ni) begin
      x_cycle: assert (cycle_q == g_cycle && {1'b0, cycle_q} < (CycleW+1)'(Period));
      x_sound: assert (f_sound);
      x_known: assert (g_known == known_q[f_group] && (!g_known || (g_lease == lease_q[f_group] && g_lease != '0)));
      if (!sampling_o) x_time: assert (x_left <= (CycleW+2)'(Period) - (CycleW+2)'(cycle_q));
      if (state_q != Rest) begin
        x_state: assert (state_q <= Update && {1'b0, work_q} < (GroupW+1)'(Groups));
        x_n:     assert ({1'b0, n_q} + {1'b0, used} <= (NW+1)'(Entries) && (n_q != '0 || (state_q == Entry && f_of_work)));
      end
      if (state_q == Divide || state_q == Round) begin
        x_step:  assert (phase_q <= Lease && (state_q == Round || {1'b0, step_q} < (StepW+1)'(DivideW)));
        x_rest:  assert (rest_q < divisor_q);
        x_high:  assert (x_bits == '0 || quot_q >> (DivideW - 32'(x_bits)) == (g_dividend & ~({DivideW{1'b1}} << x_bits)));
        x_low_:  assert (WideW'(x_low) * WideW'(divisor_q) + WideW'(rest_q) == WideW'(g_dividend >> x_bits));
      end
      if (state_q == Scale || state_q == Update || (state_q != Rest && state_q != Entry && phase_q != Pages))
        x_none: assert (!f_of_work);
    end
  end
`endif
`endif
