// SPDX-License-Identifier: Apache-2.0
// Formal properties of gmmu, proved by `make formal BLOCK=gmmu`; included at the end of mt_gmmu.sv.
//
// p_* are the properties; x_* (FORMAL_AUX) are invariants that make them inductive.  The properties of the parts are checked
// here again.  Resets may occur at any time.  The driver is assumed to behave for one arbitrary page: it arrives only after
// its migration was requested and accepted, and only while it is absent; look_* reports the arrivals, departures and
// accepted migrations; a far-fault is serviced only while no migration of another one waits.
`ifdef MT_GMMU_PROPERTIES
  logic f_live;                                // a reset has occurred

  // An arbitrary page and requester, tracked from the ports alone.
  (* anyconst *) logic [PageW-1:0] f_page;
  (* anyconst *) logic [IdW-1:0]   f_id;
  logic              g_there;                  // it has arrived and has not departed
  logic              g_coming;                 // a migration of it was accepted, and it has not arrived
  logic              g_wait;                   // the requester waits: accepted, and no response yet
  logic              g_came;                   // since then, the page has arrived
  logic [IdW+1:0]    g_since;                  // responses accepted since
  logic              g_lease;                  // it was recalled from the coalescer, and has no new lease yet
  logic              g_called;                 // it was accessed in the last cycle after its lease had expired
  logic              g_wanted;                 // it was accessed after its lease had expired, and no lease has expired since
  logic [CountW-1:0] g_held;                   // arrivals less departures
  logic [5:0]        g_held_up;                // cycles for which a departure has waited

  // Wires of the parts, connected by name when the design is flattened: the page of their properties, and their view of it.
  (* hierconn *) wire [PageW-1:0]      \u_lease_table.f_page ;
  (* hierconn *) wire                  \u_lease_table.g_resident ;
  (* hierconn *) wire                  \u_lease_table.g_due ;
  (* hierconn *) wire [LeaseW-1:0]     \u_lease_table.g_left ;
  (* hierconn *) wire                  \u_lease_table.migrate ;
  (* hierconn *) wire                  \u_lease_table.evict ;
  (* hierconn *) wire                  \u_lease_table.expire ;
  (* hierconn *) wire                  \u_lease_table.bad ;
  (* hierconn *) wire                  \u_lease_table.bad_resident ;
  (* hierconn *) wire                  \u_lease_table.bad_absent ;
  (* hierconn *) wire [$clog2(Pages+1)-1:0] \u_lease_table.g_held ;
  (* hierconn *) wire [ChunkW-1:0]     \u_evict_coalescer.f_block ;
  (* hierconn *) wire [15:0]           \u_evict_coalescer.g_pages ;
  (* hierconn *) wire [15:0]           \u_evict_coalescer.g_recall ;
  (* hierconn *) wire [15:0]           \u_evict_coalescer.recall_pages_q ;
  (* hierconn *) wire [$clog2(Coalesce+1)-1:0] \u_evict_coalescer.used_q ;
  (* hierconn *) wire                  \u_evict_coalescer.pend_q ;
  (* hierconn *) wire                  \u_evict_coalescer.touched ;
  (* hierconn *) wire                  \u_evict_coalescer.revoke ;
  (* hierconn *) wire                  \u_lease_sampler.acc_valid_i ;
  (* hierconn *) wire                  \u_lease_sampler.forget ;
  (* hierconn *) wire                  \u_far_fault_mshr.alloc ;
  (* hierconn *) wire                  \u_far_fault_mshr.merge ;
  (* hierconn *) wire                  \u_far_fault_mshr.fill ;
  (* hierconn *) wire                  \u_far_fault_mshr.bad_id ;
  (* hierconn *) wire                  \u_far_fault_mshr.bad_twice ;
  (* hierconn *) wire                  \u_cap.write ;
  (* hierconn *) wire                  \u_cap.write_bad ;
  (* hierconn *) wire [PageW-1:0]      \u_far_fault_mshr.f_page ;
  (* hierconn *) wire [IdW-1:0]        \u_far_fault_mshr.f_id ;
  (* hierconn *) wire                  \u_far_fault_mshr.g_wait ;
  (* hierconn *) wire                  \u_far_fault_mshr.g_out ;
  (* hierconn *) wire [Requesters-1:0] \u_far_fault_mshr.drain_wait_q ;
  (* hierconn *) wire [2:0]            \u_cap.state_q ;
  (* hierconn *) wire [1:0]            \u_cap.count_q ;
  (* hierconn *) wire [ChunkW:0]       \u_cap.chunk_q ;
  (* hierconn *) wire [ChunkW:0]       \u_cap.end_q ;
  (* hierconn *) wire [ChunkW:0]       \u_cap.base_q ;
  (* hierconn *) wire [ChunkW:0]       \u_cap.last_q ;
  (* hierconn *) wire [CountW-1:0]     \u_cap.pages_q ;
  (* hierconn *) wire [ChunkW:0]       \u_cap.alloc_base_q[0] ;
  (* hierconn *) wire [CountW-1:0]     \u_cap.alloc_pages_q[0] ;
  (* hierconn *) wire [ChunkW:0]       \u_cap.req_chunk_q[0] ;
  (* hierconn *) wire [ChunkW:0]       \u_cap.req_chunk_q[1] ;
  (* hierconn *) wire [15:0]           \u_cap.req_pages_q[0] ;
  (* hierconn *) wire [15:0]           \u_cap.req_pages_q[1] ;

  logic [ChunkW-1:0] f_chunk;
  logic [3:0]        f_bit;
  logic              f_arrive, f_gone, f_asked, f_told, f_taken, f_recalled, f_back, f_offered, f_asked_for, f_access, f_late;
  logic              f_refused;                // a command or an access that the lease table refuses
  assign f_chunk     = f_page[PageW-1:4];
  assign f_bit       = f_page[3:0];
  assign f_arrive    = arrive && arrive_page_i == f_page;
  assign f_gone      = gone && gone_page_i == f_page;
  assign f_asked     = req_valid_i && req_ready_o && req_page_i == f_page && req_id_i == f_id &&
                       (req_result_o == 3'd1 || req_result_o == 3'd2);
  assign f_told      = rsp_valid_o && rsp_ready_i && rsp_page_o == f_page && rsp_id_o == f_id;
  assign f_taken     = f_asked_for && mig_ready_i;
  assign f_asked_for = mig_valid_o && mig_chunk_o == f_chunk && mig_pages_o[f_bit];
  assign f_offered   = evict_valid_o && evict_block_o == f_chunk && evict_pages_o[f_bit];
  assign f_recalled  = recall_valid && !recall && recall_block == f_chunk && recall_pages[f_bit];
  assign f_access    = access && req_page_i == f_page;
  assign f_late      = f_access && g_there && \u_lease_table.g_left == '0;
  assign f_refused   = \u_lease_table.bad || \u_lease_table.bad_resident || \u_lease_table.bad_absent ;
  assign f_back      = cmd_valid && cmd_op == Recall && cmd_page == f_page;

  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always_comb begin
    assume ({1'b0, f_page} < (PageW+1)'(Pages));
    assume (\u_lease_table.f_page == f_page);
    assume (\u_evict_coalescer.f_block == f_chunk);
    assume (\u_far_fault_mshr.f_page == f_page);
    assume (\u_far_fault_mshr.f_id == f_id);
    if (arrive_valid_i && arrive_page_i == f_page) assume (g_coming && !g_there);
    if (look_valid_o && look_chunk_o == f_chunk) assume (look_resident_i[f_bit] == (g_there || g_coming));
    if (serve_valid_i) assume (!mig_valid_o);
  end

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      g_there   <= 1'b0;
      g_coming  <= 1'b0;
      g_wait    <= 1'b0;
      g_came    <= 1'b0;
      g_lease   <= 1'b0;
      g_called  <= 1'b0;
      g_wanted  <= 1'b0;
      g_held    <= '0;
      g_held_up <= '0;
    end else begin
      if (f_arrive) g_there <= 1'b1;
      if (f_gone) g_there <= 1'b0;
      if (f_taken) g_coming <= 1'b1;
      if (f_arrive) g_coming <= 1'b0;
      if (f_told) g_wait <= 1'b0;
      if (f_asked) g_wait <= 1'b1;
      if (f_asked) g_came <= 1'b0;
      if (f_arrive) g_came <= 1'b1;
      g_since <= (f_arrive || !g_wait) ? '0 : g_since + (IdW+2)'(rsp_valid_o && rsp_ready_i);
      g_called <= f_late;
      if (f_gone || (f_access && \u_lease_table.expire )) g_wanted <= 1'b0;
      if (f_late) g_wanted <= 1'b1;
      if (f_back) g_lease <= 1'b0;
      if (f_recalled) g_lease <= 1'b1;
      // A command that the lease table refuses does not count.
      g_held    <= g_held + CountW'(arrive && \u_lease_table.migrate ) - CountW'(gone && \u_lease_table.evict );
      g_held_up <= (gone_valid_i && !gone_ready_o && ready_o) ? g_held_up + 6'd1 : '0;
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // No page is offered for eviction and for migration at once; only a resident page is evicted, only an absent one migrated.
      p_once:   assert (!(f_offered && f_asked_for));
      if (f_offered) p_evict: assert (g_there);
      if (f_asked_for) p_migrate: assert (!g_there && !g_coming);
      // The resident count is arrivals less departures; a page is resident from its arrival to its departure.
      p_held:   assert (resident_o == g_held);
      p_there:  assert (\u_lease_table.g_resident == g_there);
      // Departures and arrivals reach the lease table in their cycle, one at a time; a departure waits at most 16 cycles.
      if (gone) p_gone: assert (ready_o && cmd_valid && cmd_op == Evict && cmd_page == gone_page_i && !arrive_go);
      if (arrive) p_arrive: assert (ready_o && cmd_valid && cmd_op == Migrate && cmd_page == arrive_page_i);
      p_wait_gone: assert (g_held_up <= 6'd16);
      // A block that an access revokes is not evicted in that cycle, nor are its pages before they have a new lease;
      // each page gets its lease exactly once.
      if (access && req_page_i == f_page && \u_evict_coalescer.g_pages [f_bit]) p_revoked: assert (!evict_valid_o);
      // An access after the lease has expired recalls the page, wherever its expiry is queued; from then on it is not
      // evicted before another lease expires.
      if (g_called) p_called: assert (\u_evict_coalescer.g_recall [f_bit]);
      if (f_offered) p_wanted: assert (!g_wanted && !f_late);
      if (g_lease || \u_evict_coalescer.g_recall [f_bit]) p_recalled: assert (!f_offered && g_there);
      if (f_back) p_back: assert (g_lease && g_there);
      p_lease: assert (g_lease == (recall_block_q == f_chunk && recall_pages_q[f_bit]));
      // A waiting requester gets exactly one response, after the arrival, among the next Requesters responses.
      if (f_told) p_told: assert (g_wait && g_came);
      if (g_wait && g_came) p_soon: assert (g_since < (IdW+2)'(Requesters));
      if (g_wait && !g_came) p_outstanding: assert (\u_far_fault_mshr.g_out );
      // A slow driver never stalls a far-fault or a departure; an arrival waits for responses only.
      if (ready_o && req_valid_i && !req_resident_i) p_miss: assert (req_ready_o);
      if (ready_o && !recall) p_free: assert (gone_ready_o && (arrive_ready_o || gone_valid_i || rsp_valid_o));
      // A request that a part or gmmu itself refuses changes no other part.
      if (bad_alloc || \u_cap.write_bad ) p_bad_alloc: assert (!\u_cap.write && !\u_lease_sampler.forget );
      if (bad_request) p_bad_request: assert (!access && !miss && !\u_lease_sampler.acc_valid_i );
      if (bad_arrive) p_bad_arrive: assert (!\u_lease_table.migrate && !\u_far_fault_mshr.fill && !clear);
      if (f_refused) p_bad_page: assert (!done && !clear && !\u_evict_coalescer.touched && !\u_evict_coalescer.revoke &&
                                         !\u_far_fault_mshr.fill && (!\u_lease_sampler.acc_valid_i || miss));
      if (\u_far_fault_mshr.bad_id || \u_far_fault_mshr.bad_twice )
        p_bad_fault: assert (!taken && !\u_lease_sampler.acc_valid_i );
      // An access waits for a command, a recall, a queued expiry or room for one; with leases disabled, for nothing.
      if (ready_o && !lease_enable_i) p_off: assert (req_ready_o);
    end
  end

`ifdef FORMAL_AUX
  logic [5:0]     x_left;
  logic [IdW+1:0] x_told;
  logic [1:0]     x_queued;
  always_comb begin
    x_left = '0;
    for (int i = 0; i < 16; i++) x_left = x_left + 6'(recall_pages_q[i]);
    x_told = '0;
    for (int i = 0; i < Requesters; i++) x_told = x_told + (IdW+2)'(\u_far_fault_mshr.drain_wait_q [i]);
    x_queued[0] = \u_cap.count_q != '0 && \u_cap.req_chunk_q[0] [ChunkW-1:0] == f_chunk && \u_cap.req_pages_q[0] [f_bit];
    x_queued[1] = \u_cap.count_q [1] && \u_cap.req_chunk_q[1] [ChunkW-1:0] == f_chunk && \u_cap.req_pages_q[1] [f_bit];
    if (f_live && rst_ni) begin
      x_held:   assert (CountW'(\u_lease_table.g_held ) == g_held);
      x_wait:   assert (\u_far_fault_mshr.g_wait == g_wait && (!g_wait || g_came == !\u_far_fault_mshr.g_out ));
      if (g_wait && g_came) x_since: assert (g_since + x_told <= (IdW+2)'(Requesters));
      x_start:  assert (ready_o || (recall_pages_q == '0 && \u_evict_coalescer.recall_pages_q == '0 &&
                                    \u_evict_coalescer.used_q == '0 && !\u_evict_coalescer.pend_q ));
      x_late:   assert (g_held_up == '0 || g_held_up + x_left <= 6'd16);
      if (g_lease || \u_evict_coalescer.g_pages [f_bit] || \u_evict_coalescer.g_recall [f_bit])
        x_out: assert (g_there && \u_lease_table.g_left == '0 && !\u_lease_table.g_due );
      x_apart:  assert (2'(g_lease) + 2'(\u_evict_coalescer.g_pages [f_bit]) + 2'(\u_evict_coalescer.g_recall [f_bit]) <= 2'd1);
      x_coming: assert (!(g_there && g_coming));
      if (g_wanted) x_wanted: assert (g_there && !\u_evict_coalescer.g_pages [f_bit] && !\u_lease_table.g_due );
      // The prefetcher's queue has the page at most once, in walk order, and only while the page is absent.
      if (x_queued != '0) x_queue: assert (x_queued != 2'd3 && !g_there && !g_coming);
      if (\u_cap.state_q != 3'd0 && \u_cap.state_q != 3'd5) x_empty: assert (\u_cap.count_q == '0);
      if (\u_cap.state_q == 3'd5) begin
        x_walk: assert (\u_cap.chunk_q <= \u_cap.end_q && \u_cap.count_q != 2'd3);
        if (\u_cap.count_q != '0) x_first: assert (\u_cap.req_chunk_q[0] < \u_cap.chunk_q );
        if (\u_cap.count_q [1]) x_second: assert (\u_cap.req_chunk_q[1] < \u_cap.chunk_q );
      end
      x_count: assert (\u_cap.count_q != 2'd3);
      // No chunk of it lies beyond the last page; runs have one allocation.
      x_alloc: assert (\u_cap.alloc_pages_q[0] == '0 ||
                       32'(\u_cap.alloc_base_q[0] ) * 32'd16 + 32'(\u_cap.alloc_pages_q[0] ) <= 32'(Pages));
      if (\u_cap.state_q != 3'd0)
        x_base: assert (\u_cap.pages_q != '0 && 32'(\u_cap.base_q ) * 32'd16 + 32'(\u_cap.pages_q ) <= 32'(Pages));
      if (\u_cap.state_q > 3'd1) x_last: assert (!\u_cap.last_q [ChunkW]);
      if (\u_cap.state_q == 3'd5) x_end: assert (!\u_cap.end_q [ChunkW]);
      x_top: assert (!(\u_cap.count_q != '0 && \u_cap.req_chunk_q[0] [ChunkW]) && !(\u_cap.count_q [1] && \u_cap.req_chunk_q[1] [ChunkW]));
    end
  end
`endif
`endif
