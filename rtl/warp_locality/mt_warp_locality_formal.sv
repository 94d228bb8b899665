// SPDX-License-Identifier: Apache-2.0
// Formal properties of warp_locality, proved by `make formal BLOCK=warp_locality`; included at the end of mt_warp_locality.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_WARP_LOCALITY_PROPERTIES
  logic f_live;  // a reset has occurred

  // Two arbitrary warps i > j, and an arbitrary scheduler; f_i's scheduler is f_i mod Schedulers.
  (* anyconst *) logic [WarpW-1:0] f_i;
  (* anyconst *) logic [WarpW-1:0] f_j;
  logic [Warps-1:0]          f_onehot_i, f_onehot_j, f_own;
  logic                      f_known, f_starving, f_picked, f_is_last;
  logic [DegreeW-1:0]        f_degree, f_expected;
  logic [Arrays*RegionW-1:0] f_regions_i, f_regions_j;
  logic [Arrays*SubW-1:0]    f_subs_i, f_subs_j;
  logic [7:0]                f_newer, f_waited;

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume ((WarpW+1)'(f_i) < (WarpW+1)'(Warps) && f_j < f_i);

  assign f_onehot_i  = Warps'(1) << f_i;
  assign f_onehot_j  = Warps'(1) << f_j;
  assign f_known     = |(known_q & f_onehot_i) & |(known_q & f_onehot_j);
  assign f_regions_i = regions_q[f_i];
  assign f_regions_j = regions_q[f_j];
  assign f_subs_i    = subs_q[f_i];
  assign f_subs_j    = subs_q[f_j];
  mt_warp_locality_degree #(.Arrays(Arrays), .RegionW(RegionW), .SubW(SubW), .DegreeW(DegreeW)) u_f_degree (
    .regions_a_i(f_regions_i), .regions_b_i(f_regions_j), .subs_a_i(f_subs_i), .subs_b_i(f_subs_j), .degree_o(f_expected));

  always_comb begin
    f_degree = '0;
    for (int i = 1; i < Warps; i++) begin
      for (int j = 0; j < i; j++) begin
        if (f_i == WarpW'(i) && f_j == WarpW'(j)) f_degree = degree_q[i*(i-1)/2+j];
      end
    end
    f_is_last = 1'b0;
    for (int s = 0; s < Schedulers; s++) begin
      if (lasts_q[s] && last_q[s] == f_i) f_is_last = 1'b1;
    end
    f_own = '0;
    for (int i = 0; i < Warps; i++) f_own[i] = (32'(f_i) % Schedulers) == (i % Schedulers);
  end

  // Cycles in a row in which f_i starves and can issue, and another warp of its scheduler does; thread blocks that came after that of f_i.
  assign f_starving = |(starved & able & f_onehot_i);
  assign f_picked   = |(issue_pick_o & f_onehot_i);
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live   <= 1'b1;
      f_waited <= '0;
      f_newer  <= '0;
    end else begin
      if (!f_starving || f_picked) f_waited <= '0;
      else f_waited <= f_waited + 8'd1;
      if (|(starts & f_onehot_i)) f_newer <= '0;
      else if (|starts && warp_first_i && f_newer <= 8'(2 * Blocks)) f_newer <= f_newer + 8'd1;
    end
  end

  logic [CountW-1:0] f_picks_own;
  mt_popcount #(.Width(Ones)) u_f_picks (.vector_i(Ones'(issue_pick_o & f_own)), .count_o(f_picks_own));

  // The cycle before.
  logic             f_old_valid;
  logic [Warps-1:0] f_old_active;
  logic [CountW-1:0] f_new;
  always @(posedge clk_i) begin
    f_old_valid  <= f_live && rst_ni;
    f_old_active <= active_q;
  end
  mt_popcount #(.Width(Ones)) u_f_new (.vector_i(Ones'(active_q & ~f_old_active)), .count_o(f_new));

  localparam int OfScheduler = (Warps + Schedulers - 1) / Schedulers;  // warps of a scheduler at most

  always_comb begin
    if (f_live && rst_ni) begin
      // The table: the degree of two known warps is that of the vectors of the queue.
      if (f_known) p_degree: assert (f_degree == f_expected);
      p_known: assert ((known_q & ~(present_q & ranged_q)) == '0);
      // The group: within its size, of warps that are present and wait for nothing; at most one enters a cycle.
      p_size:    assert (7'(members) <= 7'(Group));
      p_group:   assert ((active_q & (~present_q | waits_q | starved)) == '0);
      if (f_old_valid) p_one_enters: assert (f_new <= CountW'(1));
      if (promote_valid_o) p_promoted: assert (|(ready & promote) && (promote & (promote - Warps'(1))) == '0);
      // Picks: at most one of a scheduler, of those that can issue, from the group or starved.
      p_able:    assert ((issue_pick_o & ~(able & (active_q | starved))) == '0);
      p_one:     assert (f_picks_own <= CountW'(1));
      // Without Wait a scheduler issues if it can.
      if (Wait == 0 && |(able & (active_q | starved) & f_own)) p_issues: assert (f_picks_own == CountW'(1));
      // Starvation: more than 2 Blocks thread blocks came later.  Starved warps come first, and wait for one pick of each other warp at most.
      if (|(present_q & f_onehot_i)) p_starved: assert (|(starved & f_onehot_i) == (f_newer > 8'(2 * Blocks)));
      if (|(able & starved & f_own)) p_first:   assert ((issue_pick_o & f_own & ~starved) == '0 && f_picks_own == CountW'(1));
      p_bound:   assert (f_waited < 8'(OfScheduler));
      // Greedy: the last warp goes on as long as it can, unless another one starves.
      if (f_is_last && |(able & active_q & f_onehot_i) && !(|(able & starved & f_own))) p_greedy: assert (f_picked);
      // At rest, nothing changes by itself.
      if (!busy_o) p_rest: assert (!fill_valid_q && unknown == '0 && !promote_valid_o);
    end
  end

`ifdef FORMAL_AUX
  // Distance from the warp behind the last one of f_i's scheduler to f_i, in warps of that scheduler, round and round.
  logic [7:0] f_last, f_steps, f_warp;
  logic       f_in_range;
  always_comb begin
    f_last     = '0;
    f_in_range = 1'b1;
    for (int s = 0; s < Schedulers; s++) begin
      if (32'(f_i) % Schedulers == s) f_last = 8'(last_q[s]);
      if (32'(last_q[s]) >= Warps || 32'(last_q[s]) % Schedulers != s || 32'(best_q[s]) >= Warps && bests_q[s]) f_in_range = 1'b0;
    end
    f_warp  = 8'(f_i);
    f_steps = '0;  // warps of the scheduler that are visited before f_i
    for (int i = 0; i < Warps; i++) begin
      if (f_own[i] && ((f_warp > f_last) ? (8'(i) > f_last && 8'(i) < f_warp) : (8'(i) > f_last || 8'(i) < f_warp))) f_steps = f_steps + 8'd1;
    end
  end

  // The fill in progress: the degrees with all known warps that are not to be visited any more are in the table.
  logic f_filled_i, f_filled_j, f_left_i, f_left_j;
  assign f_filled_i = fill_valid_q && f_i == fill_warp_q;
  assign f_filled_j = fill_valid_q && f_j == fill_warp_q;
  assign f_left_i   = |(fill_todo_q & f_onehot_i);
  assign f_left_j   = |(fill_todo_q & f_onehot_j);

  logic [NewerW-1:0] f_kept;
  always_comb begin
    f_kept = '0;
    for (int i = 0; i < Warps; i++) begin
      if (f_i == WarpW'(i)) f_kept = newer_q[i];
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      x_range:  assert (f_in_range && (!seek_valid_q || (WarpW+1)'(seek_warp_q) < (WarpW+1)'(Warps)));
      x_filler: assert (!fill_valid_q || |(unknown & fill_onehot));
      x_ranged: assert ((ranged_q & ~present_q) == '0);
      if (f_filled_i && |(known_q & f_onehot_j) && !f_left_j) x_filled_i: assert (f_degree == f_expected);
      if (f_filled_j && |(known_q & f_onehot_i) && !f_left_i) x_filled_j: assert (f_degree == f_expected);
      x_waited: assert (f_waited == '0 || f_waited + f_steps < 8'(OfScheduler));
      if (|(present_q & f_onehot_i)) x_newer: assert (f_newer <= 8'(Starves) && 8'(f_kept) == f_newer);
    end
  end
`endif
`endif
