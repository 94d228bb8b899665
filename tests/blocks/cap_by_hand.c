/* SPDX-License-Identifier: Apache-2.0 */
/* cap: outcomes worked out by hand from Gu20, section 4.3.1; every granularity against equation 4.1. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cap.h"
#include "skip.h"

static struct cap prefetcher(uint32_t first_page)
{
    const struct cap_cfg cfg = {.Allocs = 4,
                                .PageW = 36,
                                .CountW = 22,
                                .MaxLog = 4,
                                .OverLog = 3,
                                .CNum = 11,
                                .CDen = 10,
                                .FirstPage = first_page};
    struct cap m = {0};
    cap_init(&m, &cfg);
    return m;
}

static struct cap_out cycle(struct cap *m, struct cap_in in)
{
    struct cap_out out;
    cap_eval(m, &in, &out);
    cap_tick(m, &in);
    return out;
}

static void allocate(struct cap *m, uint32_t index, uint64_t base, uint32_t pages)
{
    const struct cap_in in = {
        .alloc_valid_i = true, .alloc_index_i = (uint8_t)index, .alloc_base_i = base, .alloc_pages_i = pages};
    cr_assert(cycle(m, in).alloc_ready_o);
}

/* What became of a fault: its window, and what was asked for. */
struct walk {
    uint32_t log, asked, cycles;
    uint64_t first, last, pages, demand;
};

static struct walk fault(struct cap *m, uint64_t page, uint32_t avail, bool over, uint16_t resident)
{
    const struct cap_in in = {
        .fault_valid_i = true, .fault_page_i = page, .avail_pages_i = avail, .oversubscribed_i = over};
    struct walk walk = {0};
    cr_assert(cycle(m, in).fault_ready_o);
    while (!cap_idle(m)) {
        const struct cap_out out =
            cycle(m, (struct cap_in){.look_ready_i = true, .look_resident_i = resident, .req_ready_i = true});
        walk.cycles++;
        walk.asked += out.req_valid_o;
        walk.pages += (uint64_t)__builtin_popcount(out.req_pages_o);
        if (out.req_demand_o) walk.demand = out.req_chunk_o;
        if (!out.win_valid_o) continue;
        walk.log = out.win_log_o;
        walk.first = out.win_first_o;
        walk.last = out.win_last_o;
    }
    return walk;
}

Test(cap, a_g_of_420_kib_gives_256_kib)
{
    struct cap m = prefetcher(1);
    allocate(&m, 0, 0, 256);
    allocate(&m, 1, 4096, 256);
    const struct walk walk = fault(&m, 133, 231, false, 0); /* 231 * 256 / (512 * 1.1) = 105 pages */
    cr_expect_eq(64u << walk.log, 256u);
    cr_expect(walk.first == 8 && walk.last == 11 && walk.asked == 4 && walk.pages == 64 && walk.demand == 8);
}

Test(cap, an_allocation_of_220_kib_has_64_and_128_kib)
{
    struct cap m = prefetcher(1);
    allocate(&m, 0, 0, 55);
    bool seen[8] = {false};
    for (uint32_t avail = 0; avail < 4096; avail++) seen[fault(&m, 0, avail, false, 0).log] = true;
    cr_expect(seen[0] && seen[1] && !seen[2] && !seen[3] && !seen[4]);
}

/* 32 pages of 160: 32 * 160 * 11 = 176 * 32 * 10. */
Test(cap, equality_is_enough_and_one_page_less_is_not)
{
    struct cap m = prefetcher(1);
    allocate(&m, 0, 0, 32);
    allocate(&m, 1, 4096, 128);
    cr_expect_eq(fault(&m, 0, 176, false, 0).log, 1);
    cr_expect_eq(fault(&m, 0, 175, false, 0).log, 0);
}

Test(cap, every_granularity_is_that_of_equation_4_1)
{
    struct cap m = prefetcher(1);
    struct rng rng;
    uint32_t seen[5] = {0};
    rng_seed(&rng, 5);
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t pages[2];
        for (uint32_t i = 0; i < 2; i++) {
            pages[i] = 1 + (uint32_t)rng_below(&rng, 1u << (3 + rng_below(&rng, 12)));
            allocate(&m, i, i << 20, pages[i]);
        }
        const uint32_t avail = (uint32_t)rng_below(&rng, 1u << (2 + rng_below(&rng, 14)));
        const double g = avail * ((double)pages[0] / ((pages[0] + pages[1]) * 1.1));
        uint32_t log = 4;
        while (log && ((16u << log) > g + 1e-9 || (16u << log) > pages[0])) log--;
        const struct walk walk = fault(&m, rng_below(&rng, pages[0]), avail, false, 0);
        cr_assert_eq(walk.log, log, "round %u: Mavail %u, Mreq %u, Magg %u", round, avail, pages[0], m.total_q);
        seen[log]++;
    }
    for (uint32_t log = 0; log < 5; log++) cr_expect(seen[log] > 50, "granularity %u: %u", log, seen[log]);
}

Test(cap, the_window_is_aligned_and_clipped_at_both_ends)
{
    struct cap m = prefetcher(1);
    allocate(&m, 0, 3 * 16, 4 * 16 + 5); /* chunks 3 to 7, of the last one 5 pages */
    struct walk walk = fault(&m, 3 * 16 + 1, 0, true, 0);
    cr_expect(walk.first == 3 && walk.last == 7 && walk.asked == 5 && walk.pages == 69 && walk.demand == 3);
    walk = fault(&m, 7 * 16 + 4, 1 << 20, false, 0); /* 69 pages allow 256 KiB: chunks 4 to 7 */
    cr_expect(walk.first == 4 && walk.last == 7 && walk.pages == 53);
    fault(&m, 7 * 16 + 5, 0, true, 0);
    cr_expect_eq(m.error_q, CAP_ERROR_FAULT);
}

Test(cap, what_is_there_is_not_asked_for)
{
    struct cap first = prefetcher(1), all = prefetcher(0);
    allocate(&first, 0, 0, 256);
    allocate(&all, 0, 0, 256);
    cr_expect_eq(fault(&first, 0, 0, true, 0x0001).asked, 1, "the fault's own chunk alone");
    cr_expect_eq(fault(&first, 0, 0, true, 0x8000).pages, 8 * 15);
    cr_expect_eq(fault(&all, 0, 0, true, 0x0001).pages, 8 * 15);
    cr_expect_eq(fault(&all, 0, 0, true, 0xffff).asked, 0);
}

Test(cap, magg_is_the_sum_of_what_is_allocated)
{
    struct cap m = prefetcher(1);
    allocate(&m, 0, 0, 100);
    allocate(&m, 1, 4096, (1u << 22) - 101);
    cr_expect_eq(m.total_q, (1u << 22) - 1);
    allocate(&m, 0, 0, 40);
    allocate(&m, 1, 0, 0);
    cr_expect(m.total_q == 40 && m.error_q == CAP_OK);
    allocate(&m, 2, 0, (1u << 22) - 40);
    cr_expect(m.total_q == 40 && m.alloc_pages_q[2] == 0 && m.error_q == CAP_ERROR_ALLOC);
}

static void traffic(struct cap *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 40); c > 0; c--)
        cycle(m, (struct cap_in){.fault_valid_i = rng_below(rng, 40) == 0,
                                 .fault_page_i = rng_below(rng, 500),
                                 .avail_pages_i = (uint32_t)rng_below(rng, 64),
                                 .look_ready_i = rng_below(rng, 2),
                                 .req_ready_i = rng_below(rng, 2)});
}

Test(cap, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct cap m = prefetcher(1);
    allocate(&m, 0, 0, 500);
    SKIP_ROUNDS(cap, &m, traffic, 11, 600, 9, .look_ready_i = c & 1, .req_ready_i = c & 2, .avail_pages_i = c);
}
