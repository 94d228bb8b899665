// SPDX-License-Identifier: Apache-2.0
// Victim of a set: a free way, else an unprotected one, else the bypass (Duong12).
//
// Combinational; pdp holds the registers.  A held way is never chosen.  If every other way is protected, way_o is that of a line
// that was never hit, else of one that was, with the longest protection left; ties: the lowest way.
module mt_pdp_victim #(
  parameter int Ways = 4,                     // ways of the set
  parameter int RpdW = 7,                     // bits of a remaining protecting distance
  localparam int WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  wire logic [Ways-1:0]      free_i,    // per way: it has no line
  input  wire logic [Ways-1:0]      held_i,    // per way: its miss is outstanding
  input  wire logic [Ways*RpdW-1:0] rpds_i,    // per way: the remaining protecting distance
  input  wire logic [Ways-1:0]      reused_i,  // per way: its line was hit
  input  wire logic [WayW-1:0]      from_i,    // the unprotected way to replace first
  output logic                      bypass_o,  // no way is free or unprotected
  output logic [WayW-1:0]           way_o      // the victim; 0 if all are held
);
  logic [Ways-1:0] empty, bare, first_empty, first_bare, youngest, chosen;

  assign empty = free_i & ~held_i;
  mt_first_one #(.Width(Ways)) u_empty (.vector_i(empty), .onehot_o(first_empty));
  mt_first_from #(.Width(Ways)) u_bare (.vector_i(bare), .from_i(from_i), .onehot_o(first_bare));

  generate
    for (genvar w = 0; w < Ways; w++) begin : g_way
      logic [RpdW:0]   rank;
      logic [Ways-1:0] beaten;
      assign rank    = {~reused_i[w], rpds_i[w*RpdW +: RpdW]};
      assign bare[w] = ~held_i[w] & (rpds_i[w*RpdW +: RpdW] == '0);
      for (genvar v = 0; v < Ways; v++) begin : g_other
        logic [RpdW:0] other;
        assign other     = {~reused_i[v], rpds_i[v*RpdW +: RpdW]};
        assign beaten[v] = ~held_i[v] & ((v < w) ? other >= rank : other > rank);
      end
      assign youngest[w] = ~held_i[w] & ~|beaten;
    end
  endgenerate

  assign bypass_o = ~|empty & ~|bare;
  assign chosen   = (|empty) ? first_empty : (|bare) ? first_bare : youngest;
  mt_onehot_index #(.Width(Ways)) u_way (.onehot_i(chosen), .index_o(way_o));
endmodule
