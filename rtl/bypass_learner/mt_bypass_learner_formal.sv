// SPDX-License-Identifier: Apache-2.0
// Formal properties of bypass_learner, proved by `make formal BLOCK=bypass_learner`; included at the end of mt_bypass_learner.sv.
//
// No assumptions about the inputs; resets may occur at any time.  x_* is an invariant that makes the properties inductive.
`ifdef MT_BYPASS_LEARNER_PROPERTIES
  logic              f_live;                  // a reset has occurred
  logic              f_started, f_stopped, f_done, f_more;  // in the last cycle: a start, a stop, nothing but a learnt number, step 4
  logic              f_a_best, f_b_best, f_fewer;  // then: which period had fewest stalls
  logic              f_decided;               // in the last cycle, step 3 ended
  logic [StallW-1:0] f_none, f_a;             // stalls of steps 1 and 2
  logic              f_tried_a;
  logic [StallW-1:0] f_fewest;                // of all periods of the pair
  logic              f_any;
  logic [LimitW-1:0] f_by;
  logic [LimitW-1:0] f_tags_a, f_tags_b;      // thread blocks with a tag that run
  logic              f_kernel;

  initial f_live = 1'b0;
  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_live    <= 1'b1;
      f_started <= 1'b0;
      f_stopped <= 1'b0;
      f_done    <= 1'b0;
      f_more    <= 1'b0;
      f_decided <= 1'b0;
      f_any     <= 1'b0;
      f_tried_a <= 1'b0;
      f_tags_a  <= '0;
      f_tags_b  <= '0;
    end else begin
      f_started <= start_valid_i;
      f_stopped <= stop_valid_i & ~start_valid_i;
      f_done    <= (state_q == Done) & ~start_valid_i & ~stop_valid_i;
      f_more    <= learns & (state_q == More);
      f_decided <= learns & (state_q == B);
      f_fewer   <= period_stalls_i < f_fewest;
      f_b_best  <= period_stalls_i < f_none && (!f_tried_a || period_stalls_i < f_a);
      f_a_best  <= f_tried_a && f_a < f_none && f_a <= period_stalls_i;
      f_by      <= by_q;
      f_kernel  <= kernel_q;
      if (learns && state_q == None) f_none <= period_stalls_i;
      if (learns && state_q == A) f_a <= period_stalls_i;
      if (start_valid_i || stop_valid_i || (learns && state_q == None)) f_tried_a <= 1'b0;
      else if (learns && state_q == A) f_tried_a <= 1'b1;
      if (start_valid_i || stop_valid_i) f_any <= 1'b0;
      else if (learns) f_any <= 1'b1;
      if (learns && (!f_any || period_stalls_i < f_fewest)) f_fewest <= period_stalls_i;
      f_tags_a <= f_tags_a + LimitW'(launch_valid_i & launch_tag_o & ~launch_kernel_i)
                  - LimitW'(finish_valid_i & finish_tag_i & ~finish_kernel_i & (f_tags_a != '0));
      f_tags_b <= f_tags_b + LimitW'(launch_valid_i & launch_tag_o & launch_kernel_i)
                  - LimitW'(finish_valid_i & finish_tag_i & finish_kernel_i & (f_tags_b != '0));
    end
  end

  always_comb begin
    if (f_live && rst_ni) begin
      p_state: assert (state_q <= Done);
      // One kernel at most bypasses, with no more thread blocks than the SM may hold.
      p_one:   assert (by_a_o == '0 || by_b_o == '0);
      p_limit: assert (by_a_o <= limit_a_i && by_b_o <= limit_b_i);
      // The tags that run are counted, and one is given exactly while there are too few.
      p_tags:  assert (cur_a_o == f_tags_a && cur_b_o == f_tags_b);
      p_tag:   assert (launch_tag_o == (launch_valid_i && (launch_kernel_i ? cur_b_o < by_b_o : cur_a_o < by_a_o)));
      // A period starts only while the tags in force are those chosen.
      p_defer: assert (defer_o == !(f_tags_a == by_a_o && f_tags_b == by_b_o));
      // Each state's number.
      if (state_q == Off || state_q == None) p_no_number: assert (by_q == '0);
      if (state_q == A) p_a: assert (by_q == LimitW'(1) && !kernel_q);
      if (state_q == B) p_b: assert (by_q == LimitW'(1) && kernel_q);
      if (state_q == More) p_more: assert (by_q >= LimitW'(2));
      if (f_started) p_start: assert (state_q == None);
      else if (f_stopped) p_stop: assert (state_q == Off);
      // The fewest stalls of the pair are kept.
      if (state_q != Off && state_q != None) p_fewest: assert (f_any && best_q == f_fewest);
      if (state_q == None) x_none: assert (!f_any);
      if (state_q == A) p_after_1: assert (f_none == f_fewest);
      if (state_q == B) p_after_2: assert (f_fewest == ((f_tried_a && f_a < f_none) ? f_a : f_none) && a_best_q == (f_tried_a && f_a < f_none));
      // Step 3: the kernel with the fewest stalls; none if there were as few without; A if there were as few with B.
      if (f_decided && f_b_best) p_choose_b: assert (kernel_q && by_q >= LimitW'(1));
      if (f_decided && !f_b_best && f_a_best) p_choose_a: assert (!kernel_q && by_q >= LimitW'(1));
      if (f_decided && !f_b_best && !f_a_best) p_choose_none: assert (state_q == Done && by_q == '0);
      // Step 4: the number goes up by one or stays with fewer stalls, else it goes back.
      if (f_more && f_fewer) p_up: assert (kernel_q == f_kernel && (state_q == More ? by_q == f_by + LimitW'(1) : by_q == f_by));
      if (f_more && !f_fewer) p_back: assert (kernel_q == f_kernel && state_q == Done && by_q == f_by - LimitW'(1));
      // Step 5.
      if (f_done) p_done: assert (state_q == Done && by_q == f_by && kernel_q == f_kernel);
    end
  end
`endif
