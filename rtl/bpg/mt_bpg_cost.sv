// SPDX-License-Identifier: Apache-2.0
// Cost of L owners in the cache, in hits: E times the estimated reservation failures RF_base * (P/Q)^3 (Dai17,
// section 2.6).
//
// Combinational: one multiplier and two constant shifts.  ratio_i is (P/Q)^3 of mt_bpg_ratio, with 13 fraction bits.
module mt_bpg_cost #(
  parameter int RfW    = 12,               // bits of the reservation-failure counter
  parameter int EShift = 1,                // E = 2^-EShift hits for each reservation failure
  parameter int RatioW = 14                // bits of the ratio: 14, or 23 where it may exceed 1
) (
  input  wire logic [RfW-1:0]    base_i,   // reservation failures counted in the interval
  input  wire logic [RatioW-1:0] ratio_i,  // (P/Q)^3, 13 fraction bits
  output logic [24:0]            cost_o    // cost in hits
);
  localparam int FractionW = 13;
  localparam int ProductW  = (RfW + RatioW > 25) ? RfW + RatioW : 25;

  logic [ProductW-1:0] product, estimated;

  assign product   = base_i * ratio_i;
  assign estimated = product >> FractionW;
  assign cost_o    = 25'(estimated >> EShift);
endmodule
