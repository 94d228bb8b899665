// SPDX-License-Identifier: Apache-2.0
// Cache Access Reordering Tree: groups the requests of an L2 slice by DRAM bank, row and line (Gu20, sections 2.4.1 to
// 2.4.4).
//
// A branch for each bank, row groups in a branch, leaf queues in a row group; a leaf queue holds requests of one line.  The
// branches take turns; mt_cart_choose selects the leaf queue of a branch.
//
// Timing: one request in and one out per cycle; a request can leave in the cycle after it came.  in_ready_o depends on
// in_valid_i and in_addr_i; no other output depends on an input.  A slot that is freed in a cycle can be filled in the next.
// Parameters: Banks, Rows, Cols and Entries set the tree, BankLsb, BankMsb and RowLsb the address map, Patience the requests
// between two round-robin turns, Rotate the policy after a refusal.
`include "mt_assert.svh"

module mt_cart #(
  parameter int Banks    = 16,                  // branches, one per DRAM bank; a power of two
  parameter int Rows     = 4,                   // row groups per branch: different rows that it can hold at a time
  parameter int Cols     = 2,                   // leaf queues per row group
  parameter int Entries  = 2,                   // entries per leaf queue
  parameter int AddrW    = 41,                  // bits of a line address
  parameter int BankLsb  = 1,                   // position of the lowest bank bit in the line address
  parameter int BankMsb  = 5,                   // position of the remaining, contiguous bank bits, above the lowest
  parameter int RowLsb   = 8,                   // position of the lowest row bit; lower bits that are not bank bits: the column
  parameter int InfoW    = 24,                  // bits of a request's payload
  parameter int Rotate   = 0,                   // after a refused request; 0: HOLD, offer it until it is taken; 1: ROTATE, offer the next branch's
  parameter int Patience = 64,                  // every Patience-th request of a branch comes from its leaf queues in round robin; 0: never
  localparam int Queues  = Rows * Cols,
  localparam int BankW   = (Banks > 1) ? $clog2(Banks) : 1,
  localparam int QueueW  = (Queues > 1) ? $clog2(Queues) : 1,
  localparam int UsedW   = $clog2(Banks * Queues * Entries + 1)
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
  output logic [BankW-1:0]      out_bank_o,     // its branch
  output logic [QueueW-1:0]     out_queue_o,    // its leaf queue: row group * Cols + queue of the group

  output logic [UsedW-1:0]      used_o,         // requests held
  output logic [31:0]           stalls_o        // cycles in which an incoming request did not fit; saturates
);
  `MT_PARAM_CHECK(g_illegal_banks, Banks >= 2 && Banks <= 64 && (Banks & (Banks - 1)) == 0)
  `MT_PARAM_CHECK(g_illegal_queues, Rows >= 1 && Cols >= 1 && Queues <= 64)
  `MT_PARAM_CHECK(g_illegal_entries, Entries >= 1)
  `MT_PARAM_CHECK(g_illegal_row, RowLsb < AddrW && AddrW <= 64)
  `MT_PARAM_CHECK(g_illegal_bank_bits, BankLsb >= 0 && BankLsb < BankMsb && BankMsb + BankW - 1 <= RowLsb)
  `MT_PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 64)
  `MT_PARAM_CHECK(g_illegal_patience, Patience >= 0 && Patience <= 1024)
  `MT_PARAM_CHECK(g_illegal_rotate, Rotate == 0 || Rotate == 1)

  localparam int RowW    = AddrW - RowLsb;
  localparam int ColW    = (Cols > 1) ? $clog2(Cols) : 1;
  localparam int SlotW   = (Entries > 1) ? $clog2(Entries) : 1;
  localparam int CountW  = $clog2(Entries + 1);
  localparam int ServedW = (Patience > 1) ? $clog2(Patience) : 1;
  localparam int RowIW   = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int GroupIW = $clog2(Banks * Rows);
  localparam int QueueIW = $clog2(Banks * Queues);
  localparam int EntryIW = $clog2(Banks * Queues * Entries);
  localparam int OtherBankBits = (Banks - 1) >> 1;
  localparam logic [AddrW-1:0] BankMask = (AddrW'(OtherBankBits) << BankMsb) | (1 << BankLsb);

  // Per branch, row group, leaf queue and entry; see cart.h.
  logic [Banks-1:0]   busy_q, busy_d;
  (* mem2reg *)
  logic [Queues-1:0]  valid_q [Banks];
  (* mem2reg *)
  logic [Queues-1:0]  linked_q [Banks];
  (* mem2reg *)
  logic [Queues-1:0]  blocked_q [Banks];
  (* mem2reg *)
  logic [QueueW-1:0]  last_q [Banks];
  logic [Banks-1:0]   same_q, stay_q;
  (* mem2reg *)
  logic [ServedW-1:0] served_q [Banks];
  (* mem2reg *)
  logic [QueueW-1:0]  turn_q [Banks];
  logic [RowW-1:0]    row_q [Banks*Rows];
  logic [RowLsb-1:0]  col_q [Banks*Queues];
  (* mem2reg *)
  logic [CountW-1:0]  count_q [Banks*Queues];
  (* mem2reg *)
  logic [SlotW-1:0]   head_q [Banks*Queues];
  logic [ColW-1:0]    next_q [Banks*Queues];
  logic [InfoW-1:0]   info_q [Banks*Queues*Entries];

  logic              hold_q, hold_d;
  logic [BankW-1:0]  bank_q, bank_d;
  logic [QueueW-1:0] hold_queue_q;
  logic [UsedW-1:0]  used_q, used_d;
  logic [31:0]       stalls_q, stalls_d;

  // ---- fill: compares all leaf queues of the branch in parallel
  logic [BankW-1:0]   in_bank;
  logic [Queues-1:0]  in_valid_word, row_same, row_empty, match, spare, assigned, in_onehot;
  logic [Queues-1:0]  in_full;                       // per queue: full, slot of its next request, length
  logic [Queues*SlotW-1:0]  in_slots;
  logic [Queues*CountW-1:0] in_counts;
  logic [QueueW-1:0]  match_queue, assigned_queue, in_queue;
  logic [QueueIW-1:0] in_queues, match_index, in_index;  // in_queues, in_rows: first queue, row group of the branch
  logic [GroupIW-1:0] in_rows, in_row_index;
  logic               merge, assign_queue, push;

  assign in_bank       = BankW'(((in_addr_i >> BankMsb) << 1) | ((in_addr_i >> BankLsb) & AddrW'(1)));
  assign in_valid_word = valid_q[in_bank];
  assign in_queues     = in_bank * QueueIW'(Queues);
  assign in_rows       = in_bank * GroupIW'(Rows);

  generate
    for (genvar g = 0; g < Rows; g++) begin : g_group
      logic busy;
      assign busy = |in_valid_word[g*Cols +: Cols];
      assign row_same[g*Cols +: Cols] =
        {Cols{busy & (row_q[in_rows + g] == in_addr_i[AddrW-1:RowLsb])}};
      assign row_empty[g*Cols +: Cols] = Cols'(!busy);
      for (genvar c = 0; c < Cols; c++) begin : g_queue
        logic [QueueIW-1:0] index;
        logic [CountW-1:0]  count;
        logic [SlotW-1:0]   head;
        assign index = in_queues + QueueIW'(g * Cols + c);
        assign count = count_q[index];
        assign head  = head_q[index];
        assign in_full[g*Cols+c] = count == CountW'(Entries);
        assign in_counts[(g*Cols+c)*CountW +: CountW] = count;
        mt_ring_add #(.Slots(Entries)) u_slot (.slot_i(head), .step_i(count), .slot_o(in_slots[(g*Cols+c)*SlotW +: SlotW]));
        assign match[g*Cols+c] = row_same[g*Cols+c] & in_valid_word[g*Cols+c] & ~linked_q[in_bank][g*Cols+c] &
                                 (col_q[index] == (in_addr_i[RowLsb-1:0] & ~BankMask[RowLsb-1:0]));
      end
    end
  endgenerate

  mt_onehot_index #(.Width(Queues)) u_match_queue (.onehot_i(match), .index_o(match_queue));
  assign match_index  = in_queues + QueueIW'(match_queue);
  assign merge        = (|match) & ~in_full[match_queue];
  assign spare        = (|row_same) ? row_same & ~in_valid_word : row_empty;
  mt_first_one #(.Width(Queues)) u_assigned (.vector_i(spare), .onehot_o(assigned));
  mt_onehot_index #(.Width(Queues)) u_assigned_queue (.onehot_i(assigned), .index_o(assigned_queue));
  assign assign_queue = ~merge & (|spare);
  assign in_onehot    = merge ? match : assigned;
  assign in_queue     = merge ? match_queue : assigned_queue;
  assign in_index     = in_queues + QueueIW'(in_queue);
  assign push         = in_valid_i & (merge | assign_queue);
  assign in_ready_o   = push;

  // ---- drain: every branch chooses a queue; the mux of the offered branch comes last
  logic [QueueW-1:0]       queue;
  logic [Queues-1:0]       held, out_onehot;
  logic [Banks*Queues-1:0] choices;
  logic [Banks*SlotW-1:0]  slots;
  logic [SlotW-1:0]        out_slot;
  logic [Banks-1:0]        bank_onehot, turns;
  logic                    turn, pop;

  assign bank_onehot = 1 << bank_q;
  assign held        = 1 << hold_queue_q;
  generate
    for (genvar b = 0; b < Banks; b++) begin : g_branch
      logic [Queues*CountW-1:0] counts;
      logic [Queues*SlotW-1:0]  heads;
      logic [Queues-1:0]        eligible;
      logic [QueueW-1:0]        last, turn_from;
      for (genvar i = 0; i < Queues; i++) begin : g_queue
        assign counts[i*CountW +: CountW] = count_q[b*Queues+i];
        assign heads[i*SlotW +: SlotW]    = (Entries > 1) ? head_q[b*Queues+i] : '0;
      end
      assign eligible  = valid_q[b] & ~blocked_q[b];
      assign last      = last_q[b];
      assign turn_from = turn_q[b];  // Yosys does not accept a table in a port connection
      assign turns[b]  = Patience != 0 && served_q[b] == ServedW'(Patience - 1);
      mt_cart_choose #(.Rows(Rows), .Cols(Cols), .CountW(CountW), .SlotW(SlotW)) u_choose (
        .eligible_i  (eligible),
        .counts_i    (counts),
        .heads_i     (heads),
        .hold_i      (hold_q),
        .held_i      (held),
        .last_i      (last),
        .same_i      (same_q[b]),
        .stay_i      (stay_q[b]),
        .turn_i      (turns[b]),
        .turn_from_i (turn_from),
        .onehot_o    (choices[b*Queues +: Queues]),
        .slot_o      (slots[b*SlotW +: SlotW])
      );
    end
  endgenerate

  mt_onehot_mux #(.Words(Banks), .Width(Queues)) u_out_onehot (.onehot_i(bank_onehot), .words_i(choices), .word_o(out_onehot));
  mt_onehot_mux #(.Words(Banks), .Width(SlotW)) u_out_slot (.onehot_i(bank_onehot), .words_i(slots), .word_o(out_slot));
  mt_onehot_index #(.Width(Queues)) u_queue (.onehot_i(out_onehot), .index_o(queue));
  assign turn = turns[bank_q];

  // An offer that was neither accepted nor refused is held.
  assign out_valid_o = hold_q | (|busy_q);
  assign pop         = out_valid_o & out_ready_i;
  assign hold_d      = out_valid_o & ~pop & ~((Rotate != 0) & out_refused_i);

  // ---- round robin over the branches: the next one that holds a request or gets one in this cycle; if none, the same one
  logic [Banks-1:0] others, next_onehot;
  logic [BankW-1:0] next_bank;

  // Masked after the shift: in_bank is unknown without a valid request.
  assign others = (busy_q | ((1 << in_bank) & {Banks{push}})) & ~bank_onehot;
  mt_first_from #(.Width(Banks)) u_next (.vector_i(others), .from_i(bank_q), .onehot_o(next_onehot));
  mt_onehot_index #(.Width(Banks)) u_next_bank (.onehot_i(next_onehot), .index_o(next_bank));
  assign bank_d = (hold_d || others == '0) ? bank_q : next_bank;

  // ---- the offered queue
  logic [CountW-1:0]  out_count;
  logic [EntryIW-1:0] out_entry;
  logic [RowLsb-1:0]  out_col;
  logic [RowW-1:0]    out_tag;
  logic [ColW-1:0]    out_next;
  logic [Queues-1:0]  out_group;
  logic [Rows-1:0]    out_row, in_row;
  logic [RowIW-1:0]   in_row_number;
  logic [Queues*CountW-1:0] out_counts;
  logic [Queues*RowLsb-1:0] out_cols;
  logic [Queues*ColW-1:0]   out_nexts;
  logic [Rows*RowW-1:0]     out_rows;

  generate
    for (genvar i = 0; i < Queues; i++) begin : g_of_branch
      logic [QueueIW-1:0] index;
      assign index = bank_q * QueueIW'(Queues) + i;
      assign out_counts[i*CountW +: CountW] = count_q[index];
      assign out_cols[i*RowLsb +: RowLsb]   = col_q[index];
      assign out_nexts[i*ColW +: ColW]      = next_q[index];
    end
    for (genvar g = 0; g < Rows; g++) begin : g_row
      assign out_rows[g*RowW +: RowW] = row_q[bank_q * GroupIW'(Rows) + g];
      assign out_row[g] = |out_onehot[g*Cols +: Cols];
      assign out_group[g*Cols +: Cols] = {Cols{out_row[g]}};
      assign in_row[g]  = |in_onehot[g*Cols +: Cols];
    end
  endgenerate
  mt_onehot_index #(.Width(Rows)) u_in_row (.onehot_i(in_row), .index_o(in_row_number));
  assign in_row_index = in_rows + GroupIW'(in_row_number);

  mt_onehot_mux #(.Words(Queues), .Width(CountW)) u_out_count (.onehot_i(out_onehot), .words_i(out_counts), .word_o(out_count));
  mt_onehot_mux #(.Words(Queues), .Width(RowLsb)) u_out_col (.onehot_i(out_onehot), .words_i(out_cols), .word_o(out_col));
  mt_onehot_mux #(.Words(Queues), .Width(ColW)) u_out_next (.onehot_i(out_onehot), .words_i(out_nexts), .word_o(out_next));
  mt_onehot_mux #(.Words(Rows), .Width(RowW)) u_out_tag (.onehot_i(out_row), .words_i(out_rows), .word_o(out_tag));
  assign out_entry = (bank_q * EntryIW'(Queues) + EntryIW'(queue)) * EntryIW'(Entries) + EntryIW'(out_slot);

  assign out_addr_o  = out_valid_o ? {out_tag, out_col} |
                                     ((AddrW'(bank_q) >> 1) << BankMsb) | (AddrW'(bank_q[0]) << BankLsb) : '0;
  assign out_info_o  = out_valid_o ? info_q[out_entry] : '0;
  assign out_bank_o  = out_valid_o ? bank_q : '0;
  assign out_queue_o = out_valid_o ? queue : '0;

  // ---- next state of the branches that fill and drain use; where it is the same branch, the drain comes first
  logic               same_bank, same_queue, emptied, gone, link;
  logic [Queues-1:0]  successor, out_valid_word, out_linked, out_blocked, in_valid_now, in_linked_now, in_blocked_now;
  logic [Queues-1:0]  out_valid_end;
  logic [CountW-1:0]  in_count;
  logic [SlotW-1:0]   in_slot;
  logic [EntryIW-1:0] in_entry;
  logic [Cols-1:0]    in_lane;
  logic [ColW-1:0]    in_lane_number;

  assign same_bank  = pop & (bank_q == in_bank);
  assign same_queue = same_bank & push & (queue == in_queue);
  assign emptied    = pop & (out_count == 1) & ~same_queue;
  assign gone       = emptied & same_bank & (queue == match_queue);
  assign link       = push & assign_queue & (|match) & ~gone & (Cols > 1);

  generate
    for (genvar i = 0; i < Queues; i++) begin : g_successor
      assign successor[i] = (Cols > 1) & out_group[i] & (out_next == ColW'(i % Cols));
    end
    for (genvar c = 0; c < Cols; c++) begin : g_lane
      logic [Rows-1:0] lane;
      for (genvar g = 0; g < Rows; g++) begin : g_row_of_lane
        assign lane[g] = in_onehot[g*Cols+c];
      end
      assign in_lane[c] = |lane;
    end
  endgenerate
  mt_onehot_index #(.Width(Cols)) u_in_lane (.onehot_i(in_lane), .index_o(in_lane_number));

  assign out_valid_word = valid_q[bank_q] & ~(out_onehot & {Queues{emptied}});
  assign out_linked     = linked_q[bank_q] & ~(out_onehot & {Queues{emptied}});
  assign out_blocked    = blocked_q[bank_q] & ~(successor & {Queues{emptied & (|(linked_q[bank_q] & out_onehot))}});
  assign in_valid_now   = (same_bank ? out_valid_word : in_valid_word) | in_onehot;
  assign in_linked_now  = (same_bank ? out_linked : linked_q[in_bank]) | (match & {Queues{link}});
  assign in_blocked_now = (same_bank ? out_blocked : blocked_q[in_bank]) | (in_onehot & {Queues{link}});
  assign out_valid_end  = (same_bank & push) ? in_valid_now : out_valid_word;

  assign in_count      = assign_queue ? '0 : in_counts[match_queue*CountW +: CountW] - CountW'(same_queue);
  assign in_slot       = (Entries == 1 || assign_queue) ? '0 : in_slots[match_queue*SlotW +: SlotW];
  assign in_entry      = in_index * EntryIW'(Entries) + EntryIW'(in_slot);

  always_comb begin
    busy_d = busy_q;
    if (pop) busy_d[bank_q] = |out_valid_end;
    if (push) busy_d[in_bank] = 1'b1;
  end

  assign used_d   = used_q + UsedW'(push) - UsedW'(pop);
  assign used_o   = used_q;
  assign stalls_o = stalls_q;
  mt_sat_count u_stalls (.count_i(stalls_q), .step_i(in_valid_i & ~push), .count_o(stalls_d));

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q       <= '0;
      hold_q       <= 1'b0;
      bank_q       <= '0;
      hold_queue_q <= '0;
      used_q       <= '0;
      stalls_q     <= '0;
    end else begin
      busy_q <= busy_d;
      hold_q <= hold_d;
      used_q <= used_d;
      stalls_q <= stalls_d;
      bank_q <= bank_d;
      if (hold_d) hold_queue_q <= queue;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int i = 0; i < Banks; i++) begin
        valid_q[i]   <= '0;
        linked_q[i]  <= '0;
        blocked_q[i] <= '0;
        last_q[i]    <= '0;
        served_q[i]  <= '0;
        turn_q[i]    <= '0;
      end
      same_q <= '0;
      stay_q <= '0;
    end else begin
      if (pop) begin
        valid_q[bank_q]   <= out_valid_word;
        linked_q[bank_q]  <= out_linked;
        blocked_q[bank_q] <= out_blocked;
        last_q[bank_q]    <= queue;
        same_q[bank_q]    <= ~emptied;
        stay_q[bank_q]    <= |(out_valid_end & out_group);
        if (Patience != 0) served_q[bank_q] <= turn ? '0 : served_q[bank_q] + 1;
        if (turn) turn_q[bank_q] <= (queue == QueueW'(Queues - 1)) ? '0 : queue + 1;
      end
      if (push) begin
        valid_q[in_bank]   <= in_valid_now;
        linked_q[in_bank]  <= in_linked_now;
        blocked_q[in_bank] <= in_blocked_now;
      end
    end
  end

  // Tags, counts, links and payload are valid only for a queue in use: not reset, hold their values during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && push && assign_queue) begin
      row_q[in_row_index] <= in_addr_i[AddrW-1:RowLsb];
      col_q[in_index]     <= in_addr_i[RowLsb-1:0] & ~BankMask[RowLsb-1:0];
    end
    if (rst_ni && link) next_q[match_index] <= in_lane_number;
    if (rst_ni && push) info_q[in_entry] <= in_info_i;
  end

  // A counter per leaf queue: the late choice signal then drives the payload mux and little else.
  generate
    for (genvar i = 0; i < Banks * Queues; i++) begin : g_counted
      logic gives, takes;
      assign gives = pop & bank_onehot[i/Queues] & out_onehot[i%Queues];
      assign takes = push & (in_index == i);
      always_ff @(posedge clk_i) begin
        if (rst_ni && gives) begin
          count_q[i] <= count_q[i] - 1;
          if (Entries > 1) head_q[i] <= (head_q[i] == SlotW'(Entries - 1)) ? '0 : head_q[i] + 1;
        end
        if (rst_ni && takes) begin
          count_q[i] <= in_count + 1;
          if (Entries > 1 && assign_queue) head_q[i] <= '0;
        end
      end
    end
  endgenerate

  `MT_ASSERT(g_one_queue_matches, (match & (match - 1)) == '0)
  `MT_ASSERT(g_an_offer_is_held, !out_valid_o || (valid_q[bank_q] & ~blocked_q[bank_q] & out_onehot) != '0)

`ifdef FORMAL
  `define MT_CART_PROPERTIES
  `include "mt_cart_formal.sv"
  `undef MT_CART_PROPERTIES
`endif
endmodule
