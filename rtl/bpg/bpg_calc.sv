// One set of one calculator's shadow tag array, as the access sees it: hit or not, the way that takes it (the one that
// hits, else the oldest), and how old the ways are afterwards.
module bpg_calc #(
  parameter int Ways = 4,
  parameter int TagW = 32,
  localparam int AgeW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  wire logic [TagW-1:0]      tag_i,
  input  wire logic [Ways-1:0]      valid_i,
  input  wire logic [Ways*TagW-1:0] tags_i,
  input  wire logic [Ways*AgeW-1:0] ages_i,
  output logic                      hit_o,
  output logic [Ways-1:0]           chosen_o,
  output logic [Ways*AgeW-1:0]      ages_o
);
  logic [Ways-1:0] match, oldest;
  logic [AgeW-1:0] age;

  generate
    for (genvar w = 0; w < Ways; w++) begin : g_way
      assign match[w]  = valid_i[w] & (tags_i[w*TagW +: TagW] == tag_i);
      assign oldest[w] = ages_i[w*AgeW +: AgeW] == AgeW'(Ways - 1);
      assign ages_o[w*AgeW +: AgeW] = chosen_o[w] ? '0 :
                                      (ages_i[w*AgeW +: AgeW] < age) ? ages_i[w*AgeW +: AgeW] + AgeW'(1) :
                                      ages_i[w*AgeW +: AgeW];
    end
  endgenerate
  assign hit_o    = |match;
  assign chosen_o = hit_o ? match : oldest;

  always_comb begin
    age = '0;
    for (int w = 0; w < Ways; w++) age = age | (chosen_o[w] ? ages_i[w*AgeW +: AgeW] : '0);
  end
endmodule
