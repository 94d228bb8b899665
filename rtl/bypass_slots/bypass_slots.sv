// What is kept of requests that went around a cache: a slot for each one in flight (Dai17, section 3.8).
//
// Within a cycle: data that comes back frees its slot; a request takes the lowest free one.
`include "assert.svh"

module bypass_slots #(
  parameter int Slots = 32,
  parameter int InfoW = 24,
  localparam int SlotW = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int UsedW = $clog2(Slots + 1)
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,

  input  wire logic             req_valid_i,
  output logic                  req_ready_o,
  input  wire logic [InfoW-1:0] req_info_i,
  output logic [SlotW-1:0]      req_slot_o,

  input  wire logic             ret_valid_i,
  input  wire logic [SlotW-1:0] ret_slot_i,
  output logic                  ret_valid_o,
  output logic [InfoW-1:0]      ret_info_o,

  output logic [UsedW-1:0]      used_o,
  output logic                  error_o
);
  `PARAM_CHECK(g_illegal_slots, Slots >= 1 && Slots <= 4096)
  `PARAM_CHECK(g_illegal_info_w, InfoW >= 1 && InfoW <= 32)

  logic [Slots-1:0] busy_q, busy_d;
  logic [InfoW-1:0] info_q [Slots];
  logic [UsedW-1:0] used_q, used_d;
  logic             error_q, error_d;

  // ---- data comes back
  logic [Slots-1:0] freed;
  logic             ret_ok;

  generate
    for (genvar i = 0; i < Slots; i++) begin : g_slot
      assign freed[i] = ret_valid_i & busy_q[i] & (ret_slot_i == SlotW'(i));
    end
  endgenerate
  assign ret_ok      = |freed;
  assign ret_valid_o = ret_ok;
  assign ret_info_o  = ret_ok ? info_q[ret_slot_i] : '0;

  // ---- a request: the slot that is freed in this cycle is free for it
  logic [Slots-1:0] new_onehot;
  logic [SlotW-1:0] new_slot;
  logic             take;

  first_one #(.Width(Slots)) u_new_onehot (.vector_i(~busy_q | freed), .onehot_o(new_onehot));
  onehot_index #(.Width(Slots)) u_new_slot (.onehot_i(new_onehot), .index_o(new_slot));
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

  // It means nothing while its slot is free: no reset, and it keeps its value in one.
  always_ff @(posedge clk_i) begin
    if (rst_ni && take) info_q[new_slot] <= req_info_i;
  end

  `ASSERT(g_no_slot_without_room, !take || (|new_onehot))

`ifdef FORMAL
  `define BYPASS_SLOTS_PROPERTIES
  `include "bypass_slots_formal.sv"
  `undef BYPASS_SLOTS_PROPERTIES
`endif
endmodule
