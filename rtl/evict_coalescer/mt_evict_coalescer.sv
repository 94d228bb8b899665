// SPDX-License-Identifier: Apache-2.0
// Eviction coalescer: collects pages whose lease has expired, by 64 KiB block, until the block is evicted or recalled
// (Gu20, section 4.3.2.2).
//
// A table searched by block, in a list ordered by last update.  The least recently updated block is evicted when the table is
// full or memory is over-subscribed; an access to a collected page recalls its block.
//
// Timing: one search per cycle, for a clear, else an expiry, else an access; then one entry is written and one relinked.  A
// block that loses pages in a cycle is not offered for eviction in that cycle.
// Parameters: Entries is the number of blocks, Batch the blocks evicted for one over-subscription.
`include "mt_assert.svh"

module mt_evict_coalescer #(
  parameter int Entries = 256,                    // 64 KiB blocks with expired pages
  parameter int PageW   = 18,                     // bits of a page number
  parameter int Batch   = 4,                      // entries evicted per batch under memory pressure
  localparam int BlockW = PageW - 4,
  localparam int IndexW = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int UsedW  = $clog2(Entries + 1),
  localparam int CountW = $clog2(Batch + 1)
) (
  input  wire logic              clk_i,           // clock, rising edge
  input  wire logic              rst_ni,          // synchronous reset, active low

  input  wire logic              exp_valid_i,     // the lease of a page expires
  output logic                   exp_ready_o,     // an expiry is accepted at this clock edge
  input  wire logic [PageW-1:0]  exp_page_i,      // the page

  input  wire logic              acc_valid_i,     // a page is accessed: if it has expired, its entry is revoked
  output logic                   acc_ready_o,     // an access is accepted at this clock edge
  input  wire logic [PageW-1:0]  acc_page_i,      // the page
  input  wire logic              acc_expired_i,   // its lease has expired, whether it has an entry or not: it is recalled with its block

  input  wire logic              clear_valid_i,   // a page was evicted or has just arrived: its bit is cleared
  output logic                   clear_ready_o,   // always
  input  wire logic [PageW-1:0]  clear_page_i,    // the page

  input  wire logic              press_valid_i,   // memory is over-subscribed: evict a batch of entries
  output logic                   press_ready_o,   // no batch is in progress
  output logic                   press_done_o,    // the batch is complete, or no entry is left
  output logic [CountW-1:0]      press_count_o,   // entries evicted by the batch, when press_done_o; else 0

  output logic                   evict_valid_o,   // the least recently updated entry is offered for eviction
  input  wire logic              evict_ready_i,   // the entry offered for eviction is taken
  output logic [BlockW-1:0]      evict_block_o,   // its block; else 0
  output logic [15:0]            evict_pages_o,   // expired pages of the block; else 0
  output logic                   evict_why_o,     // enum evict_coalescer_why

  output logic                   recall_valid_o,  // pages of a revoked entry need a new lease
  input  wire logic              recall_ready_i,  // the offered recall is taken
  output logic [BlockW-1:0]      recall_block_o,  // their block; else 0
  output logic [15:0]            recall_pages_o,  // these pages; else 0

  output logic [UsedW-1:0]       used_o,          // entries in use
  output logic [31:0]            evicted_o,       // entries evicted; saturates
  output logic [31:0]            recalled_o,      // entries revoked by an access; saturates
  output logic                   error_o          // enum evict_coalescer_error: sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_entries, Entries >= 1 && Entries <= 512)
  `MT_PARAM_CHECK(g_illegal_page_w, PageW >= 5 && PageW <= 36)
  `MT_PARAM_CHECK(g_illegal_batch, Batch >= 1 && Batch <= 16)

  // Per entry: the block, its expired pages (none: the entry is free), and its links in the update-order list.
  (* mem2reg *)
  logic [BlockW-1:0] block_q [Entries];
  (* mem2reg *)
  logic [15:0]       pages_q [Entries];
  (* mem2reg *)
  logic [IndexW-1:0] next_q [Entries];
  (* mem2reg *)
  logic [IndexW-1:0] prev_q [Entries];

  logic [UsedW-1:0]  used_q;
  logic [IndexW-1:0] head_q, head_d, tail_q, tail_d;
  logic              pend_q, pend_d, press_q, press_d, error_q;
  logic [PageW-1:0]  pend_page_q;
  logic [CountW-1:0] count_q, count_d;
  logic [BlockW-1:0] recall_block_q;
  logic [15:0]       recall_pages_q, recall_pages_d;
  logic [31:0]       evicted_q, evicted_d, recalled_q, recalled_d;

  localparam int FoundW = 16 + 2 * IndexW; // read from the matching entry: its pages and its two links

  // ---- the search; priority: clear, expiry, access
  logic               clear, exp, acc;
  logic [PageW-1:0]   page;
  logic [BlockW-1:0]  block;
  logic [15:0]        bit_mask, pages;
  logic [FoundW-1:0]  some;
  logic [Entries-1:0] match, used, has, more, free;
  logic [IndexW-1:0]  index, free_index, earlier, later;

  assign clear_ready_o = 1'b1;
  assign exp_ready_o   = ~pend_q & ~press_q & ~clear_valid_i;
  assign acc_ready_o   = ~clear & ~exp & (recall_pages_q == '0);
  assign clear         = clear_valid_i;
  assign exp           = exp_valid_i & exp_ready_o;
  assign acc           = acc_valid_i & acc_ready_o;

  assign page     = clear ? clear_page_i : exp ? exp_page_i : acc_page_i;
  assign block    = page[PageW-1:4];
  assign bit_mask = 16'd1 << page[3:0];

  // The page bits of every entry are tested in parallel with the block compare.
  generate
    for (genvar i = 0; i < Entries; i++) begin : g_search
      assign used[i]  = pages_q[i] != '0;
      assign has[i]   = (pages_q[i] & bit_mask) != '0;
      assign more[i]  = (pages_q[i] & ~bit_mask) != '0;
      assign match[i] = used[i] & (block_q[i] == block);
    end
  endgenerate
  // One-hot mux in groups of 16: a loop over all entries would be one long chain of gates.  Not mt_onehot_mux: of 256
  // generated terms Verilator 5.006 drops some.
  always_comb begin
    {pages, earlier, later} = '0;
    for (int i = 0; i < Entries; i += 16) begin
      some = '0;
      for (int k = i; k < i + 16 && k < Entries; k++) some = some | ({pages_q[k], prev_q[k], next_q[k]} & {FoundW{match[k]}});
      {pages, earlier, later} = {pages, earlier, later} | some;
    end
  end
  mt_onehot_index #(.Width(Entries)) u_index (.onehot_i(match), .index_o(index));
  mt_first_one #(.Width(Entries)) u_free (.vector_i(~used), .onehot_o(free));
  mt_onehot_index #(.Width(Entries)) u_free_index (.onehot_i(free), .index_o(free_index));

  // ---- the effect on the entry
  logic there, known, full, cleared, late, revoked, pend_gone, touched, exp_bad, update, waits, place, add;

  assign there     = (match & has) != '0;
  assign known     = match != '0;
  assign full      = used_q == UsedW'(Entries);
  assign cleared   = clear & there;
  assign late      = acc & acc_expired_i;
  assign revoked   = (acc & there) | (late & known);
  assign pend_gone = pend_q & (((clear | acc) & (pend_page_q == page)) | (late & (pend_page_q[PageW-1:4] == block)));
  assign touched   = cleared | revoked | pend_gone;
  assign exp_bad   = exp & there;
  assign update    = exp & ~there & known;
  assign waits     = exp & ~known & full;
  assign place     = pend_q & ~full & ~touched;
  assign add       = (exp & ~known & ~full) | place;
  assign pend_d    = waits | (pend_q & ~pend_gone & ~place);

  // ---- evictions: the least recently updated entry, when the table is full or memory is over-subscribed
  logic pressed, ended, take, start, handed;

  assign pressed       = press_q & ~pend_q;
  assign ended         = (used_q == '0) | (count_q == CountW'(Batch));
  assign evict_valid_o = ((pend_q & full) | (pressed & ~ended)) & ~touched;
  assign evict_block_o = evict_valid_o ? block_q[head_q] : '0;
  assign evict_pages_o = evict_valid_o ? pages_q[head_q] : '0;
  assign evict_why_o   = evict_valid_o & ~pend_q;
  assign take          = evict_valid_o & evict_ready_i;

  assign press_ready_o = ~press_q;
  assign press_done_o  = pressed & ended;
  assign press_count_o = press_done_o ? count_q : '0;
  assign start         = press_valid_i & ~press_q;
  assign handed        = take & ~pend_q;
  assign press_d       = start | (press_q & ~press_done_o);
  assign count_d       = start ? '0 : count_q + CountW'(handed);

  // ---- recalls: the pages of the entry that an access revokes, and the accessed page
  logic        revoke;
  logic [15:0] recall_left, pend_mask;

  assign revoke         = acc & (touched | late);
  assign pend_mask      = 16'd1 << pend_page_q[3:0];
  assign recall_left    = recall_pages_q & ~(bit_mask & {16{clear & (recall_block_q == block)}});
  assign recall_valid_o = recall_left != '0;
  assign recall_block_o = recall_valid_o ? recall_block_q : '0;
  assign recall_pages_o = recall_left;
  always_comb begin
    recall_pages_d = recall_ready_i ? '0 : recall_left;
    if (revoke) recall_pages_d = (pages & {16{revoked}}) | (pend_mask & {16{pend_gone}}) | (bit_mask & {16{late}});
  end

  // ---- the write port
  logic              we, freed;
  logic [IndexW-1:0] entry;
  logic [15:0]       word;

  assign entry = add ? free_index : take ? head_q : index;
  always_comb begin
    word = '0;
    if (cleared) word = pages & ~bit_mask;
    if (update) word = pages | bit_mask;
    if (add) word = place ? pend_mask : bit_mask;
  end
  assign freed = (cleared & (match & more) == '0) | revoked | take;
  assign we    = cleared | update | add | freed;

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_entry
      always_ff @(posedge clk_i) begin
        if (!rst_ni) pages_q[i] <= '0;
        else if (we && entry == i) pages_q[i] <= word;
        // Valid only for an entry in use: not reset, and it holds its value during reset.
        if (rst_ni && add && entry == i) block_q[i] <= place ? pend_page_q[PageW-1:4] : block;
      end
    end
  endgenerate

  // ---- update order: a doubly linked list of the entries in use, least recently updated first.  Links beyond its ends are not
  // valid.  An eviction removes the head; only a search removes another entry.
  logic              move, first, last, leave, unlink, append, empty;
  logic [IndexW-1:0] added;

  assign first   = index == head_q;
  assign last    = index == tail_q;
  assign move    = update & ~last;
  assign leave   = (freed & ~take) | move;
  assign unlink  = leave & ~first & ~last;
  assign append  = add | move;
  assign added   = add ? free_index : index;
  assign empty   = used_q == '0;
  always_comb begin
    head_d = head_q;
    tail_d = tail_q;
    if ((take && head_q != tail_q) || (leave && first && !last)) head_d = next_q[head_q];
    if (leave && last && !first) tail_d = prev_q[tail_q];
    if (append && empty) head_d = added;
    if (append) tail_d = added;
  end

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_link
      always_ff @(posedge clk_i) begin
        if (rst_ni && append && !empty && tail_q == i) next_q[i] <= added;
        else if (rst_ni && unlink && earlier == i) next_q[i] <= later;
        if (rst_ni && append && !empty && added == i) prev_q[i] <= tail_q;
        else if (rst_ni && unlink && later == i) prev_q[i] <= earlier;
      end
    end
  endgenerate

  // ---- registers
  assign used_o     = used_q;
  assign evicted_o  = evicted_q;
  assign recalled_o = recalled_q;
  assign error_o    = error_q;
  mt_sat_count u_evicted (.count_i(evicted_q), .step_i(take), .count_o(evicted_d));
  mt_sat_count u_recalled (.count_i(recalled_q), .step_i(revoke), .count_o(recalled_d));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q         <= '0;
      head_q         <= '0;
      tail_q         <= '0;
      pend_q         <= 1'b0;
      press_q        <= 1'b0;
      count_q        <= '0;
      recall_pages_q <= '0;
      evicted_q      <= '0;
      recalled_q     <= '0;
      error_q        <= 1'b0;
    end else begin
      used_q         <= used_q + UsedW'(add) - UsedW'(freed);
      head_q         <= head_d;
      tail_q         <= tail_d;
      pend_q         <= pend_d;
      press_q        <= press_d;
      count_q        <= count_d;
      recall_pages_q <= recall_pages_d;
      evicted_q      <= evicted_d;
      recalled_q     <= recalled_d;
      if (exp_bad) error_q <= 1'b1;
    end
    // Valid only while a page or a recall waits: not reset, and they hold their values during reset.
    if (rst_ni && waits) pend_page_q <= exp_page_i;
    if (rst_ni && revoke) recall_block_q <= block;
  end

  `MT_ASSERT(g_one_entry_a_block, (match & (match - 1)) == '0)
  `MT_ASSERT(g_one_reason_to_write, $countones({cleared, revoked, update, add, take}) <= 1)

`ifdef FORMAL
  `define MT_EVICT_COALESCER_PROPERTIES
  `include "mt_evict_coalescer_formal.sv"
  `undef MT_EVICT_COALESCER_PROPERTIES
`endif
endmodule
