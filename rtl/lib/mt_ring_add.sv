// SPDX-License-Identifier: Apache-2.0
// Ring pointer: a slot number plus an offset, modulo the slots of the ring, which need not be a power of two.
//
// Combinational: an adder and one conditional subtraction.  A FIFO uses it for the slot behind its last element (head plus
// length) and to advance its head (plus 1).
module mt_ring_add #(
  parameter int Slots = 4,                   // slots of the ring
  localparam int SlotW = (Slots > 1) ? $clog2(Slots) : 1,
  localparam int StepW = $clog2(Slots + 1)
) (
  input  wire logic [SlotW-1:0] slot_i,      // slot number, below Slots
  input  wire logic [StepW-1:0] step_i,      // offset, at most Slots
  output logic [SlotW-1:0]      slot_o       // (slot_i + step_i) modulo Slots
);
  logic [SlotW:0] sum;
  assign sum    = (SlotW+1)'(slot_i) + (SlotW+1)'(step_i);
  assign slot_o = SlotW'((sum >= (SlotW+1)'(Slots)) ? sum - (SlotW+1)'(Slots) : sum);
endmodule
