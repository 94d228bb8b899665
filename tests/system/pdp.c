/* SPDX-License-Identifier: Apache-2.0 */
/* l1d.replacement = pdp in the machine: which lines stay, which reads bypass, and the protecting distance. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

enum { SETS = 32, WAYS = 4 };

static struct config with_pdp(uint32_t distance)
{
    struct config c = bench_config();
    c.l1d_replacement = REPLACEMENT("pdp");
    c.l1d_pdp_distance = distance;
    return c;
}

/* Warp `warp` reads line `line_of(n)` after its read n - 1 is back. */
struct reads {
    uint32_t count;
    uint64_t (*line_of)(uint32_t warp, uint32_t n);
};

static struct inst one_by_one(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct reads *r = p->context;
    (void)block;
    if (n == r->count) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, r->line_of(warp, n));
    i.src[0] = 1;
    return i;
}

static struct outcome *run_reads(const struct config *c, struct reads r, uint32_t warps)
{
    struct program p = program_of(1, warps, one_by_one);
    const struct fixed_memory m = bench_memory();
    p.context = &r;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static uint64_t new_lines_of_set_0(uint32_t warp, uint32_t n)
{
    (void)warp;
    return (uint64_t)n * SETS;
}

/* The first four reads take the ways.  Each line is protected until the eighth access after its own: the reads in
 * between bypass; then the lines are replaced one after the other. */
Test(pdp, a_set_of_protected_lines_is_bypassed_until_the_distance)
{
    const struct config c = with_pdp(8);
    struct outcome *o = run_reads(&c, (struct reads){12, new_lines_of_set_0}, 1);
    for (uint32_t i = 0; i < 4; i++) {
        const struct event *e = outcome_event(o, AT_L1D_BYPASS, i);
        cr_assert(e, "read %u does not bypass", WAYS + i);
        cr_expect_eq(e->r.line, (uint64_t)(WAYS + i) * SETS);
    }
    cr_expect_eq(o->stats.l1d_bypassed, 4);
    cr_expect_eq(o->stats.pdp_bypassed, 4);
    cr_expect_eq(o->stats.l1d_evictions, 4, "reads 8 to 11 replace lines 0 to 3");
    cr_expect_eq(o->stats.pdp_accesses, 12);
    free(o);
}

/* Eight lines in turn: with a distance of 8 four of them stay, and LRU loses all. */
static uint64_t eight_lines_of_set_0(uint32_t warp, uint32_t n)
{
    return new_lines_of_set_0(warp, n % 8);
}

/* Two distances of one access each. */
Test(pdp, the_smallest_sizes_are_allowed)
{
    struct config c = with_pdp(0);
    c.l1d_pdp_samples = 2;
    c.l1d_pdp_sample_every = c.l1d_pdp_step = 1;
    struct outcome *o = run_reads(&c, (struct reads){20, new_lines_of_set_0}, 1);
    free(o);
}

Test(pdp, lines_stay_for_their_reuse_where_lru_loses_them)
{
    const struct config lru = bench_config();
    struct outcome *l = run_reads(&lru, (struct reads){80, eight_lines_of_set_0}, 1);
    cr_expect_eq(l->stats.l1d_hits, 0);
    for (uint32_t distance = 7; distance <= 8; distance++) {
        const struct config c = with_pdp(distance);
        struct outcome *o = run_reads(&c, (struct reads){80, eight_lines_of_set_0}, 1);
        if (distance == 8) cr_expect_eq(o->stats.l1d_hits, 72 / 2, "of lines 0 to 3");
        if (distance == 7) cr_expect_eq(o->stats.l1d_hits, 0, "each line is lost an access before its reuse");
        free(o);
    }
    free(l);
}

/* The lines of one set that a warp may not replace yet are replaced without bypass: the youngest is. */
Test(pdp, without_bypass_the_youngest_line_is_replaced)
{
    struct config c = with_pdp(8);
    c.l1d_pdp_bypass = false;
    struct outcome *o = run_reads(&c, (struct reads){80, eight_lines_of_set_0}, 1);
    cr_expect_eq(o->stats.l1d_bypassed, 0);
    cr_expect_gt(o->stats.l1d_hits, 20, "%lu hits", o->stats.l1d_hits);
    free(o);
}

static uint64_t twelve_lines_a_set(uint32_t warp, uint32_t n)
{
    (void)warp;
    return n % (12 * SETS);
}

/* Every reuse is at distance 12. */
Test(pdp, the_computed_distance_is_that_of_the_reuses)
{
    struct config c = with_pdp(0), lru = bench_config();
    c.l1d_pdp_interval = 1000;
    struct outcome *o = run_reads(&c, (struct reads){6000, twelve_lines_a_set}, 1);
    struct outcome *l = run_reads(&lru, (struct reads){6000, twelve_lines_a_set}, 1);
    cr_expect_geq(o->stats.pdp_searches, 4);
    cr_expect_eq(o->stats.pdp_distance_sum, 12 * o->stats.pdp_searches);
    cr_expect_eq(o->stats.pdp_distance_changes, 1);
    cr_expect_eq(l->stats.l1d_hits, 0);
    cr_expect_gt(o->stats.l1d_hits, 1000, "%lu hits", o->stats.l1d_hits);
    cr_expect_gt(o->stats.pdp_found, 0);
    free(o);
    free(l);
}

static uint64_t what_fits(uint32_t warp, uint32_t n)
{
    (void)warp;
    return n % (WAYS * SETS);
}

Test(pdp, lines_that_fit_all_hit_and_none_bypasses)
{
    const struct config c = with_pdp(0);
    struct outcome *o = run_reads(&c, (struct reads){1000, what_fits}, 1);
    cr_expect_eq(o->stats.l1d_misses, WAYS * SETS);
    cr_expect_eq(o->stats.l1d_hits, 1000 - WAYS * SETS);
    cr_expect_eq(o->stats.l1d_bypassed, 0);
    free(o);
}

/* Of several warps: ways with outstanding misses are not replaced, and a set of them stalls no read. */
static uint64_t own_lines_of_set_0(uint32_t warp, uint32_t n)
{
    return new_lines_of_set_0(warp, 100 * warp + n % 3);
}

Test(pdp, a_set_with_outstanding_misses_is_bypassed)
{
    const struct config c = with_pdp(1), lru = bench_config();
    struct outcome *o = run_reads(&c, (struct reads){10, own_lines_of_set_0}, 12);
    struct outcome *l = run_reads(&lru, (struct reads){10, own_lines_of_set_0}, 12);
    cr_expect_gt(l->stats.l1d_rf_line, 0);
    cr_expect_eq(o->stats.l1d_rf_line, 0);
    cr_expect_gt(o->stats.pdp_bypassed, 0);
    free(o);
    free(l);
}

static uint64_t mixed(uint32_t warp, uint32_t n)
{
    return (n * 7 + warp * 5) % 600 + (n % 3 ? 0 : 10000 * (warp + 1) + n);
}

Test(pdp, the_same_counters_when_time_is_skipped)
{
    for (uint32_t i = 0; i < 12; i++) {
        struct config c = with_pdp(i % 3 ? 0 : 5 * i);
        c.l1d_mshr_kind = i / 6;
        c.l1d_pdp_bypass = i % 4 != 3;
        c.l1d_alloc = c.l1d_pdp_bypass ? ALLOC_ON_MISS : ALLOC_ON_FILL;
        c.l1d_pdp_interval = 50 + 30 * i;
        c.l1d_pdp_rpd_bits = 2 + i % 6;
        c.l1d_bypass_slots = 1 + i;
        c.l1d_write = i % 2;
        struct outcome *skipped = run_reads(&c, (struct reads){400, mixed}, 16);
        c.sim_skip = false;
        struct outcome *ticked = run_reads(&c, (struct reads){400, mixed}, 16);
        cr_expect_gt(skipped->stats.pdp_searches, 0);
        cr_expect_eq(skipped->stats.pdp_bypassed > 0, c.l1d_pdp_bypass, "case %u", i);
        cr_expect_arr_eq(&skipped->stats, &ticked->stats, sizeof skipped->stats, "case %u", i);
        free(skipped);
        free(ticked);
    }
}

static struct inst read_write_read(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    struct inst i = inst_line(n % 3 == 1 ? INST_STORE : INST_LOAD, n % 3 == 1 ? INST_NO_REG : 1, n / 3 % 2 * SETS);
    i.src[0] = 1;
    return n < 60 ? i : inst_exit();
}

/* Reads count and no write does, whether it evicts its line or not. */
Test(pdp, writes_do_not_count)
{
    for (uint32_t write = 0; write < 2; write++) {
        struct config c = with_pdp(0);
        struct program p = program_of(1, 1, read_write_read);
        const struct fixed_memory m = bench_memory();
        c.l1d_write = write;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.pdp_accesses, 40);
        cr_expect_eq(o->stats.l1d_writes, 20);
        free(o);
    }
}
