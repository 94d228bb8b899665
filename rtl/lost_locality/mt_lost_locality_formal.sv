// SPDX-License-Identifier: Apache-2.0
// Formal properties of lost_locality, proved by `make formal BLOCK=lost_locality`; included at the end of mt_lost_locality.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_LOST_LOCALITY_PROPERTIES
  logic f_live;  // a reset has occurred

  // An arbitrary warp and tag; of the warp's array: the tag was written since it was looked up last, and tags written since.
  (* anyconst *) logic [WarpW-1:0] f_warp;
  (* anyconst *) logic [TagW-1:0]  f_tag;
  logic        f_written, f_owed, f_same_set, f_looked_up, f_placed, f_ended, f_here;
  logic [7:0]  f_newer;

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume (f_warp < (WarpW+1)'(Warps));

  assign f_here      = |(present_q & (Warps'(1) << f_warp));
  assign f_ended     = |(ends & (Warps'(1) << f_warp));
  assign f_same_set  = (Sets == 1) || evict_tag_i[SetW-1:0] == f_tag[SetW-1:0];
  assign f_looked_up = miss && miss_warp_i == f_warp && miss_tag_i == f_tag;
  assign f_placed    = evict && evict_warp_i == f_warp && f_same_set;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_written <= 1'b0;
      f_owed    <= 1'b0;
      f_newer   <= '0;
    end else begin
      if (f_ended) f_written <= 1'b0;
      else if (f_placed && evict_tag_i == f_tag) f_written <= 1'b1;
      else if (f_looked_up) f_written <= 1'b0;
      if (f_placed) f_newer <= (evict_tag_i == f_tag) ? '0 : f_newer + 8'(f_newer < 8'(Ways));
      // The lost locality of the warp is in no raised score yet.
      if (f_ended) f_owed <= 1'b0;
      else if (lost_o && miss_warp_i == f_warp) f_owed <= 1'b1;
      else if (apply && |(raising_q & (Warps'(1) << f_warp)) && !(|(pending_q & (Warps'(1) << f_warp)))) f_owed <= 1'b0;
    end
  end

  logic [NumberW-1:0]  sum_present;
  logic [ScoreW-1:0]   w_score, w_score_d;
  logic [Warps-1:0]    fine, first, w_onehot;
  logic [ProductW+1:0] f_product, f_below;
  logic [ProductW-1:0] f_dividend;  // of the division in progress
  always_comb begin
    sum_present = '0;
    w_score     = '0;
    w_onehot    = Warps'(1) << f_warp;
    for (int i = 0; i < Warps; i++) begin
      sum_present = sum_present + NumberW'(present_q[i]);
      fine[i]     = score_q[i] >= Base && (present_q[i] || score_q[i] == Base);
      first[i]    = present_q[i] && rank_q[i] == '0;
      if (f_warp == WarpW'(i)) w_score = score_q[i];
    end
  end
  always @(posedge clk_i) begin
    if (rst_ni && divide) f_dividend <= product;
  end
  assign f_product = (ProductW+2)'(quotient_q) * (ProductW+2)'(divisor_q);
  assign f_below   = f_product + (ProductW+2)'(divisor_q);

  // The score of f_warp in the cycle before.
  logic              f_old_valid, f_old_raise, f_old_fresh;
  logic [ScoreW-1:0] f_old_score, f_old_to;
  always @(posedge clk_i) begin
    f_old_valid <= f_live && rst_ni;
    f_old_raise <= raise_valid_o && |(raising_q & w_onehot);
    f_old_to    <= raise_score_o;
    f_old_fresh <= |((starts | ends) & w_onehot);
    f_old_score <= w_score;
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // Lost locality: exactly if the warp's tag was evicted since its last lookup, as long as the set has room for it.
      if (f_looked_up && f_written && f_newer < 8'(Ways)) p_found: assert (lost_o);
      if (f_looked_up && lost_o) p_not_invented: assert (f_written);
      // Each is in a raised score in the end.
      if (f_owed) p_owed: assert (|((pending_q | raising_q) & w_onehot));
      if (|(raising_q & w_onehot)) p_in_progress: assert (step_q != '0);
      // Gates: of warps that are present, and never of all.
      p_gated:    assert ((gated_o & ~present_q) == '0);
      p_someone:  assert (present_q == '0 || (present_q & ~gated_o) != '0);
      // Scores: at least the base; each falls by one a cycle, or rises to the new value on the raise outputs.
      p_base:     assert (&fine);
      p_count:    assert (count_q == sum_present);
      if (f_old_valid) begin
        if (f_old_fresh) p_fresh: assert (w_score == Base);
        else if (f_old_raise && f_old_to > f_old_score) p_rise: assert (w_score == f_old_to);
        else if (!f_old_raise || f_old_to < f_old_score) p_fall: assert (w_score == f_old_score - ScoreW'(f_old_score > Base));
      end
      // The raised score is the quotient, rounded down; or it is cut.
      if (apply) begin
        p_quotient: assert (&quotient_q || (f_product <= (ProductW+2)'(f_dividend) && f_below > (ProductW+2)'(f_dividend)));
        p_cut:      assert (!(&quotient_q) || f_product <= (ProductW+2)'(f_dividend));
      end
      // One of the warps that are present is the oldest.
      p_oldest:   assert (present_q == '0 || (first != '0 && (first & (first - Warps'(1))) == '0));
      if (!walk_q && raised == '0) p_calm: assert (gated_d == '0);
    end
  end

`ifdef FORMAL_AUX
  // Ranks of the warps that are present are 0 to their number less 1, each once.
  logic [Warps*Warps-1:0] f_clash;
  logic [Warps-1:0]       f_ranked, f_unsummed;
  generate
    for (genvar i = 0; i < Warps; i++) begin : g_f
      for (genvar j = 0; j < Warps; j++) begin : g_pair
        assign f_clash[i*Warps+j] = (i != j) & present_q[i] & present_q[j] & (rank_q[i] == rank_q[j]);
      end
      assign f_ranked[i]   = !present_q[i] || NumberW'(rank_q[i]) < count_q;
      assign f_unsummed[i] = walk_q || sum_q[i] == '0;
    end
  endgenerate

  // Ways of f_warp's set that hold f_tag, and the age of each: tags written behind it.
  logic [RowW-1:0]      f_row;
  logic [Ways-1:0]      f_valids, f_match;
  logic [WayW-1:0]      f_next;
  logic [Ways*TagW-1:0] f_tags;
  logic [7:0]           f_age;
  assign f_row = (Sets > 1) ? RowW'((f_warp << SetBits) | (WarpW+SetW)'(f_tag[SetW-1:0])) : RowW'(f_warp);
  always_comb begin
    f_valids = '0;
    f_tags   = '0;
    f_next   = '0;
    for (int r = 0; r < Rows; r++) begin
      if (f_row == RowW'(r)) begin
        f_valids = valid_q[r];
        f_tags   = tags_q[r];
        f_next   = next_q[r];
      end
    end
    f_match = '0;
    f_age   = 8'hff;
    for (int k = 0; k < Ways; k++) begin
      f_match[k] = f_valids[k] && f_tags[k*TagW +: TagW] == f_tag;
      // Way k was written as the (next - 1 - k)th last, round and round.
      if (f_match[k] && ((8'(f_next) + 8'(2 * Ways - 1) - 8'(k)) % 8'(Ways)) < f_age) f_age = (8'(f_next) + 8'(2 * Ways - 1) - 8'(k)) % 8'(Ways);
    end
  end
  // The division in progress: k bits of the quotient are the lowest of quotient_q, above them the rest of the dividend.
  logic [StepW-1:0]  f_k, f_to_come;
  logic [ScoreW-1:0] f_bits, f_above;
  logic              f_over;
  always @(posedge clk_i) begin
    if (rst_ni && divide) f_over <= 1'b0;
    else if (rst_ni && step_q == Check) f_over <= rest_q >= RestW'(divisor_q);
  end
  always_comb begin
    f_k       = (step_q > Check) ? step_q - StepW'(2) : '0;
    f_to_come = StepW'(ScoreW) - f_k;
    f_bits    = quotient_q & ~({ScoreW{1'b1}} << f_k);
    f_above   = ScoreW'(f_dividend) & ~({ScoreW{1'b1}} << f_to_come);
    if (f_live && rst_ni && step_q != '0) begin
      if (step_q == Check) x_dividend: assert (rest_q == RestW'(f_dividend >> ScoreW) && quotient_q == ScoreW'(f_dividend));
      else if (f_over) x_over: assert (step_q == Done && &quotient_q && (f_dividend >> ScoreW) >= ProductW'(divisor_q));
      else begin
        x_rest:  assert (rest_q < RestW'(divisor_q) && (quotient_q >> f_k) == f_above);
        x_so_far: assert ((ProductW+2)'(f_dividend >> f_to_come) == (ProductW+2)'(f_bits) * (ProductW+2)'(divisor_q) + (ProductW+2)'(rest_q));
      end
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      x_turn:     assert ((WarpW+1)'(turn_q) < (WarpW+1)'(Warps) && (walk_q || turn_q == '0));
      x_ranked:   assert (&f_ranked && f_clash == '0);
      x_sums:     assert (&f_unsummed);
      x_waiting:  assert (((pending_q | raising_q | gated_q) & ~present_q) == '0);
      x_step:     assert (step_q <= Done);
      x_written:  assert (f_match == '0 || f_written);
      x_next:     assert ((WayW+1)'(f_next) < (WayW+1)'(Ways));
      if (f_written && f_newer < 8'(Ways)) x_age: assert (f_match != '0 && f_age <= f_newer);
      x_here:     assert (f_here || (!f_written && !f_owed));
      if (f_owed) x_owed: assert (|(pending_q & w_onehot) || step_q != '0);
    end
  end
`endif
`endif
