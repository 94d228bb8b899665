// Adjusted Hits if L owners access the cache: hits less E times the estimated reservation failures, which are
// RF_base * (L/D)^3; in offset binary, 2^23 more.  The cube comes from a ROM with 9 bits behind the point: L^3/512 is exact.
module bpg_adjusted #(
  parameter int Calcs    = 8,
  parameter int HitW     = 10,
  parameter int RfW      = 12,
  parameter int HitShift = 3,
  parameter int EShift   = 1,
  localparam int LW = $clog2(Calcs + 1)
) (
  input  wire logic [HitW-1:0] hits_i,
  input  wire logic [RfW-1:0]  base_i,
  input  wire logic [LW-1:0]   l_i,
  input  wire logic [LW-1:0]   d_i,
  output logic [24:0]          adjusted_o
);
  localparam int FractionW = 9;
  localparam int RatioW    = 19;
  localparam int Entries   = Calcs * Calcs;

  logic [Entries*RatioW-1:0] rom;
  logic [RatioW-1:0]         ratio;
  logic [31:0]               product, estimated;
  logic [24:0]               cost;

  generate
    for (genvar d = 1; d <= Calcs; d++) begin : g_d
      for (genvar l = 1; l <= Calcs; l++) begin : g_l
        localparam int Ratio = (l * l * l * (2 << FractionW) + d * d * d) / (2 * d * d * d);
        assign rom[((d-1)*Calcs+l-1)*RatioW +: RatioW] = (d_i == LW'(d) && l_i == LW'(l)) ? RatioW'(Ratio) : '0;
      end
    end
  endgenerate

  always_comb begin
    ratio = '0;
    for (int i = 0; i < Entries; i++) ratio = ratio | rom[i*RatioW +: RatioW];
  end

  assign product    = 32'(base_i) * 32'(ratio);
  assign estimated  = product >> FractionW;
  assign cost       = 25'(estimated >> EShift);
  assign adjusted_o = (25'(hits_i) << HitShift) + 25'h800000 - cost;
endmodule
