/* SPDX-License-Identifier: Apache-2.0 */
#include "system/uvm/tlb.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"

Test(tlb, replaces_the_least_recently_used_of_a_set)
{
    struct tlb t;
    cr_assert(tlb_init(&t, 2, 2));
    tlb_fill(&t, 0);
    tlb_fill(&t, 2);
    tlb_fill(&t, 1); /* the other set */
    cr_expect(tlb_hit(&t, 0));
    tlb_fill(&t, 4); /* 2 was used last before 0 */
    cr_expect(tlb_hit(&t, 0));
    cr_expect_not(tlb_hit(&t, 2));
    cr_expect(tlb_hit(&t, 4));
    cr_expect(tlb_hit(&t, 1));
    tlb_free(&t);
}

Test(tlb, a_page_that_is_dropped_leaves_a_free_way)
{
    struct tlb t;
    cr_assert(tlb_init(&t, 1, 3));
    for (uint32_t p = 0; p < 3; p++) tlb_fill(&t, p);
    cr_expect(tlb_drop(&t, 1));
    cr_expect_not(tlb_drop(&t, 1));
    cr_expect_not(tlb_has(&t, 1));
    tlb_fill(&t, 7);
    cr_expect(tlb_has(&t, 0) && tlb_has(&t, 2) && tlb_has(&t, 7), "the free way was not taken");
    tlb_fill(&t, 7); /* is there: nothing is replaced */
    cr_expect(tlb_has(&t, 0) && tlb_has(&t, 2));
    tlb_free(&t);
}

Test(tlb, without_ways_nothing_is_found)
{
    struct tlb t;
    cr_assert(tlb_init(&t, 64, 0));
    tlb_fill(&t, 5);
    cr_expect_not(tlb_hit(&t, 5));
    cr_expect_not(tlb_drop(&t, 5));
    tlb_free(&t);
}

/* The same by the time of the last use. */
struct slow {
    uint32_t sets, ways;
    uint64_t now, used[8][4]; /* 0: free */
    uint32_t page[8][4];
};

static uint32_t slow_find(const struct slow *s, uint32_t page)
{
    uint32_t set = page % s->sets, way = 0;
    while (way < s->ways && !(s->used[set][way] && s->page[set][way] == page)) way++;
    return way;
}

static bool slow_hit(struct slow *s, uint32_t page)
{
    uint32_t way = slow_find(s, page);
    if (way == s->ways) return false;
    s->used[page % s->sets][way] = ++s->now;
    return true;
}

static void slow_fill(struct slow *s, uint32_t page)
{
    uint32_t set = page % s->sets, oldest = 0;
    if (slow_hit(s, page)) return;
    for (uint32_t way = 1; way < s->ways; way++)
        if (s->used[set][way] < s->used[set][oldest]) oldest = way;
    s->page[set][oldest] = page;
    s->used[set][oldest] = ++s->now;
}

static bool slow_drop(struct slow *s, uint32_t page)
{
    uint32_t way = slow_find(s, page);
    if (way < s->ways) s->used[page % s->sets][way] = 0;
    return way < s->ways;
}

Test(tlb, does_what_a_list_of_times_does)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct slow s = {.sets = 1u << rng_below(&r, 4), .ways = 1 + (uint32_t)rng_below(&r, 4)};
        struct tlb t;
        cr_assert(tlb_init(&t, s.sets, s.ways));
        for (uint32_t i = 0; i < 4000; i++) {
            uint32_t page = (uint32_t)rng_below(&r, 3 * s.sets * s.ways);
            switch (rng_below(&r, 4)) {
            case 0:
                tlb_fill(&t, page);
                slow_fill(&s, page);
                break;
            case 1:
                cr_assert_eq(tlb_drop(&t, page), slow_drop(&s, page), "seed %lu step %u: drop %u", seed, i, page);
                break;
            default:
                cr_assert_eq(tlb_has(&t, page), slow_find(&s, page) < s.ways, "seed %lu step %u", seed, i);
                cr_assert_eq(tlb_hit(&t, page), slow_hit(&s, page), "seed %lu step %u: look up %u", seed, i, page);
            }
        }
        tlb_free(&t);
    }
}
