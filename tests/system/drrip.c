/* SPDX-License-Identifier: Apache-2.0 */
/* l1d.replacement = drrip: the lines that stay, and the duel of the leader sets. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

enum { SETS = 8, WAYS = 4 };

static struct config machine(const char *replacement)
{
    struct config c = bench_config();
    c.l1d_sets = SETS;
    c.l1d_ways = WAYS;
    c.l1d_replacement = REPLACEMENT(replacement);
    return c;
}

/* One warp reads line `line_of(n)` after its read n - 1 is back. */
struct reads {
    uint32_t count;
    uint64_t (*line_of)(uint32_t n);
};

static struct inst one_by_one(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct reads *r = p->context;
    (void)block, (void)warp;
    if (n == r->count) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, r->line_of(n));
    i.src[0] = 1;
    return i;
}

static uint64_t hits(const char *replacement, struct reads r)
{
    const struct config c = machine(replacement);
    const struct fixed_memory m = bench_memory();
    struct program p = program_of(1, 1, one_by_one);
    p.context = &r;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    const uint64_t n = o->stats.l1d_hits;
    free(o);
    return n;
}

/* Twice line 0 of the set, then four new lines. */
static uint64_t again_in_set_0(uint32_t n)
{
    return (uint64_t)SETS * (n % 6 < 2 ? 0 : n);
}

static uint32_t others;

static uint64_t again_after_others(uint32_t n)
{
    return n < 2 || n == others + 2 ? 0 : (uint64_t)SETS * n;
}

/* Set 0 leads SRRIP: the new lines start late and go before line 0, which misses once. */
Test(drrip, a_line_that_is_used_again_stays)
{
    const struct reads r = {60, again_in_set_0};
    cr_expect_eq(hits("lru", r), 10, "%lu", hits("lru", r));
    cr_expect_eq(hits("drrip", r), 19, "%lu", hits("drrip", r));
}

/* Twice line 0, then `new` other lines, then line 0. */
static uint64_t hits_of_line_0(uint32_t new)
{
    const struct reads r = {new + 3, again_after_others};
    others = new;
    return hits("drrip", r);
}

/* Its prediction is early; it ages with the fourth and the seventh new line, and is as late as the rest for the tenth.
 */
Test(drrip, a_line_that_is_used_no_more_goes)
{
    cr_expect_eq(hits_of_line_0(9), 2, "%lu", hits_of_line_0(9));
    cr_expect_eq(hits_of_line_0(10), 1, "%lu", hits_of_line_0(10));
}

/* A loop of six lines in four ways, of one set. */
static uint64_t loop_in_set_0(uint32_t n)
{
    return (uint64_t)SETS * (n % 6);
}

static uint64_t loop_in_set_1(uint32_t n)
{
    return (uint64_t)SETS * (n % 6) + 1;
}

static uint64_t loop_in_set_5(uint32_t n)
{
    return (uint64_t)SETS * (n % 6) + 5;
}

/* Set 1 leads BRRIP, which keeps a part of a loop that does not fit; LRU and SRRIP keep nothing of it. */
Test(drrip, the_second_set_keeps_a_part_of_a_loop)
{
    cr_expect_eq(hits("lru", (struct reads){600, loop_in_set_1}), 0);
    cr_expect_eq(hits("drrip", (struct reads){600, loop_in_set_0}), 0);
    cr_expect_gt(hits("drrip", (struct reads){600, loop_in_set_1}), 200);
}

/* The loop in set 0 and, in turn, in set 5. */
static uint64_t loop_in_both(uint32_t n)
{
    return n % 2 ? loop_in_set_5(n / 2) : loop_in_set_0(n / 2);
}

/* Alone, a follower is as SRRIP; once the leader of SRRIP has missed, as BRRIP. */
Test(drrip, misses_of_a_leader_select_for_the_others)
{
    cr_expect_eq(hits("drrip", (struct reads){600, loop_in_set_5}), 0);
    cr_expect_gt(hits("drrip", (struct reads){1200, loop_in_both}), 200);
}

Test(drrip, is_for_an_l1d_that_replaces_lines)
{
    static const char *const wrong[][2] = {
        {"l2.replacement=drrip", "l2.replacement: found drrip, which is for the L1D"},
        {"l1d.unbounded=true", "l1d.unbounded: found true with l1d.replacement = drrip, allowed with it: false, as "
                               "nothing is replaced"},
        {"l1d.ways=17", "l1d.replacement: found drrip with l1d.ways = 17, allowed with it: 1 to 16"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct config c = machine("drrip");
        struct error err = {""};
        cr_assert(config_set(&c, wrong[i][0], &err), "%s", err.text);
        cr_expect_not(config_check(&c, &err));
        cr_expect_str_eq(err.text, wrong[i][1]);
    }
}
