// The remainder of a polynomial over GF(2) by a constant one: bit b of it is the parity of those bits i of the address
// for which x^i mod P has the term x^b.
module set_hash_poly #(
  parameter int AddrW      = 41,
  parameter int IndexW     = 5,
  parameter int Polynomial = 37
) (
  input  wire logic [AddrW-1:0] addr_i,
  output logic [IndexW-1:0]     rest_o
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
