// SPDX-License-Identifier: Apache-2.0
// Memory Instruction Limiting number Generator: limits the memory instructions that a kernel has in flight (Dai17,
// section 4.3.3.2, figure 36).
//
// Every 2^ReqW requests, the new limit is the maximum in flight, at most the limit, divided by the reservation failures
// per request.
//
// Timing: the limit is registered, the divider combinational.  Order within a cycle: instructions retire; one is issued; a
// request is accepted or fails; the interval may end.
// Parameters: InflightW, RfW and ReqW are counter widths, Relax the policy without failures.
`include "mt_assert.svh"

module mt_milg #(
  parameter int InflightW = 7,                       // bits of the in-flight counter and of the limit
  parameter int RfW       = 12,                      // bits of the reservation failure counter
  parameter int ReqW      = 10,                      // bits of the request counter: an interval is 2^ReqW requests
  parameter int Relax     = 1                        // enum milg_relax: below one failure per request: 0 LIFT the limit, 1 GROW to the maximum + 1, never down, 2 HOLD the limit
) (
  input  wire logic                 clk_i,           // clock, rising edge
  input  wire logic                 rst_ni,          // synchronous reset, active low

  input  wire logic                 issue_valid_i,   // a memory instruction of the kernel issues
  input  wire logic                 retire_valid_i,  // number of memory instructions of the kernel that complete
  input  wire logic [2:0]           retire_count_i,  // how many
  input  wire logic                 req_valid_i,     // the L1D accepts a request of the kernel
  input  wire logic                 fail_valid_i,    // a request of the kernel gets a reservation failure
  input  wire logic                 start_valid_i,   // a new kernel: starts an interval without a limit; the in-flight count is kept
  input  wire logic [InflightW-1:0] static_limit_i,  // SMIL: the limit; 0: the limit is the dynamic one (DMIL)

  output logic                      issue_ok_o,      // in flight < limit: a memory instruction may issue
  output logic [InflightW-1:0]      limit_o,         // the limit in force, at least 1; all ones: limited by the counter width only
  output logic [InflightW-1:0]      inflight_o,      // memory instructions in flight
  output logic                      update_o,        // the interval ends in this cycle
  output logic [InflightW-1:0]      new_limit_o,     // with update_o: the dynamic limit from the next cycle on; else 0
  output logic [1:0]                error_o          // enum milg_error, the first one, until reset
);
  `MT_PARAM_CHECK(g_illegal_inflight_w, InflightW >= 1 && InflightW <= 10)
  `MT_PARAM_CHECK(g_illegal_rf_w, RfW >= 1 && RfW <= 24)
  `MT_PARAM_CHECK(g_illegal_req_w, ReqW >= 1 && ReqW <= 16)
  `MT_PARAM_CHECK(g_illegal_relax, Relax >= 0 && Relax <= 2)

  localparam int Lift = 0;
  localparam int Grow = 1;
  localparam logic [1:0] ErrorRetire = 2'd1;
  localparam logic [1:0] ErrorIssue  = 2'd2;
  // All ones: the largest in-flight count; as a limit: no limit.
  localparam logic [InflightW-1:0] Top = {InflightW{1'b1}};
  // Width of failures per request: the failure counter shifted by ReqW.
  localparam int DivW   = (RfW > ReqW) ? RfW - ReqW : 1;
  localparam int CountW = InflightW + 3;

  logic [InflightW-1:0] inflight_q, inflight_d, max_q, max_d, limit_q, limit_d;
  logic [RfW-1:0]       rf_q, rf_d;
  logic [ReqW-1:0]      req_q, req_d;
  logic [1:0]           error_q, error_d;

  // ---- in flight: instructions retire before one is issued
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
  assign max        = (issue && left == max_q) ? inflight_d : max_q; // inflight exceeds max by at most one

  // ---- the interval
  logic           ends, fresh, fail;
  logic [RfW-1:0] rf;

  // Not mt_sat_count, whose multiplexer would come before the divider.
  assign fail  = fail_valid_i & ~(&rf_q);
  assign rf    = rf_q + RfW'(fail);
  assign ends  = req_valid_i & (&req_q) & ~start_valid_i;
  assign fresh = ends | start_valid_i;
  assign max_d = fresh ? inflight_d : max;
  assign rf_d  = fresh ? '0 : rf;
  assign req_d = fresh ? '0 : req_q + ReqW'(req_valid_i);

  // ---- the limit: max / (rf >> ReqW)
  logic [DivW-1:0]      fails;
  logic [InflightW-1:0] quotient, counted;

  assign fails = DivW'(rf >> ReqW);
  // More in flight than the limit is from before it fell.  max is max_q or one more, so the registers tell, before the divider.
  assign counted = (max_q >= limit_q) ? limit_q : max;
  mt_milg_divide #(.DividendW(InflightW), .DivisorW(DivW)) u_divide (
    .dividend_i (counted),
    .divisor_i  (fails),
    .quotient_o (quotient)
  );

  logic [InflightW-1:0] grown, relaxed, number, new_limit;
  assign grown     = (limit_q > counted) ? limit_q : counted + InflightW'(counted != Top);
  assign relaxed   = (Relax == Lift) ? Top : (Relax == Grow) ? grown : limit_q;
  assign number    = (fails == '0) ? relaxed : quotient;
  assign new_limit = (number == '0) ? 1 : number;

  assign limit_d = start_valid_i ? Top : ends ? new_limit : limit_q;

  mt_sticky_error u_error (.error_i(error_q), .found_i(retire_bad ? ErrorRetire : issue_bad ? ErrorIssue : 2'd0), .error_o(error_d));

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

  `MT_ASSERT(g_limit_not_0, limit_q != '0)
  `MT_ASSERT(g_max_is_a_maximum, max_q >= inflight_q)

`ifdef FORMAL
  `define MT_MILG_PROPERTIES
  `include "mt_milg_formal.sv"
  `undef MT_MILG_PROPERTIES
`endif
endmodule
