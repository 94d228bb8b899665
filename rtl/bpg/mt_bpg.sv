// SPDX-License-Identifier: Apache-2.0
// Bypassing Parameter Generator: finds how many warps or thread blocks ("owners") should use the L1D while the others bypass
// it (Dai17, section 2.6, figure 5).
//
// Calculator i simulates, in a few sampled sets of shadow tags, a cache that owners 0 to i share, and counts its hits.  At the
// end of an interval the L with the most hits, less the cost of its estimated reservation failures, becomes l_max_o.
//
// Timing: an access is looked up, counted and written in its cycle.  The decision takes Calcs + 1 cycles after the end of an
// interval, or one with Parallel = 1.  Order within a cycle: shadow tag lookup; hits and a reservation failure are counted;
// the last access of an interval copies and halves the counters; a flush invalidates all shadow tags.
// Parameters: Calcs, SampledSets and Ways set the shadow tags, Interval the accesses between decisions, HitShift and EShift
// the weights of hits and failures.
`include "mt_assert.svh"

module mt_bpg #(
  parameter int Calcs       = 8,                 // Adjusted Hits calculators; calculator i observes owners 0..i
  parameter int Sets        = 32,                // sets of the cache, a power of two
  parameter int SampledSets = 4,                 // sampled sets, a power of two; spread over the index (Decisions)
  parameter int Ways        = 4,                 // ways of a shadow tag array
  parameter int TagW        = 32,                // bits of a tag; the line address may serve as tag
  parameter int OwnerW      = 7,                 // bits of an owner (warp or thread block); Calcs must fit
  parameter int Interval    = 1000,              // accesses per interval; each interval ends with a decision
  parameter int HitW        = 10,                // bits of a hit counter; it saturates
  parameter int RfW         = 12,                // bits of the reservation failure counter; it saturates
  parameter int HitShift    = 3,                 // weight of a sampled hit is 2^HitShift: log2 of the sampling ratio
  parameter int EShift      = 1,                 // E = 2^-EShift: cost of a reservation failure, in hits
  parameter int Rebase      = 0,                 // 1: failures count as measured with L_max owners in the cache; 0: with N
  parameter int LastAll     = 1,                 // 1: the last calculator observes every owner, as L_max = Calcs admits all; 0: owners 0..Calcs-1
  parameter int Parallel    = 0,                 // 0: one shared multiplier; 1: one per calculator
  localparam int SetW   = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int LW     = $clog2(Calcs + 1),
  localparam int AgeW   = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int CountW = $clog2(Interval)
) (
  input  wire logic              clk_i,          // clock, rising edge
  input  wire logic              rst_ni,         // synchronous reset, active low

  input  wire logic              acc_valid_i,    // the L1D accepts a read, cached or bypassed
  input  wire logic [SetW-1:0]   acc_set_i,      // its set, by the selected index function
  input  wire logic [TagW-1:0]   acc_tag_i,      // its tag
  input  wire logic [OwnerW-1:0] acc_owner_i,    // its owner: warp or thread block
  input  wire logic [OwnerW:0]   acc_owners_i,   // N: owner numbers are below it
  output logic                   acc_sampled_o,  // the access is to a sampled set
  output logic [Calcs-1:0]       acc_hits_o,     // calculators with a hit, one bit each
  input  wire logic              rf_valid_i,     // a reservation failure in the L1D
  input  wire logic              flush_valid_i,  // the L1D is invalidated

  input  wire logic [OwnerW-1:0] ask_owner_i,    // owner whose next access is to be decided
  output logic                   ask_bypass_o,   // the owner bypasses the cache
  output logic [LW-1:0]          l_max_o,        // number of owners that access the cache; Calcs: all
  output logic                   strobe_o,       // l_max_o was updated at the last clock edge
  output logic                   error_o         // enum bpg_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_calcs, Calcs >= 2 && Calcs <= 8)
  `MT_PARAM_CHECK(g_illegal_sets, Sets >= 1 && Sets <= 4096 && (Sets & (Sets - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_sampled, SampledSets >= 1 && SampledSets <= Sets && (SampledSets & (SampledSets - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_ways, Ways >= 1 && Ways <= 16)
  `MT_PARAM_CHECK(g_illegal_tag_w, TagW >= 1 && TagW <= 64)
  `MT_PARAM_CHECK(g_illegal_owner_w, OwnerW <= 8 && (1 << OwnerW) > Calcs)
  `MT_PARAM_CHECK(g_illegal_interval, Interval >= 16 && Interval <= 65536)
  `MT_PARAM_CHECK(g_illegal_hit_w, HitW >= 1 && HitW <= 16)
  `MT_PARAM_CHECK(g_illegal_rf_w, RfW >= 1 && RfW <= 13)
  `MT_PARAM_CHECK(g_illegal_shifts, HitShift >= 0 && HitShift <= 7 && EShift >= 0 && EShift <= 7)
  `MT_PARAM_CHECK(g_illegal_flag, (Rebase == 0 || Rebase == 1) && (LastAll == 0 || LastAll == 1) && (Parallel == 0 || Parallel == 1))

  localparam int Shift = $clog2(Sets / SampledSets);
  localparam int SampW = (SampledSets > 1) ? $clog2(SampledSets) : 1;
  localparam int Rows  = Calcs * SampledSets;
  localparam int NW    = OwnerW + 1;
  localparam int FoldW = (Shift > 0) ? Shift : 1;
  localparam int RatioW = (Rebase != 0) ? 23 : 14;

  logic [CountW-1:0]    count_q, count_d;
  logic [RfW-1:0]       rf_q, rf_d, rf_now, base_q;
  logic                 busy_q, busy_d, strobe_q, strobe_d, error_q, error_d;
  logic [LW-1:0]        l_max_q, l_max_d;
  logic [NW-1:0]        n_q;
  logic [Rows*Ways-1:0] valid_q, valid_d;
  (* mem2reg *)
  logic [HitW-1:0]      hits_q [Calcs];
  (* mem2reg *)
  logic [HitW-1:0]      snap_q [Calcs];
  (* mem2reg *)
  logic [TagW-1:0]      tag_q  [Rows*Ways];
  (* mem2reg *)
  logic [AgeW-1:0]      age_q  [Rows*Ways];

  // ---- the access
  logic             acc_ok, acc_bad, sampled, ends;
  logic [SampW-1:0] set;
  logic [FoldW-1:0] fold;

  // A set is sampled if the XOR of its number's Shift-bit fields is 0: one set in 2^Shift, for any access pattern that moves Shift
  // neighbouring bits.  The upper bits number the sampled sets.
  always_comb begin
    fold = '0;
    for (int b = 0; b < SetW; b = b + FoldW) fold = fold ^ FoldW'(acc_set_i >> b);
  end

  assign acc_ok  = acc_valid_i & (NW'(acc_owner_i) < acc_owners_i);
  assign acc_bad = acc_valid_i & ~acc_ok;
  assign sampled = acc_ok & (Shift == 0 || fold == '0);
  assign set     = (SampledSets > 1) ? SampW'(acc_set_i >> Shift) : '0;
  assign ends    = acc_ok & (count_q == CountW'(Interval - 1));
  assign acc_sampled_o = sampled;

  // ---- shadow tag arrays: in each calculator, the set that the access maps to
  logic [Calcs-1:0]           touched, hit;
  logic [Calcs*Ways-1:0]      valids, chosen;
  logic [Calcs*Ways*TagW-1:0] tags;
  logic [Calcs*Ways*AgeW-1:0] ages, ages_new;

  always_comb begin
    valids = '0;
    tags   = '0;
    ages   = '0;
    for (int i = 0; i < Calcs; i++) begin
      for (int s = 0; s < SampledSets; s++) begin
        for (int w = 0; w < Ways; w++) begin
          if (set == SampW'(s)) begin
            valids[i*Ways+w]              = valid_q[(i*SampledSets+s)*Ways+w];
            tags[(i*Ways+w)*TagW +: TagW] = tag_q[(i*SampledSets+s)*Ways+w];
            ages[(i*Ways+w)*AgeW +: AgeW] = age_q[(i*SampledSets+s)*Ways+w];
          end
        end
      end
    end
  end

  generate
    for (genvar i = 0; i < Calcs; i++) begin : g_calc
      mt_bpg_calc #(.Ways(Ways), .TagW(TagW)) u_calc (
        .tag_i    (acc_tag_i),
        .valid_i  (valids[i*Ways +: Ways]),
        .tags_i   (tags[i*Ways*TagW +: Ways*TagW]),
        .ages_i   (ages[i*Ways*AgeW +: Ways*AgeW]),
        .hit_o    (hit[i]),
        .chosen_o (chosen[i*Ways +: Ways]),
        .ages_o   (ages_new[i*Ways*AgeW +: Ways*AgeW])
      );
      assign touched[i] = sampled & ((acc_owner_i <= i) | (LastAll != 0 && i == Calcs - 1));

      for (genvar s = 0; s < SampledSets; s++) begin : g_set
        for (genvar w = 0; w < Ways; w++) begin : g_way
          localparam int E = (i * SampledSets + s) * Ways + w;
          logic here, write;
          assign here       = touched[i] & (set == s);
          assign write      = here & chosen[i*Ways+w];
          assign valid_d[E] = (valid_q[E] | write) & ~flush_valid_i;
          always_ff @(posedge clk_i) begin
            if (!rst_ni) age_q[E] <= w;
            else if (here) age_q[E] <= ages_new[(i*Ways+w)*AgeW +: AgeW];
          end
          // Valid only with valid_q: not reset, and it holds its value during reset.
          always_ff @(posedge clk_i) begin
            if (rst_ni && write) tag_q[E] <= acc_tag_i;
          end
        end
      end
    end
  endgenerate
  assign acc_hits_o = hit & touched;

  // ---- counters with the events of this cycle; the snapshot
  logic [Calcs*HitW-1:0] hits_now;
  logic                  step, turn;

  mt_sat_count #(.Width(RfW)) u_rf (.count_i(rf_q), .step_i(rf_valid_i), .count_o(rf_now));
  assign rf_d    = ends ? rf_now >> 1 : rf_now;
  assign count_d = ends ? '0 : count_q + CountW'(acc_ok);
  assign step    = busy_q & ~ends;
  assign turn    = step & (l_q != '0);

  generate
    for (genvar i = 0; i < Calcs; i++) begin : g_hits
      logic [HitW-1:0] hits, next;  // next: the snapshot of the calculator behind this one
      assign hits = hits_q[i];  // Yosys does not accept a table in a port connection
      mt_sat_count #(.Width(HitW)) u_count (.count_i(hits), .step_i(acc_hits_o[i]), .count_o(hits_now[i*HitW +: HitW]));
      if (i + 1 < Calcs) begin : g_next
        assign next = snap_q[i+1];
      end else begin : g_last
        assign next = '0;
      end
      always_ff @(posedge clk_i) begin
        if (!rst_ni) hits_q[i] <= '0;
        else hits_q[i] <= ends ? hits_now[i*HitW +: HitW] >> 1 : hits_now[i*HitW +: HitW];
      end
      always_ff @(posedge clk_i) begin
        if (rst_ni && ends) snap_q[i] <= hits_now[i*HitW +: HitW];
        else if (rst_ni && turn && Parallel == 0) snap_q[i] <= next;
      end
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (rst_ni && ends) begin
      base_q <= rf_now;
      n_q    <= (acc_owners_i < (1 << OwnerW)) ? acc_owners_i : 1 << OwnerW;
    end
  end

  // ---- the decision, in offset binary: values plus 2^23.  Serial: the ratio of an L is looked up one cycle ahead.
  logic [LW-1:0]     l_q, l_d, ahead, best_l, at_once;
  logic [RatioW-1:0] ratio_q, ratio;
  logic [24:0]       gain, cost, adjusted, best_q, best_d;
  logic [25:0]       room;
  logic [LW-1:0]     best_l_q, best_l_d;
  logic              better, last;
  logic [HitW-1:0]   first;

  assign ahead = l_q + 1;
  mt_bpg_ratio #(.Calcs(Calcs), .OwnerW(OwnerW), .Rebase(Rebase), .LastAll(LastAll)) u_ratio (
    .l_i     (ahead),
    .n_i     (n_q),
    .l_max_i (l_max_q),
    .ratio_o (ratio)
  );
  mt_bpg_cost #(.RfW(RfW), .EShift(EShift), .RatioW(RatioW)) u_cost (
    .base_i  (base_q),
    .ratio_i (ratio_q),
    .cost_o  (cost)
  );
  // always_comb: Icarus 11 misses a change of word 0 in a continuous assignment.
  always_comb first = snap_q[0];
  assign gain     = (25'(first) << HitShift) + 25'h800000;
  assign adjusted = gain - cost;
  // Instead of adjusted >= best_q, which adds a subtraction behind the multiplier.  Safe: no cost exceeds 2^22.
  assign room     = {1'b0, gain} - {1'b0, best_q};
  assign better   = ~room[25] & (room[24:0] >= cost);
  assign best_l   = better ? l_q : best_l_q;
  assign last     = (Parallel != 0) || (l_q == LW'(Calcs));

  always_comb begin
    l_d      = l_q;
    best_d   = best_q;
    best_l_d = best_l_q;
    if (ends || Parallel != 0) begin
      l_d      = '0;
      best_d   = '0;
      best_l_d = '0;
    end else begin
      if (step) l_d = ahead;
      if (turn && better) best_d = adjusted;
      if (turn) best_l_d = best_l;
    end
  end

  // Valid only with busy_q: not reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && step && Parallel == 0) ratio_q <= ratio;
  end

  generate
    if (Parallel != 0) begin : g_at_once
      logic [Calcs*HitW-1:0] snaps;
      for (genvar i = 0; i < Calcs; i++) begin : g_snap
        assign snaps[i*HitW +: HitW] = snap_q[i];
      end
      mt_bpg_select #(.Calcs(Calcs), .OwnerW(OwnerW), .HitW(HitW), .RfW(RfW), .HitShift(HitShift), .EShift(EShift),
        .Rebase(Rebase), .LastAll(LastAll)) u_select (
        .hits_i  (snaps),
        .base_i  (base_q),
        .n_i     (n_q),
        .l_max_i (l_max_q),
        .l_o     (at_once)
      );
    end else begin : g_in_turn
      assign at_once = best_l;
    end
  endgenerate

  assign strobe_d = step & last;
  assign busy_d   = ends | (step & ~last);
  assign l_max_d  = strobe_d ? at_once : l_max_q;

  assign l_max_o      = l_max_q;
  assign strobe_o     = strobe_q;
  assign ask_bypass_o = (l_max_q != LW'(Calcs)) & (NW'(ask_owner_i) >= NW'(l_max_q));
  assign error_d      = error_q | acc_bad;
  assign error_o      = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q  <= '0;
      rf_q     <= '0;
      busy_q   <= 1'b0;
      l_max_q  <= LW'(Calcs);
      strobe_q <= 1'b0;
      error_q  <= 1'b0;
      valid_q  <= '0;
      l_q      <= '0;
      best_q   <= '0;
      best_l_q <= '0;
    end else begin
      count_q  <= count_d;
      rf_q     <= rf_d;
      busy_q   <= busy_d;
      l_max_q  <= l_max_d;
      strobe_q <= strobe_d;
      error_q  <= error_d;
      valid_q  <= valid_d;
      l_q      <= l_d;
      best_q   <= best_d;
      best_l_q <= best_l_d;
    end
  end

  `MT_ASSERT(g_one_way_takes_it, (chosen[Ways-1:0] & (chosen[Ways-1:0] - 1)) == '0)

`ifdef FORMAL
  `define MT_BPG_PROPERTIES
  `include "mt_bpg_formal.sv"
  `undef MT_BPG_PROPERTIES
`endif
endmodule
