// SPDX-License-Identifier: Apache-2.0
// GMMU extension of CAPTURE: prefetcher, lease sampler, lease table, eviction coalescer and far-fault MSHRs with their
// interconnect (Gu20, sections 4.2.1 and 4.3, figure 4.5).
//
// Timing: the lease table has one command port.  Priority: recall, departure, arrival, access; one of them per cycle.  A
// block that an access recalls is read from the coalescer at once, then each of its pages gets a new lease, one per cycle.
// Parameters: those of the parts; Pages is the size of the page table.  Part outputs that gmmu does not use go to unused_*.
// Always-ready handshakes are asserted, not waited for.
`include "mt_assert.svh"

module mt_gmmu #(
  parameter int Pages      = 65536,                 // entries of the page table: 4 KiB pages of all allocations, 256 MiB
  parameter int Allocs     = 16,                    // allocations in the table
  parameter int Requesters = 28,                    // requesters: streaming multiprocessors
  parameter int Faults     = 64,                    // far-faults outstanding at a time
  parameter int Coalesce   = 256,                   // 64 KiB blocks with expired pages
  parameter int Samples    = 16,                    // 64 KiB blocks sampled at a time
  parameter int LeaseW     = 10,                    // bits of a lease, in accesses
  parameter int Events     = 4,                     // expiries queued for the coalescer
  parameter int Batch      = 4,                     // blocks evicted per batch under memory pressure
  parameter int Duty       = 1000,                  // D: cycles of a period in which accesses are sampled
  parameter int Period     = 6000,                  // S: cycles of a period; the divisions must fit in its rest after Duty
  parameter int ScaleNum   = 6,                     // LEASE_SCALE = ScaleNum/ScaleDen, its numerator: S/D
  parameter int ScaleDen   = 1,                     // its denominator
  parameter int OldShift   = 2,                     // a lease is ((2^OldShift - 1) * old + new) / 2^OldShift; 0: new alone
  parameter int MaxLog     = 4,                     // the largest window is 2^MaxLog chunks of 64 KiB: 1 MiB
  parameter int OverLog    = 3,                     // the window when memory is over-subscribed is 2^OverLog chunks: 512 KiB
  parameter int CNum       = 11,                    // c = CNum/CDen of equation 4.1, its numerator
  parameter int CDen       = 10,                    // its denominator
  parameter int FirstPage  = 1,                     // 1: a chunk counts as present if its first page is; 0: if all of its pages are
  parameter int InitLease  = 32767,                 // the lease of an allocation without a sample; at most all ones of LeaseW
  localparam int PageW  = (Pages > 1) ? $clog2(Pages) : 1,
  localparam int ChunkW = PageW - 4,
  localparam int CountW = PageW + 1,
  localparam int AllocW = (Allocs > 1) ? $clog2(Allocs) : 1,
  localparam int IdW    = (Requesters > 1) ? $clog2(Requesters) : 1,
  localparam int BatchW = $clog2(Batch + 1)
) (
  input  wire logic              clk_i,             // clock, rising edge
  input  wire logic              rst_ni,            // synchronous reset, active low

  output logic                   ready_o,           // the lease table has been cleared; until then no request, arrival or departure is accepted
  input  wire logic              lease_enable_i,    // leases are on: sampled, counted and expired

  input  wire logic              alloc_valid_i,     // an entry of the allocation table is written
  output logic                   alloc_ready_o,     // the entry is written at this clock edge, if it is legal
  input  wire logic [AllocW-1:0] alloc_index_i,     // which
  input  wire logic [PageW-1:0]  alloc_base_i,      // first page of the allocation; a multiple of 16
  input  wire logic [CountW-1:0] alloc_pages_i,     // its pages; 0: the allocation is freed

  input  wire logic              req_valid_i,       // a page request, its page table entry already read
  output logic                   req_ready_o,       // the request is answered at this clock edge
  input  wire logic [PageW-1:0]  req_page_i,        // its page
  input  wire logic [AllocW-1:0] req_alloc_i,       // its allocation
  input  wire logic [IdW-1:0]    req_id_i,          // who asks
  input  wire logic              req_resident_i,    // the page is in device memory
  output logic [2:0]             req_result_o,      // enum gmmu_result, while req_valid_i and req_ready_o; else 0

  output logic                   fault_valid_o,     // the oldest primary fault not yet taken by the driver is offered
  input  wire logic              fault_ready_i,     // the driver takes the offered fault
  output logic [PageW-1:0]       fault_page_o,      // its page; else 0

  input  wire logic              serve_valid_i,     // the driver starts servicing a far-fault: decide its prefetches
  output logic                   serve_ready_o,     // the far-fault is accepted at this clock edge
  input  wire logic [AllocW-1:0] serve_alloc_i,     // its allocation
  input  wire logic [PageW-1:0]  serve_page_i,      // its page
  input  wire logic [CountW-1:0] avail_pages_i,     // free pages of the device memory, saturated; read with serve_*
  input  wire logic              oversubscribed_i,  // memory is over-subscribed; read with serve_*

  output logic                   win_valid_o,       // the window of the far-fault is decided, for one cycle
  output logic [2:0]             win_log_o,         // log2 of its granularity in chunks; else 0
  output logic [ChunkW-1:0]      win_first_o,       // its first chunk; else 0
  output logic [ChunkW-1:0]      win_last_o,        // its last chunk; else 0

  output logic                   look_valid_o,      // the residency of a chunk is requested
  input  wire logic              look_ready_i,      // the residency of the requested chunk is available
  output logic [ChunkW-1:0]      look_chunk_o,      // the chunk; else 0
  input  wire logic [15:0]       look_resident_i,   // its pages in device memory or on their way to it, one bit each

  output logic                   mig_valid_o,       // a migration is requested
  input  wire logic              mig_ready_i,       // the requested migration is taken
  output logic [ChunkW-1:0]      mig_chunk_o,       // its chunk; else 0
  output logic [15:0]            mig_pages_o,       // its absent pages; else 0
  output logic [AllocW-1:0]      mig_alloc_o,       // its allocation; else 0
  output logic                   mig_demand_o,      // the faulting page is in it

  input  wire logic              arrive_valid_i,    // a page has arrived in device memory
  output logic                   arrive_ready_o,    // the arrival is taken at this clock edge
  input  wire logic [PageW-1:0]  arrive_page_i,     // its number
  input  wire logic [AllocW-1:0] arrive_alloc_i,    // its allocation

  input  wire logic              gone_valid_i,      // a page has left device memory
  output logic                   gone_ready_o,      // the departure is taken at this clock edge
  input  wire logic [PageW-1:0]  gone_page_i,       // its number

  input  wire logic              press_valid_i,     // memory is over-subscribed: evict up to Batch blocks
  output logic                   press_ready_o,     // the pressure is taken at this clock edge
  output logic                   press_done_o,      // all blocks of the batch have been taken, for one cycle
  output logic [BatchW-1:0]      press_count_o,     // blocks of the batch; else 0

  output logic                   evict_valid_o,     // a block of expired pages is offered for eviction
  input  wire logic              evict_ready_i,     // the block offered for eviction is taken
  output logic [ChunkW-1:0]      evict_block_o,     // the block; else 0
  output logic [15:0]            evict_pages_o,     // its expired pages; else 0
  output logic                   evict_why_o,       // 0: another block needs its entry; 1: memory is over-subscribed

  output logic                   rsp_valid_o,       // a response: the page has arrived
  input  wire logic              rsp_ready_i,       // the response is taken
  output logic [PageW-1:0]       rsp_page_o,        // the page; else 0
  output logic [IdW-1:0]         rsp_id_o,          // the requester; else 0
  output logic                   rsp_last_o,        // the last response for this page

  output logic [CountW-1:0]      resident_o,        // resident pages
  output logic [31:0]            expired_o,         // expired leases; saturates
  output logic [31:0]            recalled_o,        // blocks revoked by an access to one of their expired pages; saturates
  output logic [31:0]            evicted_o,         // blocks evicted; saturates
  output logic [31:0]            faults_o,          // primary far-faults; saturates
  output logic [31:0]            merged_o,          // secondary far-faults; saturates
  output logic [31:0]            asked_o,           // requested chunks; saturates
  output logic [31:0]            samples_o,         // leases set by samples; saturates
  output logic [31:0]            ignored_o,         // requests not sampled, as there was no free entry; saturates
  output logic [2:0]             error_o,           // enum gmmu_part: source of the error; of several, the first of that list
  output logic [2:0]             error_code_o       // its error code; else 0
);
  `MT_PARAM_CHECK(g_illegal_pages, Pages >= 32 && Pages <= 262144)

  localparam logic [1:0] Migrate = 2'd0, Evict = 2'd1, Recall = 2'd2;
  localparam logic [1:0] ErrorRequest = 2'd1, ErrorArrive = 2'd2, ErrorAlloc = 2'd3;

  logic [15:0]       recall_pages_q, recall_pages_d;
  logic [ChunkW-1:0] recall_block_q;
  logic [LeaseW-1:0] recall_lease_q;
  logic [1:0]        error_q, error_d;

  // ---- the prefetcher.  Its page numbers are one bit wider, so that an allocation can have all pages; the top bit is never set.
  logic              alloc_legal, alloc_valid, alloc_done, bad_alloc;
  logic [CountW:0]   alloc_end;
  logic [ChunkW:0]   win_first, win_last, look_chunk, mig_chunk;
  logic [1:0]        cap_error;
  logic [CountW-1:0] unused_total;
  logic [31:0]       unused_served;

  assign alloc_end   = (CountW+1)'(alloc_base_i) + alloc_pages_i;
  assign alloc_legal = alloc_pages_i == '0 || alloc_end <= (CountW+1)'(Pages);
  assign alloc_valid = alloc_valid_i & alloc_legal;
  assign bad_alloc   = alloc_valid_i & alloc_ready_o & ~alloc_legal;
  assign win_first_o  = win_first[ChunkW-1:0];
  assign win_last_o   = win_last[ChunkW-1:0];
  assign look_chunk_o = look_chunk[ChunkW-1:0];
  assign mig_chunk_o  = mig_chunk[ChunkW-1:0];
  `MT_ASSERT(g_window_is_of_pages, !win_valid_o || !win_first[ChunkW] && !win_last[ChunkW])
  `MT_ASSERT(g_chunk_is_of_pages, !(look_valid_o && look_chunk[ChunkW]) && !(mig_valid_o && mig_chunk[ChunkW]))

  mt_cap #(.Allocs(Allocs), .PageW(CountW), .CountW(CountW), .MaxLog(MaxLog), .OverLog(OverLog), .CNum(CNum), .CDen(CDen),
           .FirstPage(FirstPage)) u_cap (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .alloc_valid_i(alloc_valid), .alloc_ready_o(alloc_ready_o), .alloc_done_o(alloc_done),
    .alloc_index_i(alloc_index_i),
    .alloc_base_i({1'b0, alloc_base_i}), .alloc_pages_i(alloc_pages_i),
    .fault_valid_i(serve_valid_i), .fault_ready_o(serve_ready_o), .fault_alloc_i(serve_alloc_i),
    .fault_page_i({1'b0, serve_page_i}), .avail_pages_i(avail_pages_i), .oversubscribed_i(oversubscribed_i),
    .win_valid_o(win_valid_o), .win_log_o(win_log_o), .win_first_o(win_first), .win_last_o(win_last),
    .look_valid_o(look_valid_o), .look_ready_i(look_ready_i), .look_chunk_o(look_chunk), .look_resident_i(look_resident_i),
    .req_valid_o(mig_valid_o), .req_ready_i(mig_ready_i), .req_chunk_o(mig_chunk), .req_pages_o(mig_pages_o),
    .req_alloc_o(mig_alloc_o), .req_demand_o(mig_demand_o),
    .total_o(unused_total), .faults_o(unused_served), .asked_o(asked_o), .error_o(cap_error));

  // ---- arbiter of the command port.  A command that the lease table refuses reaches no other part.
  logic             recall, gone, arrive, arrive_there, arrive_go, fill_ready, bad_arrive;
  logic [15:0]      recall_first;
  logic [3:0]       recall_index;
  logic             cmd_valid, cmd_done, come, clear;
  logic [1:0]       cmd_op;
  logic [PageW-1:0] cmd_page;

  mt_first_one #(.Width(16)) u_recall_first (.vector_i(recall_pages_q), .onehot_o(recall_first));
  mt_onehot_index #(.Width(16)) u_recall_index (.onehot_i(recall_first), .index_o(recall_index));
  assign recall         = recall_pages_q != '0;
  assign gone_ready_o   = ready_o & ~recall;
  assign gone           = gone_valid_i & gone_ready_o;
  assign arrive_ready_o = ready_o & ~recall & ~gone_valid_i & fill_ready;
  assign arrive_there   = {1'b0, arrive_page_i} < (PageW+1)'(Pages) && {1'b0, arrive_alloc_i} < (AllocW+1)'(Allocs);
  assign arrive_go      = arrive_valid_i & arrive_ready_o;
  assign arrive         = arrive_go & arrive_there;
  assign bad_arrive     = arrive_go & ~arrive_there;
  assign cmd_valid      = recall | gone | arrive;
  assign come           = arrive & cmd_done;
  assign clear          = come | (gone & cmd_done);
  always_comb begin
    cmd_op   = Migrate;
    cmd_page = arrive_page_i;
    if (gone) begin
      cmd_op   = Evict;
      cmd_page = gone_page_i;
    end
    if (recall) begin
      cmd_op   = Recall;
      cmd_page = {recall_block_q, recall_index};
    end
  end

  // ---- request: with leases enabled, a resident page is an access, which lease table and coalescer must both accept
  logic       there, counted, free, access, done, miss, bad_request, taken, table_acc_ready, coalescer_acc_ready;
  logic [1:0] far_result;

  assign there       = {1'b0, req_page_i} < (PageW+1)'(Pages) && {1'b0, req_alloc_i} < (AllocW+1)'(Allocs) &&
                       {1'b0, req_id_i} < (IdW+1)'(Requesters);
  assign counted     = req_valid_i & req_resident_i & lease_enable_i & there;
  assign free        = table_acc_ready & coalescer_acc_ready;
  assign req_ready_o = ready_o & (free | ~counted);
  assign access      = req_valid_i & req_ready_o & counted;
  assign miss        = req_valid_i & req_ready_o & ~req_resident_i & there;
  assign bad_request = req_valid_i & req_ready_o & ~there;
  assign req_result_o = miss ? {1'b0, far_result} + 3'd1 : 3'd0;

  // ---- leases
  logic [LeaseW-1:0] look_lease, cmd_lease;
  logic              exp_valid, exp_ready, recall_valid;
  logic [PageW-1:0]  exp_page;
  logic [ChunkW-1:0] recall_block;
  logic [15:0]       recall_pages;
  logic              sampler_error, coalescer_error;
  logic [1:0]        table_error, far_error;
  logic [$clog2(Pages+1)-1:0] resident;
  logic              acc_expired, clear_ready, unused_known, unused_upd_valid, unused_sampling;
  logic [AllocW-1:0] unused_upd_group;
  logic [LeaseW-1:0] unused_upd_lease;
  logic [$clog2(Coalesce+1)-1:0] unused_used;

  assign cmd_lease  = recall ? recall_lease_q : look_lease;
  assign resident_o = CountW'(resident);

  mt_lease_sampler #(.Groups(Allocs), .Entries(Samples), .PageW(PageW), .CountW(10), .LeaseW(LeaseW), .Duty(Duty), .Period(Period),
                     .ScaleNum(ScaleNum), .ScaleDen(ScaleDen), .OldShift(OldShift), .FracW(8), .InitLease(InitLease)) u_lease_sampler (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .acc_valid_i(done | (lease_enable_i & taken)), .acc_group_i(req_alloc_i), .acc_page_i(req_page_i),
    .forget_valid_i(alloc_done), .forget_group_i(alloc_index_i),
    .look_group_i(arrive ? arrive_alloc_i : req_alloc_i), .look_lease_o(look_lease), .look_known_o(unused_known),
    .upd_valid_o(unused_upd_valid), .upd_group_o(unused_upd_group), .upd_lease_o(unused_upd_lease), .sampling_o(unused_sampling),
    .ignored_o(ignored_o), .samples_o(samples_o), .error_o(sampler_error));

  mt_lease_table #(.Pages(Pages), .LeaseW(LeaseW), .Events(Events)) u_lease_table (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .cmd_valid_i(cmd_valid), .cmd_ready_o(ready_o), .cmd_done_o(cmd_done), .cmd_op_i(cmd_op), .cmd_page_i(cmd_page), .cmd_lease_i(cmd_lease),
    .acc_valid_i(access), .acc_ready_o(table_acc_ready), .acc_done_o(done), .acc_page_i(req_page_i),
    .acc_expired_o(acc_expired),
    .exp_valid_o(exp_valid), .exp_ready_i(exp_ready), .exp_page_o(exp_page),
    .resident_o(resident), .expired_o(expired_o), .error_o(table_error));

  mt_evict_coalescer #(.Entries(Coalesce), .PageW(PageW), .Batch(Batch)) u_evict_coalescer (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .exp_valid_i(exp_valid), .exp_ready_o(exp_ready), .exp_page_i(exp_page),
    .acc_valid_i(done), .acc_ready_o(coalescer_acc_ready), .acc_page_i(req_page_i), .acc_expired_i(acc_expired),
    .clear_valid_i(clear), .clear_ready_o(clear_ready), .clear_page_i(gone ? gone_page_i : arrive_page_i),
    .press_valid_i(press_valid_i), .press_ready_o(press_ready_o), .press_done_o(press_done_o), .press_count_o(press_count_o),
    .evict_valid_o(evict_valid_o), .evict_ready_i(evict_ready_i), .evict_block_o(evict_block_o), .evict_pages_o(evict_pages_o),
    .evict_why_o(evict_why_o),
    .recall_valid_o(recall_valid), .recall_ready_i(~recall), .recall_block_o(recall_block), .recall_pages_o(recall_pages),
    .used_o(unused_used), .evicted_o(evicted_o), .recalled_o(recalled_o), .error_o(coalescer_error));

  // ---- far-faults
  logic far_ready, unused_fill_hit;
  logic [$clog2(Faults+1)-1:0] unused_entries, unused_waiting;

  mt_far_fault_mshr #(.Entries(Faults), .Requesters(Requesters), .PageW(PageW)) u_far_fault_mshr (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .req_valid_i(miss), .req_ready_o(far_ready), .req_done_o(taken), .req_page_i(req_page_i), .req_id_i(req_id_i), .req_result_o(far_result),
    .fault_valid_o(fault_valid_o), .fault_ready_i(fault_ready_i), .fault_page_o(fault_page_o),
    .fill_valid_i(come), .fill_ready_o(fill_ready), .fill_page_i(arrive_page_i), .fill_hit_o(unused_fill_hit),
    .rsp_valid_o(rsp_valid_o), .rsp_ready_i(rsp_ready_i), .rsp_page_o(rsp_page_o), .rsp_id_o(rsp_id_o), .rsp_last_o(rsp_last_o),
    .used_o(unused_entries), .waiting_o(unused_waiting), .faults_o(faults_o), .merged_o(merged_o), .error_o(far_error));

  `MT_ASSERT(g_taken_at_once, clear_ready && far_ready)

  // ---- errors of the parts; the first in this list has priority
  always_comb begin
    error_o      = 3'd0;
    error_code_o = 3'd0;
    if (error_q != '0) {error_o, error_code_o} = {3'd1, 1'b0, error_q};
    else if (cap_error != '0) {error_o, error_code_o} = {3'd2, 1'b0, cap_error};
    else if (sampler_error) {error_o, error_code_o} = {3'd3, 3'd1};
    else if (table_error != '0) {error_o, error_code_o} = {3'd4, 1'b0, table_error};
    else if (coalescer_error) {error_o, error_code_o} = {3'd5, 3'd1};
    else if (far_error != '0) {error_o, error_code_o} = {3'd6, 1'b0, far_error};
  end
  mt_sticky_error u_error (.error_i(error_q),
    .found_i(bad_request ? ErrorRequest : bad_arrive ? ErrorArrive : bad_alloc ? ErrorAlloc : 2'd0), .error_o(error_d));

  // ---- registers
  assign recall_pages_d = recall ? recall_pages_q & ~recall_first : recall_pages & {16{recall_valid}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      recall_pages_q <= '0;
      error_q        <= '0;
    end else begin
      recall_pages_q <= recall_pages_d;
      error_q        <= error_d;
    end
  end

  // Valid only during a recall: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !recall && recall_valid) recall_block_q <= recall_block;
    if (rst_ni && done) recall_lease_q <= look_lease;
  end

`ifdef FORMAL
  `define MT_GMMU_PROPERTIES
  `include "mt_gmmu_formal.sv"
  `undef MT_GMMU_PROPERTIES
`endif
endmodule
