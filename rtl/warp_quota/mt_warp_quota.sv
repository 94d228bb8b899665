// SPDX-License-Identifier: Apache-2.0
// Quotas of warp instructions for the kernels of an SM (the W of SMK-(P+W), Dai17, section 4.4): a kernel that has used its
// quota may not issue until every present kernel has.
//
// Timing: may_issue_o is registered, so all schedulers of a cycle see the same.  Order within a cycle: instructions issue;
// kernels arrive or leave; if no present kernel has quota left, every kernel gets its quota.
// Parameters: Kernels share the SM, QuotaW is the width of a quota, Issues the instructions in a cycle, Debt what becomes of
// instructions above the quota.
`include "mt_assert.svh"

module mt_warp_quota #(
  parameter int Kernels = 2,                               // kernels that share the SM
  parameter int QuotaW  = 16,                              // bits of a quota
  parameter int Issues  = 4,                               // warp instructions that the SM issues in a cycle at most
  parameter int Debt    = 1,                               // 1: what a kernel issues above its quota is taken from its next one; 0: it is forgotten
  localparam int KernelW = (Kernels > 1) ? $clog2(Kernels) : 1
) (
  input  wire logic                      clk_i,            // clock, rising edge
  input  wire logic                      rst_ni,           // synchronous reset, active low

  input  wire logic                      set_valid_i,      // a quota is written
  input  wire logic [KernelW-1:0]        set_kernel_i,     // its kernel
  input  wire logic [QuotaW-1:0]         set_quota_i,      // warp instructions of that kernel in a period, at least 1; for refills from the next cycle on
  input  wire logic                      issue_valid_i,    // warp instructions issue
  input  wire logic [Kernels*3-1:0]      issue_counts_i,   // how many of each kernel, kernel 0 lowest
  input  wire logic                      kernels_valid_i,  // the set of present kernels changes
  input  wire logic [Kernels-1:0]        kernels_i,        // present kernels from the next cycle on

  output logic [Kernels-1:0]             may_issue_o,      // kernels that are present and have quota left, one bit each
  output logic [Kernels*QuotaW-1:0]      left_o,           // quota left, kernel 0 lowest
  output logic                           refill_o,         // every kernel gets its quota at this clock edge
  output logic [1:0]                     error_o           // enum warp_quota_error, the first one, until reset
);
  `MT_PARAM_CHECK(g_illegal_kernels, Kernels >= 2 && Kernels <= 4)
  `MT_PARAM_CHECK(g_illegal_quota_w, QuotaW >= 2 && QuotaW <= 16)
  `MT_PARAM_CHECK(g_illegal_issues, Issues >= 1 && Issues <= 4)
  `MT_PARAM_CHECK(g_illegal_debt, Debt >= 0 && Debt <= 1)

  localparam logic [1:0] ErrorIssue = 2'd1;
  localparam logic [1:0] ErrorCount = 2'd2;
  localparam logic [1:0] ErrorSet   = 2'd3;
  // Wide enough for a quota and for a count.
  localparam int LeftW = (QuotaW > 3) ? QuotaW : 3;

  (* mem2reg *)
  logic [QuotaW-1:0] set_q  [Kernels];
  (* mem2reg *)
  logic [QuotaW-1:0] left_q [Kernels];
  (* mem2reg *)
  logic [2:0]        debt_q [Kernels];

  logic [Kernels-1:0] present_q, present_d;
  logic [1:0]         error_q, error_d;

  // ---- events
  logic [Kernels-1:0] stray, remain, sets;
  logic               issue_bad, count_bad, set_bad, refill;
  logic [4:0]         total;

  always_comb begin
    total = '0;
    for (int i = 0; i < Kernels; i++) total = total + 5'(issue_counts_i[i*3 +: 3]);
  end
  assign issue_bad = |stray;
  assign count_bad = issue_valid_i & (total > 5'(Issues));
  assign set_bad   = set_valid_i & ~(|sets);
  assign present_d = kernels_valid_i ? kernels_i : present_q;
  assign refill    = (present_d != '0) & ((present_d & remain) == '0);

  mt_sticky_error u_error (
    .error_i (error_q),
    .found_i (issue_bad ? ErrorIssue : count_bad ? ErrorCount : set_bad ? ErrorSet : 2'd0),
    .error_o (error_d)
  );

  assign refill_o = refill;
  assign error_o  = error_q;

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_kernel
      logic [2:0]        count, above, debt;
      logic              over, may;
      logic [QuotaW-1:0] rest, left, fresh;

      assign count = issue_valid_i ? issue_counts_i[i*3 +: 3] : 3'd0;
      assign may   = present_q[i] & (left_q[i] != '0);
      assign stray[i] = (count != '0) & ~may;
      // What is left, or how far the kernel is above its quota.
      assign over  = LeftW'(count) > LeftW'(left_q[i]);
      assign rest  = left_q[i] - QuotaW'(count);
      assign left  = !may ? left_q[i] : over ? '0 : rest;
      assign above = (may && over) ? count - 3'(left_q[i]) : 3'd0;
      assign remain[i] = left != '0;

      // A kernel without quota left issues nothing more, so only one of the two is not 0.
      assign debt  = (Debt != 0) ? debt_q[i] | above : 3'd0;
      assign fresh = (LeftW'(set_q[i]) > LeftW'(debt)) ? QuotaW'(set_q[i] - LeftW'(debt)) : 1;

      assign sets[i] = set_valid_i & (set_quota_i != '0) & (set_kernel_i == i);

      assign may_issue_o[i]             = may;
      assign left_o[i*QuotaW +: QuotaW] = left_q[i];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          set_q[i]  <= 1;
          left_q[i] <= '0;
          debt_q[i] <= '0;
        end else begin
          if (sets[i]) set_q[i] <= set_quota_i;
          left_q[i] <= refill ? fresh : left;
          debt_q[i] <= refill ? '0 : debt;
        end
      end
    end
  endgenerate

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      present_q <= '0;
      error_q   <= '0;
    end else begin
      present_q <= present_d;
      error_q   <= error_d;
    end
  end

  `MT_ASSERT(g_one_may_issue, present_q == '0 || may_issue_o != '0)

`ifdef FORMAL
  `define MT_WARP_QUOTA_PROPERTIES
  `include "mt_warp_quota_formal.sv"
  `undef MT_WARP_QUOTA_PROPERTIES
`endif
endmodule
