// What L owners in the cache cost, in hits: E times the estimated reservation failures, RF_base * (L/D)^3.  The cube comes from a ROM
// with 9 bits behind the point: L^3/512 is exact.
module bpg_cost #(
  parameter int Calcs  = 8,
  parameter int RfW    = 12,
  parameter int EShift = 1,
  parameter int Rebase = 0       // 0: L is never above D
) (
  input  wire logic [RfW-1:0]   base_i,
  input  wire logic [Calcs-1:0] l_i,     // one-hot, bit 0 for 1; zero: no cost
  input  wire logic [Calcs-1:0] d_i,     // as l_i
  output logic [24:0]           cost_o
);
  localparam int FractionW = 9;
  localparam int RatioW    = (Rebase != 0) ? 19 : 10;

  logic [Calcs*Calcs*RatioW-1:0] rom;
  logic [RatioW-1:0]             column, ratio;
  logic [31:0]                   product, estimated;

  generate
    for (genvar l = 1; l <= Calcs; l++) begin : g_l
      for (genvar d = 1; d <= Calcs; d++) begin : g_d
        localparam int Ratio = (Rebase != 0 || l <= d) ? (l * l * l * (2 << FractionW) + d * d * d) / (2 * d * d * d) : 0;
        assign rom[((l-1)*Calcs+d-1)*RatioW +: RatioW] = d_i[d-1] ? RatioW'(Ratio) : '0;
      end
    end
  endgenerate

  always_comb begin
    ratio = '0;
    for (int l = 0; l < Calcs; l++) begin
      column = '0;
      for (int d = 0; d < Calcs; d++) column = column | rom[(l*Calcs+d)*RatioW +: RatioW];
      ratio = ratio | (l_i[l] ? column : '0);
    end
  end

  assign product   = 32'(base_i) * 32'(ratio);
  assign estimated = product >> FractionW;
  assign cost_o    = 25'(estimated >> EShift);
endmodule
