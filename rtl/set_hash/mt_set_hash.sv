// SPDX-License-Identifier: Apache-2.0
// Index functions: map a line address to a cache set or a memory partition (Dai17, sections 3.4 and 3.7; Khairy15,
// section 4.3).
//
// Timing: combinational.  The clock and the reset serve the assertion and the common port contract of all blocks.
// Parameters: Function selects the index function, Kind its default constant, Constant another one.
`include "mt_assert.svh"

module mt_set_hash #(
  parameter int Function = 5,             // enum set_hash_function: 0 BMOD, 1 BXOR, 2 PMOD, 3 A_PRIME, 4 D_PRIME, 5 IPOLY, 6 FERMI, 7 XORSHIFT
  parameter int Kind     = 0,             // enum set_hash_kind, target of the derived constant: 0 cache sets, 1 memory partitions
  parameter int IndexW   = 5,             // bits of the index, k
  parameter int AddrW    = 41,            // bits of the line address; at least IndexW
  parameter int Constant = 0              // overrides the derived modulus, displacement, polynomial or shift; 0: derived
) (
  input  wire logic              clk_i,   // clock, rising edge
  input  wire logic              rst_ni,  // synchronous reset, active low
  input  wire logic [AddrW-1:0]  addr_i,  // line address, or interleave unit number
  output logic [IndexW-1:0]      index_o  // set or partition
);
  localparam int Bmod     = 0;
  localparam int Bxor     = 1;
  localparam int Pmod     = 2;
  localparam int APrime   = 3;
  localparam int DPrime   = 4;
  localparam int Ipoly    = 5;
  localparam int Fermi    = 6;
  localparam int Xorshift = 7;

  // The largest prime not above 2^k.
  function automatic int prime_up_to(input int k);
    case (k)
      1: prime_up_to = 2;
      2: prime_up_to = 3;
      3: prime_up_to = 7;
      4: prime_up_to = 13;
      5: prime_up_to = 31;
      6: prime_up_to = 61;
      7: prime_up_to = 127;
      8: prime_up_to = 251;
      9: prime_up_to = 509;
      10: prime_up_to = 1021;
      11: prime_up_to = 2039;
      12: prime_up_to = 4093;
      13: prime_up_to = 8191;
      14: prime_up_to = 16381;
      15: prime_up_to = 32749;
      16: prime_up_to = 65521;
      default: prime_up_to = 131071;
    endcase
  endfunction

  // The smallest prime above 2^k.
  function automatic int prime_above(input int k);
    case (k)
      1: prime_above = 3;
      2: prime_above = 5;
      3: prime_above = 11;
      4: prime_above = 17;
      5: prime_above = 37;
      6: prime_above = 67;
      7: prime_above = 131;
      8: prime_above = 257;
      9: prime_above = 521;
      10: prime_above = 1031;
      11: prime_above = 2053;
      12: prime_above = 4099;
      13: prime_above = 8209;
      14: prime_above = 16411;
      15: prime_above = 32771;
      default: prime_above = 65537;
    endcase
  endfunction

  // Irreducible, of degree k; 19 and 37 are the papers'.
  function automatic int polynomial(input int k);
    case (k)
      1: polynomial = 3;
      2: polynomial = 7;
      3: polynomial = 11;
      4: polynomial = 19;
      5: polynomial = 37;
      6: polynomial = 67;
      7: polynomial = 131;
      8: polynomial = 285;
      9: polynomial = 529;
      10: polynomial = 1033;
      11: polynomial = 2053;
      12: polynomial = 4179;
      13: polynomial = 8219;
      14: polynomial = 17475;
      15: polynomial = 32771;
      default: polynomial = 69643;
    endcase
  endfunction

  function automatic int derived(input int k);
    derived = 0;
    if (Function == Pmod) derived = prime_up_to(k);
    if (Function == APrime) derived = (Kind == 0) ? prime_above(k) : prime_up_to(k + 1);
    if (Function == DPrime) derived = (Kind == 0) ? 9 : 11;
    if (Function == Ipoly) derived = polynomial(k);
    if (Function == Xorshift) derived = (Kind == 0) ? 7 : 8;
  endfunction

  localparam int C = (Constant != 0) ? Constant : derived(IndexW);

  `MT_PARAM_CHECK(g_illegal_function, Function >= Bmod && Function <= Xorshift)
  `MT_PARAM_CHECK(g_illegal_kind, Kind == 0 || Kind == 1)
  `MT_PARAM_CHECK(g_illegal_index_w, IndexW >= 1 && IndexW <= 16)
  `MT_PARAM_CHECK(g_illegal_addr_w, AddrW >= IndexW && AddrW <= 64)
  `MT_PARAM_CHECK(g_illegal_constant_size, Constant >= 0 && Constant <= 131071)
  `MT_PARAM_CHECK(g_illegal_modulus, Function != Pmod || (C >= 2 && C <= (1 << IndexW)))
  `MT_PARAM_CHECK(g_illegal_constant, (Function != APrime && Function != Ipoly) || (C >> IndexW) == 1)
  `MT_PARAM_CHECK(g_illegal_shift, Function != Xorshift || C <= 63)
  `MT_PARAM_CHECK(g_illegal_fermi, Function != Fermi || (IndexW == 5 && AddrW >= 13))

  // Only the remainders use the whole address.
  logic [AddrW-1:0] unused_addr;
  assign unused_addr = addr_i;

  generate
    if (Function == Bxor) begin : g_bxor
      assign index_o = addr_i[IndexW-1:0] ^ IndexW'(addr_i >> IndexW);
    end else if (Function == Xorshift) begin : g_xorshift
      assign index_o = addr_i[IndexW-1:0] ^ IndexW'(addr_i >> C);
    end else if (Function == Pmod || Function == APrime) begin : g_mod
      logic [$clog2(C)-1:0] rest;
      mt_set_hash_mod #(.AddrW(AddrW), .Modulus(C)) u_mod (.addr_i(addr_i), .rest_o(rest));
      assign index_o = IndexW'(rest);
      logic [$clog2(C)-1:0] unused_rest;  // the top bit of A_PRIME's remainder
      assign unused_rest = rest;
    end else if (Function == DPrime) begin : g_d_prime
      // Only the low k bits of T affect the low k bits of the product.
      assign index_o = IndexW'(addr_i >> IndexW) * IndexW'(C) + addr_i[IndexW-1:0];
    end else if (Function == Ipoly) begin : g_ipoly
      mt_set_hash_poly #(.AddrW(AddrW), .IndexW(IndexW), .Polynomial(C)) u_poly (.addr_i(addr_i), .rest_o(index_o));
    end else if (Function == Fermi) begin : g_fermi
      assign index_o = addr_i[4:0] ^ {addr_i[12], addr_i[10], addr_i[8:6]};
    end else begin : g_bmod
      assign index_o = addr_i[IndexW-1:0];
    end
  endgenerate

  // PMOD does not use the sets from its modulus on.
  `MT_ASSERT(g_below_modulus, Function != Pmod || 32'(index_o) < C)

`ifdef FORMAL
  `define MT_SET_HASH_PROPERTIES
  `include "mt_set_hash_formal.sv"
  `undef MT_SET_HASH_PROPERTIES
`endif
endmodule
