// SPDX-License-Identifier: Apache-2.0
// Locality-aware thread-block dispatch (Chen16, section 3.3): which waiting thread block an SM gets.
//
// A queue of candidates holds a rectangle of each array that the thread block accesses, in lines and rows; so does a table of
// the thread blocks that run on each SM.  The SM with room gets the candidate that shares most lines with its own thread blocks,
// the oldest of several.  If none shares any, it gets the one that shares least with the other SMs' thread blocks.
//
// Timing: a request is accepted in its cycle; then candidates are read from a RAM and compared in a pipeline, one a cycle for
// the first rule, one candidate and one SM a cycle for the second.  A granted candidate's place is closed by the older ones, one
// a cycle.  Candidates, requests and finished thread blocks wait meanwhile.
// Parameters: Depth is the number of candidates, Arrays and FieldW the rectangles, Sms and Slots the running thread blocks.
`include "mt_assert.svh"

module mt_block_overlap #(
  parameter int Depth  = 1024,                   // waiting thread blocks that are candidates
  parameter int Arrays = 3,                      // rectangles of a thread block, one for each array
  parameter int FieldW = 8,                      // bits of each of a rectangle's four fields
  parameter int Sms    = 15,                     // SMs
  parameter int Slots  = 8,                      // thread blocks that run on an SM
  parameter int IdW    = 24,                     // bits of a thread block's number
  localparam int SideW  = Arrays * FieldW,
  localparam int SmW    = (Sms > 1) ? $clog2(Sms) : 1,
  localparam int SlotW  = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int RectsW = (Slots * Arrays > 1) ? $clog2(Slots * Arrays) : 1,
  localparam int SumW   = 2 * FieldW + RectsW + SmW
) (
  input  wire logic             clk_i,           // clock, rising edge
  input  wire logic             rst_ni,          // synchronous reset, active low

  input  wire logic             clear_valid_i,   // the kernel is over: no candidates, nothing runs; a decision in progress is dropped
  input  wire logic             push_valid_i,    // a waiting thread block is offered as candidate, behind the others
  output logic                  push_ready_o,    // there is room for a candidate; 0 while a decision is in progress or the queue closes up
  input  wire logic [IdW-1:0]   push_id_i,       // its number
  input  wire logic [SideW-1:0] push_x_i,        // the left side of its rectangle of each array, array 0 in the low bits
  input  wire logic [SideW-1:0] push_y_i,        // the upper side of each
  input  wire logic [SideW-1:0] push_width_i,    // the width of each; 0: it does not access the array
  input  wire logic [SideW-1:0] push_height_i,   // the height of each; 0: as width 0
  input  wire logic             req_valid_i,     // an SM has room for a thread block
  output logic                  req_ready_o,     // the request starts a decision; 0 without req_valid_i, without candidates, or without a free slot
  input  wire logic [SmW-1:0]   req_sm_i,        // its number
  input  wire logic             finish_valid_i,  // a thread block is finished
  output logic                  finish_ready_o,  // no decision is in progress, and the queue does not close up
  input  wire logic [SmW-1:0]   finish_sm_i,     // its SM
  input  wire logic [SlotW-1:0] finish_slot_i,   // its slot, as granted

  output logic                  grant_valid_o,   // the decision is over
  input  wire logic             grant_ready_i,   // the granted thread block starts
  output logic [IdW-1:0]        grant_id_o,      // the thread block that was chosen; else 0
  output logic [SmW-1:0]        grant_sm_o,      // its SM; else 0
  output logic [SlotW-1:0]      grant_slot_o,    // its slot, the lowest that is free; else 0
  output logic [SumW-1:0]       grant_sum_o,     // its overlap, with its SM's thread blocks, or with those of the others if grant_least_o; else 0
  output logic                  grant_least_o,   // no candidate overlapped with its SM's thread blocks; else 0
  output logic [1:0]            error_o          // enum block_overlap_error, the first one, until reset
);
  localparam int IndexW = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int CountW = $clog2(Depth + 1);
  localparam int RowW   = Slots * SideW;
  localparam int Rects  = Slots * Arrays;
  localparam int AreaW  = 2 * FieldW;
  localparam int PartW  = AreaW + ((Arrays > 1) ? $clog2(Arrays) : 1);
  localparam int Stages = 5;                     // of the comparison, from the RAMs to sum_q
  localparam logic [2:0] Idle = 3'd0, Most = 3'd1, Turn = 3'd2, Least = 3'd3, Grant = 3'd4, Close = 3'd5;
  localparam logic [1:0] ErrorFinish = 2'd1, ErrorSm = 2'd2;

  `MT_PARAM_CHECK(g_illegal_depth, Depth >= 1 && Depth <= 8192)
  `MT_PARAM_CHECK(g_illegal_arrays, Arrays >= 1 && Arrays <= 4)
  `MT_PARAM_CHECK(g_illegal_field_w, FieldW >= 1 && FieldW <= 16)
  `MT_PARAM_CHECK(g_illegal_sms, Sms >= 1 && Sms <= 256)
  `MT_PARAM_CHECK(g_illegal_slots, Slots >= 1 && Slots <= 32)
  `MT_PARAM_CHECK(g_illegal_id_w, IdW >= 1 && IdW <= 32)
  `MT_PARAM_CHECK(g_illegal_row, RowW <= 1024)

  logic [2:0]        state_q, state_d;
  logic [1:0]        error_q, error_d;
  logic [CountW-1:0] count_q, count_d;
  logic [IndexW-1:0] head_q, head_d, tail_q, tail_d, place_q, place_d, at_q, at_d, winner_q, winner_d;
  logic [SmW-1:0]    look_q, look_d, sm_q, sm_d;
  logic              issue_q, issue_d, least_q, least_d;
  logic [Stages-1:0] valid_q, valid_d, ends_q, ends_d;
  logic [SumW-1:0]   best_q, best_d, total_q, total_d, sum_q, sum_d;
  logic [SlotW-1:0]  slot_q, slot_d;
  logic [SideW-1:0]  cand_x_q, cand_y_q, cand_width_q, cand_height_q;
  logic [Slots-1:0]  row_running_q;
  logic [RowW-1:0]   row_x_q, row_y_q, row_width_q, row_height_q;
  (* mem2reg *)
  logic [FieldW-1:0] across_q [Rects];
  (* mem2reg *)
  logic [FieldW-1:0] down_q [Rects];
  (* mem2reg *)
  logic [AreaW-1:0]  area_q [Rects];
  (* mem2reg *)
  logic [PartW-1:0]  part_q [Slots];
  (* mem2reg *)
  logic [Slots-1:0]  running_q [Sms];
  logic [IdW-1:0]    id_q [Depth];
  logic [SideW-1:0]  x_q [Depth];
  logic [SideW-1:0]  y_q [Depth];
  logic [SideW-1:0]  width_q [Depth];
  logic [SideW-1:0]  height_q [Depth];
  logic [RowW-1:0]   run_x_q [Sms];
  logic [RowW-1:0]   run_y_q [Sms];
  logic [RowW-1:0]   run_width_q [Sms];
  logic [RowW-1:0]   run_height_q [Sms];

  // ---- what is accepted: nothing while a decision is in progress
  logic             idle, push, accept, finish, pop, close, bad_finish, bad_sm;
  logic [Sms-1:0]   requests, finishes, busy;
  logic [Slots-1:0] req_running, finish_slots, finish_running;

  generate
    for (genvar s = 0; s < Sms; s++) begin : g_event
      assign requests[s] = req_valid_i & (req_sm_i == s);
      assign finishes[s] = finish_valid_i & (finish_sm_i == s);
      assign busy[s]     = |running_q[s];
    end
    for (genvar k = 0; k < Slots; k++) begin : g_finish
      assign finish_slots[k] = finish_valid_i & (finish_slot_i == k);
    end
  endgenerate

  logic [Sms*Slots-1:0] running;
  generate
    for (genvar s = 0; s < Sms; s++) begin : g_running
      assign running[s*Slots +: Slots] = running_q[s];
    end
  endgenerate
  mt_onehot_mux #(.Words(Sms), .Width(Slots)) u_req (.onehot_i(requests), .words_i(running), .word_o(req_running));
  mt_onehot_mux #(.Words(Sms), .Width(Slots)) u_finish (.onehot_i(finishes), .words_i(running), .word_o(finish_running));

  assign idle       = (state_q == Idle) & ~clear_valid_i;
  assign push       = push_valid_i & push_ready_o;
  assign accept     = idle & (|requests) & (count_q != '0) & ~(&req_running);
  assign finish     = finish_valid_i & idle & (|(finish_running & finish_slots));
  assign bad_finish = finish_valid_i & idle & ~(|(finish_running & finish_slots));
  assign bad_sm     = req_valid_i & ~(|requests);
  assign pop        = (state_q == Grant) & grant_ready_i;
  assign close      = state_q == Close;
  mt_sticky_error u_error (.error_i(error_q), .found_i(bad_finish ? ErrorFinish : bad_sm ? ErrorSm : 2'd0), .error_o(error_d));

  // ---- places of the queue, which is a ring
  logic [IndexW-1:0] after_head, after_tail, after_place, after_at, before_place;
  mt_ring_add #(.Slots(Depth)) u_head (.slot_i(head_q), .step_i(CountW'(1)), .slot_o(after_head));
  mt_ring_add #(.Slots(Depth)) u_tail (.slot_i(tail_q), .step_i(CountW'(1)), .slot_o(after_tail));
  mt_ring_add #(.Slots(Depth)) u_place (.slot_i(place_q), .step_i(CountW'(1)), .slot_o(after_place));
  mt_ring_add #(.Slots(Depth)) u_at (.slot_i(at_q), .step_i(CountW'(1)), .slot_o(after_at));
  assign before_place = (place_q == '0) ? IndexW'(Depth - 1) : place_q - 1;

  // ---- a candidate: the next to compare, the granted one, or the one that moves up
  logic [IndexW-1:0] read_at;
  logic [IdW-1:0]    id;
  logic [SideW-1:0]  x, y, width, height;
  assign read_at = close ? before_place : (state_q == Grant) ? winner_q : place_q;
  assign id      = id_q[read_at];
  assign x       = x_q[read_at];
  assign y       = y_q[read_at];
  assign width   = width_q[read_at];
  assign height  = height_q[read_at];

  // ---- the thread blocks of an SM: of the one in turn, or of the one that gets the candidate
  logic [SmW-1:0]   row_at;
  logic [Sms-1:0]   row_onehot;
  logic [Slots-1:0] row_running;
  logic [RowW-1:0]  row_x, row_y, row_width, row_height;
  assign row_at = (state_q == Grant) ? sm_q : look_q;
  generate
    for (genvar s = 0; s < Sms; s++) begin : g_row
      assign row_onehot[s] = row_at == s;
    end
  endgenerate
  mt_onehot_mux #(.Words(Sms), .Width(Slots)) u_row (.onehot_i(row_onehot), .words_i(running), .word_o(row_running));
  assign row_x      = run_x_q[row_at];
  assign row_y      = run_y_q[row_at];
  assign row_width  = run_width_q[row_at];
  assign row_height = run_height_q[row_at];

  // ---- the SM in turn after look_q, of the others that run something; the SM of the request, which shares nothing, if none does
  logic [Sms-1:0] own, others, above, next_above, next_other;
  logic [SmW-1:0] next_sm, first_sm, look_next, look_first;
  assign own    = 1 << sm_q;
  assign others = busy & ~own;
  assign above  = others & (({Sms{1'b1}} << look_q) << 1);
  mt_first_one #(.Width(Sms)) u_above (.vector_i(above), .onehot_o(next_above));
  mt_first_one #(.Width(Sms)) u_other (.vector_i(others), .onehot_o(next_other));
  mt_onehot_index #(.Width(Sms)) u_next_sm (.onehot_i(next_above), .index_o(next_sm));
  mt_onehot_index #(.Width(Sms)) u_first_sm (.onehot_i(next_other), .index_o(first_sm));
  assign look_first = (others == '0) ? sm_q : first_sm;
  assign look_next  = (above == '0) ? look_first : next_sm;

  // ---- the comparison: an intersection for each slot and array, its area, the sum for a slot, the sum of all
  logic reads, scans;
  assign scans = (state_q == Most) | (state_q == Least);
  assign reads = scans & issue_q;

  generate
    for (genvar r = 0; r < Rects; r++) begin : g_rect
      localparam int Field = r % Arrays * FieldW;
      logic [FieldW-1:0] across, down;
      mt_block_overlap_shared #(.FieldW(FieldW)) u_across (
        .a_i(cand_x_q[Field +: FieldW]), .a_length_i(cand_width_q[Field +: FieldW]),
        .b_i(row_x_q[r*FieldW +: FieldW]), .b_length_i(row_width_q[r*FieldW +: FieldW]), .length_o(across));
      mt_block_overlap_shared #(.FieldW(FieldW)) u_down (
        .a_i(cand_y_q[Field +: FieldW]), .a_length_i(cand_height_q[Field +: FieldW]),
        .b_i(row_y_q[r*FieldW +: FieldW]), .b_length_i(row_height_q[r*FieldW +: FieldW]), .length_o(down));
      // Valid only with valid_q, as all of the comparison: not reset.
      always_ff @(posedge clk_i) begin
        if (rst_ni && valid_q[0]) begin
          across_q[r] <= row_running_q[r/Arrays] ? across : '0;
          down_q[r]   <= row_running_q[r/Arrays] ? down : '0;
        end
        if (rst_ni && valid_q[1]) area_q[r] <= across_q[r] * down_q[r];
      end
    end
    for (genvar k = 0; k < Slots; k++) begin : g_part
      for (genvar i = 0; i < Arrays; i++) begin : g_array
        logic [PartW-1:0] so_far;
        if (i == 0) begin : g_first
          assign so_far = PartW'(area_q[k*Arrays]);
        end else begin : g_more
          assign so_far = g_array[i-1].so_far + PartW'(area_q[k*Arrays+i]);
        end
      end
      always_ff @(posedge clk_i) begin
        if (rst_ni && valid_q[2]) part_q[k] <= g_array[Arrays-1].so_far;
      end
    end
    for (genvar k = 0; k < Slots; k++) begin : g_sum
      logic [SumW-1:0] so_far;
      if (k == 0) begin : g_first
        assign so_far = SumW'(part_q[0]);
      end else begin : g_more
        assign so_far = g_sum[k-1].so_far + SumW'(part_q[k]);
      end
    end
  endgenerate
  assign sum_d = g_sum[Slots-1].so_far;

  always_ff @(posedge clk_i) begin
    if (rst_ni && reads) begin
      cand_x_q      <= x;
      cand_y_q      <= y;
      cand_width_q  <= width;
      cand_height_q <= height;
      row_running_q <= row_running;
      row_x_q       <= row_x;
      row_y_q       <= row_y;
      row_width_q   <= row_width;
      row_height_q  <= row_height;
    end
    if (rst_ni && valid_q[3]) sum_q <= sum_d;
  end

  // ---- the decision: candidate at_q, whose overlap is in sum_q
  logic [SumW-1:0]  total;
  logic             compared, last_sm, last_place, last_at, more, ends, better, found, closed;
  logic [Slots-1:0] free_onehot;
  logic [SlotW-1:0] free_slot;

  assign compared   = valid_q[Stages-1];
  assign ends       = ends_q[Stages-1];
  assign total      = total_q + sum_q;
  assign last_sm    = (state_q == Most) | (above == '0);
  assign last_place = after_place == tail_q;
  assign last_at    = after_at == tail_q;
  assign more       = sum_q > best_q;
  assign better     = (at_q == head_q) | (total < best_q);
  assign found      = compared & ((state_q == Most) ? last_at : ends & (last_at | (total == '0)));
  assign closed     = before_place == head_q;

  mt_first_one #(.Width(Slots)) u_free (.vector_i(~req_running), .onehot_o(free_onehot));
  mt_onehot_index #(.Width(Slots)) u_free_slot (.onehot_i(free_onehot), .index_o(free_slot));

  always_comb begin
    state_d  = state_q;
    place_d  = place_q;
    look_d   = look_q;
    issue_d  = issue_q;
    at_d     = at_q;
    winner_d = winner_q;
    best_d   = best_q;
    total_d  = total_q;
    sm_d     = sm_q;
    slot_d   = slot_q;
    least_d  = least_q;
    case (state_q)
      Idle: begin
        if (accept) begin
          state_d  = (req_running == '0) ? Turn : Most;
          place_d  = head_q;
          look_d   = req_sm_i;
          issue_d  = 1'b1;
          at_d     = head_q;
          winner_d = head_q;
          best_d   = '0;
          total_d  = '0;
          sm_d     = req_sm_i;
          slot_d   = free_slot;
          least_d  = req_running == '0;
        end
      end
      Most: begin
        if (reads) begin
          place_d = after_place;
          issue_d = ~last_place;
        end
        if (compared) begin
          at_d = after_at;
          if (more) begin
            best_d   = sum_q;
            winner_d = at_q;
          end
        end
        if (found) begin
          state_d = (best_d == '0) ? Turn : Grant;
          least_d = best_d == '0;
        end
      end
      Turn: begin
        state_d = Least;
        place_d = head_q;
        look_d  = look_first;
        issue_d = 1'b1;
        at_d    = head_q;
      end
      Least: begin
        if (reads) begin
          look_d = look_next;
          if (last_sm) begin
            place_d = after_place;
            issue_d = ~last_place;
          end
        end
        if (compared) begin
          total_d = ends ? '0 : total;
          if (ends) begin
            at_d = after_at;
            if (better) begin
              best_d   = total;
              winner_d = at_q;
            end
          end
        end
        if (found) state_d = Grant;
      end
      Grant: begin
        if (pop) begin
          state_d = (winner_q == head_q) ? Idle : Close;
          place_d = winner_q;
        end
      end
      default: begin
        place_d = before_place;
        if (closed) state_d = Idle;
      end
    endcase
    if (clear_valid_i) state_d = Idle;
  end

  assign valid_d = (scans & ~found & ~clear_valid_i) ? {valid_q[Stages-2:0], reads} : '0;
  assign ends_d  = scans ? {ends_q[Stages-2:0], last_sm} : ends_q;

  // The granted candidate leaves when the older ones have moved up.
  // Never below 0, whatever state it starts in: so the prover needs no more than its range.
  logic leaves;
  assign leaves  = (pop & (winner_q == head_q)) | (close & closed);
  assign count_d = clear_valid_i ? '0 : count_q + CountW'(push) - CountW'(leaves && count_q != '0);
  assign head_d  = clear_valid_i ? '0 : leaves ? after_head : head_q;
  assign tail_d  = clear_valid_i ? '0 : push ? after_tail : tail_q;

  // ---- outputs
  assign push_ready_o   = idle & (count_q < CountW'(Depth));
  assign req_ready_o    = accept;
  assign finish_ready_o = idle;
  assign grant_valid_o  = state_q == Grant;
  assign grant_id_o     = grant_valid_o ? id : '0;
  assign grant_sm_o     = grant_valid_o ? sm_q : '0;
  assign grant_slot_o   = grant_valid_o ? slot_q : '0;
  assign grant_sum_o    = grant_valid_o ? best_q : '0;
  assign grant_least_o  = grant_valid_o & least_q;
  assign error_o        = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      count_q  <= '0;
      head_q   <= '0;
      tail_q   <= '0;
      place_q  <= '0;
      look_q   <= '0;
      issue_q  <= 1'b0;
      valid_q  <= '0;
      ends_q   <= '0;
      at_q     <= '0;
      winner_q <= '0;
      best_q   <= '0;
      total_q  <= '0;
      sm_q     <= '0;
      slot_q   <= '0;
      least_q  <= 1'b0;
      error_q  <= '0;
    end else begin
      state_q  <= state_d;
      count_q  <= count_d;
      head_q   <= head_d;
      tail_q   <= tail_d;
      place_q  <= place_d;
      look_q   <= look_d;
      issue_q  <= issue_d;
      valid_q  <= valid_d;
      ends_q   <= ends_d;
      at_q     <= at_d;
      winner_q <= winner_d;
      best_q   <= best_d;
      total_q  <= total_d;
      sm_q     <= sm_d;
      slot_q   <= slot_d;
      least_q  <= least_d;
      error_q  <= error_d;
    end
  end

  // Candidates.  Valid only from head_q on, count_q of them: not reset.
  logic              write;
  logic [IndexW-1:0] write_at;
  assign write    = push | close;
  assign write_at = close ? place_q : tail_q;
  always_ff @(posedge clk_i) begin
    if (rst_ni && write) begin
      id_q[write_at]     <= close ? id : push_id_i;
      x_q[write_at]      <= close ? x : push_x_i;
      y_q[write_at]      <= close ? y : push_y_i;
      width_q[write_at]  <= close ? width : push_width_i;
      height_q[write_at] <= close ? height : push_height_i;
    end
  end

  // Thread blocks of an SM.  Rectangles are valid only with running_q: not reset.
  logic [RowW-1:0] new_x, new_y, new_width, new_height;
  generate
    for (genvar k = 0; k < Slots; k++) begin : g_place
      logic starts;
      assign starts = slot_q == k;
      assign new_x[k*SideW +: SideW]      = starts ? x : row_x[k*SideW +: SideW];
      assign new_y[k*SideW +: SideW]      = starts ? y : row_y[k*SideW +: SideW];
      assign new_width[k*SideW +: SideW]  = starts ? width : row_width[k*SideW +: SideW];
      assign new_height[k*SideW +: SideW] = starts ? height : row_height[k*SideW +: SideW];
    end
  endgenerate
  always_ff @(posedge clk_i) begin
    if (rst_ni && pop) begin
      run_x_q[row_at]      <= new_x;
      run_y_q[row_at]      <= new_y;
      run_width_q[row_at]  <= new_width;
      run_height_q[row_at] <= new_height;
    end
  end

  generate
    for (genvar s = 0; s < Sms; s++) begin : g_sm
      logic             starts;
      logic [Slots-1:0] started, ended;
      assign starts  = pop & own[s];
      assign started = {Slots{starts}} & (1 << slot_q);
      assign ended   = {Slots{finish & finishes[s]}} & finish_slots;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) running_q[s] <= '0;
        else running_q[s] <= clear_valid_i ? '0 : (running_q[s] | started) & ~ended;
      end
    end
  endgenerate

  `MT_ASSERT(g_candidate_exists, state_q == Idle || count_q != '0)
  `MT_ASSERT(g_slot_is_free, state_q != Grant || (row_running & (1 << slot_q)) == '0)

`ifdef FORMAL
  `define MT_BLOCK_OVERLAP_PROPERTIES
  `include "mt_block_overlap_formal.sv"
  `undef MT_BLOCK_OVERLAP_PROPERTIES
`endif
endmodule
