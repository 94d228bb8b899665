// SPDX-License-Identifier: Apache-2.0
// A queue whose depth is no power of two; a block for the prover's own tests.
module mt_ring #(
  parameter int Depth = 3,
  parameter int DataW = 40,
  localparam int HeadW  = $clog2(Depth),
  localparam int CountW = $clog2(Depth + 1)
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             put_valid_i,
  input  wire logic [DataW-1:0] put_data_i,
  input  wire logic             get_ready_i,
  output logic                  put_ready_o,
  output logic                  get_valid_o,
  output logic [DataW-1:0]      get_data_o
);
  logic [DataW-1:0]  data_q [Depth];
  logic [HeadW-1:0]  head_q;
  logic [CountW-1:0] count;
  logic [7:0]        sum, tail;
  logic              put, get;

  mt_ring_fill #(.CountW(CountW)) u_fill (.clk_i, .rst_ni, .put_i(put), .get_i(get), .count_o(count));

  assign put_ready_o = count < CountW'(Depth);
  assign get_valid_o = count != '0;
  assign get_data_o  = data_q[head_q];
  assign put         = put_valid_i & put_ready_o;
  assign get         = get_ready_i & get_valid_o;
  assign sum         = 8'(head_q) + 8'(count);
  assign tail        = (sum >= 8'(Depth)) ? sum - 8'(Depth) : sum;

  always_ff @(posedge clk_i) begin
    if (rst_ni && put) data_q[tail[HeadW-1:0]] <= put_data_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) head_q <= '0;
    else if (get) head_q <= (head_q == HeadW'(Depth - 1)) ? '0 : head_q + HeadW'(1);
  end
endmodule

module mt_ring_fill #(
  parameter int CountW = 2
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         put_i,
  input  wire logic         get_i,
  output logic [CountW-1:0] count_o
);
  logic [CountW-1:0] count_q;
  assign count_o = count_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + CountW'(put_i) - CountW'(get_i);
  end
endmodule
