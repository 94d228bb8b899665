// The L with the most Adjusted Hits, ties to the larger L: every calculator with its own multiplier.
module bpg_select #(
  parameter int Calcs    = 8,
  parameter int OwnerW   = 7,
  parameter int HitW     = 10,
  parameter int RfW      = 12,
  parameter int HitShift = 3,
  parameter int EShift   = 1,
  parameter int Rebase   = 0,
  parameter int LastAll  = 1,
  localparam int LW     = $clog2(Calcs + 1),
  localparam int RatioW = (Rebase != 0) ? 23 : 14
) (
  input  wire logic [Calcs*HitW-1:0] hits_i,
  input  wire logic [RfW-1:0]        base_i,
  input  wire logic [OwnerW:0]       n_i,
  input  wire logic [LW-1:0]         l_max_i,
  output logic [LW-1:0]              l_o
);
  logic [Calcs*25-1:0] adjusted;
  logic [24:0]         best;

  generate
    for (genvar i = 0; i < Calcs; i++) begin : g_calc
      logic [RatioW-1:0] ratio;
      logic [24:0]       cost;
      bpg_ratio #(.Calcs(Calcs), .OwnerW(OwnerW), .Rebase(Rebase), .LastAll(LastAll)) u_ratio (
        .l_i     (LW'(i + 1)),
        .n_i     (n_i),
        .l_max_i (l_max_i),
        .ratio_o (ratio)
      );
      bpg_cost #(.RfW(RfW), .EShift(EShift), .RatioW(RatioW)) u_cost (
        .base_i  (base_i),
        .ratio_i (ratio),
        .cost_o  (cost)
      );
      assign adjusted[i*25 +: 25] = (25'(hits_i[i*HitW +: HitW]) << HitShift) + 25'h800000 - cost;
    end
  endgenerate

  always_comb begin
    best = '0;
    l_o  = '0;
    for (int i = 0; i < Calcs; i++) begin
      if (adjusted[i*25 +: 25] >= best) begin
        best = adjusted[i*25 +: 25];
        l_o  = LW'(i + 1);
      end
    end
  end
endmodule
