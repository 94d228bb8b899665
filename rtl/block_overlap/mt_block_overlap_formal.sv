// SPDX-License-Identifier: Apache-2.0
// Formal properties of block_overlap, proved by `make formal BLOCK=block_overlap`; included at the end of mt_block_overlap.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.  Overlap is counted here cell by cell, as the lines that lie in both rectangles.
`ifdef MT_BLOCK_OVERLAP_PROPERTIES
  // Lines, or rows, that a rectangle may reach.  Fields of more than three bits are not proved: Yosys reads the module with its
  // default parameters first, and their cells would not fit its memory.
  localparam int Cells = (FieldW <= 3) ? 2 * ((1 << FieldW) - 1) : 1;
  localparam int Each  = (Sms > 1) ? Sms - 1 : 1;               // cycles that the second rule takes for a candidate, at most
  localparam int First = Depth + Stages + 1;                    // of the first rule, and the turn to the second
  localparam int Bound = First + Depth * Each + Stages;         // of a decision
  localparam int TimeW = $clog2(Bound + 2);

  logic              f_live;      // a reset has occurred
  logic              f_stalled;   // in the last cycle a grant waited, and the kernel did not end
  logic [IdW-1:0]    f_id;        // that grant
  logic [SmW-1:0]    f_sm;
  logic [SlotW-1:0]  f_slot;
  logic [TimeW-1:0]  f_time;      // cycles of the decision in progress
  logic [TimeW-1:0]  f_closing;   // cycles in which the queue closes up

  // Order of a place: 0 is the oldest candidate.
  function automatic [IndexW:0] f_order(input [IndexW-1:0] place, input [IndexW-1:0] head);
    f_order = (place >= head) ? {1'b0, place} - {1'b0, head} : {1'b0, place} + (IndexW+1)'(Depth) - {1'b0, head};
  endfunction

  // An arbitrary candidate of a decision, by its order, and an arbitrary one that was pushed.
  (* anyconst *) logic [IndexW-1:0] f_at;
  (* anyseq *)   logic              f_choose;
  logic              f_has;
  logic [IndexW:0]   f_place;     // its order
  logic [IdW-1:0]    f_copy;
  logic [SideW-1:0]  f_copy_x, f_copy_y, f_copy_width, f_copy_height;

  logic [IndexW:0]   f_read, f_compared, f_winner;  // orders of place_q, at_q and winner_q
  logic [IndexW-1:0] f_at_place, f_kept_place;
  assign f_read     = f_order(place_q, head_q);
  assign f_compared = f_order(at_q, head_q);
  assign f_winner   = f_order(winner_q, head_q);
  mt_ring_add #(.Slots(Depth)) u_f_at (.slot_i(head_q), .step_i(CountW'(f_at)), .slot_o(f_at_place));
  mt_ring_add #(.Slots(Depth)) u_f_kept (.slot_i(head_q), .step_i(CountW'(f_place)), .slot_o(f_kept_place));

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume ((IndexW+1)'(f_at) < (IndexW+1)'(Depth));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_stalled <= 1'b0;
      f_has     <= 1'b0;
      f_time    <= '0;
      f_closing <= '0;
    end else begin
      f_stalled <= grant_valid_o & ~grant_ready_i & ~clear_valid_i;
      f_id      <= grant_id_o;
      f_sm      <= grant_sm_o;
      f_slot    <= grant_slot_o;
      if (accept) f_time <= '0;
      else if (scans || state_q == Turn) f_time <= f_time + TimeW'(f_time <= TimeW'(Bound));
      if (!close) f_closing <= '0;
      else f_closing <= f_closing + TimeW'(f_closing <= TimeW'(Bound));
      if (clear_valid_i) f_has <= 1'b0;
      else if (push && f_choose && !f_has) begin
        f_has         <= 1'b1;
        f_place       <= (IndexW+1)'(count_q);
        f_copy        <= push_id_i;
        f_copy_x      <= push_x_i;
        f_copy_y      <= push_y_i;
        f_copy_width  <= push_width_i;
        f_copy_height <= push_height_i;
      end else if (f_has) begin
        if (pop && f_winner == f_place) f_has <= 1'b0;
        else f_place <= f_place + (IndexW+1)'(close && f_place + 1 == f_read) - (IndexW+1)'(leaves);
      end
    end
  end

  // ---- lines that candidate f_at shares with the thread blocks of each SM
  logic [SideW-1:0]    f_x, f_y, f_width, f_height;
  logic [Sms*Rects*FieldW-1:0] f_across, f_down;
  logic [Sms*Rects*AreaW-1:0]  f_areas;
  logic [Sms*Slots*PartW-1:0]  f_parts;
  logic [Sms*SumW-1:0]         f_lines;
  assign f_x      = x_q[f_at_place];
  assign f_y      = y_q[f_at_place];
  assign f_width  = width_q[f_at_place];
  assign f_height = height_q[f_at_place];
  generate
    for (genvar s = 0; s < Sms; s++) begin : g_f_sm
      logic [RowW-1:0] its_x, its_y, its_width, its_height;
      logic [SumW-1:0] lines;
      assign its_x      = run_x_q[s];
      assign its_y      = run_y_q[s];
      assign its_width  = run_width_q[s];
      assign its_height = run_height_q[s];
      for (genvar r = 0; r < Rects; r++) begin : g_f_rect
        localparam int Low = r % Arrays * FieldW, At = r * FieldW;
        logic [Cells-1:0]  across, down;
        logic [FieldW-1:0] wide, high;
        logic [AreaW-1:0]  both;
        for (genvar c = 0; c < Cells; c++) begin : g_f_cell
          localparam logic [FieldW:0] Here = (FieldW+1)'(c);
          assign across[c] = Here >= {1'b0, f_x[Low +: FieldW]} && Here < {1'b0, f_x[Low +: FieldW]} + {1'b0, f_width[Low +: FieldW]}
                          && Here >= {1'b0, its_x[At +: FieldW]} && Here < {1'b0, its_x[At +: FieldW]} + {1'b0, its_width[At +: FieldW]};
          assign down[c]   = Here >= {1'b0, f_y[Low +: FieldW]} && Here < {1'b0, f_y[Low +: FieldW]} + {1'b0, f_height[Low +: FieldW]}
                          && Here >= {1'b0, its_y[At +: FieldW]} && Here < {1'b0, its_y[At +: FieldW]} + {1'b0, its_height[At +: FieldW]};
        end
        always_comb begin
          wide = '0;
          high = '0;
          both = '0;
          for (int c = 0; c < Cells; c++) begin
            wide = wide + FieldW'(across[c] & running_q[s][r/Arrays]);
            high = high + FieldW'(down[c] & running_q[s][r/Arrays]);
          end
          for (int c = 0; c < Cells * Cells; c++) both = both + AreaW'(across[c/Cells] & down[c%Cells] & running_q[s][r/Arrays]);
        end
        assign f_across[(s*Rects+r)*FieldW +: FieldW] = wide;
        assign f_down[(s*Rects+r)*FieldW +: FieldW]   = high;
        assign f_areas[(s*Rects+r)*AreaW +: AreaW]    = both;
      end
      for (genvar k = 0; k < Slots; k++) begin : g_f_slot
        logic [PartW-1:0] part;
        always_comb begin
          part = '0;
          for (int i = 0; i < Arrays; i++) part = part + PartW'(f_areas[(s*Rects+k*Arrays+i)*AreaW +: AreaW]);
        end
        assign f_parts[(s*Slots+k)*PartW +: PartW] = part;
      end
      always_comb begin
        lines = '0;
        for (int r = 0; r < Rects; r++) lines = lines + SumW'(f_areas[(s*Rects+r)*AreaW +: AreaW]);
      end
      assign f_lines[s*SumW +: SumW] = lines;
    end
  endgenerate

  logic [SumW-1:0]  f_own, f_others;  // with the SM of the request; with the others
  logic [Slots-1:0] f_running;
  always_comb begin
    f_own     = '0;
    f_others  = '0;
    f_running = '0;
    for (int s = 0; s < Sms; s++) begin
      if (sm_q == SmW'(s)) begin
        f_own     = f_lines[s*SumW +: SumW];
        f_running = running_q[s];
      end else begin
        f_others = f_others + f_lines[s*SumW +: SumW];
      end
    end
  end

  logic f_is;  // f_at is a candidate
  assign f_is = CountW'(f_at) < count_q;
  always_comb begin
    if (f_live && rst_ni) begin
      if (grant_valid_o) begin
        p_candidate: assert (f_winner < (IndexW+1)'(count_q));
        p_free: assert ((f_running & (Slots'(1) << grant_slot_o)) == '0 && (SlotW+1)'(grant_slot_o) < (SlotW+1)'(Slots));
        if (f_is && {1'b0, f_at} == f_winner) p_id: assert (grant_id_o == id_q[f_at_place]);
        // The first rule: no candidate shares more lines with the SM's thread blocks, and no older one as many.
        if (!grant_least_o) begin
          p_some: assert (grant_sum_o != '0);
          if (f_is) p_most: assert (f_own <= grant_sum_o);
          if (f_is && {1'b0, f_at} < f_winner) p_most_oldest: assert (f_own < grant_sum_o);
          if (f_is && {1'b0, f_at} == f_winner) p_most_sum: assert (f_own == grant_sum_o);
        end else begin
          // The second: none shares any; none shares fewer with the other SMs', and no older one as few.
          if (f_is) p_none: assert (f_own == '0);
          if (f_is) p_least: assert (f_others >= grant_sum_o);
          if (f_is && {1'b0, f_at} < f_winner) p_least_oldest: assert (f_others > grant_sum_o);
          if (f_is && {1'b0, f_at} == f_winner) p_least_sum: assert (f_others == grant_sum_o);
        end
      end
      // A decision ends, the queue closes up, and a grant stands until it is taken.
      p_time: assert (f_time <= TimeW'(Bound));
      p_closing: assert (f_closing < TimeW'(Depth) + TimeW'(Depth == 1));
      if (f_stalled) p_stable: assert (grant_valid_o && grant_id_o == f_id && grant_sm_o == f_sm && grant_slot_o == f_slot);
      // A candidate stays as it came, behind the older ones, until it is granted.
      if (f_has) p_kept: assert (f_place < (IndexW+1)'(count_q) && id_q[f_kept_place] == f_copy && x_q[f_kept_place] == f_copy_x
                                 && y_q[f_kept_place] == f_copy_y && width_q[f_kept_place] == f_copy_width
                                 && height_q[f_kept_place] == f_copy_height);
      if (pop && f_has && f_winner == f_place) p_out: assert (grant_id_o == f_copy);
      // An accepted request has a candidate and a slot; nothing is accepted during a decision.
      if (req_ready_o) p_accept: assert (req_valid_i && count_q != '0 && ~(&req_running));
      if (state_q != Idle) p_still: assert (!push_ready_o && !req_ready_o && !finish_ready_o);
    end
  end

`ifdef FORMAL_AUX
  // The candidate's place in the queue, and the SM, that each pipeline stage compares.
  logic [Stages*IndexW-1:0] f_stage_place;
  logic [Stages*SmW-1:0]    f_stage_sm;
  always @(posedge clk_i) begin
    f_stage_place <= {f_stage_place[(Stages-1)*IndexW-1:0], place_q};
    f_stage_sm    <= {f_stage_sm[(Stages-1)*SmW-1:0], look_q};
  end

  // The oldest and the youngest comparison in progress; those that are read next without one.
  logic [IndexW-1:0] f_top_place;
  logic [SmW-1:0]    f_top_sm;
  logic [2:0]        f_bottom;
  always_comb begin
    f_top_place = place_q;
    f_top_sm    = look_q;
    f_bottom    = '0;
    for (int i = 0; i < Stages; i++) begin
      if (valid_q[i]) begin
        f_top_place = f_stage_place[i*IndexW +: IndexW];
        f_top_sm    = f_stage_sm[i*SmW +: SmW];
      end
      if (valid_q[Stages-1-i]) f_bottom = 3'(Stages - 1 - i);
    end
  end

  // For each pipeline stage: the place and SM that are compared next, and the conditions that a valid stage meets.
  logic [Stages-1:0] f_in_range, f_right_sm, f_right_end, f_is_last, f_in_order, f_no_gap, f_same;
  generate
    for (genvar i = 0; i < Stages; i++) begin : g_f_stage
      logic [IndexW-1:0] place, next_place, follows_place;
      logic [SmW-1:0]    sm, next_one, follows_sm;
      logic [Sms-1:0]    rest;
      logic              is_f, same_row, same_across, same_areas, same_parts;
      assign place = f_stage_place[i*IndexW +: IndexW];
      assign sm    = f_stage_sm[i*SmW +: SmW];
      assign rest  = others & (({Sms{1'b1}} << sm) << 1);
      assign is_f  = valid_q[i] && place == f_at_place;
      mt_ring_add #(.Slots(Depth)) u_f_next (.slot_i(place), .step_i(CountW'(1)), .slot_o(next_place));
      always_comb begin
        next_one = look_first;
        for (int s = Sms - 1; s >= 0; s--) if (rest[s]) next_one = SmW'(s);
      end
      assign follows_place = (state_q == Most || rest == '0) ? next_place : place;
      assign follows_sm    = (state_q == Most) ? sm : next_one;
      always_comb begin
        same_row    = 1'b0;
        same_across = 1'b0;
        same_areas  = 1'b0;
        same_parts  = 1'b0;
        for (int s = 0; s < Sms; s++) begin
          if (sm == SmW'(s)) begin
            same_row    = row_running_q == running_q[s];
            same_across = 1'b1;
            same_areas  = 1'b1;
            same_parts  = 1'b1;
            for (int r = 0; r < Rects; r++) begin
              if (across_q[r] != f_across[(s*Rects+r)*FieldW +: FieldW] || down_q[r] != f_down[(s*Rects+r)*FieldW +: FieldW])
                same_across = 1'b0;
              if (area_q[r] != f_areas[(s*Rects+r)*AreaW +: AreaW]) same_areas = 1'b0;
            end
            for (int k = 0; k < Slots; k++) if (part_q[k] != f_parts[(s*Slots+k)*PartW +: PartW]) same_parts = 1'b0;
          end
        end
      end
      assign f_in_range[i] = f_order(place, head_q) < (IndexW+1)'(count_q) && (SmW+1)'(sm) < (SmW+1)'(Sms);
      assign f_right_sm[i] = (state_q == Most || others == '0) ? sm == sm_q : others[sm];
      assign f_right_end[i] = ends_q[i] == (state_q == Most || rest == '0);
      assign f_is_last[i] = next_place == tail_q && (state_q == Most || rest == '0);
      if (i == 0) begin : g_row
        assign f_in_order[i] = !issue_q || (place_q == follows_place && look_q == follows_sm);
        assign f_no_gap[i]   = 1'b1;
        assign f_same[i]     = row_x_q == run_x_q[sm] && row_y_q == run_y_q[sm] && row_width_q == run_width_q[sm]
                            && row_height_q == run_height_q[sm]
                            && (!is_f || (same_row && cand_x_q == f_x && cand_y_q == f_y && cand_width_q == f_width && cand_height_q == f_height));
      end else begin : g_later
        assign f_in_order[i] = !valid_q[i-1] || (f_stage_place[(i-1)*IndexW +: IndexW] == follows_place
                                                 && f_stage_sm[(i-1)*SmW +: SmW] == follows_sm);
        assign f_no_gap[i]   = valid_q[i-1] || (!issue_q && f_bottom == 3'(i));
        assign f_same[i]     = !is_f || ((i == 1) ? same_across : (i == 2) ? same_areas : (i == 3) ? same_parts : sum_q == f_lines[sm*SumW +: SumW]);
      end
    end
  endgenerate
  always_comb begin
    if (f_live && rst_ni && scans) begin
      x_in_range:  assert (&(f_in_range | ~valid_q));
      x_right_sm:  assert (&(f_right_sm | ~valid_q));
      x_right_end: assert (&(f_right_end | ~valid_q));
      x_in_order:  assert (&(f_in_order | ~valid_q));
      x_no_gap:    assert (&(f_no_gap | ~valid_q));
      x_same:      assert (&(f_same | ~valid_q));
      if (!issue_q) x_all: assert (f_is_last[f_bottom]);
    end
  end

  logic [SumW-1:0]  f_to_come;  // with the other SMs that candidate at_q has still to be compared with
  logic [TimeW-1:0] f_done;     // SMs with which candidate place_q was compared
  always_comb begin
    f_to_come = '0;
    f_done    = '0;
    for (int s = 0; s < Sms; s++) begin
      if (others[s] && SmW'(s) >= f_top_sm) f_to_come = f_to_come + f_lines[s*SumW +: SumW];
      if (others[s] && SmW'(s) < look_q) f_done = f_done + TimeW'(1);
    end
  end
  always_comb begin
    if (f_live && rst_ni) begin
      x_count: assert (count_q <= CountW'(Depth));
      x_ranges: assert ((SmW+1)'(sm_q) < (SmW+1)'(Sms) && (SlotW+1)'(slot_q) < (SlotW+1)'(Slots) && (SmW+1)'(look_q) < (SmW+1)'(Sms)
                        && (IndexW+1)'(head_q) < (IndexW+1)'(Depth) && (IndexW+1)'(tail_q) < (IndexW+1)'(Depth)
                        && (IndexW+1)'(place_q) < (IndexW+1)'(Depth) && (IndexW+1)'(at_q) < (IndexW+1)'(Depth)
                        && (IndexW+1)'(winner_q) < (IndexW+1)'(Depth) && state_q <= Close);
      x_ring: assert (f_order(tail_q, head_q) == (IndexW+1)'((count_q == CountW'(Depth)) ? '0 : count_q));
      if (state_q != Idle) x_some: assert (count_q != '0);
      if (state_q != Idle && !close) x_free: assert ((f_running & (Slots'(1) << slot_q)) == '0);
      if (!scans) x_quiet: assert (valid_q == '0);
      if (scans) begin
        x_work:     assert (issue_q || valid_q != '0);
        x_winner:   assert (f_winner < f_compared || winner_q == head_q);
        x_compared: assert (f_compared < (IndexW+1)'(count_q) && at_q == f_top_place);
        if (issue_q) x_read: assert (f_read < (IndexW+1)'(count_q));
        if (issue_q && valid_q == '0) x_start: assert (place_q == head_q && total_q == '0 && look_q == ((state_q == Most) ? sm_q : look_first));
        if (at_q == head_q) x_first: assert (best_q == '0);
      end
      if (state_q == Most) begin
        x_most_time: assert (f_time == (issue_q ? TimeW'(f_read) : TimeW'(count_q) + TimeW'(f_bottom)));
        x_most_sm: assert (look_q == sm_q);
        if (best_q == '0) x_most_none: assert (winner_q == head_q);
        if ({1'b0, f_at} < f_compared) x_most: assert (f_own <= best_q);
        if ({1'b0, f_at} < f_winner) x_most_oldest: assert (f_own < best_q);
        if ({1'b0, f_at} == f_winner && f_winner < f_compared) x_most_sum: assert (f_own == best_q);
        x_most_rule: assert (!least_q && total_q == '0);
      end
      if (state_q == Turn) begin
        x_turn: assert (least_q && best_q == '0 && total_q == '0 && winner_q == head_q);
        x_turn_time: assert (f_time < TimeW'(First));
      end
      if ((state_q == Turn || state_q == Least) && f_is) x_none: assert (f_own == '0);
      if (state_q == Least) begin
        x_least_rule: assert (least_q);
        if (issue_q) x_look: assert ((others == '0) ? look_q == sm_q : others[look_q]);
        if (issue_q) x_least_time: assert (f_time <= TimeW'(First) + TimeW'(f_read) * TimeW'(Each) + f_done);
        else x_rest_time: assert (f_time <= TimeW'(First) + TimeW'(Depth) * TimeW'(Each) + TimeW'(f_bottom));
        if (at_q != head_q) x_least_some: assert (best_q != '0);
        if ({1'b0, f_at} < f_compared) x_least: assert (f_others >= best_q);
        if ({1'b0, f_at} < f_winner) x_least_oldest: assert (f_others > best_q);
        if ({1'b0, f_at} == f_winner && f_winner < f_compared) x_least_sum: assert (f_others == best_q);
        if ({1'b0, f_at} == f_compared) x_total: assert (total_q + f_to_come == f_others);
      end
      if (state_q == Grant) x_granted: assert (f_winner < (IndexW+1)'(count_q));
      if (close) begin
        x_hole: assert (place_q != head_q && f_read < (IndexW+1)'(count_q));
        if (f_has) x_kept_hole: assert (f_place != f_read);
        x_closing: assert (f_closing + TimeW'(f_read) < TimeW'(Depth));
      end else begin
        x_closed: assert (f_closing == '0 || state_q == Idle);
      end
    end
  end
`endif
`endif
