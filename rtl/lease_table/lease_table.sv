// What is left of the lease of every page in device memory (Gu20, sections 4.3.2 and 4.5.5): a RAM indexed by frame.
//
// Within a cycle: a command or an access reads its page's word and writes it back; a lease that runs out enters the queue of
// expiries.  An eviction or recall withdraws the expiry of its page, also the one that is offered in this very cycle.
`include "assert.svh"

module lease_table #(
  parameter int Pages  = 4096,
  parameter int LeaseW = 10,
  parameter int Events = 4,
  localparam int PageW  = (Pages > 1) ? $clog2(Pages) : 1,
  localparam int HeldW  = $clog2(Pages + 1),
  localparam int CountW = $clog2(Events + 1)
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic              cmd_valid_i,
  output logic                   cmd_ready_o,
  output logic                   cmd_done_o,
  input  wire logic [1:0]        cmd_op_i,
  input  wire logic [PageW-1:0]  cmd_page_i,
  input  wire logic [LeaseW-1:0] cmd_lease_i,

  input  wire logic              acc_valid_i,
  output logic                   acc_ready_o,
  output logic                   acc_done_o,
  input  wire logic [PageW-1:0]  acc_page_i,
  output logic                   acc_expired_o,

  output logic                   exp_valid_o,
  input  wire logic              exp_ready_i,
  output logic [PageW-1:0]       exp_page_o,

  output logic [HeldW-1:0]       resident_o,
  output logic [31:0]            expired_o,
  output logic [1:0]             error_o
);
  `PARAM_CHECK(g_illegal_pages, Pages >= 2 && Pages <= 262144)
  `PARAM_CHECK(g_illegal_lease_w, LeaseW >= 1 && LeaseW <= 15)
  `PARAM_CHECK(g_illegal_events, Events >= 1 && Events <= 16)

  localparam logic [1:0] Migrate = 2'd0, Evict = 2'd1, Recall = 2'd2;
  localparam logic [1:0] ErrorCommand = 2'd1, ErrorResident = 2'd2, ErrorAbsent = 2'd3;

  logic                    ready_q;
  logic [PageW-1:0]        sweep_q;
  logic [HeldW-1:0]        resident_q;
  logic [31:0]             expired_q;
  logic [CountW-1:0]       count_q, left;
  logic [Events-1:0]       live_q, live_d, live, kept;
  logic [1:0]              error_q, error_d;
  logic [LeaseW:0]         page_q [Pages];
  (* mem2reg *)
  logic [PageW-1:0]        exp_q [Events];

  // ---- the one port: a command goes before an access, which needs room for an expiry
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
  assign expire        = access && word[LeaseW-1:0] == LeaseW'(1);

  assign bad          = (cmd && (cmd_op_i == 2'd3 || !there)) || (acc && !there);
  assign bad_resident = cmd && cmd_op_i == Migrate && resident;
  assign bad_absent   = !bad && !resident && ((cmd && cmd_op_i != Migrate) || acc);

  assign lease     = (cmd_op_i == Recall) ? cmd_lease_i >> 1 : cmd_lease_i;
  assign lease_set = (lease == '0) ? LeaseW'(1) : lease;
  always_comb begin
    word_new = {1'b1, lease_set};
    if (evict || !ready_q) word_new = '0;
    if (access) word_new = word - (LeaseW+1)'(1);
  end

  // ---- expiries.  An access to their page withdraws them as a recall does, but for the one that is offered in this cycle:
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
      assign here = expire & (left == CountW'(i));
      if (i + 1 < Events) begin : g_next
        assign next      = exp_q[i+1];
        assign next_live = kept[i+1];
      end else begin : g_last
        assign next      = exp_q[i];
        assign next_live = 1'b0;
      end
      assign live_d[i] = here | (pop ? next_live : kept[i]);
      // It means nothing while its place is not in use: no reset, and it keeps its value in one.
      always_ff @(posedge clk_i) begin
        if (rst_ni && here) exp_q[i] <= page;
        else if (rst_ni && pop) exp_q[i] <= next;
      end
    end
  endgenerate

  // ---- registers
  always_comb begin
    error_d = error_q;
    if (error_q == '0) begin
      if (bad_absent) error_d = ErrorAbsent;
      if (bad_resident) error_d = ErrorResident;
      if (bad) error_d = ErrorCommand;
    end
  end
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
      if (expire && expired_q != '1) expired_q <= expired_q + 32'd1;
      if (!ready_q) begin
        ready_q <= sweep_q == PageW'(Pages - 1);
        sweep_q <= (sweep_q == PageW'(Pages - 1)) ? '0 : sweep_q + PageW'(1);
      end
    end
  end

  // A RAM has no reset: it is cleared page by page after one.
  always_ff @(posedge clk_i) begin
    if (rst_ni && (!ready_q || migrate || evict || recall || access)) page_q[ready_q ? page : sweep_q] <= word_new;
  end

`ifdef FORMAL
  `define LEASE_TABLE_PROPERTIES
  `include "lease_table_formal.sv"
  `undef LEASE_TABLE_PROPERTIES
`endif
endmodule
