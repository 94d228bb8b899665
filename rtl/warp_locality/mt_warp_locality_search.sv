// SPDX-License-Identifier: Apache-2.0
// Linear search for the candidate with the highest value, one candidate a cycle: next-state logic.
//
// The best so far is kept as long as it is a candidate; when it is none any more, the search begins anew.  The instantiating
// module has the registers, and gives the value of the candidate that is visited.
// Combinational; value_i follows visit_o.
module mt_warp_locality_search #(
  parameter int Warps = 8,                         // candidates at most
  parameter int ValueW = 8,                        // bits of a value
  localparam int WarpW = (Warps > 1) ? $clog2(Warps) : 1
) (
  input  wire logic [Warps-1:0]  candidates_i,     // candidates in this cycle, one bit each
  input  wire logic              found_i,          // there is a best so far
  input  wire logic [WarpW-1:0]  best_i,           // its number
  input  wire logic [ValueW-1:0] best_value_i,     // its value
  input  wire logic [Warps-1:0]  todo_i,           // those not visited, one bit each
  input  wire logic [WarpW-1:0]  from_i,           // the number that is visited first
  output logic [Warps-1:0]       visit_o,          // the candidate visited now, one-hot; 0: none is left
  input  wire logic [ValueW-1:0] value_i,          // its value
  output logic                   fresh_o,          // the best so far is a candidate
  output logic                   complete_o,       // none is left after this visit
  output logic [Warps-1:0]       choice_o,         // the best, with this visit, one-hot; 0: there is no candidate
  output logic [ValueW-1:0]      value_o           // its value
);
  logic [Warps-1:0] best, left;
  logic             take;

  assign best    = candidates_i & (1 << best_i);
  assign fresh_o = found_i & (|best);
  assign left    = fresh_o ? candidates_i & todo_i : candidates_i;
  mt_first_from #(.Width(Warps)) u_visit (.vector_i(left), .from_i(from_i), .onehot_o(visit_o));

  // The first one found stays if values are equal.
  assign take       = (|visit_o) & (~fresh_o | (value_i > best_value_i));
  assign complete_o = (left & ~visit_o) == '0;
  assign choice_o   = take ? visit_o : fresh_o ? best : '0;
  assign value_o    = take ? value_i : best_value_i;
endmodule
