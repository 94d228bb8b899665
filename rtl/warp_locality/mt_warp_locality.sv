// SPDX-License-Identifier: Apache-2.0
// Locality-aware two-level warp scheduler (Chen16, section 3.4).
//
// Each warp has the regions of its thread block and the subregions that it accesses, for each array.  The locality degree of two
// warps is the number of subregions that both access where their regions are equal.  Warps of a small active group issue: the
// one that issued last, else the one with the highest degree with it.  A warp that waits for memory or at a barrier leaves the
// group; the ready warp with the highest degrees with the group enters it.  Warps that starve issue first.
//
// Timing: linear searches, one warp a cycle: of each scheduler for the warp to issue after the last one, for the warp to promote,
// and over the warps present to fill the table with the degrees of a warp that has started.  issue_* is combinational.  Order
// within a cycle: picks and promotion; warps that begin or cease to wait; a warp starts or ends.
// Parameters: Warps, Schedulers and Group set the size; Arrays, RegionW and SubW the vectors; Blocks the age at which a warp starves.
`include "mt_assert.svh"

module mt_warp_locality #(
  parameter int Warps      = 48,                   // warp slots of the SM
  parameter int Schedulers = 2,                    // schedulers; warp w belongs to scheduler w mod Schedulers
  parameter int Group      = 16,                   // warps of the active group, of all schedulers together
  parameter int Arrays     = 5,                    // arrays whose access ranges are compared; with RegionW up to 64 bits
  parameter int RegionW    = 10,                   // bits of a region vector, one for each array
  parameter int SubW       = 16,                   // bits of a subregion vector, one for each array
  parameter int DegreeW    = 8,                    // bits of a locality degree; it saturates
  parameter int Blocks     = 8,                    // thread blocks of the SM: a warp starves when more than twice as many came after its own
  parameter int Wait       = 0,                    // when a search is not complete; 0: its best so far is taken; 1: nothing is, until it is complete
  localparam int WarpW = (Warps > 1) ? $clog2(Warps) : 1,
  localparam int SumW  = DegreeW + $clog2(Group + 1)
) (
  input  wire logic                      clk_i,            // clock, rising edge
  input  wire logic                      rst_ni,           // synchronous reset, active low

  input  wire logic                      warp_valid_i,     // a warp starts or ends
  input  wire logic                      warp_start_i,     // it starts; else it ends
  input  wire logic [WarpW-1:0]          warp_number_i,    // its slot
  input  wire logic                      warp_first_i,     // of a start: it is the first warp of its thread block
  input  wire logic                      warp_ranged_i,    // of a start: its access ranges are known; else it has no locality
  input  wire logic [Arrays*RegionW-1:0] warp_regions_i,   // region vectors of its thread block, array 0 lowest
  input  wire logic [Arrays*SubW-1:0]    warp_subs_i,      // its subregion vectors, array 0 lowest
  input  wire logic                      wait_valid_i,     // the set of waiting warps changes
  input  wire logic [Warps-1:0]          wait_warps_i,     // warps that wait for memory or at a barrier, one bit each

  input  wire logic                      issue_valid_i,    // the schedulers issue
  input  wire logic [Warps-1:0]          issue_able_i,     // warps whose next instruction can issue, one bit each
  output logic [Warps-1:0]               issue_pick_o,     // warps that issue, at most one of each scheduler, one bit each
  output logic [Warps-1:0]               issue_local_o,    // of these, those chosen for a degree above 0
  output logic [Warps-1:0]               issue_starved_o,  // of these, those that starve

  output logic                           promote_valid_o,  // a warp enters the active group at this clock edge, unless it ends, starves or waits then
  output logic [WarpW-1:0]               promote_warp_o,   // its slot; else 0
  output logic [SumW-1:0]                promote_degree_o, // its degrees with the active group when the search came to it; else 0
  output logic [Warps-1:0]               active_o,         // the active group, one bit each
  output logic [Warps-1:0]               starved_o,        // warps that starve, one bit each
  output logic                           busy_o,           // the state may change at this clock edge without an input
  output logic [1:0]                     error_o           // enum warp_locality_error, the first one, until reset
);
  localparam int Pairs  = Warps * (Warps - 1) / 2;
  localparam int Starves = 2 * Blocks + 1;
  localparam int NewerW = $clog2(Starves + 1);
  localparam int Ones   = 1 << $clog2(Warps);             // Warps, up to the next power of two
  localparam int CountW = $clog2(Ones) + 1;
  localparam logic [1:0] ErrorStart = 2'd1, ErrorAbsent = 2'd2;

  `MT_PARAM_CHECK(g_illegal_warps, Warps >= 2 && Warps <= 64)
  `MT_PARAM_CHECK(g_illegal_schedulers, Schedulers >= 1 && Schedulers <= 4)
  `MT_PARAM_CHECK(g_illegal_group, Group >= 1 && Group <= 64)
  `MT_PARAM_CHECK(g_illegal_arrays, Arrays >= 1 && Arrays <= 8 && Arrays * RegionW <= 64)
  `MT_PARAM_CHECK(g_illegal_region_w, RegionW >= 1 && RegionW <= 16)
  `MT_PARAM_CHECK(g_illegal_sub_w, SubW >= 1 && SubW <= 32)
  `MT_PARAM_CHECK(g_illegal_degree_w, DegreeW >= 1 && DegreeW <= 8)
  `MT_PARAM_CHECK(g_illegal_blocks, Blocks >= 1 && Blocks <= 32)
  `MT_PARAM_CHECK(g_illegal_wait, Wait == 0 || Wait == 1)

  logic [Warps-1:0]      present_q, present_d, ranged_q, ranged_d, known_q, known_d, waits_q, waits_d, active_q, active_d;
  logic [Schedulers-1:0] lasts_q, lasts_d, bests_q, bests_d;
  logic [Warps-1:0]      todo_q, todo_d, seek_todo_q, seek_todo_d, fill_todo_q, fill_todo_d;
  logic                  seek_valid_q, seek_valid_d, fill_valid_q, fill_valid_d;
  logic [WarpW-1:0]      seek_warp_q, fill_warp_q;
  logic [SumW-1:0]       seek_degree_q;
  logic [1:0]            error_q, error_d;
  (* mem2reg *)
  logic [WarpW-1:0]      last_q [Schedulers];
  (* mem2reg *)
  logic [WarpW-1:0]      best_q [Schedulers];
  (* mem2reg *)
  logic [DegreeW-1:0]    best_degree_q [Schedulers];
  (* mem2reg *)
  logic [NewerW-1:0]     newer_q [Warps];
  (* mem2reg *)
  logic [DegreeW-1:0]    degree_q [Pairs];
  logic [Arrays*RegionW-1:0] regions_q [Warps];
  logic [Arrays*SubW-1:0]    subs_q [Warps];

  // ---- a warp starts or ends; the age of a warp is the number of thread blocks that came after its own
  logic [Warps-1:0] named, starts, ends, starved, starved_d;
  logic             start, bad_start, bad_absent;

  generate
    for (genvar i = 0; i < Warps; i++) begin : g_warp
      logic [NewerW-1:0] newer_d;
      assign named[i]     = warp_valid_i & (warp_number_i == i);
      assign starts[i]    = named[i] & warp_start_i & ~present_q[i];
      assign ends[i]      = named[i] & ~warp_start_i & present_q[i];
      assign newer_d      = starts[i] ? '0
                          : newer_q[i] + NewerW'(start && warp_first_i && present_q[i] && newer_q[i] != NewerW'(Starves));
      assign starved[i]   = present_q[i] & (newer_q[i] == NewerW'(Starves));
      assign starved_d[i] = present_d[i] & (newer_d == NewerW'(Starves));
      always_ff @(posedge clk_i) begin
        if (!rst_ni) newer_q[i] <= '0;
        else newer_q[i] <= newer_d;
      end
    end
  endgenerate
  assign start      = |starts;
  assign bad_start  = warp_valid_i & warp_start_i & ~start;
  assign bad_absent = warp_valid_i & ~warp_start_i & ~(|ends);
  assign present_d  = (present_q | starts) & ~ends;
  assign ranged_d   = (ranged_q | (starts & {Warps{warp_ranged_i}})) & ~ends;
  assign waits_d    = wait_valid_i ? wait_warps_i : waits_q;
  assign starved_o  = starved;
  assign error_o    = error_q;
  mt_sticky_error u_error (.error_i(error_q), .found_i(bad_start ? ErrorStart : bad_absent ? ErrorAbsent : 2'd0), .error_o(error_d));

  // ---- fill: the degrees of a warp with those whose degrees are known, one a cycle
  logic [Warps-1:0]   unknown, unknown_first, fill_left, fill_visit, fill_onehot;
  logic [WarpW-1:0]   unknown_warp, fill_other;
  logic [DegreeW-1:0] fill_degree;
  logic [Arrays*RegionW-1:0] fill_regions, other_regions;
  logic [Arrays*SubW-1:0]    fill_subs, other_subs;
  logic               fill_done;

  assign unknown     = present_q & ranged_q & ~known_q;
  assign fill_left   = fill_valid_q ? fill_todo_q & known_q : '0;
  assign fill_onehot = 1 << fill_warp_q;
  assign fill_done   = fill_valid_q & (fill_left == '0);
  mt_first_one #(.Width(Warps)) u_unknown (.vector_i(unknown), .onehot_o(unknown_first));
  mt_onehot_index #(.Width(Warps)) u_unknown_index (.onehot_i(unknown_first), .index_o(unknown_warp));
  mt_first_one #(.Width(Warps)) u_fill_visit (.vector_i(fill_left), .onehot_o(fill_visit));
  mt_onehot_index #(.Width(Warps)) u_fill_other (.onehot_i(fill_visit), .index_o(fill_other));
  assign fill_regions  = regions_q[fill_warp_q];
  assign fill_subs     = subs_q[fill_warp_q];
  assign other_regions = regions_q[fill_other];
  assign other_subs    = subs_q[fill_other];
  mt_warp_locality_degree #(.Arrays(Arrays), .RegionW(RegionW), .SubW(SubW), .DegreeW(DegreeW)) u_degree (
    .regions_a_i(fill_regions), .regions_b_i(other_regions), .subs_a_i(fill_subs), .subs_b_i(other_subs), .degree_o(fill_degree));

  always_comb begin
    known_d      = known_q;
    fill_valid_d = fill_valid_q & ((fill_onehot & ends) == '0);
    fill_todo_d  = fill_todo_q;
    if (fill_done) begin
      known_d      = known_q | fill_onehot;
      fill_valid_d = 1'b0;
    end else if (fill_valid_q) begin
      fill_todo_d = fill_todo_q & ~fill_visit;
    end else if (unknown != '0) begin
      fill_valid_d = (unknown_first & ends) == '0;
      fill_todo_d  = known_q;
    end
    known_d = known_d & ~ends;
  end

  // ---- the locality degree table: of warps i > j at i * (i - 1) / 2 + j; valid only with known_q: not reset
  generate
    for (genvar i = 1; i < Warps; i++) begin : g_row
      for (genvar j = 0; j < i; j++) begin : g_entry
        always_ff @(posedge clk_i) begin
          if (rst_ni && ((fill_visit[i] & fill_onehot[j]) | (fill_visit[j] & fill_onehot[i]))) degree_q[i*(i-1)/2+j] <= fill_degree;
        end
      end
    end
  endgenerate

  // ---- each scheduler picks: starved warps in turn; the warp that issued last; the one with the highest degree with it
  logic [Warps-1:0] able;
  logic [Schedulers*Warps-1:0] picks, locals, todos_d;
  assign able = issue_valid_i ? issue_able_i : '0;

  generate
    for (genvar s = 0; s < Schedulers; s++) begin : g_scheduler
      logic [Warps-1:0]   mine, last, starving, starving_first, candidates, visit, choice, found, pick;
      logic [WarpW-1:0]   last_warp, from, best, pick_warp, choice_warp;
      logic [DegreeW-1:0] best_degree, near, value;
      logic               fresh, complete, greedy, moved, updates;
      for (genvar i = 0; i < Warps; i++) begin : g_mine
        assign mine[i] = (i % Schedulers) == s;
      end
      assign last_warp  = last_q[s];
      assign last       = lasts_q[s] ? 1 << last_warp : '0;
      assign from       = (last_warp == WarpW'(Warps - 1)) ? '0 : last_warp + 1;
      assign best       = best_q[s];
      assign best_degree = best_degree_q[s];
      assign starving   = able & mine & starved;
      assign candidates = able & mine & active_q;

      mt_first_from #(.Width(Warps)) u_starving (.vector_i(starving), .from_i(from), .onehot_o(starving_first));
      mt_warp_locality_search #(.Warps(Warps), .ValueW(DegreeW)) u_search (
        .candidates_i(candidates & ~last), .found_i(bests_q[s]), .best_i(best), .best_value_i(best_degree),
        .todo_i(todo_q), .from_i(from), .visit_o(visit), .value_i(near), .fresh_o(fresh), .complete_o(complete),
        .choice_o(choice), .value_o(value));

      // The degree of the last warp and the one visited.
      always_comb begin
        near = '0;
        for (int i = 1; i < Warps; i++) begin
          for (int j = 0; j < Warps; j++) begin
            if (j < i)
              near = near | (degree_q[i*(i-1)/2+j]
                             & {DegreeW{known_q[i] & known_q[j] & ((last[i] & visit[j]) | (last[j] & visit[i]))}});
          end
        end
      end

      assign greedy = |(candidates & last);
      assign found  = (Wait == 0 || complete) ? choice : '0;
      assign pick   = (|starving) ? starving_first : greedy ? last : found;
      assign moved  = (|pick) & (pick != last);
      assign picks[s*Warps +: Warps]  = pick;
      assign locals[s*Warps +: Warps] = ((|starving) | greedy | (value == '0)) ? '0 : found;

      // A pick of another warp than the last one ends the search and starts the next one; new degrees start all of them anew.
      assign updates = ~moved & (|visit);
      assign todos_d[s*Warps +: Warps] = mine & (moved ? '1 : updates ? (fresh ? todo_q : '1) & ~visit : todo_q);
      assign lasts_d[s] = moved ? (pick & ends) == '0 : lasts_q[s] & ((last & ends) == '0);
      assign bests_d[s] = ~moved & ~fill_done & (updates ? (choice & ends) == '0 : bests_q[s] & ((ends & (1 << best)) == '0));
      mt_onehot_index #(.Width(Warps)) u_pick_warp (.onehot_i(pick), .index_o(pick_warp));
      mt_onehot_index #(.Width(Warps)) u_choice_warp (.onehot_i(choice), .index_o(choice_warp));

      always_ff @(posedge clk_i) begin
        if (!rst_ni) last_q[s] <= s;
        else if (moved) last_q[s] <= pick_warp;
      end
      // Valid only with bests_q: not reset.
      always_ff @(posedge clk_i) begin
        if (rst_ni && updates) begin
          best_q[s]        <= choice_warp;
          best_degree_q[s] <= value;
        end
      end
    end
  endgenerate

  always_comb begin
    issue_pick_o  = '0;
    issue_local_o = '0;
    todo_d        = '0;
    for (int s = 0; s < Schedulers; s++) begin
      issue_pick_o  = issue_pick_o | picks[s*Warps +: Warps];
      issue_local_o = issue_local_o | locals[s*Warps +: Warps];
      todo_d        = todo_d | todos_d[s*Warps +: Warps];
    end
    if (fill_done) todo_d = '1;
  end
  assign issue_starved_o = issue_pick_o & starved;

  // ---- promotion: of the ready warps outside the group, the one with the highest degrees with the group
  logic [Warps-1:0]         ready, seek_visit, seek_choice, promote;
  logic [Warps*DegreeW-1:0] row;
  logic [SumW-1:0]          row_sum, seek_value;
  logic [WarpW-1:0]         seek_warp;
  logic [CountW-1:0]        members;
  logic                     seek_fresh, seek_complete, room;

  assign ready = present_q & ~active_q & ~waits_q & ~starved;
  mt_popcount #(.Width(Ones)) u_members (.vector_i(Ones'(active_q)), .count_o(members));
  assign room  = 7'(members) < 7'(Group);
  mt_warp_locality_search #(.Warps(Warps), .ValueW(SumW)) u_seek (
    .candidates_i(ready), .found_i(seek_valid_q), .best_i(seek_warp_q), .best_value_i(seek_degree_q), .todo_i(seek_todo_q),
    .from_i(WarpW'(0)), .visit_o(seek_visit), .value_i(row_sum), .fresh_o(seek_fresh), .complete_o(seek_complete),
    .choice_o(seek_choice), .value_o(seek_value));

  generate
    for (genvar a = 0; a < Warps; a++) begin : g_member
      logic [DegreeW-1:0] degree;
      always_comb begin
        degree = '0;
        for (int v = 0; v < Warps; v++) begin
          if (v < a) degree = degree | (degree_q[a*(a-1)/2+v] & {DegreeW{seek_visit[v] & known_q[v]}});
          if (v > a) degree = degree | (degree_q[v*(v-1)/2+a] & {DegreeW{seek_visit[v] & known_q[v]}});
        end
      end
      assign row[a*DegreeW +: DegreeW] = degree & {DegreeW{active_q[a] & known_q[a]}};
    end
  endgenerate
  mt_warp_locality_sum #(.Words(Warps), .Width(DegreeW), .SumW(SumW)) u_row_sum (.words_i(row), .sum_o(row_sum));

  assign promote          = (room && (Wait == 0 || seek_complete)) ? seek_choice : '0;
  assign promote_valid_o  = |promote;
  assign promote_degree_o = promote_valid_o ? seek_value : '0;
  mt_onehot_index #(.Width(Warps)) u_promote (.onehot_i(promote), .index_o(promote_warp_o));
  mt_onehot_index #(.Width(Warps)) u_seek_warp (.onehot_i(seek_choice), .index_o(seek_warp));

  always_comb begin
    seek_valid_d = seek_valid_q & ((ends & (1 << seek_warp_q)) == '0);
    seek_todo_d  = seek_todo_q;
    if (promote_valid_o || fill_done) begin
      seek_valid_d = 1'b0;
      seek_todo_d  = '1;
    end else if (seek_visit != '0) begin
      seek_valid_d = (seek_choice & ends) == '0;
      seek_todo_d  = (seek_fresh ? seek_todo_q : '1) & ~seek_visit;
    end
  end

  assign active_d = (active_q | promote) & ~waits_d & ~ends & ~starved_d;
  assign active_o = active_q;
  assign busy_o   = fill_valid_q | (|unknown) | (|seek_visit) | promote_valid_o;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      present_q    <= '0;
      ranged_q     <= '0;
      known_q      <= '0;
      waits_q      <= '0;
      active_q     <= '0;
      lasts_q      <= '0;
      bests_q      <= '0;
      todo_q       <= '1;
      seek_valid_q <= 1'b0;
      seek_todo_q  <= '1;
      fill_valid_q <= 1'b0;
      error_q      <= '0;
    end else begin
      present_q    <= present_d;
      ranged_q     <= ranged_d;
      known_q      <= known_d;
      waits_q      <= waits_d;
      active_q     <= active_d;
      lasts_q      <= lasts_d;
      bests_q      <= bests_d;
      todo_q       <= todo_d;
      seek_valid_q <= seek_valid_d;
      seek_todo_q  <= seek_todo_d;
      fill_valid_q <= fill_valid_d;
      error_q      <= error_d;
    end
  end

  // Valid only with seek_valid_q and fill_valid_q, or for a warp that is present: not reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      fill_todo_q <= fill_todo_d;
      if (!promote_valid_o && seek_visit != '0) begin
        seek_warp_q   <= seek_warp;
        seek_degree_q <= seek_value;
      end
      if (!fill_valid_q && unknown != '0) fill_warp_q <= unknown_warp;
      if (start && warp_ranged_i) begin
        regions_q[warp_number_i] <= warp_regions_i;
        subs_q[warp_number_i]    <= warp_subs_i;
      end
    end
  end

  `MT_ASSERT(g_group_has_its_size, 7'(members) <= 7'(Group))
  `MT_ASSERT(g_active_warps_are_ready, (active_q & (~present_q | waits_q | starved)) == '0)

`ifdef FORMAL
  `define MT_WARP_LOCALITY_PROPERTIES
  `include "mt_warp_locality_formal.sv"
  `undef MT_WARP_LOCALITY_PROPERTIES
`endif
endmodule
