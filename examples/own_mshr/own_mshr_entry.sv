// SPDX-License-Identifier: Apache-2.0
// An entry of own_mshr: free, waiting for its line, or draining; its requesters in a queue that drains in order.
module own_mshr_entry #(
  parameter int Slots   = 8,
  parameter int AddrW   = 41,
  parameter int ItemW   = 26,
  localparam int CountW = $clog2(Slots + 1),
  localparam int SlotW  = (Slots > 1) ? $clog2(Slots) : 1
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              take_i,        // a new line
  input  wire logic              push_i,        // one more request for the line
  input  wire logic              fill_i,        // the line is there
  input  wire logic              pop_i,         // the head of the draining entry leaves
  input  wire logic [AddrW-1:0]  addr_i,
  input  wire logic [AddrW-1:0]  fill_addr_i,
  input  wire logic [ItemW-1:0]  item_i,
  output logic                   free_o,
  output logic                   drains_o,
  output logic                   last_o,        // one request is left
  output logic                   full_o,
  output logic                   req_match_o,
  output logic                   fill_match_o,
  output logic [AddrW-1:0]       line_o,
  output logic [ItemW-1:0]       head_o,
  output logic [CountW-1:0]      count_o
);
  logic              waits, busy_q, there_q; // there_q: the line has come
  logic [CountW-1:0] count_q;
  logic [SlotW-1:0]  head_q;
  logic [AddrW-1:0]  line_q;
  logic [ItemW-1:0]  item_q [Slots];

  assign waits        = busy_q & ~there_q;
  assign free_o       = ~busy_q;
  assign drains_o     = busy_q & there_q;
  assign last_o       = count_q == CountW'(1);
  assign full_o       = count_q == CountW'(Slots);
  assign req_match_o  = waits & (addr_i == line_q);
  assign fill_match_o = waits & (fill_addr_i == line_q);
  assign line_o       = line_q;
  assign head_o       = item_q[head_q];
  assign count_o      = count_q;

  logic leaves;
  assign leaves = drains_o & pop_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      there_q <= 1'b0;
      count_q <= '0;
      head_q  <= '0;
    end else if (take_i) begin // in the cycle of the last pop, too
      busy_q  <= 1'b1;
      there_q <= 1'b0;
      count_q <= CountW'(1);
      head_q  <= '0;
    end else begin
      if (fill_i) there_q <= 1'b1;
      if (leaves && last_o) busy_q <= 1'b0;
      count_q <= count_q + CountW'(push_i) - CountW'(leaves);
      if (leaves) head_q <= head_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) line_q <= addr_i;
    if (take_i) item_q[0] <= item_i;
    else if (push_i) item_q[SlotW'(count_q)] <= item_i;
  end
endmodule
