/* SPDX-License-Identifier: Apache-2.0 */
/* Which warp issues, seen by the lines that warps store to: warp w's n-th store goes to line 100 * w + n. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

enum { WARPS = 4, STORES = 3 };

static struct inst stores(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    return n < STORES ? inst_line(INST_STORE, INST_NO_REG, 100 * warp + n) : inst_exit();
}

static void check_order(const struct config *c, struct program *p, const uint64_t *lines, uint32_t count)
{
    struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = outcome_event(o, AT_COALESCER, i);
        cr_assert_not_null(e);
        cr_assert_eq(e->r.line, lines[i], "access %u: line %lu, expected %lu", i, e->r.line, lines[i]);
    }
    free(o);
}

Test(schedulers, gto_stays_with_a_warp_then_takes_the_oldest)
{
    const struct config c = bench_config();
    struct program p = program_of(1, WARPS, stores);
    const uint64_t order[] = {0, 1, 2, 100, 101, 102, 200, 201, 202, 300, 301, 302};
    check_order(&c, &p, order, 12);
}

Test(schedulers, one_without_a_warp_does_nothing)
{
    struct config c = bench_config();
    c.sm_warps = 1;
    c.sm_schedulers = 4;
    struct program p = program_of(1, 1, stores);
    const uint64_t order[] = {0, 1, 2};
    check_order(&c, &p, order, 3);
}

Test(schedulers, lrr_takes_turns)
{
    struct config c = bench_config();
    c.sm_scheduler = SCHEDULER("lrr");
    struct program p = program_of(1, WARPS, stores);
    /* `last` is warp 0 at the start, so that warp 1 comes first. */
    const uint64_t order[] = {100, 200, 300, 0, 101, 201, 301, 1, 102, 202, 302, 2};
    check_order(&c, &p, order, 12);
}

/* SP, then three stores that need its result, 10 cycles later. */
static struct inst sp_then_stores(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    if (n == 0) return inst_of(INST_SP, 1, INST_NO_REG);
    struct inst i = stores(p, block, warp, n - 1);
    if (i.op == INST_STORE) i.src[0] = 1;
    return i;
}

/* One warp allowed: warp 0 runs to its end before warp 1 begins.  Two: warp 1's SP fills warp 0's wait. */
Test(schedulers, swl_lets_only_the_oldest_issue)
{
    struct config c = bench_config();
    c.sm_scheduler = SCHEDULER("swl");
    c.sm_swl_warps = 1;
    struct program p = program_of(1, 2, sp_then_stores);
    struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    /* 0 SP; 10 11 12 stores; 13 exit; 14 SP of warp 1; its first store at 24. */
    cr_assert_eq(outcome_event(o, AT_COALESCER, 0)->cycle, 10);
    cr_assert_eq(outcome_event(o, AT_COALESCER, 3)->cycle, 24);
    free(o);
    c.sm_swl_warps = 2;
    o = bench_run(&c, &p, &m);
    cr_assert_eq(outcome_event(o, AT_COALESCER, 3)->cycle,
                 14); /* its SP issued in 1; warp 0 is greedy to its exit in 13 */
    free(o);
}

/* Load, then a store that needs it: the warp leaves the group while it waits. */
static struct inst load_then_store(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    struct inst i = inst_exit();
    if (n == 0) i = inst_line(INST_LOAD, 1, 100 * warp);
    if (n == 1) i = inst_line(INST_STORE, INST_NO_REG, 100 * warp + 1);
    if (n == 1) i.src[0] = 1;
    return i;
}

/* Group of one: warp 0 is the lowest pending one behind `last` = 0, so 1 comes first; it loads and leaves for the next.
 */
Test(schedulers, two_level_replaces_a_warp_that_waits_for_a_load)
{
    struct config c = bench_config();
    c.sm_scheduler = SCHEDULER("two_level");
    c.sm_two_level_group = 1;
    struct program p = program_of(1, WARPS, load_then_store);
    const uint64_t order[] = {100, 200, 300, 0, 101, 201, 301, 1};
    check_order(&c, &p, order, 8);
    /* Without loads the group keeps its warp to the end. */
    struct program q = program_of(1, WARPS, stores);
    const uint64_t kept[] = {100, 101, 102, 200, 201, 202, 300, 301, 302, 0, 1, 2};
    check_order(&c, &q, kept, 12);
}

/* Two schedulers, even and odd warps; the LSU takes one instruction a cycle, the other scheduler's is refused. Cycle t
 * begins with scheduler t mod 2. */
Test(schedulers, two_schedulers_share_the_lsu_port)
{
    struct config c = bench_config();
    c.sm_schedulers = 2;
    struct program p = program_of(1, 2, stores);
    const uint64_t order[] = {0, 100, 1, 101, 2, 102};
    check_order(&c, &p, order, 6);
}

/* One warp, one scheduler: 0 load, 1..102 waiting for it, 103 store, 104 exit; the store's own 104..205 without warps:
 * looked up in 104, sent in 105, acknowledged in 205. */
Test(schedulers, every_cycle_is_an_issue_or_one_kind_of_stall)
{
    const struct config c = bench_config();
    struct program p = program_of(1, 1, load_then_store);
    struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(&c, &p, &m);
    const struct stats *s = &o->stats;
    cr_assert_eq(s->gpu_issue_cycles, 3);
    cr_assert_eq(s->gpu_stall_memory_cycles, 102);
    cr_assert_eq(s->gpu_stall_lsu_cycles, 0);
    cr_assert_eq(s->gpu_stall_other_cycles, 101);
    cr_assert_eq(s->gpu_cycles, 206);
    cr_assert_eq(s->gpu_sm_active_cycles, 105);
    free(o);
}

/* Loads of 32 lines each, one LSU place: the second issues when the first's last access was taken: looked up in 1..32,
 * so the queue has room in 32. Refused in 1..31. */
static struct inst wide_loads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 2 ? inst_memory(INST_LOAD, (uint8_t)(1 + n), 4096 * n, 128, 4) : inst_exit();
}

Test(schedulers, a_full_lsu_is_a_stall_of_its_own)
{
    struct config c = bench_config();
    c.sm_lsu_queue = 1;
    c.l1d_mshr_entries = 128;
    c.l1d_ways = 8;
    struct program p = program_of(1, 1, wide_loads);
    struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_assert_eq(outcome_event(o, AT_COALESCER, 32)->cycle, 32);
    cr_assert_eq(o->stats.gpu_stall_lsu_cycles, 31);
    free(o);
}

/* Some wait for the one SFU while others could go on. */
static struct inst sfu_or_sp(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (n == 6) return inst_exit();
    if (n == 3) return inst_line(INST_STORE, INST_NO_REG, 100 * warp);
    if (n == 4) return inst_line(INST_LOAD, 4, 100 * warp + 50);
    return inst_of((warp + n) % 3 ? INST_SFU : INST_SP, (uint8_t)n, n == 5 ? 4 : INST_NO_REG);
}

Test(schedulers, two_level_with_room_for_all_is_lrr)
{
    struct config c = bench_config();
    struct program p = program_of(1, 32, sfu_or_sp);
    struct fixed_memory m = bench_memory();
    c.sm_warps = 128;
    c.sm_registers = 1 << 20;
    c.sm_sfu_units = 1;
    c.sm_two_level_group = 64;
    p.kernel.grid[0] = 2;
    c.sm_scheduler = SCHEDULER("lrr");
    struct outcome *lrr = bench_run(&c, &p, &m);
    c.sm_scheduler = SCHEDULER("two_level");
    struct outcome *two_level = bench_run(&c, &p, &m);
    cr_assert(lrr->ok && two_level->ok, "%s%s", lrr->err.text, two_level->err.text);
    cr_expect_arr_eq(&lrr->stats, &two_level->stats, sizeof lrr->stats);
    for (uint32_t i = 0; i < 128; i++)
        cr_expect_eq(outcome_event(lrr, AT_COALESCER, i)->r.line, outcome_event(two_level, AT_COALESCER, i)->r.line);
    free(lrr);
    free(two_level);
}
