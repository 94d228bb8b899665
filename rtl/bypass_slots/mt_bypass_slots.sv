// SPDX-License-Identifier: Apache-2.0
// Table of the requests that bypass a cache: requester information, indexed by a slot number that travels with the request
// (Dai17, section 3.8).
//
// Timing: combinational answers.  A request gets the lowest free slot in its cycle, also one that is released in the same
// cycle; a release returns its information in its cycle.
// Parameters: Slots is the number of requests in flight, InfoW the bits kept of each.
`include "mt_assert.svh"

module mt_bypass_slots #(
  parameter int Slots = 32,                   // maximum number of bypassed requests in flight
  parameter int InfoW = 24,                   // bits of requester information per slot (threads, destination register)
  localparam int SlotW = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int UsedW = $clog2(Slots + 1)
) (
  input  wire logic             clk_i,        // clock, rising edge
  input  wire logic             rst_ni,       // synchronous reset, active low

  input  wire logic             req_valid_i,  // a request bypasses the cache
  output logic                  req_ready_o,  // a slot is free: the request is taken at this clock edge
  input  wire logic [InfoW-1:0] req_info_i,   // its requester; returned with its data
  output logic [SlotW-1:0]      req_slot_o,   // slot allocated to the request, sent with it to memory; else 0

  input  wire logic             ret_valid_i,  // the data of a bypassed request returns
  input  wire logic [SlotW-1:0] ret_slot_i,   // slot of the returning request
  output logic                  ret_valid_o,  // the returning slot was in use: it is released at this clock edge
  output logic [InfoW-1:0]      ret_info_o,   // requester of the returning slot; else 0

  output logic [UsedW-1:0]      used_o,       // slots in use
  output logic                  error_o       // enum bypass_slots_error, sticky until reset
);
  `MT_PARAM_CHECK(g_illegal_slots, Slots >= 1 && Slots <= 4096)
  `MT_PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 32)

  logic [Slots-1:0] busy_q, busy_d;
  logic [InfoW-1:0] info_q [Slots];
  logic [UsedW-1:0] used_q, used_d;
  logic             error_q, error_d;

  // ---- release
  logic [Slots-1:0] freed;
  logic             ret_ok;

  generate
    for (genvar i = 0; i < Slots; i++) begin : g_slot
      assign freed[i] = ret_valid_i & busy_q[i] & (ret_slot_i == i);
    end
  endgenerate
  assign ret_ok      = |freed;
  assign ret_valid_o = ret_ok;
  assign ret_info_o  = ret_ok ? info_q[ret_slot_i] : '0;

  // ---- request: it can take the slot that is released in this cycle
  logic [Slots-1:0] new_onehot;
  logic [SlotW-1:0] new_slot;
  logic             take;

  mt_first_one #(.Width(Slots)) u_new_onehot (.vector_i(~busy_q | freed), .onehot_o(new_onehot));
  mt_onehot_index #(.Width(Slots)) u_new_slot (.onehot_i(new_onehot), .index_o(new_slot));
  assign req_ready_o = (used_q != UsedW'(Slots)) | ret_ok;
  assign take        = req_valid_i & req_ready_o;
  assign req_slot_o  = take ? new_slot : '0;

  // ---- registers
  assign busy_d  = (busy_q & ~freed) | (new_onehot & {Slots{take}});
  assign used_d  = used_q + UsedW'(take) - UsedW'(ret_ok);
  assign error_d = error_q | (ret_valid_i & ~ret_ok);
  assign used_o  = used_q;
  assign error_o = error_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= '0;
      used_q  <= '0;
      error_q <= 1'b0;
    end else begin
      busy_q  <= busy_d;
      used_q  <= used_d;
      error_q <= error_d;
    end
  end

  // Valid only for a busy slot: not reset, and it holds its value during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni && take) info_q[new_slot] <= req_info_i;
  end

  `MT_ASSERT(g_no_slot_without_room, !take || (|new_onehot))

`ifdef FORMAL
  `define MT_BYPASS_SLOTS_PROPERTIES
  `include "mt_bypass_slots_formal.sv"
  `undef MT_BYPASS_SLOTS_PROPERTIES
`endif
endmodule
