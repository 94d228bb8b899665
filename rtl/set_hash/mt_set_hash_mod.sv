// SPDX-License-Identifier: Apache-2.0
// Remainder of the address by a constant, without a divider (PMOD and A_PRIME: Dai17, section 3.4).
//
// Combinational.  The modulus is Odd * 2^Twos: the low Twos bits pass through, the bits above are reduced modulo Odd.
// Odd = 2^n - 1: a tree adds digits of n bits, each carry end-around, since 2^n = 1.
// Any other Odd: a ROM gives the residue of each 4-bit digit at its position; a tree adds them, and conditional subtractions
// of Odd * 2^i bring the sum below Odd.
module mt_set_hash_mod #(
  parameter int AddrW   = 41,            // bits of a line address
  parameter int Modulus = 37,            // constant modulus
  localparam int RestW  = $clog2(Modulus)
) (
  input  wire logic [AddrW-1:0] addr_i,  // line address
  output logic [RestW-1:0]      rest_o   // remainder
);
  function automatic int twos_of(input int value);
    int v;
    v = value;
    twos_of = 0;
    for (int i = 0; i < 31; i++) begin
      if (v % 2 == 0 && v > 0) begin
        v = v / 2;
        twos_of = twos_of + 1;
      end
    end
  endfunction

  localparam int Twos      = twos_of(Modulus);
  localparam int Odd       = Modulus >> Twos;
  localparam int OddW      = (Odd > 1) ? $clog2(Odd) : 1;
  localparam bit EndAround = Odd > 1 && (Odd & (Odd + 1)) == 0;
  localparam int DigitW    = EndAround ? OddW : 4;
  localparam int HighW     = (AddrW > Twos) ? AddrW - Twos : 1;
  localparam int Digits    = (HighW + DigitW - 1) / DigitW;
  localparam int SumW      = OddW + $clog2(Digits);

  generate
    if (Odd == 1) begin : g_power_of_two
      logic unused;
      assign unused = &{1'b0, addr_i};
      assign rest_o = addr_i[Twos-1:0];
    end else begin : g_odd
      logic [Digits*DigitW-1:0] high;
      logic [OddW-1:0]          rest;

      assign high = (Digits*DigitW)'(addr_i[AddrW-1:Twos]);
      if (Twos > 0) begin : g_low
        assign rest_o = {rest, addr_i[Twos-1:0]};
      end else begin : g_no_low
        assign rest_o = rest;
      end

      // Trees: node i has the children 2i and 2i + 1; the digits are the last nodes, the root is node 1.
      if (EndAround) begin : g_end_around
        logic [2*Digits*OddW-1:0] node;
        logic [OddW:0]            sum;

        always_comb begin
          node = {high, {Digits * OddW{1'b0}}};
          sum  = '0;
          for (int i = Digits - 1; i > 0; i--) begin
            sum = {1'b0, node[2*i*OddW +: OddW]} + {1'b0, node[(2*i+1)*OddW +: OddW]};
            node[i*OddW +: OddW] = sum[OddW-1:0] + OddW'(sum[OddW]);
          end
          // All ones also means 0.
          rest = (node[OddW +: OddW] == OddW'(Odd)) ? '0 : node[OddW +: OddW];
        end
      end else begin : g_table
        logic [Digits*SumW-1:0]   residue;
        logic [2*Digits*SumW-1:0] node;
        logic [SumW-1:0]          sum;

        for (genvar i = 0; i < Digits; i++) begin : g_digit
          logic [OddW-1:0] r;
          mt_set_hash_residue #(.Odd(Odd), .Place(4 * i)) u_residue (.digit_i(high[4*i +: 4]), .residue_o(r));
          assign residue[i*SumW +: SumW] = SumW'(r);
        end

        always_comb begin
          node = {residue, {Digits * SumW{1'b0}}};
          for (int i = Digits - 1; i > 0; i--) begin
            node[i*SumW +: SumW] = node[2*i*SumW +: SumW] + node[(2*i+1)*SumW +: SumW];
          end
          sum = node[SumW +: SumW];
          for (int i = SumW - OddW - 1; i >= 0; i--) begin
            if (sum >= (SumW'(Odd) << i)) sum = sum - (SumW'(Odd) << i);
          end
          rest = sum[OddW-1:0];
        end
      end
    end
  endgenerate
endmodule
