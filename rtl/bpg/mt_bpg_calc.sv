// SPDX-License-Identifier: Apache-2.0
// One set of a shadow tag array: tag lookup and LRU update for one access (Dai17, section 2.6).
//
// Combinational; bpg holds the registers.  The access uses the way that hits, else the oldest way.  The way used becomes
// age 0, and every younger way ages by one.
module mt_bpg_calc #(
  parameter int Ways = 4,                      // ways of the set
  parameter int TagW = 32,                     // bits of a tag
  localparam int AgeW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  wire logic [TagW-1:0]      tag_i,     // tag of the access
  input  wire logic [Ways-1:0]      valid_i,   // per way: it holds a tag
  input  wire logic [Ways*TagW-1:0] tags_i,    // per way: its tag
  input  wire logic [Ways*AgeW-1:0] ages_i,    // per way: its LRU age, 0 the youngest, Ways - 1 the oldest
  output logic                      hit_o,     // a valid way holds the tag
  output logic [Ways-1:0]           chosen_o,  // one-hot: the way that the access uses
  output logic [Ways*AgeW-1:0]      ages_o     // per way: its age after the access
);
  logic [Ways-1:0] match, oldest;
  logic [AgeW-1:0] age;

  generate
    for (genvar w = 0; w < Ways; w++) begin : g_way
      assign match[w]  = valid_i[w] & (tags_i[w*TagW +: TagW] == tag_i);
      assign oldest[w] = ages_i[w*AgeW +: AgeW] == AgeW'(Ways - 1);
      assign ages_o[w*AgeW +: AgeW] = chosen_o[w] ? '0 :
                                      (ages_i[w*AgeW +: AgeW] < age) ? ages_i[w*AgeW +: AgeW] + 1 :
                                      ages_i[w*AgeW +: AgeW];
    end
  endgenerate
  assign hit_o    = |match;
  assign chosen_o = hit_o ? match : oldest;

  mt_onehot_mux #(.Words(Ways), .Width(AgeW)) u_age (.onehot_i(chosen_o), .words_i(ages_i), .word_o(age));
endmodule
