// Pages whose lease has run out, gathered by 64 KiB block until they are evicted or recalled (Gu20, section 4.3.2.2).
//
// Within a cycle: one search by block, for a clear, else an expiry, else an access; then one entry is written and one linked
// anew.  What loses bits in a cycle is not offered for eviction in it.
`include "assert.svh"

module evict_coalescer #(
  parameter int Entries = 256,
  parameter int PageW   = 18,
  parameter int Batch   = 4,
  localparam int BlockW = PageW - 4,
  localparam int IndexW = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int UsedW  = $clog2(Entries + 1),
  localparam int CountW = $clog2(Batch + 1)
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic              exp_valid_i,
  output logic                   exp_ready_o,
  input  wire logic [PageW-1:0]  exp_page_i,

  input  wire logic              acc_valid_i,
  output logic                   acc_ready_o,
  input  wire logic [PageW-1:0]  acc_page_i,
  input  wire logic              acc_expired_i,

  input  wire logic              clear_valid_i,
  output logic                   clear_ready_o,
  input  wire logic [PageW-1:0]  clear_page_i,

  input  wire logic              press_valid_i,
  output logic                   press_ready_o,
  output logic                   press_done_o,
  output logic [CountW-1:0]      press_count_o,

  output logic                   evict_valid_o,
  input  wire logic              evict_ready_i,
  output logic [BlockW-1:0]      evict_block_o,
  output logic [15:0]            evict_pages_o,
  output logic                   evict_why_o,

  output logic                   recall_valid_o,
  input  wire logic              recall_ready_i,
  output logic [BlockW-1:0]      recall_block_o,
  output logic [15:0]            recall_pages_o,

  output logic [UsedW-1:0]       used_o,
  output logic [31:0]            evicted_o,
  output logic [31:0]            recalled_o,
  output logic                   error_o
);
  `PARAM_CHECK(g_illegal_entries, Entries >= 1 && Entries <= 512)
  `PARAM_CHECK(g_illegal_page_w, PageW >= 5 && PageW <= 36)
  `PARAM_CHECK(g_illegal_batch, Batch >= 1 && Batch <= 16)

  // Per entry: the block, its expired pages (none: the entry is free), and its neighbours in the order of update.
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
  logic [31:0]       evicted_q, recalled_q;

  localparam int FoundW = 16 + 2 * IndexW; // what is found of an entry: its pages and its two links

  // ---- the search: a clear goes first, then an expiry, then an access
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

  // What each entry has of the page and beside it is looked up while the blocks are compared.
  generate
    for (genvar i = 0; i < Entries; i++) begin : g_search
      assign used[i]  = pages_q[i] != '0;
      assign has[i]   = (pages_q[i] & bit_mask) != '0;
      assign more[i]  = (pages_q[i] & ~bit_mask) != '0;
      assign match[i] = used[i] & (block_q[i] == block);
    end
  endgenerate
  // Sixteen at a time: a loop over all would be a chain of gates as long.  And no OR for each bit over a generated vector:
  // of 256 terms Verilator 5.006 drops some, as lockstep found.
  always_comb begin
    {pages, earlier, later} = '0;
    for (int i = 0; i < Entries; i += 16) begin
      some = '0;
      for (int k = i; k < i + 16 && k < Entries; k++) some = some | ({pages_q[k], prev_q[k], next_q[k]} & {FoundW{match[k]}});
      {pages, earlier, later} = {pages, earlier, later} | some;
    end
  end
  onehot_index #(.Width(Entries)) u_index (.onehot_i(match), .index_o(index));
  first_one #(.Width(Entries)) u_free (.vector_i(~used), .onehot_o(free));
  onehot_index #(.Width(Entries)) u_free_index (.onehot_i(free), .index_o(free_index));

  // ---- what becomes of it
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

  // ---- evictions: the least recently updated entry, because all are in use or because memory is short
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

  // ---- recalls: the pages of the entry that an access has revoked, and the page that it is to
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

  // ---- the entry that is written
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
        else if (we && entry == IndexW'(i)) pages_q[i] <= word;
        // It means nothing while the entry is free: no reset, and it keeps its value in one.
        if (rst_ni && add && entry == IndexW'(i)) block_q[i] <= place ? pend_page_q[PageW-1:4] : block;
      end
    end
  endgenerate

  // ---- the order of update: a list of the entries in use; links beyond its ends mean nothing and are not kept.  What is
  // handed out is its first: only a search leaves it elsewhere.
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
        if (rst_ni && append && !empty && tail_q == IndexW'(i)) next_q[i] <= added;
        else if (rst_ni && unlink && earlier == IndexW'(i)) next_q[i] <= later;
        if (rst_ni && append && !empty && added == IndexW'(i)) prev_q[i] <= tail_q;
        else if (rst_ni && unlink && later == IndexW'(i)) prev_q[i] <= earlier;
      end
    end
  endgenerate

  // ---- registers
  assign used_o     = used_q;
  assign evicted_o  = evicted_q;
  assign recalled_o = recalled_q;
  assign error_o    = error_q;

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
      if (take && evicted_q != '1) evicted_q <= evicted_q + 32'd1;
      if (revoke && recalled_q != '1) recalled_q <= recalled_q + 32'd1;
      if (exp_bad) error_q <= 1'b1;
    end
    // They mean nothing while nothing waits: no reset, and they keep their values in one.
    if (rst_ni && waits) pend_page_q <= exp_page_i;
    if (rst_ni && revoke) recall_block_q <= block;
  end

  `ASSERT(g_one_entry_a_block, (match & (match - Entries'(1))) == '0)
  `ASSERT(g_one_reason_to_write, $countones({cleared, revoked, update, add, take}) <= 1)

`ifdef FORMAL
  `define EVICT_COALESCER_PROPERTIES
  `include "evict_coalescer_formal.sv"
  `undef EVICT_COALESCER_PROPERTIES
`endif
endmodule
