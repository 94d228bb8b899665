// SPDX-License-Identifier: Apache-2.0
// Finds the best number of warps of a GPU by sampling its SMs (Khairy15, section 4.2; in each SM: dwt_core).
//
// SM i runs i + 1 warps per scheduler for Samples periods, then sends the number of instructions that it issued.  The number
// of warps with the most instructions wins, of equals the lower.  If the last SM wins, a second round tries the numbers above.
//
// Timing: outputs are decoded from registers; ask_valid_i starts a round in its cycle.  A report is taken in each cycle of the
// state Collect.
// Parameters: InstW is a width.
`include "mt_assert.svh"

module mt_dwt_coordinator #(
  parameter int Sms     = 15,                       // SMs, each of which sends a report in a round
  parameter int Warps   = 24,                       // warps per scheduler of an SM
  parameter int Period  = 10000,                    // cycles of a period
  parameter int Samples = 3,                        // periods of a round
  parameter int InstW   = 24,                       // bits of a report's count
  localparam int WarpsW = $clog2(Warps + 1)
) (
  input  wire logic              clk_i,             // clock, rising edge
  input  wire logic              rst_ni,            // synchronous reset, active low

  input  wire logic              start_valid_i,     // a kernel starts
  input  wire logic              ask_valid_i,       // an SM asks for a sampling
  input  wire logic              report_valid_i,    // an SM offers its report
  input  wire logic [InstW-1:0]  report_count_i,    // instructions that it issued in the round
  input  wire logic [WarpsW-1:0] report_warps_i,    // its number of warps in the round

  output logic                   period_valid_o,    // a new period starts with this cycle
  output logic                   sample_valid_o,    // a round of sampling starts with the next cycle
  output logic                   sample_second_o,   // with it: SM i runs Sms more warps than i + 1; else 0
  output logic                   collect_valid_o,   // the round ends with this cycle
  output logic                   report_ready_o,    // a report is taken in this cycle
  output logic                   result_valid_o,    // the sampling is over
  output logic [WarpsW-1:0]      result_warps_o     // with it: the best number of warps; else 0
);
  `MT_PARAM_CHECK(g_illegal_sms, Sms >= 1 && Sms <= 256)
  `MT_PARAM_CHECK(g_illegal_warps, Warps >= 1 && Warps <= 128)
  `MT_PARAM_CHECK(g_illegal_period, Period >= 2 && Period <= 1048576)
  `MT_PARAM_CHECK(g_illegal_samples, Samples >= 1 && Samples <= 15)
  `MT_PARAM_CHECK(g_illegal_inst_w, InstW >= 8 && InstW <= 32)

  localparam int CycleW  = $clog2(Period);
  localparam int PeriodW = (Samples > 1) ? $clog2(Samples) : 1;
  localparam int ReportW = (Sms > 1) ? $clog2(Sms) : 1;
  // The number of the last SM, if there are numbers above it.
  localparam bit MoreWarps = Sms < Warps;
  localparam logic [WarpsW-1:0] LastSm = WarpsW'(Sms);
  localparam logic [2:0] Periods = 3'd0;
  localparam logic [2:0] Round   = 3'd1;
  localparam logic [2:0] Collect = 3'd2;
  localparam logic [2:0] Decide  = 3'd3;
  localparam logic [2:0] Done    = 3'd4;

  logic [2:0]         state_q, state_d;
  logic [CycleW-1:0]  cycle_q, cycle_d;
  logic [PeriodW-1:0] period_q, period_d;
  logic               second_q, second_d;
  logic [ReportW-1:0] reports_q, reports_d;
  logic [InstW-1:0]   best_q, best_d;
  logic [WarpsW-1:0]  warps_q, warps_d;

  // ---- events
  logic ends, first, last_won, second, takes, anew, fresh;

  assign ends            = cycle_q == CycleW'(Period - 1);
  assign last_won        = MoreWarps & ~second_q & (warps_q == LastSm);
  assign first           = (state_q == Periods) & ask_valid_i;
  assign second          = (state_q == Decide) & last_won;
  assign takes           = report_ready_o & report_valid_i;
  assign period_valid_o  = (state_q == Periods) & ends;
  assign sample_valid_o  = first | second;
  assign sample_second_o = second;
  assign collect_valid_o = (state_q == Round) & ends & (period_q == PeriodW'(Samples - 1));
  assign report_ready_o  = state_q == Collect;
  assign result_valid_o  = (state_q == Decide) & ~last_won;
  assign result_warps_o  = result_valid_o ? warps_q : '0;
  assign anew            = start_valid_i | first;
  assign fresh           = anew | second;

  // ---- state
  always_comb begin
    state_d = state_q;
    if (start_valid_i) state_d = Periods;
    else if (sample_valid_o) state_d = Round;
    else if (collect_valid_o) state_d = Collect;
    else if (takes && reports_q == ReportW'(Sms - 1)) state_d = Decide;
    else if (result_valid_o) state_d = Done;
  end
  assign second_d = ~anew & (second | second_q);

  // ---- time
  always_comb begin
    cycle_d  = cycle_q;
    period_d = period_q;
    if (fresh) begin
      cycle_d  = '0;
      period_d = '0;
    end else begin
      if (state_q == Periods || state_q == Round) cycle_d = ends ? '0 : cycle_q + 1;
      if (state_q == Round && ends) period_d = collect_valid_o ? '0 : period_q + 1;
    end
  end

  // ---- reports: the most instructions win, and of equals the lower number of warps
  logic better;
  assign better    = takes & ((report_count_i > best_q) | ((report_count_i == best_q) & (report_warps_i < warps_q)));
  assign best_d    = anew ? '0 : better ? report_count_i : best_q;
  assign warps_d   = anew ? WarpsW'(Warps) : better ? report_warps_i : warps_q;
  assign reports_d = fresh ? '0 : reports_q + ReportW'(takes);

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= Periods;
      cycle_q   <= '0;
      period_q  <= '0;
      second_q  <= 1'b0;
      reports_q <= '0;
      best_q    <= '0;
      warps_q   <= WarpsW'(Warps);
    end else begin
      state_q   <= state_d;
      cycle_q   <= cycle_d;
      period_q  <= period_d;
      second_q  <= second_d;
      reports_q <= reports_d;
      best_q    <= best_d;
      warps_q   <= warps_d;
    end
  end

  `MT_ASSERT(g_no_report_unasked, !takes || state_q == Collect)

`ifdef FORMAL
  `define MT_DWT_COORDINATOR_PROPERTIES
  `include "mt_dwt_coordinator_formal.sv"
  `undef MT_DWT_COORDINATOR_PROPERTIES
`endif
endmodule
