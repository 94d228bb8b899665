// SPDX-License-Identifier: Apache-2.0
// Formal properties of dwt_core, proved by `make formal BLOCK=dwt_core`; included at the end of mt_dwt_core.sv.
//
// No assumptions about the inputs; resets may occur at any time.
`ifdef MT_DWT_CORE_PROPERTIES
  localparam logic [WarpsW:0] MostWarps = (WarpsW + 1)'(Warps);

  logic               f_live;      // a reset has occurred
  logic [4:0]         f_row;       // thrashing periods in a row since the kernel started; saturates
  logic [InstW:0]     f_insts;     // instructions of the period or round; one bit more than the block keeps, and saturates
  logic [MissW:0]     f_misses;    // misses of the period: likewise
  logic               f_started, f_ended, f_sampled, f_waited;  // in the last cycle: a start, a result, a round, a report that waits
  logic [WarpsW:0]    f_number;    // the result of that cycle, or the number of the SM in the round
  logic [InstW-1:0]   f_report;    // the report that waited
  logic [WarpsW-1:0]  f_warps;     // the last result of kernel f_key

  // An arbitrary kernel.
  (* anyconst *) logic [KernelW-1:0] f_key;

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  logic [InstW+1:0] f_inst_sum;
  logic [MissW+1:0] f_miss_sum;
  assign f_inst_sum = (InstW + 2)'(fresh ? '0 : f_insts) +
                      ((inst_valid_i && (state_q == Watch || state_q == Sample)) ? (InstW + 2)'(inst_count_i) : '0);
  assign f_miss_sum = (MissW + 2)'(fresh ? '0 : f_misses) + ((miss_valid_i && state_q == Watch) ? (MissW + 2)'(miss_count_i) : '0);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_row     <= '0;
      f_insts   <= '0;
      f_misses  <= '0;
      f_started <= 1'b0;
      f_ended   <= 1'b0;
      f_sampled <= 1'b0;
      f_waited  <= 1'b0;
    end else begin
      if (start_valid_i) f_row <= '0;
      else if (period_valid_i && state_q == Watch) f_row <= thrashes ? f_row + 5'(f_row != '1) : '0;
      f_insts   <= clear ? '0 : f_inst_sum[InstW+1] ? '1 : f_inst_sum[InstW:0];
      f_misses  <= clear ? '0 : f_miss_sum[MissW+1] ? '1 : f_miss_sum[MissW:0];
      f_started <= start_valid_i;
      f_ended   <= result_valid_i & ~start_valid_i;
      f_sampled <= sample_valid_i & ~start_valid_i & ~result_valid_i;
      f_number  <= result_valid_i ? (WarpsW + 1)'(result_warps_i)
                                  : (own > 10'(Warps)) ? MostWarps : (WarpsW + 1)'(own);
      f_waited  <= report_valid_o & ~report_ready_i & ~start_valid_i & ~result_valid_i & ~sample_valid_i;
      f_report  <= report_count_o;
      if (result_valid_i && !start_valid_i && kernel_q == f_key) f_warps <= result;
    end
  end

  // Entries: in range, that of f_key, and whether it has the kernel's last result.
  logic [Kernels-1:0] f_range, f_mine, f_right;
  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_f_entry
      assign f_range[i] = !valid_q[i] || (warps_q[i] != '0 && (WarpsW + 1)'(warps_q[i]) <= MostWarps);
      assign f_mine[i]  = valid_q[i] && key_q[i] == f_key;
      assign f_right[i] = !f_mine[i] || warps_q[i] == f_warps;
    end
  endgenerate

  always_comb begin
    if (f_live && rst_ni) begin
      // A limit never stops the SM, and is none when a kernel starts.
      p_limit:   assert (limit_o != '0 && (WarpsW + 1)'(limit_o) <= MostWarps);
      p_state:   assert (state_q <= Fixed);
      if (f_started) p_start: assert (state_q == Watch && limit_o == NoLimit && inst_q == '0 && miss_q == '0);
      if (state_q == Watch || state_q == Ask) p_free: assert (limit_o == NoLimit);
      // The result is the limit, and a round runs the SM's own number.
      if (f_ended) p_result: assert (state_q == Fixed && ((WarpsW + 1)'(limit_o) == f_number || limit_o == NoLimit));
      if (f_ended && f_number != '0 && f_number <= MostWarps) p_exact: assert ((WarpsW + 1)'(limit_o) == f_number);
      if (f_sampled) p_own: assert (state_q == Sample && (WarpsW + 1)'(limit_o) == f_number);
      // The counters are exact up to their ends.
      p_insts:   assert (inst_q == (f_insts[InstW] ? {InstW{1'b1}} : f_insts[InstW-1:0]));
      p_misses:  assert (miss_q == (f_misses[MissW] ? {MissW{1'b1}} : f_misses[MissW-1:0]));
      // An SM asks after Periods thrashing periods in a row, and only for a kernel without a number.
      if (state_q == Watch) p_row: assert (5'(streak_q) == f_row && f_row < 5'(Periods));
      if (asks) p_asks: assert (f_row + 5'd1 == 5'(Periods));
      if (ask_o) p_unknown: assert (!known_q);
      if (reuse_o) p_known: assert (known_q && thrashes);
      if (known_q) p_best: assert (best_q != '0 && (WarpsW + 1)'(best_q) <= MostWarps);
      // A report that waits does not change.
      if (f_waited) p_stable: assert (report_valid_o && report_count_o == f_report);
      // The table: no kernel twice, no gap, and each with its last result.
      p_range:   assert (&f_range);
      p_once:    assert ((f_mine & (f_mine - Kernels'(1))) == '0);
      p_no_gap:  assert ((valid_q & (valid_q + Kernels'(1))) == '0);
      p_last:    assert (&f_right);
    end
  end
`endif
