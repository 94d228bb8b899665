// SPDX-License-Identifier: Apache-2.0
// ROM of cubes: (P/Q)^3 with 13 fraction bits, rounded to nearest (Dai17, section 2.5).
//
// P owners would use the cache with L = l_i; Q owners used it while the failures were counted.  L = Calcs admits every owner,
// and so does l_max_i = Calcs; otherwise P and Q are at most N = n_i.  Combinational: an AND-OR of constants, decoded by P and Q.
module mt_bpg_ratio #(
  parameter int Calcs   = 8,           // calculators: candidate values of L
  parameter int OwnerW  = 7,           // log2 of the largest number of owners
  parameter int Rebase  = 0,           // 0: Q is N, so P never exceeds Q; 1: Q follows l_max_i
  parameter int LastAll = 1,           // 1: L = Calcs admits every owner
  localparam int LW     = $clog2(Calcs + 1),
  localparam int NW     = OwnerW + 1,
  localparam int RatioW = (Rebase != 0) ? 23 : 14
) (
  input  wire logic [LW-1:0] l_i,      // candidate L
  input  wire logic [NW-1:0] n_i,      // N, the owners of the interval
  input  wire logic [LW-1:0] l_max_i,  // L in use while the failures were counted
  output logic [RatioW-1:0]  ratio_o   // (P/Q)^3, 13 fraction bits
);
  localparam int FractionW = 13;
  localparam int Owners    = 1 << OwnerW;
  localparam int Rows      = (LastAll != 0) ? Calcs - 1 : Calcs;  // values of P below all owners

  // Bit `b` of P^3/Q^3, where one of the two is `at` and the other runs from `from` to `to`.
  function automatic logic [Owners:0] bits_of(input int at, input bit at_is_p, input int from, input int to, input int b);
    logic [63:0] p, q;
    bits_of = '0;
    for (int i = from; i <= to; i = i + 1) begin
      p = at_is_p ? 64'(at) : 64'(i);
      q = at_is_p ? 64'(i) : 64'(at);
      bits_of[i] = 1'((((p * p * p) << (FractionW + 1)) + q * q * q) / (2 * q * q * q) >> b);
    end
  endfunction

  logic [NW-1:0]          p, q;
  logic [Owners:0]        q_is;         // one-hot
  logic [Rows*14-1:0]     less;         // P < Q: one row for each P
  logic [13:0]            below;

  assign p = ((LastAll != 0 && l_i == LW'(Calcs)) || NW'(l_i) > n_i) ? n_i : NW'(l_i);
  assign q = (Rebase == 0 || l_max_i == LW'(Calcs) || NW'(l_max_i) > n_i) ? n_i : NW'(l_max_i);

  generate
    for (genvar k = 0; k <= Owners; k++) begin : g_is
      assign q_is[k] = q == k;
    end
    for (genvar k = 1; k <= Rows; k++) begin : g_row
      for (genvar b = 0; b < 14; b++) begin : g_bit
        localparam logic [Owners:0] Ones = bits_of(k, 1'b1, k + 1, Owners, b);
        assign less[(k-1)*14+b] = (p == k) & (|(q_is & Ones));
      end
    end
  endgenerate

  always_comb begin
    below = 14'(p == q) << FractionW;
    for (int k = 0; k < Rows; k++) below = below | less[k*14 +: 14];
  end

  generate
    if (Rebase != 0) begin : g_rebase
      // P > Q: one row for each Q; saturates at 8^3.
      logic [(Calcs-1)*23-1:0] more;
      logic [22:0]             above;
      logic [Owners:0]         p_is;
      for (genvar k = 0; k <= Owners; k++) begin : g_p
        assign p_is[k] = p == k;
      end
      for (genvar k = 1; k < Calcs; k++) begin : g_row
        localparam int Last = (8 * k - 1 < Owners) ? 8 * k - 1 : Owners;
        for (genvar b = 0; b < 23; b++) begin : g_bit
          localparam logic [Owners:0] Ones = bits_of(k, 1'b0, k + 1, Last, b);
          assign more[(k-1)*23+b] = q_is[k] & (|(p_is & Ones));
        end
      end
      always_comb begin
        above = 23'(p != q && (NW + 3)'(p) >= {q, 3'b000}) << (FractionW + 9);
        for (int k = 0; k < Calcs - 1; k++) above = above | more[k*23 +: 23];
      end
      assign ratio_o = above | 23'(below);
    end else begin : g_measured_with_all
      assign ratio_o = below;
    end
  endgenerate
endmodule
