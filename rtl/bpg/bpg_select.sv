// The L with the most Adjusted Hits, ties to the larger L: every calculator with its own multiplier.
module bpg_select #(
  parameter int Calcs    = 8,
  parameter int HitW     = 10,
  parameter int RfW      = 12,
  parameter int HitShift = 3,
  parameter int EShift   = 1,
  parameter int Rebase   = 0,
  localparam int LW = $clog2(Calcs + 1)
) (
  input  wire logic [Calcs*HitW-1:0] hits_i,
  input  wire logic [RfW-1:0]        base_i,
  input  wire logic [LW-1:0]         n_i,
  input  wire logic [Calcs-1:0]      d_i,    // one-hot, bit 0 for 1
  output logic [LW-1:0]              l_o
);
  logic [Calcs*25-1:0] adjusted;
  logic [24:0]         best;

  generate
    for (genvar i = 0; i < Calcs; i++) begin : g_calc
      logic [Calcs-1:0] limited;
      logic [24:0]      cost;
      bpg_min #(.Count(Calcs)) u_limited (.a_i(LW'(i + 1)), .b_i(n_i), .onehot_o(limited));
      bpg_cost #(.Calcs(Calcs), .RfW(RfW), .EShift(EShift), .Rebase(Rebase)) u_cost (
        .base_i (base_i),
        .l_i    (limited),
        .d_i    (d_i),
        .cost_o (cost)
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
