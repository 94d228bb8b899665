// SPDX-License-Identifier: Apache-2.0
// Lost-locality detector and load gating of cache-conscious wavefront scheduling, CCWS (Khairy15, section 4.2, table 4).
//
// Each warp has a small array of the tags that the L1D evicted of its lines.  A miss that hits in its warp's array is lost
// locality and raises the warp's score; scores fall by one a cycle.  A warp may issue loads if the scores of the warps that come
// before it, higher score first, then older, sum up to less than the cutoff.
//
// Timing: lookup and write of the arrays in the cycle of the event.  The score to which warps rise takes ScoreW + 2 cycles of a
// serial divider and waits for the end of a walk.  A walk over the warps, one a cycle, renews gated_o.  Order within a cycle: a
// miss is looked up; a tag is written; scores fall; scores rise; a warp starts or ends.
// Parameters: Warps, Ways, Entries and TagW set the arrays, KThrottle and BaseScore the scores.
`include "mt_assert.svh"

module mt_lost_locality #(
  parameter int Warps     = 48,                  // warp slots of the SM
  parameter int Ways      = 8,                   // ways of a victim tag array
  parameter int Entries   = 16,                  // tags of a victim tag array, one array a warp; Entries / Ways is a power of two up to 8
  parameter int TagW      = 32,                  // bits of a tag; the line address may serve as tag
  parameter int KThrottle = 8,                   // throttling strength: factor of the lost-locality score
  parameter int BaseScore = 100,                 // score of a warp without lost locality; the cutoff is this for each warp present
  parameter int ScoreW    = 16,                  // bits of a score; it saturates; BaseScore must fit
  parameter int CountW    = 20,                  // bits of the counters of lost locality and instructions; both halve when one is full
  localparam int WarpW = (Warps > 1) ? $clog2(Warps) : 1
) (
  input  wire logic              clk_i,          // clock, rising edge
  input  wire logic              rst_ni,         // synchronous reset, active low

  input  wire logic              warp_valid_i,   // a warp starts or ends
  input  wire logic              warp_start_i,   // it starts; else it ends
  input  wire logic [WarpW-1:0]  warp_number_i,  // its slot
  input  wire logic              issue_valid_i,  // warp instructions issue
  input  wire logic [2:0]        issue_count_i,  // how many

  input  wire logic              miss_valid_i,   // a load misses in the L1D and is not merged
  input  wire logic [WarpW-1:0]  miss_warp_i,    // its warp
  input  wire logic [TagW-1:0]   miss_tag_i,     // its tag
  output logic                   lost_o,         // the miss hits in the victim tags of its warp: lost locality
  input  wire logic              evict_valid_i,  // a line is evicted from the L1D
  input  wire logic [WarpW-1:0]  evict_warp_i,   // the warp that brought it; ignored if it is not present
  input  wire logic [TagW-1:0]   evict_tag_i,    // its tag

  output logic [Warps-1:0]       gated_o,        // warps that may not issue loads, one bit each
  output logic                   raise_valid_o,  // scores rise at this clock edge
  output logic [ScoreW-1:0]      raise_score_o,  // the score that they rise to, if it is above theirs; else 0
  output logic [1:0]             error_o         // enum lost_locality_error, the first one, until reset
);
  localparam int Sets     = Entries / Ways;
  localparam int SetBits  = $clog2(Sets);
  localparam int SetW     = (Sets > 1) ? SetBits : 1;
  localparam int Rows     = Warps * Sets;
  localparam int RowW     = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int WayW     = (Ways > 1) ? $clog2(Ways) : 1;
  localparam int NumberW  = $clog2(Warps + 1);
  localparam int CutoffW  = $clog2(Warps * BaseScore + 1);
  localparam int FactorW  = $clog2(Warps * KThrottle * BaseScore + 1);
  localparam int ProductW = CountW + FactorW;
  localparam int RestW    = (ProductW > CountW + ScoreW) ? ProductW - ScoreW : CountW;
  localparam int AddW     = ((CutoffW > ScoreW) ? CutoffW : ScoreW) + 1;
  localparam int StepW    = $clog2(ScoreW + 3);
  localparam logic [StepW-1:0]  Check = 1, Done = StepW'(ScoreW + 2);
  localparam logic [ScoreW-1:0] Base  = ScoreW'(BaseScore);
  localparam logic [1:0] ErrorStart = 2'd1, ErrorAbsent = 2'd2;

  `MT_PARAM_CHECK(g_illegal_warps, Warps >= 1 && Warps <= 64)
  `MT_PARAM_CHECK(g_illegal_ways, Ways >= 1 && Ways <= 16)
  `MT_PARAM_CHECK(g_illegal_entries, Entries == Sets * Ways && Sets >= 1 && Sets <= 8 && (Sets & (Sets - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_tag_w, TagW >= 3 && TagW <= 32)
  `MT_PARAM_CHECK(g_illegal_k_throttle, KThrottle >= 1 && KThrottle <= 64)
  `MT_PARAM_CHECK(g_illegal_base_score, BaseScore >= 1 && BaseScore <= 1023 && BaseScore < (1 << ScoreW))
  `MT_PARAM_CHECK(g_illegal_score_w, ScoreW >= 2 && ScoreW <= 20)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 3 && CountW <= 24)

  logic [Warps-1:0]   present_q, present_d, pending_q, pending_d, raising_q, raising_d, gated_q, gated_d;
  logic [NumberW-1:0] count_q, count_d;
  logic [CountW-1:0]  lost_q, lost_d, issued_q, issued_d, divisor_q, divisor_d;
  logic [StepW-1:0]   step_q, step_d;
  logic [RestW-1:0]   rest_q, rest_d;
  logic [ScoreW-1:0]  quotient_q, quotient_d;
  logic               walk_q, walk_d;
  logic [WarpW-1:0]   turn_q, turn_d;
  logic [1:0]         error_q, error_d;
  (* mem2reg *)
  logic [ScoreW-1:0]  score_q [Warps];
  (* mem2reg *)
  logic [WarpW-1:0]   rank_q [Warps];
  (* mem2reg *)
  logic [CutoffW-1:0] sum_q [Warps];
  (* mem2reg *)
  logic [Ways-1:0]    valid_q [Rows];
  (* mem2reg *)
  logic [WayW-1:0]    next_q [Rows];
  logic [Ways*TagW-1:0] tags_q [Rows];

  // ---- events of warps that are present, one bit each
  logic [Warps-1:0] named, starts, ends, misses, evicts;
  logic             start, finish, miss, evict, bad_start, bad_absent;

  generate
    for (genvar i = 0; i < Warps; i++) begin : g_event
      assign named[i]  = warp_valid_i & (warp_number_i == i);
      assign starts[i] = named[i] & warp_start_i & ~present_q[i];
      assign ends[i]   = named[i] & ~warp_start_i & present_q[i];
      assign misses[i] = miss_valid_i & present_q[i] & (miss_warp_i == i);
      assign evicts[i] = evict_valid_i & present_q[i] & (evict_warp_i == i);
    end
  endgenerate
  assign start      = |starts;
  assign finish     = |ends;
  assign miss       = |misses;
  assign evict      = |evicts;
  assign bad_start  = warp_valid_i & warp_start_i & ~start;
  assign bad_absent = (warp_valid_i & ~warp_start_i & ~finish) | (miss_valid_i & ~miss);
  assign present_d  = (present_q | starts) & ~ends;
  assign count_d    = count_q + NumberW'(start) - NumberW'(finish);
  mt_sticky_error u_error (.error_i(error_q), .found_i(bad_start ? ErrorStart : bad_absent ? ErrorAbsent : 2'd0), .error_o(error_d));

  // ---- victim tags: the miss looks its set up, the eviction replaces the next way of its set
  logic [RowW-1:0]      miss_row, evict_row;
  logic [Ways*TagW-1:0] miss_tags, evict_tags, evict_new;
  logic [Ways-1:0]      miss_valids, match, placed;
  logic [WayW-1:0]      way, way_next;

  generate
    if (Sets > 1) begin : g_sets
      assign miss_row  = miss ? (RowW'(miss_warp_i) << SetBits) | RowW'(miss_tag_i[SetW-1:0]) : '0;
      assign evict_row = evict ? (RowW'(evict_warp_i) << SetBits) | RowW'(evict_tag_i[SetW-1:0]) : '0;
    end else begin : g_one_set
      assign miss_row  = miss ? RowW'(miss_warp_i) : '0;
      assign evict_row = evict ? RowW'(evict_warp_i) : '0;
    end
    for (genvar k = 0; k < Ways; k++) begin : g_way
      assign match[k]  = miss & miss_valids[k] & (miss_tags[k*TagW +: TagW] == miss_tag_i);
      assign placed[k] = evict & (way == k);
      assign evict_new[k*TagW +: TagW] = placed[k] ? evict_tag_i : evict_tags[k*TagW +: TagW];
    end
  endgenerate
  assign miss_tags  = tags_q[miss_row];
  assign evict_tags = tags_q[evict_row];
  assign way_next   = (way == WayW'(Ways - 1)) ? '0 : way + 1;
  assign lost_o     = |match;

  // OR trees, as in mt_onehot_mux: a chain of selections would be as long as there are rows.
  always_comb begin
    miss_valids = '0;
    way         = '0;
    for (int r = 0; r < Rows; r++) begin
      miss_valids = miss_valids | (valid_q[r] & {Ways{miss_row == RowW'(r)}});
      way         = way | (next_q[r] & {WayW{evict_row == RowW'(r)}});
    end
  end

  generate
    for (genvar r = 0; r < Rows; r++) begin : g_row
      logic [Ways-1:0] hit, filled, valid_d;
      assign hit     = (miss_row == r) ? match : '0;
      assign filled  = (evict_row == r) ? placed : '0;
      assign valid_d = ends[r/Sets] ? '0 : (valid_q[r] & ~hit) | filled;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          valid_q[r] <= '0;
          next_q[r]  <= '0;
        end else begin
          valid_q[r] <= valid_d;
          if (evict && evict_row == r) next_q[r] <= way_next;
        end
      end
    end
  endgenerate

  // Valid only with valid_q: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && evict) tags_q[evict_row] <= evict_new;
  end

  // ---- counters; when one is full, both halve, which keeps their ratio; without warps both are 0
  logic [CountW:0] lost_sum, issued_sum;
  logic [2:0]      issues;
  logic            halve;

  assign issues     = issue_valid_i ? issue_count_i : '0;
  assign lost_sum   = {1'b0, lost_q} + (CountW+1)'(lost_o);
  assign issued_sum = {1'b0, issued_q} + (CountW+1)'(issues);
  assign halve      = lost_sum[CountW] | issued_sum[CountW];
  assign lost_d     = (count_d == '0) ? '0 : halve ? lost_sum[CountW:1] : lost_sum[CountW-1:0];
  assign issued_d   = (count_d == '0) ? '0 : halve ? issued_sum[CountW:1] : issued_sum[CountW-1:0];

  // ---- the division: VtaHits * KThrottle * cutoff / instructions, one for all warps that wait when it starts
  logic                divide, apply, last, fits;
  logic [FactorW-1:0]  factor;
  logic [ProductW-1:0] product;
  logic [CountW:0]     row;

  assign factor  = FactorW'(count_q) * FactorW'(KThrottle * BaseScore);
  assign product = ProductW'(lost_q) * ProductW'(factor);
  assign divide  = (step_q == '0) & (|pending_q);
  assign apply   = (step_q == Done) & (~walk_q | last);
  assign row     = {rest_q[CountW-1:0], quotient_q[ScoreW-1]};
  assign fits    = row >= {1'b0, divisor_q};

  always_comb begin
    step_d     = step_q;
    rest_d     = rest_q;
    quotient_d = quotient_q;
    divisor_d  = divisor_q;
    if (divide) begin
      step_d     = Check;
      rest_d     = RestW'(product >> ScoreW);
      quotient_d = ScoreW'(product);
      divisor_d  = issued_q;
    end else if (step_q == Check) begin
      // A quotient of more than ScoreW bits saturates.
      if (rest_q >= RestW'(divisor_q)) begin
        step_d     = Done;
        quotient_d = '1;
      end else begin
        step_d = step_q + 1;
      end
    end else if (step_q != '0 && step_q < Done) begin
      step_d     = step_q + 1;
      rest_d     = fits ? RestW'(row) - RestW'(divisor_q) : RestW'(row);
      quotient_d = (quotient_q << 1) | ScoreW'(fits);
    end else if (apply) begin
      step_d = '0;
    end
  end

  assign pending_d = ((divide ? '0 : pending_q) | (misses & {Warps{lost_o}})) & ~ends;
  assign raising_d = (divide ? pending_q : apply ? '0 : raising_q) & ~ends;
  assign raise_valid_o = apply;
  assign raise_score_o = apply ? quotient_q : '0;

  // ---- the walk: in each cycle, the score of one warp is added to the sums of the warps behind it
  logic [Warps-1:0]   raised, beyond;
  logic [ScoreW-1:0]  turn_score;
  logic [WarpW-1:0]   turn_rank, ends_rank;
  logic               turn_present;
  logic [CutoffW-1:0] cutoff;

  assign last   = walk_q & (turn_q == WarpW'(Warps - 1));
  assign cutoff = CutoffW'(count_q) * CutoffW'(BaseScore);
  assign walk_d = (walk_q & ~last) | (|raised);
  assign turn_d = (walk_q && !last) ? turn_q + 1 : '0;
  assign gated_d = (last ? present_q & beyond : (walk_q || (|raised)) ? gated_q : '0) & ~ends;

  always_comb begin
    turn_score   = '0;
    turn_rank    = '0;
    turn_present = 1'b0;
    ends_rank    = '0;
    for (int i = 0; i < Warps; i++) begin
      turn_score   = turn_score | (score_q[i] & {ScoreW{turn_q == WarpW'(i)}});
      turn_rank    = turn_rank | (rank_q[i] & {WarpW{turn_q == WarpW'(i)}});
      turn_present = turn_present | (present_q[i] & (turn_q == WarpW'(i)));
      ends_rank    = ends_rank | (rank_q[i] & {WarpW{ends[i]}});
    end
  end

  generate
    for (genvar i = 0; i < Warps; i++) begin : g_warp
      logic               behind;
      logic [AddW-1:0]    added;
      logic [CutoffW-1:0] sum;
      logic [ScoreW-1:0]  fallen, risen;
      assign raised[i] = {1'b0, score_q[i]} > {1'b0, Base};  // a bit more: Base may be the highest score
      assign behind    = walk_q & turn_present & present_q[i]
                       & ((turn_score > score_q[i]) | ((turn_score == score_q[i]) & (turn_rank < rank_q[i])));
      assign added     = AddW'(sum_q[i]) + AddW'(turn_score);
      assign sum       = !behind ? sum_q[i] : ((added >> CutoffW) != '0) ? '1 : CutoffW'(added);
      assign beyond[i] = sum >= cutoff;
      assign fallen    = score_q[i] - ScoreW'(raised[i]);
      assign risen     = (apply && raising_q[i] && quotient_q > fallen) ? quotient_q : fallen;

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          score_q[i] <= Base;
          rank_q[i]  <= '0;
          sum_q[i]   <= '0;
        end else begin
          score_q[i] <= (starts[i] | ends[i]) ? Base : risen;
          rank_q[i]  <= starts[i] ? WarpW'(count_q) : rank_q[i] - WarpW'(finish && present_q[i] && rank_q[i] > ends_rank);
          sum_q[i]   <= (last || !walk_q) ? '0 : sum;
        end
      end
    end
  endgenerate

  // A warp's end may leave gated warps only, until the next walk: none is gated then.
  assign gated_o = ((present_q & ~gated_q) == '0) ? '0 : gated_q;
  assign error_o = error_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      present_q <= '0;
      count_q   <= '0;
      lost_q    <= '0;
      issued_q  <= '0;
      pending_q <= '0;
      raising_q <= '0;
      step_q    <= '0;
      walk_q    <= 1'b0;
      turn_q    <= '0;
      gated_q   <= '0;
      error_q   <= '0;
    end else begin
      present_q <= present_d;
      count_q   <= count_d;
      lost_q    <= lost_d;
      issued_q  <= issued_d;
      pending_q <= pending_d;
      raising_q <= raising_d;
      step_q    <= step_d;
      walk_q    <= walk_d;
      turn_q    <= turn_d;
      gated_q   <= gated_d;
      error_q   <= error_d;
    end
  end

  // Valid only during a division: not reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      rest_q     <= rest_d;
      quotient_q <= quotient_d;
      divisor_q  <= divisor_d;
    end
  end

  `MT_ASSERT(g_no_score_below_base, score_q[0] >= Base)
  `MT_ASSERT(g_gated_are_present, (gated_q & ~present_q) == '0)
  `MT_ASSERT(g_somebody_may_load, present_q == '0 || (present_q & ~gated_o) != '0)

`ifdef FORMAL
  `define MT_LOST_LOCALITY_PROPERTIES
  `include "mt_lost_locality_formal.sv"
  `undef MT_LOST_LOCALITY_PROPERTIES
`endif
endmodule
