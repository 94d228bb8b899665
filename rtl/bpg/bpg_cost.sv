// What L owners in the cache cost, in hits: E times the estimated reservation failures, RF_base times the cube of bpg_ratio.
module bpg_cost #(
  parameter int RfW    = 12,
  parameter int EShift = 1,
  parameter int RatioW = 14
) (
  input  wire logic [RfW-1:0]    base_i,
  input  wire logic [RatioW-1:0] ratio_i,
  output logic [24:0]            cost_o
);
  localparam int FractionW = 13;
  localparam int ProductW  = (RfW + RatioW > 25) ? RfW + RatioW : 25;

  logic [ProductW-1:0] product, estimated;

  assign product   = ProductW'(base_i) * ProductW'(ratio_i);
  assign estimated = product >> FractionW;
  assign cost_o    = 25'(estimated >> EShift);
endmodule
