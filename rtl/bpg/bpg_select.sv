// The L with the most Adjusted Hits, ties to the larger L: every calculator with its own multiplier.
module bpg_select #(
  parameter int Calcs    = 8,
  parameter int HitW     = 10,
  parameter int RfW      = 12,
  parameter int HitShift = 3,
  parameter int EShift   = 1,
  localparam int LW = $clog2(Calcs + 1)
) (
  input  wire logic [Calcs*HitW-1:0] hits_i,
  input  wire logic [RfW-1:0]        base_i,
  input  wire logic [LW-1:0]         n_i,
  input  wire logic [LW-1:0]         d_i,
  output logic [LW-1:0]              l_o
);
  logic [Calcs*25-1:0] adjusted;
  logic [24:0]         best;

  generate
    for (genvar i = 0; i < Calcs; i++) begin : g_calc
      logic [LW-1:0] limited;
      assign limited = (LW'(i + 1) < n_i) ? LW'(i + 1) : n_i;
      bpg_adjusted #(.Calcs(Calcs), .HitW(HitW), .RfW(RfW), .HitShift(HitShift), .EShift(EShift)) u_adjusted (
        .hits_i     (hits_i[i*HitW +: HitW]),
        .base_i     (base_i),
        .l_i        (limited),
        .d_i        (d_i),
        .adjusted_o (adjusted[i*25 +: 25])
      );
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
