// SPDX-License-Identifier: Apache-2.0
// Capacity-aware prefetcher: decides how much memory around a far-fault migrates with it (Gu20, section 4.3.1).
//
// The more free device memory, and the larger the allocation's share of all that is allocated, the larger the window of
// 64 KiB chunks around the fault (equation 4.1).  The chunks of the window that are not resident are requested one by one.
//
// Timing: one fault at a time.  Scale, one cycle; Multiply, one cycle for each bit of the free pages; Choose, one cycle for each
// window size tried; Window, one cycle; Walk, one cycle for each chunk.  Serial, with no divider and one adder for the product:
// a far-fault takes tens of thousands of cycles.
// Parameters: MaxLog and OverLog bound the window, CNum/CDen is the constant c of equation 4.1.
`include "mt_assert.svh"

module mt_cap #(
  parameter int Allocs    = 16,                     // allocations in the table
  parameter int PageW     = 36,                     // bits of a page number: 4 KiB pages of 48-bit addresses
  parameter int CountW    = 22,                     // bits of a page count; at most PageW: 22 for up to 16 GiB
  parameter int MaxLog    = 4,                      // the largest window is 2^MaxLog chunks of 64 KiB: 1 MiB
  parameter int OverLog   = 3,                      // the window when memory is over-subscribed is 2^OverLog chunks: 512 KiB
  parameter int CNum      = 11,                     // c = CNum/CDen of equation 4.1, its numerator
  parameter int CDen      = 10,                     // its denominator
  parameter int FirstPage = 1,                      // 1: a chunk counts as present if its first page is; 0: if all of its pages are
  localparam int AllocW   = (Allocs > 1) ? $clog2(Allocs) : 1,
  localparam int ChunkW   = PageW - 4
) (
  input  wire logic              clk_i,             // clock, rising edge
  input  wire logic              rst_ni,            // synchronous reset, active low

  input  wire logic              alloc_valid_i,     // an entry of the allocation table is written
  output logic                   alloc_ready_o,     // the entry is written at this clock edge, if it is legal
  output logic                   alloc_done_o,      // the written entry is legal; it is in the table from the next cycle on
  input  wire logic [AllocW-1:0] alloc_index_i,     // which
  input  wire logic [PageW-1:0]  alloc_base_i,      // first page of the allocation; a multiple of 16
  input  wire logic [CountW-1:0] alloc_pages_i,     // Mreq: its pages; 0: the allocation is freed

  input  wire logic              fault_valid_i,     // a far-fault
  output logic                   fault_ready_o,     // a fault is accepted at this clock edge
  input  wire logic [AllocW-1:0] fault_alloc_i,     // its allocation
  input  wire logic [PageW-1:0]  fault_page_i,      // its page
  input  wire logic [CountW-1:0] avail_pages_i,     // Mavail: free pages of the device memory; sampled when a fault is accepted
  input  wire logic              oversubscribed_i,  // memory is over-subscribed; sampled when a fault is accepted

  output logic                   win_valid_o,       // the window of the fault is decided, for one cycle
  output logic [2:0]             win_log_o,         // log2 of its granularity in chunks; else 0
  output logic [ChunkW-1:0]      win_first_o,       // its first chunk; else 0
  output logic [ChunkW-1:0]      win_last_o,        // its last chunk; else 0

  output logic                   look_valid_o,      // the residency of a chunk is requested
  input  wire logic              look_ready_i,      // the residency of the requested chunk is available
  output logic [ChunkW-1:0]      look_chunk_o,      // the chunk; else 0
  input  wire logic [15:0]       look_resident_i,   // its pages in device memory, one bit each

  output logic                   req_valid_o,       // a migration is requested
  input  wire logic              req_ready_i,       // the requested migration is taken
  output logic [ChunkW-1:0]      req_chunk_o,       // its chunk; else 0
  output logic [15:0]            req_pages_o,       // its absent pages; else 0
  output logic [AllocW-1:0]      req_alloc_o,       // its allocation; else 0
  output logic                   req_demand_o,      // the faulting page is in it

  output logic [CountW-1:0]      total_o,           // Magg: pages of all allocations
  output logic [31:0]            faults_o,          // faults with a decided window; saturates
  output logic [31:0]            asked_o,           // requested chunks; saturates
  output logic [1:0]             error_o            // enum cap_error: the first one, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_allocs, Allocs >= 1 && Allocs <= 64)
  `MT_PARAM_CHECK(g_illegal_page_w, PageW >= 5 && PageW <= 48)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 5 && CountW <= 28 && CountW <= PageW)
  `MT_PARAM_CHECK(g_illegal_windows, MaxLog >= 0 && MaxLog <= 5 && OverLog >= 0 && OverLog <= 5)
  `MT_PARAM_CHECK(g_illegal_c, CNum >= 1 && CNum <= 15 && CDen >= 1 && CDen <= 15)
  `MT_PARAM_CHECK(g_illegal_first_page, FirstPage == 0 || FirstPage == 1)

  localparam int ProductW = 2 * CountW + 4;
  localparam int LimitW   = CountW + 8 + MaxLog;
  localparam int WideW    = ((ProductW > LimitW) ? ProductW : LimitW) + 1;
  localparam int EndW     = ((ChunkW > CountW) ? ChunkW : CountW) + 2;
  localparam logic [2:0] Idle = 3'd0, Scale = 3'd1, Multiply = 3'd2, Choose = 3'd3, Window = 3'd4, Walk = 3'd5;
  localparam logic [1:0] ErrorAlloc = 2'd1, ErrorFault = 2'd2;

  logic [2:0]          state_q, state_d, log_q, log_d;
  logic [CountW-1:0]   total_q, pages_q, left_q;
  logic [AllocW-1:0]   alloc_q;
  logic [PageW-1:0]    fault_q;
  logic                over_q;
  logic [ChunkW-1:0]   base_q, last_q, chunk_q, end_q;
  logic [ProductW-1:0] term_q, sum_q;
  logic [LimitW-1:0]   limit_q;
  logic [1:0]          count_q, error_q, error_d;
  logic [31:0]         faults_q, asked_q;
  (* mem2reg *)
  logic [ChunkW-1:0]   alloc_base_q [Allocs];
  (* mem2reg *)
  logic [CountW-1:0]   alloc_pages_q [Allocs];
  (* mem2reg *)
  logic [ChunkW-1:0]   req_chunk_q [2];
  (* mem2reg *)
  logic [15:0]         req_pages_q [2];
  (* mem2reg *)
  logic [AllocW-1:0]   req_alloc_q [2];
  logic [1:0]          req_demand_q;

  // ---- the allocation table; total_q is Magg, the exact sum
  logic              index_there, alloc_there, write, write_bad, legal, start, start_bad;
  logic [AllocW-1:0] index, alloc;
  logic [CountW-1:0] old_pages;
  logic [CountW+1:0] total_new;
  logic [CountW:0]   chunks_new;
  logic [EndW-1:0]   end_new;

  assign index_there   = {1'b0, alloc_index_i} < (AllocW+1)'(Allocs);
  assign index         = index_there ? alloc_index_i : '0;
  assign old_pages     = alloc_pages_q[index];
  assign total_new     = (CountW+2)'(total_q) - (CountW+2)'(old_pages) + (CountW+2)'(alloc_pages_i);
  assign chunks_new    = (alloc_pages_i + 15) >> 4;
  assign end_new       = EndW'(alloc_base_i[PageW-1:4]) + EndW'(chunks_new);
  assign legal         = alloc_base_i[3:0] == '0 && total_new[CountW+1:CountW] == '0 && end_new <= (1 << ChunkW);
  assign alloc_ready_o = state_q == Idle && count_q == '0;
  assign write         = alloc_valid_i & alloc_ready_o & index_there & (alloc_pages_i == '0 || legal);
  assign alloc_done_o  = write;
  assign write_bad     = alloc_valid_i & alloc_ready_o & ~write;
  assign total_o       = total_q;

  // ---- accept a fault
  logic [ChunkW-1:0] alloc_base;
  logic [CountW-1:0] alloc_pages;

  assign alloc_there   = {1'b0, fault_alloc_i} < (AllocW+1)'(Allocs);
  assign alloc         = alloc_there ? fault_alloc_i : '0;
  assign alloc_base    = alloc_base_q[alloc];
  assign alloc_pages   = alloc_pages_q[alloc];
  assign fault_ready_o = state_q == Idle && !alloc_valid_i;
  assign start         = fault_valid_i & fault_ready_o & alloc_there & (alloc_pages != '0);
  assign start_bad     = fault_valid_i & fault_ready_o & ~start;

  // ---- the window size: the largest g <= Mreq with g * Magg * CNum <= Mavail * Mreq * CDen
  logic fits, chosen;

  assign fits   = WideW'(limit_q) <= WideW'(sum_q) && ((pages_q >> 4) >> log_q) != '0;
  assign chosen = fits | (log_q == '0);

  // ---- the window: naturally aligned around the fault, clipped to the allocation
  logic [ChunkW-1:0] fault_chunk, around, aligned, upto, first, last;
  logic [15:0]       tail;
  logic              belongs, window, window_bad;

  assign fault_chunk = fault_q[PageW-1:4];
  assign around      = ChunkW'((64'd1 << log_q) - 64'd1);
  assign aligned     = fault_chunk & ~around;
  assign upto        = fault_chunk | around;
  assign first       = (aligned < base_q) ? base_q : aligned;
  assign last        = (upto > last_q) ? last_q : upto;
  assign tail        = (4'(pages_q) == '0) ? '1 : (16'd1 << 4'(pages_q)) - 16'd1;
  assign belongs      = fault_chunk >= base_q && fault_chunk <= last_q && (fault_chunk != last_q || tail[fault_q[3:0]]);
  assign window      = state_q == Window && belongs;
  assign window_bad  = state_q == Window && !belongs;
  assign win_valid_o = window;
  assign win_log_o   = window ? log_q : '0;
  assign win_first_o = window ? first : '0;
  assign win_last_o  = window ? last : '0;

  // ---- the walk: one chunk at a time; a migration is requested for absent pages
  logic        step, demand, push, pop, place;
  logic [15:0] absent;
  logic [1:0]  left;

  assign look_valid_o = state_q == Walk && !count_q[1];
  assign look_chunk_o = look_valid_o ? chunk_q : '0;
  assign step         = look_valid_o & look_ready_i;
  assign demand       = chunk_q == fault_chunk;
  assign absent       = ((chunk_q == last_q) ? tail : '1) & ~look_resident_i;
  assign push         = step & (absent != '0) & (demand | ~(FirstPage != 0 && look_resident_i[0]));

  assign req_valid_o  = count_q != '0;
  assign req_chunk_o  = req_valid_o ? req_chunk_q[0] : '0;
  assign req_pages_o  = req_valid_o ? req_pages_q[0] : '0;
  assign req_alloc_o  = req_valid_o ? req_alloc_q[0] : '0;
  assign req_demand_o = req_valid_o & req_demand_q[0];
  assign pop          = req_valid_o & req_ready_i;
  assign left         = count_q - pop;
  assign place        = left != '0;

  // ---- registers
  always_comb begin
    state_d = state_q;
    log_d   = log_q;
    case (state_q)
      Idle: if (start) state_d = Scale;
      Scale: begin
        state_d = over_q ? Window : Multiply;
        log_d   = over_q ? 3'(OverLog) : 3'(MaxLog);
      end
      Multiply: if (left_q == '0) state_d = Choose;
      Choose: begin
        if (chosen) state_d = Window;
        else log_d = log_q - 3'd1;
      end
      Window: state_d = window ? Walk : Idle;
      Walk: if (step && chunk_q == end_q) state_d = Idle;
      default: ;
    endcase
  end

  mt_sticky_error u_error (.error_i(error_q), .found_i((write_bad | start_bad) ? ErrorAlloc : window_bad ? ErrorFault : 2'd0),
                           .error_o(error_d));
  assign faults_o = faults_q;
  assign asked_o  = asked_q;
  assign error_o  = error_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      total_q  <= '0;
      count_q  <= '0;
      faults_q <= '0;
      asked_q  <= '0;
      error_q  <= '0;
      for (int i = 0; i < Allocs; i++) alloc_pages_q[i] <= '0;
    end else begin
      state_q <= state_d;
      count_q <= left + push;
      error_q <= error_d;
      if (write) begin
        total_q              <= total_new[CountW-1:0];
        alloc_pages_q[index] <= alloc_pages_i;
      end
      // Enables instead of mt_sat_count: these events come late in the cycle.
      if (window && faults_q != '1) faults_q <= faults_q + 32'd1;
      if (push && asked_q != '1) asked_q <= asked_q + 32'd1;
    end
  end

  // Valid only while a fault is processed or a migration waits: not reset, holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      log_q <= log_d;
      if (write) alloc_base_q[index] <= alloc_base_i[PageW-1:4];
      if (start) begin
        alloc_q <= alloc;
        fault_q <= fault_page_i;
        over_q  <= oversubscribed_i;
        base_q  <= alloc_base;
        pages_q <= alloc_pages;
        left_q  <= avail_pages_i;
      end
      if (state_q == Scale) begin
        last_q  <= base_q + ChunkW'((EndW'(pages_q) + EndW'(15)) >> 4) - 1;
        term_q  <= pages_q * ProductW'(CDen);
        sum_q   <= '0;
        limit_q <= (total_q * LimitW'(CNum)) << (4 + MaxLog);
      end
      if (state_q == Multiply) begin
        if (left_q[0]) sum_q <= sum_q + term_q;
        term_q <= term_q << 1;
        left_q <= left_q >> 1;
      end
      if (state_q == Choose && !chosen) limit_q <= limit_q >> 1;
      if (state_q == Window) begin
        chunk_q <= first;
        end_q   <= last;
      end
      if (step) chunk_q <= chunk_q + 1;
      if (pop) begin
        req_chunk_q[0]  <= req_chunk_q[1];
        req_pages_q[0]  <= req_pages_q[1];
        req_alloc_q[0]  <= req_alloc_q[1];
        req_demand_q[0] <= req_demand_q[1];
      end
      if (push) begin
        req_chunk_q[place]  <= chunk_q;
        req_pages_q[place]  <= absent;
        req_alloc_q[place]  <= alloc_q;
        req_demand_q[place] <= demand;
      end
    end
  end

`ifdef FORMAL
  `define MT_CAP_PROPERTIES
  `include "mt_cap_formal.sv"
  `undef MT_CAP_PROPERTIES
`endif
endmodule
