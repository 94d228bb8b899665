/* SPDX-License-Identifier: Apache-2.0 */
/* cap: every granularity against equation 4.1 of Gu20. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cap.h"
#include "cycle.h"
#include "skip.h"

static struct cap prefetcher(void)
{
    const struct cap_cfg cfg = {
        .Allocs = 4, .PageW = 36, .CountW = 22, .MaxLog = 4, .OverLog = 3, .CNum = 11, .CDen = 10, .FirstPage = 1};
    struct cap m = {0};
    cap_init(&m, &cfg);
    return m;
}

TWIN_CYCLE(cap)

static void allocate(struct cap *m, uint32_t index, uint64_t base, uint32_t pages)
{
    const struct cap_in in = {
        .alloc_valid_i = true, .alloc_index_i = (uint8_t)index, .alloc_base_i = base, .alloc_pages_i = pages};
    cr_assert(cycle(m, in).alloc_ready_o);
}

/* The granularity that a fault in allocation 0 gets. */
static uint32_t granularity(struct cap *m, uint64_t page, uint32_t avail)
{
    const struct cap_in in = {.fault_valid_i = true, .fault_page_i = page, .avail_pages_i = avail};
    uint32_t log = 0;
    cr_assert(cycle(m, in).fault_ready_o);
    while (!cap_idle(m)) {
        const struct cap_out out = cycle(m, (struct cap_in){.look_ready_i = true, .req_ready_i = true});
        if (out.win_valid_o) log = out.win_log_o;
    }
    return log;
}

Test(cap, every_granularity_is_that_of_equation_4_1)
{
    struct cap m = prefetcher();
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
        cr_assert_eq(granularity(&m, rng_below(&rng, pages[0]), avail), log, "round %u: Mavail %u, Mreq %u, Magg %u",
                     round, avail, pages[0], m.total_q);
        seen[log]++;
    }
    for (uint32_t log = 0; log < 5; log++) cr_expect(seen[log] > 50, "granularity %u: %u", log, seen[log]);
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
    struct cap m = prefetcher();
    allocate(&m, 0, 0, 500);
    SKIP_ROUNDS(cap, &m, traffic, 11, 600, 9, .look_ready_i = c & 1, .req_ready_i = c & 2, .avail_pages_i = c);
}
