// SPDX-License-Identifier: Apache-2.0
// Memory request prioritization buffer: Khairy15, section 5 and table 4; Gu20, section 3.5.
#include "run.hpp"

static In offer(uint64_t queue, uint64_t info, bool take = false)
{
    In in{};
    in.in_valid_i = true;
    in.in_queue_i = uint8_t(queue);
    in.in_info_i = info & bits_mask(cfg.InfoW);
    in.out_ready_i = take;
    return in;
}

static In take()
{
    In in{};
    in.out_ready_i = true;
    return in;
}

static In refuse()
{
    In in{};
    in.out_refused_i = true;
    return in;
}

static uint32_t capacity()
{
    return cfg.Shared ? cfg.Entries : cfg.Queues * cfg.Entries;
}

SCENARIO(latency, true, "a request can leave in the cycle after its arrival; one arrives and one leaves in every cycle")
{
    const bool alone = !cfg.Shared && cfg.Queues == 1, free = cfg.Entries > 1 || !(cfg.Shared || alone);
    run.expect(!run.cycle(offer(0, 0, true)).out_valid_o, "nothing is there yet");
    for (uint64_t i = 1; free && i < 20; i++) {
        const Out &out = run.cycle(offer(i % cfg.Queues, i, true));
        run.expect(out.in_ready_o && out.out_valid_o, "one arrives and one leaves");
        run.expect_equal(out.out_info_o, (i - 1) & bits_mask(cfg.InfoW), "the request");
    }
}

SCENARIO(by_warp, cfg.Queues > 1 && capacity() >= 4 && cfg.Entries > 1,
         "requests of interleaved warps leave warp by warp, the lowest first, each warp's in order")
{
    const uint64_t last = cfg.Queues - 1;
    run.cycle(offer(last, 1));
    run.cycle(offer(0, 2));
    run.cycle(offer(last, 3));
    run.cycle(offer(0, 4));
    run.cycle(refuse());
    for (uint64_t i : {2, 4, 1, 3}) {
        const Out &out = run.cycle(take());
        run.expect_equal(out.out_info_o, i & bits_mask(cfg.InfoW), "the request");
        run.expect_equal(out.out_queue_o, i & 1 ? last : 0, "its queue");
    }
    run.expect(!run.idle().out_valid_o, "all are out");
}

SCENARIO(chosen_anew, cfg.Queues > 1 && capacity() > 1,
         "not greedy: a newcomer of a lower warp goes first, but not in front of an offer that stands")
{
    const uint64_t last = cfg.Queues - 1;
    run.cycle(offer(last, 1));
    run.expect_equal(run.idle().out_queue_o, last, "the only one");
    run.cycle(offer(0, 0));
    run.expect_equal(run.cycle(refuse()).out_queue_o, last, "the offer stands");
    run.expect_equal(run.cycle(take()).out_queue_o, 0, "after the refusal the lowest is chosen");
    run.expect_equal(run.cycle(take()).out_queue_o, last, "then the other");
}

SCENARIO(full, true, "a request without a free entry waits; a freed entry is usable in the next cycle")
{
    const uint64_t n = cfg.Shared ? capacity() : cfg.Entries;
    for (uint64_t i = 0; i < n; i++) run.expect(run.cycle(offer(0, i)).in_ready_o, "it fits");
    run.expect(!run.cycle(offer(0, 9)).in_ready_o, "full");
    run.expect(!run.cycle(offer(0, 9, true)).in_ready_o, "the entry is free in the next cycle");
    run.expect(run.cycle(offer(0, 9)).in_ready_o, "and is taken");
    const Out &out = run.idle();
    run.expect_equal(out.stalls_o, 2, "stalls");
    run.expect_equal(out.used_o, n, "requests held");
}

SCENARIO(apart, !cfg.Shared && cfg.Queues > 1, "queues with entries of their own: a full one leaves room in the others")
{
    for (uint64_t i = 0; i < cfg.Entries; i++) run.cycle(offer(0, i));
    run.expect(!run.cycle(offer(0, 0)).in_ready_o, "full");
    run.expect(run.cycle(offer(cfg.Queues - 1, 0)).in_ready_o, "another has room");
}

SCENARIO(one_warp_fills_the_pool, cfg.Shared &&cfg.Queues > 1,
         "a pool: one warp may fill it, and then no other has room")
{
    for (uint64_t i = 0; i < cfg.Entries; i++) run.cycle(offer(cfg.Queues - 1, i));
    run.expect(!run.cycle(offer(0, 0)).in_ready_o, "full");
    run.expect_equal(run.cycle(refuse()).out_queue_o, cfg.Queues - 1, "its requests alone");
}

SCENARIO(no_such_queue, bits_mask(bits_index(cfg.Queues)) >= cfg.Queues,
         "a request for a queue that does not exist is not accepted and raises the error")
{
    run.expect(!run.cycle(offer(cfg.Queues, 1)).in_ready_o, "not accepted");
    const Out &out = run.cycle(offer(0, 1));
    run.expect(out.in_ready_o && !out.out_valid_o, "others are, and nothing was held");
    run.expect_equal(run.idle().error_o, MRPB_ERROR_QUEUE, "the error stays");
    run.reset();
    run.expect_equal(run.idle().error_o, MRPB_OK, "until reset");
}
