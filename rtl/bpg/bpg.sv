// Bypassing Parameter Generator: how many warps or thread blocks may use the L1D (paper 000, section 2.6, figure 5).
//
// Within a cycle: the access is looked up in the shadow tags of its calculators; hits and a reservation failure are
// counted; the interval's last access takes a snapshot and halves the counters; a flush empties the shadow tags.
`include "assert.svh"

module bpg #(
  parameter int Calcs       = 8,
  parameter int Sets        = 32,
  parameter int SampledSets = 4,
  parameter int Ways        = 4,
  parameter int TagW        = 32,
  parameter int OwnerW      = 7,
  parameter int Interval    = 1000,
  parameter int HitW        = 10,
  parameter int RfW         = 12,
  parameter int HitShift    = 3,
  parameter int EShift      = 1,
  parameter int Rebase      = 0,
  parameter int LastAll     = 1,
  parameter int Parallel    = 0,
  localparam int SetW   = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int LW     = $clog2(Calcs + 1),
  localparam int AgeW   = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int CountW = $clog2(Interval)
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic              acc_valid_i,
  input  wire logic [SetW-1:0]   acc_set_i,
  input  wire logic [TagW-1:0]   acc_tag_i,
  input  wire logic [OwnerW-1:0] acc_owner_i,
  input  wire logic [OwnerW:0]   acc_owners_i,
  output logic                   acc_sampled_o,
  output logic [Calcs-1:0]       acc_hits_o,
  input  wire logic              rf_valid_i,
  input  wire logic              flush_valid_i,

  input  wire logic [OwnerW-1:0] ask_owner_i,
  output logic                   ask_bypass_o,
  output logic [LW-1:0]          l_max_o,
  output logic                   strobe_o,
  output logic                   error_o
);
  `PARAM_CHECK(g_illegal_calcs, Calcs >= 2 && Calcs <= 8)
  `PARAM_CHECK(g_illegal_sets, Sets >= 1 && Sets <= 4096 && (Sets & (Sets - 1)) == 0)
  `PARAM_CHECK(g_illegal_sampled, SampledSets >= 1 && SampledSets <= Sets && (SampledSets & (SampledSets - 1)) == 0)
  `PARAM_CHECK(g_illegal_ways, Ways >= 1 && Ways <= 16)
  `PARAM_CHECK(g_illegal_tag_w, TagW >= 1 && TagW <= 64)
  `PARAM_CHECK(g_illegal_owner_w, OwnerW <= 8 && (1 << OwnerW) > Calcs)
  `PARAM_CHECK(g_illegal_interval, Interval >= 16 && Interval <= 65536)
  `PARAM_CHECK(g_illegal_hit_w, HitW >= 1 && HitW <= 16)
  `PARAM_CHECK(g_illegal_rf_w, RfW >= 1 && RfW <= 13)
  `PARAM_CHECK(g_illegal_shifts, HitShift >= 0 && HitShift <= 7 && EShift >= 0 && EShift <= 7)
  `PARAM_CHECK(g_illegal_flag, (Rebase == 0 || Rebase == 1) && (LastAll == 0 || LastAll == 1) && (Parallel == 0 || Parallel == 1))

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

  // A set is sampled if the XOR of its number's fields of Shift bits is zero: one set in 2^Shift, whichever Shift neighbouring bits an
  // access pattern moves.  Its upper bits tell the sampled sets apart.
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

  // ---- the shadow tag arrays: the set of each calculator that the access falls into
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
      bpg_calc #(.Ways(Ways), .TagW(TagW)) u_calc (
        .tag_i    (acc_tag_i),
        .valid_i  (valids[i*Ways +: Ways]),
        .tags_i   (tags[i*Ways*TagW +: Ways*TagW]),
        .ages_i   (ages[i*Ways*AgeW +: Ways*AgeW]),
        .hit_o    (hit[i]),
        .chosen_o (chosen[i*Ways +: Ways]),
        .ages_o   (ages_new[i*Ways*AgeW +: Ways*AgeW])
      );
      assign touched[i] = sampled & ((NW'(acc_owner_i) <= NW'(i)) | (LastAll != 0 && i == Calcs - 1));

      for (genvar s = 0; s < SampledSets; s++) begin : g_set
        for (genvar w = 0; w < Ways; w++) begin : g_way
          localparam int E = (i * SampledSets + s) * Ways + w;
          logic here, write;
          assign here       = touched[i] & (set == SampW'(s));
          assign write      = here & chosen[i*Ways+w];
          assign valid_d[E] = (valid_q[E] | write) & ~flush_valid_i;
          always_ff @(posedge clk_i) begin
            if (!rst_ni) age_q[E] <= AgeW'(w);
            else if (here) age_q[E] <= ages_new[(i*Ways+w)*AgeW +: AgeW];
          end
          // It means nothing without valid_q: no reset, and it keeps its value in one.
          always_ff @(posedge clk_i) begin
            if (rst_ni && write) tag_q[E] <= acc_tag_i;
          end
        end
      end
    end
  endgenerate
  assign acc_hits_o = hit & touched;

  // ---- counters, with this cycle's; the snapshot
  logic [Calcs*HitW-1:0] hits_now;
  logic                  step, turn;

  assign rf_now  = rf_q + RfW'(rf_valid_i && !(&rf_q));
  assign rf_d    = ends ? rf_now >> 1 : rf_now;
  assign count_d = ends ? '0 : count_q + CountW'(acc_ok);
  assign step    = busy_q & ~ends;
  assign turn    = step & (l_q != '0);

  generate
    for (genvar i = 0; i < Calcs; i++) begin : g_hits
      logic [HitW-1:0] next;  // of the calculator behind this one
      assign hits_now[i*HitW +: HitW] = hits_q[i] + HitW'(acc_hits_o[i] && !(&hits_q[i]));
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
      n_q    <= (acc_owners_i < NW'(1 << OwnerW)) ? acc_owners_i : NW'(1 << OwnerW);
    end
  end

  // ---- the decision, in offset binary: 2^23 more than it is.  In turn: the ratio of an L is looked up a cycle ahead.
  logic [LW-1:0]     l_q, l_d, ahead, best_l, at_once;
  logic [RatioW-1:0] ratio_q, ratio;
  logic [24:0]       gain, cost, adjusted, best_q, best_d;
  logic [25:0]       room;
  logic [LW-1:0]     best_l_q, best_l_d;
  logic              better, last;
  logic [HitW-1:0]   first;

  assign ahead = l_q + LW'(1);
  bpg_ratio #(.Calcs(Calcs), .OwnerW(OwnerW), .Rebase(Rebase), .LastAll(LastAll)) u_ratio (
    .l_i     (ahead),
    .n_i     (n_q),
    .l_max_i (l_max_q),
    .ratio_o (ratio)
  );
  bpg_cost #(.RfW(RfW), .EShift(EShift), .RatioW(RatioW)) u_cost (
    .base_i  (base_q),
    .ratio_i (ratio_q),
    .cost_o  (cost)
  );
  // Not a continuous assignment: Icarus 11 does not see word 0 change in one.
  always_comb first = snap_q[0];
  assign gain     = (25'(first) << HitShift) + 25'h800000;
  assign adjusted = gain - cost;
  // Not adjusted >= best_q, which would wait for the multiplier and then for a subtraction: no cost is more than 2^22.
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

  // It means nothing without busy_q: no reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && step && Parallel == 0) ratio_q <= ratio;
  end

  generate
    if (Parallel != 0) begin : g_at_once
      logic [Calcs*HitW-1:0] snaps;
      for (genvar i = 0; i < Calcs; i++) begin : g_snap
        assign snaps[i*HitW +: HitW] = snap_q[i];
      end
      bpg_select #(.Calcs(Calcs), .OwnerW(OwnerW), .HitW(HitW), .RfW(RfW), .HitShift(HitShift), .EShift(EShift),
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

  `ASSERT(g_one_way_takes_it, (chosen[Ways-1:0] & (chosen[Ways-1:0] - Ways'(1))) == '0)

`ifdef FORMAL
  `define BPG_PROPERTIES
  `include "bpg_formal.sv"
  `undef BPG_PROPERTIES
`endif
endmodule
