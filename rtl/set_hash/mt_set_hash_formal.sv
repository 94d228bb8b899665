// SPDX-License-Identifier: Apache-2.0
// Formal properties of set_hash, proved by `make formal BLOCK=set_hash`; included at the end of mt_set_hash.sv.
//
// No assumption about the address.  The block has no state: the addresses of this cycle and of the previous one are two
// arbitrary addresses, so two steps are a complete check.
`ifdef MT_SET_HASH_PROPERTIES
  localparam bit FRemainder  = Function == Pmod || Function == APrime;
  localparam bit FLongDivide = FRemainder || Function == Ipoly;
  localparam bit FEven       = Function == Bmod || Function == Bxor || Function == DPrime || Function == Ipoly || Function == Xorshift;
  // A column: lines that differ only in the address bits from FLow to FHigh - 1, above x.
  localparam int FShift      = Function == Xorshift ? C : IndexW;
  localparam int FLow        = FShift > IndexW ? FShift : IndexW;
  localparam int FHigh       = FShift + IndexW;

  logic              f_two;   // there was a previous cycle
  logic [AddrW-1:0]  f_addr;  // its address
  logic [IndexW-1:0] f_index; // its index
  logic [17:0]       f_rest, f_rest_before, f_next;

  initial f_two = 1'b0;
  always @(posedge clk_i) begin
    f_two         <= 1'b1;
    f_addr        <= addr_i;
    f_index       <= index_o;
    f_rest_before <= f_rest;
  end

  generate
    if (FRemainder) begin : g_f_rest
      logic [$clog2(C)-1:0] rest; // the index of A_PRIME is only a part of it
      mt_set_hash_mod #(.AddrW(AddrW), .Modulus(C)) u_mod (.addr_i(addr_i), .rest_o(rest));
      assign f_rest = 18'(rest);
    end else begin : g_f_rest
      assign f_rest = 18'(index_o);
    end
  endgenerate

  // One step of long division: the remainder so far, and the next bit of the address.
  always_comb begin
    f_next = {f_rest_before[16:0], addr_i[0]};
    if (FRemainder && f_next >= 18'(C)) f_next = f_next - 18'(C);
    if (Function == Ipoly && f_next[IndexW]) f_next = f_next ^ 18'(C);
  end

  always_comb begin
    if (FLongDivide) begin
      // Induction over the bits: the remainder of every address equals that of long division.
      if (addr_i == '0) p_zero: assert (f_rest == '0);
      if (f_two && (addr_i >> 1) == f_addr) p_long_division: assert (f_rest == f_next);
    end
    if (FRemainder) p_below_modulus: assert (f_rest < 18'(C));
    if (FRemainder) p_index_of_rest: assert (index_o == IndexW'(f_rest));
    if (f_two && FEven && addr_i[IndexW-1:0] != f_addr[IndexW-1:0] && (addr_i >> IndexW) == (f_addr >> IndexW)) begin
      // 2^k consecutive lines, from a multiple of 2^k on, map to distinct sets.
      p_row: assert (index_o != f_index);
    end
    if (f_two && FEven && addr_i[FLow-1:0] == f_addr[FLow-1:0] && addr_i != f_addr &&
        (addr_i >> FHigh) == (f_addr >> FHigh)) begin
      // The same set under BMOD, distinct sets under the others.
      p_column: assert ((Function == Bmod) == (index_o == f_index));
    end
  end
`endif
