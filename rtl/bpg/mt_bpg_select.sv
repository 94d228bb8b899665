// SPDX-License-Identifier: Apache-2.0
// The L with the most adjusted hits (hits less cost); ties go to the larger L.
//
// Combinational, all candidates in parallel: each has its own ROM and multiplier.  bpg uses it where Parallel = 1.
module mt_bpg_select #(
  parameter int Calcs    = 8,                  // calculators: candidate values of L
  parameter int OwnerW   = 7,                  // log2 of the largest number of owners
  parameter int HitW     = 10,                 // bits of a hit counter
  parameter int RfW      = 12,                 // bits of the reservation-failure counter
  parameter int HitShift = 3,                  // one sampled hit counts as 2^HitShift hits
  parameter int EShift   = 1,                  // E = 2^-EShift hits for each reservation failure
  parameter int Rebase   = 0,                  // see mt_bpg_ratio
  parameter int LastAll  = 1,                  // 1: L = Calcs admits every owner
  localparam int LW     = $clog2(Calcs + 1),
  localparam int RatioW = (Rebase != 0) ? 23 : 14
) (
  input  wire logic [Calcs*HitW-1:0] hits_i,   // per calculator: its hits of the interval
  input  wire logic [RfW-1:0]        base_i,   // reservation failures of the interval
  input  wire logic [OwnerW:0]       n_i,      // N, the owners of the interval
  input  wire logic [LW-1:0]         l_max_i,  // L in use while the failures were counted
  output logic [LW-1:0]              l_o       // selected L, 1 to Calcs
);
  logic [Calcs*25-1:0] adjusted;
  logic [24:0]         best;

  generate
    for (genvar i = 0; i < Calcs; i++) begin : g_calc
      logic [RatioW-1:0] ratio;
      logic [24:0]       cost;
      mt_bpg_ratio #(.Calcs(Calcs), .OwnerW(OwnerW), .Rebase(Rebase), .LastAll(LastAll)) u_ratio (
        .l_i     (LW'(i + 1)),
        .n_i     (n_i),
        .l_max_i (l_max_i),
        .ratio_o (ratio)
      );
      mt_bpg_cost #(.RfW(RfW), .EShift(EShift), .RatioW(RatioW)) u_cost (
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
