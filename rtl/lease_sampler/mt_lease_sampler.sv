// SPDX-License-Identifier: Apache-2.0
// Lease sampler: derives the lease of each allocation ("group") from sampled accesses to its pages (Gu20, section
// 4.3.2.1, equation 4.2).
//
// In the first Duty cycles of each Period, accesses are counted in a table of 64 KiB blocks.  In the rest of the period, each
// group's entries are averaged: accesses per page of every entry, their mean, scaled to a lease and weighted with the old one.
//
// Timing: an access is counted in its cycle.  All divisions use one serial divider, one quotient bit per cycle; they end before
// the next period, which a parameter check ensures.
// Parameters: Groups and Entries set the tables, ScaleNum/ScaleDen is LEASE_SCALE, OldShift the weight of the old lease.
`include "mt_assert.svh"

module mt_lease_sampler #(
  parameter int Groups    = 16,                   // page groups: allocations
  parameter int Entries   = 16,                   // 64 KiB blocks counted at a time
  parameter int PageW     = 18,                   // bits of a page number
  parameter int CountW    = 10,                   // bits of an access counter
  parameter int LeaseW    = 10,                   // bits of a lease, in accesses
  parameter int Duty      = 1000,                 // D: cycles of a period in which accesses are counted
  parameter int Period    = 6000,                 // S: cycles of a period; the divisions must fit in its rest after Duty
  parameter int ScaleNum  = 6,                    // LEASE_SCALE = ScaleNum/ScaleDen, its numerator: S/D
  parameter int ScaleDen  = 1,                    // its denominator
  parameter int OldShift  = 2,                    // a lease is ((2^OldShift - 1) * old + new) / 2^OldShift; 0: new alone
  parameter int FracW     = 8,                    // fractional bits of N/P and of the average
  parameter int InitLease = 32767,                // the lease of a group without a sample; at most all ones of LeaseW
  localparam int GroupW = (Groups > 1) ? $clog2(Groups) : 1,
  localparam int AtW    = (Entries > 1) ? $clog2(Entries) : 1
) (
  input  wire logic              clk_i,           // clock, rising edge
  input  wire logic              rst_ni,          // synchronous reset, active low

  input  wire logic              acc_valid_i,     // a page request; never stalled
  input  wire logic [GroupW-1:0] acc_group_i,     // the group of its page
  input  wire logic [PageW-1:0]  acc_page_i,      // its page

  input  wire logic              forget_valid_i,  // a group is (re)written: its sample and its entries are cleared
  input  wire logic [GroupW-1:0] forget_group_i,  // which

  input  wire logic [GroupW-1:0] look_group_i,    // group of the lease lookup
  output logic [LeaseW-1:0]      look_lease_o,    // its lease, at least 1, in the same cycle
  output logic                   look_known_o,    // set by a sample; else it is InitLease

  output logic                   upd_valid_o,     // a sample sets a lease, for one cycle
  output logic [GroupW-1:0]      upd_group_o,     // its group; else 0
  output logic [LeaseW-1:0]      upd_lease_o,     // the lease; else 0

  output logic                   sampling_o,      // accesses are counted in this cycle
  output logic [31:0]            ignored_o,       // accesses not counted, as there was no free entry; saturates
  output logic [31:0]            samples_o,       // leases set by samples; saturates
  output logic                   error_o          // enum lease_sampler_error: sticky until reset
);
  localparam int BlockW   = PageW - 4;
  localparam int NW       = $clog2(Entries + 1);
  localparam int NumW     = $clog2(ScaleNum + 1);
  localparam int DenW     = $clog2(ScaleDen + 1) + FracW;
  localparam int DivideW  = CountW + FracW + ((AtW > NumW) ? AtW : NumW);
  localparam int SmallW   = (NW > 5) ? NW : 5;
  localparam int DivisorW = (SmallW > DenW) ? SmallW : DenW;
  localparam int StepW    = $clog2(DivideW);
  localparam int CycleW   = $clog2(Period);
  localparam int WeighW   = LeaseW + OldShift;
  localparam int SatW     = ((DivideW > LeaseW) ? DivideW : LeaseW) + 1;
  localparam int Least    = (Groups < Entries) ? Groups : Entries;
  localparam int Longest  = (Entries + 2 * Least) * (DivideW + 2) + 2 * Least;
  localparam int MostLease = (1 << LeaseW) - 1;
  localparam logic [LeaseW-1:0] Initial = LeaseW'((InitLease < MostLease) ? InitLease : MostLease);

  `MT_PARAM_CHECK(g_illegal_groups, Groups >= 1 && Groups <= 64)
  `MT_PARAM_CHECK(g_illegal_entries, Entries >= 1 && Entries <= 64)
  `MT_PARAM_CHECK(g_illegal_page_w, PageW >= 5 && PageW <= 48)
  `MT_PARAM_CHECK(g_illegal_count_w, CountW >= 1 && CountW <= 16)
  `MT_PARAM_CHECK(g_illegal_lease_w, LeaseW >= 1 && LeaseW <= 15)
  `MT_PARAM_CHECK(g_illegal_duty, Duty >= 1 && Duty <= 1048575)
  `MT_PARAM_CHECK(g_illegal_period, Period >= 2 && Period <= 16777215)
  `MT_PARAM_CHECK(g_illegal_scale, ScaleNum >= 1 && ScaleNum <= 63 && ScaleDen >= 1 && ScaleDen <= 63)
  `MT_PARAM_CHECK(g_illegal_old_shift, OldShift >= 0 && OldShift <= 7)
  `MT_PARAM_CHECK(g_illegal_frac_w, FracW >= 0 && FracW <= 12)
  `MT_PARAM_CHECK(g_illegal_init_lease, InitLease >= 1 && InitLease <= 32767)
  `MT_PARAM_CHECK(g_divisions_outlast_the_period, Period - Duty >= Longest)

  localparam logic [2:0] Rest = 3'd0, Entry = 3'd1, Scale = 3'd2, Divide = 3'd3, Round = 3'd4, Update = 3'd5;
  localparam logic [1:0] Pages = 2'd0, Average = 2'd1, Lease = 2'd2;

  logic [CycleW-1:0]   cycle_q;
  logic [2:0]          state_q, state_d;
  logic [1:0]          phase_q, phase_d;
  logic [GroupW-1:0]   work_q, work_d;
  logic [NW-1:0]       n_q, n_d;
  logic [DivideW-1:0]  sum_q, sum_d, quot_q, quot_d;
  logic [DivisorW-1:0] rest_q, rest_d, divisor_q, divisor_d;
  logic [StepW-1:0]    step_q, step_d;
  logic [Entries-1:0]  valid_q, valid;
  logic [Groups-1:0]   known_q;
  logic [31:0]         ignored_q, ignored_d, samples_q, samples_d;
  logic                error_q;
  (* mem2reg *)
  logic [GroupW-1:0]   group_q [Entries];
  (* mem2reg *)
  logic [BlockW-1:0]   block_q [Entries];
  (* mem2reg *)
  logic [CountW-1:0]   count_q [Entries];
  (* mem2reg *)
  logic [15:0]         tag_q   [Entries];
  (* mem2reg *)
  logic [LeaseW-1:0]   lease_q [Groups];

  // ---- forget: it precedes the access of the same cycle and invalidates the entries of the group
  logic acc_there, forget_there, forget, drop;

  assign acc_there    = {1'b0, acc_group_i} < (GroupW+1)'(Groups);
  assign forget_there = {1'b0, forget_group_i} < (GroupW+1)'(Groups);
  assign forget       = forget_valid_i & forget_there;
  assign drop         = forget & (forget_group_i == work_q);

  // ---- access: uses the entry of its block, else a free one
  logic [Entries-1:0] hit, mine, place;
  logic [BlockW-1:0]  block;
  logic [15:0]        page;
  logic               count, full;

  assign sampling_o = cycle_q < CycleW'(Duty);
  assign count      = acc_valid_i & sampling_o & acc_there & ~(forget & (forget_group_i == acc_group_i));
  assign block      = acc_page_i[PageW-1:4];
  assign page       = 16'd1 << acc_page_i[3:0];
  assign full       = count & ~(|hit) & (&valid);

  logic [Entries-1:0] free_onehot;
  mt_first_one #(.Width(Entries)) u_free (.vector_i(~valid), .onehot_o(free_onehot));
  assign place = free_onehot & {Entries{count & ~(|hit)}};

  generate
    for (genvar i = 0; i < Entries; i++) begin : g_entry
      logic [CountW-1:0] accesses, accesses_next;
      assign accesses = count_q[i];  // Yosys does not accept a table in a port connection
      mt_sat_count #(.Width(CountW)) u_count (.count_i(accesses), .step_i(1'b1), .count_o(accesses_next));
      assign valid[i] = valid_q[i] & ~(forget & (group_q[i] == forget_group_i));
      assign hit[i]   = count & valid[i] & (group_q[i] == acc_group_i) & (block_q[i] == block);
      assign mine[i]  = valid[i] & ((state_q == Rest) | (group_q[i] == work_q));
      // Valid only for an entry in use: not reset, and they hold their values during reset.
      always_ff @(posedge clk_i) begin
        if (rst_ni && place[i]) begin
          group_q[i] <= acc_group_i;
          block_q[i] <= block;
        end
        if (rst_ni && (place[i] || hit[i])) begin
          count_q[i] <= place[i] ? 1 : accesses_next;
          tag_q[i]   <= place[i] ? page : tag_q[i] | page;
        end
      end
    end
  endgenerate

  // ---- the current entry; at rest, the entry whose group comes next
  logic [Entries-1:0] chosen, taken;
  logic [AtW-1:0]     at;
  logic [15:0]        tag;
  logic [4:0]         pages;
  logic               any;

  mt_first_one #(.Width(Entries)) u_chosen (.vector_i(mine), .onehot_o(chosen));
  mt_onehot_index #(.Width(Entries)) u_at (.onehot_i(chosen), .index_o(at));
  assign tag = tag_q[at];
  mt_popcount #(.Width(16)) u_pages (.vector_i(tag), .count_o(pages));
  assign any   = |mine;
  assign taken = chosen & {Entries{state_q == Entry}};

  // ---- one row of the division: each quotient bit shifts in where a dividend bit shifts out
  logic [DivisorW:0]   row;
  logic [DivisorW+1:0] less;
  logic                fits, up;

  assign row  = {rest_q, quot_q[DivideW-1]};
  assign less = {1'b0, row} - {2'b00, divisor_q};
  assign fits = ~less[DivisorW+1];
  assign up   = {rest_q, 1'b0} >= {1'b0, divisor_q};   // rounds to nearest, half up

  always_comb begin
    state_d   = state_q;
    phase_d   = phase_q;
    work_d    = work_q;
    n_d       = n_q;
    sum_d     = sum_q;
    quot_d    = quot_q;
    rest_d    = rest_q;
    divisor_d = divisor_q;
    step_d    = step_q;
    if (state_q != Rest && drop) state_d = Rest;
    else begin
      case (state_q)
        Rest: if (any && !sampling_o) begin
          state_d = Entry;
          work_d  = group_q[at];
          n_d     = '0;
          sum_d   = '0;
        end
        Entry: begin
          phase_d   = any ? Pages : Average;
          quot_d    = any ? DivideW'(count_q[at]) << FracW : sum_q;
          divisor_d = any ? DivisorW'(pages) : DivisorW'(n_q);
          n_d       = n_q + NW'(any);
        end
        Scale: begin
          phase_d   = Lease;
          quot_d    = sum_q * DivideW'(ScaleNum);
          divisor_d = DivisorW'(ScaleDen << FracW);
        end
        Divide: begin
          state_d = (step_q == '0) ? Round : Divide;
          step_d  = step_q - 1;
          rest_d  = fits ? less[DivisorW-1:0] : row[DivisorW-1:0];
          quot_d  = {quot_q[DivideW-2:0], fits};
        end
        Round: begin
          state_d = (phase_q == Pages) ? Entry : (phase_q == Average) ? Scale : Update;
          sum_d   = ((phase_q == Pages) ? sum_q : '0) + quot_q + DivideW'(up);
        end
        Update: state_d = Rest;
        default: ;
      endcase
      if (state_q == Entry || state_q == Scale) begin
        state_d = Divide;
        rest_d  = '0;
        step_d  = StepW'(DivideW - 1);
      end
    end
  end

  // ---- the lease: the sample, weighted with the previous lease
  logic [GroupW-1:0] old_at;
  logic [LeaseW-1:0] got, old, lease;
  logic [WeighW-1:0] weighed;
  logic              update;

  assign old_at  = ({1'b0, work_q} < (GroupW+1)'(Groups)) ? work_q : '0;
  assign old     = lease_q[old_at];
  assign got     = (SatW'(sum_q) > SatW'(MostLease)) ? '1 : (sum_q == '0) ? 1 : LeaseW'(sum_q);
  assign weighed = (WeighW'(old) << OldShift) - WeighW'(old) + WeighW'(got);
  assign lease   = known_q[old_at] ? LeaseW'(weighed >> OldShift) : got;
  assign update  = (state_q == Update) & ~drop;
  assign upd_valid_o = update;
  assign upd_group_o = update ? work_q : '0;
  assign upd_lease_o = update ? lease : '0;

  generate
    for (genvar g = 0; g < Groups; g++) begin : g_group
      logic set;
      assign set = update & (work_q == g);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) known_q[g] <= 1'b0;
        else known_q[g] <= (known_q[g] | set) & ~(forget & (forget_group_i == g));
      end
      // Valid only with known_q: not reset, and it holds its value during reset.
      always_ff @(posedge clk_i) begin
        if (rst_ni && set) lease_q[g] <= lease;
      end
    end
  endgenerate

  logic              look_there;
  logic [GroupW-1:0] look;
  assign look_there   = {1'b0, look_group_i} < (GroupW+1)'(Groups);
  assign look         = look_there ? look_group_i : '0;
  assign look_known_o = look_there & known_q[look];
  assign look_lease_o = look_known_o ? lease_q[look] : Initial;

  // ---- registers
  assign ignored_o = ignored_q;
  assign samples_o = samples_q;
  assign error_o   = error_q;
  mt_sat_count u_ignored (.count_i(ignored_q), .step_i(full), .count_o(ignored_d));
  mt_sat_count u_samples (.count_i(samples_q), .step_i(update), .count_o(samples_d));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q   <= '0;
      state_q   <= Rest;
      valid_q   <= '0;
      ignored_q <= '0;
      samples_q <= '0;
      error_q   <= 1'b0;
    end else begin
      cycle_q <= (cycle_q == CycleW'(Period - 1)) ? '0 : cycle_q + 1;
      state_q <= state_d;
      valid_q <= (valid & ~taken) | place;
      error_q <= error_q | (acc_valid_i & ~acc_there) | (forget_valid_i & ~forget_there);
      ignored_q <= ignored_d;
      samples_q <= samples_d;
    end
  end

  // Valid only outside of Rest: not reset, and they hold their values during reset.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      phase_q   <= phase_d;
      work_q    <= work_d;
      n_q       <= n_d;
      sum_q     <= sum_d;
      quot_q    <= quot_d;
      rest_q    <= rest_d;
      divisor_q <= divisor_d;
      step_q    <= step_d;
    end
  end

  `MT_ASSERT(g_counts_alone, !sampling_o || state_q == Rest)

`ifdef FORMAL
  `define MT_LEASE_SAMPLER_PROPERTIES
  `include "mt_lease_sampler_formal.sv"
  `undef MT_LEASE_SAMPLER_PROPERTIES
`endif
endmodule
