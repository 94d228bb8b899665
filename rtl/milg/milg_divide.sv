// dividend / divisor, rounded down, in one cycle: a row for each bit of the quotient, highest first, that subtracts the
// divisor where it fits.  Divided by 0, every bit is 1.
module milg_divide #(
  parameter int DividendW = 7,
  parameter int DivisorW  = 2
) (
  input  wire logic [DividendW-1:0] dividend_i,
  input  wire logic [DivisorW-1:0]  divisor_i,
  output logic [DividendW-1:0]      quotient_o
);
  generate
    for (genvar i = 0; i < DividendW; i++) begin : g_row
      logic [DivisorW-1:0] rest;  // of the rows above
      logic [DivisorW:0]   row;
      logic                fits;
      if (i == 0) begin : g_first
        assign rest = '0;
      end else begin : g_next
        assign rest = DivisorW'(g_row[i-1].row - (g_row[i-1].fits ? {1'b0, divisor_i} : '0));
      end
      assign row                       = {rest, dividend_i[DividendW-1-i]};
      assign fits                      = row >= {1'b0, divisor_i};
      assign quotient_o[DividendW-1-i] = fits;
    end
  endgenerate
endmodule
