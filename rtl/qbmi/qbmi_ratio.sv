// 2^ReqW requests by the memory instructions that they came from, to nearest, 1 to 32.  It is at least r where
// minst * (2r - 1) <= 2 * 2^ReqW: a comparator with a constant for each r.
module qbmi_ratio #(
  parameter int ReqW = 10
) (
  input  wire logic [ReqW-1:0] minst_i,
  output logic [5:0]           ratio_o
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
