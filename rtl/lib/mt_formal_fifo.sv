// SPDX-License-Identifier: Apache-2.0
// Formal model of a FIFO: the number of its requests, and one of them, picked arbitrarily when it is pushed.
//
// Only for <block>_formal.sv: nothing without FORMAL.  The FIFO may be one in meaning alone, such as the requests for one line.
`ifdef FORMAL
module mt_formal_fifo #(
  parameter int CountW = 4,                 // bits of a number of requests
  parameter int DataW = 8                   // bits that are kept of the request picked
) (
  input  wire logic              clk_i,     // clock
  input  wire logic              rst_ni,    // synchronous reset, active low
  input  wire logic              push_i,    // a request enters
  input  wire logic [DataW-1:0]  data_i,    // of that request
  input  wire logic              pop_i,     // a request leaves
  output logic [CountW-1:0]      count_o,   // requests in the FIFO
  output logic                   picked_o,  // one of them is the one picked
  output logic [CountW-1:0]      ahead_o,   // requests that leave before it
  output logic [DataW-1:0]       data_o     // of the one picked
);
  (* anyseq *) logic pick;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      count_o  <= '0;
      picked_o <= 1'b0;
    end else begin
      count_o <= count_o + CountW'(push_i) - CountW'(pop_i);
      if (picked_o && pop_i) begin
        picked_o <= ahead_o != '0;
        ahead_o  <= ahead_o - CountW'(1);
      end
      if (!picked_o && push_i && pick) begin
        picked_o <= 1'b1;
        ahead_o  <= count_o - CountW'(pop_i);
        data_o   <= data_i;
      end
    end
  end
endmodule
`endif
