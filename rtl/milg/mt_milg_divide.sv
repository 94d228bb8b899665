// SPDX-License-Identifier: Apache-2.0
// Unsigned divider, rounded down: quotient = dividend / divisor.  Division by 0 gives all ones.
//
// Combinational: one subtract-and-select row for each quotient bit, most significant first.
module mt_milg_divide #(
  parameter int DividendW = 7,                   // bits of the dividend and the quotient
  parameter int DivisorW  = 2                    // bits of the divisor
) (
  input  wire logic [DividendW-1:0] dividend_i,  // dividend
  input  wire logic [DivisorW-1:0]  divisor_i,   // divisor
  output logic [DividendW-1:0]      quotient_o   // quotient
);
  generate
    for (genvar i = 0; i < DividendW; i++) begin : g_row
      // The remainder of the rows above is below the divisor, and no wider than the dividend bits that they have used.
      localparam int RowW = (i < DivisorW) ? i + 1 : DivisorW + 1;
      logic [RowW-1:0] row;
      logic [RowW:0]   left;  // top bit: borrow, the divisor is larger
      logic            fits;
      if (i == 0) begin : g_first
        assign row = dividend_i[DividendW-1];
      end else begin : g_next
        localparam int AboveW = (i < DivisorW + 1) ? i : DivisorW + 1;
        logic [AboveW-1:0] rest;
        assign rest = g_row[i-1].fits ? g_row[i-1].left[AboveW-1:0] : g_row[i-1].row;
        assign row  = RowW'({rest, dividend_i[DividendW-1-i]});
      end
      assign left = {1'b0, row} - (RowW+1)'(divisor_i[((RowW < DivisorW) ? RowW : DivisorW)-1:0]);
      assign fits = ~left[RowW] & ((divisor_i >> RowW) == '0);
      assign quotient_o[DividendW-1-i] = fits;
    end
  endgenerate
endmodule
