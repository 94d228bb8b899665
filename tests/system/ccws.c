/* SPDX-License-Identifier: Apache-2.0 */
/* sm.throttle = ccws: warps that lose their lines to each other load one after the other. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

enum { WARPS = 6, LINES = 4, ROUNDS = 60 };

/* Each warp reads its own LINES lines cyclically, with arithmetic after each. */
static struct inst rounds(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    if (n == 2 * LINES * ROUNDS) return inst_exit();
    if (n % 2) return inst_of(INST_SP, 2, 1);
    return inst_line(INST_LOAD, 1, 64 * block + LINES * warp + n / 2 % LINES);
}

/* An L1D of eight lines: two warps' worth. */
static struct config small_l1d(const char *throttle)
{
    struct config c = bench_config();
    c.sm_warps = 8;
    c.l1d_sets = 2;
    c.l1d_ways = 4;
    c.sm_throttle = named("throttle", throttle);
    return c;
}

/* A slow memory: misses cost more than waiting. */
static struct outcome *run(struct config c, struct program p)
{
    const struct fixed_memory m = {.latency = 100, .depth = 64, .interval = 64};
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

Test(ccws, warps_that_evict_each_others_lines_load_in_turn_and_hit)
{
    struct outcome *a = run(small_l1d("none"), program_of(1, WARPS, rounds));
    struct outcome *b = run(small_l1d("ccws"), program_of(1, WARPS, rounds));
    cr_expect_eq(a->stats.ccws_lost, 0);
    cr_expect(b->stats.ccws_lost > 10 && b->stats.ccws_lost < b->stats.l1d_misses, "%lu", b->stats.ccws_lost);
    cr_expect_gt(b->stats.ccws_raises, 0);
    cr_expect_gt(b->stats.ccws_gated_cycles, 100);
    cr_expect_gt(b->stats.gpu_stall_throttle_cycles, 0);
    cr_expect_gt(b->stats.l1d_hits, 4 * a->stats.l1d_hits + 100, "%lu hits, %lu with ccws", a->stats.l1d_hits,
                 b->stats.l1d_hits);
    cr_expect_lt(b->stats.gpu_cycles, a->stats.gpu_cycles, "%lu cycles, %lu with ccws", a->stats.gpu_cycles,
                 b->stats.gpu_cycles);
    free(a);
    free(b);
}

Test(ccws, warps_whose_lines_fit_run_as_without_it)
{
    struct config none = small_l1d("none"), ccws = small_l1d("ccws");
    none.l1d_sets = ccws.l1d_sets = 8;
    struct outcome *a = run(none, program_of(1, WARPS, rounds)), *b = run(ccws, program_of(1, WARPS, rounds));
    cr_expect_eq(b->stats.ccws_lost, 0);
    cr_expect_eq(b->stats.ccws_gated_cycles, 0);
    cr_expect_eq(a->stats.gpu_cycles, b->stats.gpu_cycles);
    free(a);
    free(b);
}

/* Nine lines of one warp of each block, once each: the first is evicted, and a next block's warp in the same slot reads
 * it again. */
static struct inst once(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)block, (void)warp;
    const uint32_t twice = p->context ? 18 : 9;
    return n < twice ? inst_line(INST_LOAD, 1, n % 9) : inst_exit();
}

Test(ccws, the_next_warp_in_a_slot_has_lost_nothing)
{
    struct config c = small_l1d("ccws");
    c.sm_blocks = 1;
    struct outcome *o = run(c, program_of(5, 1, once));
    cr_expect_gt(o->stats.l1d_evictions, 20);
    cr_expect_eq(o->stats.ccws_lost, 0);
    free(o);
    struct program again = program_of(5, 1, once);
    again.context = &c;
    o = run(c, again);
    cr_expect_gt(o->stats.ccws_lost, 5, "a warp that reads them twice has: %lu", o->stats.ccws_lost);
    free(o);
}

/* Warps of a thread block meet at a barrier after each round: those that are gated must get there. */
static struct inst with_barriers(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (n == 9 * ROUNDS) return inst_exit();
    if (n % 9 == 8) return inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG);
    return inst_line(INST_LOAD, 1, LINES * warp + n % 4);
}

Test(ccws, gated_warps_reach_a_barrier)
{
    struct outcome *o = run(small_l1d("ccws"), program_of(1, WARPS, with_barriers));
    cr_expect_gt(o->stats.ccws_gated_cycles, 0);
    cr_expect_eq(o->stats.gpu_barriers, WARPS * ROUNDS);
    free(o);
}

static void check_skipping(struct config c, struct program p)
{
    c.sim_skip = true;
    struct outcome *a = run(c, p);
    c.sim_skip = false;
    struct outcome *b = run(c, p);
#define STAT(field, name, text)                                                                                        \
    cr_expect_eq(a->stats.field, b->stats.field, name ": %lu with sim.skip, %lu without", a->stats.field,              \
                 b->stats.field);
#include "system/stats/stats.def"
#undef STAT
    cr_expect_gt(a->stats.ccws_lost, 0);
    free(a);
    free(b);
}

Test(ccws, skipped_cycles_change_no_counter)
{
    for (uint32_t i = 0; i < 16; i++) {
        struct config c = small_l1d("ccws");
        c.l1d_alloc = i & 1 ? ALLOC_ON_FILL : ALLOC_ON_MISS;
        c.l1d_mshr_kind = MISS_FILE(i & 2 ? "dl_mshr" : "mshr");
        c.sm_schedulers = i & 4 ? 2 : 1;
        c.sm_scheduler = SCHEDULER(i & 8 ? "two_level" : "gto");
        c.sm_ccws_entries = i & 1 ? 16 : 8;
        c.sm_ccws_k_throttle = i % 3 ? 8 : 1;
        check_skipping(c, program_of(4, 4, i % 3 ? rounds : with_barriers));
    }
}

static void check_refused(const char *const *options, const char *expected)
{
    struct config c = bench_config();
    struct error err = {0};
    for (; *options; options++) cr_assert(config_set(&c, *options, &err), "%s", err.text);
    struct program p = program_of(1, 1, once);
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(&c, &p, &m);
    cr_expect(!o->ok);
    cr_expect_str_eq(o->err.text, expected);
    free(o);
}

Test(ccws, sizes_that_cannot_be_are_refused)
{
    check_refused((const char *const[]){"sm.throttle=ccws", "sm.warps=96", NULL},
                  "sm.throttle: found ccws with sm.warps = 96, allowed with it: 1 to 64");
    check_refused((const char *const[]){"sm.throttle=ccws", "sm.ccws.entries=12", NULL},
                  "sm.ccws.entries: found 12 with sm.ccws.ways = 8, allowed: 1, 2, 4 or 8 times as many, the sets of a "
                  "victim tag array");
}
