// SPDX-License-Identifier: Apache-2.0
// Formal properties of block_overlap, proved by `make formal BLOCK=block_overlap`; included at the end of mt_block_overlap.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.  Overlap is counted here cell by cell, as the lines that lie in both rectangles.
`ifdef MT_BLOCK_OVERLAP_PROPERTIES
  // Lines, or rows, that a rectangle may reach.  Fields of more than three bits are not proved: Yosys reads the module with its
  // default parameters first, and their cells would not fit its memory.
  localparam int Cells = (FieldW <= 3) ? 2 * ((1 << FieldW) - 1) : 1;
  localparam int Turn  = (Sms > 1) ? Sms - 1 : 1;               // cycles that the second rule takes for a candidate, at most
  localparam int Bound = Depth + Depth * Turn;                  // of a decision
  localparam int TimeW = $clog2(Bound + 2);

  logic              f_live;      // a reset has occurred
  logic              f_stalled;   // in the last cycle a grant waited, and the kernel did not end
  logic [IdW-1:0]    f_id;        // that grant
  logic [SmW-1:0]    f_sm;
  logic [SlotW-1:0]  f_slot;
  logic [TimeW-1:0]  f_time;      // cycles of the decision in progress

  // An arbitrary candidate of a decision, and an arbitrary one that was pushed.
  (* anyconst *) logic [IndexW-1:0] f_at;
  (* anyseq *)   logic              f_choose;
  logic              f_has;
  logic [CountW-1:0] f_place;
  logic [IdW-1:0]    f_copy;
  logic [SideW-1:0]  f_copy_x, f_copy_y, f_copy_width, f_copy_height;

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb assume ((IndexW+1)'(f_at) < (IndexW+1)'(Depth));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_stalled <= 1'b0;
      f_has     <= 1'b0;
      f_time    <= '0;
    end else begin
      f_stalled <= grant_valid_o & ~grant_ready_i & ~clear_valid_i;
      f_id      <= grant_id_o;
      f_sm      <= grant_sm_o;
      f_slot    <= grant_slot_o;
      if (accept) f_time <= '0;
      else if (state_q == Most || state_q == Least) f_time <= f_time + TimeW'(f_time <= TimeW'(Bound));
      if (clear_valid_i) f_has <= 1'b0;
      else if (push && f_choose && !f_has) begin
        f_has         <= 1'b1;
        f_place       <= count_q;
        f_copy        <= push_id_i;
        f_copy_x      <= push_x_i;
        f_copy_y      <= push_y_i;
        f_copy_width  <= push_width_i;
        f_copy_height <= push_height_i;
      end else if (pop && f_has) begin
        if (CountW'(winner_q) == f_place) f_has <= 1'b0;
        else if (CountW'(winner_q) < f_place) f_place <= f_place - CountW'(1);
      end
    end
  end

  // ---- lines that candidate f_at shares with the thread blocks of each SM
  logic [IdW-1:0]      f_its_id;
  logic [SideW-1:0]    f_x, f_y, f_width, f_height, f_kept_x, f_kept_y, f_kept_width, f_kept_height;
  logic [IdW-1:0]      f_kept;
  logic [Sms*SumW-1:0] f_lines;
  always_comb begin
    f_its_id = '0;
    f_x = '0; f_y = '0; f_width = '0; f_height = '0;
    f_kept = '0; f_kept_x = '0; f_kept_y = '0; f_kept_width = '0; f_kept_height = '0;
    for (int i = 0; i < Depth; i++) begin
      if (f_at == IndexW'(i)) begin
        f_its_id = id_q[i];
        f_x = x_q[i]; f_y = y_q[i]; f_width = width_q[i]; f_height = height_q[i];
      end
      if (f_place == CountW'(i)) begin
        f_kept = id_q[i];
        f_kept_x = x_q[i]; f_kept_y = y_q[i]; f_kept_width = width_q[i]; f_kept_height = height_q[i];
      end
    end
  end
  generate
    for (genvar s = 0; s < Sms; s++) begin : g_f_sm
      logic [Slots*Arrays*SumW-1:0] counts;
      logic [SumW-1:0]              lines;
      for (genvar r = 0; r < Slots * Arrays; r++) begin : g_f_rect
        localparam int At = s * Slots + r / Arrays, Low = r % Arrays * FieldW;
        logic [Cells-1:0] across, down;
        logic [SumW-1:0]  both;
        for (genvar c = 0; c < Cells; c++) begin : g_f_cell
          localparam logic [FieldW:0] Here = (FieldW+1)'(c);
          assign across[c] = Here >= {1'b0, f_x[Low +: FieldW]} && Here < {1'b0, f_x[Low +: FieldW]} + {1'b0, f_width[Low +: FieldW]}
                          && Here >= {1'b0, run_x_q[At][Low +: FieldW]}
                          && Here < {1'b0, run_x_q[At][Low +: FieldW]} + {1'b0, run_width_q[At][Low +: FieldW]};
          assign down[c]   = Here >= {1'b0, f_y[Low +: FieldW]} && Here < {1'b0, f_y[Low +: FieldW]} + {1'b0, f_height[Low +: FieldW]}
                          && Here >= {1'b0, run_y_q[At][Low +: FieldW]}
                          && Here < {1'b0, run_y_q[At][Low +: FieldW]} + {1'b0, run_height_q[At][Low +: FieldW]};
        end
        always_comb begin
          both = '0;
          for (int c = 0; c < Cells * Cells; c++) both = both + SumW'(across[c/Cells] & down[c%Cells] & running_q[s][r/Arrays]);
        end
        assign counts[r*SumW +: SumW] = both;
      end
      always_comb begin
        lines = '0;
        for (int r = 0; r < Slots * Arrays; r++) lines = lines + counts[r*SumW +: SumW];
      end
      assign f_lines[s*SumW +: SumW] = lines;
    end
  endgenerate

  logic [SumW-1:0]  f_own, f_others, f_to_come;  // with the SM of the request; with the others; with those in todo_q
  logic [Slots-1:0] f_running;
  always_comb begin
    f_own     = '0;
    f_others  = '0;
    f_to_come = '0;
    f_running = '0;
    for (int s = 0; s < Sms; s++) begin
      if (sm_q == SmW'(s)) begin
        f_own     = f_lines[s*SumW +: SumW];
        f_running = running_q[s];
      end else begin
        f_others = f_others + f_lines[s*SumW +: SumW];
      end
      if (todo_q[s]) f_to_come = f_to_come + f_lines[s*SumW +: SumW];
    end
  end

  logic f_is;  // f_at is a candidate
  assign f_is = CountW'(f_at) < count_q;
  always_comb begin
    if (f_live && rst_ni) begin
      if (grant_valid_o) begin
        p_candidate: assert (CountW'(winner_q) < count_q);
        p_free: assert ((f_running & (Slots'(1) << grant_slot_o)) == '0 && (SlotW+1)'(grant_slot_o) < (SlotW+1)'(Slots));
        if (f_is && f_at == winner_q) p_id: assert (grant_id_o == f_its_id);
        // The first rule: no candidate shares more lines with the SM's thread blocks, and no older one as many.
        if (!grant_least_o) begin
          p_some: assert (grant_sum_o != '0);
          if (f_is) p_most: assert (f_own <= grant_sum_o);
          if (f_is && f_at < winner_q) p_most_oldest: assert (f_own < grant_sum_o);
          if (f_is && f_at == winner_q) p_most_sum: assert (f_own == grant_sum_o);
        end else begin
          // The second: none shares any; none shares fewer with the other SMs', and no older one as few.
          if (f_is) p_none: assert (f_own == '0);
          if (f_is) p_least: assert (f_others >= grant_sum_o);
          if (f_is && f_at < winner_q) p_least_oldest: assert (f_others > grant_sum_o);
          if (f_is && f_at == winner_q) p_least_sum: assert (f_others == grant_sum_o);
        end
      end
      // A decision ends, and a grant stands until it is taken.
      p_time: assert (f_time <= TimeW'(Bound));
      if (f_stalled) p_stable: assert (grant_valid_o && grant_id_o == f_id && grant_sm_o == f_sm && grant_slot_o == f_slot);
      // A candidate stays as it came until it is granted.
      if (f_has) p_kept: assert (f_place < count_q && f_kept == f_copy && f_kept_x == f_copy_x && f_kept_y == f_copy_y
                                 && f_kept_width == f_copy_width && f_kept_height == f_copy_height);
      if (pop && f_has && CountW'(winner_q) == f_place) p_out: assert (grant_id_o == f_copy);
      // An accepted request has a candidate and a slot; nothing is accepted during a decision.
      if (req_ready_o) p_accept: assert (req_valid_i && count_q != '0 && ~(&req_running));
      if (state_q != Idle) p_still: assert (!push_ready_o && !req_ready_o && !finish_ready_o);
    end
  end

`ifdef FORMAL_AUX
  logic [TimeW-1:0] f_done;  // SMs with which candidate index_q was compared, or which were passed over
  always_comb begin
    f_done = '0;
    for (int s = 0; s < Sms; s++) if (!own[s] && !todo_q[s]) f_done = f_done + TimeW'(1);
  end
  always_comb begin
    if (f_live && rst_ni) begin
      x_count: assert (count_q <= CountW'(Depth));
      x_ranges: assert ((SmW+1)'(sm_q) < (SmW+1)'(Sms) && (SlotW+1)'(slot_q) < (SlotW+1)'(Slots));
      if (state_q != Idle) x_free: assert ((f_running & (Slots'(1) << slot_q)) == '0);
      if (state_q == Most || state_q == Least) begin
        x_index:  assert (CountW'(index_q) < count_q);
        x_winner: assert (winner_q < index_q || winner_q == '0);
        if (index_q == '0) x_first: assert (best_q == '0);
      end
      if (state_q == Most) begin
        x_most_time: assert (f_time == TimeW'(index_q));
        if (best_q == '0) x_most_none: assert (winner_q == '0);
        if (f_at < index_q) x_most: assert (f_own <= best_q);
        if (f_at < winner_q) x_most_oldest: assert (f_own < best_q);
        if (f_at == winner_q && winner_q < index_q) x_most_sum: assert (f_own == best_q);
        x_most_rule: assert (!least_q);
      end
      if (state_q == Least) begin
        x_least_rule: assert (least_q);
        // A thread block may have finished in the cycle of the request: then todo_q has an SM that runs nothing.
        x_todo: assert ((todo_q & own) == '0 && (todo_q != '0 || others == '0));
        if (others == '0) x_alone: assert (index_q == '0 && total_q == '0);
        if (todo_q == '0) x_alone_time: assert (f_time <= TimeW'(Depth));
        else x_least_time: assert (f_time <= TimeW'(Depth) + TimeW'(index_q) * TimeW'(Turn) + f_done);
        if (index_q != '0) x_least_some: assert (best_q != '0);
        if (f_is) x_none: assert (f_own == '0);
        if (f_at < index_q) x_least: assert (f_others >= best_q);
        if (f_at < winner_q) x_least_oldest: assert (f_others > best_q);
        if (f_at == winner_q && winner_q < index_q) x_least_sum: assert (f_others == best_q);
        if (f_at == index_q) x_total: assert (total_q + f_to_come == f_others);
      end
    end
  end
`endif
`endif
