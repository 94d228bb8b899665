// SPDX-License-Identifier: Apache-2.0
// Formal properties of umon, proved by `make formal BLOCK=umon`; included at the end of mt_umon.sv.
//
// No assumptions about the inputs; resets may occur at any time.  p_* are the properties; x_* (FORMAL_AUX) are invariants
// that make them inductive.
`ifdef MT_UMON_PROPERTIES
  localparam int FW = WaysW + 3;

  logic            f_live;  // a reset has occurred
  logic [RowW-1:0] f_row;   // an arbitrary stack
  initial f_live = 1'b0;
  initial assume (!rst_ni);
  always @(posedge clk_i) if (!rst_ni) f_live <= 1'b1;

  (* anyconst *) logic [RowW-1:0] f_any;
  always_comb assume (32'(f_any) < Rows);
  assign f_row = f_any;

  // Of that stack: valid positions come first.
  logic [Ways-1:0] f_valid;
  always_comb begin
    f_valid = '0;
    for (int r = 0; r < Rows; r++) if (f_row == RowW'(r)) f_valid = valid_q[r];
  end

  logic [FW-1:0]      f_sum, f_next_sum;
  logic [Kernels-1:0] f_some, f_next_some, f_within;
  always_comb begin
    f_sum      = '0;
    f_next_sum = FW'(left_q);
    for (int k = 0; k < Kernels; k++) begin
      f_sum          = f_sum + FW'(alloc_q[k]);
      f_next_sum     = f_next_sum + FW'(next_q[k]);
      f_some[k]      = alloc_q[k] != '0;
      f_next_some[k] = next_q[k] != '0 && FW'(next_q[k]) <= FW'(Ways);
      f_within[k]    = FW'(alloc_q[k]) <= FW'(Ways - Kernels + 1);
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      // Every way has a kernel, and every kernel a way.
      p_sum:     assert (f_sum == FW'(Ways));
      p_some:    assert (&f_some);
      p_within:  assert (&f_within);
      p_hit:     assert (!acc_hit_o || acc_sampled_o);
      p_sampled: assert (!acc_sampled_o || acc_valid_i);
      p_stack:   assert ((f_valid & (f_valid + Ways'(1))) == '0);
      p_round:   assert (!round || (ways != '0 && ways <= left_q));
      p_depth:   assert (32'(acc_depth_o) < Ways);
    end
  end

`ifdef FORMAL_AUX
  always_comb begin
    if (f_live && rst_ni && busy_q) begin
      x_next:   assert (f_next_sum == FW'(Ways) && (&f_next_some));
      x_more:   assert (left_q == '0 ? more_q == '0 : more_q < left_q);
      x_kernel: assert (32'(kernel_q) < Kernels && 32'(best_kernel_q) < Kernels);
      x_best:   assert (best_ways_q <= left_q);
      x_fresh:  assert (best_ways_q != '0 || (kernel_q == '0 && more_q == '0));
    end
  end
`endif
`endif
