// SPDX-License-Identifier: Apache-2.0
// Reordering by bank alone: Gu20, section 2.3.3, figure 2.3; with one queue, the FIFO of figure 2.2.
#include "bench.hpp"
#include "bank_reorder_inputs.hpp"

// Of a bank, also where there is one queue for all of them.
static uint64_t in_bank(uint64_t bank)
{
    return (bank & 1) << cfg.BankLsb | (bank >> 1) << cfg.BankMsb;
}

static void drain(tb::Bench &run, std::initializer_list<uint64_t> requests)
{
    for (uint64_t r : requests) run.expect_equal(run.cycle(take()).out_info_o, r, "MR" + std::to_string(r));
}

SCENARIO(fifo, cfg.Banks == 1, "figure 2.2a: whatever the banks are, requests leave in the order in which they came")
{
    for (uint64_t i = 0; i < cfg.Entries; i++) run.cycle(offer(in_bank(i % 3), i));
    run.expect(!run.cycle(offer(in_bank(0), 9)).in_ready_o, "no more than the buffer holds");
    for (uint64_t i = 0; i < cfg.Entries; i++) drain(run, {i});
}

SCENARIO(figure_2_3, cfg.Banks >= 4 && cfg.Entries >= 2,
         "2.3.3: non-empty queues in turn, so that banks work side by side")
{
    run.cycle(offer(in_bank(0), 1));
    run.cycle(offer(in_bank(0), 2));
    run.cycle(offer(in_bank(2), 3));
    run.cycle(offer(in_bank(3), 4));
    run.cycle(offer(in_bank(3), 5));
    drain(run, {1, 3, 4, 2, 5});
    run.expect(!run.idle().out_valid_o, "all are out");
}

SCENARIO(one_in_one_out, cfg.Entries > 1, "a request comes and another one leaves in every cycle")
{
    for (uint64_t i = 0; i < 40; i++) {
        const Out &out = run.cycle(offer(in_bank(i % cfg.Banks), i, true));
        run.expect(out.in_ready_o && out.out_valid_o == (i > 0), "one comes and one leaves");
    }
}

SCENARIO(refused, true, "a refused request is offered again at once, or, with ROTATE, after the other queues'")
{
    In no{};
    no.out_refused_i = true;
    run.cycle(offer(in_bank(0), 1));
    run.cycle(offer(in_bank(1), 2));
    run.expect_equal(run.cycle(no).out_info_o, 1, "the first");
    run.expect_equal(run.cycle(no).out_info_o, cfg.Rotate && cfg.Banks > 1 ? 2 : 1, "after its refusal");
}
