// SPDX-License-Identifier: Apache-2.0
// Formal properties of milg, proved by `make formal BLOCK=milg`; included at the end of mt_milg.sv.
//
// No assumptions about the inputs; resets may occur at any time.
`ifdef MT_MILG_PROPERTIES
  localparam int FailW = RfW + 1;

  logic                 f_live;      // a reset has occurred
  logic                 f_obeyed;    // every issue since the reset had issue_ok_o
  logic [InflightW-1:0] f_ceiling;   // the last limit that in flight did not exceed
  logic [InflightW+2:0] f_inflight;  // issued less retired
  logic [ReqW:0]        f_requests;  // of this interval
  logic [FailW-1:0]     f_fails;     // of this interval; one bit more than the block keeps, and saturates
  logic                 f_seen;      // a cycle of this interval was picked
  logic [InflightW-1:0] f_then;      // instructions in flight at its end
  (* anyseq *) logic    f_pick;

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live     <= 1'b1;
      f_obeyed   <= 1'b1;
      f_ceiling  <= '0;
      f_inflight <= '0;
      f_requests <= '0;
      f_fails    <= '0;
      f_seen     <= 1'b0;
    end else begin
      f_obeyed   <= f_obeyed & ~(issue_valid_i & ~issue_ok_o);
      if (inflight_q <= limit_o) f_ceiling <= limit_o;
      f_inflight <= f_inflight + (InflightW + 3)'(issue_valid_i) - (InflightW + 3)'(retired);
      f_requests <= fresh ? '0 : f_requests + (ReqW + 1)'(req_valid_i);
      f_fails    <= fresh ? '0 : f_fails + FailW'(fail_valid_i & ~(&f_fails));
      if (fresh) f_seen <= 1'b0;
      else if (f_pick && !f_seen) begin
        f_seen <= 1'b1;
        f_then <= inflight_d;
      end
    end
  end

  // max = quotient * fails + rest, with rest < fails.
  localparam int ProductW = InflightW + DivW + 1;
  logic [ProductW-1:0] product, above;
  assign product = ProductW'(quotient) * ProductW'(fails);
  assign above   = product + ProductW'(fails);

  always_comb begin
    if (f_live && rst_ni) begin
      p_limit:   assert (limit_o != '0 && limit_q != '0);
      p_ok:      assert (issue_ok_o == (inflight_o < limit_o));
      // While issue_ok_o is obeyed, in flight exceeds the limit only after the limit fell: then it stays within
      // the earlier limit and never grows.
      if (f_obeyed && inflight_q > limit_o) p_ceiling: assert (inflight_q <= f_ceiling);
      if (inflight_q > limit_o && !(issue_valid_i && !issue_ok_o)) p_falls: assert (inflight_d <= inflight_q);
      if (issue_valid_i && issue_ok_o) p_issue: assert (inflight_d <= limit_o && !issue_bad);
      if (f_obeyed) p_no_issue_error: assert (error_q != ErrorIssue);
      // The counters: in flight, requests, failures.
      if (error_q == '0) p_inflight: assert (f_inflight == (InflightW + 3)'(inflight_q));
      p_requests: assert (f_requests == (ReqW + 1)'(req_q));
      p_failures: assert (rf_q == (f_fails[FailW-1] ? {RfW{1'b1}} : f_fails[RfW-1:0]));
      // The maximum is never exceeded, and was reached.
      p_max:      assert (max_q >= inflight_q);
      if (f_seen) p_max_of_all: assert (max_q >= f_then);
      if (max_d != max_q) p_max_is_seen: assert (max_d == inflight_d);
      // A new limit comes at the end of an interval, and is the paper's quotient.
      p_interval: assert (ends == (req_valid_i && !start_valid_i && f_requests == (ReqW + 1)'((1 << ReqW) - 1)));
      if (fails != '0) begin
        p_quotient: assert (product <= ProductW'(counted) && above > ProductW'(counted));
        if (ends) p_limits: assert (new_limit_o == ((quotient == '0) ? InflightW'(1) : quotient));
        if (ends) p_no_rise: assert (new_limit_o <= limit_q);
      end
      if (ends && fails == '0) begin
        p_no_fall: assert (new_limit_o >= limit_q);
        if (Relax == Lift) p_lift: assert (new_limit_o == Top);
        if (Relax == Grow) begin
          p_above: assert (new_limit_o > counted || counted == Top);
          p_grow:  assert (new_limit_o == limit_q || new_limit_o == limit_q + InflightW'(1));
        end
        if (Relax == 2) p_hold: assert (new_limit_o == limit_q);
      end
    end
  end
`endif
