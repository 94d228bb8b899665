/* SPDX-License-Identifier: Apache-2.0 */
/* Why a scheduler issues nothing, when its policy keeps a warp back that could have issued. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

static struct outcome *run(const struct config *c, uint32_t warps,
                           struct inst (*inst)(const struct program *p, uint32_t block, uint32_t warp, uint32_t n))
{
    const struct fixed_memory m = bench_memory();
    const struct program p = program_of(1, warps, inst);
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct config policy(uint32_t scheduler)
{
    struct config c = bench_config();
    c.sm_scheduler = scheduler;
    c.sm_swl_warps = c.sm_two_level_group = 1;
    return c;
}

/* Warp 0 loads and needs its data; warp 1 only has a load. */
static struct inst load_and_use(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (n == 0) return inst_line(INST_LOAD, 1, 100 * warp);
    return n == 1 && !warp ? inst_of(INST_SP, 2, 1) : inst_exit();
}

/* The LSU has room for warp 1's load: that the limit keeps it back while warp 0 waits is no stall of the LSU. */
Test(stall_causes, swl_waits_for_the_load_of_an_allowed_warp)
{
    const struct config c = policy(SCHEDULER("swl"));
    struct outcome *o = run(&c, 2, load_and_use);
    const uint64_t wait = outcome_event(o, AT_DONE, 0)->cycle - outcome_event(o, AT_COALESCER, 0)->cycle - 1;
    cr_expect_gt(outcome_event(o, AT_COALESCER, 1)->cycle, wait, "warp 1 is kept back");
    cr_expect_eq(o->stats.gpu_stall_memory_cycles, wait, "%lu", o->stats.gpu_stall_memory_cycles);
    cr_expect_eq(o->stats.gpu_stall_lsu_cycles, 0, "%lu", o->stats.gpu_stall_lsu_cycles);
    free(o);
}

/* Warp 1, first in the group, has an SP instruction and a store of its result; warp 0 a load that could go. */
static struct inst sp_then_store(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (!warp) return n == 0 ? inst_line(INST_LOAD, 1, 7) : inst_exit();
    if (n == 0) return inst_of(INST_SP, 1, INST_NO_REG);
    struct inst i = inst_line(INST_STORE, INST_NO_REG, 100);
    i.src[0] = 1;
    return n == 1 ? i : inst_exit();
}

Test(stall_causes, two_level_waits_for_a_result_within_its_group)
{
    const struct config c = policy(SCHEDULER("two_level"));
    struct outcome *o = run(&c, 2, sp_then_store);
    cr_assert_eq(outcome_event(o, AT_COALESCER, 0)->r.line, 100, "warp 1 is the group");
    cr_expect_eq(o->stats.gpu_stall_lsu_cycles, 0, "%lu", o->stats.gpu_stall_lsu_cycles);
    cr_expect_eq(o->stats.gpu_stall_memory_cycles, 0, "%lu", o->stats.gpu_stall_memory_cycles);
    free(o);
}

/* Two loads of 32 lines by one warp, and another warp that the policy keeps back. */
static struct inst wide_loads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    return n < 2 ? inst_memory(INST_LOAD, (uint8_t)(1 + n), 4096 * (2 * warp + n), 128, 4) : inst_exit();
}

Test(stall_causes, a_chosen_warp_that_the_lsu_refuses_is_a_stall_of_the_lsu)
{
    for (uint32_t i = 0; i < policies_of("warp scheduler"); i++) {
        struct config c = policy(i);
        c.sm_lsu_queue = 1;
        c.l1d_mshr_entries = 128;
        c.l1d_ways = 8;
        struct outcome *o = run(&c, 2, wide_loads);
        /* Of the four loads, each but the first waits for the 31 other lines of the one before it. */
        cr_expect_geq(o->stats.gpu_stall_lsu_cycles, 3 * 31 - 3, "scheduler %u: %lu", i, o->stats.gpu_stall_lsu_cycles);
        cr_expect_eq(o->stats.gpu_stall_memory_cycles, 0, "scheduler %u: %lu", i, o->stats.gpu_stall_memory_cycles);
        free(o);
    }
}

/* ---- Structural, raw, idle. ---- */

static void expect_split(const struct outcome *o, uint64_t structural, uint64_t raw, uint64_t idle)
{
    const struct stats *s = &o->stats;
    cr_expect_eq(s->gpu_stall_structural_cycles, structural, "structural: %lu", s->gpu_stall_structural_cycles);
    cr_expect_eq(s->gpu_stall_raw_cycles, raw, "raw: %lu", s->gpu_stall_raw_cycles);
    cr_expect_eq(s->gpu_stall_idle_cycles, idle, "idle: %lu", s->gpu_stall_idle_cycles);
}

/* The load's data is awaited in 1..102; without a warp, the store in 105..205 is idle time. */
static struct inst load_then_store(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 0) return inst_line(INST_LOAD, 1, 1);
    struct inst i = inst_line(INST_STORE, INST_NO_REG, 2);
    i.src[0] = 1;
    return n == 1 ? i : inst_exit();
}

Test(stall_causes, a_wait_for_a_load_is_raw_and_no_warp_is_idle)
{
    const struct config c = bench_config();
    struct outcome *o = run(&c, 1, load_then_store);
    expect_split(o, 0, 102, 101);
    free(o);
}

/* Issued in 0; its result is used in sm.sp_latency; the exit follows, and a last cycle without a warp. */
static struct inst sp_chain(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 2 ? inst_of(INST_SP, 1, n ? 1 : INST_NO_REG) : inst_exit();
}

Test(stall_causes, a_wait_for_arithmetic_is_raw)
{
    const struct config c = bench_config();
    struct outcome *o = run(&c, 1, sp_chain);
    expect_split(o, 0, c.sm_sp_latency - 1, 1);
    cr_expect_eq(o->stats.gpu_stall_other_cycles, c.sm_sp_latency);
    free(o);
}

/* Four independent SFU instructions of one warp; the unit takes one every sm.sfu_interval cycles. */
static struct inst sfus(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 4 ? inst_of(INST_SFU, INST_NO_REG, INST_NO_REG) : inst_exit();
}

Test(stall_causes, a_busy_unit_is_structural)
{
    struct config c = bench_config();
    c.sm_sfu_units = 1;
    c.sm_sfu_interval = 4;
    struct outcome *o = run(&c, 1, sfus);
    expect_split(o, 3 * 3, 0, 1);
    cr_expect_eq(o->stats.gpu_stall_other_cycles, 3 * 3 + 1);
    free(o);
}

/* Warp 0 waits for its load, and warp 1 has an SFU instruction for a unit that its own first one keeps busy. */
static struct inst load_beside_sfus(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    return warp ? sfus(p, block, warp, n) : load_then_store(p, block, warp, n);
}

Test(stall_causes, a_refused_warp_makes_a_wait_for_a_load_structural)
{
    struct config c = bench_config();
    c.sm_sfu_units = 1;
    c.sm_sfu_interval = 4;
    struct outcome *o = run(&c, 2, load_beside_sfus);
    cr_expect_eq(o->stats.gpu_stall_structural_cycles, 3 * 3);
    cr_expect_eq(o->stats.gpu_stall_memory_cycles,
                 o->stats.gpu_stall_structural_cycles + o->stats.gpu_stall_raw_cycles);
    free(o);
}

/* Schedulers 0 and 1 have a warp each: warp 1 waits at the barrier while warp 0 waits for its load. */
static struct inst load_before_barrier(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    struct inst barrier = inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG);
    if (warp) return n == 0 ? barrier : inst_exit();
    if (n == 0) return inst_line(INST_LOAD, 1, 1);
    if (n == 1) return inst_of(INST_SP, INST_NO_REG, 1);
    return n == 2 ? barrier : inst_exit();
}

Test(stall_causes, a_barrier_is_idle_for_the_scheduler_whose_warps_all_wait_there)
{
    struct config c = bench_config();
    c.sm_schedulers = 2;
    struct outcome *o = run(&c, 2, load_before_barrier);
    const struct stats *s = &o->stats;
    cr_expect_eq(s->gpu_stall_raw_cycles, s->gpu_stall_memory_cycles);
    cr_expect_gt(s->gpu_stall_raw_cycles, 99);
    cr_expect_gt(s->gpu_stall_idle_cycles, s->gpu_stall_raw_cycles);
    cr_expect_eq(s->gpu_stall_structural_cycles, 0);
    free(o);
    c.sm_schedulers = 1; /* one scheduler: there is always a warp that waits for a register, or one that issues */
    o = run(&c, 2, load_before_barrier);
    expect_split(o, 0, o->stats.gpu_stall_memory_cycles, 1);
    free(o);
}

/* Warp 1's load is ready and kept back by the limit: the cycle is as if it were not there. */
Test(stall_causes, a_warp_that_its_scheduler_keeps_back_counts_for_nothing)
{
    const struct config c = policy(SCHEDULER("swl"));
    struct outcome *o = run(&c, 2, load_and_use);
    cr_expect_eq(o->stats.gpu_stall_structural_cycles, 0);
    cr_expect_eq(o->stats.gpu_stall_raw_cycles,
                 o->stats.gpu_stall_memory_cycles + o->stats.gpu_stall_other_cycles - o->stats.gpu_stall_idle_cycles);
    cr_expect_geq(o->stats.gpu_stall_raw_cycles, o->stats.gpu_stall_memory_cycles);
    free(o);
}

Test(stall_causes, a_full_lsu_is_structural)
{
    for (uint32_t i = 0; i < policies_of("warp scheduler"); i++) {
        struct config c = policy(i);
        c.sm_lsu_queue = 1;
        c.l1d_mshr_entries = 128;
        c.l1d_ways = 8;
        struct outcome *o = run(&c, 2, wide_loads);
        cr_expect_eq(o->stats.gpu_stall_structural_cycles, o->stats.gpu_stall_lsu_cycles, "scheduler %u", i);
        free(o);
    }
}
