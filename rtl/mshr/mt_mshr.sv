// SPDX-License-Identifier: Apache-2.0
// Conventional MSHR file with a fixed number of slots per entry (Gu20, section 3.2): the baseline of dl_mshr, with the
// same ports.
//
// Timing: one request, one fill and one drained slot per cycle; the answer to a request is combinational.  Order within a
// cycle: the drain releases a slot; a fill is accepted; the request is searched, answered and committed, and sees both.
// Parameters: Entries lines in flight, Slots requests per line, DataW bits of write data per slot.
`include "mt_assert.svh"

module mt_mshr #(
  parameter int Entries = 32,                      // entries; one comparator per entry and search port
  parameter int Slots   = 8,                       // slots per entry: the primary miss and its secondary misses
  parameter int AddrW   = 41,                      // bits of a line address
  parameter int InfoW   = 24,                      // bits of requester information per slot (offset and requester)
  parameter int DataW   = 0,                       // bits of write data per slot; 0: no write data buffer
  localparam int SetW   = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int SlotW  = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int PoolW  = (Entries * Slots > 1) ? $clog2(Entries * Slots) : 1,
  localparam int FreeW  = $clog2(Entries + 1),
  localparam int UsedW  = $clog2(Entries * Slots + 1),
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
  output logic                   free_reserved_o,  // free reserved sets; 0 if none are reserved
  output logic [UsedW-1:0]       used_slots_o,     // occupied slots
  output logic [1:0]             error_o           // enum mshr_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_entries, Entries >= 2)
  `MT_PARAM_CHECK(g_illegal_slots, Slots >= 1)
  `MT_PARAM_CHECK(g_illegal_addr_w, AddrW >= 1 && AddrW <= 64)
  `MT_PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 32)
  `MT_PARAM_CHECK(g_illegal_data_w, DataW >= 0 && DataW <= 1024)

  `include "mt_mshr_codes.svh"

  // Per entry: busy; live, its data has not arrived; line; last slot used.  Per slot: the requester.
  logic [Entries-1:0]       busy_q, busy_d, live_q, live_d;
  logic [AddrW-1:0]         addr_q [Entries];
  logic [SlotW-1:0]         last_q [Entries];
  logic [InfoW-1:0]         info_q [Entries*Slots];
  logic [Entries*Slots-1:0] write_q;
  logic [DataPW-1:0]        data_q [Entries*Slots];

  logic             drain_valid_q, drain_valid_d;
  logic [SetW-1:0]  drain_set_q, drain_set_d;
  logic [SlotW-1:0] drain_slot_q, drain_slot_d;
  logic [FreeW-1:0] n_free_q, n_free_d;
  logic [UsedW-1:0] used_slots_q, used_slots_d;
  logic [1:0]       error_q, error_d;

  // ---- comparators and next state of the entries
  logic [Entries-1:0] req_match, fill_match, freed, filled, new_onehot;
  logic               done, fill_ok, alloc;
  logic [SetW-1:0]    fill_set;

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_entry
      assign req_match[i]  = live_q[i] & (req_addr_i == addr_q[i]);
      assign fill_match[i] = live_q[i] & (fill_addr_i == addr_q[i]);
      assign freed[i]      = done & (drain_set_q == i);
      assign filled[i]     = fill_ok & (fill_set == i);
    end
  endgenerate

  assign busy_d = (busy_q & ~freed) | (new_onehot & {Entries{alloc}});
  assign live_d = (live_q & ~filled) | (new_onehot & {Entries{alloc}});

  // ---- drain: one slot per cycle, oldest first
  logic pop, last_of_entry;
  logic [PoolW-1:0] drain_index;
  logic [AddrW-1:0] drain_addr;

  assign last_of_entry = Slots == 1 || drain_slot_q == last_q[drain_set_q];
  assign pop           = drain_valid_q & drain_ready_i;
  assign done          = pop & last_of_entry;
  assign drain_index   = drain_set_q * PoolW'(Slots) + PoolW'(drain_slot_q);
  assign drain_addr    = addr_q[drain_set_q];

  assign drain_valid_o = drain_valid_q;
  assign drain_addr_o  = drain_valid_q ? drain_addr : '0;
  assign drain_info_o  = drain_valid_q ? info_q[drain_index] : '0;
  assign drain_write_o = drain_valid_q & write_q[drain_index];
  assign drain_data_o  = (drain_valid_q && DataW > 0) ? data_q[drain_index] : '0;
  assign drain_last_o  = drain_valid_q & last_of_entry;

  // ---- fill
  logic fill_go, fill_bad;

  mt_onehot_index #(.Width(Entries)) u_fill_set (.onehot_i(fill_match), .index_o(fill_set));
  assign fill_ready_o = ~drain_valid_q | done;
  assign fill_go      = fill_valid_i & fill_ready_o;
  assign fill_ok      = fill_go & (|fill_match);
  assign fill_bad     = fill_go & ~fill_ok;

  always_comb begin
    drain_valid_d = fill_ok | (drain_valid_q & ~done);
    drain_set_d   = fill_ok ? fill_set : drain_set_q;
    drain_slot_d  = pop ? drain_slot_q + 1 : drain_slot_q;
    if (fill_ok || done) drain_slot_d = '0;
  end

  // ---- request: it sees the entry that the drain frees and the fill accepted in this cycle
  logic drains, hit, full, merge, accept;
  logic [SetW-1:0]  hit_set, new_set, slot_set;
  logic [SlotW-1:0] slot;
  logic [PoolW-1:0] slot_index;

  mt_onehot_index #(.Width(Entries)) u_hit_set (.onehot_i(req_match), .index_o(hit_set));
  mt_first_one #(.Width(Entries)) u_new_onehot (.vector_i(~busy_q | freed), .onehot_o(new_onehot));
  mt_onehot_index #(.Width(Entries)) u_new_set (.onehot_i(new_onehot), .index_o(new_set));

  assign drains = (drain_valid_q & ~done & (req_addr_i == drain_addr)) | (fill_ok & (req_addr_i == fill_addr_i));
  assign hit    = req_valid_i & ~drains & (|req_match);
  assign full   = Slots == 1 || last_q[hit_set] == SlotW'(Slots - 1);
  assign merge  = hit & ~full;
  assign alloc  = req_valid_i & ~drains & ~(|req_match) & ((n_free_q != '0) | done);
  assign accept = merge | alloc;

  assign slot_set   = alloc ? new_set : hit_set;
  assign slot       = (alloc || Slots == 1) ? '0 : last_q[hit_set] + 1;
  assign slot_index = slot_set * PoolW'(Slots) + PoolW'(slot);

  assign req_ready_o = 1'b1;
  assign rsp_valid_o = req_valid_i;
  assign rsp_set_o   = accept ? slot_set : '0;
  always_comb begin
    rsp_result_o = Primary;
    if (req_valid_i) begin
      if (drains) rsp_result_o = RfDrain;
      else if (hit) rsp_result_o = full ? RfMerge : Secondary;
      else if (!alloc) rsp_result_o = RfEntry;
    end
  end

  // ---- counters
  assign n_free_d     = n_free_q + FreeW'(done) - FreeW'(alloc);
  assign used_slots_d = used_slots_q + UsedW'(accept) - UsedW'(pop);
  assign error_d      = fill_bad ? ErrorFill : error_q;

  assign free_o          = n_free_q;
  assign free_reserved_o = 1'b0;
  assign used_slots_o    = used_slots_q;
  assign error_o         = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q        <= '0;
      live_q        <= '0;
      drain_valid_q <= 1'b0;
      drain_set_q   <= '0;
      drain_slot_q  <= '0;
      n_free_q      <= FreeW'(Entries);
      used_slots_q  <= '0;
      error_q       <= '0;
    end else begin
      busy_q        <= busy_d;
      live_q        <= live_d;
      drain_valid_q <= drain_valid_d;
      drain_set_q   <= drain_set_d;
      drain_slot_q  <= drain_slot_d;
      n_free_q      <= n_free_d;
      used_slots_q  <= used_slots_d;
      error_q       <= error_d;
    end
  end

  // Valid only for a busy entry: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && alloc) addr_q[new_set] <= req_addr_i;
    if (rst_ni && accept) begin
      last_q[slot_set]    <= slot;
      info_q[slot_index]  <= req_info_i;
      write_q[slot_index] <= req_write_i;
    end
    if (rst_ni && accept && DataW > 0) data_q[slot_index] <= req_data_i;
  end

  `MT_ASSERT(g_one_entry_answers, (req_match & (req_match - 1)) == '0)
  `MT_ASSERT(g_drain_of_a_taken_entry, !drain_valid_q || busy_q[drain_set_q])

`ifdef FORMAL
  `define MT_MSHR_PROPERTIES
  `include "mt_mshr_formal.sv"
  `undef MT_MSHR_PROPERTIES
`endif
endmodule
