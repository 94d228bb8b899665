// SPDX-License-Identifier: Apache-2.0
// Lease table: the remaining accesses of every page in device memory (Gu20, sections 4.3.2 and 4.5.5).
//
// A RAM indexed by page: a resident bit and a down-counter.  A lease that reaches 0 puts its page into the expiry queue.
//
// Timing: one command, else one access per cycle; it reads, modifies and writes its word in that cycle.  An eviction, a recall
// or an access withdraws the queued expiry of its page; evictions and recalls also withdraw the one on offer in the same cycle.
// After reset the RAM is cleared, one page per cycle, before ready.
// Parameters: Pages and LeaseW set the RAM, Events the expiry queue.
`include "mt_assert.svh"

module mt_lease_table #(
  parameter int Pages  = 4096,                   // 4 KiB pages of the device memory: 16 MiB
  parameter int LeaseW = 10,                     // bits of a lease, in accesses
  parameter int Events = 4,                      // expiry queue entries
  localparam int PageW  = (Pages > 1) ? $clog2(Pages) : 1,
  localparam int HeldW  = $clog2(Pages + 1),
  localparam int CountW = $clog2(Events + 1)
) (
  input  wire logic              clk_i,          // clock, rising edge
  input  wire logic              rst_ni,         // synchronous reset, active low

  input  wire logic              cmd_valid_i,    // a page is migrated, evicted or recalled
  output logic                   cmd_ready_o,    // commands are accepted: the table has been cleared
  output logic                   cmd_done_o,     // the command is legal, and done at this clock edge
  input  wire logic [1:0]        cmd_op_i,       // enum lease_table_op
  input  wire logic [PageW-1:0]  cmd_page_i,     // its frame
  input  wire logic [LeaseW-1:0] cmd_lease_i,    // the lease of its allocation; counts as 1 if it is 0

  input  wire logic              acc_valid_i,    // a page is accessed
  output logic                   acc_ready_o,    // an access is accepted at this clock edge
  output logic                   acc_done_o,     // the accessed page is resident
  input  wire logic [PageW-1:0]  acc_page_i,     // its frame
  output logic                   acc_expired_o,  // the lease of the accessed page had expired before: it must be recalled

  output logic                   exp_valid_o,    // the lease of a page expires
  input  wire logic              exp_ready_i,    // the offered expiry is taken
  output logic [PageW-1:0]       exp_page_o,     // its frame; else 0

  output logic [HeldW-1:0]       resident_o,     // resident pages: migrated and not evicted
  output logic [31:0]            expired_o,      // expired leases; saturates
  output logic [1:0]             error_o         // enum lease_table_error: the first one, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_pages, Pages >= 2 && Pages <= 262144)
  `MT_PARAM_CHECK(g_illegal_lease_w, LeaseW >= 1 && LeaseW <= 15)
  `MT_PARAM_CHECK(g_illegal_events, Events >= 1 && Events <= 16)

  localparam logic [1:0] Migrate = 2'd0, Evict = 2'd1, Recall = 2'd2;
  localparam logic [1:0] ErrorCommand = 2'd1, ErrorResident = 2'd2, ErrorAbsent = 2'd3;

  logic                    ready_q;
  logic [PageW-1:0]        sweep_q;
  logic [HeldW-1:0]        resident_q;
  logic [31:0]             expired_q, expired_d;
  logic [CountW-1:0]       count_q, left;
  logic [Events-1:0]       live_q, live_d, live, kept;
  logic [1:0]              error_q, error_d;
  logic [LeaseW:0]         page_q [Pages];
  (* mem2reg *)
  logic [PageW-1:0]        exp_q [Events];

  // ---- the RAM port: a command has priority over an access, which needs room in the expiry queue
  logic [PageW-1:0]  asked, page;
  logic [LeaseW:0]   word, word_new;
  logic              there, resident, cmd, acc, migrate, evict, recall, access, expire;
  logic              bad, bad_resident, bad_absent;
  logic [LeaseW-1:0] lease, lease_set;

  assign asked       = cmd_valid_i ? cmd_page_i : acc_page_i;
  assign there       = {1'b0, asked} < (PageW+1)'(Pages);
  assign page        = there ? asked : '0;
  assign word        = page_q[page];
  assign resident    = there & word[LeaseW];
  assign cmd_ready_o = ready_q;
  assign acc_ready_o = ready_q & ~cmd_valid_i & (count_q != CountW'(Events));
  assign cmd         = cmd_valid_i & ready_q;
  assign acc         = acc_valid_i & acc_ready_o;

  assign migrate       = cmd && cmd_op_i == Migrate && there && !resident;
  assign evict         = cmd && cmd_op_i == Evict && resident;
  assign recall        = cmd && cmd_op_i == Recall && resident;
  assign cmd_done_o    = migrate | evict | recall;
  assign acc_done_o    = acc && resident;
  assign access        = acc_done_o && word[LeaseW-1:0] != '0;
  assign acc_expired_o = acc_done_o && word[LeaseW-1:0] == '0;
  assign expire        = access && word[LeaseW-1:0] == 1;

  assign bad          = (cmd && (cmd_op_i == 2'd3 || !there)) || (acc && !there);
  assign bad_resident = cmd && cmd_op_i == Migrate && resident;
  assign bad_absent   = !bad && !resident && ((cmd && cmd_op_i != Migrate) || acc);

  assign lease     = (cmd_op_i == Recall) ? cmd_lease_i >> 1 : cmd_lease_i;
  assign lease_set = (lease == '0) ? 1 : lease;
  always_comb begin
    word_new = {1'b1, lease_set};
    if (evict || !ready_q) word_new = '0;
    if (access) word_new = word - 1;
  end

  // ---- expiry queue.  An access withdraws the expiry of its page as a recall does, except the one on offer in this cycle:
  // acc_valid_i may depend on exp_valid_o.
  logic pop;

  generate
    for (genvar i = 0; i < Events; i++) begin : g_live
      assign live[i] = live_q[i] & ~((evict | recall) & (exp_q[i] == page));
      assign kept[i] = live[i] & ~(acc_expired_o & (exp_q[i] == page));
    end
  endgenerate
  assign exp_valid_o = (count_q != '0) & live[0];
  assign exp_page_o  = exp_valid_o ? exp_q[0] : '0;
  assign pop         = (count_q != '0) & (~live[0] | exp_ready_i);
  assign left        = count_q - CountW'(pop);

  generate
    for (genvar i = 0; i < Events; i++) begin : g_event
      logic             here, next_live;
      logic [PageW-1:0] next;
      assign here = expire & (left == i);
      if (i + 1 < Events) begin : g_next
        assign next      = exp_q[i+1];
        assign next_live = kept[i+1];
      end else begin : g_last
        assign next      = exp_q[i];
        assign next_live = 1'b0;
      end
      assign live_d[i] = here | (pop ? next_live : kept[i]);
      // Valid only below count_q: not reset, and it holds its value during reset.
      always_ff @(posedge clk_i) begin
        if (rst_ni && here) exp_q[i] <= page;
        else if (rst_ni && pop) exp_q[i] <= next;
      end
    end
  endgenerate

  // ---- registers
  mt_sat_count u_expired (.count_i(expired_q), .step_i(expire), .count_o(expired_d));
  mt_sticky_error u_error (.error_i(error_q),
    .found_i(bad ? ErrorCommand : bad_resident ? ErrorResident : bad_absent ? ErrorAbsent : 2'd0), .error_o(error_d));
  assign resident_o = resident_q;
  assign expired_o  = expired_q;
  assign error_o    = error_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_q    <= 1'b0;
      sweep_q    <= '0;
      resident_q <= '0;
      expired_q  <= '0;
      count_q    <= '0;
      live_q     <= '0;
      error_q    <= '0;
    end else begin
      resident_q <= resident_q + HeldW'(migrate) - HeldW'(evict);
      count_q    <= left + CountW'(expire);
      live_q     <= live_d;
      error_q    <= error_d;
      expired_q  <= expired_d;
      if (!ready_q) begin
        ready_q <= sweep_q == PageW'(Pages - 1);
        sweep_q <= (sweep_q == PageW'(Pages - 1)) ? '0 : sweep_q + 1;
      end
    end
  end

  // A RAM has no reset: after a reset it is cleared page by page.
  always_ff @(posedge clk_i) begin
    if (rst_ni && (!ready_q || migrate || evict || recall || access)) page_q[ready_q ? page : sweep_q] <= word_new;
  end

`ifdef FORMAL
  `define MT_LEASE_TABLE_PROPERTIES
  `include "mt_lease_table_formal.sv"
  `undef MT_LEASE_TABLE_PROPERTIES
`endif
endmodule
