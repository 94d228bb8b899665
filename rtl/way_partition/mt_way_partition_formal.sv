// SPDX-License-Identifier: Apache-2.0
// Formal properties of way_partition, proved by `make formal BLOCK=way_partition`; included at the end of mt_way_partition.sv.
//
// No assumptions about the inputs, except where a property names them; resets may occur at any time.
`ifdef MT_WAY_PARTITION_PROPERTIES
  logic f_live;  // a reset has occurred
  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always @(posedge clk_i) if (!rst_ni) f_live <= 1'b1;

  // Of the way that is chosen, and of an arbitrary other one.
  (* anyseq *) logic [WayW-1:0] f_other;
  logic               f_filled, f_held, f_mine, f_other_mine, f_other_free, f_others_open;
  logic [WayW-1:0]    f_order, f_other_order;
  logic [KernelW-1:0] f_owner;
  logic [WaysW+2:0]   f_sum, f_owner_lines, f_owner_ways, f_my_lines, f_my_ways;

  always_comb begin
    f_filled      = 1'b0;
    f_held        = 1'b0;
    f_owner       = '0;
    f_order       = '0;
    f_other_mine  = 1'b0;
    f_other_free  = 1'b0;
    f_others_open = 1'b0;
    f_other_order = '0;
    for (int i = 0; i < Ways; i++) begin
      if (ask_way_o == WayW'(i)) begin
        f_filled = ask_filled_i[i];
        f_held   = ask_held_i[i];
        f_owner  = ask_owners_i[i*KernelW +: KernelW];
        f_order  = ask_order_i[i*WayW +: WayW];
      end
      if (f_other == WayW'(i)) begin
        f_other_mine  = ask_filled_i[i] && !ask_held_i[i] && ask_owners_i[i*KernelW +: KernelW] == ask_kernel_i;
        f_other_free  = !ask_filled_i[i] && !ask_held_i[i];
        f_other_order = ask_order_i[i*WayW +: WayW];
      end
      f_others_open = f_others_open || (ask_filled_i[i] && !ask_held_i[i] && ask_owners_i[i*KernelW +: KernelW] != ask_kernel_i);
    end
    f_mine = f_owner == ask_kernel_i;
    f_sum         = '0;
    f_owner_ways  = '0;
    f_my_ways     = '0;
    for (int k = 0; k < Kernels; k++) begin
      f_sum = f_sum + (WaysW+3)'(ask_alloc_i[k*WaysW +: WaysW]);
      if (f_owner == KernelW'(k)) f_owner_ways = (WaysW+3)'(ask_alloc_i[k*WaysW +: WaysW]);
      if (ask_kernel_i == KernelW'(k)) f_my_ways = (WaysW+3)'(ask_alloc_i[k*WaysW +: WaysW]);
    end
    f_owner_lines = '0;
    f_my_lines    = '0;
    for (int i = 0; i < Ways; i++) begin
      f_owner_lines = f_owner_lines + (WaysW+3)'(ask_filled_i[i] && ask_owners_i[i*KernelW +: KernelW] == f_owner);
      f_my_lines    = f_my_lines + (WaysW+3)'(ask_filled_i[i] && ask_owners_i[i*KernelW +: KernelW] == ask_kernel_i);
    end
  end

  always_comb begin
    if (f_live && rst_ni && ask_valid_i && 32'(ask_kernel_i) < Kernels && (ask_filled_i & ~known) == '0) begin
      p_way:    assert (32'(ask_way_o) < Ways);
      p_locked: assert (!ask_ok_o || !f_held);
      p_free:   assert (!f_other_free || (ask_ok_o && !f_filled));
      p_others: assert (ask_others_o == (ask_ok_o && f_filled && !f_mine));
      // A line of another kernel goes only if that kernel is above its allocation, and this one below.
      if (ask_others_o) p_entitled: assert (f_owner_lines > f_owner_ways && f_my_lines < f_my_ways);
      // A kernel at its allocation or above replaces its own line used least recently.
      if (ask_ok_o && f_filled && f_mine && f_other_mine) p_oldest: assert (f_order <= f_other_order);
      // It waits only if none of its own lines can go.
      if (!ask_ok_o) p_waits: assert (!f_other_mine && !f_other_free);
      // With an allocation of all ways and no outstanding miss, no kernel with a way waits.
      if (f_sum == (WaysW+3)'(Ways) && f_my_ways != '0 && ask_held_i == '0) p_goes_on: assert (ask_ok_o);
    end
    if (f_live && rst_ni && !ask_valid_i) p_quiet: assert (!ask_ok_o && !ask_others_o && ask_way_o == '0);
  end
`endif
