// The residue modulo Odd of a digit of four bits that stands at bit Place of a number: sixteen constants.
module set_hash_residue #(
  parameter int Odd   = 37,
  parameter int Place = 0,
  localparam int OddW = $clog2(Odd)
) (
  input  wire logic [3:0] digit_i,
  output logic [OddW-1:0] residue_o
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
