// Quota-based memory instruction issue, and its round-robin sibling RBMI: Dai17, section 4.3.2.
//
// Within a cycle: an instruction is issued; a request is accepted; kernels come or go; a new set is added.
`include "assert.svh"

module qbmi #(
  parameter int Kernels = 2,
  parameter int ReqW    = 10,
  parameter int QuotaW  = 7,
  parameter int Carry   = 1,
  parameter int Rbmi    = 0,
  localparam int KernelW = (Kernels > 1) ? $clog2(Kernels) : 1
) (
  input  wire logic                      clk_i,
  input  wire logic                      rst_ni,

  input  wire logic [Kernels-1:0]        ask_i,
  output logic                           grant_valid_o,
  output logic [KernelW-1:0]             grant_kernel_o,

  input  wire logic                      issue_valid_i,
  input  wire logic [KernelW-1:0]        issue_kernel_i,
  input  wire logic                      req_valid_i,
  input  wire logic [KernelW-1:0]        req_kernel_i,
  input  wire logic                      kernels_valid_i,
  input  wire logic [Kernels-1:0]        kernels_i,

  output logic                           refill_o,
  output logic [Kernels*QuotaW-1:0]      quota_o,
  output logic [Kernels*6-1:0]           ratio_o,
  output logic [1:0]                     error_o
);
  `PARAM_CHECK(g_illegal_kernels, Kernels >= 2 && Kernels <= 4)
  `PARAM_CHECK(g_illegal_req_w, ReqW >= 2 && ReqW <= 16)
  `PARAM_CHECK(g_illegal_quota_w, QuotaW >= 1 && QuotaW <= 16)
  `PARAM_CHECK(g_illegal_carry, Carry >= 1 && Carry <= 31)
  `PARAM_CHECK(g_illegal_rbmi, Rbmi >= 0 && Rbmi <= 1)

  localparam logic [1:0] ErrorIssue   = 2'd1;
  localparam logic [1:0] ErrorRequest = 2'd2;
  localparam logic [4:0] LastStep     = 5'd17;
  localparam logic       Qbmi         = Rbmi == 0;
  // A quota of a set is at most the least common multiple of the other kernels' numbers: 32, 32 * 31 or 32 * 31 * 29.
  localparam int SetW = (Kernels == 2) ? 6 : (Kernels == 3) ? 10 : 15;
  // What is left counts up to Carry sets; with the new set that is below 2^(SetW + 5).
  localparam int SumW = ((SetW + 5 > QuotaW) ? SetW + 5 : QuotaW) + 1;
  localparam logic [SumW-1:0] QuotaMax = SumW'({QuotaW{1'b1}});

  // Per kernel: the interval that is being measured and the last one's result; what is left; the sets.
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

  // ---- events, a bit for each kernel
  logic [Kernels-1:0] issued, accepted, gone;
  logic               issue_bad, req_bad;

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_event
      assign issued[i]   = issue_valid_i & present_q[i] & (issue_kernel_i == KernelW'(i));
      assign accepted[i] = req_valid_i & present_q[i] & (req_kernel_i == KernelW'(i));
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

  always_comb begin
    error_d = error_q;
    if (error_q == '0) begin
      if (issue_bad) error_d = ErrorIssue;
      else if (req_bad) error_d = ErrorRequest;
    end
  end

  // ---- grant
  logic [Kernels-1:0] asks, winner;

  assign asks          = ask_i & present_q;
  assign grant_valid_o = |asks;
  qbmi_grant #(.Kernels(Kernels), .QuotaW(QuotaW), .Quotas(Rbmi == 0 ? 1 : 0)) u_grant (
    .asks_i   (asks),
    .quota_i  (quota_o),
    .last_i   (last_q),
    .onehot_o (winner)
  );
  onehot_index #(.Width(Kernels)) u_grant_kernel (.onehot_i(winner), .index_o(grant_kernel_o));

  // ---- Req/Minst: only one kernel's interval can end in a cycle
  logic [Kernels-1:0] ends, changes;
  logic [Kernels*ReqW-1:0] minst;  // with this cycle's
  logic [ReqW-1:0]    minst_ends;
  logic [5:0]         ratio;
  logic               changed;

  always_comb begin
    minst_ends = '0;
    for (int i = 0; i < Kernels; i++) minst_ends = minst_ends | (minst[i*ReqW +: ReqW] & {ReqW{accepted[i]}});
  end
  qbmi_ratio #(.ReqW(ReqW)) u_ratio (.minst_i(minst_ends), .ratio_o(ratio));
  assign changed = |changes;

  // ---- the next set: a step a cycle, from 1; a change starts it again, and until the end the set before is used
  logic [4:0]         prime;
  logic [Kernels*5-1:0] number;  // Req/Minst less 1
  logic [Kernels-1:0] divides, empty;
  logic               refill, done;

  qbmi_step #(.Kernels(Kernels)) u_step (
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
      assign most       = SumW'(set_q[i]) * SumW'(Carry);
      assign kept       = (SumW'(left) > most) ? most : SumW'(left);
      assign sum        = kept + SumW'(set_q[i]);
      assign quota_d    = (gone[i] || !Qbmi) ? '0 : !(refill && present_d[i]) ? left : (sum > QuotaMax) ? '1 : QuotaW'(sum);

      assign grown      = ((|divides) && !divides[i]) ? SetW'(acc_q[i] * SetW'(prime)) : acc_q[i];
      assign acc_d      = !Qbmi ? '0 : changed ? SetW'(1) : busy_q ? grown : acc_q[i];
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

  `ASSERT(g_one_is_granted, (winner & (winner - Kernels'(1))) == '0 && (|winner) == grant_valid_o)

`ifdef FORMAL
  `define QBMI_PROPERTIES
  `include "qbmi_formal.sv"
  `undef QBMI_PROPERTIES
`endif
endmodule
