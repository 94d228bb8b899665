/* SPDX-License-Identifier: Apache-2.0 */
/* way_partition against the rule in words: lines sorted by age, owners counted; the README's table. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "readme_example.h"
#include "skip.h"
#include "way_partition.h"

TWIN_CYCLE(way_partition)

enum { NONE = -1 };

struct set {
    uint32_t kernels, ways, alloc[4];
    int owner[16]; /* NONE: no line */
    bool held[16];
    uint32_t age[16]; /* of lines: all different, the largest is the oldest */
};

static struct way_partition block(uint32_t kernels, uint32_t ways)
{
    const struct way_partition_cfg cfg = {.Kernels = kernels, .Ways = ways};
    struct way_partition m = {0};
    way_partition_init(&m, &cfg);
    return m;
}

static struct way_partition_in question(const struct set *s, uint32_t kernel)
{
    struct way_partition_in in = {.ask_valid_i = true, .ask_kernel_i = (uint8_t)kernel};
    for (uint32_t k = 0; k < s->kernels; k++) in.ask_alloc_i |= s->alloc[k] << (k * bits_index(s->ways + 1));
    for (uint32_t i = 0; i < s->ways; i++) {
        in.ask_filled_i |= (uint16_t)((s->owner[i] != NONE) << i);
        in.ask_held_i |= (uint16_t)(s->held[i] << i);
        if (s->owner[i] != NONE) in.ask_owners_i |= (uint32_t)s->owner[i] << (i * bits_index(s->kernels));
        in.ask_order_i |= (uint64_t)(s->ways - 1 - s->age[i]) << (i * bits_index(s->ways));
    }
    return in;
}

static uint32_t lines_of(const struct set *s, int kernel)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->ways; i++) n += s->owner[i] == kernel;
    return n;
}

/* The oldest line that may go of those kernels for which `of` says so; NONE: there is none. */
static int oldest(const struct set *s, const bool of[4])
{
    for (uint32_t age = s->ways; age-- > 0;)
        for (uint32_t i = 0; i < s->ways; i++)
            if (s->age[i] == age && s->owner[i] != NONE && !s->held[i] && of[s->owner[i]]) return (int)i;
    return NONE;
}

static int by_rule(const struct set *s, uint32_t kernel)
{
    bool above[4] = {false}, own[4] = {false};
    int way = NONE;
    for (uint32_t i = 0; i < s->ways; i++)
        if (s->owner[i] == NONE && !s->held[i]) return (int)i;
    for (uint32_t k = 0; k < s->kernels; k++) above[k] = lines_of(s, (int)k) > s->alloc[k];
    if (lines_of(s, (int)kernel) < s->alloc[kernel]) way = oldest(s, above);
    own[kernel] = true;
    return way == NONE ? oldest(s, own) : way;
}

/* The table's set has four ways; a text "0 1 0 -" has the owners, * is an outstanding miss. */
Test(readme_example, way_partition)
{
    struct way_partition m = block(2, 4);
    for (struct example e = example_of("way_partition", "case"); next_row(&e);) {
        struct set s = {.kernels = 2, .ways = 4};
        const char *text = given(&e, "owners, oldest first");
        shows_number(&e, "case", e.rows);
        cr_assert_eq(sscanf(given(&e, "ways"), "%u, %u", &s.alloc[0], &s.alloc[1]), 2);
        for (uint32_t i = 0; i < 4; i++) {
            s.owner[i] = *text == '-' ? NONE : *text - '0';
            s.age[i] = 3 - i;
            s.held[i] = *++text == '*';
            text += s.held[i] + (i < 3);
        }
        const struct way_partition_out out = cycle(&m, question(&s, number(&e, "kernel")));
        shows(&e, "ask_way_o", out.ask_ok_o, "%u", out.ask_way_o);
        shows(&e, "ask_others_o", out.ask_others_o, "1");
    }
}

static struct set random_set(struct rng *rng, uint32_t kernels, uint32_t ways)
{
    struct set s = {.kernels = kernels, .ways = ways};
    uint32_t left = ways - kernels;
    const uint64_t full = rng_below(rng, 3), held = rng_below(rng, 5);
    for (uint32_t k = 0; k < kernels; k++) {
        const uint32_t more = k == kernels - 1 ? left : (uint32_t)rng_below(rng, left + 1);
        s.alloc[k] = 1 + more;
        left -= more;
    }
    for (uint32_t i = 0; i < ways; i++) {
        const uint32_t j = (uint32_t)rng_below(rng, i + 1);
        s.age[i] = s.age[j];
        s.age[j] = i;
        s.owner[i] = full || rng_below(rng, 4) ? (int)rng_below(rng, kernels) : NONE;
        s.held[i] = s.owner[i] != NONE && rng_below(rng, 4) < held;
    }
    return s;
}

Test(way_partition, random_sets_against_the_rule)
{
    struct rng rng;
    uint32_t waits = 0, takes = 0;
    rng_seed(&rng, 5);
    for (uint32_t n = 0; n < 100000; n++) {
        const uint32_t kernels = 2 + n % 3, ways = kernels + (uint32_t)rng_below(&rng, 17 - kernels);
        struct way_partition m = block(kernels, ways);
        const struct set s = random_set(&rng, kernels, ways);
        const uint32_t kernel = (uint32_t)rng_below(&rng, kernels);
        const int expected = by_rule(&s, kernel);
        const struct way_partition_out out = cycle(&m, question(&s, kernel));
        cr_assert_eq(out.ask_ok_o, expected != NONE, "case %u", n);
        cr_assert_eq(out.ask_way_o, expected == NONE ? 0 : expected, "case %u", n);
        cr_assert_eq(m.error_q, WAY_PARTITION_OK);
        waits += !out.ask_ok_o;
        takes += out.ask_others_o;
    }
    cr_expect(waits > 1000 && takes > 1000, "%u wait, %u take others", waits, takes);
}

/* A set in use: allocations are reached from any state, and kept. */
Test(way_partition, misses_bring_every_kernel_to_its_ways)
{
    struct rng rng;
    rng_seed(&rng, 8);
    for (uint32_t n = 0; n < 300; n++) {
        struct way_partition m = block(3, 8);
        struct set s = random_set(&rng, 3, 8);
        memset(s.held, 0, sizeof s.held);
        for (uint32_t miss = 0; miss < 60; miss++) {
            const uint32_t kernel = miss % 3, way = cycle(&m, question(&s, kernel)).ask_way_o;
            for (uint32_t i = 0; i < 8; i++) s.age[i] += s.age[i] < s.age[way];
            s.age[way] = 0;
            s.owner[way] = (int)kernel;
        }
        for (uint32_t k = 0; k < 3; k++) cr_assert_eq(lines_of(&s, (int)k), s.alloc[k], "case %u", n);
    }
}

Test(way_partition, skipping_changes_nothing)
{
    struct way_partition m = block(3, 4), before = m;
    cr_expect(way_partition_idle(&m));
    way_partition_skip(&m, 1000);
    cr_expect_eq(memcmp(&m, &before, sizeof m), 0);
    cycle(&m, (struct way_partition_in){.ask_valid_i = true, .ask_kernel_i = 3});
    way_partition_skip(&m, 1000);
    cr_expect_eq(m.error_q, WAY_PARTITION_ERROR_KERNEL);
}
