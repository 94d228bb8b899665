// SPDX-License-Identifier: Apache-2.0
// Far-fault MSHR file: outstanding far-faults, merged by page, with one bit for each waiting requester (Gu20, sections
// 4.2.1 and 4.3, figure 4.5).
//
// Timing: one request, one fault, one fill and one response per cycle.  Order within a cycle: a fill frees its entry, and
// withdraws the fault if the driver has not taken it; then the request is searched, answered and committed.  A fill copies the
// waiting requesters to registers, from which one response leaves per cycle.
// Parameters: Entries is the number of pages, Requesters that of the streaming multiprocessors.
`include "mt_assert.svh"

module mt_far_fault_mshr #(
  parameter int Entries    = 64,                // far-faults outstanding at a time; one comparator per entry and search port
  parameter int Requesters = 28,                // requesters: streaming multiprocessors
  parameter int PageW      = 18,                // bits of a page number
  localparam int EntryW = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int IdW    = (Requesters > 1) ? $clog2(Requesters) : 1,
  localparam int UsedW  = $clog2(Entries + 1)
) (
  input  wire logic             clk_i,          // clock, rising edge
  input  wire logic             rst_ni,         // synchronous reset, active low

  input  wire logic             req_valid_i,    // a request for a page that is not in device memory
  output logic                  req_ready_o,    // a request is answered: always 1
  output logic                  req_done_o,     // the request waits from this clock edge on: PRIMARY, or SECONDARY and legal
  input  wire logic [PageW-1:0] req_page_i,     // its page
  input  wire logic [IdW-1:0]   req_id_i,       // who asks
  output logic [1:0]            req_result_o,   // enum far_fault_result, in the request's cycle; else 0

  output logic                  fault_valid_o,  // the oldest primary fault not yet taken by the driver is offered
  input  wire logic             fault_ready_i,  // the driver takes the offered fault
  output logic [PageW-1:0]      fault_page_o,   // its page; else 0

  input  wire logic             fill_valid_i,   // a page has arrived in device memory
  output logic                  fill_ready_o,   // the fill is taken at this clock edge
  input  wire logic [PageW-1:0] fill_page_i,    // its number
  output logic                  fill_hit_o,     // a requester waits for the filled page

  output logic                  rsp_valid_o,    // a response: the page has arrived
  input  wire logic             rsp_ready_i,    // the response is taken
  output logic [PageW-1:0]      rsp_page_o,     // the page; else 0
  output logic [IdW-1:0]        rsp_id_o,       // a waiting requester, lowest number first; else 0
  output logic                  rsp_last_o,     // the last response for this page

  output logic [UsedW-1:0]      used_o,         // far-faults outstanding
  output logic [UsedW-1:0]      waiting_o,      // entries whose fault the driver has not taken
  output logic [31:0]           faults_o,       // primary faults; saturates
  output logic [31:0]           merged_o,       // secondary faults; saturates
  output logic [1:0]            error_o         // enum far_fault_mshr_error: the first one, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_entries, Entries >= 1 && Entries <= 256)
  `MT_PARAM_CHECK(g_illegal_requesters, Requesters >= 1 && Requesters <= 64)
  `MT_PARAM_CHECK(g_illegal_page_w, PageW >= 1 && PageW <= 48)

  localparam logic [1:0] Primary = 2'd0, Secondary = 2'd1, Full = 2'd2, Draining = 2'd3;
  localparam logic [1:0] ErrorRequester = 2'd1, ErrorTwice = 2'd2;

  // Per entry: busy, page, waiting requesters.  order_q: entries whose fault the driver has not taken, oldest first.
  logic [Entries-1:0]    busy_q, busy_d;
  (* mem2reg *)
  logic [PageW-1:0]      page_q [Entries];
  (* mem2reg *)
  logic [Requesters-1:0] wait_q [Entries];
  (* mem2reg *)
  logic [EntryW-1:0]     order_q [Entries];

  logic [UsedW-1:0]      used_q, waiting_q;
  logic [Requesters-1:0] drain_wait_q, drain_wait_d;
  logic [PageW-1:0]      drain_page_q;
  logic [31:0]           faults_q, merged_q;
  logic [1:0]            error_q, error_d;

  // ---- the comparators
  logic [Entries-1:0] req_match, fill_match, filled, merged, new_onehot;
  logic [EntryW-1:0]  fill_entry, hit_entry;
  logic               merge, alloc;

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_match
      assign req_match[i]  = busy_q[i] & (req_page_i == page_q[i]);
      assign fill_match[i] = busy_q[i] & (fill_page_i == page_q[i]);
    end
  endgenerate
  mt_onehot_index #(.Width(Entries)) u_fill_entry (.onehot_i(fill_match), .index_o(fill_entry));
  mt_onehot_index #(.Width(Entries)) u_hit_entry (.onehot_i(req_match), .index_o(hit_entry));

  // ---- responses: one per cycle, lowest requester first
  logic [Requesters-1:0] told;
  logic [IdW-1:0]        told_id;
  logic                  draining, last, pop;

  mt_first_one #(.Width(Requesters)) u_told (.vector_i(drain_wait_q), .onehot_o(told));
  mt_onehot_index #(.Width(Requesters)) u_told_id (.onehot_i(told), .index_o(told_id));
  assign draining    = drain_wait_q != '0;
  assign last        = drain_wait_q == told;
  assign pop         = draining & rsp_ready_i;
  assign rsp_valid_o = draining;
  assign rsp_page_o  = draining ? drain_page_q : '0;
  assign rsp_id_o    = told_id;
  assign rsp_last_o  = draining & last;

  // ---- fill
  logic                  fill;
  logic [Requesters-1:0] fill_wait;

  assign fill_ready_o = ~draining | (pop & last);
  assign fill         = fill_valid_i & fill_ready_o;
  assign fill_hit_o   = fill & (|fill_match);
  assign fill_wait    = wait_q[fill_entry];
  assign drain_wait_d = fill_hit_o ? fill_wait : drain_wait_q & ~(told & {Requesters{pop}});

  // ---- the fault queue: one fault leaves per cycle; the withdrawal by a fill has priority over the driver
  logic [Entries-1:0] due, arrived, behind;
  logic               withdraw, take;
  logic [UsedW-1:0]   left;
  logic [EntryW-1:0]  new_entry;
  logic [PageW-1:0]   oldest_page;

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_due
      assign filled[i]  = fill_hit_o & (fill_entry == i);
      assign merged[i]  = merge & (hit_entry == i);
      assign due[i]     = i < waiting_q;
      assign arrived[i] = due[i] & fill_hit_o & (order_q[i] == fill_entry);
    end
  endgenerate
  assign withdraw      = |arrived;
  assign fault_valid_o = (waiting_q != '0) & ~withdraw;
  assign oldest_page   = page_q[order_q[0]];
  assign fault_page_o  = fault_valid_o ? oldest_page : '0;
  assign take          = fault_valid_o & fault_ready_i;
  assign left          = waiting_q - UsedW'(withdraw) - UsedW'(take);
  // Faults behind the one that leaves move up by one.
  assign behind        = arrived | -arrived | {Entries{take}};

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_order
      logic [EntryW-1:0] next;
      if (i + 1 < Entries) begin : g_next
        assign next = behind[i] ? order_q[i+1] : order_q[i];
      end else begin : g_last
        assign next = behind[i] ? '0 : order_q[i];
      end
      always_ff @(posedge clk_i) begin
        if (!rst_ni) order_q[i] <= '0;
        else order_q[i] <= (alloc && left == i) ? new_entry : next;
      end
    end
  endgenerate

  // ---- request: it sees the fill of this cycle, but cannot use the entry that the fill frees
  logic                  there, drains, hit, bad_id, bad_twice;
  logic [Requesters-1:0] who, hit_wait;

  mt_first_one #(.Width(Entries)) u_new_onehot (.vector_i(~busy_q), .onehot_o(new_onehot));
  mt_onehot_index #(.Width(Entries)) u_new_entry (.onehot_i(new_onehot), .index_o(new_entry));

  assign there     = {1'b0, req_id_i} < (IdW+1)'(Requesters);
  assign who       = there ? 1 << req_id_i : '0;
  assign drains    = (draining & (req_page_i == drain_page_q)) | (fill & (req_page_i == fill_page_i));
  assign hit       = req_valid_i & ~drains & (|req_match);
  assign hit_wait  = wait_q[hit_entry];
  assign bad_id    = req_valid_i & ~there;
  assign bad_twice = hit & ((hit_wait & who) != '0);
  assign merge     = hit & there & ~bad_twice;
  assign alloc     = req_valid_i & there & ~drains & ~(|req_match) & (used_q != UsedW'(Entries));
  assign busy_d    = (busy_q & ~filled) | (new_onehot & {Entries{alloc}});

  // An illegal request is answered as a merge; it changes no entry and gets no response.
  assign req_ready_o = 1'b1;
  assign req_done_o  = alloc | merge;
  always_comb begin
    req_result_o = Primary;
    if (req_valid_i && !alloc) begin
      if (merge || bad_id || bad_twice) req_result_o = Secondary;
      else req_result_o = drains ? Draining : Full;
    end
  end

  // ---- counters
  // Written out: with mt_sticky_error, technology mapping makes the fault queue's path slower.
  always_comb begin
    error_d = error_q;
    if (error_q == '0 && bad_twice) error_d = ErrorTwice;
    if (error_q == '0 && bad_id) error_d = ErrorRequester;
  end
  assign used_o    = used_q;
  assign waiting_o = waiting_q;
  assign faults_o  = faults_q;
  assign merged_o  = merged_q;
  assign error_o   = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q       <= '0;
      used_q       <= '0;
      waiting_q    <= '0;
      drain_wait_q <= '0;
      faults_q     <= '0;
      merged_q     <= '0;
      error_q      <= '0;
    end else begin
      busy_q       <= busy_d;
      used_q       <= used_q + UsedW'(alloc) - UsedW'(fill_hit_o);
      waiting_q    <= left + UsedW'(alloc);
      drain_wait_q <= drain_wait_d;
      error_q      <= error_d;
      // Enables instead of mt_sat_count: these events come late in the cycle.
      if (alloc && faults_q != '1) faults_q <= faults_q + 32'd1;
      if (merge && merged_q != '1) merged_q <= merged_q + 32'd1;
    end
  end

  // Valid only for a busy entry or during a drain: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && fill_hit_o) drain_page_q <= fill_page_i;
  end
  generate
    for (genvar i = 0; i < Entries; i++) begin : g_entry
      always_ff @(posedge clk_i) begin
        if (rst_ni && alloc && new_onehot[i]) page_q[i] <= req_page_i;
        if (rst_ni && alloc && new_onehot[i]) wait_q[i] <= who;
        else if (rst_ni && merged[i]) wait_q[i] <= wait_q[i] | who;
      end
    end
  endgenerate

  `MT_ASSERT(g_one_entry_answers, (req_match & (req_match - 1)) == '0)

`ifdef FORMAL
  `define MT_FAR_FAULT_MSHR_PROPERTIES
  `include "mt_far_fault_mshr_formal.sv"
  `undef MT_FAR_FAULT_MSHR_PROPERTIES
`endif
endmodule
