// SPDX-License-Identifier: Apache-2.0
// Decides by the miss rate of a sampling period whether a cache is bypassed (Khairy15, section 4.1).
//
// Accesses and misses of a period are counted.  At its end, bypass = misses * ThreshDen > accesses * ThreshNum: both products
// are by constants, and there is no divider.  The cache reports its look-ups in both modes.
//
// Timing: bypass_o is registered.  An access in the last cycle of a period belongs to it.
// Parameters: Period, the threshold ThreshNum/ThreshDen, MinAccesses for a decision, CountW, MergeIsHit.
`include "mt_assert.svh"

module mt_stream_bypass #(
  parameter int Period      = 10000,  // cycles of a sampling period
  parameter int ThreshNum   = 9,      // threshold of the miss rate = ThreshNum/ThreshDen, its numerator
  parameter int ThreshDen   = 10,     // its denominator, above ThreshNum
  parameter int MinAccesses = 64,     // a period with fewer accesses decides nothing; at most all ones of CountW
  parameter int CountW      = 14,     // bits of the access and miss counters; a full access counter ends the sample
  parameter int MergeIsHit  = 0       // an access that merges with a miss in flight counts as: 0 a miss, 1 a hit
) (
  input  wire logic clk_i,            // clock, rising edge
  input  wire logic rst_ni,           // synchronous reset, active low

  input  wire logic acc_valid_i,      // an access looks up the tags
  input  wire logic acc_hit_i,        // they have its line, with or without data
  input  wire logic acc_merge_i,      // its line is on its way

  output logic      bypass_o,         // the cache is bypassed
  output logic      decide_o,         // a period with enough accesses ends in this cycle
  output logic      next_o            // with decide_o: bypass_o from the next cycle on; else 0
);
  `MT_PARAM_CHECK(g_illegal_period, Period >= 2 && Period <= 16777215)
  `MT_PARAM_CHECK(g_illegal_threshold, ThreshNum >= 0 && ThreshNum < ThreshDen && ThreshDen <= 1023)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 1 && CountW <= 24)
  `MT_PARAM_CHECK(g_illegal_min_accesses, MinAccesses >= 1 && MinAccesses < (1 << CountW))
  `MT_PARAM_CHECK(g_illegal_merge_is_hit, MergeIsHit >= 0 && MergeIsHit <= 1)

  localparam int CycleW   = $clog2(Period);
  localparam int ProductW = CountW + $clog2(ThreshDen + 1);

  logic [CycleW-1:0] cycle_q, cycle_d;
  logic [CountW-1:0] accesses_q, accesses_d, misses_q, misses_d;
  logic              bypass_q, bypass_d;

  // ---- the sample: a full access counter ends it, so that the rate stays that of the accesses counted
  logic              counted, hit, missed;
  logic [CountW-1:0] accesses, misses;

  assign counted  = acc_valid_i & ~(&accesses_q);
  assign hit      = acc_hit_i | (acc_merge_i & (MergeIsHit != 0));
  assign missed   = counted & ~hit;
  assign accesses = accesses_q + CountW'(counted);
  assign misses   = misses_q + CountW'(missed);

  // ---- the decision
  logic ends, over;

  assign ends     = cycle_q == CycleW'(Period - 1);
  assign over     = misses * ProductW'(ThreshDen) > accesses * ProductW'(ThreshNum);
  assign decide_o = ends & (accesses >= CountW'(MinAccesses));
  assign next_o   = decide_o & over;
  assign bypass_o = bypass_q;

  assign cycle_d    = ends ? '0 : cycle_q + 1;
  assign accesses_d = ends ? '0 : accesses;
  assign misses_d   = ends ? '0 : misses;
  assign bypass_d   = decide_o ? over : bypass_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q    <= '0;
      accesses_q <= '0;
      misses_q   <= '0;
      bypass_q   <= 1'b0;
    end else begin
      cycle_q    <= cycle_d;
      accesses_q <= accesses_d;
      misses_q   <= misses_d;
      bypass_q   <= bypass_d;
    end
  end

  `MT_ASSERT(g_misses_are_accesses, misses_q <= accesses_q)

`ifdef FORMAL
  `define MT_STREAM_BYPASS_PROPERTIES
  `include "mt_stream_bypass_formal.sv"
  `undef MT_STREAM_BYPASS_PROPERTIES
`endif
endmodule
