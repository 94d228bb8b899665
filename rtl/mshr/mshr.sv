// The conventional, explicitly addressed MSHR file (Gu20, section 3.2): what dl_mshr is compared with.
//
// Within a cycle: the drain gives a slot; a fill is accepted; the request is searched, answered and committed.
`include "assert.svh"

module mshr #(
  parameter int Entries = 32,
  parameter int Slots   = 8,
  parameter int AddrW   = 41,
  parameter int InfoW   = 24,
  parameter int DataW   = 0,
  localparam int SetW   = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int SlotW  = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int PoolW  = (Entries * Slots > 1) ? $clog2(Entries * Slots) : 1,
  localparam int FreeW  = $clog2(Entries + 1),
  localparam int UsedW  = $clog2(Entries * Slots + 1),
  localparam int DataPW = (DataW > 0) ? DataW : 1
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic              req_valid_i,
  output logic                   req_ready_o,
  input  wire logic [AddrW-1:0]  req_addr_i,
  input  wire logic [InfoW-1:0]  req_info_i,
  input  wire logic              req_write_i,
  input  wire logic [DataPW-1:0] req_data_i,

  output logic                   rsp_valid_o,
  output logic [2:0]             rsp_result_o,
  output logic [SetW-1:0]        rsp_set_o,

  input  wire logic              fill_valid_i,
  output logic                   fill_ready_o,
  input  wire logic [AddrW-1:0]  fill_addr_i,

  output logic                   drain_valid_o,
  input  wire logic              drain_ready_i,
  output logic [AddrW-1:0]       drain_addr_o,
  output logic [InfoW-1:0]       drain_info_o,
  output logic                   drain_write_o,
  output logic [DataPW-1:0]      drain_data_o,
  output logic                   drain_last_o,

  output logic [FreeW-1:0]       free_o,
  output logic                   free_reserved_o,
  output logic [UsedW-1:0]       used_slots_o,
  output logic [1:0]             error_o
);
  `PARAM_CHECK(g_illegal_entries, Entries >= 2)
  `PARAM_CHECK(g_illegal_slots, Slots >= 1)
  `PARAM_CHECK(g_illegal_addr_w, AddrW >= 1 && AddrW <= 64)
  `PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 32)
  `PARAM_CHECK(g_illegal_data_w, DataW >= 0 && DataW <= 1024)

  localparam logic [2:0] Primary   = 3'd0;
  localparam logic [2:0] Secondary = 3'd1;
  localparam logic [2:0] RfEntry   = 3'd2;
  localparam logic [2:0] RfMerge   = 3'd3;
  localparam logic [2:0] RfDrain   = 3'd4;
  localparam logic [1:0] ErrorFill = 2'd1;

  // Per entry: taken; taken and its data not back; line; slot taken last.  Per slot: who asked.
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

  // ---- the comparators, and what this cycle does to each entry
  logic [Entries-1:0] req_match, fill_match, freed, filled, new_onehot;
  logic               done, fill_ok, alloc;
  logic [SetW-1:0]    fill_set;

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_entry
      assign req_match[i]  = live_q[i] & (req_addr_i == addr_q[i]);
      assign fill_match[i] = live_q[i] & (fill_addr_i == addr_q[i]);
      assign freed[i]      = done & (drain_set_q == SetW'(i));
      assign filled[i]     = fill_ok & (fill_set == SetW'(i));
    end
  endgenerate

  assign busy_d = (busy_q & ~freed) | (new_onehot & {Entries{alloc}});
  assign live_d = (live_q & ~filled) | (new_onehot & {Entries{alloc}});

  // ---- drain: one slot a cycle, oldest first
  logic pop, last_of_entry;
  logic [PoolW-1:0] drain_index;
  logic [AddrW-1:0] drain_addr;

  assign last_of_entry = Slots == 1 || drain_slot_q == last_q[drain_set_q];
  assign pop           = drain_valid_q & drain_ready_i;
  assign done          = pop & last_of_entry;
  assign drain_index   = PoolW'(drain_set_q) * PoolW'(Slots) + PoolW'(drain_slot_q);
  assign drain_addr    = addr_q[drain_set_q];

  assign drain_valid_o = drain_valid_q;
  assign drain_addr_o  = drain_valid_q ? drain_addr : '0;
  assign drain_info_o  = drain_valid_q ? info_q[drain_index] : '0;
  assign drain_write_o = drain_valid_q & write_q[drain_index];
  assign drain_data_o  = (drain_valid_q && DataW > 0) ? data_q[drain_index] : '0;
  assign drain_last_o  = drain_valid_q & last_of_entry;

  // ---- fill
  logic fill_go, fill_bad;

  onehot_index #(.Width(Entries)) u_fill_set (.onehot_i(fill_match), .index_o(fill_set));
  assign fill_ready_o = ~drain_valid_q | done;
  assign fill_go      = fill_valid_i & fill_ready_o;
  assign fill_ok      = fill_go & (|fill_match);
  assign fill_bad     = fill_go & ~fill_ok;

  always_comb begin
    drain_valid_d = fill_ok | (drain_valid_q & ~done);
    drain_set_d   = fill_ok ? fill_set : drain_set_q;
    drain_slot_d  = pop ? drain_slot_q + SlotW'(1) : drain_slot_q;
    if (fill_ok || done) drain_slot_d = '0;
  end

  // ---- request: it sees what the drain frees and what the fill takes in this cycle
  logic drains, hit, full, merge, accept;
  logic [SetW-1:0]  hit_set, new_set, slot_set;
  logic [SlotW-1:0] slot;
  logic [PoolW-1:0] slot_index;

  onehot_index #(.Width(Entries)) u_hit_set (.onehot_i(req_match), .index_o(hit_set));
  first_one #(.Width(Entries)) u_new_onehot (.vector_i(~busy_q | freed), .onehot_o(new_onehot));
  onehot_index #(.Width(Entries)) u_new_set (.onehot_i(new_onehot), .index_o(new_set));

  assign drains = (drain_valid_q & ~done & (req_addr_i == drain_addr)) | (fill_ok & (req_addr_i == fill_addr_i));
  assign hit    = req_valid_i & ~drains & (|req_match);
  assign full   = Slots == 1 || last_q[hit_set] == SlotW'(Slots - 1);
  assign merge  = hit & ~full;
  assign alloc  = req_valid_i & ~drains & ~(|req_match) & ((n_free_q != '0) | done);
  assign accept = merge | alloc;

  assign slot_set   = alloc ? new_set : hit_set;
  assign slot       = (alloc || Slots == 1) ? '0 : last_q[hit_set] + SlotW'(1);
  assign slot_index = PoolW'(slot_set) * PoolW'(Slots) + PoolW'(slot);

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

  // What is meaningless while its entry is free has no reset and keeps its value in one.
  always_ff @(posedge clk_i) begin
    if (rst_ni && alloc) addr_q[new_set] <= req_addr_i;
    if (rst_ni && accept) begin
      last_q[slot_set]    <= slot;
      info_q[slot_index]  <= req_info_i;
      write_q[slot_index] <= req_write_i;
    end
    if (rst_ni && accept && DataW > 0) data_q[slot_index] <= req_data_i;
  end

  `ASSERT(g_one_entry_answers, (req_match & (req_match - Entries'(1))) == '0)
  `ASSERT(g_drain_of_a_taken_entry, !drain_valid_q || busy_q[drain_set_q])

`ifdef FORMAL
  `define MSHR_PROPERTIES
  `include "mshr_formal.sv"
  `undef MSHR_PROPERTIES
`endif
endmodule
