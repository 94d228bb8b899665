// SPDX-License-Identifier: Apache-2.0
// Saturating counter, next-state logic: counts up by one while step_i is 1, and stays at all ones.
//
// Combinational.  The register is in the instantiating module, which resets it and may clear it.
module mt_sat_count #(
  parameter int Width = 32                  // bits of the counter
) (
  input  wire logic [Width-1:0] count_i,    // the register
  input  wire logic             step_i,     // an event to count
  output logic [Width-1:0]      count_o     // its next value
);
  assign count_o = (step_i && !(&count_i)) ? count_i + Width'(1) : count_i;
endmodule
