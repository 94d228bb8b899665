// SPDX-License-Identifier: Apache-2.0
// Learns which of two kernels' thread blocks bypass the L1D of an SM, and how many (Liang17, section 4.4).
//
// It tries one thread block of each kernel for a sampling period, keeps the kernel whose period had fewest stalls, and adds thread
// blocks of it as long as the stalls fall.  A thread block gets its tag when it starts: 1 if fewer run with a tag than are to.
//
// Timing: launch_tag_o is combinational from the launch, and by_*_o and defer_o from the limits.  Of a start, a stop and the end of a period, the
// first counts; launches and ends of thread blocks always do.
// Parameters: Blocks slots of the SM; StallW bits of a period's stalls.
`include "mt_assert.svh"

module mt_bypass_learner #(
  parameter int Blocks = 16,                       // slots of the SM for thread blocks
  parameter int StallW = 32,                       // bits of a period's stalls
  localparam int LimitW = $clog2(Blocks + 1)
) (
  input  wire logic              clk_i,            // clock, rising edge
  input  wire logic              rst_ni,           // synchronous reset, active low

  input  wire logic              start_valid_i,    // both kernels run from now on: learning starts
  input  wire logic              stop_valid_i,     // a kernel has ended: no new thread block bypasses
  input  wire logic [LimitW-1:0] limit_a_i,        // thread blocks of kernel A that the SM may hold
  input  wire logic [LimitW-1:0] limit_b_i,        // likewise kernel B
  input  wire logic              period_valid_i,   // a sampling period ends with this cycle
  input  wire logic [StallW-1:0] period_stalls_i,  // its stalls, structural and of memory
  input  wire logic              launch_valid_i,   // a thread block starts
  input  wire logic              launch_kernel_i,  // of kernel A: 0, B: 1
  input  wire logic              finish_valid_i,   // a thread block is finished
  input  wire logic              finish_kernel_i,  // of kernel A: 0, B: 1
  input  wire logic              finish_tag_i,     // its tag

  output logic                   launch_tag_o,     // tag of the thread block that starts: it bypasses the L1D
  output logic [LimitW-1:0]      by_a_o,           // thread blocks of kernel A that are to bypass
  output logic [LimitW-1:0]      by_b_o,           // likewise kernel B; one of them is 0
  output logic [LimitW-1:0]      cur_a_o,          // thread blocks of kernel A that run with a tag
  output logic [LimitW-1:0]      cur_b_o,          // likewise kernel B
  output logic                   defer_o,          // these are other numbers: a sampling period is not to start
  output logic                   done_o,           // the number is learnt
  output logic                   error_o           // enum bypass_learner_error, until reset
);
  `MT_PARAM_CHECK(g_illegal_blocks, Blocks >= 2 && Blocks <= 64)
  `MT_PARAM_CHECK(g_illegal_stall_w, StallW >= 1 && StallW <= 32)

  localparam logic [2:0] Off  = 3'd0;
  localparam logic [2:0] None = 3'd1;
  localparam logic [2:0] A    = 3'd2;
  localparam logic [2:0] B    = 3'd3;
  localparam logic [2:0] More = 3'd4;
  localparam logic [2:0] Done = 3'd5;
  localparam logic ErrorFinish = 1'd1;

  logic [2:0]        state_q, state_d;
  logic              kernel_q, kernel_d;
  logic [LimitW-1:0] by_q, by_d, cur_a_q, cur_b_q, cur_a_d, cur_b_d;
  logic [StallW-1:0] best_q;
  logic              a_best_q;
  logic              error_q, error_d;

  // ---- tags: never more than the limits in force
  logic [LimitW-1:0] limit_mine, by;
  logic              tag_a, tag_b, less_a, less_b;

  assign limit_mine   = kernel_q ? limit_b_i : limit_a_i;
  assign by           = (by_q < limit_mine) ? by_q : limit_mine;
  assign by_a_o       = kernel_q ? '0 : by;
  assign by_b_o       = kernel_q ? by : '0;
  assign tag_a        = launch_valid_i & ~launch_kernel_i & (cur_a_q < by_a_o);
  assign tag_b        = launch_valid_i & launch_kernel_i & (cur_b_q < by_b_o);
  assign less_a       = finish_valid_i & finish_tag_i & ~finish_kernel_i;
  assign less_b       = finish_valid_i & finish_tag_i & finish_kernel_i;
  assign launch_tag_o = tag_a | tag_b;
  assign cur_a_d      = cur_a_q - LimitW'(less_a && cur_a_q != '0) + LimitW'(tag_a);
  assign cur_b_d      = cur_b_q - LimitW'(less_b && cur_b_q != '0) + LimitW'(tag_b);
  assign cur_a_o      = cur_a_q;
  assign cur_b_o      = cur_b_q;
  assign defer_o      = (cur_a_q != by_a_o) | (cur_b_q != by_b_o);
  assign done_o       = state_q == Done;

  // ---- the end of a period: fewest stalls so far?  A kernel without a thread block on the SM is not tried.
  logic              no_a, no_b, smaller, decides, choose, chosen, ends, learns;
  logic [LimitW-1:0] limit_next;

  assign no_a       = limit_a_i == '0;
  assign no_b       = limit_b_i == '0;
  assign ends       = period_valid_i & ~start_valid_i & ~stop_valid_i;
  assign learns     = ends & (state_q != Off) & (state_q != Done);
  assign smaller    = period_stalls_i < best_q;
  assign decides    = (state_q == B) | ((state_q == A) & no_b) | ((state_q == None) & no_a & no_b);
  assign choose     = (state_q != None) & (smaller | ((state_q == B) & a_best_q));
  assign chosen     = (state_q == B) & smaller;
  assign limit_next = ((state_q == More) ? kernel_q : chosen) ? limit_b_i : limit_a_i;

  always_comb begin
    state_d  = state_q;
    kernel_d = kernel_q;
    by_d     = by_q;
    if (start_valid_i || stop_valid_i) begin
      state_d  = start_valid_i ? None : Off;
      kernel_d = 1'b0;
      by_d     = '0;
    end else if (learns && state_q == More) begin
      if (!smaller) begin
        state_d = Done;
        by_d    = (by_q == '0) ? '0 : by_q - 1;
      end else if (by_q < limit_next) begin
        by_d    = by_q + 1;
      end else begin
        state_d = Done;
      end
    end else if (learns && decides) begin
      state_d  = (choose && limit_next > 1) ? More : Done;
      kernel_d = choose & chosen;
      by_d     = !choose ? '0 : (limit_next > 1) ? 2 : 1;
    end else if (learns) begin
      state_d  = (state_q == None && !no_a) ? A : B;
      kernel_d = (state_q != None) | no_a;
      by_d     = 1;
    end
  end

  // ---- errors
  logic bad_finish;
  assign bad_finish = (less_a & (cur_a_q == '0)) | (less_b & (cur_b_q == '0));
  mt_sticky_error #(.Width(1)) u_error (
    .error_i (error_q),
    .found_i (bad_finish ? ErrorFinish : 1'd0),
    .error_o (error_d)
  );
  assign error_o = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Off;
      kernel_q <= 1'b0;
      by_q     <= '0;
      cur_a_q  <= '0;
      cur_b_q  <= '0;
      best_q   <= '0;
      a_best_q <= 1'b0;
      error_q  <= '0;
    end else begin
      state_q  <= state_d;
      kernel_q <= kernel_d;
      by_q     <= by_d;
      cur_a_q  <= cur_a_d;
      cur_b_q  <= cur_b_d;
      error_q  <= error_d;
      if (learns) begin
        a_best_q <= (state_q == A) & smaller;
        if (smaller || state_q == None) best_q <= period_stalls_i;
      end
    end
  end

`ifdef FORMAL
  `define MT_BYPASS_LEARNER_PROPERTIES
  `include "mt_bypass_learner_formal.sv"
  `undef MT_BYPASS_LEARNER_PROPERTIES
`endif
endmodule
