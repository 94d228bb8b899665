// SPDX-License-Identifier: Apache-2.0
// Formal properties of pdp, proved by `make formal BLOCK=pdp`; included at the end of mt_pdp.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_PDP_PROPERTIES
  localparam int Search  = Counters * (CountW + 1);
  localparam int SearchW = $clog2(Search + 2);
  localparam int SumW    = CountW + AtW + 1;

  // An arbitrary line, candidate distance, sampled set and tag; and the access of that tag to follow.
  (* anyconst *) logic [$clog2(Lines > 1 ? Lines : 2)-1:0] f_line;
  (* anyconst *) logic [AtW-1:0]   f_k;
  (* anyconst *) logic [SampW-1:0] f_s;
  (* anyconst *) logic [TagW-1:0]  f_tag;
  (* anyseq *)   logic             f_pick;
  always_comb assume (32'(f_line) < Lines && (SampledSets > 1 || f_s == '0));

  logic               f_live;     // a reset has occurred
  logic               f_before;   // there was a cycle before, out of reset
  logic [DistW-1:0]   f_pd;       // pd_q then
  logic [SearchW-1:0] f_turn;     // cycles since the interval ended; Search: no search in progress
  logic [RpdW-1:0]    f_left;     // protection of the line f_line
  logic               f_sampled;  // an access of tag f_tag became a sample of set f_s, and was not reused since
  logic [AwayW-1:0]   f_away;     // accesses of the set since

  logic             f_touched, f_filled, f_here, f_mine;
  logic [RpdW-1:0]  f_rpd;
  assign f_touched = acc_ok & acc_hit_i & (32'(acc_set) * Ways + 32'(acc_way_i) == 32'(f_line));
  assign f_filled  = fill_ok & (32'(fill_set) * Ways + 32'(fill_way_i) == 32'(f_line));
  assign f_here    = sampled & (sampler == f_s);
  assign f_mine    = f_here & (acc_tag_i == f_tag);
  always_comb begin
    f_rpd = '0;
    for (int e = 0; e < Lines; e++) begin
      if (32'(f_line) == e) f_rpd = rpd_q[e];
    end
  end

  initial f_live = 1'b0;
  initial f_before = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    f_pd <= pd_q;
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_before  <= 1'b0;
      f_turn    <= SearchW'(Search);
      f_left    <= '0;
      f_sampled <= 1'b0;
    end else begin
      f_before <= 1'b1;
      f_turn   <= ends ? '0 : f_turn + SearchW'(f_turn != SearchW'(Search));
      if (f_touched || f_filled) f_left <= load;
      else if (acc_ok && 32'(acc_set) == 32'(f_line) / Ways && f_left != '0 && AgeShift == 0) f_left <= f_left - RpdW'(1);
      // Followed from the access that becomes a sample to its reuse or its last place.
      if (flush_valid_i) f_sampled <= 1'b0;
      else if (f_mine) f_sampled <= inserts & f_pick;
      else if (f_here && f_away == AwayW'(Farthest - 1)) f_sampled <= 1'b0;
      if (f_here) f_away <= f_mine ? '0 : f_away + AwayW'(1);
    end
  end

  // Hits and cost of each candidate, by the paper's formula.
  logic [Counters*SumW-1:0]  f_hits;
  logic [Counters*CostW-1:0] f_costs;
  logic [SumW-1:0]           f_sum;
  logic [CostW-1:0]          f_span;
  always_comb begin
    f_sum   = '0;
    f_span  = '0;
    f_hits  = '0;
    f_costs = '0;
    for (int i = 0; i < Counters; i++) begin
      f_sum  = f_sum + SumW'(reuse_q[i]);
      f_span = f_span + CostW'(reuse_q[i]) * CostW'((i + 1) << CountShift);
      f_hits[i*SumW +: SumW]    = f_sum;
      f_costs[i*CostW +: CostW] = f_span + (CostW'(total_q) - CostW'(f_sum)) * CostW'(((i + 1) << CountShift) + Ways);
    end
  end

  logic [CountW-1:0] f_k_hits, f_at_hits, f_before_hits, f_best_hits;
  logic [CostW-1:0]  f_k_cost, f_at_cost, f_before_cost, f_best_cost;
  always_comb begin
    f_k_hits      = '0;
    f_k_cost      = '0;
    f_at_hits     = '0;
    f_at_cost     = '0;
    f_before_hits = '0;
    f_before_cost = '0;
    f_best_hits   = '0;
    f_best_cost   = '0;
    for (int i = 0; i < Counters; i++) begin
      if (f_k == AtW'(i)) f_k_hits = CountW'(f_hits[i*SumW +: SumW]);
      if (f_k == AtW'(i)) f_k_cost = f_costs[i*CostW +: CostW];
      if (at_q == AtW'(i)) f_at_hits = CountW'(f_hits[i*SumW +: SumW]);
      if (at_q == AtW'(i)) f_at_cost = f_costs[i*CostW +: CostW];
      if (at_q == AtW'(i + 1)) f_before_hits = CountW'(f_hits[i*SumW +: SumW]);
      if (at_q == AtW'(i + 1)) f_before_cost = f_costs[i*CostW +: CostW];
      if (best_d == AtW'(i)) f_best_hits = CountW'(f_hits[i*SumW +: SumW]);
      if (best_d == AtW'(i)) f_best_cost = f_costs[i*CostW +: CostW];
    end
  end
  logic [LeadW-1:0] f_k_product, f_best_product;
  assign f_k_product    = LeadW'(f_k_hits) * LeadW'(f_best_cost);
  assign f_best_product = LeadW'(f_best_hits) * LeadW'(f_k_cost);

  // Victim: the way chosen, and an arbitrary other way.
  (* anyconst *) logic [WayW-1:0] f_v;
  always_comb assume (32'(f_v) < Ways);
  logic [RpdW-1:0] f_way_rpd, f_v_rpd;
  logic            f_way_reused, f_v_reused, f_way_free, f_way_held, f_v_free, f_v_held;
  always_comb begin
    f_way_rpd    = '0;
    f_v_rpd      = '0;
    f_way_reused = 1'b0;
    f_v_reused   = 1'b0;
    f_way_free   = 1'b0;
    f_way_held   = 1'b0;
    f_v_free     = 1'b0;
    f_v_held     = 1'b0;
    for (int w = 0; w < Ways; w++) begin
      if (ask_way_o == WayW'(w)) begin
        f_way_rpd    = ask_rpds[w*RpdW +: RpdW];
        f_way_reused = ask_reused[w];
        f_way_free   = ask_free_i[w];
        f_way_held   = ask_held_i[w];
      end
      if (f_v == WayW'(w)) begin
        f_v_rpd    = ask_rpds[w*RpdW +: RpdW];
        f_v_reused = ask_reused[w];
        f_v_free   = ask_free_i[w];
        f_v_held   = ask_held_i[w];
      end
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // A way that is held is replaced only if all are, and then the line should bypass.
      p_way:  assert (32'(ask_way_o) < Ways);
      if (!(&ask_held_i)) p_held: assert (!f_way_held);
      if (&ask_held_i) p_all_held: assert (ask_bypass_o);
      // Without a bypass the victim is free or unprotected, and free if any way is.
      if (!ask_bypass_o) p_victim: assert (f_way_free || f_way_rpd == '0);
      if (!f_v_held && f_v_free) p_free: assert (!ask_bypass_o && f_way_free);
      // With a bypass no way is free or unprotected, and none is a better victim than the one named.
      if (ask_bypass_o && !f_v_held) begin
        p_bypass:   assert (!f_v_free && f_v_rpd != '0);
        p_youngest: assert ({~f_way_reused, f_way_rpd} >= {~f_v_reused, f_v_rpd});
      end
      // The line is protected for as many accesses of its set as its last fill or hit gave it.
      if (AgeShift == 0) p_protected: assert (f_rpd == f_left);
      // The computed distance is 1 to Farthest, and changes only with the strobe.
      p_range: assert (pd_q >= DistW'(1) && pd_q <= DistW'(Farthest));
      if (f_before && pd_q != f_pd) p_strobe: assert (strobe_o);
      // A search ends a fixed number of cycles after the last access of its interval, and at no other time.
      p_timing: assert (done == (f_turn == SearchW'(Search - 1)));
      // No more samples were reused than ended.
      p_total: assert (f_sum <= SumW'(total_q));
      // A sample is reused by the next access of its tag, at its distance.
      if (f_sampled && f_mine) p_reuse: assert (found && away == f_away);
      // The selected distance has the most hits per cost, ties to the shortest; without a reuse there is none.
      if (done) begin
        p_best: assert (f_k_product <= f_best_product);
        if (f_k < best_d) p_shortest: assert (f_k_product < f_best_product);
        p_none: assert ((best_hits_d == '0) == (f_sum == '0));
      end
    end
  end

`ifdef FORMAL_AUX
  // Bits of the products that are in lead_q.
  logic [TurnW-1:0]  f_bits;
  logic [LeadW-1:0]  f_lead;
  logic [CountW-1:0] f_upper, f_best_upper;
  assign f_bits       = turn_q - TurnW'(1);
  assign f_upper      = hits_q >> (TurnW'(CountW) - f_bits);
  assign f_best_upper = best_hits_q >> (TurnW'(CountW) - f_bits);
  assign f_lead       = LeadW'(f_upper) * LeadW'(best_cost_q) - LeadW'(f_best_upper) * LeadW'(cost_q);

  // The best so far, before this cycle; started: there is one.
  logic              f_started;
  logic [CountW-1:0] f_so_far_hits;
  logic [CostW-1:0]  f_so_far_cost;
  assign f_started = busy_q & ~(first & add);
  always_comb begin
    f_so_far_hits = '0;
    f_so_far_cost = '0;
    for (int i = 0; i < Counters; i++) begin
      if (best_q == AtW'(i)) f_so_far_hits = CountW'(f_hits[i*SumW +: SumW]);
      if (best_q == AtW'(i)) f_so_far_cost = f_costs[i*CostW +: CostW];
    end
  end

  // The youngest place of the followed sample, and whether it is there alone.
  logic [AwayW-1:0] f_age;
  logic             f_there, f_other;
  assign f_age = f_away >> InsertShift;
  always_comb begin
    f_there = 1'b0;
    f_other = 1'b0;
    for (int s = 0; s < SampledSets; s++) begin
      for (int i = 0; i < Depth; i++) begin
        if (f_s == SampW'(s) && live_q[s*Depth+i] && tag_q[s*Depth+i] == f_tag) begin
          if (f_age == AwayW'(i)) f_there = 1'b1;
          if (f_age > AwayW'(i)) f_other = 1'b1;
        end
      end
    end
  end
  logic [StepW-1:0] f_step;
  always_comb begin
    f_step = '0;
    for (int s = 0; s < SampledSets; s++) begin
      if (f_s == SampW'(s)) f_step = step_q[s];
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      x_busy: assert (busy_q == (f_turn != SearchW'(Search)) && f_turn <= SearchW'(Search));
      x_turn: assert (turn_q <= TurnW'(CountW));
      if (busy_q) x_time: assert (f_turn == SearchW'(at_q) * SearchW'(CountW + 1) + SearchW'(turn_q));
      else x_rest: assert (turn_q == '0 && at_q == '0);
      if (busy_q && turn_q == '0 && at_q != '0) x_before: assert (hits_q == f_before_hits && cost_q == f_before_cost);
      if (busy_q && turn_q != '0) x_now: assert (hits_q == f_at_hits && cost_q == f_at_cost && lead_q == f_lead);
      if (f_started) begin
        x_order: assert (best_q < at_q || (best_q == '0 && best_hits_q == '0));
        if (best_hits_q == '0) x_none: assert (best_cost_q == CostW'(1) && best_q == '0);
        else x_best: assert (best_hits_q == f_so_far_hits && best_cost_q == f_so_far_cost);
        if (f_k < at_q) begin
          x_most: assert (LeadW'(f_k_hits) * LeadW'(best_cost_q) <= LeadW'(best_hits_q) * LeadW'(f_k_cost));
          if (f_k < best_q) x_shortest:
            assert (LeadW'(f_k_hits) * LeadW'(best_cost_q) < LeadW'(best_hits_q) * LeadW'(f_k_cost));
        end
      end
      if (f_sampled) begin
        x_there: assert (f_there && !f_other && 32'(f_away) < Farthest);
        x_step:  assert (InsertShift == 0 || f_step == StepW'(f_away));
      end
    end
  end
`endif
`endif
