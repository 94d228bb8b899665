// SPDX-License-Identifier: Apache-2.0
// Learns how many thread blocks of each of two kernels an SM holds (Liang17, section 4.3).
//
// A sampling period starts when exactly Tb_A and Tb_B thread blocks run and ends when all of these are finished.  Then the
// utilisation of both pipelines is compared with its history, and the kernel that uses the critical one gets one thread block more.
//
// Timing: limits are registers.  A judgement takes 4 * (CountW + 1) cycles, one bit of two products in each, and a change one cycle more
// than there are thread blocks to place.  No thread block is launched or finished unseen meanwhile, but no period starts.  Of a start, a
// stop and the rest of a cycle the first counts; launches and ends always do.
// Parameters: Blocks slots, as a limit: none; CountW and ResW are widths; the newest period weighs 2^-Shift in the history.
`include "mt_assert.svh"

module mt_tlp_modulator #(
  parameter int Blocks = 16,                      // slots of the SM for thread blocks; as a limit: none
  parameter int CountW = 32,                      // bits of the counts of a period
  parameter int ResW   = 21,                      // bits of an amount of a resource
  parameter int Shift  = 1,                       // the newest period's weight in the history is 2^-Shift
  localparam int LimitW = $clog2(Blocks + 1)
) (
  input  wire logic              clk_i,           // clock, rising edge
  input  wire logic              rst_ni,          // synchronous reset, active low

  input  wire logic              start_valid_i,   // both kernels run from now on: a new pair
  input  wire logic [LimitW-1:0] start_a_i,       // its initial limit of kernel A
  input  wire logic [LimitW-1:0] start_b_i,       // and of kernel B
  input  wire logic              stop_valid_i,    // a kernel has ended: the other one may take the whole SM
  input  wire logic              stop_kernel_i,   // which has: 0: A, 1: B
  input  wire logic              launch_valid_i,  // thread blocks start in this cycle
  input  wire logic [Blocks-1:0] launch_a_i,      // slots of those of kernel A, one bit each
  input  wire logic [Blocks-1:0] launch_b_i,      // slots of those of kernel B
  input  wire logic              finish_valid_i,  // thread blocks finish in this cycle
  input  wire logic [Blocks-1:0] finish_i,        // their slots
  input  wire logic [3*ResW-1:0] need_a_i,        // demand of a thread block of kernel A: warps (lowest), registers, shared memory
  input  wire logic [3*ResW-1:0] need_b_i,        // the same of kernel B
  input  wire logic [3*ResW-1:0] have_i,          // capacity of the SM, in the same order
  input  wire logic              hold_i,          // periods pass, but the limits and the history stay
  input  wire logic              defer_i,         // no period starts: the thread blocks that run are not yet as it is to have them
  input  wire logic [CountW-1:0] cycles_i,        // cycles since open_o; these counts stay from close_o to the next open_o
  input  wire logic [CountW-1:0] sp_a_i,          // of the SP pipelines since open_o: busy cycles with kernel A
  input  wire logic [CountW-1:0] sp_b_i,          // with kernel B
  input  wire logic [CountW-1:0] ldst_a_i,        // of the LD/ST pipeline: busy cycles with kernel A
  input  wire logic [CountW-1:0] ldst_b_i,        // with kernel B

  output logic [LimitW-1:0]      limit_a_o,       // thread blocks of kernel A that the SM may hold
  output logic [LimitW-1:0]      limit_b_o,       // likewise kernel B
  output logic                   open_o,          // a period starts: counts are from the next cycle on
  output logic                   close_o,         // a period ends with this cycle
  output logic                   step_valid_o,    // the limits change at this clock edge
  output logic                   step_kernel_o,   // with it: the kernel that gets one thread block more; else 0
  output logic [1:0]             error_o          // enum tlp_modulator_error, the first one, until reset
);
  `MT_PARAM_CHECK(g_illegal_blocks, Blocks >= 2 && Blocks <= 64)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 2 && CountW <= 32)
  `MT_PARAM_CHECK(g_illegal_res_w, ResW >= 1 && ResW <= 21)
  `MT_PARAM_CHECK(g_illegal_shift, Shift >= 1 && Shift <= 4)

  localparam int PadW = 1 << $clog2(Blocks);
  localparam int OnesW = $clog2(PadW) + 1;
  localparam int SumW = CountW + 2;
  localparam int BitW = $clog2(CountW + 1);
  localparam logic [LimitW-1:0] NoLimit = LimitW'(Blocks);
  localparam logic [BitW-1:0]   LastBit = BitW'(CountW);

  localparam logic [2:0] Off    = 3'd0;
  localparam logic [2:0] Wait   = 3'd1;
  localparam logic [2:0] Sample = 3'd2;
  localparam logic [2:0] Judge  = 3'd3;
  localparam logic [2:0] Place  = 3'd4;
  localparam logic [1:0] SpFalls    = 2'd0;
  localparam logic [1:0] LdstFalls  = 2'd1;
  localparam logic [1:0] SpCritical = 2'd2;
  localparam logic [1:0] APrefers   = 2'd3;
  localparam logic [1:0] ErrorLaunch = 2'd1;
  localparam logic [1:0] ErrorFinish = 2'd2;

  logic [2:0]        state_q, state_d;
  logic [LimitW-1:0] limit_a_q, limit_b_q, limit_a_d, limit_b_d;
  logic [Blocks-1:0] used_a_q, used_b_q, mark_q, used_a_d, used_b_d, mark_d;
  logic              primed_q;
  logic [CountW-1:0] cycles_q, sp_a_q, sp_b_q, ldst_a_q, ldst_b_q;
  logic [1:0]        test_q;
  logic [BitW-1:0]   bit_q;
  logic [SumW-1:0]   sum_q;
  logic [2:0]        holds_q;
  logic              winner_q;
  logic [LimitW-1:0] own_q, other_q;
  logic [3*ResW-1:0] left_q;
  logic [1:0]        error_q, error_d;

  // ---- slots and periods
  logic [Blocks-1:0] gone, used;
  logic [OnesW-1:0]  ones_a, ones_b;
  logic              full, quiet;

  assign gone     = {Blocks{finish_valid_i}} & finish_i;
  assign used     = used_a_q | used_b_q;
  assign used_a_d = (used_a_q & ~gone) | ({Blocks{launch_valid_i}} & launch_a_i);
  assign used_b_d = (used_b_q & ~gone) | ({Blocks{launch_valid_i}} & launch_b_i);
  mt_popcount #(.Width(PadW)) u_ones_a (.vector_i(PadW'(used_a_q)), .count_o(ones_a));
  mt_popcount #(.Width(PadW)) u_ones_b (.vector_i(PadW'(used_b_q)), .count_o(ones_b));

  assign quiet   = ~start_valid_i & ~stop_valid_i;
  assign full    = ones_a == OnesW'(limit_a_q) && ones_b == OnesW'(limit_b_q);
  assign open_o  = (state_q == Wait) & full & (|used) & ~defer_i & quiet;
  assign mark_d  = (open_o ? used : mark_q) & ~gone;
  assign close_o = (state_q == Sample) & (mark_d == '0) & quiet;

  // ---- the judgement: is x * y at least z * v?  A bit of y and v in a cycle, the lowest first.  Dropping the lowest bit of the
  // difference rounds it down, which keeps its sign.
  logic [CountW:0] sp, ldst, sp_his, ldst_his;
  logic [CountW:0] x, y, z, v;
  logic [SumW:0]   sum;
  logic            y_bit, v_bit, last_bit, holds, judged, moves, winner;

  assign sp       = sp_a_i + sp_b_i;
  assign ldst     = ldst_a_i + ldst_b_i;
  assign sp_his   = sp_a_q + sp_b_q;
  assign ldst_his = ldst_a_q + ldst_b_q;

  always_comb begin
    case (test_q)
      SpFalls: begin
        x = sp_his;
        y = (CountW + 1)'(cycles_i);
        z = sp;
        v = (CountW + 1)'(cycles_q);
      end
      LdstFalls: begin
        x = ldst_his;
        y = (CountW + 1)'(cycles_i);
        z = ldst;
        v = (CountW + 1)'(cycles_q);
      end
      SpCritical: begin
        x = ldst;
        y = sp_his;
        z = sp;
        v = ldst_his;
      end
      default: begin
        x = (CountW + 1)'(sp_a_q);
        y = (CountW + 1)'(ldst_b_q);
        z = (CountW + 1)'(sp_b_q);
        v = (CountW + 1)'(ldst_a_q);
      end
    endcase
  end

  assign y_bit    = 1'(y >> bit_q);
  assign v_bit    = 1'(v >> bit_q);
  assign sum      = {sum_q[SumW-1], sum_q} + (y_bit ? (SumW + 1)'(x) : '0) - (v_bit ? (SumW + 1)'(z) : '0);
  assign holds    = ~sum[SumW];
  assign last_bit = bit_q == LastBit;
  assign judged   = (state_q == Judge) & last_bit & (test_q == APrefers);
  assign moves    = primed_q & (holds_q[SpFalls] | holds_q[LdstFalls]);
  // The kernel that prefers the critical pipeline: A if equal where that is SP, B where it is LD/ST.
  assign winner   = holds ^ holds_q[SpCritical];

  // ---- the change: the winner's thread blocks and one more into an empty SM, then those of the other as long as they fit
  logic              first, fits, refused, more;
  logic [LimitW-1:0] own, other;
  logic [3*ResW-1:0] need, left;
  logic [2:0]        enough;

  assign own     = winner_q ? limit_b_q : limit_a_q;
  assign other   = winner_q ? limit_a_q : limit_b_q;
  assign first   = own_q <= own;
  assign need    = (first == winner_q) ? need_b_i : need_a_i;
  for (genvar r = 0; r < 3; r++) begin : g_resource
    assign enough[r]            = left_q[r*ResW +: ResW] >= need[r*ResW +: ResW];
    assign left[r*ResW +: ResW] = left_q[r*ResW +: ResW] - need[r*ResW +: ResW];
  end
  assign fits    = (&enough) && own_q + other_q < (LimitW + 1)'(Blocks) && (first || other_q < other);
  assign refused = first || (other_q == '0 && other != '0);
  assign more    = (state_q == Place) & fits;

  assign step_valid_o  = (state_q == Place) & ~fits & ~refused & quiet;
  assign step_kernel_o = step_valid_o & winner_q;

  // ---- state, limits, errors
  assign state_d = start_valid_i ? Wait : stop_valid_i ? Off : open_o ? Sample : close_o ? (hold_i ? Wait : Judge) :
                   judged ? (moves ? Place : Wait) : (state_q == Place && !fits) ? Wait : state_q;

  always_comb begin
    limit_a_d = limit_a_q;
    limit_b_d = limit_b_q;
    if (start_valid_i) begin
      limit_a_d = start_a_i;
      limit_b_d = start_b_i;
    end else if (stop_valid_i) begin
      limit_a_d = stop_kernel_i ? NoLimit : '0;
      limit_b_d = stop_kernel_i ? '0 : NoLimit;
    end else if (step_valid_o) begin
      limit_a_d = winner_q ? other_q : own_q;
      limit_b_d = winner_q ? own_q : other_q;
    end
  end

  logic [Blocks-1:0] twice;
  logic              bad_launch, bad_finish;
  assign twice      = ((launch_a_i | launch_b_i) & used & ~gone) | (launch_a_i & launch_b_i);
  assign bad_launch = launch_valid_i & (|twice);
  assign bad_finish = |(gone & ~used);
  mt_sticky_error u_error (
    .error_i (error_q),
    .found_i (bad_launch ? ErrorLaunch : bad_finish ? ErrorFinish : 2'd0),
    .error_o (error_d)
  );

  assign limit_a_o = limit_a_q;
  assign limit_b_o = limit_b_q;
  assign error_o   = error_q;

  // ---- the history: (2^Shift - 1 old ones and the period) / 2^Shift, or the first period alone
  logic [5*CountW-1:0] history, period, mixed;

  assign history = {ldst_b_q, ldst_a_q, sp_b_q, sp_a_q, cycles_q};
  assign period  = {ldst_b_i, ldst_a_i, sp_b_i, sp_a_i, cycles_i};
  for (genvar i = 0; i < 5; i++) begin : g_mixed
    logic [CountW+Shift-1:0] old, weighed;
    assign old                       = (CountW + Shift)'(history[i*CountW +: CountW]);
    assign weighed                   = (old << Shift) - old + (CountW + Shift)'(period[i*CountW +: CountW]);
    assign mixed[i*CountW +: CountW] = primed_q ? CountW'(weighed >> Shift) : period[i*CountW +: CountW];
  end

  logic take;
  assign take = judged & quiet;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= Off;
      limit_a_q <= NoLimit;
      limit_b_q <= NoLimit;
      used_a_q  <= '0;
      used_b_q  <= '0;
      mark_q    <= '0;
      primed_q  <= 1'b0;
      cycles_q  <= '0;
      sp_a_q    <= '0;
      sp_b_q    <= '0;
      ldst_a_q  <= '0;
      ldst_b_q  <= '0;
      test_q    <= '0;
      bit_q     <= '0;
      sum_q     <= '0;
      holds_q   <= '0;
      winner_q  <= 1'b0;
      own_q     <= '0;
      other_q   <= '0;
      left_q    <= '0;
      error_q   <= '0;
    end else begin
      state_q   <= state_d;
      limit_a_q <= limit_a_d;
      limit_b_q <= limit_b_d;
      used_a_q  <= used_a_d;
      used_b_q  <= used_b_d;
      mark_q    <= mark_d;
      primed_q  <= ~start_valid_i & (primed_q | take);
      error_q   <= error_d;
      if (take) {ldst_b_q, ldst_a_q, sp_b_q, sp_a_q, cycles_q} <= mixed;
      if (close_o) begin
        test_q  <= '0;
        bit_q   <= '0;
        sum_q   <= '0;
        holds_q <= '0;
      end else if (state_q == Judge) begin
        test_q <= test_q + last_bit;
        bit_q  <= last_bit ? '0 : bit_q + 1;
        sum_q  <= last_bit ? '0 : sum[SumW:1];
        if (last_bit) holds_q <= holds_q | 3'(4'(holds) << test_q);
      end
      if (judged) begin
        winner_q <= winner;
        own_q    <= '0;
        other_q  <= '0;
        left_q   <= have_i;
      end else if (more) begin
        own_q   <= own_q + LimitW'(first);
        other_q <= other_q + LimitW'(!first);
        left_q  <= left;
      end
    end
  end

`ifdef FORMAL
  `define MT_TLP_MODULATOR_PROPERTIES
  `include "mt_tlp_modulator_formal.sv"
  `undef MT_TLP_MODULATOR_PROPERTIES
`endif
endmodule
