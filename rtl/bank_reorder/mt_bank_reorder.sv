// SPDX-License-Identifier: Apache-2.0
// Reorders the requests of an L2 slice by DRAM bank alone (Gu20, section 2.3.3, figure 2.3).
//
// One FIFO for each bank; a round-robin arbiter drains them.  Banks = 1 is the plain FIFO of figure 2.2.  Same ports as cart,
// so that either can stand in front of the slice.
//
// Timing: one request in and one out per cycle; a request can leave in the cycle after it came.  in_ready_o depends on
// in_valid_i and in_addr_i; no other output depends on an input.  A slot that is freed in a cycle can be filled in the next.
// Parameters: Banks and Entries set the size, BankLsb and BankMsb select the bank bits of the address, Rotate the policy
// after a refusal.
`include "mt_assert.svh"

module mt_bank_reorder #(
  parameter int Banks   = 16,                   // number of queues, the paper's B; a power of two; 1: a FIFO
  parameter int Entries = 16,                   // entries per queue
  parameter int AddrW   = 41,                   // bits of a line address
  parameter int BankLsb = 1,                    // position of the lowest bank bit in the line address
  parameter int BankMsb = 5,                    // position of the remaining, contiguous bank bits, above the lowest; with fewer queues than banks the low ones are used
  parameter int InfoW   = 24,                   // bits of a request's payload
  parameter int Rotate  = 0,                    // after a refused request; 0: HOLD, offer it until it is taken; 1: ROTATE, offer the next queue's head
  localparam int BankW  = (Banks > 1) ? $clog2(Banks) : 1,
  localparam int UsedW  = (Banks * Entries > 0) ? $clog2(Banks * Entries + 1) : 1
) (
  input  wire logic             clk_i,          // clock, rising edge
  input  wire logic             rst_ni,         // synchronous reset, active low

  input  wire logic             in_valid_i,     // an incoming request is valid
  output logic                  in_ready_o,     // the incoming request fits and is accepted at this clock edge; 0 without in_valid_i
  input  wire logic [AddrW-1:0] in_addr_i,      // its line address
  input  wire logic [InfoW-1:0] in_info_i,      // its payload

  output logic                  out_valid_o,    // a queued request is offered
  input  wire logic             out_ready_i,    // the offered request is taken
  input  wire logic             out_refused_i,  // the offered request is refused in this cycle: ROTATE offers another one; ignored with out_ready_i
  output logic [AddrW-1:0]      out_addr_o,     // its line address
  output logic [InfoW-1:0]      out_info_o,     // its payload
  output logic [BankW-1:0]      out_bank_o,     // its queue
  output logic                  out_queue_o,    // 0: a branch has one queue

  output logic [UsedW-1:0]      used_o,         // requests held
  output logic [31:0]           stalls_o        // cycles in which an incoming request did not fit; saturates
);
  `MT_PARAM_CHECK(g_illegal_banks, Banks >= 1 && Banks <= 64 && (Banks & (Banks - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_entries, Entries >= 1)
  `MT_PARAM_CHECK(g_illegal_bank_bits, AddrW <= 64 && BankLsb >= 0 && BankLsb < BankMsb && BankMsb < AddrW)
  `MT_PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 64)
  `MT_PARAM_CHECK(g_illegal_rotate, Rotate == 0 || Rotate == 1)

  localparam int BitsW   = (AddrW > BankW) ? AddrW : BankW;
  localparam int SlotW   = (Entries > 1) ? $clog2(Entries) : 1;
  localparam int CountW  = $clog2(Entries + 1);
  localparam int EntryIW = (Banks * Entries > 1) ? $clog2(Banks * Entries) : 1;

  logic [Banks-1:0]  busy_q, busy_d;
  logic [CountW-1:0] count_q [Banks];
  (* mem2reg *)
  logic [SlotW-1:0]  head_q [Banks];
  logic [AddrW-1:0]  addr_q [Banks*Entries];
  logic [InfoW-1:0]  info_q [Banks*Entries];

  logic             hold_q, hold_d;
  logic [BankW-1:0] turn_bank_q, hold_bank_q;
  logic [UsedW-1:0] used_q, used_d;
  logic [31:0]      stalls_q, stalls_d;

  // ---- fill
  logic [BankW-1:0]   in_bank;
  logic [SlotW-1:0]   in_head, in_tail, in_slot;
  logic [EntryIW-1:0] in_entry;
  logic [CountW-1:0]  in_count;
  logic               in_busy, push;

  assign in_bank    = (Banks > 1) ? BankW'(((BitsW'(in_addr_i) >> BankMsb) << 1) | ((BitsW'(in_addr_i) >> BankLsb) & BitsW'(1))) : '0;
  assign in_busy    = busy_q[in_bank];
  assign in_count   = count_q[in_bank];
  assign push       = in_valid_i & ~(in_busy & (in_count == CountW'(Entries)));
  assign in_ready_o = push;

  assign in_head  = head_q[in_bank];
  mt_ring_add #(.Slots(Entries)) u_in_tail (.slot_i(in_head), .step_i(in_count), .slot_o(in_tail));
  assign in_slot  = (Entries == 1 || !in_busy) ? '0 : in_tail;
  assign in_entry = in_bank * EntryIW'(Entries) + EntryIW'(in_slot);

  // ---- drain: round robin over the queues
  logic [Banks-1:0]   fresh_onehot;
  logic [BankW-1:0]   fresh_bank, bank;
  logic [SlotW-1:0]   fresh_slot, out_slot, out_slot_next;
  logic [EntryIW-1:0] out_entry;
  logic [CountW-1:0]  out_count;
  logic               pop, same_bank, emptied;

  mt_first_from #(.Width(Banks)) u_fresh_bank (.vector_i(busy_q), .from_i(turn_bank_q), .onehot_o(fresh_onehot));
  mt_onehot_index #(.Width(Banks)) u_fresh_index (.onehot_i(fresh_onehot), .index_o(fresh_bank));

  // Selected by the one-hot vector, not by the encoded number: addr_q is still to be read in this cycle.
  always_comb begin
    fresh_slot = '0;
    for (int i = 0; i < Banks; i++) fresh_slot = fresh_slot | (head_q[i] & {SlotW{fresh_onehot[i]}});
  end

  // An offer that was neither accepted nor refused is held.
  assign out_valid_o   = hold_q | (|busy_q);
  assign bank          = hold_q ? hold_bank_q : fresh_bank;
  assign pop           = out_valid_o & out_ready_i;
  assign hold_d        = out_valid_o & ~pop & ~((Rotate != 0) & out_refused_i);
  assign out_count     = count_q[bank];
  assign out_slot      = (Entries == 1) ? '0 : hold_q ? head_q[hold_bank_q] : fresh_slot;
  assign out_entry     = bank * EntryIW'(Entries) + EntryIW'(out_slot);
  assign same_bank     = push & (in_bank == bank);
  assign emptied       = pop & (out_count == 1);

  mt_ring_add #(.Slots(Entries)) u_out_next (.slot_i(out_slot), .step_i(CountW'(1)), .slot_o(out_slot_next));

  assign out_addr_o  = out_valid_o ? addr_q[out_entry] : '0;
  assign out_info_o  = out_valid_o ? info_q[out_entry] : '0;
  assign out_bank_o  = out_valid_o ? bank : '0;
  assign out_queue_o = 1'b0;

  always_comb begin
    busy_d = busy_q;
    if (emptied) busy_d[bank] = 1'b0;
    if (push) busy_d[in_bank] = 1'b1;
  end

  assign used_d   = used_q + UsedW'(push) - UsedW'(pop);
  assign used_o   = used_q;
  assign stalls_o = stalls_q;
  mt_sat_count u_stalls (.count_i(stalls_q), .step_i(in_valid_i & ~push), .count_o(stalls_d));

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q      <= '0;
      turn_bank_q <= '0;
      hold_q      <= 1'b0;
      hold_bank_q <= '0;
      used_q      <= '0;
      stalls_q    <= '0;
    end else begin
      busy_q <= busy_d;
      hold_q <= hold_d;
      used_q <= used_d;
      stalls_q <= stalls_d;
      if (out_valid_o && !hold_d) turn_bank_q <= (Banks > 1) ? bank + 1 : '0;
      if (hold_d) hold_bank_q <= bank;
    end
  end

  // The tables are valid only for a queue that is not empty: not reset, and they hold their values during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && pop) begin
      count_q[bank] <= out_count - 1;
      if (Entries > 1) head_q[bank] <= out_slot_next;
    end
    if (rst_ni && push) begin
      count_q[in_bank] <= in_busy ? in_count + CountW'(!(pop && same_bank)) : 1;
      if (Entries > 1 && !in_busy) head_q[in_bank] <= '0;
      addr_q[in_entry] <= in_addr_i;
      info_q[in_entry] <= in_info_i;
    end
  end

  `MT_ASSERT(g_an_offer_is_held, !out_valid_o || busy_q[bank])

`ifdef FORMAL
  `define MT_BANK_REORDER_PROPERTIES
  `include "mt_bank_reorder_formal.sv"
  `undef MT_BANK_REORDER_PROPERTIES
`endif
endmodule
