// SPDX-License-Identifier: Apache-2.0
// Dynamically linked MSHR file: super-entries of linked slot sets, allocated on demand (Gu20, sections 3.4.1 to 3.4.6).
//
// A primary miss takes a free set as the head of a super-entry; when the set is full, the next secondary miss links another
// free set behind the tail.  A fill drains the sets of its super-entry in order.
//
// Timing: a pipeline of two stages, search and commit; one request, one fill and one drained slot per cycle.  Order within a
// cycle: the request in stage 2 commits; the drain releases a slot; a fill is accepted; a new request is searched and sees all
// three.  TailPtr = 0 walks the links and stalls a request for one cycle per link.
// Parameters: Sets and Slots set the pool; Slots, GateCmp, TailPtr and Reserved are the paper's optimizations 1 to 4.
`include "mt_assert.svh"

module mt_dl_mshr #(
  parameter int Sets     = 128,                    // slot sets; one comparator per set and search port
  parameter int Slots    = 2,                      // slots per set (optimization 1: grouping)
  parameter int AddrW    = 41,                     // bits of a line address
  parameter int InfoW    = 24,                     // bits of requester information per slot (offset and requester)
  parameter int DataW    = 0,                      // bits of write data per slot; 0: no write data buffer
  parameter int GateCmp  = 1,                      // optimization 2: comparators of sets that are not heads see a constant address
  parameter int TailPtr  = 1,                      // optimization 3: the head stores the tail's set number; 0: the tail is found by walking the chain
  parameter int Reserved = 64,                     // optimization 4: sets 0..Reserved-1 may only become heads
  localparam int SetW   = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int SlotW  = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int PoolW  = (Sets * Slots > 1) ? $clog2(Sets * Slots) : 1,
  localparam int FreeW  = $clog2(Sets + 1),
  localparam int UsedW  = $clog2(Sets * Slots + 1),
  localparam int DataPW = (DataW > 0) ? DataW : 1
) (
  input  wire logic              clk_i,            // clock, rising edge
  input  wire logic              rst_ni,           // synchronous reset, active low

  input  wire logic              req_valid_i,      // a miss requests a slot
  output logic                   req_ready_o,      // the request is taken at this clock edge
  input  wire logic [AddrW-1:0]  req_addr_i,       // its line address
  input  wire logic [InfoW-1:0]  req_info_i,       // its requester; returned on the drain port
  input  wire logic              req_write_i,      // the request is a write
  input  wire logic [DataPW-1:0] req_data_i,       // its write data

  output logic                   rsp_valid_o,      // result of the oldest unanswered request
  output logic [2:0]             rsp_result_o,     // enum mshr_result
  output logic [SetW-1:0]        rsp_set_o,        // entry or set that took the request; 0 when refused

  input  wire logic              fill_valid_i,     // the data of a line returns (RET)
  output logic                   fill_ready_o,     // the fill is taken at this clock edge
  input  wire logic [AddrW-1:0]  fill_addr_i,      // its line address

  output logic                   drain_valid_o,    // a drained slot is offered
  input  wire logic              drain_ready_i,    // the drained slot is taken
  output logic [AddrW-1:0]       drain_addr_o,     // its line address
  output logic [InfoW-1:0]       drain_info_o,     // its requester
  output logic                   drain_write_o,    // the drained request was a write
  output logic [DataPW-1:0]      drain_data_o,     // its write data
  output logic                   drain_last_o,     // the last slot of this line

  output logic [FreeW-1:0]       free_o,           // free entries, or sets that are not reserved (nFreeSet)
  output logic [FreeW-1:0]       free_reserved_o,  // free reserved sets; 0 if none are reserved
  output logic [UsedW-1:0]       used_slots_o,     // occupied slots
  output logic [1:0]             error_o           // enum mshr_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_sets, Sets >= 2)
  `MT_PARAM_CHECK(g_illegal_slots, Slots >= 1)
  `MT_PARAM_CHECK(g_illegal_addr_w, AddrW >= 1 && AddrW <= 64)
  `MT_PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 32)
  `MT_PARAM_CHECK(g_illegal_data_w, DataW >= 0 && DataW <= 1024)
  `MT_PARAM_CHECK(g_illegal_flag, (GateCmp == 0 || GateCmp == 1) && (TailPtr == 0 || TailPtr == 1))
  `MT_PARAM_CHECK(g_illegal_reserved, Reserved >= 0 && Reserved < Sets)

  `include "mt_mshr_codes.svh"

  // Optimization 4: the lowest sets never become attached.
  localparam logic [Sets-1:0] ReservedSets = {Sets{1'b1}} >> (Sets - Reserved);

  // Per set: state of the DAU, line of a head, link, tail of a head, last slot.  Per slot: the requester.
  (* mem2reg *)
  logic [3:0]             state_q [Sets];
  logic [AddrW-1:0]       addr_q  [Sets];
  logic [SetW-1:0]        next_q  [Sets];
  logic [SetW-1:0]        tail_q  [Sets];
  logic [SlotW-1:0]       last_q  [Sets];
  logic [InfoW-1:0]       info_q  [Sets*Slots];
  logic [Sets*Slots-1:0]  write_q;
  logic [DataPW-1:0]      data_q  [Sets*Slots];

  logic              s2_valid_q, s2_valid_d, s2_hit_q, s2_hit_d, s2_drain_q, s2_drain_d;
  logic [SetW-1:0]   s2_set_q, s2_set_d;
  logic [AddrW-1:0]  s2_addr_q;
  logic [InfoW-1:0]  s2_info_q;
  logic              s2_write_q;
  logic [DataPW-1:0] s2_data_q;

  logic              drain_valid_q, drain_valid_d, drain_linked_q, drain_linked_d;
  logic [SetW-1:0]   drain_set_q, drain_set_d;
  logic [SlotW-1:0]  drain_slot_q, drain_slot_d;
  logic [AddrW-1:0]  drain_addr_q;

  logic [FreeW-1:0]  n_free_set_q, n_free_set_d, n_free_reserved_q, n_free_reserved_d;
  logic [UsedW-1:0]  used_slots_q, used_slots_d;
  logic [1:0]        error_q, error_d;

  // ---- the DAU: the paper's signals, one bit per set
  logic [Sets-1:0]   h, l, s_free, s_full, req_h, req_a, ret, s_free_ext, released;
  logic [Sets-1:0]   req_match, fill_match, new_onehot;
  logic [Sets*4-1:0] state_d;
  logic              req_tail, alloc, link, fills, n_free_set, fill_ok, set_done;
  logic [SetW-1:0]   tail, new_set, fill_set, follower;

  generate
    for (genvar i = 0; i < Sets; i++) begin : g_set
      logic             is_tail;
      logic [AddrW-1:0] req_operand, fill_operand;

      assign is_tail       = req_tail & (tail == i);
      assign req_h[i]      = (is_tail & h[i]) | (alloc & new_onehot[i]);
      assign req_a[i]      = (is_tail & ~h[i]) | (link & new_onehot[i]);
      assign ret[i]        = fill_ok & (fill_set == i);
      assign s_free_ext[i] = set_done & drain_linked_q & (follower == i);
      assign released[i]   = set_done & (drain_set_q == i);

      mt_dl_mshr_dau u_dau (
        .state_i      (state_q[i]),
        .req_h_i      (req_h[i]),
        .req_a_i      (req_a[i]),
        .fills_i      (fills),
        .n_free_set_i (n_free_set),
        .ret_i        (ret[i]),
        .s_free_ext_i (s_free_ext[i]),
        .released_i   (released[i]),
        .state_o      (state_d[i*4 +: 4]),
        .h_o          (h[i]),
        .l_o          (l[i]),
        .s_free_o     (s_free[i]),
        .s_full_o     (s_full[i])
      );

      always_ff @(posedge clk_i) begin
        if (!rst_ni) state_q[i] <= 4'd0;
        else state_q[i] <= state_d[i*4 +: 4];
      end

      // Optimization 2: the comparators of a set that is no head see a constant.
      assign req_operand   = (GateCmp != 0) ? req_addr_i & {AddrW{h[i]}} : req_addr_i;
      assign fill_operand  = (GateCmp != 0) ? fill_addr_i & {AddrW{h[i]}} : fill_addr_i;
      assign req_match[i]  = h[i] & (req_operand == addr_q[i]);
      assign fill_match[i] = h[i] & (fill_operand == addr_q[i]);
    end
  endgenerate

  // ---- stage 2: allocate, merge, link or refuse
  logic known, full, walk, merge, rf, use_reserved, take, accept;
  logic [SetW-1:0]  slot_set;
  logic [SlotW-1:0] slot;
  logic [PoolW-1:0] slot_index;

  assign n_free_set   = n_free_set_q != '0;
  assign known        = s2_valid_q & s2_hit_q & ~s2_drain_q;
  assign tail         = (TailPtr != 0) ? tail_q[s2_set_q] : s2_set_q;  // optimization 3
  assign full         = s_full[tail];
  assign walk         = known & (TailPtr == 0) & l[tail];
  assign req_tail     = known & ~walk;
  assign merge        = req_tail & ~full;
  assign link         = req_tail & full & n_free_set;
  assign rf           = req_tail & full & ~n_free_set;
  assign use_reserved = ~s2_hit_q & (n_free_reserved_q != '0);
  assign alloc        = s2_valid_q & ~s2_drain_q & ~s2_hit_q & (use_reserved | n_free_set);
  assign take         = alloc | link;
  assign accept       = merge | take;

  mt_first_one #(.Width(Sets)) u_new_onehot (
    .vector_i (s_free & (use_reserved ? ReservedSets : ~ReservedSets)),
    .onehot_o (new_onehot)
  );
  mt_onehot_index #(.Width(Sets)) u_new_set (.onehot_i(new_onehot), .index_o(new_set));

  assign slot_set   = take ? new_set : tail;
  assign slot       = (take || Slots == 1) ? '0 : last_q[tail] + 1;
  assign fills      = slot == SlotW'(Slots - 1);
  assign slot_index = slot_set * PoolW'(Slots) + PoolW'(slot);

  assign req_ready_o = ~walk;
  assign rsp_valid_o = s2_valid_q & ~walk;
  assign rsp_set_o   = accept ? slot_set : '0;
  always_comb begin
    rsp_result_o = Primary;
    if (rsp_valid_o) begin
      if (s2_drain_q) rsp_result_o = RfDrain;
      else if (s2_hit_q) rsp_result_o = rf ? RfMerge : Secondary;
      else if (!alloc) rsp_result_o = RfEntry;
    end
  end

  // ---- drain: one slot per cycle, oldest first; a set is free when its last slot has left
  logic pop, last_of_set, done;
  logic [PoolW-1:0] drain_index;

  assign last_of_set = Slots == 1 || drain_slot_q == last_q[drain_set_q];
  assign pop         = drain_valid_q & drain_ready_i;
  assign set_done    = pop & last_of_set;
  assign done        = set_done & ~drain_linked_q;
  assign follower    = next_q[drain_set_q];
  assign drain_index = drain_set_q * PoolW'(Slots) + PoolW'(drain_slot_q);

  assign drain_valid_o = drain_valid_q;
  assign drain_addr_o  = drain_valid_q ? drain_addr_q : '0;
  assign drain_info_o  = drain_valid_q ? info_q[drain_index] : '0;
  assign drain_write_o = drain_valid_q & write_q[drain_index];
  assign drain_data_o  = (drain_valid_q && DataW > 0) ? data_q[drain_index] : '0;
  assign drain_last_o  = drain_valid_q & last_of_set & ~drain_linked_q;

  // ---- fill: after stage 2, so it finds a head that is allocated in this cycle
  logic fill_fresh, fill_go, fill_bad;
  logic [SetW-1:0] fill_index;

  mt_onehot_index #(.Width(Sets)) u_fill_set (.onehot_i(fill_match), .index_o(fill_index));
  assign fill_ready_o = (~drain_valid_q | done) & ~walk;
  assign fill_go      = fill_valid_i & fill_ready_o;
  assign fill_fresh   = alloc & (fill_addr_i == s2_addr_q);
  assign fill_ok      = fill_go & ((|fill_match) | fill_fresh);
  assign fill_bad     = fill_go & ~fill_ok;
  assign fill_set     = fill_index | (new_set & {SetW{fill_fresh}});

  always_comb begin
    drain_valid_d  = fill_ok | (drain_valid_q & ~done);
    drain_set_d    = drain_set_q;
    drain_linked_d = drain_linked_q;
    drain_slot_d   = pop ? drain_slot_q + 1 : drain_slot_q;
    if (set_done) drain_slot_d = '0;
    if (set_done && drain_linked_q) begin
      drain_set_d    = follower;
      drain_linked_d = l[follower];
    end
    if (fill_ok) begin
      drain_set_d    = fill_set;
      drain_linked_d = l[fill_set] | (link & (tail == fill_set));
      drain_slot_d   = '0;
    end
  end

  // ---- stage 1: the search sees the effects of stage 2, drain and fill in this cycle
  logic req_go, req_fresh;
  logic [SetW-1:0] req_index;

  mt_onehot_index #(.Width(Sets)) u_req_set (.onehot_i(req_match), .index_o(req_index));
  assign req_go    = req_valid_i & ~walk;
  assign req_fresh = alloc & (req_addr_i == s2_addr_q);

  always_comb begin
    s2_valid_d = walk | req_valid_i;
    s2_hit_d   = s2_hit_q;
    s2_drain_d = s2_drain_q;
    s2_set_d   = walk ? next_q[s2_set_q] : s2_set_q;
    if (req_go) begin
      s2_hit_d   = (|req_match) | req_fresh;
      s2_drain_d = (drain_valid_q & ~done & (req_addr_i == drain_addr_q)) | (fill_ok & (req_addr_i == fill_addr_i));
      s2_set_d   = req_index | (new_set & {SetW{req_fresh}});
    end
  end

  // ---- counters
  logic take_other, take_reserved, freed_other, freed_reserved;
  assign take_other        = take & ~use_reserved;
  assign take_reserved     = take & use_reserved;
  assign freed_other       = set_done & ~ReservedSets[drain_set_q];
  assign freed_reserved    = set_done & ReservedSets[drain_set_q];
  assign n_free_set_d      = n_free_set_q + FreeW'(freed_other) - FreeW'(take_other);
  assign n_free_reserved_d = n_free_reserved_q + FreeW'(freed_reserved) - FreeW'(take_reserved);
  assign used_slots_d      = used_slots_q + UsedW'(accept) - UsedW'(pop);
  assign error_d           = fill_bad ? ErrorFill : error_q;

  assign free_o          = n_free_set_q;
  assign free_reserved_o = n_free_reserved_q;
  assign used_slots_o    = used_slots_q;
  assign error_o         = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s2_valid_q        <= 1'b0;
      s2_hit_q          <= 1'b0;
      s2_drain_q        <= 1'b0;
      s2_set_q          <= '0;
      drain_valid_q     <= 1'b0;
      drain_linked_q    <= 1'b0;
      drain_set_q       <= '0;
      drain_slot_q      <= '0;
      n_free_set_q      <= FreeW'(Sets - Reserved);
      n_free_reserved_q <= FreeW'(Reserved);
      used_slots_q      <= '0;
      error_q           <= '0;
    end else begin
      s2_valid_q        <= s2_valid_d;
      s2_hit_q          <= s2_hit_d;
      s2_drain_q        <= s2_drain_d;
      s2_set_q          <= s2_set_d;
      drain_valid_q     <= drain_valid_d;
      drain_linked_q    <= drain_linked_d;
      drain_set_q       <= drain_set_d;
      drain_slot_q      <= drain_slot_d;
      n_free_set_q      <= n_free_set_d;
      n_free_reserved_q <= n_free_reserved_d;
      used_slots_q      <= used_slots_d;
      error_q           <= error_d;
    end
  end

  // Valid only with a valid bit or a state: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && req_go) begin
      s2_addr_q  <= req_addr_i;
      s2_info_q  <= req_info_i;
      s2_write_q <= req_write_i;
      s2_data_q  <= req_data_i;
    end
    if (rst_ni && fill_ok) drain_addr_q <= fill_addr_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && alloc) addr_q[new_set] <= s2_addr_q;
    if (rst_ni && link) next_q[tail] <= new_set;
    if (rst_ni && take && TailPtr != 0) tail_q[link ? s2_set_q : new_set] <= new_set;
    if (rst_ni && accept) begin
      last_q[slot_set]    <= slot;
      info_q[slot_index]  <= s2_info_q;
      write_q[slot_index] <= s2_write_q;
    end
    if (rst_ni && accept && DataW > 0) data_q[slot_index] <= s2_data_q;
  end

  `MT_ASSERT(g_one_head_answers, (req_match & (req_match - 1)) == '0)
  `MT_ASSERT(g_drain_of_a_taken_set, !drain_valid_q || !s_free[drain_set_q])

`ifdef FORMAL
  `define MT_DL_MSHR_PROPERTIES
  `include "mt_dl_mshr_formal.sv"
  `undef MT_DL_MSHR_PROPERTIES
`endif
endmodule
