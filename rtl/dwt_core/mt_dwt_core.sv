// SPDX-License-Identifier: Apache-2.0
// Detects thrashing in one SM and limits its warps (Khairy15, section 4.2; the coordinator is dwt_coordinator).
//
// A period thrashes if misses * 1000 > Mpki * instructions.  After Periods of them in a row the SM asks for a sampling,
// and runs its own number of warps until the coordinator sends the best one.  The numbers of the last Kernels kernels are
// kept: a kernel that comes again gets its own at its first thrashing period.
//
// Timing: all outputs but reuse_o are registers.  A period counts from the cycle of period_valid_i on, and is judged in that of
// the next one, so no adder precedes the comparison.  Of several events of a cycle, the first of start, result, sample, collect and
// period counts.
// Parameters: Warps is a limit that limits nothing; InstW, MissW, CountW and KernelW are widths.
`include "mt_assert.svh"

module mt_dwt_core #(
  parameter int Warps   = 24,                        // warps per scheduler; as a limit: none
  parameter int Mpki    = 10,                        // misses per 1000 instructions above which a period thrashes
  parameter int Periods = 3,                         // thrashing periods in a row before the SM asks for a sampling
  parameter int InstW   = 24,                        // bits of the instruction counter; it saturates
  parameter int MissW   = 16,                        // bits of the miss counter; it saturates
  parameter int CountW  = 8,                         // bits of the number of instructions in a cycle
  parameter int Kernels = 8,                         // kernels whose number of warps is remembered
  parameter int KernelW = 8,                         // bits of a kernel's identity
  localparam int WarpsW = $clog2(Warps + 1)
) (
  input  wire logic               clk_i,             // clock, rising edge
  input  wire logic               rst_ni,            // synchronous reset, active low

  input  wire logic               inst_valid_i,      // the SM issues instructions in this cycle
  input  wire logic [CountW-1:0]  inst_count_i,      // how many
  input  wire logic               miss_valid_i,      // reads miss in the L1D in this cycle
  input  wire logic [1:0]         miss_count_i,      // how many
  input  wire logic               period_valid_i,    // a new period starts with this cycle
  input  wire logic               start_valid_i,     // a kernel starts
  input  wire logic [KernelW-1:0] start_kernel_i,    // its identity
  input  wire logic               sample_valid_i,    // a round of sampling starts with the next cycle
  input  wire logic [WarpsW-1:0]  sample_first_i,    // SM i runs as many warps more than i + 1
  input  wire logic [7:0]         number_i,          // i, the number of this SM; constant
  input  wire logic               collect_valid_i,   // the round ends with this cycle
  input  wire logic               report_ready_i,    // the coordinator takes the report
  input  wire logic               result_valid_i,    // the sampling is over
  input  wire logic [WarpsW-1:0]  result_warps_i,    // the best number of warps; out of 1..Warps: no limit

  output logic [WarpsW-1:0]       limit_o,           // oldest warps of each scheduler that may issue, 1..Warps
  output logic                    ask_o,             // asks for a sampling
  output logic                    report_valid_o,    // a report is offered, and stays until it is taken
  output logic [InstW-1:0]        report_count_o,    // with it: instructions of the round; else 0
  output logic                    reuse_o            // the limit of an earlier launch of the kernel is in force from the next cycle on
);
  `MT_PARAM_CHECK(g_illegal_warps, Warps >= 1 && Warps <= 128)
  `MT_PARAM_CHECK(g_illegal_mpki, Mpki >= 1 && Mpki <= 1000)
  `MT_PARAM_CHECK(g_illegal_periods, Periods >= 1 && Periods <= 15)
  `MT_PARAM_CHECK(g_illegal_inst_w, InstW >= 8 && InstW <= 32)
  `MT_PARAM_CHECK(g_illegal_miss_w, MissW >= 2 && MissW <= 24)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 1 && CountW <= 8)
  `MT_PARAM_CHECK(g_illegal_kernels, Kernels >= 1 && Kernels <= 16)
  `MT_PARAM_CHECK(g_illegal_kernel_w, KernelW >= 1 && KernelW <= 16)

  localparam int StreakW = (Periods > 1) ? $clog2(Periods) : 1;
  localparam int ProductW = ((InstW > MissW) ? InstW : MissW) + 10;
  localparam logic [WarpsW-1:0] NoLimit = WarpsW'(Warps);
  localparam logic [2:0] Watch  = 3'd0;
  localparam logic [2:0] Ask    = 3'd1;
  localparam logic [2:0] Sample = 3'd2;
  localparam logic [2:0] Report = 3'd3;
  localparam logic [2:0] Wait   = 3'd4;
  localparam logic [2:0] Fixed  = 3'd5;

  logic [2:0]         state_q, state_d;
  logic [InstW-1:0]   inst_q, inst_d;
  logic [MissW-1:0]   miss_q, miss_d;
  logic [StreakW-1:0] streak_q, streak_d;
  logic [WarpsW-1:0]  limit_q, limit_d, best_q;
  logic               known_q;
  logic [KernelW-1:0] kernel_q;
  logic [Kernels-1:0] valid_q, valid_d;
  (* mem2reg *)
  logic [KernelW-1:0] key_q   [Kernels];
  (* mem2reg *)
  logic [WarpsW-1:0]  warps_q [Kernels];

  // ---- the table, most recently used first: looked up by a kernel that starts, written with a result
  logic [KernelW-1:0] key;
  logic [Kernels-1:0] match, first, shift;
  logic               hit, uses, above;
  logic [WarpsW-1:0]  found, result, warps;
  logic [Kernels*WarpsW-1:0] numbers;

  assign key = start_valid_i ? start_kernel_i : kernel_q;
  for (genvar i = 0; i < Kernels; i++) begin : g_match
    assign match[i]                    = valid_q[i] && key_q[i] == key;
    assign numbers[i*WarpsW +: WarpsW] = warps_q[i];
  end
  mt_first_one #(.Width(Kernels)) u_first (.vector_i(match), .onehot_o(first));
  assign hit = |match;
  mt_onehot_mux #(.Words(Kernels), .Width(WarpsW)) u_found (.onehot_i(first), .words_i(numbers), .word_o(found));
  // 0 would stop the SM for ever.
  assign result = (result_warps_i == '0 || above) ? NoLimit : result_warps_i;
  if (Warps == (1 << WarpsW) - 1) begin : g_every_number
    assign above = 1'b0;
  end else begin : g_some_numbers
    assign above = result_warps_i > NoLimit;
  end
  assign uses   = start_valid_i ? hit : result_valid_i;
  assign warps  = start_valid_i ? found : result;

  // The kernel becomes entry 0.  The entries up to the one that held it move back; without one, all of them.
  assign shift   = {Kernels{uses}} & (first | (first - 1));
  assign valid_d = (valid_q & ~shift) | (((valid_q << 1) | 1) & shift);

  // ---- the period is judged
  logic ends, thrashes, last, asks;

  assign ends     = period_valid_i & (state_q == Watch) & ~(start_valid_i | result_valid_i | sample_valid_i | collect_valid_i);
  assign thrashes = miss_q * 1000 > inst_q * ProductW'(Mpki);
  assign last     = streak_q + 1 >= (StreakW + 1)'(Periods);
  assign reuse_o  = ends & thrashes & known_q;
  assign asks     = ends & thrashes & ~known_q & last;

  always_comb begin
    streak_d = streak_q;
    if (start_valid_i) streak_d = '0;
    else if (period_valid_i && state_q == Watch) streak_d = (thrashes && !last) ? streak_q + 1 : '0;
  end

  // ---- counters
  logic             clear, fresh;
  logic [InstW:0]   inst_sum;
  logic [MissW:0]   miss_sum;

  assign clear    = start_valid_i | sample_valid_i;
  assign fresh    = (state_q == Watch) & period_valid_i;
  assign inst_sum = {1'b0, fresh ? {InstW{1'b0}} : inst_q} +
                    ((inst_valid_i && (state_q == Watch || state_q == Sample)) ? (InstW + 1)'(inst_count_i) : '0);
  assign miss_sum = {1'b0, fresh ? {MissW{1'b0}} : miss_q} +
                    ((miss_valid_i && state_q == Watch) ? (MissW + 1)'(miss_count_i) : '0);
  assign inst_d   = clear ? '0 : inst_sum[InstW] ? '1 : inst_sum[InstW-1:0];
  assign miss_d   = clear ? '0 : miss_sum[MissW] ? '1 : miss_sum[MissW-1:0];

  // ---- state and limit
  logic [9:0] own;
  assign own = 10'(sample_first_i) + 10'(number_i) + 10'd1;

  always_comb begin
    state_d = state_q;
    limit_d = limit_q;
    if (start_valid_i) begin
      state_d = Watch;
      limit_d = NoLimit;
    end else if (result_valid_i) begin
      state_d = Fixed;
      limit_d = result;
    end else if (sample_valid_i) begin
      state_d = Sample;
      limit_d = (own > 10'(Warps)) ? NoLimit : WarpsW'(own);
    end else if (collect_valid_i) begin
      state_d = Report;
    end else if (asks) begin
      state_d = Ask;
    end else if (reuse_o) begin
      state_d = Fixed;
      limit_d = best_q;
    end else if (state_q == Report && report_ready_i) begin
      state_d = Wait;
    end
  end

  assign limit_o        = limit_q;
  assign ask_o          = state_q == Ask;
  assign report_valid_o = state_q == Report;
  assign report_count_o = report_valid_o ? inst_q : '0;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Watch;
      inst_q   <= '0;
      miss_q   <= '0;
      streak_q <= '0;
      limit_q  <= NoLimit;
      known_q  <= 1'b0;
      best_q   <= '0;
      kernel_q <= '0;
      valid_q  <= '0;
    end else begin
      state_q  <= state_d;
      inst_q   <= inst_d;
      miss_q   <= miss_d;
      streak_q <= streak_d;
      limit_q  <= limit_d;
      valid_q  <= valid_d;
      if (start_valid_i) begin
        known_q  <= hit;
        best_q   <= found;
        kernel_q <= start_kernel_i;
      end
    end
  end

  // Valid only with valid_q: not reset, and they hold their values during reset.
  for (genvar i = 0; i < Kernels; i++) begin : g_entry
    logic [KernelW-1:0] key_d;
    logic [WarpsW-1:0]  warps_d;
    if (i == 0) begin : g_front
      assign key_d   = key;
      assign warps_d = warps;
    end else begin : g_back
      assign key_d   = key_q[i-1];
      assign warps_d = warps_q[i-1];
    end
    always_ff @(posedge clk_i) begin
      if (rst_ni && shift[i]) key_q[i] <= key_d;
    end
    always_ff @(posedge clk_i) begin
      if (rst_ni && shift[i]) warps_q[i] <= warps_d;
    end
  end

  `MT_ASSERT(g_limit_not_0, limit_q != '0)

`ifdef FORMAL
  `define MT_DWT_CORE_PROPERTIES
  `include "mt_dwt_core_formal.sv"
  `undef MT_DWT_CORE_PROPERTIES
`endif
endmodule
