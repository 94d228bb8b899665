// SPDX-License-Identifier: Apache-2.0
// One sampled set of the reuse-distance sampler: tag lookup and next state for one access (Duong12).
//
// Combinational; pdp holds the registers.  Sample 0 is the youngest.  The youngest sample with the access's tag is reused: it has
// ended.  Every 2^InsertShift-th access becomes a sample, and the oldest one is shifted out.
module mt_pdp_samples #(
  parameter int Depth       = 32,             // samples
  parameter int TagW        = 16,             // bits of a partial tag
  parameter int InsertShift = 2,              // log2 of the accesses per sample
  localparam int StepW = (InsertShift > 0) ? InsertShift : 1,
  localparam int AgeW  = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int AwayW = AgeW + StepW
) (
  input  wire logic [TagW-1:0]       tag_i,      // partial tag of the access
  input  wire logic [Depth-1:0]      live_i,     // per sample: it waits for its reuse
  input  wire logic [Depth*TagW-1:0] tags_i,     // per sample: its partial tag
  input  wire logic [StepW-1:0]      step_i,     // accesses since the last sample
  output logic [Depth-1:0]           live_o,     // per sample: it waits after the access
  output logic                       found_o,    // a sample is reused
  output logic [AwayW-1:0]           away_o,     // its reuse distance, less one
  output logic                       inserts_o,  // the access becomes a sample
  output logic                       leaves_o    // a sample is shifted out that was not reused
);
  logic [Depth-1:0] match, found, kept, shifted;
  logic [AgeW-1:0]  age;

  generate
    for (genvar i = 0; i < Depth; i++) begin : g_sample
      assign match[i] = live_i[i] & (tags_i[i*TagW +: TagW] == tag_i);
      if (i > 0) begin : g_older
        assign shifted[i] = kept[i-1];
      end else begin : g_youngest
        assign shifted[i] = 1'b1;
      end
    end
  endgenerate
  mt_first_one #(.Width(Depth)) u_found (.vector_i(match), .onehot_o(found));
  mt_onehot_index #(.Width(Depth)) u_age (.onehot_i(found), .index_o(age));

  assign found_o   = |match;
  assign away_o    = (InsertShift > 0) ? {age, step_i} : AwayW'(age);
  assign inserts_o = (InsertShift == 0) | (&step_i);
  assign kept      = live_i & ~found;
  assign leaves_o  = inserts_o & kept[Depth-1];
  assign live_o    = inserts_o ? shifted : kept;
endmodule
