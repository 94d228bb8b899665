// What is proved about set_hash (`make formal BLOCK=set_hash`): included at the end of set_hash.sv, so that it sees all of
// it.  Nothing is assumed about the address.  The block has no state: the address of this cycle and that of the cycle before
// are any two addresses, and two steps are all there is to check.
`ifdef SET_HASH_PROPERTIES
  localparam bit FRemainder  = Function == Pmod || Function == APrime;
  localparam bit FLongDivide = FRemainder || Function == Ipoly;
  localparam bit FEven       = Function == Bmod || Function == Bxor || Function == DPrime || Function == Ipoly;

  logic              f_two;   // there was a cycle before
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
      logic [$clog2(C)-1:0] rest; // A_PRIME's index is not all of it
      set_hash_mod #(.AddrW(AddrW), .Modulus(C)) u_mod (.addr_i(addr_i), .rest_o(rest));
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
      // Bit by bit from 0 on: together the remainder of every address is what long division says.
      if (addr_i == '0) p_zero: assert (f_rest == '0);
      if (f_two && (addr_i >> 1) == f_addr) p_long_division: assert (f_rest == f_next);
    end
    if (FRemainder) p_below_modulus: assert (f_rest < 18'(C));
    if (FRemainder) p_index_of_rest: assert (index_o == IndexW'(f_rest));
    if (f_two && FEven && addr_i[IndexW-1:0] != f_addr[IndexW-1:0] && (addr_i >> IndexW) == (f_addr >> IndexW)) begin
      // 2^k lines in a row, from a multiple of 2^k on, have a set each.
      p_row: assert (index_o != f_index);
    end
    if (f_two && FEven && addr_i[IndexW-1:0] == f_addr[IndexW-1:0] && addr_i != f_addr &&
        (addr_i >> (2 * IndexW)) == (f_addr >> (2 * IndexW))) begin
      // Lines that differ in t alone, 2^k apart: one set under BMOD, a set each under the others.
      p_column: assert ((Function == Bmod) == (index_o == f_index));
    end
  end
`endif
