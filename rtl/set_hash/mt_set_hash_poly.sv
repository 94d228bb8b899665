// SPDX-License-Identifier: Apache-2.0
// Remainder of the address by a constant polynomial over GF(2) (IPOLY: Khairy15, section 4.3).
//
// Combinational: bit b of the remainder is the parity of the address bits i for which x^i mod P has the term x^b.
module mt_set_hash_poly #(
  parameter int AddrW      = 41,         // bits of a line address
  parameter int IndexW     = 5,          // degree of the polynomial
  parameter int Polynomial = 37          // its coefficients, the highest included
) (
  input  wire logic [AddrW-1:0] addr_i,  // line address
  output logic [IndexW-1:0]     rest_o   // remainder
);
  // x^i mod P.
  function automatic int column(input int i);
    column = 1;
    for (int n = 0; n < i; n++) begin
      column = 2 * column;
      if ((column >> IndexW) != 0) column = column ^ Polynomial;
    end
  endfunction

  generate
    for (genvar b = 0; b < IndexW; b++) begin : g_bit
      logic [AddrW-1:0] term;
      for (genvar i = 0; i < AddrW; i++) begin : g_input
        localparam int Column = column(i);
        assign term[i] = addr_i[i] & Column[b];
      end
      assign rest_o[b] = ^term;
    end
  endgenerate
endmodule
