// SPDX-License-Identifier: Apache-2.0
// Reordering by bank alone: Gu20, section 2.3.3, figure 2.3; with one queue, the FIFO of figure 2.2.
#include "blocks/reorder_scenarios.hpp"

// The address has all bits of the queue's number.
static const bool kAllQueues = (uint64_t(cfg.Banks) - 1) >> 1 >> (cfg.AddrW - cfg.BankMsb) == 0;

SCENARIO(latency, cfg.Banks > 1 || cfg.Entries > 1,
         "a request can leave in the cycle after its arrival; one arrives and one leaves in every cycle")
{
    run.expect(!run.cycle(offer(line_of(0, 0), 0, true)).out_valid_o, "nothing is there yet");
    for (uint64_t i = 1; i < 20; i++) {
        const Out &out = run.cycle(offer(line_of(i, i), i, true));
        run.expect(out.in_ready_o && out.out_valid_o, "one arrives and one leaves");
        run.expect_equal(out.out_info_o, (i - 1) & bits_mask(cfg.InfoW), "the payload");
    }
}

SCENARIO(in_turn, kAllQueues, "figure 2.3: the queues are drained in turn; in a queue the oldest request goes first")
{
    for (uint64_t i = 0; i < cfg.Banks * cfg.Entries; i++)
        run.expect(run.cycle(offer(line_of(i / cfg.Entries, i), i)).in_ready_o, "it fits");
    run.expect(!run.cycle(offer(line_of(0, 0), 0)).in_ready_o, "its queue is full");
    run.expect_equal(run.idle().stalls_o, 1, "stalls");
    for (uint64_t i = 0; i < cfg.Banks * cfg.Entries; i++) {
        const Out &out = run.cycle(take());
        run.expect_equal(out.out_bank_o, i % cfg.Banks, "the queue");
        run.expect_equal(out.out_info_o, (i % cfg.Banks * cfg.Entries + i / cfg.Banks) & bits_mask(cfg.InfoW),
                         "the request");
    }
    run.expect(!run.idle().out_valid_o, "all are out");
}

SCENARIO(refused, true, "HOLD offers the refused request until it is taken, ROTATE the next queue's")
{
    run.cycle(offer(line_of(0, 0), 1));
    run.cycle(offer(line_of(cfg.Banks - 1, 1), 2));
    In in{};
    in.out_refused_i = true;
    run.expect_equal(run.cycle(in).out_info_o, 1, "the oldest");
    run.expect_equal(run.cycle(in).out_info_o, cfg.Rotate && cfg.Banks > 1 ? 2 & bits_mask(cfg.InfoW) : 1,
                     "the offer after a refusal");
    run.expect_equal(run.cycle(in).out_info_o, 1, "and then");
}

// Bank of a line, also with a single queue for all banks.
static uint64_t in_bank(uint64_t bank)
{
    return (bank & 1) << cfg.BankLsb | (bank >> 1) << cfg.BankMsb;
}

static void drain(Run &run, std::initializer_list<uint64_t> requests)
{
    for (uint64_t r : requests) run.expect_equal(run.cycle(take()).out_info_o, r, "MR" + std::to_string(r));
}

SCENARIO(fifo, cfg.Banks == 1, "figure 2.2a: with any banks, requests leave in the order of their arrival")
{
    for (uint64_t i = 0; i < cfg.Entries; i++) run.cycle(offer(77 * i, i));
    run.expect(!run.cycle(offer(1, 9)).in_ready_o, "no more than the buffer holds");
    run.expect(!run.cycle(offer(1, 9, true)).in_ready_o, "the place that is given up is there in the next cycle");
    for (uint64_t i = 1; i < cfg.Entries; i++) {
        const Out &out = run.cycle(take());
        run.expect_equal(out.out_info_o, i & bits_mask(cfg.InfoW), "the next");
        run.expect_equal(out.out_addr_o, 77 * i & bits_mask(cfg.AddrW), "its line");
    }
    run.expect_equal(run.idle().stalls_o, 2, "stalls");
}

SCENARIO(low_bank_bits, cfg.Banks == 2 && cfg.BankMsb + 1 < cfg.AddrW,
         "2.3.3: a request goes into queue (bank mod B): with fewer queues than banks the low bank bits count")
{
    run.cycle(offer(in_bank(5), 5));
    run.cycle(offer(in_bank(2), 2));
    run.expect_equal(run.cycle(take()).out_bank_o, 1, "the queue of bank 5");
    run.expect_equal(run.cycle(take()).out_bank_o, 0, "the queue of bank 2");
}

SCENARIO(figure_2_3, cfg.Banks >= 4 && cfg.Entries >= 2 && cfg.InfoW >= 3,
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
