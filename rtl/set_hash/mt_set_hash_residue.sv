// SPDX-License-Identifier: Apache-2.0
// ROM of 16 constants: the residue modulo Odd of the 4-bit digit at bit Place of a number.  Combinational.
module mt_set_hash_residue #(
  parameter int Odd   = 37,          // odd modulus
  parameter int Place = 0,           // position of the digit, in bits
  localparam int OddW = $clog2(Odd)
) (
  input  wire logic [3:0] digit_i,   // digit
  output logic [OddW-1:0] residue_o  // digit * 2^Place modulo Odd
);
  // Value * 2^Place mod Odd.
  function automatic int shifted(input int value);
    shifted = value % Odd;
    for (int i = 0; i < Place; i++) shifted = (2 * shifted) % Odd;
  endfunction

  logic [16*OddW-1:0] residues;

  generate
    for (genvar v = 0; v < 16; v++) begin : g_value
      localparam int Residue = shifted(v);
      assign residues[v*OddW +: OddW] = OddW'(Residue);
    end
  endgenerate

  assign residue_o = residues[digit_i*OddW +: OddW];
endmodule
