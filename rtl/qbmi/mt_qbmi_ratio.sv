// SPDX-License-Identifier: Apache-2.0
// Req/Minst: 2^ReqW requests divided by the memory instructions that issued them, rounded to nearest, 1 to 32 (Dai17,
// section 4.3.2).
//
// Combinational, no divider: the result is at least r if minst * (2r - 1) <= 2 * 2^ReqW, one comparator with a constant for
// each r.
module mt_qbmi_ratio #(
  parameter int ReqW = 10                // an interval has 2^ReqW requests
) (
  input  wire logic [ReqW-1:0] minst_i,  // memory instructions of the interval
  output logic [5:0]           ratio_o   // requests per memory instruction, 1 to 32
);
  logic [32:1] at_least;
  assign at_least[1] = 1'b1;
  generate
    for (genvar r = 2; r <= 32; r++) begin : g_ratio
      assign at_least[r] = minst_i <= ReqW'((2 << ReqW) / (2 * r - 1));
    end
  endgenerate

  always_comb begin
    ratio_o = 6'd1;
    for (int r = 2; r <= 32; r++) begin
      if (at_least[r]) ratio_o = 6'(r);
    end
  end
endmodule
