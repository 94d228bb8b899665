// Cache Access Reordering Tree (paper 002, sections 2.4.1 to 2.4.4): groups the requests on their way to an L2 slice by DRAM
// bank, row and line.  A branch for each bank; in it row groups of leaf queues; a queue holds requests of one line.
//
// Nothing leads from an input to an output but the offered address to in_ready_o: what leaves in a cycle makes room in the next.
`include "assert.svh"

module cart #(
  parameter int Banks    = 16,
  parameter int Rows     = 4,
  parameter int Cols     = 2,
  parameter int Entries  = 2,
  parameter int AddrW    = 41,
  parameter int BankLsb  = 1,
  parameter int BankMsb  = 5,
  parameter int RowLsb   = 8,
  parameter int InfoW    = 24,
  parameter int Rotate   = 0,
  parameter int Patience = 64,
  localparam int Queues  = Rows * Cols,
  localparam int BankW   = (Banks > 1) ? $clog2(Banks) : 1,
  localparam int QueueW  = (Queues > 1) ? $clog2(Queues) : 1,
  localparam int UsedW   = $clog2(Banks * Queues * Entries + 1)
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
  output logic [QueueW-1:0]     out_queue_o,

  output logic [UsedW-1:0]      used_o,
  output logic [31:0]           stalls_o
);
  `PARAM_CHECK(g_illegal_banks, Banks >= 2 && Banks <= 64 && (Banks & (Banks - 1)) == 0)
  `PARAM_CHECK(g_illegal_queues, Rows >= 1 && Cols >= 1 && Queues <= 64)
  `PARAM_CHECK(g_illegal_entries, Entries >= 1)
  `PARAM_CHECK(g_illegal_row, RowLsb < AddrW && AddrW <= 64)
  `PARAM_CHECK(g_illegal_bank_bits, BankLsb >= 0 && BankLsb < BankMsb && BankMsb + BankW - 1 <= RowLsb)
  `PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 64)
  `PARAM_CHECK(g_illegal_patience, Patience >= 0)

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
  localparam logic [AddrW-1:0] BankMask = (AddrW'(OtherBankBits) << BankMsb) | (AddrW'(1) << BankLsb);

  // Per branch, row group, leaf queue and entry; cart_ports.h says what each is.
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
  logic [CountW-1:0]  count_q [Banks*Queues];
  logic [SlotW-1:0]   head_q [Banks*Queues];
  logic [ColW-1:0]    next_q [Banks*Queues];
  logic [InfoW-1:0]   info_q [Banks*Queues*Entries];

  logic              hold_q, hold_d;
  logic [BankW-1:0]  turn_bank_q, hold_bank_q;
  logic [QueueW-1:0] hold_queue_q;
  logic [UsedW-1:0]  used_q, used_d;
  logic [31:0]       stalls_q;

  // ---- fill: all leaf queues of the branch are compared at once
  logic [BankW-1:0]   in_bank;
  logic [Queues-1:0]  in_valid_word, row_same, row_empty, match, spare, assigned, in_onehot;
  logic [QueueW-1:0]  match_queue, in_queue;
  logic [QueueIW-1:0] match_index, in_index;
  logic               match_full, merge, assign_queue, push;

  assign in_bank       = BankW'(((in_addr_i >> BankMsb) << 1) | ((in_addr_i >> BankLsb) & AddrW'(1)));
  assign in_valid_word = valid_q[in_bank];

  generate
    for (genvar g = 0; g < Rows; g++) begin : g_group
      logic busy;
      assign busy = |in_valid_word[g*Cols +: Cols];
      assign row_same[g*Cols +: Cols] =
        {Cols{busy & (row_q[GroupIW'(in_bank) * GroupIW'(Rows) + GroupIW'(g)] == in_addr_i[AddrW-1:RowLsb])}};
      assign row_empty[g*Cols +: Cols] = Cols'(!busy);
      for (genvar c = 0; c < Cols; c++) begin : g_queue
        assign match[g*Cols+c] = row_same[g*Cols+c] & in_valid_word[g*Cols+c] & ~linked_q[in_bank][g*Cols+c] &
                                 (col_q[QueueIW'(in_bank) * QueueIW'(Queues) + QueueIW'(g * Cols + c)] ==
                                  (in_addr_i[RowLsb-1:0] & ~BankMask[RowLsb-1:0]));
      end
    end
  endgenerate

  onehot_index #(.Width(Queues)) u_match_queue (.onehot_i(match), .index_o(match_queue));
  assign match_index  = QueueIW'(in_bank) * QueueIW'(Queues) + QueueIW'(match_queue);
  assign match_full   = count_q[match_index] == CountW'(Entries);
  assign merge        = (|match) & ~match_full;
  assign spare        = (|row_same) ? row_same & ~in_valid_word : row_empty;
  first_one #(.Width(Queues)) u_assigned (.vector_i(spare), .onehot_o(assigned));
  assign assign_queue = ~merge & (|spare);
  assign in_onehot    = merge ? match : assigned;
  onehot_index #(.Width(Queues)) u_in_queue (.onehot_i(in_onehot), .index_o(in_queue));
  assign in_index     = QueueIW'(in_bank) * QueueIW'(Queues) + QueueIW'(in_queue);
  assign push         = in_valid_i & (merge | assign_queue);
  assign in_ready_o   = push;

  // ---- drain: the branches in turn; in a branch the same queue, else the longest of its row, else the longest
  logic [Banks-1:0]         fresh_onehot;
  logic [BankW-1:0]         fresh_bank, bank;
  logic [QueueW-1:0]        longest_queue, turn_queue, fresh_queue, queue, last_queue, turn_from;
  logic [Queues-1:0]        eligible, last_group, candidates, longest_onehot, turn_onehot;
  logic [Queues*CountW-1:0] counts;
  logic                     fresh_turn, turn, pop;

  first_from #(.Width(Banks)) u_fresh_bank (.vector_i(busy_q), .from_i(turn_bank_q), .onehot_o(fresh_onehot));
  onehot_index #(.Width(Banks)) u_fresh_index (.onehot_i(fresh_onehot), .index_o(fresh_bank));
  assign eligible   = valid_q[fresh_bank] & ~blocked_q[fresh_bank];
  assign last_queue = last_q[fresh_bank];
  assign turn_from  = turn_q[fresh_bank];  // Yosys wants no table in a port connection
  cart_around #(.Rows(Rows), .Cols(Cols)) u_last_group (.queue_i(last_queue), .group_o(last_group));
  assign candidates = stay_q[fresh_bank] ? eligible & last_group : eligible;

  generate
    for (genvar i = 0; i < Queues; i++) begin : g_counts
      assign counts[i*CountW +: CountW] = count_q[QueueIW'(fresh_bank) * QueueIW'(Queues) + QueueIW'(i)];
    end
  endgenerate

  cart_longest #(.Width(Queues), .CountW(CountW)) u_longest (
    .candidates_i (candidates),
    .counts_i     (counts),
    .onehot_o     (longest_onehot)
  );
  onehot_index #(.Width(Queues)) u_longest_queue (.onehot_i(longest_onehot), .index_o(longest_queue));
  first_from #(.Width(Queues)) u_turn (.vector_i(eligible), .from_i(turn_from), .onehot_o(turn_onehot));
  onehot_index #(.Width(Queues)) u_turn_queue (.onehot_i(turn_onehot), .index_o(turn_queue));

  assign fresh_turn = Patience != 0 && served_q[fresh_bank] == ServedW'(Patience - 1);
  always_comb begin
    fresh_queue = longest_queue;
    if (same_q[fresh_bank]) fresh_queue = last_queue;
    if (fresh_turn) fresh_queue = turn_queue;
  end

  // An offer that was neither taken nor given up stands, whatever has come in since.
  assign out_valid_o = hold_q | (|busy_q);
  assign bank        = hold_q ? hold_bank_q : fresh_bank;
  assign queue       = hold_q ? hold_queue_q : fresh_queue;
  assign turn        = Patience != 0 && served_q[bank] == ServedW'(Patience - 1);
  assign pop         = out_valid_o & out_ready_i;
  assign hold_d      = out_valid_o & ~pop & ~((Rotate != 0) & out_refused_i);

  // ---- the queue that is offered
  logic [QueueIW-1:0] out_index;
  logic [EntryIW-1:0] out_entry;
  logic [CountW-1:0]  out_count;
  logic [SlotW-1:0]   out_slot;
  logic [Queues-1:0]  out_onehot, out_group;
  logic [Rows-1:0]    out_row, in_row;
  logic [RowIW-1:0]   out_row_number, in_row_number;
  logic [GroupIW-1:0] out_row_index, in_row_index;

  assign out_index  = QueueIW'(bank) * QueueIW'(Queues) + QueueIW'(queue);
  assign out_slot   = (Entries > 1) ? head_q[out_index] : '0;
  assign out_entry  = EntryIW'(out_index) * EntryIW'(Entries) + EntryIW'(out_slot);
  assign out_count  = count_q[out_index];
  assign out_onehot = Queues'(1) << queue;
  cart_around #(.Rows(Rows), .Cols(Cols)) u_out_group (.queue_i(queue), .group_o(out_group));

  generate
    for (genvar g = 0; g < Rows; g++) begin : g_row
      assign out_row[g] = |out_onehot[g*Cols +: Cols];
      assign in_row[g]  = |in_onehot[g*Cols +: Cols];
    end
  endgenerate
  onehot_index #(.Width(Rows)) u_out_row (.onehot_i(out_row), .index_o(out_row_number));
  onehot_index #(.Width(Rows)) u_in_row (.onehot_i(in_row), .index_o(in_row_number));
  assign out_row_index = GroupIW'(bank) * GroupIW'(Rows) + GroupIW'(out_row_number);
  assign in_row_index  = GroupIW'(in_bank) * GroupIW'(Rows) + GroupIW'(in_row_number);

  assign out_addr_o  = out_valid_o ? {row_q[out_row_index], col_q[out_index]} |
                                     ((AddrW'(bank) >> 1) << BankMsb) | (AddrW'(bank[0]) << BankLsb) : '0;
  assign out_info_o  = out_valid_o ? info_q[out_entry] : '0;
  assign out_bank_o  = out_valid_o ? bank : '0;
  assign out_queue_o = out_valid_o ? queue : '0;

  // ---- what fill and drain make of their branches, which may be one and the same: the drain goes first
  logic               same_bank, same_queue, emptied, gone, link;
  logic [Queues-1:0]  successor, out_valid_word, out_linked, out_blocked, in_valid_now, in_linked_now, in_blocked_now;
  logic [Queues-1:0]  out_valid_end;
  logic [CountW-1:0]  in_count;
  logic [SlotW:0]     in_place, out_place;
  logic [SlotW-1:0]   in_slot, out_slot_next;
  logic [EntryIW-1:0] in_entry;
  logic [Cols-1:0]    in_lane;
  logic [ColW-1:0]    in_lane_number;

  assign same_bank  = pop & (bank == in_bank);
  assign same_queue = same_bank & push & (queue == in_queue);
  assign emptied    = pop & (out_count == CountW'(1)) & ~same_queue;
  assign gone       = emptied & same_bank & (queue == match_queue);
  assign link       = push & assign_queue & (|match) & ~gone & (Cols > 1);

  generate
    for (genvar i = 0; i < Queues; i++) begin : g_successor
      assign successor[i] = (Cols > 1) & out_group[i] & (next_q[out_index] == ColW'(i % Cols));
    end
    for (genvar c = 0; c < Cols; c++) begin : g_lane
      logic [Rows-1:0] lane;
      for (genvar g = 0; g < Rows; g++) begin : g_row_of_lane
        assign lane[g] = in_onehot[g*Cols+c];
      end
      assign in_lane[c] = |lane;
    end
  endgenerate
  onehot_index #(.Width(Cols)) u_in_lane (.onehot_i(in_lane), .index_o(in_lane_number));

  assign out_valid_word = valid_q[bank] & ~(out_onehot & {Queues{emptied}});
  assign out_linked     = linked_q[bank] & ~(out_onehot & {Queues{emptied}});
  assign out_blocked    = blocked_q[bank] & ~(successor & {Queues{emptied & (|(linked_q[bank] & out_onehot))}});
  assign in_valid_now   = (same_bank ? out_valid_word : in_valid_word) | in_onehot;
  assign in_linked_now  = (same_bank ? out_linked : linked_q[in_bank]) | (match & {Queues{link}});
  assign in_blocked_now = (same_bank ? out_blocked : blocked_q[in_bank]) | (in_onehot & {Queues{link}});
  assign out_valid_end  = (same_bank & push) ? in_valid_now : out_valid_word;

  // Entries need not be a power of two.
  assign in_count      = assign_queue ? '0 : count_q[in_index] - CountW'(same_queue);
  assign in_place      = (SlotW+1)'(head_q[in_index]) + (SlotW+1)'(count_q[in_index]);
  assign in_slot       = (Entries == 1 || assign_queue) ? '0 :
                         SlotW'((in_place >= (SlotW+1)'(Entries)) ? in_place - (SlotW+1)'(Entries) : in_place);
  assign in_entry      = EntryIW'(in_index) * EntryIW'(Entries) + EntryIW'(in_slot);
  assign out_place     = (SlotW+1)'(out_slot) + (SlotW+1)'(1);
  assign out_slot_next = SlotW'((out_place >= (SlotW+1)'(Entries)) ? out_place - (SlotW+1)'(Entries) : out_place);

  always_comb begin
    busy_d = busy_q;
    if (pop) busy_d[bank] = |out_valid_end;
    if (push) busy_d[in_bank] = 1'b1;
  end

  assign used_d   = used_q + UsedW'(push) - UsedW'(pop);
  assign used_o   = used_q;
  assign stalls_o = stalls_q;

  // ---- registers
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q       <= '0;
      turn_bank_q  <= '0;
      hold_q       <= 1'b0;
      hold_bank_q  <= '0;
      hold_queue_q <= '0;
      used_q       <= '0;
      stalls_q     <= '0;
    end else begin
      busy_q <= busy_d;
      hold_q <= hold_d;
      used_q <= used_d;
      if (out_valid_o && !hold_d) turn_bank_q <= bank + BankW'(1);
      if (hold_d) begin
        hold_bank_q  <= bank;
        hold_queue_q <= queue;
      end
      if (in_valid_i && !push && stalls_q != '1) stalls_q <= stalls_q + 32'd1;
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
        valid_q[bank]   <= out_valid_word;
        linked_q[bank]  <= out_linked;
        blocked_q[bank] <= out_blocked;
        last_q[bank]    <= queue;
        same_q[bank]    <= ~emptied;
        stay_q[bank]    <= |(out_valid_end & out_group);
        if (Patience != 0) served_q[bank] <= turn ? '0 : served_q[bank] + ServedW'(1);
        if (turn) turn_q[bank] <= (queue == QueueW'(Queues - 1)) ? '0 : queue + QueueW'(1);
      end
      if (push) begin
        valid_q[in_bank]   <= in_valid_now;
        linked_q[in_bank]  <= in_linked_now;
        blocked_q[in_bank] <= in_blocked_now;
      end
    end
  end

  // Tags, counts, links and payload mean nothing while their queue is empty: no reset, and they keep their values in one.
  always_ff @(posedge clk_i) begin
    if (rst_ni && push && assign_queue) begin
      row_q[in_row_index] <= in_addr_i[AddrW-1:RowLsb];
      col_q[in_index]     <= in_addr_i[RowLsb-1:0] & ~BankMask[RowLsb-1:0];
    end
    if (rst_ni && pop) begin
      count_q[out_index] <= out_count - CountW'(1);
      if (Entries > 1) head_q[out_index] <= out_slot_next;
    end
    if (rst_ni && push) begin
      count_q[in_index] <= in_count + CountW'(1);
      if (Entries > 1 && assign_queue) head_q[in_index] <= '0;
    end
    if (rst_ni && link) next_q[match_index] <= in_lane_number;
    if (rst_ni && push) info_q[in_entry] <= in_info_i;
  end

  `ASSERT(g_one_queue_matches, (match & (match - Queues'(1))) == '0)
  `ASSERT(g_an_offer_is_held, !out_valid_o || (valid_q[bank] & ~blocked_q[bank] & out_onehot) != '0)

`ifdef FORMAL
  `define CART_PROPERTIES
  `include "cart_formal.sv"
  `undef CART_PROPERTIES
`endif
endmodule
