/* SPDX-License-Identifier: Apache-2.0 */
/* umon against lists of tags, the hits of every number of ways, and lookahead in floating point; the README's table. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "readme_example.h"
#include "skip.h"
#include "umon.h"

TWIN_CYCLE(umon)

static struct umon *monitor(uint32_t kernels, uint32_t ways, uint32_t sets, uint32_t sampled)
{
    const struct umon_cfg cfg = {
        .Kernels = kernels, .Ways = ways, .Sets = sets, .SampledSets = sampled, .TagW = 8, .CountW = 12};
    struct umon *m = calloc(1, sizeof *m);
    umon_init(m, &cfg);
    return m;
}

static struct umon_in read_of(uint32_t kernel, uint32_t set, uint32_t tag)
{
    return (struct umon_in){
        .acc_valid_i = true, .acc_kernel_i = (uint8_t)kernel, .acc_set_i = (uint8_t)set, .acc_tag_i = (uint16_t)tag};
}

static uint32_t ways_of(const struct umon *m, uint32_t k)
{
    return m->alloc_q[k];
}

static uint32_t allocate(struct umon *m)
{
    uint32_t cycles = 0;
    cycle(m, (struct umon_in){.part_valid_i = true});
    for (; !m->strobe_q; cycles++) cycle(m, (struct umon_in){0});
    cycle(m, (struct umon_in){0});
    return cycles;
}

/* Four ways; hits by position are given. */
Test(readme_example, umon)
{
    struct umon *m = monitor(2, 4, 4, 4);
    static const uint16_t hits[] = {9, 1, 1, 1, 5, 2, 7, 0};
    memcpy(m->hits_q, hits, sizeof hits);
    cycle(m, (struct umon_in){.part_valid_i = true});
    for (struct example e = example_of("umon", "cycle"); next_row(&e);) {
        struct umon_out out;
        const struct umon_in nothing = {0};
        umon_eval(m, &nothing, &out);
        shows_number(&e, "cycle", e.rows);
        shows(&e, "kernel", out.busy_o && m->left_q, "%u", m->kernel_q);
        shows(&e, "ways", out.busy_o && m->left_q, "%u", m->more_q + 1u);
        shows(&e, "best so far", out.busy_o && m->best_ways_q, "%u: %u in %u", m->best_kernel_q, m->best_sum_q,
              m->best_ways_q);
        shows(&e, "allocated", out.busy_o, "%u, %u", m->next_q[0], m->next_q[1]);
        shows(&e, "alloc_o", true, "%u, %u", out.alloc_o & 7, out.alloc_o >> 3);
        shows(&e, "strobe_o", out.strobe_o, "1");
        umon_tick(m, &nothing);
    }
    free(m);
}

/* The stack of a kernel in a set, the most recent first. */
struct list {
    uint32_t tags[16], length;
};

/* The position, or the length without one. */
static uint32_t use(struct list *l, uint32_t tag, uint32_t most)
{
    uint32_t at = 0;
    while (at < l->length && l->tags[at] != tag) at++;
    const uint32_t found = at;
    if (at == l->length && l->length < most) l->length++;
    if (at == most) at--;
    for (; at > 0; at--) l->tags[at] = l->tags[at - 1];
    l->tags[0] = tag;
    return found;
}

/* Lookahead as Qureshi06 gives it, in floating point, with the ties of this block. */
static void lookahead(uint32_t kernels, uint32_t ways, const uint64_t hits[4][16], uint32_t alloc[4])
{
    uint32_t left = ways - kernels;
    for (uint32_t k = 0; k < kernels; k++) alloc[k] = 1;
    while (left) {
        uint32_t best = 0, best_ways = 0;
        double best_utility = -1;
        for (uint32_t k = 0; k < kernels; k++) {
            uint64_t sum = 0;
            uint32_t own_ways = 0;
            double own = -1;
            for (uint32_t n = 1; n <= left; n++) {
                sum += hits[k][alloc[k] + n - 1];
                if ((double)sum / n > own) own = (double)sum / n, own_ways = n;
            }
            if (own > best_utility || (own == best_utility && alloc[k] < alloc[best])) {
                best = k;
                best_ways = own_ways;
                best_utility = own;
            }
        }
        alloc[best] += best_ways;
        left -= best_ways;
    }
}

static void against_lists(uint32_t kernels, uint32_t ways, uint64_t seed)
{
    struct umon *m = monitor(kernels, ways, 8, 8);
    static struct list lists[4][8];
    uint64_t hits[4][16] = {{0}};
    struct rng rng;
    uint32_t uneven = 0;
    memset(lists, 0, sizeof lists);
    rng_seed(&rng, seed);
    for (uint32_t period = 0; period < 40; period++) {
        uint32_t lines[4], expected[4];
        for (uint32_t k = 0; k < 4; k++) lines[k] = 1 + (uint32_t)rng_below(&rng, ways + 3);
        for (uint32_t n = 0; n < 300; n++) {
            const uint32_t k = (uint32_t)rng_below(&rng, kernels), set = (uint32_t)rng_below(&rng, 8);
            const uint32_t tag = (uint32_t)rng_below(&rng, lines[k]);
            const uint32_t length = lists[k][set].length, at = use(&lists[k][set], tag, ways);
            const struct umon_out out = cycle(m, read_of(k, set, tag));
            cr_assert_eq(out.acc_hit_o, at < length, "period %u, read %u", period, n);
            if (at == length) continue;
            cr_assert_eq(out.acc_depth_o, at);
            hits[k][at]++;
        }
        lookahead(kernels, ways, hits, expected);
        allocate(m);
        for (uint32_t k = 0; k < kernels; k++) {
            cr_assert_eq(ways_of(m, k), expected[k], "%u kernels, %u ways, period %u, kernel %u: %u, expected %u",
                         kernels, ways, period, k, ways_of(m, k), expected[k]);
            uneven += expected[k] != ways / kernels + (k < ways % kernels);
            for (uint32_t i = 0; i < ways; i++) hits[k][i] /= 2;
        }
    }
    cr_expect(uneven > 3 || ways == kernels, "%u kernels, %u ways: %u", kernels, ways, uneven);
    free(m);
}

Test(umon, stacks_hits_and_lookahead_against_lists_and_floating_point)
{
    for (uint32_t kernels = 2; kernels <= 4; kernels++)
        for (uint32_t ways = kernels; ways <= 16; ways += ways < 8 ? 1 : 4) against_lists(kernels, ways, ways);
}

/* Any counters, also equal ones. */
Test(umon, lookahead_with_random_counters)
{
    struct rng rng;
    rng_seed(&rng, 3);
    for (uint32_t n = 0; n < 3000; n++) {
        const uint32_t kernels = 2 + n % 3, ways = kernels + (uint32_t)rng_below(&rng, 17 - kernels);
        struct umon *m = monitor(kernels, ways, 1, 1);
        uint64_t hits[4][16] = {{0}};
        uint32_t expected[4];
        const uint64_t most = 1 + rng_below(&rng, rng_below(&rng, 2) ? 4 : 4096);
        for (uint32_t k = 0; k < kernels; k++)
            for (uint32_t i = 0; i < ways; i++)
                m->hits_q[k * ways + i] = (uint16_t)(hits[k][i] = rng_below(&rng, most));
        lookahead(kernels, ways, hits, expected);
        const uint32_t cycles = allocate(m), left = ways - kernels;
        cr_expect_leq(cycles, kernels * left * (left + 1) / 2 + 1, "%u cycles", cycles);
        for (uint32_t k = 0; k < kernels; k++) cr_assert_eq(ways_of(m, k), expected[k], "case %u", n);
        free(m);
    }
}

static void traffic(struct umon *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 12); c > 0; c--) {
        struct umon_in in =
            read_of((uint32_t)rng_below(rng, 3), (uint32_t)rng_below(rng, 8), (uint32_t)rng_below(rng, 9));
        in.acc_valid_i = rng_below(rng, 4) > 0;
        in.flush_valid_i = rng_below(rng, 50) == 0;
        in.flush_kernel_i = (uint8_t)rng_below(rng, 3);
        in.part_valid_i = rng_below(rng, 16) == 0;
        cycle(m, in);
    }
}

Test(umon, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct umon *m = monitor(3, 5, 8, 2);
    SKIP_ROUNDS(umon, m, traffic, 11, 3000, 9, .acc_tag_i = 5, .acc_set_i = 1, .acc_kernel_i = 2, .flush_kernel_i = 1);
    free(m);
}
