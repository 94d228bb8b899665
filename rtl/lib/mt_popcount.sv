// How many of the 16 pages of a block a tag holds: sums of two, of four, of eight.
module lease_sampler_pages (
  input  wire logic [15:0] tag_i,
  output logic [4:0]       pages_o
);
  logic [15:0] twos;    // eight sums of 2 bits
  logic [11:0] fours;   // four of 3
  logic [7:0]  eights;  // two of 4

  generate
    for (genvar i = 0; i < 8; i++) begin : g_two
      assign twos[i*2 +: 2] = {1'b0, tag_i[i*2]} + {1'b0, tag_i[i*2+1]};
    end
    for (genvar i = 0; i < 4; i++) begin : g_four
      assign fours[i*3 +: 3] = {1'b0, twos[i*4 +: 2]} + {1'b0, twos[i*4+2 +: 2]};
    end
    for (genvar i = 0; i < 2; i++) begin : g_eight
      assign eights[i*4 +: 4] = {1'b0, fours[i*6 +: 3]} + {1'b0, fours[i*6+3 +: 3]};
    end
  endgenerate
  assign pages_o = {1'b0, eights[3:0]} + {1'b0, eights[7:4]};
endmodule
