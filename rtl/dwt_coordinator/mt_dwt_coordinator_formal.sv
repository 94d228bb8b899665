// SPDX-License-Identifier: Apache-2.0
// Formal properties of dwt_coordinator, proved by `make formal BLOCK=dwt_coordinator`; included at the end of
// mt_dwt_coordinator.sv.
//
// No assumptions about the inputs; resets may occur at any time.
`ifdef MT_DWT_COORDINATOR_PROPERTIES
  localparam int TimeW = CycleW + PeriodW + 2;
  localparam int CountW = $clog2(Sms + 1) + 1;

  logic              f_live;      // a reset has occurred
  logic              f_seen;      // a report of this sampling was picked
  logic [InstW-1:0]  f_count;     // it
  logic [WarpsW-1:0] f_warps;
  logic              f_range;     // all reports of this sampling had 1..Warps
  logic [CountW-1:0] f_reports;   // of this round
  logic [1:0]        f_rounds;    // since the kernel started
  logic [TimeW-1:0]  f_time;      // cycles since the round, the period or the kernel started
  (* anyseq *) logic f_pick;

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_seen    <= 1'b0;
      f_range   <= 1'b1;
      f_reports <= '0;
      f_rounds  <= '0;
      f_time    <= '0;
    end else begin
      f_time    <= (fresh || period_valid_o) ? '0 : f_time + TimeW'(1);
      f_reports <= (start_valid_i || sample_valid_o) ? '0 : f_reports + CountW'(report_valid_i && report_ready_o);
      f_rounds  <= start_valid_i ? '0 : f_rounds + 2'(sample_valid_o);
      if (anew) begin
        f_seen  <= 1'b0;
        f_range <= 1'b1;
      end else if (report_valid_i && report_ready_o) begin
        f_range <= f_range & report_warps_i != '0 & (WarpsW + 1)'(report_warps_i) <= (WarpsW + 1)'(Warps);
        if (f_pick && !f_seen) begin
          f_seen  <= 1'b1;
          f_count <= report_count_i;
          f_warps <= report_warps_i;
        end
      end
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      p_state:   assert (state_q <= Done);
      // The winner has at least as many instructions as any other report, and of equals the fewest warps.
      if (f_seen) p_best: assert (best_q > f_count || (best_q == f_count && warps_q <= f_warps));
      if (result_valid_o && f_seen) p_result: assert (result_warps_o == warps_q);
      if (f_range) p_range: assert (warps_q != '0 && (WarpsW + 1)'(warps_q) <= (WarpsW + 1)'(Warps));
      // A round ends after its periods, and takes the reports of all SMs.
      if (state_q == Round) p_time: assert (f_time == TimeW'(period_q) * TimeW'(Period) + TimeW'(cycle_q));
      if (state_q == Periods) p_period: assert (f_time == TimeW'(cycle_q));
      p_cycle:   assert (cycle_q <= CycleW'(Period - 1) && period_q <= PeriodW'(Samples - 1));
      if (collect_valid_o) p_round: assert (f_time == TimeW'(Samples) * TimeW'(Period) - TimeW'(1));
      if (period_valid_o) p_length: assert (f_time == TimeW'(Period - 1));
      if (state_q == Collect) p_reports: assert (f_reports == CountW'(reports_q) && f_reports < CountW'(Sms));
      if (state_q == Round) p_none: assert (f_reports == '0 && reports_q == '0);
      if (state_q == Decide) p_all: assert (f_reports == CountW'(Sms));
      // A second round only if the last SM won the first; no third one.
      p_rounds:  assert ((state_q == Periods) ? f_rounds == '0 && !second_q
                                              : f_rounds == (second_q ? 2'd2 : 2'd1));
      if (second) p_second: assert (Sms < Warps && warps_q == LastSm && f_rounds == 2'd1 && sample_second_o);
      // It rests after the result.
      if (state_q == Done) p_rests: assert (!period_valid_o && !sample_valid_o && !collect_valid_o && !result_valid_o);
    end
  end
`endif
