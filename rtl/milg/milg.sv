// Memory Instruction Limiting number Generator: Dai17, section 4.3.3.2, figure 36.
//
// Within a cycle: instructions complete; one is issued; a request is accepted or fails; the interval may end.
`include "assert.svh"

module milg #(
  parameter int InflightW = 7,
  parameter int RfW       = 12,
  parameter int ReqW      = 10,
  parameter int Relax     = 1
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,

  input  wire logic                 issue_valid_i,
  input  wire logic                 retire_valid_i,
  input  wire logic [2:0]           retire_count_i,
  input  wire logic                 req_valid_i,
  input  wire logic                 fail_valid_i,
  input  wire logic                 start_valid_i,
  input  wire logic [InflightW-1:0] static_limit_i,

  output logic                      issue_ok_o,
  output logic [InflightW-1:0]      limit_o,
  output logic [InflightW-1:0]      inflight_o,
  output logic                      update_o,
  output logic [InflightW-1:0]      new_limit_o,
  output logic [1:0]                error_o
);
  `PARAM_CHECK(g_illegal_inflight_w, InflightW >= 1 && InflightW <= 10)
  `PARAM_CHECK(g_illegal_rf_w, RfW >= 1 && RfW <= 24)
  `PARAM_CHECK(g_illegal_req_w, ReqW >= 1 && ReqW <= 16)
  `PARAM_CHECK(g_illegal_relax, Relax >= 0 && Relax <= 2)

  localparam int Lift = 0;
  localparam int Grow = 1;
  localparam logic [1:0] ErrorRetire = 2'd1;
  localparam logic [1:0] ErrorIssue  = 2'd2;
  // All ones: of the in-flight counter its end, of the limit that there is none.
  localparam logic [InflightW-1:0] Top = {InflightW{1'b1}};
  // What the shift leaves of the failure counter: failures per request.
  localparam int DivW   = (RfW > ReqW) ? RfW - ReqW : 1;
  localparam int CountW = InflightW + 3;

  logic [InflightW-1:0] inflight_q, inflight_d, max_q, max_d, limit_q, limit_d;
  logic [RfW-1:0]       rf_q, rf_d;
  logic [ReqW-1:0]      req_q, req_d;
  logic [1:0]           error_q, error_d;

  // ---- in flight: what completes was in flight before this cycle; what is issued comes after
  logic [CountW-1:0]    retired, held;
  logic                 retire_bad, issue_bad, issue;
  logic [InflightW-1:0] left, max;

  assign retired    = retire_valid_i ? CountW'(retire_count_i) : '0;
  assign held       = CountW'(inflight_q);
  assign retire_bad = retired > held;
  assign left       = retire_bad ? inflight_q : InflightW'(held - retired);
  assign issue_bad  = issue_valid_i & (left == Top);
  assign issue      = issue_valid_i & ~issue_bad;
  assign inflight_d = left + InflightW'(issue);
  assign max        = (issue && left == max_q) ? inflight_d : max_q; // never more than one above

  // ---- the interval
  logic           ends, fresh, fail;
  logic [RfW-1:0] rf;

  assign fail  = fail_valid_i & ~(&rf_q);
  assign rf    = rf_q + RfW'(fail);
  assign ends  = req_valid_i & (&req_q) & ~start_valid_i;
  assign fresh = ends | start_valid_i;
  assign max_d = fresh ? inflight_d : max;
  assign rf_d  = fresh ? '0 : rf;
  assign req_d = fresh ? '0 : req_q + ReqW'(req_valid_i);

  // ---- the limit: max / (rf >> ReqW)
  logic [DivW-1:0]      fails;
  logic [InflightW-1:0] quotient;

  assign fails = DivW'(rf >> ReqW);
  milg_divide #(.DividendW(InflightW), .DivisorW(DivW)) u_divide (
    .dividend_i (max),
    .divisor_i  (fails),
    .quotient_o (quotient)
  );

  logic [InflightW-1:0] grown, relaxed, number, new_limit;
  assign grown     = (limit_q > max) ? limit_q : max + InflightW'(max != Top);
  assign relaxed   = (Relax == Lift) ? Top : (Relax == Grow) ? grown : limit_q;
  assign number    = (fails == '0) ? relaxed : quotient;
  assign new_limit = (number == '0) ? InflightW'(1) : number;

  assign limit_d = start_valid_i ? Top : ends ? new_limit : limit_q;

  always_comb begin
    error_d = error_q;
    if (error_q == '0) begin
      if (retire_bad) error_d = ErrorRetire;
      else if (issue_bad) error_d = ErrorIssue;
    end
  end

  assign limit_o     = (static_limit_i != '0) ? static_limit_i : limit_q;
  assign issue_ok_o  = inflight_q < limit_o;
  assign inflight_o  = inflight_q;
  assign update_o    = ends;
  assign new_limit_o = ends ? new_limit : '0;
  assign error_o     = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inflight_q <= '0;
      max_q      <= '0;
      rf_q       <= '0;
      req_q      <= '0;
      limit_q    <= Top;
      error_q    <= '0;
    end else begin
      inflight_q <= inflight_d;
      max_q      <= max_d;
      rf_q       <= rf_d;
      req_q      <= req_d;
      limit_q    <= limit_d;
      error_q    <= error_d;
    end
  end

  `ASSERT(g_limit_not_0, limit_q != '0)
  `ASSERT(g_max_is_a_maximum, max_q >= inflight_q)

`ifdef FORMAL
  `define MILG_PROPERTIES
  `include "milg_formal.sv"
  `undef MILG_PROPERTIES
`endif
endmodule
