// SPDX-License-Identifier: Apache-2.0
// Formal properties of qbmi, proved by `make formal BLOCK=qbmi`; included at the end of mt_qbmi.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_QBMI_PROPERTIES
  localparam int FW       = 24;
  localparam int Turns    = (Rbmi != 0 || QuotaW == 1) ? 1 : 0;
  // Upper bounds: a quota of a set, a quota after a refill, and that of a kernel that had used up its quota.
  localparam int End      = (1 << QuotaW) - 1;
  localparam int SetMost  = (Kernels == 2) ? 32 : (1 << SetW) - 1;
  localparam int Most     = (End < (Carry + 1) * SetMost) ? End : (Carry + 1) * SetMost;
  localparam int NewMost  = (End < SetMost) ? End : SetMost;
  // Instructions that others issue while one kernel keeps requesting: all of their remaining quotas but the last of
  // each; the one that uses up a quota; and all but the last of their quotas after the refill.
  localparam int Then     = NewMost - 1 + (Kernels - 2) * (Most - 1);
  localparam int WaitMost = (Turns != 0) ? Kernels - 1 : (Kernels - 1) * (Most - 1) + 1 + Then;

  logic          f_live;       // a reset has occurred
  logic [FW-1:0] f_waited;     // instructions issued while kernel f_w requested, was present and was not granted
  logic [ReqW:0] f_requests;   // of f_w in its interval
  logic [ReqW:0] f_minst;      // its instructions; one bit wider than in the block, saturates

  // An arbitrary kernel.
  (* anyconst *) logic [Kernels-1:0] f_w;
  logic f_asks, f_issued, f_obeyed, f_gone, f_ends, f_accepted;
  assign f_asks     = |(f_w & asks);
  assign f_issued   = |(f_w & issued);
  assign f_accepted = |(f_w & accepted);
  assign f_ends     = |(f_w & ends);
  assign f_gone     = |(f_w & gone);
  assign f_obeyed   = !issue_valid_i || (|(issued & winner));

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume (f_w != '0 && (f_w & (f_w - Kernels'(1))) == '0);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live     <= 1'b1;
      f_waited   <= '0;
      f_requests <= '0;
      f_minst    <= '0;
    end else begin
      if (!f_asks || f_issued || kernels_valid_i || !f_obeyed) f_waited <= '0;
      else f_waited <= f_waited + FW'(issue_valid_i);
      f_requests <= (f_gone || f_ends) ? '0 : f_requests + (ReqW + 1)'(f_accepted);
      f_minst    <= (f_gone || f_ends) ? '0 : f_minst + (ReqW + 1)'(f_issued && !(&f_minst));
    end
  end

  // State of kernel f_w, and checks of all kernels.
  logic [QuotaW-1:0] w_quota;
  logic [ReqW-1:0]   w_req, w_minst;
  logic [Kernels-1:0] smaller, has, fine, within, f_leaves_empty;
  always_comb begin
    w_quota = '0;
    w_req   = '0;
    w_minst = '0;
    for (int i = 0; i < Kernels; i++) begin
      w_quota    = w_quota | (quota_q[i] & {QuotaW{f_w[i]}});
      w_req      = w_req | (req_q[i] & {ReqW{f_w[i]}});
      w_minst    = w_minst | (minst_q[i] & {ReqW{f_w[i]}});
    end
    for (int i = 0; i < Kernels; i++) begin
      has[i]     = (quota_q[i] != '0) == present_q[i];
      fine[i]    = ratio_q[i] >= 6'd1 && ratio_q[i] <= 6'd32 && set_q[i] != '0;
      within[i]  = FW'(quota_q[i]) <= FW'(Most);
      smaller[i] = quota_q[i] <= w_quota;
      f_leaves_empty[i] = present_d[i] && (quota_q[i] == '0 || (quota_q[i] == QuotaW'(1) && issued[i]));
    end
  end
  // Req/Minst to nearest: minst (2r - 1) <= 2 * 2^ReqW < minst (2r + 1), except where it saturates at 1 and 32.
  logic [FW-1:0] below, above;
  assign below = FW'(minst_ends) * (FW'(ratio) * FW'(2) - FW'(1));
  assign above = FW'(minst_ends) * (FW'(ratio) * FW'(2) + FW'(1));

  always_comb begin
    if (f_live && rst_ni) begin
      p_grant:     assert (grant_valid_o == (|(ask_i & present_q)));
      p_one:       assert ((winner & (winner - Kernels'(1))) == '0 && (|winner) == grant_valid_o);
      p_asked:     assert ((winner & ~(ask_i & present_q)) == '0);
      if (Rbmi == 0 && (f_w & winner) != '0) p_largest: assert ((asks & ~smaller) == '0);
      // No starvation.
      p_no_starve: assert (f_waited <= FW'(WaitMost));
      if (Rbmi == 0) begin
        p_quotas:    assert (&has);
        p_ranges:    assert (&fine);
        p_most:      assert (&within);
        p_refill:    assert (refill_o == ((|f_leaves_empty) && ((|issued) || kernels_valid_i)));
        p_requests:  assert (f_requests == {1'b0, w_req});
        p_minst:     assert (w_minst == (f_minst[ReqW] ? {ReqW{1'b1}} : f_minst[ReqW-1:0]));
        p_interval:  assert (f_ends == (f_accepted && f_requests == (ReqW + 1)'((1 << ReqW) - 1)));
        if (|ends) begin
          p_ratio_low:  assert (ratio == 6'd1 || below <= FW'(2 << ReqW));
          p_ratio_high: assert (ratio == 6'd32 || above > FW'(2 << ReqW));
        end
      end
    end
  end

  // The set follows the paper's formula: equal requests for all kernels, and no common prime factor of all quotas.  This is
  // proved for two kernels; for three and four the products are too large for the solvers (tests/blocks enumerates them).
  generate
    if (Rbmi == 0) begin : g_formula
      localparam int ProductW = SetW + 6;
      logic [Kernels*ProductW-1:0] requests;
      logic [10:0]                 common;
      logic [Kernels-1:0]          same, pays, adds;
      for (genvar i = 0; i < Kernels; i++) begin : g_requests
        assign requests[i*ProductW +: ProductW] = ProductW'(set_q[i]) * ProductW'(ratio_q[i]);
        assign same[i] = requests[i*ProductW +: ProductW] == requests[0 +: ProductW];
      end
      // An issue costs one; a refill adds a set to at most Carry sets of remaining quota; a quota does not wrap.
      for (genvar i = 0; i < Kernels; i++) begin : g_pays
        logic [SumW-1:0] next, paid, sets;
        assign next    = SumW'(g_kernel[i].quota_d);
        assign paid    = SumW'(quota_q[i]) - SumW'(issued[i]);
        assign sets    = SumW'(set_q[i]) * SumW'(Carry + 1);
        assign pays[i] = gone[i] | !present_d[i] | refill | (next == paid);
        assign adds[i] = gone[i] | !present_d[i] | !refill | (next <= sets && next == QuotaMax) | (next == sets) |
                         (next < sets && next == paid + SumW'(set_q[i]));
      end
      for (genvar k = 0; k < 11; k++) begin : g_prime
        localparam int Prime = (k == 0) ? 2 : (k == 1) ? 3 : (k == 2) ? 5 : (k == 3) ? 7 : (k == 4) ? 11 : (k == 5) ? 13 :
                               (k == 6) ? 17 : (k == 7) ? 19 : (k == 8) ? 23 : (k == 9) ? 29 : 31;
        logic [Kernels-1:0] divided;
        for (genvar i = 0; i < Kernels; i++) begin : g_quota
          assign divided[i] = set_q[i] % SetW'(Prime) == '0;
        end
        assign common[k] = &divided;
      end
      always_comb begin
        if (f_live && rst_ni) begin
          p_pays: assert (&pays);
          p_adds: assert (&adds);
          if (!busy_q && Kernels == 2) begin
            p_balanced: assert (&same);
            p_least:    assert (common == '0);
          end
        end
      end
    end
  endgenerate

`ifdef FORMAL_AUX
  // The set after each step, for the ratios present.
  generate
    if (Rbmi == 0 && Kernels == 2) begin : g_x
      logic [18*Kernels-1:0] x_divides;
      logic [18*5-1:0]       x_prime;
      logic [Kernels-1:0]    acc_right, set_right, set_small;
      for (genvar s = 0; s < 18; s++) begin : g_step
        mt_qbmi_step #(.Kernels(Kernels)) u_x_step (
          .step_i    (5'(s)),
          .number_i  (number),
          .prime_o   (x_prime[s*5 +: 5]),
          .divides_o (x_divides[s*Kernels +: Kernels])
        );
      end
      for (genvar i = 0; i < Kernels; i++) begin : g_set
        logic [19*SetW-1:0] part;
        logic [SetW-1:0]    so_far;
        assign part[SetW-1:0] = SetW'(1);
        for (genvar s = 0; s < 18; s++) begin : g_part
          assign part[(s+1)*SetW +: SetW] =
              ((|x_divides[s*Kernels +: Kernels]) && !x_divides[s*Kernels+i]) ?
              SetW'(part[s*SetW +: SetW] * SetW'(x_prime[s*5 +: 5])) : part[s*SetW +: SetW];
        end
        always_comb begin
          so_far = '0;
          for (int s = 0; s < 18; s++) if (step_q == 5'(s)) so_far = part[s*SetW +: SetW];
        end
        assign acc_right[i] = acc_q[i] == so_far;
        assign set_right[i] = set_q[i] == part[18*SetW +: SetW];
        assign set_small[i] = set_q[i] <= SetW'(SetMost);
      end
      always_comb begin
        if (f_live && rst_ni) begin
          if (busy_q) x_acc: assert (step_q <= LastStep && (&acc_right));
          else x_set: assert (&set_right);
          x_set_most: assert (&set_small);
        end
      end
    end
  endgenerate

  // Without it: no quota of a set is 0.  The steps of 2 come first and are fewer than the bits, and an odd
  // factor never turns a nonzero value into 0.
  generate
    if (Rbmi == 0 && Kernels != 2) begin : g_x_not_0
      logic [Kernels-1:0] not_0;
      for (genvar i = 0; i < Kernels; i++) begin : g_kernel
        assign not_0[i] = (acc_q[i] != '0) && set_q[i] != '0 &&
                          (step_q > 5'd5 || ((acc_q[i] & (acc_q[i] - SetW'(1))) == '0 && (acc_q[i] >> step_q) <= SetW'(1)));
      end
      always_comb begin
        if (f_live && rst_ni) begin
          x_not_0: assert (&not_0);
          if (busy_q) x_step: assert (step_q <= LastStep);
        end
      end
    end
  endgenerate

  // Upper bound of the instructions of others before kernel f_w is granted.  Each issue lowers it by one: a
  // kernel that precedes f_w has at least as much quota.  With more than 1 left for f_w, none reaches 0 before; with
  // 1 left, one may, which triggers a refill, and then f_w has more than 1.
  logic [FW-1:0] x_more, x_turns;
  always_comb begin
    x_more  = '0;
    x_turns = '0;
    for (int i = 0; i < Kernels; i++) begin
      if (!f_w[i] && present_q[i]) begin
        if (w_quota == QuotaW'(1)) x_more = x_more + FW'(quota_q[i]) - FW'(1);
        else if (quota_q[i] >= w_quota) x_more = x_more + FW'(quota_q[i]) - FW'(w_quota) + FW'(1);
      end
      // Round-robin turns from the kernel behind last_q to f_w.
      if (f_w[i]) x_turns = (FW'(last_q) < FW'(i)) ? FW'(i) - FW'(last_q) - FW'(1) : FW'(Kernels - 1) - FW'(last_q) + FW'(i);
    end
    if (w_quota == QuotaW'(1)) x_more = x_more + FW'(1 + Then);
  end
  always_comb begin
    if (f_live && rst_ni) begin
      x_last: assert (FW'(last_q) < FW'(Kernels));
      if (|(f_w & present_q)) x_wait: assert (f_waited + ((Turns != 0) ? x_turns : x_more) <= FW'(WaitMost));
      else x_not_here: assert (f_waited == '0);
    end
  end
`endif
`endif
