// SPDX-License-Identifier: Apache-2.0
// Locality degree of two warps: the subregions that both access, in the arrays in which their regions are equal; saturates.
//
// Combinational.
module mt_warp_locality_degree #(
  parameter int Arrays = 5,                               // arrays
  parameter int RegionW = 10,                             // bits of a region vector
  parameter int SubW = 16,                                // bits of a subregion vector
  parameter int DegreeW = 8                               // bits of a degree
) (
  input  wire logic [Arrays*RegionW-1:0] regions_a_i,     // region vectors of one warp, array 0 lowest
  input  wire logic [Arrays*RegionW-1:0] regions_b_i,     // of the other
  input  wire logic [Arrays*SubW-1:0]    subs_a_i,        // subregion vectors of one warp, array 0 lowest
  input  wire logic [Arrays*SubW-1:0]    subs_b_i,        // of the other
  output logic [DegreeW-1:0]             degree_o         // their locality degree
);
  localparam int Ones   = 1 << $clog2(SubW);              // SubW, up to the next power of two
  localparam int CountW = $clog2(Ones) + 1;
  localparam int TotalW = (CountW + 3 > DegreeW) ? CountW + 3 : DegreeW;  // up to 8 arrays
  logic [Arrays*TotalW-1:0] counts;
  logic [TotalW-1:0]        total;

  generate
    for (genvar a = 0; a < Arrays; a++) begin : g_array
      logic [SubW-1:0]   both;
      logic [CountW-1:0] count;
      assign both = (regions_a_i[a*RegionW +: RegionW] == regions_b_i[a*RegionW +: RegionW])
                  ? subs_a_i[a*SubW +: SubW] & subs_b_i[a*SubW +: SubW] : '0;
      mt_popcount #(.Width(Ones)) u_count (.vector_i(Ones'(both)), .count_o(count));
      assign counts[a*TotalW +: TotalW] = TotalW'(count);
    end
  endgenerate

  always_comb begin
    total = '0;
    for (int a = 0; a < Arrays; a++) total = total + counts[a*TotalW +: TotalW];
  end
  assign degree_o = ((total >> DegreeW) != '0) ? '1 : DegreeW'(total);
endmodule
