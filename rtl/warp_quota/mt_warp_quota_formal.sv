// SPDX-License-Identifier: Apache-2.0
// Formal properties of warp_quota, proved by `make formal BLOCK=warp_quota`; included at the end of mt_warp_quota.sv.
//
// No assumptions about the inputs; resets may occur at any time.
`ifdef MT_WARP_QUOTA_PROPERTIES
  localparam int FW = QuotaW + 4;

  logic          f_live;    // a reset has occurred
  logic [FW-1:0] f_spent;   // instructions of kernel f_w in this period that it was allowed
  logic [FW-1:0] f_given;   // its quota at the start of the period

  // An arbitrary kernel.
  (* anyconst *) logic [1:0] f_w;
  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume (32'(f_w) < Kernels);

  logic [QuotaW-1:0] w_left, w_set, w_next;
  logic [2:0]        w_debt, w_count, w_owed;
  logic              w_may, w_present;
  logic [Kernels-1:0] f_sets_right, f_left_right;
  logic [Kernels*QuotaW-1:0] f_next;
  logic [Kernels*3-1:0]      f_owed;

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_f
      assign f_next[i*QuotaW +: QuotaW] = g_kernel[i].fresh;
      assign f_owed[i*3 +: 3]           = g_kernel[i].debt;
      assign f_sets_right[i] = set_q[i] != '0;
      // Quota left means no debt.
      assign f_left_right[i] = left_q[i] == '0 || debt_q[i] == '0;
    end
  endgenerate

  always_comb begin
    w_left = '0;
    w_set = '0;
    w_debt = '0;
    w_count = '0;
    w_may = 1'b0;
    w_present = 1'b0;
    w_next = '0;
    w_owed = '0;
    for (int i = 0; i < Kernels; i++) begin
      if (f_w == 2'(i)) begin
        w_left    = left_q[i];
        w_set     = set_q[i];
        w_debt    = debt_q[i];
        w_count   = issue_valid_i ? issue_counts_i[i*3 +: 3] : 3'd0;
        w_may     = may_issue_o[i];
        w_present = present_q[i];
        w_next    = f_next[i*QuotaW +: QuotaW];
        w_owed    = f_owed[i*3 +: 3];
      end
    end
  end

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live  <= 1'b1;
      f_spent <= '0;
      f_given <= '0;
    end else if (refill_o) begin
      f_spent <= '0;
      f_given <= FW'(w_next);
    end else if (w_may) begin
      f_spent <= f_spent + FW'(w_count);
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // A kernel issues if it is present and has quota left; while one is present, one may.
      p_may:     assert (w_may == (w_present && w_left != '0));
      p_live:    assert (present_q == '0 || may_issue_o != '0);
      p_sets:    assert (&f_sets_right);
      p_debts:   assert (&f_left_right);
      // Within a period: what it issued and what is left are its quota; above it are only the instructions of the cycle in
      // which it used the last of it.
      if (w_left != '0) p_exact: assert (f_spent + FW'(w_left) == f_given);
      else p_above: assert (f_spent >= f_given && f_spent <= f_given + FW'(6));
      if (Debt != 0 && w_left == '0) p_debt: assert (f_spent == f_given + FW'(w_debt));
      // A refill gives each kernel its quota less its debt, at least 1; it comes exactly when no present kernel has any left.
      if (refill_o) p_given: assert (w_next != '0 && (w_next == QuotaW'(1) || FW'(w_next) + FW'(w_owed) == FW'(w_set)));
      if (refill_o) p_empty: assert (present_d != '0 && !(w_may && w_present && FW'(w_left) > FW'(w_count) &&
                                     (!kernels_valid_i || (|(kernels_i & (Kernels'(1) << f_w))))));
    end
  end
`endif
