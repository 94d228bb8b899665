// SPDX-License-Identifier: Apache-2.0
// Locality-aware thread-block dispatch (Chen16, section 3.3): which waiting thread block an SM gets.
//
// A queue of candidates holds a rectangle of each array that the thread block accesses, in lines and rows; so does a table of
// the thread blocks that run on each SM.  The SM with room gets the candidate that shares most lines with its own thread blocks,
// the oldest of several.  If none shares any, it gets the one that shares least with the other SMs' thread blocks.
//
// Timing: a request is accepted in its cycle; then one candidate a cycle; for the second rule, one candidate and one SM a
// cycle, which ends for a candidate as soon as another one is known to be as good.  Candidates, requests and finished thread
// blocks wait meanwhile.
// Parameters: Depth is the number of candidates, Arrays and FieldW the rectangles, Sms and Slots the running thread blocks.
`include "mt_assert.svh"

module mt_block_overlap #(
  parameter int Depth  = 16,                     // waiting thread blocks that are candidates
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
  output logic                  push_ready_o,    // there is room for a candidate and no decision in progress
  input  wire logic [IdW-1:0]   push_id_i,       // its number
  input  wire logic [SideW-1:0] push_x_i,        // the left side of its rectangle of each array, array 0 in the low bits
  input  wire logic [SideW-1:0] push_y_i,        // the upper side of each
  input  wire logic [SideW-1:0] push_width_i,    // the width of each; 0: it does not access the array
  input  wire logic [SideW-1:0] push_height_i,   // the height of each; 0: as width 0
  input  wire logic             req_valid_i,     // an SM has room for a thread block
  output logic                  req_ready_o,     // the request starts a decision; 0 without req_valid_i, without candidates, or without a free slot
  input  wire logic [SmW-1:0]   req_sm_i,        // its number
  input  wire logic             finish_valid_i,  // a thread block is finished
  output logic                  finish_ready_o,  // no decision is in progress
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
  localparam int EntryW = IdW + 4 * SideW;
  localparam logic [1:0] Idle = 2'd0, Most = 2'd1, Least = 2'd2, Grant = 2'd3;
  localparam logic [1:0] ErrorFinish = 2'd1, ErrorSm = 2'd2;

  `MT_PARAM_CHECK(g_illegal_depth, Depth >= 1 && Depth <= 64)
  `MT_PARAM_CHECK(g_illegal_arrays, Arrays >= 1 && Arrays <= 4)
  `MT_PARAM_CHECK(g_illegal_field_w, FieldW >= 1 && FieldW <= 16)
  `MT_PARAM_CHECK(g_illegal_sms, Sms >= 1 && Sms <= 64)
  `MT_PARAM_CHECK(g_illegal_slots, Slots >= 1 && Slots <= 32)
  `MT_PARAM_CHECK(g_illegal_id_w, IdW >= 1 && IdW <= 32)

  logic [1:0]        state_q, state_d, error_q, error_d;
  logic [CountW-1:0] count_q, count_d;
  logic [IndexW-1:0] index_q, index_d, winner_q, winner_d;
  logic [SumW-1:0]   best_q, best_d, total_q, total_d;
  logic [Sms-1:0]    todo_q, todo_d;
  logic [SmW-1:0]    sm_q, sm_d;
  logic [SlotW-1:0]  slot_q, slot_d;
  logic              least_q, least_d;
  (* mem2reg *)
  logic [IdW-1:0]    id_q [Depth];
  (* mem2reg *)
  logic [SideW-1:0]  x_q [Depth];
  (* mem2reg *)
  logic [SideW-1:0]  y_q [Depth];
  (* mem2reg *)
  logic [SideW-1:0]  width_q [Depth];
  (* mem2reg *)
  logic [SideW-1:0]  height_q [Depth];
  (* mem2reg *)
  logic [Slots-1:0]  running_q [Sms];
  (* mem2reg *)
  logic [SideW-1:0]  run_x_q [Sms*Slots];
  (* mem2reg *)
  logic [SideW-1:0]  run_y_q [Sms*Slots];
  (* mem2reg *)
  logic [SideW-1:0]  run_width_q [Sms*Slots];
  (* mem2reg *)
  logic [SideW-1:0]  run_height_q [Sms*Slots];

  // ---- what is accepted: nothing while a decision is in progress
  logic             idle, push, accept, finish, pop, bad_finish, bad_sm;
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
  mt_sticky_error u_error (.error_i(error_q), .found_i(bad_finish ? ErrorFinish : bad_sm ? ErrorSm : 2'd0), .error_o(error_d));

  // ---- the candidate whose overlap is computed, or which is granted
  logic [IndexW-1:0]       at;
  logic [Depth-1:0]        at_onehot;
  logic [Depth*EntryW-1:0] entries;
  logic [IdW-1:0]          id;
  logic [SideW-1:0]        x, y, width, height;

  assign at = (state_q == Grant) ? winner_q : index_q;
  generate
    for (genvar i = 0; i < Depth; i++) begin : g_entry
      assign at_onehot[i] = at == i;
      assign entries[i*EntryW +: EntryW] = {id_q[i], height_q[i], width_q[i], y_q[i], x_q[i]};
    end
  endgenerate
  mt_onehot_mux #(.Words(Depth), .Width(EntryW)) u_entry (.onehot_i(at_onehot), .words_i(entries), .word_o({id, height, width, y, x}));

  // ---- the SM with whose thread blocks it is compared: that of the request, or the next of the others
  logic [SmW-1:0]         next_sm, look;
  logic [Sms-1:0]         own, left, next_onehot, look_onehot;
  logic [Slots-1:0]       look_running, row_running;
  logic [Slots*SideW-1:0] row_x, row_y, row_width, row_height;
  logic [Sms*Slots*SideW-1:0] run_x, run_y, run_width, run_height;

  mt_first_one #(.Width(Sms)) u_next (.vector_i(todo_q), .onehot_o(next_onehot));
  mt_onehot_index #(.Width(Sms)) u_next_sm (.onehot_i(next_onehot), .index_o(next_sm));
  assign own  = 1 << sm_q;
  assign left = todo_q & (todo_q - 1);
  assign look = (state_q == Least) ? next_sm : sm_q;
  generate
    for (genvar s = 0; s < Sms; s++) begin : g_look
      assign look_onehot[s] = look == s;
      for (genvar k = 0; k < Slots; k++) begin : g_side
        assign run_x[(s*Slots+k)*SideW +: SideW]      = run_x_q[s*Slots+k];
        assign run_y[(s*Slots+k)*SideW +: SideW]      = run_y_q[s*Slots+k];
        assign run_width[(s*Slots+k)*SideW +: SideW]  = run_width_q[s*Slots+k];
        assign run_height[(s*Slots+k)*SideW +: SideW] = run_height_q[s*Slots+k];
      end
    end
  endgenerate
  mt_onehot_mux #(.Words(Sms), .Width(Slots)) u_row (.onehot_i(look_onehot), .words_i(running), .word_o(look_running));
  mt_onehot_mux #(.Words(Sms), .Width(Slots*SideW)) u_row_x (.onehot_i(look_onehot), .words_i(run_x), .word_o(row_x));
  mt_onehot_mux #(.Words(Sms), .Width(Slots*SideW)) u_row_y (.onehot_i(look_onehot), .words_i(run_y), .word_o(row_y));
  mt_onehot_mux #(.Words(Sms), .Width(Slots*SideW)) u_row_width (.onehot_i(look_onehot), .words_i(run_width), .word_o(row_width));
  mt_onehot_mux #(.Words(Sms), .Width(Slots*SideW)) u_row_height (.onehot_i(look_onehot), .words_i(run_height), .word_o(row_height));
  assign row_running = (state_q == Least && todo_q == '0) ? '0 : look_running;

  // ---- overlap with its thread blocks: an intersection for each slot and array
  logic [Slots*Arrays*SumW-1:0] area;
  logic [SumW-1:0]              sum;

  generate
    for (genvar k = 0; k < Slots; k++) begin : g_slot
      for (genvar i = 0; i < Arrays; i++) begin : g_array
        logic [FieldW-1:0] across, down;
        mt_block_overlap_shared #(.FieldW(FieldW)) u_across (
          .a_i(x[i*FieldW +: FieldW]), .a_length_i(width[i*FieldW +: FieldW]),
          .b_i(row_x[k*SideW+i*FieldW +: FieldW]), .b_length_i(row_width[k*SideW+i*FieldW +: FieldW]), .length_o(across));
        mt_block_overlap_shared #(.FieldW(FieldW)) u_down (
          .a_i(y[i*FieldW +: FieldW]), .a_length_i(height[i*FieldW +: FieldW]),
          .b_i(row_y[k*SideW+i*FieldW +: FieldW]), .b_length_i(row_height[k*SideW+i*FieldW +: FieldW]), .length_o(down));
        assign area[(k*Arrays+i)*SumW +: SumW] = row_running[k] ? SumW'(across) * SumW'(down) : '0;
      end
    end
  endgenerate

  generate
    for (genvar n = 0; n < Slots * Arrays; n++) begin : g_sum
      logic [SumW-1:0] so_far;
      if (n == 0) begin : g_first
        assign so_far = area[SumW-1:0];
      end else begin : g_more
        assign so_far = g_sum[n-1].so_far + area[n*SumW +: SumW];
      end
    end
  endgenerate
  assign sum = g_sum[Slots*Arrays-1].so_far;

  // ---- the decision
  logic [Sms-1:0]   others;
  logic [SumW-1:0]  total;
  logic             last, more, beaten, better, over, leaves;
  logic [Slots-1:0] free_onehot;
  logic [SlotW-1:0] free_slot;

  assign others = busy & ~(accept ? requests : own);
  assign total  = total_q + sum;
  assign last   = (CountW+1)'(index_q) + 1 >= (CountW+1)'(count_q);
  assign more   = sum > best_q;
  assign beaten = (index_q != '0) & (total >= best_q);
  assign better = ~beaten & (left == '0);
  assign over   = beaten | (left == '0);

  mt_first_one #(.Width(Slots)) u_free (.vector_i(~req_running), .onehot_o(free_onehot));
  mt_onehot_index #(.Width(Slots)) u_free_slot (.onehot_i(free_onehot), .index_o(free_slot));

  always_comb begin
    state_d  = state_q;
    index_d  = index_q;
    winner_d = winner_q;
    best_d   = best_q;
    total_d  = total_q;
    todo_d   = todo_q;
    sm_d     = sm_q;
    slot_d   = slot_q;
    least_d  = least_q;
    case (state_q)
      Idle: begin
        if (accept) begin
          state_d  = (req_running == '0) ? Least : Most;
          index_d  = '0;
          winner_d = '0;
          best_d   = '0;
          total_d  = '0;
          todo_d   = others;
          sm_d     = req_sm_i;
          slot_d   = free_slot;
          least_d  = req_running == '0;
        end
      end
      Most: begin
        if (more) begin
          best_d   = sum;
          winner_d = index_q;
        end
        if (last) begin
          state_d = (best_d == '0) ? Least : Grant;
          least_d = best_d == '0;
        end
        index_d = last ? '0 : index_q + 1;
        total_d = '0;
        todo_d  = others;
      end
      Least: begin
        if (better) begin
          best_d   = total;
          winner_d = index_q;
        end
        if (over) begin
          if (last || (better && total == '0)) state_d = Grant;
          index_d = last ? '0 : index_q + 1;
          total_d = '0;
          todo_d  = others;
        end else begin
          total_d = total;
          todo_d  = left;
        end
      end
      default: begin
        if (pop) state_d = Idle;
      end
    endcase
    if (clear_valid_i) state_d = Idle;
  end

  // Never below 0, whatever state it starts in: so the prover needs no more than its range.
  assign leaves  = pop && count_q != '0;
  assign count_d = clear_valid_i ? '0 : count_q + CountW'(push) - CountW'(leaves);

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
      index_q  <= '0;
      winner_q <= '0;
      best_q   <= '0;
      total_q  <= '0;
      todo_q   <= '0;
      sm_q     <= '0;
      slot_q   <= '0;
      least_q  <= 1'b0;
      error_q  <= '0;
    end else begin
      state_q  <= state_d;
      count_q  <= count_d;
      index_q  <= index_d;
      winner_q <= winner_d;
      best_q   <= best_d;
      total_q  <= total_d;
      todo_q   <= todo_d;
      sm_q     <= sm_d;
      slot_q   <= slot_d;
      least_q  <= least_d;
      error_q  <= error_d;
    end
  end

  // Candidates in order: those behind one that leaves move up.  Valid only below count_q: not reset.
  generate
    for (genvar i = 0; i < Depth; i++) begin : g_candidate
      logic             enters, moves;
      logic [IdW-1:0]   id_d;
      logic [SideW-1:0] x_d, y_d, width_d, height_d;
      assign enters   = push & (count_q == i);
      assign id_d     = enters ? push_id_i : id_q[(i+1)%Depth];
      assign x_d      = enters ? push_x_i : x_q[(i+1)%Depth];
      assign y_d      = enters ? push_y_i : y_q[(i+1)%Depth];
      assign width_d  = enters ? push_width_i : width_q[(i+1)%Depth];
      assign height_d = enters ? push_height_i : height_q[(i+1)%Depth];
      if (i + 1 < Depth) begin : g_moves
        assign moves = pop & (winner_q <= i);
      end else begin : g_last
        assign moves = 1'b0;
      end
      always_ff @(posedge clk_i) begin
        if (rst_ni && (enters || moves)) begin
          id_q[i]     <= id_d;
          x_q[i]      <= x_d;
          y_q[i]      <= y_d;
          width_q[i]  <= width_d;
          height_q[i] <= height_d;
        end
      end
    end
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
      // Valid only with running_q: not reset.
      for (genvar k = 0; k < Slots; k++) begin : g_place
        always_ff @(posedge clk_i) begin
          if (rst_ni && started[k]) begin
            run_x_q[s*Slots+k]      <= x;
            run_y_q[s*Slots+k]      <= y;
            run_width_q[s*Slots+k]  <= width;
            run_height_q[s*Slots+k] <= height;
          end
        end
      end
    end
  endgenerate

  `MT_ASSERT(g_candidate_exists, state_q == Idle || CountW'(at) < count_q)
  `MT_ASSERT(g_slot_is_free, state_q != Grant || (row_running & (1 << slot_q)) == '0)

`ifdef FORMAL
  `define MT_BLOCK_OVERLAP_PROPERTIES
  `include "mt_block_overlap_formal.sv"
  `undef MT_BLOCK_OVERLAP_PROPERTIES
`endif
endmodule
