/* SPDX-License-Identifier: Apache-2.0 */
/* Throttles: the calls that one receives and the warps that it holds back (two of this file), and warp throttling by
 * sampling (dwt). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/named.h"
#include "system/sm/throttle.h"
#include "system/sm/warp_scheduler.h"

/* Of each scheduler, the oldest warp alone loads. */
static void *no_state(struct sm_array *a, struct error *err)
{
    (void)err;
    return a;
}

static void leave(void *state)
{
    (void)state;
}

static warp_set oldest_loads(const void *state, const struct sm *sm)
{
    warp_set may = ~throttle_ready_loads(sm);
    (void)state;
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++) may |= warps_oldest(sm, &sm->scheduler[i], 1);
    return may;
}

static const struct throttle loads = {.policy = {"x_loads", "the oldest warp of each scheduler loads"},
                                      .hooks = {.create = no_state, .destroy = leave, .may_issue = oldest_loads}};
THROTTLE_REGISTER(loads);

/* Counts the calls that it receives. */
static struct seen {
    uint64_t issued[MAX_WARPS], reads[PLACES], starts, ends, ticks, idle, begun;
    uint64_t of_other_warps; /* reads and lines that are not of the warp that they name */
    uint64_t replaced;
} seen;

/* Warp w's lines. */
static uint64_t line_of(uint32_t warp, uint32_t n)
{
    return 1000 * (warp + 1) + n;
}

static void *clean(struct sm_array *a, struct error *err)
{
    (void)err;
    seen = (struct seen){0};
    return a;
}

static void on_issue(void *state, const struct sm *sm, uint32_t w, const struct inst *i)
{
    (void)state, (void)sm, (void)i;
    seen.issued[w]++;
}

static void on_read(void *state, const struct sm *sm, const struct access *a, enum place how)
{
    (void)state, (void)sm;
    seen.reads[how]++;
    seen.of_other_warps += a->line / 1000 != a->warp + 1u;
}

static void on_replaced(void *state, const struct sm *sm, uint64_t line, uint32_t warp)
{
    (void)state, (void)sm;
    seen.replaced++;
    seen.of_other_warps += line / 1000 != warp + 1u;
}

static bool on_start(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)a, (void)k;
    seen.starts++;
    return true;
}

static void on_end(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)a, (void)k;
    seen.ends++;
}

static bool on_tick(void *state, const struct sm *sm, struct error *err)
{
    (void)state, (void)sm, (void)err;
    seen.ticks++;
    return false;
}

static void on_idle(void *state, const struct sm *sm, uint64_t cycles)
{
    (void)state, (void)sm;
    seen.idle += cycles;
}

static void on_dispatched(void *state, struct sm_array *a)
{
    (void)state, (void)a;
    seen.begun++;
}

static const struct throttle counts = {.policy = {"x_counts", "none, and counts"},
                                       .hooks = {.create = clean,
                                                 .destroy = leave,
                                                 .issued = on_issue,
                                                 .read = on_read,
                                                 .replaced = on_replaced,
                                                 .kernel_started = on_start,
                                                 .kernel_ended = on_end,
                                                 .tick = on_tick,
                                                 .idle = on_idle,
                                                 .dispatched = on_dispatched}};
THROTTLE_REGISTER(counts);

static struct outcome *run(const struct config *c, const struct program *p)
{
    const struct fixed_memory m = {.latency = 100, .depth = 64, .interval = 8};
    struct outcome *o = bench_run(c, p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* An SP instruction, then loads of lines of its own, one after the other. */
static struct inst sp_then_loads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (n == 0) return inst_of(INST_SP, 2, INST_NO_REG);
    if (n > 40) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, line_of(warp, n % 20));
    i.src[0] = 1;
    return i;
}

Test(throttle, gets_instructions_reads_and_lines_with_their_warps)
{
    for (uint32_t alloc = 0; alloc < 2; alloc++) {
        struct config c = bench_config();
        struct program p = program_of(1, 2, sp_then_loads);
        c.l1d_sets = 4; /* 16 lines: less than the 40 of the two warps */
        c.l1d_ways = 4;
        c.l1d_alloc = alloc;
        c.sm_throttle = named("throttle", "x_counts");
        p.kernels = 2;
        struct outcome *o = run(&c, &p);
        const struct stats *s = &o->stats;
        cr_expect_eq(seen.issued[0], 84);
        cr_expect_eq(seen.issued[1], 84);
        cr_expect_eq(seen.reads[AT_L1D_HIT], s->l1d_hits);
        cr_expect_eq(seen.reads[AT_L1D_MISS], s->l1d_misses);
        cr_expect_eq(seen.reads[AT_L1D_MERGE], s->l1d_merged);
        cr_expect_eq(seen.replaced, s->l1d_evictions);
        cr_expect_gt(seen.replaced, 50, "%lu", seen.replaced);
        cr_expect_eq(seen.of_other_warps, 0, "%lu", seen.of_other_warps);
        cr_expect(seen.starts == 2 && seen.ends == 2);
        cr_expect_eq(seen.ticks + seen.idle, s->gpu_cycles, "%lu and %lu of %lu cycles", seen.ticks, seen.idle,
                     s->gpu_cycles);
        cr_expect_gt(seen.idle, seen.ticks, "the SM sleeps");
        cr_expect_geq(seen.begun, seen.ticks);
        free(o);
    }
}

/* Loads of the younger warp wait until the older one has ended; its SP instruction does not. */
Test(throttle, holds_back_loads_alone)
{
    for (uint32_t i = 0; i < policies_of("warp scheduler"); i++) {
        struct config c = bench_config();
        const struct program p = program_of(1, 2, sp_then_loads);
        c.sm_scheduler = i;
        c.sm_two_level_group = 1;
        c.sm_throttle = named("throttle", "x_loads");
        struct outcome *o = run(&c, &p);
        for (uint32_t n = 0; n < 80; n++) {
            const uint64_t line = outcome_event(o, AT_COALESCER, n)->r.line;
            cr_assert_eq(line / 1000, n < 40 ? 1 : 2, "scheduler %u: load %u is of line %lu", i, n, line);
        }
        cr_expect_gt(o->stats.gpu_stall_throttle_cycles, 1000, "scheduler %u: %lu", i,
                     o->stats.gpu_stall_throttle_cycles);
        free(o);
    }
}

Test(throttle, none_holds_nothing_back)
{
    struct config c = bench_config();
    const struct program p = program_of(1, 2, sp_then_loads);
    cr_expect_eq(c.sm_throttle, named("throttle", "none"));
    struct outcome *o = run(&c, &p);
    cr_expect_eq(o->stats.gpu_stall_throttle_cycles, 0);
    free(o);
}

/* Four SMs of eight warps.  Each warp reads its own lines again and again: 8 of them; `context`: how many times. */
enum { SMS = 4, WARPS = 8, LINES = 8 };

static struct inst own_lines(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    if (n >= *(const uint32_t *)p->context) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, 4096 * (WARPS * block + warp) + n % LINES);
    i.src[0] = 1;
    return i;
}

static struct config thrashing(void)
{
    struct config c = bench_config();
    c.sm_count = SMS;
    c.l1d_sets = LINES;
    c.l1d_ways = 2; /* the lines of two warps */
    c.sm_warps = WARPS;
    c.sm_dwt_period = 3000; /* in which a warp that starts to reuse its lines has fetched them */
    c.sm_dwt_periods = c.sm_dwt_samples = 2;
    c.sm_throttle = named("throttle", "dwt");
    return c;
}

static uint64_t cycles_with(const struct config *c, const struct program *p)
{
    struct outcome *o = run(c, p);
    const uint64_t cycles = o->stats.gpu_cycles;
    free(o);
    return cycles;
}

Test(dwt, finds_the_limit_that_a_search_over_static_limits_finds)
{
    const uint32_t length = 2000;
    struct program p = program_of(SMS, WARPS, own_lines);
    p.context = &length;
    struct config c = thrashing(), fixed = c;
    struct outcome *o = run(&c, &p);
    uint32_t best = 1;
    uint64_t fewest = UINT64_MAX;
    fixed.sm_throttle = named("throttle", "none");
    const uint64_t without = cycles_with(&fixed, &p);
    fixed.sm_scheduler = SCHEDULER("swl");
    for (fixed.sm_swl_warps = 1; fixed.sm_swl_warps <= WARPS; fixed.sm_swl_warps++) {
        const uint64_t cycles = cycles_with(&fixed, &p);
        if (cycles >= fewest) continue;
        fewest = cycles;
        best = fixed.sm_swl_warps;
    }
    cr_expect(o->stats.dwt_samplings == 1 && o->stats.dwt_results == 1);
    cr_expect_eq(o->stats.dwt_warps_last, best, "%lu, the static limit %u", o->stats.dwt_warps_last, best);
    cr_expect_lt(best, WARPS);
    cr_expect_lt(3 * o->stats.gpu_cycles, 2 * without, "%lu cycles, %lu without", o->stats.gpu_cycles, without);
    cr_expect_lt(o->stats.gpu_cycles, fewest + fewest / 4, "%lu cycles, %lu with swl", o->stats.gpu_cycles, fewest);
    cr_expect_gt(o->stats.gpu_stall_throttle_cycles, 0);
    free(o);
}

/* Bypassed reads of a closed L1D count as its tags answer them; else a kernel that thrashes would stay closed. */
Test(dwt, throttles_a_kernel_whose_misses_have_closed_the_l1d)
{
    const uint32_t length = 2000;
    struct program p = program_of(SMS, WARPS, own_lines);
    p.context = &length;
    struct config c = thrashing();
    c.l1d_bypass_mode = L1D_BYPASS("stream");
    c.l1d_stream_period = 500;
    c.l1d_stream_min_accesses = 8;
    struct outcome *o = run(&c, &p);
    cr_expect_gt(o->stats.l1d_bypassed, 0);
    cr_expect_eq(o->stats.dwt_results, 1);
    cr_expect_lt(o->stats.dwt_warps_last, WARPS);
    cr_expect_geq(o->stats.l1d_stream_changes, 2 * SMS, "each L1D closes and opens: %lu", o->stats.l1d_stream_changes);
    cr_expect_gt(o->stats.l1d_hits, o->stats.l1d_bypassed, "%lu hits, %lu around", o->stats.l1d_hits,
                 o->stats.l1d_bypassed);
    free(o);
}

Test(dwt, a_kernel_that_comes_again_gets_its_limit_without_a_sampling)
{
    const uint32_t length = 1000;
    struct program p = program_of(SMS, WARPS, own_lines);
    p.context = &length;
    p.kernels = 3;
    struct config c = thrashing();
    struct outcome *o = run(&c, &p);
    cr_expect_eq(o->stats.dwt_samplings, 1, "%lu", o->stats.dwt_samplings);
    cr_expect_eq(o->stats.dwt_reuses, 2 * SMS, "two launches on each SM: %lu", o->stats.dwt_reuses);
    free(o);
}

enum { SHORT_KERNELS = 255 };

/* The kernels "a", 255 short ones of different names, "b" and "a". */
static void many_names(const struct program *p, uint32_t n, struct kernel_info *k)
{
    const bool is_long = n == 0 || n > SHORT_KERNELS;
    *(uint32_t *)(uintptr_t)p->context = is_long ? 1000 : 1;
    if (is_long)
        strcpy(k->name, n == SHORT_KERNELS + 1 ? "b" : "a");
    else
        snprintf(k->name, sizeof k->name, "k%u", n);
}

/* An identity has eight bits: "b" is the 257th. */
Test(dwt, more_kernels_than_identities_share_no_limit)
{
    uint32_t length = 0;
    struct program p = program_of(SMS, WARPS, own_lines);
    p.context = &length;
    p.launch = many_names;
    p.kernels = SHORT_KERNELS + 3;
    struct config c = thrashing();
    struct outcome *o = run(&c, &p);
    cr_expect_eq(o->stats.dwt_samplings, 2, "a and b: %lu", o->stats.dwt_samplings);
    cr_expect_eq(o->stats.dwt_reuses, SMS, "a on each SM: %lu", o->stats.dwt_reuses);
    free(o);
}

Test(dwt, leaves_alone_what_does_not_thrash)
{
    const uint32_t length = 1000;
    struct program p = program_of(SMS, 2, own_lines);
    p.context = &length;
    struct config c = thrashing();
    struct outcome *o = run(&c, &p);
    cr_expect(o->stats.dwt_samplings == 0 && o->stats.gpu_stall_throttle_cycles == 0);
    free(o);
}

/* A result needs Periods * Period cycles, then Samples * Period, then a report of each SM and a cycle. */
Test(dwt, detection_and_search_take_the_papers_cycles)
{
    uint32_t count[2] = {0};
    for (uint32_t length = 24; length < 64; length += 4) {
        struct program p = program_of(SMS, WARPS, own_lines);
        p.context = &length;
        struct config c = thrashing();
        struct outcome *o = run(&c, &p);
        const uint64_t needed = 4 * c.sm_dwt_period + SMS + 2;
        cr_expect_eq(o->stats.dwt_results, o->stats.gpu_cycles > needed, "%lu cycles, %lu results", o->stats.gpu_cycles,
                     o->stats.dwt_results);
        count[o->stats.dwt_results]++;
        free(o);
    }
    cr_expect(count[0] && count[1], "%u kernels ended before, %u after", count[0], count[1]);
}

/* As before, and all warps meet at a barrier after every fourth load. */
static struct inst with_barriers(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    static const struct inst barrier = {.op = INST_BARRIER};
    if (n % 5 == 4 && n < *(const uint32_t *)p->context) return barrier;
    return own_lines(p, block, warp, n);
}

Test(dwt, a_limit_does_not_block_warps_that_a_barrier_waits_for)
{
    const uint32_t length = 1000;
    struct program p = program_of(SMS, WARPS, with_barriers);
    p.context = &length;
    struct config c = thrashing();
    struct outcome *o = run(&c, &p);
    cr_expect_eq(o->stats.dwt_results, 1);
    cr_expect_gt(o->stats.gpu_stall_throttle_cycles, 0);
    free(o);
}

Test(dwt, is_refused_with_workloads_beside_each_other)
{
    const uint32_t length = 10;
    struct program p = program_of(1, 1, own_lines);
    p.context = &length;
    const struct config c = thrashing();
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){&p, &p}, 2, NULL, false);
    cr_expect_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, "sm.throttle: found dwt with 2 concurrent workloads"), "%s", o->err.text);
    free(o);
}
