// SPDX-License-Identifier: Apache-2.0
// Quota-based memory instruction issue (QBMI): grants the load-store unit to the kernels of an SM by quota; Rbmi = 1 is its
// round-robin variant RBMI (Dai17, section 4.3.2).
//
// The quota of a kernel is inversely proportional to its requests per memory instruction (Req/Minst), so that one set of
// quotas is the same number of requests for every kernel.
//
// Timing: the grant is combinational.  New quotas are computed serially in 18 steps after a ratio changes; the old ones are
// used meanwhile.  Order within a cycle: an instruction is issued; a request is accepted; kernels arrive or leave; a new set of
// quotas is added.
// Parameters: Kernels share the SM, an interval has 2^ReqW requests, Carry sets at most are kept at a refill.
`include "mt_assert.svh"

module mt_qbmi #(
  parameter int Kernels = 2,                               // kernels that share the SM
  parameter int ReqW    = 10,                              // bits of a request counter: Req/Minst is measured over 2^ReqW requests of a kernel
  parameter int QuotaW  = 7,                               // bits of a quota; a quota saturates
  parameter int Carry   = 1,                               // an unused quota carries over, up to Carry sets, when a new set is added
  parameter int Rbmi    = 0,                               // 1: RBMI, loose round robin without quotas
  localparam int KernelW = (Kernels > 1) ? $clog2(Kernels) : 1
) (
  input  wire logic                      clk_i,            // clock, rising edge
  input  wire logic                      rst_ni,           // synchronous reset, active low

  input  wire logic [Kernels-1:0]        ask_i,            // kernels with a memory instruction ready to issue, one bit each
  output logic                           grant_valid_o,    // a present kernel requests
  output logic [KernelW-1:0]             grant_kernel_o,   // the kernel with priority; 0 if none requests

  input  wire logic                      issue_valid_i,    // a memory instruction issues
  input  wire logic [KernelW-1:0]        issue_kernel_i,   // its kernel
  input  wire logic                      req_valid_i,      // the L1D accepts a request
  input  wire logic [KernelW-1:0]        req_kernel_i,     // its kernel; ignored if that kernel is not present
  input  wire logic                      kernels_valid_i,  // the set of present kernels changes
  input  wire logic [Kernels-1:0]        kernels_i,        // present kernels from the next cycle on

  output logic                           refill_o,         // a new set of quotas is added at this clock edge
  output logic [Kernels*QuotaW-1:0]      quota_o,          // quotas, kernel 0 lowest; 0 for one that is not present
  output logic [Kernels*6-1:0]           ratio_o,          // Req/Minst, kernel 0 lowest; 1 until first measured
  output logic [1:0]                     error_o           // enum qbmi_error, the first one, until reset
);
  `MT_PARAM_CHECK(g_illegal_kernels, Kernels >= 2 && Kernels <= 4)
  `MT_PARAM_CHECK(g_illegal_req_w, ReqW >= 2 && ReqW <= 16)
  `MT_PARAM_CHECK(g_illegal_quota_w, QuotaW >= 1 && QuotaW <= 16)
  `MT_PARAM_CHECK(g_illegal_carry, Carry >= 1 && Carry <= 31)
  `MT_PARAM_CHECK(g_illegal_rbmi, Rbmi >= 0 && Rbmi <= 1)

  localparam logic [1:0] ErrorIssue   = 2'd1;
  localparam logic [1:0] ErrorRequest = 2'd2;
  localparam logic [4:0] LastStep     = 5'd17;
  localparam logic       Qbmi         = Rbmi == 0;
  // A quota of a set is at most the least common multiple of the other kernels' ratios: 32, 32 * 31 or 32 * 31 * 29.
  localparam int SetW = (Kernels == 2) ? 6 : (Kernels == 3) ? 10 : 15;
  // The remaining quota counts up to Carry sets; with the new set, the sum is below 2^(SetW + 5).
  localparam int SumW = ((SetW + 5 > QuotaW) ? SetW + 5 : QuotaW) + 1;
  localparam logic [SumW-1:0] QuotaMax = SumW'({QuotaW{1'b1}});

  // Per kernel: counters of the current interval, ratio of the last one, remaining quota, set in progress, set in use.
  (* mem2reg *)
  logic [ReqW-1:0]   req_q   [Kernels];
  (* mem2reg *)
  logic [ReqW-1:0]   minst_q [Kernels];
  (* mem2reg *)
  logic [5:0]        ratio_q [Kernels];
  (* mem2reg *)
  logic [QuotaW-1:0] quota_q [Kernels];
  (* mem2reg *)
  logic [SetW-1:0]   acc_q   [Kernels];
  (* mem2reg *)
  logic [SetW-1:0]   set_q   [Kernels];

  logic [Kernels-1:0] present_q, present_d;
  logic [KernelW-1:0] last_q, last_d;
  logic               busy_q, busy_d;
  logic [4:0]         step_q, step_d;
  logic [1:0]         error_q, error_d;

  // ---- events, one bit per kernel
  logic [Kernels-1:0] issued, accepted, gone;
  logic               issue_bad, req_bad;

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_event
      assign issued[i]   = issue_valid_i & present_q[i] & (issue_kernel_i == i);
      assign accepted[i] = req_valid_i & present_q[i] & (req_kernel_i == i);
    end
    if (Kernels == (1 << KernelW)) begin : g_every_number
      assign req_bad = 1'b0;
    end else begin : g_some_numbers
      assign req_bad = req_valid_i & (req_kernel_i >= KernelW'(Kernels));
    end
  endgenerate
  assign issue_bad = issue_valid_i & ~(|issued);
  assign present_d = kernels_valid_i ? kernels_i : present_q;
  assign gone      = {Kernels{kernels_valid_i}} & ~kernels_i;
  assign last_d    = (|issued) ? issue_kernel_i : last_q;

  mt_sticky_error u_error (.error_i(error_q), .found_i(issue_bad ? ErrorIssue : req_bad ? ErrorRequest : 2'd0), .error_o(error_d));

  // ---- grant
  logic [Kernels-1:0] asks, winner;

  assign asks          = ask_i & present_q;
  assign grant_valid_o = |asks;
  mt_qbmi_grant #(.Kernels(Kernels), .QuotaW(QuotaW), .Quotas(Rbmi == 0 ? 1 : 0)) u_grant (
    .asks_i   (asks),
    .quota_i  (quota_o),
    .last_i   (last_q),
    .onehot_o (winner)
  );
  mt_onehot_index #(.Width(Kernels)) u_grant_kernel (.onehot_i(winner), .index_o(grant_kernel_o));

  // ---- Req/Minst: at most one kernel's interval ends in a cycle
  logic [Kernels-1:0] ends, changes;
  logic [Kernels*ReqW-1:0] minst;  // counts of this cycle included
  logic [ReqW-1:0]    minst_ends;
  logic [5:0]         ratio;
  logic               changed;

  mt_onehot_mux #(.Words(Kernels), .Width(ReqW)) u_minst (.onehot_i(accepted), .words_i(minst), .word_o(minst_ends));
  mt_qbmi_ratio #(.ReqW(ReqW)) u_ratio (.minst_i(minst_ends), .ratio_o(ratio));
  assign changed = |changes;

  // ---- the next set: one step per cycle, from 1; a changed ratio restarts it; the old set is used until it is done
  logic [4:0]         prime;
  logic [Kernels*5-1:0] number;  // Req/Minst less 1
  logic [Kernels-1:0] divides, empty;
  logic               refill, done;

  mt_qbmi_step #(.Kernels(Kernels)) u_step (
    .step_i    (step_q),
    .number_i  (number),
    .prime_o   (prime),
    .divides_o (divides)
  );
  assign done     = busy_q & (step_q == LastStep) & ~changed;
  assign busy_d   = Qbmi & (changed | (busy_q & ~done));
  assign step_d   = (changed || !Qbmi) ? '0 : step_q + 5'(busy_q);
  assign refill   = Qbmi & (|empty) & ((|issued) | kernels_valid_i);
  assign refill_o = refill;
  assign error_o  = error_q;

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_kernel
      logic [ReqW-1:0]   req_d, minst_d;
      logic [5:0]        ratio_d;
      logic              more, less;
      logic [QuotaW-1:0] left, quota_d;
      logic [SetW-1:0]   grown, acc_d, set_d;
      logic [SumW-1:0]   most, kept, sum;

      // Not mt_sat_count, whose multiplexer would come before the ratio.
      assign more       = issued[i] & ~(&minst_q[i]);
      assign minst[i*ReqW +: ReqW] = minst_q[i] + ReqW'(more);
      assign ends[i]    = accepted[i] & (&req_q[i]);
      assign req_d      = (gone[i] || !Qbmi) ? '0 : req_q[i] + ReqW'(accepted[i]);
      assign minst_d    = (gone[i] || ends[i] || !Qbmi) ? '0 : minst[i*ReqW +: ReqW];
      assign ratio_d    = !Qbmi ? '0 : gone[i] ? 6'd1 : ends[i] ? ratio : ratio_q[i];
      assign changes[i] = ratio_d != ratio_q[i];

      assign less       = issued[i] & (|quota_q[i]);
      assign left       = quota_q[i] - QuotaW'(less);
      assign empty[i]   = present_d[i] & (left == '0);
      assign most       = set_q[i] * SumW'(Carry);
      assign kept       = (SumW'(left) > most) ? most : SumW'(left);
      assign sum        = kept + SumW'(set_q[i]);
      assign quota_d    = (gone[i] || !Qbmi) ? '0 : !(refill && present_d[i]) ? left : (sum > QuotaMax) ? '1 : QuotaW'(sum);

      assign grown      = ((|divides) && !divides[i]) ? acc_q[i] * prime : acc_q[i];
      assign acc_d      = !Qbmi ? '0 : changed ? 1 : busy_q ? grown : acc_q[i];
      assign set_d      = !Qbmi ? '0 : done ? grown : set_q[i];

      assign number[i*5 +: 5]            = 5'(ratio_q[i] - 6'd1);
      assign quota_o[i*QuotaW +: QuotaW] = quota_q[i];
      assign ratio_o[i*6 +: 6]           = ratio_q[i];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          req_q[i]   <= '0;
          minst_q[i] <= '0;
          ratio_q[i] <= 6'(Qbmi);
          quota_q[i] <= '0;
          acc_q[i]   <= SetW'(Qbmi);
          set_q[i]   <= SetW'(Qbmi);
        end else begin
          req_q[i]   <= req_d;
          minst_q[i] <= minst_d;
          ratio_q[i] <= ratio_d;
          quota_q[i] <= quota_d;
          acc_q[i]   <= acc_d;
          set_q[i]   <= set_d;
        end
      end
    end
  endgenerate

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      present_q <= '0;
      last_q    <= '0;
      busy_q    <= 1'b0;
      step_q    <= '0;
      error_q   <= '0;
    end else begin
      present_q <= present_d;
      last_q    <= last_d;
      busy_q    <= busy_d;
      step_q    <= step_d;
      error_q   <= error_d;
    end
  end

  `MT_ASSERT(g_one_is_granted, (winner & (winner - 1)) == '0 && (|winner) == grant_valid_o)

`ifdef FORMAL
  `define MT_QBMI_PROPERTIES
  `include "mt_qbmi_formal.sv"
  `undef MT_QBMI_PROPERTIES
`endif
endmodule
