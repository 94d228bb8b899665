// SPDX-License-Identifier: Apache-2.0
// An MSHR file as a user might bring it: the ports and the behaviour of mt_mshr, another micro-architecture.  Each entry is a module that keeps
// its own line, state and queue of requesters; there is no central table and no central count.  docs/own-rtl.md takes it into the machine.
module own_mshr #(
  parameter int Entries = 32,
  parameter int Slots   = 8,
  parameter int AddrW   = 41,
  parameter int InfoW   = 24,
  parameter int DataW   = 0,
  localparam int SetW   = (Entries > 1) ? $clog2(Entries) : 1,
  localparam int CountW = $clog2(Slots + 1),
  localparam int FreeW  = $clog2(Entries + 1),
  localparam int UsedW  = $clog2(Entries * Slots + 1),
  localparam int DataPW = (DataW > 0) ? DataW : 1,
  localparam int ItemW  = InfoW + 1 + DataPW
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              req_valid_i,
  output logic                   req_ready_o,
  input  wire logic [AddrW-1:0]  req_addr_i,
  input  wire logic [InfoW-1:0]  req_info_i,
  input  wire logic              req_write_i,
  input  wire logic [DataPW-1:0] req_data_i,
  output logic                   rsp_valid_o,
  output logic [2:0]             rsp_result_o,
  output logic [SetW-1:0]        rsp_set_o,
  input  wire logic              fill_valid_i,
  output logic                   fill_ready_o,
  input  wire logic [AddrW-1:0]  fill_addr_i,
  output logic                   drain_valid_o,
  input  wire logic              drain_ready_i,
  output logic [AddrW-1:0]       drain_addr_o,
  output logic [InfoW-1:0]       drain_info_o,
  output logic                   drain_write_o,
  output logic [DataPW-1:0]      drain_data_o,
  output logic                   drain_last_o,
  output logic [FreeW-1:0]       free_o,
  output logic                   free_reserved_o,
  output logic [UsedW-1:0]       used_slots_o,
  output logic [1:0]             error_o
);
  // Outputs of the entries.
  logic [Entries-1:0] free, drains, last, full, req_match, fill_match;
  logic [Entries*AddrW-1:0]  lines;
  logic [Entries*ItemW-1:0]  heads;
  logic [Entries*CountW-1:0] counts;

  // Inputs of the entries.
  logic [Entries-1:0] take, push, fill;
  logic               pop;

  logic [DataPW-1:0] data;
  assign data = (DataW > 0) ? req_data_i : '0; // without a buffer, the pin is not stored

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_entry
      own_mshr_entry #(.Slots(Slots), .AddrW(AddrW), .ItemW(ItemW)) u_entry (
        .clk_i(clk_i), .rst_ni(rst_ni), .take_i(take[i]), .push_i(push[i]), .fill_i(fill[i]), .pop_i(pop),
        .addr_i(req_addr_i), .fill_addr_i(fill_addr_i), .item_i({req_info_i, req_write_i, data}),
        .free_o(free[i]), .drains_o(drains[i]), .last_o(last[i]), .full_o(full[i]),
        .req_match_o(req_match[i]), .fill_match_o(fill_match[i]),
        .line_o(lines[i*AddrW +: AddrW]), .head_o(heads[i*ItemW +: ItemW]), .count_o(counts[i*CountW +: CountW])
      );
    end
  endgenerate

  // The entry that drains, and sums over all of them.
  logic              draining, done;
  logic [AddrW-1:0]  drain_line;
  logic [ItemW-1:0]  drain_head;
  always_comb begin
    drain_line   = '0;
    drain_head   = '0;
    free_o       = '0;
    used_slots_o = '0;
    for (int i = 0; i < Entries; i++) begin
      drain_line   = drain_line | (lines[i*AddrW +: AddrW] & {AddrW{drains[i]}});
      drain_head   = drain_head | (heads[i*ItemW +: ItemW] & {ItemW{drains[i]}});
      free_o       = free_o + FreeW'(free[i]);
      used_slots_o = used_slots_o + UsedW'(counts[i*CountW +: CountW]);
    end
  end
  assign draining      = |drains;
  assign pop           = draining & drain_ready_i;
  assign done          = pop & (|(drains & last));
  assign drain_valid_o = draining;
  assign drain_addr_o  = drain_line;
  assign {drain_info_o, drain_write_o, drain_data_o} = drain_head;
  assign drain_last_o  = |(drains & last);

  // A fill turns the entry that waits for it into the one that drains.
  logic [1:0] error_q;
  assign fill_ready_o = ~draining | done;
  assign fill         = fill_match & {Entries{fill_valid_i & fill_ready_o}};
  assign error_o      = error_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_q <= '0;
    else if (fill_valid_i && fill_ready_o && fill_match == '0) error_q <= 2'd1;
  end

  // A request sees the entry that becomes free and the fill of this cycle.  The lowest free entry takes a new line: x & -x.
  logic [Entries-1:0] open, lowest, chosen;
  logic               retry, hit, new_line;
  assign open     = free | (drains & {Entries{done}});
  assign lowest   = open & (~open + 1'b1);
  assign retry    = (draining & ~done & (req_addr_i == drain_line)) | ((|fill) & (req_addr_i == fill_addr_i));
  assign hit      = req_valid_i & ~retry & (|req_match);
  assign new_line = req_valid_i & ~retry & ~(|req_match) & (|open);
  assign take     = lowest & {Entries{new_line}};
  assign push     = req_match & ~full & {Entries{hit}};
  assign chosen   = take | push;

  assign req_ready_o     = 1'b1;
  assign rsp_valid_o     = req_valid_i;
  assign free_reserved_o = 1'b0;
  always_comb begin
    rsp_set_o = '0;
    for (int i = 0; i < Entries; i++) if (chosen[i]) rsp_set_o = SetW'(i);
    rsp_result_o = 3'd0;
    if (req_valid_i && retry) rsp_result_o = 3'd4;
    else if (hit) rsp_result_o = (|push) ? 3'd1 : 3'd3;
    else if (req_valid_i && !new_line) rsp_result_o = 3'd2;
  end

`ifdef FORMAL
  // Properties of its own, for make formal RTL=.
  logic f_live, twice; // a reset has occurred; two entries have the same line
  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always @(posedge clk_i) if (!rst_ni) f_live <= 1'b1;
  always_comb begin
    twice = 1'b0;
    for (int i = 0; i < Entries; i++)
      for (int j = 0; j < i; j++) twice = twice | (~free[i] & ~free[j] & (lines[i*AddrW +: AddrW] == lines[j*AddrW +: AddrW]));
  end
  always_comb begin
    if (f_live && rst_ni) begin
      p_one_drains: assert ((drains & (drains - 1'b1)) == '0);
      p_lines:      assert (!twice);
    end
  end
`endif
endmodule
