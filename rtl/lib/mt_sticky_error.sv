// SPDX-License-Identifier: Apache-2.0
// Sticky first error, next-state logic: the register keeps the code of the first error until reset; 0 means none.
//
// Combinational.  The register is in the instantiating module.
module mt_sticky_error #(
  parameter int Width = 2                   // bits of an error code
) (
  input  wire logic [Width-1:0] error_i,    // the register
  input  wire logic [Width-1:0] found_i,    // code of an error in this cycle; 0: none
  output logic [Width-1:0]      error_o     // its next value
);
  assign error_o = (error_i == '0) ? found_i : error_i;
endmodule
