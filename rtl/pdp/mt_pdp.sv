// SPDX-License-Identifier: Apache-2.0
// Protecting-distance replacement and bypass (Duong12): a line is protected until the access at distance PD in its set.
//
// Each line has a remaining protecting distance (RPD): PD - 1 at its fill and at each hit, less one for each access of its set. An
// unprotected line is replaced; if all are protected, the missing line bypasses.  A sampler measures reuse distances; at the end of
// an interval a search selects the PD with the most hits per occupied line and access.
//
// Timing: an access, a fill and a victim query per cycle; all see the state before.  A search takes CountW + 1 cycles for each
// distance counter; until its end no sample is counted.  Order within a cycle: the query; the access ages its set, then protects its
// line; a fill protects its line; a flush invalidates all samples.
// Parameters: Sets and Ways set the RPD table, RpdW and AgeShift its resolution; SampledSets, Depth, TagW and InsertShift the
// sampler; CountShift and CountW the counters; Interval the accesses between searches.
`include "mt_assert.svh"

module mt_pdp #(
  parameter int Sets        = 32,               // sets of the cache, a power of two
  parameter int Ways        = 4,                // ways of a set; also d_e, the accesses from the end of protection to the eviction
  parameter int SampledSets = 4,                // sampled sets, a power of two; spread over the index (Decisions)
  parameter int TagW        = 16,               // bits of the partial tag of a sample
  parameter int Depth       = 32,               // samples per sampled set, a power of two
  parameter int InsertShift = 2,                // every 2^InsertShift-th access of a sampled set becomes a sample (M)
  parameter int CountShift  = 2,                // distances per counter: 2^CountShift (S_c)
  parameter int CountW      = 12,               // bits of a distance counter and of the number of samples
  parameter int RpdW        = 7,                // bits of a line's remaining protecting distance
  parameter int AgeShift    = 0,                // a set ages every 2^AgeShift-th access (S_d)
  parameter int Interval    = 8192,             // accesses per interval; each interval ends with a search
  localparam int Farthest = Depth << InsertShift,    // the longest distance
  localparam int SetW     = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int WayW     = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int DistW    = $clog2(Farthest + 1)
) (
  input  wire logic             clk_i,          // clock, rising edge
  input  wire logic             rst_ni,         // synchronous reset, active low

  input  wire logic             acc_valid_i,    // the cache accepts a read
  input  wire logic [SetW-1:0]  acc_set_i,      // its set
  input  wire logic [TagW-1:0]  acc_tag_i,      // its partial tag
  input  wire logic             acc_hit_i,      // its line has a way, valid or reserved
  input  wire logic [WayW-1:0]  acc_way_i,      // that way; else ignored
  output logic                  acc_sampled_o,  // the access is to a sampled set
  output logic                  acc_found_o,    // a sample holds its tag

  input  wire logic             fill_valid_i,   // a line gets a way
  input  wire logic [SetW-1:0]  fill_set_i,     // its set
  input  wire logic [WayW-1:0]  fill_way_i,     // the way
  input  wire logic             flush_valid_i,  // the cache is invalidated

  input  wire logic [SetW-1:0]  ask_set_i,      // set in which a line needs a way
  input  wire logic [Ways-1:0]  ask_free_i,     // its ways without a line, one bit each
  input  wire logic [Ways-1:0]  ask_held_i,     // its ways with an outstanding miss
  output logic                  ask_bypass_o,   // no way is free or unprotected: the line should bypass
  output logic [WayW-1:0]       ask_way_o,      // the way to replace; 0 if all are held

  input  wire logic [DistW-1:0] fixed_pd_i,     // protecting distance; 0: the computed one
  output logic [DistW-1:0]      pd_o,           // the computed protecting distance
  output logic                  strobe_o,       // a search ended at the last clock edge
  output logic                  error_o         // enum pdp_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_sets, Sets >= 1 && Sets <= 256 && (Sets & (Sets - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_ways, Ways >= 1 && Ways <= 16)
  `MT_PARAM_CHECK(g_illegal_sampled, SampledSets >= 1 && SampledSets <= 32 && SampledSets <= Sets && (SampledSets & (SampledSets - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_tag_w, TagW >= 1 && TagW <= 32)
  `MT_PARAM_CHECK(g_illegal_depth, Depth >= 1 && Depth <= 64 && (Depth & (Depth - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_insert, InsertShift >= 0 && InsertShift <= 3)
  `MT_PARAM_CHECK(g_illegal_counters, CountShift >= 0 && CountShift <= 8 && (Farthest >> CountShift) >= 2)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 2 && CountW <= 16)
  `MT_PARAM_CHECK(g_illegal_rpd, RpdW >= 1 && RpdW <= 9 && AgeShift >= 0 && AgeShift <= 8)
  `MT_PARAM_CHECK(g_illegal_interval, Interval >= 16 && Interval <= 65536)

  localparam int Counters = Farthest >> CountShift;
  localparam int Lines    = Sets * Ways;
  localparam int SeenW    = $clog2(Interval);
  localparam int AtW      = $clog2(Counters);
  localparam int TurnW    = $clog2(CountW + 1);
  localparam int CostW    = CountW + $clog2(Farthest + Ways + 1);
  localparam int LeadW    = CountW + CostW + 1;
  localparam int Shift    = $clog2(Sets / SampledSets);
  localparam int FoldW    = (Shift > 0) ? Shift : 1;
  localparam int SampW    = (SampledSets > 1) ? $clog2(SampledSets) : 1;
  localparam int StepW    = (InsertShift > 0) ? InsertShift : 1;
  localparam int PhaseW   = (AgeShift > 0) ? AgeShift : 1;
  localparam int AwayW    = ((Depth > 1) ? $clog2(Depth) : 1) + StepW;
  localparam int SpanW    = DistW + AgeShift + 1;
  localparam logic [DistW-1:0] ResetPd = (Ways < Farthest) ? DistW'(Ways) : DistW'(Farthest);

  logic [SeenW-1:0]             seen_q, seen_d;
  logic [CountW-1:0]            total_q, total_d;
  logic                         busy_q, strobe_q, error_q;
  logic [AtW-1:0]               at_q, best_q;
  logic [TurnW-1:0]             turn_q;
  logic [CountW-1:0]            hits_q, best_hits_q;
  logic [CostW-1:0]             cost_q, best_cost_q;
  logic [LeadW-1:0]             lead_q;
  logic [DistW-1:0]             pd_q;
  logic [Lines-1:0]             reused_q;
  logic [SampledSets*Depth-1:0] live_q, live_d;
  (* mem2reg *)
  logic [RpdW-1:0]   rpd_q   [Lines];
  (* mem2reg *)
  logic [WayW-1:0]   next_q  [Sets];
  (* mem2reg *)
  logic [PhaseW-1:0] phase_q [Sets];
  (* mem2reg *)
  logic [TagW-1:0]   tag_q   [SampledSets*Depth];
  (* mem2reg *)
  logic [StepW-1:0]  step_q  [SampledSets];
  (* mem2reg *)
  logic [CountW-1:0] reuse_q [Counters];

  // ---- the access and the fill
  logic             acc_bad, acc_ok, fill_ok, sampled, counted, ends;
  logic [SetW-1:0]  acc_set, fill_set, ask_set;
  logic [SampW-1:0] sampler;
  logic [FoldW-1:0] fold;

  assign acc_set  = (Sets > 1) ? acc_set_i : '0;
  assign fill_set = (Sets > 1) ? fill_set_i : '0;
  assign ask_set  = (Sets > 1) ? ask_set_i : '0;
  assign acc_bad  = acc_valid_i & acc_hit_i & ({1'b0, acc_way_i} >= (WayW+1)'(Ways));
  assign acc_ok   = acc_valid_i & ~acc_bad;
  assign fill_ok  = fill_valid_i & ({1'b0, fill_way_i} < (WayW+1)'(Ways));

  // A set is sampled if the XOR of its number's Shift-bit fields is 0: one set in 2^Shift, for any access pattern that moves Shift
  // neighbouring bits.  The upper bits number the sampled sets.
  always_comb begin
    fold = '0;
    for (int b = 0; b < SetW; b = b + FoldW) fold = fold ^ FoldW'(acc_set_i >> b);
  end
  assign sampled = acc_ok & (Shift == 0 || fold == '0);
  assign sampler = (SampledSets > 1) ? SampW'(acc_set_i >> Shift) : '0;
  assign acc_sampled_o = sampled;

  assign counted = acc_ok & ~busy_q;
  assign ends    = counted & (seen_q == SeenW'(Interval - 1));
  assign seen_d  = ends ? '0 : seen_q + SeenW'(counted);

  // ---- remaining protecting distances
  logic [DistW-1:0] pd, between;
  logic [SpanW-1:0] steps;
  logic [RpdW-1:0]  load;

  // A reuse at distance PD has PD - 1 accesses before it.
  assign pd      = (fixed_pd_i != '0) ? fixed_pd_i : pd_q;
  assign between = pd - DistW'(pd != '0);
  assign steps   = (SpanW'(between) + ((1 << AgeShift) - 1)) >> AgeShift;
  assign load    = (32'(steps) > ((1 << RpdW) - 1)) ? {RpdW{1'b1}} : RpdW'(steps);

  generate
    for (genvar s = 0; s < Sets; s++) begin : g_set
      logic here, ages, filled;
      assign here   = acc_ok & (acc_set == s);
      assign ages   = here & ((AgeShift == 0) | (&phase_q[s]));
      assign filled = fill_ok & (fill_set == s);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          phase_q[s] <= '0;
          next_q[s]  <= '0;
        end else begin
          if (here && AgeShift > 0) phase_q[s] <= phase_q[s] + 1;
          if (filled) next_q[s] <= ({1'b0, fill_way_i} == (WayW+1)'(Ways - 1)) ? '0 : fill_way_i + 1;
        end
      end
      for (genvar w = 0; w < Ways; w++) begin : g_way
        localparam int E = s * Ways + w;
        logic hit, fill;
        assign hit  = here & acc_hit_i & (acc_way_i == w);
        assign fill = filled & (fill_way_i == w);
        always_ff @(posedge clk_i) begin
          if (!rst_ni) rpd_q[E] <= '0;
          else if (hit || fill) rpd_q[E] <= load;
          else if (ages && rpd_q[E] != '0) rpd_q[E] <= rpd_q[E] - 1;
        end
        always_ff @(posedge clk_i) begin
          if (!rst_ni) reused_q[E] <= 1'b0;
          else reused_q[E] <= (reused_q[E] | hit) & ~fill;
        end
      end
    end
  endgenerate

  // ---- the victim
  logic [Ways*RpdW-1:0] ask_rpds;
  logic [Ways-1:0]      ask_reused;
  logic [WayW-1:0]      ask_next;

  always_comb begin
    ask_rpds   = '0;
    ask_reused = '0;
    ask_next   = '0;
    for (int s = 0; s < Sets; s++) begin
      if (ask_set == SetW'(s)) begin
        ask_next = next_q[s];
        for (int w = 0; w < Ways; w++) begin
          ask_rpds[w*RpdW +: RpdW] = rpd_q[s*Ways+w];
          ask_reused[w]            = reused_q[s*Ways+w];
        end
      end
    end
  end
  mt_pdp_victim #(.Ways(Ways), .RpdW(RpdW)) u_victim (
    .free_i   (ask_free_i),
    .held_i   (ask_held_i),
    .rpds_i   (ask_rpds),
    .reused_i (ask_reused),
    .from_i   (ask_next),
    .bypass_o (ask_bypass_o),
    .way_o    (ask_way_o)
  );

  // ---- the sampler: the samples of the set that is accessed
  logic [Depth-1:0]      lives, lives_new;
  logic [Depth*TagW-1:0] tags;
  logic [StepW-1:0]      step;
  logic [AwayW-1:0]      away;
  logic                  found, inserts, leaves;

  always_comb begin
    lives = '0;
    tags  = '0;
    step  = '0;
    for (int s = 0; s < SampledSets; s++) begin
      if (sampler == SampW'(s)) begin
        step = step_q[s];
        for (int i = 0; i < Depth; i++) begin
          lives[i]             = live_q[s*Depth+i];
          tags[i*TagW +: TagW] = tag_q[s*Depth+i];
        end
      end
    end
  end
  mt_pdp_samples #(.Depth(Depth), .TagW(TagW), .InsertShift(InsertShift)) u_samples (
    .tag_i     (acc_tag_i),
    .live_i    (lives),
    .tags_i    (tags),
    .step_i    (step),
    .live_o    (lives_new),
    .found_o   (found),
    .away_o    (away),
    .inserts_o (inserts),
    .leaves_o  (leaves)
  );
  assign acc_found_o = sampled & found;

  generate
    for (genvar s = 0; s < SampledSets; s++) begin : g_sampler
      logic here;
      assign here = sampled & (sampler == s);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) step_q[s] <= '0;
        else if (here && InsertShift > 0) step_q[s] <= step_q[s] + 1;
      end
      for (genvar i = 0; i < Depth; i++) begin : g_sample
        localparam int E = s * Depth + i;
        logic [TagW-1:0] older;
        if (i > 0) begin : g_older
          assign older = tag_q[E-1];
        end else begin : g_youngest
          assign older = acc_tag_i;
        end
        assign live_d[E] = (here ? lives_new[i] : live_q[E]) & ~flush_valid_i;
        // Valid only with live_q: not reset, and it holds its value during reset.
        always_ff @(posedge clk_i) begin
          if (rst_ni && here && inserts) tag_q[E] <= older;
        end
      end
    end
  endgenerate

  // ---- the counters: frozen during a search and when the number of samples is about to overflow; halved by a search
  logic           counts, done, lapsed;
  logic [AtW-1:0] counter;

  assign counts  = ~busy_q & (total_q < {CountW{1'b1}} - 1);
  assign counter = AtW'(away >> CountShift);
  assign lapsed  = sampled & leaves;
  always_comb begin
    total_d = total_q;
    if (done) total_d = total_q >> 1;
    else if (counts) total_d = total_q + CountW'(acc_found_o) + CountW'(lapsed);
  end
  generate
    for (genvar i = 0; i < Counters; i++) begin : g_reuse
      logic here;
      assign here = counts & acc_found_o & (counter == i);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) reuse_q[i] <= '0;
        else reuse_q[i] <= done ? reuse_q[i] >> 1 : reuse_q[i] + CountW'(here);
      end
    end
  endgenerate

  // ---- the search: for each candidate distance one cycle adds its counter, CountW cycles compare it with the best so far.
  // E(d) = hits / cost; cost = the distances of the hits, and d + Ways for each other sample.
  logic              first, add, last, better;
  logic [CountW-1:0] reuses, hits, misses, best_hits, best_hits_d;
  logic [CostW-1:0]  cost, plus, minus;
  logic [LeadW-1:0]  lead;
  logic [AtW-1:0]    best_d;

  always_comb begin
    reuses = '0;
    for (int i = 0; i < Counters; i++) begin
      if (at_q == AtW'(i)) reuses = reuse_q[i];
    end
  end
  assign first  = at_q == '0;
  assign add    = busy_q & (turn_q == '0);
  assign last   = busy_q & (turn_q == TurnW'(CountW));
  assign done   = last & (at_q == AtW'(Counters - 1));
  assign hits   = first ? '0 : hits_q;
  assign misses = total_q - hits;
  // From one candidate to the next: its reuses hit, all others stay 2^CountShift accesses longer.  A reuse costs its distance: what
  // it cost before, with Ways, less Ways.
  assign cost   = (first ? total_q * CostW'(Ways) : cost_q) + (CostW'(misses) << CountShift) -
                  reuses * CostW'(Ways);

  // hits_q * best_cost_q - best_hits_q * cost_q, a bit of hits_q and best_hits_q per cycle.
  always_comb begin
    plus  = '0;
    minus = '0;
    for (int b = 0; b < CountW; b++) begin
      if (turn_q == TurnW'(CountW - b)) begin
        plus  = hits_q[b] ? best_cost_q : '0;
        minus = best_hits_q[b] ? cost_q : '0;
      end
    end
  end
  assign lead        = (lead_q << 1) + LeadW'(plus) - LeadW'(minus);
  assign better      = last & ~lead[LeadW-1] & (lead != '0);
  assign best_hits   = (add && first) ? '0 : best_hits_q;
  assign best_hits_d = better ? hits_q : best_hits;
  assign best_d      = better ? at_q : (add && first) ? '0 : best_q;

  // Valid only with busy_q, after the first addition: not reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && busy_q) begin
      hits_q      <= add ? hits + reuses : hits_q;
      cost_q      <= add ? cost : cost_q;
      lead_q      <= add ? '0 : lead;
      best_hits_q <= best_hits_d;
      best_cost_q <= better ? cost_q : (add && first) ? 1 : best_cost_q;
      best_q      <= best_d;
    end
  end

  assign pd_o     = pd_q;
  assign strobe_o = strobe_q;
  assign error_o  = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      seen_q   <= '0;
      total_q  <= '0;
      busy_q   <= 1'b0;
      at_q     <= '0;
      turn_q   <= '0;
      pd_q     <= ResetPd;
      strobe_q <= 1'b0;
      error_q  <= 1'b0;
      live_q   <= '0;
    end else begin
      seen_q   <= seen_d;
      total_q  <= total_d;
      busy_q   <= ends | (busy_q & ~done);
      at_q     <= at_q + AtW'(last);
      turn_q   <= last ? '0 : turn_q + TurnW'(busy_q);
      if (done && best_hits_d != '0) pd_q <= (DistW'(best_d) + 1) << CountShift;
      strobe_q <= done;
      error_q  <= error_q | acc_bad | (fill_valid_i & ~fill_ok);
      live_q   <= live_d;
    end
  end

`ifdef FORMAL
  `define MT_PDP_PROPERTIES
  `include "mt_pdp_formal.sv"
  `undef MT_PDP_PROPERTIES
`endif
endmodule
