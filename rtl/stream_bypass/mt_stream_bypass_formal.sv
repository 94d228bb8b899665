// SPDX-License-Identifier: Apache-2.0
// Formal properties of stream_bypass, proved by `make formal BLOCK=stream_bypass`; included at the end of mt_stream_bypass.sv.
//
// No assumptions about the inputs; resets may occur at any time.
`ifdef MT_STREAM_BYPASS_PROPERTIES
  localparam int Full = (1 << CountW) - 1;

  logic              f_live;      // a reset has occurred
  logic [CycleW:0]   f_cycle;     // cycles of this period
  logic [CountW:0]   f_accesses;  // accesses of this period, up to Full + 1
  logic [CountW-1:0] f_misses;    // misses among the first Full of them
  logic              f_told;      // what the last decision was

  logic f_ends, f_counted, f_miss;
  assign f_ends    = f_cycle == (CycleW + 1)'(Period - 1);
  assign f_counted = acc_valid_i & (f_accesses < (CountW + 1)'(Full));
  assign f_miss    = f_counted & ~(acc_hit_i | ((MergeIsHit == 1) & acc_merge_i));

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live     <= 1'b1;
      f_cycle    <= '0;
      f_accesses <= '0;
      f_misses   <= '0;
      f_told     <= 1'b0;
    end else begin
      f_cycle    <= f_ends ? '0 : f_cycle + (CycleW + 1)'(1);
      f_accesses <= f_ends ? '0 : f_accesses + (CountW + 1)'(acc_valid_i & ~f_accesses[CountW]);
      f_misses   <= f_ends ? '0 : f_misses + CountW'(f_miss);
      if (decide_o) f_told <= next_o;
    end
  end

  // The rate of the first Full accesses, this cycle's included.
  logic [CountW:0]     f_all;
  logic [CountW-1:0]   f_missed;
  logic [ProductW-1:0] f_scaled, f_limit;
  assign f_all    = (f_accesses > (CountW + 1)'(Full)) ? (CountW + 1)'(Full) : f_accesses + (CountW + 1)'(f_counted);
  assign f_missed = f_misses + CountW'(f_miss);
  assign f_scaled = ProductW'(f_missed) * ProductW'(ThreshDen);
  assign f_limit  = ProductW'(f_all) * ProductW'(ThreshNum);

  always_comb begin
    if (f_live && rst_ni) begin
      // The counters are those of the period, up to the end of the sample.
      p_cycle:    assert (f_cycle == (CycleW + 1)'(cycle_q) && cycle_q <= CycleW'(Period - 1));
      p_accesses: assert (accesses_q == (f_accesses[CountW] ? {CountW{1'b1}} : f_accesses[CountW-1:0]));
      p_misses:   assert (misses_q == f_misses && misses_q <= accesses_q);
      // A period with enough accesses decides, at its end only, by the threshold.
      p_decides: assert (decide_o == (f_ends && f_all >= (CountW + 1)'(MinAccesses)));
      p_by_rate: assert (next_o == (decide_o && f_scaled > f_limit));
      // The last decision holds until the next one.
      p_holds:   assert (bypass_o == f_told);
      // All misses bypass; no miss opens.
      if (decide_o && misses == accesses) p_streams: assert (next_o);
      if (decide_o && misses == '0)       p_reuses:  assert (!next_o);
    end
  end
`endif
