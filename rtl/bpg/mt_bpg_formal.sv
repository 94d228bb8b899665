// SPDX-License-Identifier: Apache-2.0
// Formal properties of bpg, proved by `make formal BLOCK=bpg`; included at the end of mt_bpg.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_BPG_PROPERTIES
  localparam int Turns = (Parallel != 0) ? 1 : 1 + Calcs;
  localparam int TurnW = $clog2(Turns + 1);
  localparam int CalcW = $clog2(Calcs);

  logic            f_live;                    // a reset has occurred
  logic [LW-1:0]   f_l_max;                   // in the cycle before
  logic            f_before;                  // there was one, out of reset
  logic [TurnW-1:0] f_turn;                   // cycles since the interval ended; Turns: no decision in progress
  logic [HitW-1:0] f_hits;                    // of calculator f_k at the end of the interval
  logic [24:0]     f_adjusted, f_chosen;      // adjusted hits of L = f_k + 1 and of the selected L
  logic            f_known;                   // an access has brought f_tag into set f_s of calculator f_k
  logic            f_again;                   // and was the last access there

  // An arbitrary calculator, sampled set and tag.
  (* anyconst *) logic [CalcW-1:0] f_k;
  (* anyconst *) logic [SampW-1:0] f_s;
  (* anyconst *) logic [TagW-1:0]  f_tag;
  logic f_here, f_mine;
  logic [HitW-1:0] f_hits_now;
  always_comb assume (LW'(f_k) < LW'(Calcs) && (SampledSets > 1 || f_s == '0));
  always_comb begin
    f_mine     = 1'b0;
    f_hits_now = '0;
    for (int i = 0; i < Calcs; i++) begin
      if (f_k == CalcW'(i)) begin
        f_mine     = touched[i];
        f_hits_now = hits_now[i*HitW +: HitW];
      end
    end
  end
  assign f_here = f_mine & (set == f_s);

  initial f_live = 1'b0;
  initial f_before = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    f_l_max <= l_max_q;
    if (!rst_ni) begin
      f_live   <= 1'b1;
      f_before <= 1'b0;
      f_turn   <= TurnW'(Turns);
      f_known  <= 1'b0;
      f_again  <= 1'b0;
    end else begin
      f_before <= 1'b1;
      f_turn   <= ends ? '0 : f_turn + TurnW'(f_turn != TurnW'(Turns));
      f_hits   <= ends ? f_hits_now : f_hits;
      f_known  <= ~flush_valid_i & (f_known | (f_here & (acc_tag_i == f_tag)));
      f_again  <= ~flush_valid_i & (f_here ? acc_tag_i == f_tag : f_again);
    end
  end

  // The paper's formula, for calculator f_k and for the selected L.
  logic [RatioW-1:0] f_ratio, f_at_ratio;
  logic [HitW-1:0]   f_at_hits;
  logic [24:0]       f_k_cost, f_at_cost;
  mt_bpg_ratio #(.Calcs(Calcs), .OwnerW(OwnerW), .Rebase(Rebase), .LastAll(LastAll)) u_f_ratio (
    .l_i(LW'(f_k) + LW'(1)), .n_i(n_q), .l_max_i(l_max_q), .ratio_o(f_ratio));
  mt_bpg_cost #(.RfW(RfW), .EShift(EShift), .RatioW(RatioW)) u_f_cost (
    .base_i(base_q), .ratio_i(f_ratio), .cost_o(f_k_cost));
  assign f_adjusted = (25'(f_hits) << HitShift) + 25'h800000 - f_k_cost;
  generate
    if (Parallel != 0) begin : g_f_at_once
      always_comb begin
        f_at_hits = '0;
        for (int i = 0; i < Calcs; i++) begin
          if (at_once == LW'(i + 1)) f_at_hits = snap_q[i];
        end
      end
      mt_bpg_ratio #(.Calcs(Calcs), .OwnerW(OwnerW), .Rebase(Rebase), .LastAll(LastAll)) u_f_at (
        .l_i(at_once), .n_i(n_q), .l_max_i(l_max_q), .ratio_o(f_at_ratio));
      mt_bpg_cost #(.RfW(RfW), .EShift(EShift), .RatioW(RatioW)) u_f_chosen (
        .base_i(base_q), .ratio_i(f_at_ratio), .cost_o(f_at_cost));
      assign f_chosen = (25'(f_at_hits) << HitShift) + 25'h800000 - f_at_cost;
    end else begin : g_f_in_turn
      assign f_at_hits  = '0;
      assign f_at_ratio = '0;
      assign f_at_cost  = '0;
      assign f_chosen   = better ? adjusted : best_q;
    end
  endgenerate

  // (P/Q)^3 of calculator f_k as the paper defines it: N owners are present, for any number of calculators.
  localparam int CubeW = 3 * NW + 15;
  logic [NW-1:0]    f_p, f_q;
  logic [CubeW-1:0] f_p3, f_q3, f_exact, f_found, f_off;
  logic             f_p_all, f_q_all;
  assign f_p_all = LastAll != 0 && LW'(f_k) == LW'(Calcs - 1);
  assign f_q_all = Rebase == 0 || l_max_q == LW'(Calcs);
  assign f_p     = (f_p_all || n_q <= NW'(f_k)) ? n_q : NW'(f_k) + NW'(1);
  assign f_q     = (f_q_all || n_q < NW'(l_max_q)) ? n_q : NW'(l_max_q);
  assign f_p3    = CubeW'(f_p) * CubeW'(f_p) * CubeW'(f_p);
  assign f_q3    = CubeW'(f_q) * CubeW'(f_q) * CubeW'(f_q);
  assign f_exact = ((f_p3 >= 512 * f_q3) ? 512 * f_q3 : f_p3) << 14;
  assign f_found = (CubeW'(f_ratio) * f_q3) << 1;
  assign f_off   = (f_exact > f_found) ? f_exact - f_found : f_found - f_exact;

  // The set number's fields of Shift bits, one bit of each at a time.
  logic [FoldW-1:0] f_odd;
  always_comb begin
    f_odd = '0;
    for (int b = 0; b < SetW; b++) f_odd[b % FoldW] = f_odd[b % FoldW] ^ acc_set_i[b];
  end

  // Contents of the ways of set f_s of calculator f_k.
  logic [Ways-1:0]      f_valid, f_match;
  logic [Ways*AgeW-1:0] f_age;
  logic [Ways*TagW-1:0] f_tags;
  logic                 f_twins, f_same_age, f_stale, f_front;
  always_comb begin
    f_valid = '0;
    f_age   = '0;
    f_tags  = '0;
    for (int i = 0; i < Calcs; i++) begin
      for (int s = 0; s < SampledSets; s++) begin
        for (int w = 0; w < Ways; w++) begin
          if (f_k == CalcW'(i) && f_s == SampW'(s)) begin
            f_valid[w]              = valid_q[(i*SampledSets+s)*Ways+w];
            f_age[w*AgeW +: AgeW]   = age_q[(i*SampledSets+s)*Ways+w];
            f_tags[w*TagW +: TagW]  = tag_q[(i*SampledSets+s)*Ways+w];
          end
        end
      end
    end
    f_twins    = 1'b0;
    f_same_age = 1'b0;
    f_stale    = 1'b0;
    f_front    = 1'b0;
    for (int w = 0; w < Ways; w++) begin
      f_match[w] = f_valid[w] & (f_tags[w*TagW +: TagW] == f_tag);
      f_front    = f_front | (f_match[w] & (f_age[w*AgeW +: AgeW] == '0));
      for (int v = 0; v < Ways; v++) begin
        if (v != w) begin
          f_twins    = f_twins | (f_valid[w] & f_valid[v] & (f_tags[w*TagW +: TagW] == f_tags[v*TagW +: TagW]));
          f_same_age = f_same_age | (f_age[w*AgeW +: AgeW] == f_age[v*AgeW +: AgeW]);
          f_stale    = f_stale | (f_valid[w] & ~f_valid[v] & (f_age[v*AgeW +: AgeW] < f_age[w*AgeW +: AgeW]));
        end
      end
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // L_max is 1 to Calcs, and changes only with the strobe.
      p_range:  assert (l_max_q >= LW'(1) && l_max_q <= LW'(Calcs));
      if (f_before && l_max_q != f_l_max) p_strobe: assert (strobe_o);
      // A set is sampled if its Shift-bit fields cancel; its row is the bits above the lowest field.
      if (acc_ok) p_sampled: assert (sampled == (Shift == 0 || f_odd == '0));
      // The ROM value of calculator f_k is exact to half of its last bit.
      if (busy_q) p_cube: assert (f_off <= f_q3);
      // A decision comes a fixed number of cycles after the end of its interval, and at no other time.
      p_timing: assert (strobe_d == (f_turn == TurnW'(Turns - 1) && !ends));
      // The selected L has the most adjusted hits, ties to the largest: no calculator f_k has more.
      if (strobe_d) begin
        p_most: assert (f_adjusted < f_chosen || (f_adjusted == f_chosen && at_once >= LW'(f_k) + LW'(1)));
        if (at_once == LW'(f_k) + LW'(1)) p_its_own: assert (f_adjusted == f_chosen);
      end
      // Owners below L_max never bypass; no owner does at L_max = Calcs.
      if (ask_bypass_o) p_bypass: assert (l_max_q < LW'(Calcs) && NW'(ask_owner_i) >= NW'(l_max_q));
      // A shadow set holds no tag twice; its ages are a permutation; invalid ways are the oldest.
      p_twins: assert (!f_twins);
      p_order: assert (!f_same_age);
      p_stale: assert (!f_stale);
      // A hit is correct: an owner that counts there brought the tag in.  The last tag hits.
      if (f_match != '0) p_known: assert (f_known);
      if (f_again) p_again: assert (f_front);
    end
  end

`ifdef FORMAL_AUX
  // The position of f_k in the shifting snapshot, and the ratio of the current L.
  logic [HitW-1:0]   f_first;
  logic [LW-1:0]     f_moved;
  logic [RatioW-1:0] f_now;
  assign f_moved = (l_q == '0) ? '0 : l_q - LW'(1);
  mt_bpg_ratio #(.Calcs(Calcs), .OwnerW(OwnerW), .Rebase(Rebase), .LastAll(LastAll)) u_f_now (
    .l_i(l_q), .n_i(n_q), .l_max_i(l_max_q), .ratio_o(f_now));
  always_comb begin
    f_first = '0;
    for (int i = 0; i < Calcs; i++) begin
      if (LW'(f_k) == LW'(i) + f_moved) f_first = snap_q[i];
    end
  end
  always_comb begin
    if (f_live && rst_ni) begin
      x_busy: assert (busy_q == (f_turn != TurnW'(Turns)) && f_turn <= TurnW'(Turns));
      x_n:    assert (!busy_q || (n_q >= NW'(1) && n_q <= NW'(1 << OwnerW)));
      if (busy_q && Parallel != 0) x_all: assert (f_first == f_hits);
      if (busy_q && Parallel == 0) begin
        x_turn: assert (TurnW'(l_q) == f_turn);
        if (l_q != '0) x_ratio: assert (ratio_q == f_now);
        if (l_q <= LW'(f_k) + LW'(1)) x_snap: assert (f_first == f_hits);
        if (l_q > LW'(f_k) + LW'(1)) begin
          x_most: assert (f_adjusted < best_q || (f_adjusted == best_q && best_l_q >= LW'(f_k) + LW'(1)));
          if (best_l_q == LW'(f_k) + LW'(1)) x_its_own: assert (f_adjusted == best_q);
        end
        x_best: assert ((l_q <= LW'(1)) == (best_l_q == '0) && (best_l_q == '0 || best_l_q < l_q) && (l_q > LW'(1) || best_q == '0));
      end
    end
  end
`endif
`endif
