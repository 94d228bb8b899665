// SPDX-License-Identifier: Apache-2.0
// Formal properties of bypass_slots, proved by `make formal BLOCK=bypass_slots`; included at the end of mt_bypass_slots.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_BYPASS_SLOTS_PROPERTIES
  logic f_live;                               // a reset has occurred

  // An arbitrary request, picked when it is accepted.
  (* anyseq *) logic f_pick;
  logic              w_valid;
  logic [SlotW-1:0]  w_slot;
  logic [InfoW-1:0]  w_info;

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live  <= 1'b1;
      w_valid <= 1'b0;
    end else begin
      if (ret_valid_o && ret_slot_i == w_slot) w_valid <= 1'b0;
      if (take && f_pick) begin
        w_valid <= 1'b1;
        w_slot  <= req_slot_o;
        w_info  <= req_info_i;
      end
    end
  end

  logic [UsedW-1:0] sum_busy;
  logic             f_room;
  always_comb begin
    sum_busy = '0;
    f_room   = 1'b0;
    for (int i = 0; i < Slots; i++) begin
      sum_busy = sum_busy + UsedW'(busy_q[i]);
      f_room   = f_room | !busy_q[i];
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // The count equals the slots taken, and never exceeds them.
      p_used:    assert (used_q == sum_busy && used_q <= UsedW'(Slots));
      // A request is refused if and only if no slot is free and none is released in its cycle.
      p_refused: assert (req_ready_o == (f_room || ret_valid_o));
      // A busy slot is not allocated again before its release.
      if (take && w_valid) p_apart: assert (req_slot_o != w_slot || (ret_valid_o && ret_slot_i == w_slot));
      // A release returns the requester that took the slot.
      if (w_valid && ret_valid_i && ret_slot_i == w_slot) p_same: assert (ret_valid_o && ret_info_o == w_info);
      // A release of a free slot changes nothing but the error.
      if (ret_valid_i && !ret_valid_o) p_bad: assert (freed == '0 && error_d);
    end
  end

`ifdef FORMAL_AUX
  logic [Slots-1:0] f_onehot;
  generate
    for (genvar i = 0; i < Slots; i++) begin : g_f
      assign f_onehot[i] = w_slot == SlotW'(i);
    end
  endgenerate
  always_comb begin
    if (f_live && rst_ni && w_valid) begin
      x_held: assert (|(busy_q & f_onehot));
      x_info: assert (info_q[w_slot] == w_info);
    end
  end
`endif
`endif
