// SPDX-License-Identifier: Apache-2.0
// Formal properties of warp_locality, proved by `make formal BLOCK=warp_locality`; included at the end of mt_warp_locality.sv.
//
// No assumptions about the inputs; resets may occur at any time.
`ifdef MT_WARP_LOCALITY_PROPERTIES
  logic             f_live;       // a reset has occurred
  logic             f_stalled;    // in the last cycle, an element stalled
  logic [DataW-1:0] f_offered;    // that element
  logic [DataW-1:0] f_accepted;   // the element accepted last
  logic [1:0]       f_held;       // elements accepted and not delivered

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_stalled <= 1'b0;
      f_held    <= '0;
    end else begin
      f_stalled <= out_valid_o & ~out_ready_i;
      f_offered <= out_data_o;
      f_held    <= f_held + 2'(in_valid_i & in_ready_o) - 2'(out_valid_o & out_ready_i);
      if (in_valid_i && in_ready_o) f_accepted <= in_data_i;
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // An accepted element leaves exactly once.
      p_count: assert (f_held == 2'(out_valid_o));
      // It leaves unchanged.
      if (out_valid_o) p_same: assert (out_data_o == f_accepted);
      // A stalled element is held.
      if (f_stalled) p_stable: assert (out_valid_o && out_data_o == f_offered);
    end
  end
`endif
