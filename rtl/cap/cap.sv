// Capacity-aware prefetcher (paper 002, section 4.3.1): how much around a far-fault is brought into device memory.
//
// A fault is worked on for: SCALE, MULTIPLY (one bit of Mavail a cycle), CHOOSE (one granularity a cycle), WINDOW, and WALK
// (one 64 KiB chunk a cycle).  No divider, and one adder for the product: a far-fault takes tens of thousands of cycles.
`include "assert.svh"

module cap #(
  parameter int Allocs    = 16,
  parameter int PageW     = 36,
  parameter int CountW    = 22,
  parameter int MaxLog    = 4,
  parameter int OverLog   = 3,
  parameter int CNum      = 11,
  parameter int CDen      = 10,
  parameter int FirstPage = 1,
  localparam int AllocW   = (Allocs > 1) ? $clog2(Allocs) : 1,
  localparam int ChunkW   = PageW - 4
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic              alloc_valid_i,
  output logic                   alloc_ready_o,
  output logic                   alloc_done_o,
  input  wire logic [AllocW-1:0] alloc_index_i,
  input  wire logic [PageW-1:0]  alloc_base_i,
  input  wire logic [CountW-1:0] alloc_pages_i,

  input  wire logic              fault_valid_i,
  output logic                   fault_ready_o,
  input  wire logic [AllocW-1:0] fault_alloc_i,
  input  wire logic [PageW-1:0]  fault_page_i,
  input  wire logic [CountW-1:0] avail_pages_i,
  input  wire logic              oversubscribed_i,

  output logic                   win_valid_o,
  output logic [2:0]             win_log_o,
  output logic [ChunkW-1:0]      win_first_o,
  output logic [ChunkW-1:0]      win_last_o,

  output logic                   look_valid_o,
  input  wire logic              look_ready_i,
  output logic [ChunkW-1:0]      look_chunk_o,
  input  wire logic [15:0]       look_resident_i,

  output logic                   req_valid_o,
  input  wire logic              req_ready_i,
  output logic [ChunkW-1:0]      req_chunk_o,
  output logic [15:0]            req_pages_o,
  output logic [AllocW-1:0]      req_alloc_o,
  output logic                   req_demand_o,

  output logic [CountW-1:0]      total_o,
  output logic [31:0]            faults_o,
  output logic [31:0]            asked_o,
  output logic [1:0]             error_o
);
  `PARAM_CHECK(g_illegal_allocs, Allocs >= 1 && Allocs <= 64)
  `PARAM_CHECK(g_illegal_page_w, PageW >= 5 && PageW <= 48)
  `PARAM_CHECK(g_illegal_count_w, CountW >= 5 && CountW <= 28 && CountW <= PageW)
  `PARAM_CHECK(g_illegal_windows, MaxLog >= 0 && MaxLog <= 5 && OverLog >= 0 && OverLog <= 5)
  `PARAM_CHECK(g_illegal_c, CNum >= 1 && CNum <= 15 && CDen >= 1 && CDen <= 15)
  `PARAM_CHECK(g_illegal_first_page, FirstPage == 0 || FirstPage == 1)

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

  // ---- the table of allocations; Magg is exact
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
  assign chunks_new    = ((CountW+1)'(alloc_pages_i) + (CountW+1)'(15)) >> 4;
  assign end_new       = EndW'(alloc_base_i[PageW-1:4]) + EndW'(chunks_new);
  assign legal         = alloc_base_i[3:0] == '0 && total_new[CountW+1:CountW] == '0 && end_new <= (EndW'(1) << ChunkW);
  assign alloc_ready_o = state_q == Idle && count_q == '0;
  assign write         = alloc_valid_i & alloc_ready_o & index_there & (alloc_pages_i == '0 || legal);
  assign alloc_done_o  = write;
  assign write_bad     = alloc_valid_i & alloc_ready_o & ~write;
  assign total_o       = total_q;

  // ---- a fault is accepted
  logic [ChunkW-1:0] alloc_base;
  logic [CountW-1:0] alloc_pages;

  assign alloc_there   = {1'b0, fault_alloc_i} < (AllocW+1)'(Allocs);
  assign alloc         = alloc_there ? fault_alloc_i : '0;
  assign alloc_base    = alloc_base_q[alloc];
  assign alloc_pages   = alloc_pages_q[alloc];
  assign fault_ready_o = state_q == Idle && !alloc_valid_i;
  assign start         = fault_valid_i & fault_ready_o & alloc_there & (alloc_pages != '0);
  assign start_bad     = fault_valid_i & fault_ready_o & ~start;

  // ---- the granularity: the largest g with g * Magg * CNum <= Mavail * Mreq * CDen that Mreq can fill
  logic fits, chosen;

  assign fits   = WideW'(limit_q) <= WideW'(sum_q) && ((pages_q >> 4) >> log_q) != '0;
  assign chosen = fits | (log_q == '0);

  // ---- the window: naturally aligned around the fault, as far as it is the allocation's
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

  // ---- the walk: chunk by chunk, the absent ones are asked for
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
  assign left         = count_q - 2'(pop);
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

  always_comb begin
    error_d = error_q;
    if (error_q == '0 && window_bad) error_d = ErrorFault;
    if (error_q == '0 && (write_bad || start_bad)) error_d = ErrorAlloc;
  end
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
      count_q <= left + 2'(push);
      error_q <= error_d;
      if (write) begin
        total_q              <= total_new[CountW-1:0];
        alloc_pages_q[index] <= alloc_pages_i;
      end
      if (window && faults_q != '1) faults_q <= faults_q + 32'd1;
      if (push && asked_q != '1) asked_q <= asked_q + 32'd1;
    end
  end

  // What means nothing while no fault is worked on and no migration waits: no reset, and it keeps its value in one.
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
        last_q  <= base_q + ChunkW'((EndW'(pages_q) + EndW'(15)) >> 4) - ChunkW'(1);
        term_q  <= ProductW'(pages_q) * ProductW'(CDen);
        sum_q   <= '0;
        limit_q <= (LimitW'(total_q) * LimitW'(CNum)) << (4 + MaxLog);
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
      if (step) chunk_q <= chunk_q + ChunkW'(1);
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
  `define CAP_PROPERTIES
  `include "cap_formal.sv"
  `undef CAP_PROPERTIES
`endif
endmodule
