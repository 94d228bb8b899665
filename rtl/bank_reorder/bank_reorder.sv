// Reordering by bank alone (paper 002, section 2.3.3, figure 2.3): a FIFO queue for each bank, drained in turn.  With one
// queue it is the FIFO of figure 2.2.  Same ports as cart.
//
// Nothing leads from an input to an output but the offered address to in_ready_o: what leaves in a cycle makes room in the next.
`include "assert.svh"

module bank_reorder #(
  parameter int Banks   = 16,
  parameter int Entries = 16,
  parameter int AddrW   = 41,
  parameter int BankLsb = 1,
  parameter int BankMsb = 5,
  parameter int InfoW   = 24,
  parameter int Rotate  = 0,
  localparam int BankW  = (Banks > 1) ? $clog2(Banks) : 1,
  localparam int UsedW  = (Banks * Entries > 0) ? $clog2(Banks * Entries + 1) : 1
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,

  input  wire logic             in_valid_i,
  output logic                  in_ready_o,
  input  wire logic [AddrW-1:0] in_addr_i,
  input  wire logic [InfoW-1:0] in_info_i,

  output logic                  out_valid_o,
  input  wire logic             out_ready_i,
  input  wire logic             out_refused_i,
  output logic [AddrW-1:0]      out_addr_o,
  output logic [InfoW-1:0]      out_info_o,
  output logic [BankW-1:0]      out_bank_o,
  output logic                  out_queue_o,

  output logic [UsedW-1:0]      used_o,
  output logic [31:0]           stalls_o
);
  `PARAM_CHECK(g_illegal_banks, Banks >= 1 && Banks <= 64 && (Banks & (Banks - 1)) == 0)
  `PARAM_CHECK(g_illegal_entries, Entries >= 1)
  `PARAM_CHECK(g_illegal_bank_bits, AddrW <= 64 && BankLsb >= 0 && BankLsb < BankMsb && BankMsb < AddrW)
  `PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 64)
  `PARAM_CHECK(g_illegal_rotate, Rotate == 0 || Rotate == 1)

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
  logic [31:0]      stalls_q;

  // ---- fill
  logic [BankW-1:0]   in_bank;
  logic [SlotW:0]     in_place;
  logic [SlotW-1:0]   in_slot;
  logic [EntryIW-1:0] in_entry;
  logic [CountW-1:0]  in_count;
  logic               in_busy, push;

  assign in_bank    = (Banks > 1) ? BankW'(((in_addr_i >> BankMsb) << 1) | ((in_addr_i >> BankLsb) & AddrW'(1))) : '0;
  assign in_busy    = busy_q[in_bank];
  assign in_count   = count_q[in_bank];
  assign push       = in_valid_i & ~(in_busy & (in_count == CountW'(Entries)));
  assign in_ready_o = push;

  // Entries need not be a power of two.
  assign in_place = (SlotW+1)'(head_q[in_bank]) + (SlotW+1)'(in_count);
  assign in_slot  = (Entries == 1 || !in_busy) ? '0 :
                    SlotW'((in_place >= (SlotW+1)'(Entries)) ? in_place - (SlotW+1)'(Entries) : in_place);
  assign in_entry = EntryIW'(in_bank) * EntryIW'(Entries) + EntryIW'(in_slot);

  // ---- drain: the queues in turn
  logic [Banks-1:0]   fresh_onehot;
  logic [BankW-1:0]   fresh_bank, bank;
  logic [SlotW-1:0]   fresh_slot, out_slot, out_slot_next;
  logic [SlotW:0]     out_place;
  logic [EntryIW-1:0] out_entry;
  logic [CountW-1:0]  out_count;
  logic               pop, same_bank, emptied;

  first_from #(.Width(Banks)) u_fresh_bank (.vector_i(busy_q), .from_i(turn_bank_q), .onehot_o(fresh_onehot));
  onehot_index #(.Width(Banks)) u_fresh_index (.onehot_i(fresh_onehot), .index_o(fresh_bank));

  // By the vector, not by the number that is made of it later: addr_q is yet to be read in this cycle.
  always_comb begin
    fresh_slot = '0;
    for (int i = 0; i < Banks; i++) fresh_slot = fresh_slot | (head_q[i] & {SlotW{fresh_onehot[i]}});
  end

  // An offer that was neither taken nor given up stands, whatever has come in since.
  assign out_valid_o   = hold_q | (|busy_q);
  assign bank          = hold_q ? hold_bank_q : fresh_bank;
  assign pop           = out_valid_o & out_ready_i;
  assign hold_d        = out_valid_o & ~pop & ~((Rotate != 0) & out_refused_i);
  assign out_count     = count_q[bank];
  assign out_slot      = (Entries == 1) ? '0 : hold_q ? head_q[hold_bank_q] : fresh_slot;
  assign out_entry     = EntryIW'(bank) * EntryIW'(Entries) + EntryIW'(out_slot);
  assign out_place     = (SlotW+1)'(out_slot) + (SlotW+1)'(1);
  assign out_slot_next = SlotW'((out_place >= (SlotW+1)'(Entries)) ? out_place - (SlotW+1)'(Entries) : out_place);
  assign same_bank     = push & (in_bank == bank);
  assign emptied       = pop & (out_count == CountW'(1));

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
      if (out_valid_o && !hold_d) turn_bank_q <= (Banks > 1) ? bank + BankW'(1) : '0;
      if (hold_d) hold_bank_q <= bank;
      if (in_valid_i && !push && stalls_q != '1) stalls_q <= stalls_q + 32'd1;
    end
  end

  // The tables mean nothing for a queue that is empty: no reset, and they keep their values in one.
  always_ff @(posedge clk_i) begin
    if (rst_ni && pop) begin
      count_q[bank] <= out_count - CountW'(1);
      if (Entries > 1) head_q[bank] <= out_slot_next;
    end
    if (rst_ni && push) begin
      count_q[in_bank] <= in_busy ? in_count + CountW'(!(pop && same_bank)) : CountW'(1);
      if (Entries > 1 && !in_busy) head_q[in_bank] <= '0;
      addr_q[in_entry] <= in_addr_i;
      info_q[in_entry] <= in_info_i;
    end
  end

  `ASSERT(g_an_offer_is_held, !out_valid_o || busy_q[bank])

`ifdef FORMAL
  `define BANK_REORDER_PROPERTIES
  `include "bank_reorder_formal.sv"
  `undef BANK_REORDER_PROPERTIES
`endif
endmodule
