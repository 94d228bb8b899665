/* SPDX-License-Identifier: Apache-2.0 */
/* Side effects of an access to the L1D: recency, dirty pages, the owner of a refusal. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/fake_driver.h"

enum { SET = 32 }; /* lines so far apart share a set */

struct list {
    uint32_t count;
    struct inst inst[8];
};

static struct inst listed(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)block, (void)warp;
    const struct list *l = p->context;
    return n < l->count ? l->inst[n] : inst_exit();
}

/* Accesses of one warp, each after the data of the one before. */
static void then(struct list *l, enum inst_op op, uint64_t line)
{
    uint8_t n = (uint8_t)l->count;
    struct inst i = inst_line(op, op == INST_STORE ? INST_NO_REG : (uint8_t)(n + 1), line);
    if (n && l->inst[n - 1].dst != INST_NO_REG) i.src[0] = n;
    l->inst[l->count++] = i;
}

static struct outcome *run(const struct config *c, const struct list *l)
{
    const struct fixed_memory m = bench_memory();
    struct program p = program_of(1, 1, listed);
    p.context = l;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* Two ways: if the access in the middle makes the older line the most recent, the third line replaces the other. */
static uint64_t hits_of_the_older_line(enum inst_op middle)
{
    struct config c = bench_config();
    struct list l = {0};
    c.l1d_ways = 2;
    c.l1d_write = WRITE_THROUGH;
    then(&l, INST_LOAD, 0);
    then(&l, INST_LOAD, SET);
    then(&l, middle, 0);
    then(&l, INST_LOAD, 2 * SET);
    then(&l, INST_LOAD, 0);
    struct outcome *o = run(&c, &l);
    uint64_t hits = o->stats.l1d_hits - (middle == INST_LOAD);
    free(o);
    return hits;
}

Test(l1d_side_effects, a_write_through_hit_makes_its_line_the_most_recent)
{
    cr_expect_eq(hits_of_the_older_line(INST_STORE), 1);
    cr_expect_eq(hits_of_the_older_line(INST_LOAD), 1);
    cr_expect_eq(hits_of_the_older_line(INST_SHARED_LOAD), 0); /* not an access to the L1D */
}

static struct fake_driver pages_under(enum inst_op op)
{
    struct fake_driver d = {.pages = 4, .resident = true};
    struct config c = bench_config();
    struct list l = {0};
    c.uvm_enable = true;
    then(&l, op, LINES_PER_PAGE);
    fake_driver_play(&d);
    free(run(&c, &l));
    return d;
}

Test(l1d_side_effects, a_store_and_an_atomic_dirty_their_page_and_a_load_does_not)
{
    cr_expect_eq(pages_under(INST_STORE).happened.wrote, 1);
    cr_expect_eq(pages_under(INST_ATOMIC).happened.wrote, 1);
    cr_expect_eq(pages_under(INST_LOAD).happened.wrote, 0);
}

/* Loads of many lines that wait for each other nowhere: more than the miss queue or the slots take. */
static struct outcome *flood(struct config c, bool around, bool skip)
{
    struct list l = {.count = 8};
    for (uint32_t i = 0; i < 8; i++) l.inst[i] = inst_line(INST_LOAD, (uint8_t)(i + 1), i);
    if (around) c.l1d_bypass_from_warp = 0;
    c.sim_skip = skip;
    return run(&c, &l);
}

/* Cycles of refusal, ticked or skipped: of reads around the L1D, or of others; never of both. */
Test(l1d_side_effects, refusals_of_reads_around_the_L1D_are_told_from_others)
{
    for (int skip = 0; skip < 2; skip++) {
        struct config c = bench_config();
        c.l1d_bypass_slots = 2;
        c.l1d_mshr_entries = 2;
        struct outcome *o = flood(c, true, skip);
        cr_expect_gt(o->stats.l1d_rf_bypass_slot, 100);
        cr_expect_eq(o->stats.l1d_rf_around, o->stats.l1d_rf_bypass_slot);
        free(o);
        o = flood(c, false, skip);
        cr_expect_gt(o->stats.l1d_rf_mshr_entry, 100);
        cr_expect_eq(o->stats.l1d_rf_around, 0);
        free(o);
    }
}
