// SPDX-License-Identifier: Apache-2.0
// Formal properties of tlp_modulator, proved by `make formal BLOCK=tlp_modulator`; included at the end of mt_tlp_modulator.sv.
//
// No assumptions about the inputs; resets may occur at any time.  x_* are invariants that make the properties inductive.
`ifdef MT_TLP_MODULATOR_PROPERTIES
  localparam int FW = ResW + LimitW + 2;
  localparam int PW = 2 * CountW + 4;

  logic              f_live;              // a reset has occurred
  logic              f_started, f_stopped, f_stepped;  // in the last cycle, the first of these
  logic              f_b;                 // the kernel that it was about
  logic [LimitW-1:0] f_a_limit, f_b_limit;             // the initial limits, or the limits before
  logic [Blocks-1:0] f_mark;              // slots of the period's thread blocks
  logic              f_same;              // the factors of the test in progress have not changed since it began
  logic [CountW:0]   f_x, f_y, f_z, f_v;  // these factors

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_started <= 1'b0;
      f_stopped <= 1'b0;
      f_stepped <= 1'b0;
      f_mark    <= '0;
      f_same    <= 1'b0;
    end else begin
      f_started <= start_valid_i;
      f_stopped <= stop_valid_i & ~start_valid_i;
      f_stepped <= step_valid_o;
      f_b       <= step_valid_o ? step_kernel_o : stop_kernel_i;
      f_a_limit <= start_valid_i ? start_a_i : limit_a_o;
      f_b_limit <= start_valid_i ? start_b_i : limit_b_o;
      if (open_o) f_mark <= (used_a_q | used_b_q) & ~({Blocks{finish_valid_i}} & finish_i);
      else if (finish_valid_i) f_mark <= f_mark & ~finish_i;
      f_same <= (state_q == Judge) & ~last_bit & f_goes_on;
      f_x    <= x;
      f_y    <= y;
      f_z    <= z;
      f_v    <= v;
    end
  end

  logic f_goes_on;
  assign f_goes_on = (bit_q == '0) || (f_same && x == f_x && y == f_y && z == f_z && v == f_v);

  // The products of the low bits so far, and of all: small widths only, as solvers do not multiply well.
  logic [CountW:0]          f_low;
  logic signed [PW-1:0]     f_part;
  generate
    if (CountW <= 3) begin : g_products
      assign f_low  = ((CountW + 1)'(1) << bit_q) - (CountW + 1)'(1);
      assign f_part = $signed(PW'(f_x) * PW'(f_y & f_low)) - $signed(PW'(f_z) * PW'(f_v & f_low));
      always_comb begin
        if (f_live && rst_ni && state_q == Judge) begin
          if (f_same && bit_q != '0) x_sum: assert ($signed(sum_q) == SumW'(f_part >>> bit_q));
          // A test is the comparison of two products.
          if (last_bit && f_goes_on) p_test: assert (holds == (PW'(x) * PW'(y) >= PW'(z) * PW'(v)));
        end
      end
    end
  endgenerate

  // What the thread blocks placed so far take of a resource, and what the SM had of it.
  logic [2:0] f_right, f_mixed;
  generate
    for (genvar r = 0; r < 3; r++) begin : g_f_resource
      logic [FW-1:0] f_taken, f_had;
      always @(posedge clk_i) begin
        if (judged) begin
          f_taken <= '0;
          f_had   <= FW'(have_i[r*ResW +: ResW]);
        end else if (more) begin
          f_taken <= f_taken + FW'(need[r*ResW +: ResW]);
        end
      end
      assign f_right[r] = f_taken + FW'(left_q[r*ResW +: ResW]) == f_had && f_taken <= f_had && f_had < FW'(1 << ResW);
    end
    for (genvar i = 0; i < 3; i++) begin : g_f_mixed
      logic [CountW-1:0] f_old, f_new, f_next;
      assign f_old      = history[i*CountW +: CountW];
      assign f_new      = period[i*CountW +: CountW];
      assign f_next     = mixed[i*CountW +: CountW];
      assign f_mixed[i] = primed_q ? (f_next >= f_old || f_next >= f_new) && (f_next <= f_old || f_next <= f_new) : f_next == f_new;
    end
  endgenerate

  always_comb begin
    if (f_live && rst_ni) begin
      p_state: assert (state_q <= Place);
      // Limits change by a start, a stop and a step alone.
      if (f_started) p_start: assert (limit_a_o == f_a_limit && limit_b_o == f_b_limit && state_q == Wait && !primed_q);
      else if (f_stopped) p_stop: assert (state_q == Off && limit_a_o == (f_b ? NoLimit : '0) && limit_b_o == (f_b ? '0 : NoLimit));
      else if (!f_stepped) p_stays: assert (limit_a_o == f_a_limit && limit_b_o == f_b_limit || state_q == Off);
      // A step: one more of a kernel; no more of the other one, and one at least if it had any.
      if (f_stepped && !f_b) p_more_a: assert (limit_a_o == f_a_limit + LimitW'(1) && limit_b_o <= f_b_limit && (limit_b_o == '0) == (f_b_limit == '0));
      if (f_stepped && f_b) p_more_b: assert (limit_b_o == f_b_limit + LimitW'(1) && limit_a_o <= f_a_limit && (limit_a_o == '0) == (f_a_limit == '0));
      if (step_valid_o) begin
        p_slots: assert ((LimitW + 1)'(own_q) + (LimitW + 1)'(other_q) <= (LimitW + 1)'(Blocks));
        p_needs_history: assert (primed_q);
      end
      if (state_q == Place) begin
        x_own:   assert (own_q <= NoLimit && (first || (LimitW + 1)'(own_q) == (LimitW + 1)'(own) + (LimitW + 1)'(1)));
        x_other: assert (other_q <= other && (!first || other_q == '0));
        x_slots: assert ((LimitW + 1)'(own_q) + (LimitW + 1)'(other_q) <= (LimitW + 1)'(Blocks));
        x_primed: assert (primed_q);
        // Equation 1: what is placed fits the SM.
        p_fits:  assert (&f_right);
      end
      // A period starts with as many thread blocks as the limits, and not while it is deferred.
      if (open_o) p_open: assert (state_q == Wait && !defer_i && full && used != '0);
      // A period ends with the last of the thread blocks that ran at its start.
      p_mark:    assert (mark_q == f_mark && (mark_q & ~used) == '0);
      if (close_o) p_close: assert (state_q == Sample && (f_mark & ~gone) == '0);
      if (state_q == Judge) x_bit: assert (bit_q <= LastBit && (bit_q != '0 || sum_q == '0));
      // The history moves towards the period.
      p_history: assert (&f_mixed);
    end
  end
`endif
