// SPDX-License-Identifier: Apache-2.0
// Utility monitor and way allocation of utility-based cache partitioning (UCP, Qureshi06).
//
// Of some sets, each kernel has an auxiliary tag directory: a stack of the tags that it used last, as many as the set has ways.  Hits
// are counted by stack position: with n ways of its own, a kernel would have the hits of the first n.  A request computes a new
// allocation by lookahead: in each round the kernel with the most hits per way, for any number of the ways left, gets that many.
//
// Timing: an access per cycle.  A round looks at one kernel and one number of ways per cycle; meanwhile no hit is counted.  Order
// within a cycle: the access, the flush, the request.
// Parameters: Kernels share the cache; Ways, Sets and SampledSets size it; TagW and CountW are the widths of a tag and a counter.
`include "mt_assert.svh"

module mt_umon #(
  parameter int Kernels     = 2,                           // kernels that share the cache
  parameter int Ways        = 4,                           // ways of a set; at least Kernels
  parameter int Sets        = 32,                          // sets of the cache, a power of two
  parameter int SampledSets = 4,                           // sampled sets, a power of two up to Sets
  parameter int TagW        = 16,                          // bits of the partial tag of a line
  parameter int CountW      = 16,                          // bits of a hit counter; all counters halve when one is full
  localparam int KernelW = (Kernels > 1) ? $clog2(Kernels) : 1,
  localparam int SetW    = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int WayW    = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int WaysW   = $clog2(Ways + 1)
) (
  input  wire logic                     clk_i,             // clock, rising edge
  input  wire logic                     rst_ni,            // synchronous reset, active low

  input  wire logic                     acc_valid_i,       // the cache accepts a read
  input  wire logic [KernelW-1:0]       acc_kernel_i,      // its kernel
  input  wire logic [SetW-1:0]          acc_set_i,         // its set
  input  wire logic [TagW-1:0]          acc_tag_i,         // its partial tag
  output logic                          acc_sampled_o,     // the access is to a sampled set
  output logic                          acc_hit_o,         // the kernel alone in the cache would hit
  output logic [WayW-1:0]               acc_depth_o,       // how many lines of the set it has used since; 0 without a hit

  input  wire logic                     flush_valid_i,     // the cache invalidates the lines of a kernel
  input  wire logic [KernelW-1:0]       flush_kernel_i,    // that kernel

  input  wire logic                     part_valid_i,      // a new allocation is computed; ignored while busy_o is 1
  output logic [Kernels*WaysW-1:0]      alloc_o,           // ways of each kernel, kernel 0 lowest; their sum is Ways
  output logic                          busy_o,            // an allocation is being computed; hits are not counted
  output logic                          strobe_o,          // a new allocation is in force, from this cycle on
  output logic                          error_o            // enum umon_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_kernels, Kernels >= 2 && Kernels <= 4)
  `MT_PARAM_CHECK(g_illegal_ways, Ways >= Kernels && Ways <= 16)
  `MT_PARAM_CHECK(g_illegal_sets, Sets >= 1 && Sets <= 256 && (Sets & (Sets - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_sampled, SampledSets >= 1 && SampledSets <= 32 && SampledSets <= Sets && (SampledSets & (SampledSets - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_tag_w, TagW >= 1 && TagW <= 16)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 2 && CountW <= 16)

  localparam int Rows  = Kernels * SampledSets;
  localparam int RowW  = $clog2(Rows);
  localparam int Shift = $clog2(Sets / SampledSets);
  localparam int FoldW = (Shift > 0) ? Shift : 1;
  localparam int SampW = (SampledSets > 1) ? $clog2(SampledSets) : 1;
  localparam int SumW  = CountW + WayW;
  localparam int MulW  = SumW + WaysW;

  logic               busy_q, strobe_q, error_q;
  logic [KernelW-1:0] kernel_q, kernel_d, best_kernel_q;
  logic [WaysW-1:0]   more_q, best_ways_q, left_q;
  logic [SumW-1:0]    sum_q, best_sum_q;
  (* mem2reg *)
  logic [WaysW-1:0]  alloc_q [Kernels];
  (* mem2reg *)
  logic [WaysW-1:0]  next_q  [Kernels];
  (* mem2reg *)
  logic [CountW-1:0] hits_q  [Kernels*Ways];
  (* mem2reg *)
  logic [Ways-1:0]   valid_q [Rows];
  logic [Ways*TagW-1:0] tags_q [Rows];

  // ---- the access: its kernel's stack in its set
  logic [Kernels-1:0]   accesses, flushes;
  logic                 sampled;
  logic [FoldW-1:0]     fold;
  logic [SampW-1:0]     sampler;
  logic [RowW-1:0]      row;
  logic [Ways*TagW-1:0] tags, tags_new;
  logic [Ways-1:0]      valids, equal, match;

  generate
    for (genvar k = 0; k < Kernels; k++) begin : g_event
      assign accesses[k] = acc_valid_i & (acc_kernel_i == k);
      assign flushes[k]  = flush_valid_i & (flush_kernel_i == k);
    end
  endgenerate

  // A set is sampled if the XOR of its number's Shift-bit fields is 0, as in pdp.  The upper bits number the sampled sets.
  always_comb begin
    fold = '0;
    for (int b = 0; b < SetW; b = b + FoldW) fold = fold ^ FoldW'(acc_set_i >> b);
  end
  assign sampled = (|accesses) & (Shift == 0 || fold == '0);
  assign sampler = (SampledSets > 1) ? SampW'(acc_set_i >> Shift) : '0;
  assign row     = sampled ? acc_kernel_i * RowW'(SampledSets) + RowW'(sampler) : '0;
  assign tags    = tags_q[row];

  // An OR tree, as in mt_onehot_mux: a chain of selections would be as long as there are rows.
  always_comb begin
    valids = '0;
    for (int r = 0; r < Rows; r++) valids = valids | (valid_q[r] & {Ways{row == RowW'(r)}});
  end
  generate
    for (genvar i = 0; i < Ways; i++) begin : g_position
      assign equal[i] = sampled & valids[i] & (tags[i*TagW +: TagW] == acc_tag_i);
      // The tag becomes the most recent; those that were more recent move by one.
      if (i == 0) begin : g_first
        assign tags_new[i*TagW +: TagW] = acc_tag_i;
      end else begin : g_next
        logic moves;
        assign moves = ~(|match[i-1:0]);
        assign tags_new[i*TagW +: TagW] = moves ? tags[(i-1)*TagW +: TagW] : tags[i*TagW +: TagW];
      end
    end
  endgenerate
  mt_first_one #(.Width(Ways)) u_match (.vector_i(equal), .onehot_o(match));
  mt_onehot_index #(.Width(Ways)) u_depth (.onehot_i(match), .index_o(acc_depth_o));
  assign acc_sampled_o = sampled;
  assign acc_hit_o     = |match;

  generate
    for (genvar r = 0; r < Rows; r++) begin : g_row
      logic            pushes;
      logic [Ways-1:0] pushed;
      assign pushes = sampled & ~acc_hit_o & (row == r);
      assign pushed = {valid_q[r][Ways-2:0], 1'b1};
      always_ff @(posedge clk_i) begin
        if (!rst_ni) valid_q[r] <= '0;
        else if (flushes[r/SampledSets]) valid_q[r] <= '0;
        else if (pushes) valid_q[r] <= pushed;
      end
    end
  endgenerate

  // Valid only with valid_q: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && sampled) tags_q[row] <= tags_new;
  end

  // ---- the hit counters: when one is full, and after a computation, all halve, which keeps their ratios
  logic [Kernels*Ways-1:0] here, tops;
  logic                    halve, done;

  assign halve = done | (|tops);
  generate
    for (genvar k = 0; k < Kernels; k++) begin : g_kernel_hits
      for (genvar i = 0; i < Ways; i++) begin : g_hits
        localparam int E = k * Ways + i;
        logic [CountW-1:0] kept;
        assign here[E] = accesses[k] & match[i] & ~busy_q;
        assign tops[E] = here[E] & (&hits_q[E]);
        assign kept    = halve ? hits_q[E] >> 1 : hits_q[E];
        always_ff @(posedge clk_i) begin
          if (!rst_ni) hits_q[E] <= '0;
          else hits_q[E] <= kept + CountW'(here[E]);
        end
      end
    end
  endgenerate

  // ---- the computation: one kernel and one number of ways a cycle
  logic [WaysW-1:0]  own, best_own, more, ways;
  logic [WaysW:0]    at;
  logic [CountW-1:0] hits;
  logic [SumW-1:0]   sum;
  logic [MulW-1:0]   mine, best;
  logic              starts, better, last, round;

  always_comb begin
    own      = '0;
    best_own = '0;
    hits     = '0;
    for (int k = 0; k < Kernels; k++) begin
      own      = own | (next_q[k] & {WaysW{kernel_q == KernelW'(k)}});
      best_own = best_own | (next_q[k] & {WaysW{best_kernel_q == KernelW'(k)}});
    end
    at = own + more_q;
    for (int k = 0; k < Kernels; k++) begin
      for (int i = 0; i < Ways; i++) begin
        hits = hits | (hits_q[k*Ways+i] & {CountW{kernel_q == KernelW'(k) && at == (WaysW+1)'(i)}});
      end
    end
  end
  assign more   = more_q + 1;
  assign sum    = sum_q + SumW'(hits);
  // sum / more against best_sum / best_ways, without a divider.
  assign mine   = sum * best_ways_q;
  assign best   = best_sum_q * more;
  assign better = (best_ways_q == '0) | (mine > best) | ((mine == best) & (own < best_own));
  assign done   = busy_q & (left_q == '0);
  assign last   = busy_q & ~done & (more == left_q);
  assign round  = last & (kernel_q == KernelW'(Kernels - 1));
  assign ways   = better ? more : best_ways_q;
  assign starts = part_valid_i & ~busy_q;
  assign kernel_d = better ? kernel_q : best_kernel_q;

  generate
    for (genvar k = 0; k < Kernels; k++) begin : g_kernel
      localparam int Even = Ways / Kernels + ((k < Ways % Kernels) ? 1 : 0);
      logic wins;
      assign wins = round & (kernel_d == k);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) alloc_q[k] <= WaysW'(Even);
        else if (done) alloc_q[k] <= next_q[k];
      end
      // Read only while busy_q is 1: not reset, and it holds its value during reset.
      always_ff @(posedge clk_i) begin
        if (rst_ni && starts) next_q[k] <= 1;
        else if (rst_ni && wins) next_q[k] <= next_q[k] + ways;
      end
      assign alloc_o[k*WaysW +: WaysW] = alloc_q[k];
    end
  endgenerate

  assign busy_o   = busy_q;
  assign strobe_o = strobe_q;
  assign error_o  = error_q;

  // ---- registers
  generate
    if (Kernels == (1 << KernelW)) begin : g_every_number
      always_ff @(posedge clk_i) begin
        if (!rst_ni) error_q <= 1'b0;
      end
    end else begin : g_some_numbers
      always_ff @(posedge clk_i) begin
        if (!rst_ni) error_q <= 1'b0;
        else error_q <= error_q | (acc_valid_i & ~(|accesses)) | (flush_valid_i & ~(|flushes));
      end
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      strobe_q <= 1'b0;
    end else begin
      busy_q   <= starts | (busy_q & ~done);
      strobe_q <= done;
    end
  end

  // Read only while busy_q is 1: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && starts) begin
      kernel_q      <= '0;
      more_q        <= '0;
      sum_q         <= '0;
      best_kernel_q <= '0;
      best_ways_q   <= '0;
      best_sum_q    <= '0;
      left_q        <= WaysW'(Ways - Kernels);
    end else if (rst_ni && busy_q && !done) begin
      kernel_q      <= round ? '0 : kernel_q + last;
      more_q        <= last ? '0 : more;
      sum_q         <= last ? '0 : sum;
      best_kernel_q <= round ? '0 : kernel_d;
      best_ways_q   <= round ? '0 : ways;
      best_sum_q    <= round ? '0 : better ? sum : best_sum_q;
      left_q        <= round ? left_q - ways : left_q;
    end
  end

`ifdef FORMAL
  `define MT_UMON_PROPERTIES
  `include "mt_umon_formal.sv"
  `undef MT_UMON_PROPERTIES
`endif
endmodule
