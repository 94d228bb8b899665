/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline in front of the L1D: l1d.latency_at = front. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"

static struct config machine(enum latency_place at, uint32_t latency)
{
    struct config c = bench_config();
    c.l1d_latency_at = at;
    c.l1d_latency = latency;
    c.sm_lsu_queue = 1;
    return c;
}

static struct outcome *run(const struct config *c, const struct fixed_memory *m, uint32_t warps,
                           struct inst (*inst)(const struct program *p, uint32_t block, uint32_t warp, uint32_t n))
{
    const struct program p = program_of(1, warps, inst);
    struct outcome *o = bench_run(c, &p, m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static uint64_t cycle_of(const struct outcome *o, enum place place, uint32_t n)
{
    const struct event *e = outcome_event(o, place, n);
    cr_assert(e);
    return e->cycle;
}

/* A line; then, with its data there, the same line again. */
static struct inst miss_and_hit(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 1) return inst_of(INST_SP, 2, 1);
    return n < 3 ? inst_line(INST_LOAD, 1, 7) : inst_exit();
}

Test(lsu_stages, the_latency_comes_before_the_tags_or_after_them)
{
    const struct fixed_memory m = bench_memory();
    for (int k = 0; k < 2; k++) {
        const struct config c = machine(k ? LATENCY_FRONT : LATENCY_BEHIND, 28);
        struct outcome *o = run(&c, &m, 1, miss_and_hit);
        cr_expect_eq(cycle_of(o, AT_L1D_MISS, 0) - cycle_of(o, AT_COALESCER, 0), 1 + (k ? 28 : 0));
        cr_expect_eq(cycle_of(o, AT_L1D_HIT, 0) - cycle_of(o, AT_COALESCER, 1), 1 + (k ? 28 : 0));
        cr_expect_eq(cycle_of(o, AT_DONE, 1) - cycle_of(o, AT_L1D_HIT, 0), k ? 0 : 28);
        free(o);
    }
}

/* A line, an atomic to it when its data are there, and the line again. */
static struct inst atomic_between(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 1) return inst_line(INST_ATOMIC, 1, 7);
    if (n == 2) return inst_of(INST_SP, 2, 1);
    return n < 4 ? inst_line(INST_LOAD, 1, 7) : inst_exit();
}

/* Inside it evicts the line, which misses again. */
Test(lsu_stages, an_atomic_may_go_around_pipeline_and_tags)
{
    const struct fixed_memory m = bench_memory();
    for (uint32_t around = 0; around < 2; around++) {
        struct config c = machine(LATENCY_FRONT, 28);
        c.l1d_atomics = around ? ATOMICS_AROUND : ATOMICS_INSIDE;
        struct outcome *o = run(&c, &m, 1, atomic_between);
        cr_expect_eq(cycle_of(o, AT_L1D_WRITE, 0) - cycle_of(o, AT_COALESCER, 1), around ? 1 : 29);
        cr_expect(o->stats.l1d_hits == around && o->stats.l1d_misses == 2 - around && o->stats.l1d_atomics == 1);
        free(o);
    }
}

/* Two loads that name the L2, and an instruction that needs the data of the second. */
static struct inst l2_loads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n < 2) return inst_line(INST_LOAD_L2, (uint8_t)(n + 1), 7 + n);
    if (n == 2) return inst_of(INST_SP, 3, 2);
    return n == 3 ? inst_line(INST_LOAD_L2, 1, 7) : inst_exit();
}

/* Inside, the second one waits for the only slot.  Around, its data may be used a cycle after they come. */
Test(lsu_stages, a_load_that_names_the_l2_goes_the_way_of_atomics)
{
    const struct fixed_memory m = bench_memory();
    uint64_t cycles[2];
    for (uint32_t around = 0; around < 2; around++) {
        struct config c = machine(LATENCY_FRONT, 28);
        c.l1d_atomics = around ? ATOMICS_AROUND : ATOMICS_INSIDE;
        c.l1d_bypass_slots = 1;
        struct outcome *o = run(&c, &m, 1, l2_loads);
        cr_expect_eq(cycle_of(o, AT_L1D_BYPASS, 0) - cycle_of(o, AT_COALESCER, 0), around ? 1 : 29);
        cr_expect_eq(o->stats.l1d_bypassed, 3);
        cr_expect((o->stats.l1d_rf_around == 0) == around);
        cycles[around] = cycle_of(o, AT_COALESCER, 2) - cycle_of(o, AT_DONE, 1);
        free(o);
    }
    cr_expect_eq(cycles[1], cycles[0] + 1);
}

/* The crossbar's input is full of warp 0's atomics; the others wait at the LSU's head, and nothing is refused. */
static struct inst three_atomics(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    return n < 3 ? inst_line(INST_ATOMIC, (uint8_t)(n + 1), 100 * warp + n) : inst_exit();
}

Test(lsu_stages, an_atomic_waits_for_room_in_the_crossbar)
{
    const struct fixed_memory m = {.latency = 100, .depth = 1, .interval = 50};
    struct config c = machine(LATENCY_FRONT, 28);
    c.l1d_atomics = ATOMICS_AROUND;
    struct outcome *o = run(&c, &m, 4, three_atomics);
    for (uint32_t n = 2; n < 12; n++)
        cr_expect_eq(cycle_of(o, AT_L1D_WRITE, n) - cycle_of(o, AT_L1D_WRITE, n - 1), 50, "atomic %u", n);
    cr_expect_eq(o->stats.l1d_atomics, 12);
    free(o);
}

/* Warp w loads line w. */
static struct inst one_line(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    return n ? inst_exit() : inst_line(INST_LOAD, 1, warp);
}

/* The memory takes a request every 50 cycles.  Until then one waits for it, one in the miss queue, and one at the LSU's
 * head; and as many as the pipeline holds. */
Test(lsu_stages, the_pipeline_takes_accesses_while_the_l1d_refuses)
{
    const struct fixed_memory m = {.latency = 100, .depth = 1, .interval = 50};
    static const struct {
        enum latency_place at;
        uint32_t stages, at_once; /* instructions that have left the coalescer by then */
    } cases[] = {{LATENCY_BEHIND, 28, 3}, {LATENCY_FRONT, 28, 8}, {LATENCY_FRONT, 2, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config c = machine(cases[i].at, cases[i].stages);
        c.l1d_miss_queue = 1;
        struct outcome *o = run(&c, &m, 8, one_line);
        uint32_t n = 0;
        while (n < 8 && cycle_of(o, AT_COALESCER, n) < 50) n++;
        cr_expect_eq(n, cases[i].at_once, "case %zu: found %u, expected %u", i, n, cases[i].at_once);
        cr_expect_eq(o->stats.l1d_misses, 8);
        free(o);
    }
}

/* A load of 32 lines. */
static struct inst many_lines(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n ? inst_exit() : inst_memory(INST_LOAD, 1, 0x10000, 128, 4);
}

/* Without an observer the LSU and the schedulers sleep separately.  The LSU must not sleep while an access can enter
 * the pipeline. */
Test(lsu_stages, the_pipeline_takes_an_access_a_cycle_of_an_lsu_that_may_sleep)
{
    const struct program p = program_of(1, 1, many_lines), *one = &p;
    uint64_t cycles[2];
    for (int skips = 0; skips < 2; skips++) {
        struct config c = machine(LATENCY_FRONT, 28);
        c.sim_skip = skips;
        struct outcome *o = bench_run_unwatched(&c, &one, 1, false);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.l1d_misses, 32);
        cycles[skips] = o->stats.gpu_cycles;
        free(o);
    }
    cr_expect_eq(cycles[1], cycles[0], "found %lu cycles, without sleep %lu", cycles[1], cycles[0]);
}

/* Stores pass the same stages.  The L1D gets accesses in order. */
static struct inst store_and_load(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (n == 0) return inst_line(INST_STORE, INST_NO_REG, 8 + warp);
    return n == 1 ? inst_line(INST_LOAD, 1, 8 + warp) : inst_exit();
}

/* Responses count from the entry into the pipeline, stores' acknowledgements included; of each sector from the slice.
 */
Test(lsu_stages, a_response_counts_from_the_pipeline)
{
    const struct program p = program_of(1, 1, miss_and_hit), stores = program_of(1, 1, store_and_load);
    uint64_t sum[2];
    for (int k = 0; k < 2; k++) {
        const struct config c = machine(k ? LATENCY_FRONT : LATENCY_BEHIND, 28);
        struct outcome *o = bench_run_real(&c, &stores);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.mem_reply_count, 2);
        sum[k] = o->stats.mem_reply_sum;
        free(o);
    }
    const uint64_t more = sum[1] - sum[0]; /* the clocks stand otherwise */
    cr_expect(more > 2 * 28 - 5 && more < 2 * 28 + 5, "found %lu and %lu", sum[1], sum[0]);
    struct config c = machine(LATENCY_BEHIND, 28);
    struct outcome *whole = bench_run_real(&c, &p);
    c.l2_sector_bytes = SECTOR_BYTES;
    struct outcome *parts = bench_run_real(&c, &p);
    cr_assert(whole->ok && parts->ok, "%s%s", whole->err.text, parts->err.text);
    cr_expect(whole->stats.mem_reply_count == 1 && parts->stats.mem_reply_count == 4);
    cr_expect_lt(parts->stats.mem_reply_sum, 4 * whole->stats.mem_reply_sum);
    free(whole);
    free(parts);
}

/* Two schedulers want the LSU in cycle 0, and in the first cycle of a second, equal kernel. */
Test(lsu_stages, the_first_turn_may_move_with_warps_only)
{
    const struct fixed_memory m = bench_memory();
    for (uint32_t active = 0; active < 2; active++) {
        struct config c = machine(LATENCY_BEHIND, 28);
        c.sm_schedulers = 2;
        c.sm_turn = active ? TURN_ACTIVE : TURN_ALWAYS;
        struct program p = program_of(1, 2, one_line);
        p.kernels = 2;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(outcome_event(o, AT_COALESCER, 0)->r.line, active);
        const uint64_t turns = active ? o->stats.gpu_sm_active_cycles / 2 + 2 : cycle_of(o, AT_COALESCER, 2);
        cr_expect_eq(outcome_event(o, AT_COALESCER, 2)->r.line, turns & 1, "%lu turns", turns);
        free(o);
    }
}

/* A store of a whole line, and one of half of it. */
static struct inst two_stores(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 0) return inst_memory(INST_STORE, INST_NO_REG, 0x1000, 4, 4);
    return n == 1 ? inst_memory(INST_STORE, INST_NO_REG, 0x2000, 2, 2) : inst_exit();
}

Test(lsu_stages, a_store_of_a_whole_line_is_known_below)
{
    struct config c = bench_config();
    c.l2_write_miss = WRITE_MISS_FETCH_PARTIAL;
    const struct program p = program_of(1, 1, two_stores);
    struct outcome *o = bench_run_real(&c, &p);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect(o->stats.l2_misses == 2 && o->stats.l2_unfetched == 1 && o->stats.dram_reads == 1);
    cr_expect_eq(o->stats.l2_dirty_at_end, 2, "the memory is finished");
    free(o);
}

Test(lsu_stages, accesses_stay_in_order)
{
    const struct fixed_memory m = bench_memory();
    const struct config c = machine(LATENCY_FRONT, 5);
    struct outcome *o = run(&c, &m, 4, store_and_load);
    cr_expect(o->stats.l1d_writes == 4 && o->stats.l1d_misses == 4);
    for (uint32_t n = 0; n < 3; n++) {
        cr_expect_lt(cycle_of(o, AT_L1D_WRITE, n), cycle_of(o, AT_L1D_WRITE, n + 1));
        cr_expect_lt(cycle_of(o, AT_L1D_WRITE, n), cycle_of(o, AT_L1D_MISS, n));
    }
    free(o);
}
