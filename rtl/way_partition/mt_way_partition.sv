// SPDX-License-Identifier: Apache-2.0
// Victim choice in a set whose ways are divided between kernels (UCP, Qureshi06).
//
// Priority: (1) a way without a line; (2) for a kernel with fewer lines in the set than its allocation, the least recently used line of
// the kernels above theirs; (3) its own least recently used line.  A way with an outstanding miss is never chosen: without another one
// the line waits.
//
// Timing: combinational; the register holds the error.
// Parameters: Kernels share the cache, Ways are those of a set.
`include "mt_assert.svh"

module mt_way_partition #(
  parameter int Kernels = 2,                              // kernels that share the cache
  parameter int Ways    = 4,                              // ways of a set
  localparam int KernelW = (Kernels > 1) ? $clog2(Kernels) : 1,
  localparam int WayW    = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int WaysW   = $clog2(Ways + 1)
) (
  input  wire logic                     clk_i,            // clock, rising edge
  input  wire logic                     rst_ni,           // synchronous reset, active low

  input  wire logic                     ask_valid_i,      // a line needs a way
  input  wire logic [KernelW-1:0]       ask_kernel_i,     // the kernel that misses
  input  wire logic [Kernels*WaysW-1:0] ask_alloc_i,      // ways of each kernel, kernel 0 lowest
  input  wire logic [Ways-1:0]          ask_filled_i,     // ways with a line, valid or on its way, one bit each
  input  wire logic [Ways-1:0]          ask_held_i,       // ways with an outstanding miss: locked
  input  wire logic [Ways*KernelW-1:0]  ask_owners_i,     // the kernel whose line each way has, way 0 lowest
  input  wire logic [Ways*WayW-1:0]     ask_order_i,      // recency of each way's line, way 0 lowest; the smallest was used least recently
  output logic                          ask_ok_o,         // there is a way for the line
  output logic [WayW-1:0]               ask_way_o,        // that way; else 0
  output logic                          ask_others_o,     // it has a line of another kernel, one above its allocation

  output logic                          error_o           // enum way_partition_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_kernels, Kernels >= 2 && Kernels <= 4)
  `MT_PARAM_CHECK(g_illegal_ways, Ways >= 2 && Ways <= 16)

  localparam int AllW = 1 << $clog2(Ways);  // of the population count

  // ---- lines of each kernel, and whether they are fewer or more than its ways
  logic [Kernels*Ways-1:0] lines;
  logic [Kernels-1:0]      asks, under, over;
  logic [Ways-1:0]         known, own, others, free, oldest, onehot, open;
  logic                    takes;

  generate
    for (genvar k = 0; k < Kernels; k++) begin : g_kernel
      logic [$clog2(AllW):0] count;
      logic [WaysW-1:0]      ways;
      for (genvar i = 0; i < Ways; i++) begin : g_way
        assign lines[k*Ways+i] = ask_filled_i[i] & (ask_owners_i[i*KernelW +: KernelW] == k);
      end
      mt_popcount #(.Width(AllW)) u_count (.vector_i(AllW'(lines[k*Ways +: Ways])), .count_o(count));
      assign ways     = ask_alloc_i[k*WaysW +: WaysW];
      assign asks[k]  = ask_kernel_i == k;
      assign under[k] = asks[k] & (32'(count) < ways);
      assign over[k]  = 32'(count) > ways;
    end
  endgenerate

  always_comb begin
    known  = '0;
    own    = '0;
    others = '0;
    for (int k = 0; k < Kernels; k++) begin
      known  = known | lines[k*Ways +: Ways];
      own    = own | (lines[k*Ways +: Ways] & {Ways{asks[k]}});
      others = others | (lines[k*Ways +: Ways] & {Ways{over[k]}});
    end
  end

  // ---- the way
  logic [Ways-1:0] candidates, lowest;

  assign open       = ~ask_held_i;
  assign free       = ~ask_filled_i & open;
  assign takes      = (free == '0) & (|under) & ((others & open) != '0);
  assign candidates = (takes ? others : own) & open;
  generate
    for (genvar i = 0; i < Ways; i++) begin : g_oldest
      logic [Ways-1:0] beaten;
      for (genvar j = 0; j < Ways; j++) begin : g_other
        if (j == i) begin : g_self
          assign beaten[j] = 1'b0;
        end else if (j < i) begin : g_lower
          assign beaten[j] = candidates[j] & (ask_order_i[j*WayW +: WayW] <= ask_order_i[i*WayW +: WayW]);
        end else begin : g_higher
          assign beaten[j] = candidates[j] & (ask_order_i[j*WayW +: WayW] < ask_order_i[i*WayW +: WayW]);
        end
      end
      assign oldest[i] = candidates[i] & ~(|beaten);
    end
  endgenerate
  mt_first_one #(.Width(Ways)) u_lowest (.vector_i(free), .onehot_o(lowest));
  assign onehot       = ((free != '0) ? lowest : oldest) & {Ways{ask_valid_i}};
  assign ask_ok_o     = |onehot;
  assign ask_others_o = ask_valid_i & takes;
  mt_onehot_index #(.Width(Ways)) u_way (.onehot_i(onehot), .index_o(ask_way_o));

  // ---- the error
  logic error_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_q <= 1'b0;
    else error_q <= error_q | (ask_valid_i & (~(|asks) | ((ask_filled_i & ~known) != '0)));
  end
  assign error_o = error_q;

`ifdef FORMAL
  `define MT_WAY_PARTITION_PROPERTIES
  `include "mt_way_partition_formal.sv"
  `undef MT_WAY_PARTITION_PROPERTIES
`endif
endmodule
