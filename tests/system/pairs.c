/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels on an SM: sampling periods, limits by dynamic TLP modulation, bypassing by thread block.  Expectations by
 * hand, and by reading the requests of every thread block. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "system/bench.h"
#include "system/named.h"

/* A thread block stores to a line that names it, then each warp computes and loads `loads` lines of the block's own. */
struct work {
    uint32_t id, length, loads;
};

static uint64_t line_of(const struct work *k, uint32_t block, uint32_t n)
{
    return (uint64_t)k->id << 20 | (uint64_t)block << 8 | n;
}

static struct inst works(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct work *k = p->context;
    struct inst chain = inst_of(INST_SP, 1, 1);
    chain.count = (uint16_t)k->length;
    if (n == 0 && warp == 0) return inst_line(INST_STORE, INST_NO_REG, line_of(k, block, 0));
    if (n <= k->loads) return inst_line(INST_LOAD, (uint8_t)(2 + n % 4), line_of(k, block, 1 + n + warp * 32));
    return n == k->loads + 1 ? chain : inst_exit();
}

static struct program work_of(const struct work *k, uint32_t blocks, uint32_t warps)
{
    struct program p = program_of(blocks, warps, works);
    p.context = k;
    return p;
}

static struct config machine(const char *partition, const char *mode, uint32_t slots, uint32_t a, uint32_t b)
{
    struct config c = bench_config();
    c.sm_scheduler = SCHEDULER("lrr");
    c.sm_blocks = slots;
    c.cke_partition = named("block partition", partition);
    c.l1d_bypass_mode = L1D_BYPASS(mode);
    c.cke_blocks[0] = a;
    c.cke_blocks[1] = b;
    return c;
}

static struct outcome *run_all(const struct config *c, const struct program *p, uint32_t count)
{
    const struct program *const list[] = {&p[0], &p[1], &p[2]};
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run_beside(c, list, count, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    for (uint32_t w = 0; w < count; w++) cr_assert_eq(o->of[w].blocks, kernel_blocks(&p[w].kernel));
    return o;
}

static struct outcome *run(const struct config *c, const struct program *p)
{
    return run_all(c, p, 2);
}

static void expect_refused(const struct config *c, const struct program *p, uint32_t count, const char *text)
{
    const struct program *const list[] = {&p[0], &p[1], &p[2]};
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run_beside(c, list, count, &m, false);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, text), "%s", o->err.text);
    free(o);
}

/* Cycle of the n-th store of a workload that enters its L1D; its thread blocks store first. */
static uint64_t started(const struct outcome *o, uint32_t id, uint32_t n)
{
    for (uint32_t i = 0, found = 0; i < o->events; i++) {
        const struct event *e = &o->event[i];
        if (e->place != AT_L1D_WRITE || (e->r.line >> 20 & 15) != id) continue;
        if (found++ == n) return e->cycle;
    }
    cr_assert_fail("workload %u: no thread block %u", id, n);
    return 0;
}

/* One thread block of each at a time, and one of B takes 3.3 times as long as one of A.  A period is one of B, and six
 * of these end while the 21 of A run. */
Test(pairs, a_period_is_the_lifetime_of_the_thread_blocks_at_its_start)
{
    const struct work a = {1, 100, 0}, b = {2, 330, 0};
    const struct program p[] = {work_of(&a, 21, 1), work_of(&b, 40, 1)};
    const struct config c = machine("even", "learner", 4, 1, 1);
    struct outcome *o = run(&c, p);
    cr_expect_eq(o->stats.tlp_periods, 6, "%lu", o->stats.tlp_periods);
    cr_expect_eq(o->stats.tlp_up0 + o->stats.tlp_up1, 0, "even holds the limits");
    free(o);
}

/* All four slots are taken from the start, so that one more of a workload is one less of the other. */
Test(pairs, in_a_full_sm_each_change_is_one_more_and_one_less)
{
    const struct work a = {1, 100, 1}, b = {2, 20, 12};
    const struct program p[] = {work_of(&a, 120, 2), work_of(&b, 120, 2)};
    const struct config c = machine("tlp", "off", 4, 2, 2);
    struct outcome *o = run(&c, p);
    const struct stats *s = &o->stats;
    cr_expect(s->tlp_periods > 10 && s->tlp_up0 + s->tlp_up1 > 4, "%lu periods, %lu and %lu changes", s->tlp_periods,
              s->tlp_up0, s->tlp_up1);
    cr_expect_eq(s->tlp_up0, s->tlp_down1);
    cr_expect_eq(s->tlp_up1, s->tlp_down0);
    cr_expect_leq(s->tlp_up0 > s->tlp_up1 ? s->tlp_up0 - s->tlp_up1 : s->tlp_up1 - s->tlp_up0, 1);
    free(o);
}

/* The same if shared memory holds four thread blocks, and eight slots would. */
Test(pairs, in_full_shared_memory_each_change_is_one_more_and_one_less)
{
    const struct work a = {1, 100, 1}, b = {2, 20, 12};
    struct program p[] = {work_of(&a, 120, 2), work_of(&b, 120, 2)};
    const struct config c = machine("tlp", "off", 8, 2, 2);
    p[0].kernel.shared_bytes = p[1].kernel.shared_bytes = c.sm_shared_bytes / 4;
    struct outcome *o = run(&c, p);
    const struct stats *s = &o->stats;
    cr_expect_gt(s->tlp_up0 + s->tlp_up1, 4);
    cr_expect_eq(s->tlp_up0, s->tlp_down1);
    cr_expect_eq(s->tlp_up1, s->tlp_down0);
    free(o);
}

/* Without best numbers, two of four slots each. */
Test(pairs, tlp_starts_from_an_even_share)
{
    const struct work a = {1, 100, 0}, b = {2, 100, 0};
    const struct program p[] = {work_of(&a, 8, 1), work_of(&b, 8, 1)};
    const struct config c = machine("tlp", "off", 4, 0, 0);
    struct outcome *o = run(&c, p);
    for (uint32_t id = 1; id <= 2; id++) cr_expect_lt(started(o, id, 1) - started(o, id, 0), 20, "workload %u", id);
    cr_expect_lt(started(o, 2, 1), 100);
    free(o);
}

/* Six slots are free at first: at most so many changes more than falls. */
Test(pairs, free_slots_are_filled_without_a_loss)
{
    const struct work a = {1, 100, 1}, b = {2, 20, 12};
    const struct program p[] = {work_of(&a, 120, 1), work_of(&b, 120, 1)};
    const struct config c = machine("tlp", "off", 8, 1, 1);
    struct outcome *o = run(&c, p);
    const struct stats *s = &o->stats;
    const uint64_t ups = s->tlp_up0 + s->tlp_up1, downs = s->tlp_down0 + s->tlp_down1;
    cr_expect(ups > downs && ups - downs <= 6, "%lu up, %lu down", ups, downs);
    free(o);
}

/* One of each, until B ends after its only thread block: then A has four in the time of one. */
Test(pairs, a_workload_takes_the_sm_when_the_other_has_ended)
{
    const struct work a = {1, 100, 0}, b = {2, 50, 0};
    const struct program p[] = {work_of(&a, 12, 1), work_of(&b, 1, 1)};
    const struct config c = machine("tlp", "off", 4, 1, 1);
    struct outcome *o = run(&c, p);
    const uint64_t first = started(o, 1, 0), second = started(o, 1, 1), fourth = started(o, 1, 3);
    cr_expect_gt(second - first, 200, "B runs: one at a time");
    cr_expect_lt(second - first, 1000, "B has ended before the first of A has");
    cr_expect_lt(fourth - second, 20, "three at once");
    free(o);
}

/* Thread blocks whose reads bypass the L1D; reads of the others use it.  Up to three workloads. */
static uint32_t tagged_of(const struct outcome *o, const struct program *p, uint32_t count)
{
    uint8_t around[4][60] = {{0}}, inside[4][60] = {{0}};
    for (uint32_t i = 0; i < o->events; i++) {
        const struct event *e = &o->event[i];
        const uint32_t id = e->r.line >> 20 & 15, block = e->r.line >> 8 & 255;
        if (e->place == AT_L1D_BYPASS) around[id][block]++;
        if (e->place == AT_L1D_MISS) inside[id][block]++;
    }
    uint32_t tagged = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t n = 0; n < kernel_blocks(&p[k].kernel); n++) {
            const uint32_t a = around[k + 1][n], i = inside[k + 1][n],
                           loads = ((const struct work *)p[k].context)->loads;
            cr_expect((a == loads && !i) || (!a && i == loads), "workload %u, thread block %u: %u and %u", k, n, a, i);
            tagged += a > 0;
        }
    return tagged;
}

/* Reads of a thread block all bypass the L1D or all use it, and in a period only one workload bypasses. */
Test(pairs, a_thread_block_bypasses_with_all_of_its_reads_or_with_none)
{
    const struct work of[] = {{1, 30, 6}, {2, 40, 3}};
    const struct program p[] = {work_of(&of[0], 60, 1), work_of(&of[1], 60, 1)};
    const struct config c = machine("even", "learner", 4, 2, 2);
    struct outcome *o = run(&c, p);
    const uint32_t tagged = tagged_of(o, p, 2);
    cr_expect_eq(tagged, o->stats.learner_tagged);
    cr_expect_eq(o->stats.l1d_bypassed, o->of[0].l1d_bypassed + o->of[1].l1d_bypassed);
    cr_expect(tagged && o->stats.learner_periods >= 3 && o->stats.learner_learnt == 1, "%u tags, %lu periods, %lu",
              tagged, o->stats.learner_periods, o->stats.learner_learnt);
    free(o);
}

/* Without a load nothing stalls for memory more or less: one of each is tried, and no more. */
Test(pairs, nothing_bypasses_that_does_not_help)
{
    const struct work a = {1, 100, 0}, b = {2, 100, 0};
    const struct program p[] = {work_of(&a, 40, 1), work_of(&b, 40, 1)};
    const struct config c = machine("even", "learner", 4, 2, 2);
    struct outcome *o = run(&c, p);
    cr_expect_eq(o->stats.learner_periods, 3);
    cr_expect_eq(o->stats.learner_learnt, 1);
    cr_expect_eq(o->stats.learner_number_sum, 0);
    cr_expect_eq(o->stats.l1d_bypassed, 0);
    free(o);
}

/* Three workloads, two at a time. */
static struct config pool(const char *partition, const char *bypass, uint32_t blocks0, uint32_t blocks1,
                          uint32_t blocks2)
{
    struct config c = machine(partition, bypass, 4, blocks0, blocks1);
    c.cke_blocks[2] = blocks2;
    c.cke_concurrent = 2;
    return c;
}

/* Workload 0 ends first, and 2 takes its place beside 1: three periods without a load again. */
Test(pairs, the_next_of_a_pool_makes_a_new_pair)
{
    const struct work of[] = {{1, 100, 0}, {2, 100, 0}, {3, 100, 0}};
    const struct program p[] = {work_of(&of[0], 10, 1), work_of(&of[1], 40, 1), work_of(&of[2], 40, 1)};
    const struct config c = pool("even", "learner", 1, 1, 1);
    struct outcome *o = run_all(&c, p, 3);
    cr_expect_eq(o->stats.learner_learnt, 2);
    cr_expect_eq(o->stats.learner_periods, 6);
    free(o);
}

/* The thread blocks of workload 1 that have a tag when 2 begins end as those of the same kernel: no error_o. */
Test(pairs, a_workload_keeps_its_side_beside_the_next_of_a_pool)
{
    const struct work of[] = {{1, 10, 3}, {2, 40, 6}, {3, 30, 3}};
    const struct program p[] = {work_of(&of[0], 30, 1), work_of(&of[1], 40, 1), work_of(&of[2], 40, 1)};
    const struct config c = pool("tlp", "learner", 2, 2, 2);
    struct outcome *o = run_all(&c, p, 3);
    cr_expect_eq(tagged_of(o, p, 3), o->stats.learner_tagged);
    cr_expect(o->stats.learner_tagged && o->of[1].l1d_bypassed && o->of[2].l1d_bypassed, "%lu tags: %lu, %lu, %lu",
              o->stats.learner_tagged, o->of[0].l1d_bypassed, o->of[1].l1d_bypassed, o->of[2].l1d_bypassed);
    free(o);
}

/* 0 has three of four slots and 1 has one.  When 0 is done, 2 begins with three, and 1 goes on with one. */
Test(pairs, tlp_gives_the_next_of_a_pool_its_initial_limits)
{
    const struct work of[] = {{1, 20, 0}, {2, 400, 0}, {3, 20, 0}};
    const struct program p[] = {work_of(&of[0], 6, 1), work_of(&of[1], 4, 1), work_of(&of[2], 6, 1)};
    const struct config c = pool("tlp", "off", 3, 1, 3);
    struct outcome *o = run_all(&c, p, 3);
    cr_expect_eq(o->of[0].blocks_beside, 3);
    cr_expect_eq(o->of[2].blocks_beside, 3);
    cr_expect_lt(started(o, 3, 2) - started(o, 3, 0), 20, "three at once");
    cr_expect_gt(started(o, 2, 1) - started(o, 2, 0), 400, "one at a time");
    free(o);
}

/* Two of four thread blocks at a time, so half of all; alone, and beside another workload with one of four. */
Test(pairs, so_many_thread_blocks_bypass_as_the_option_says)
{
    const struct work of[] = {{1, 100, 4}, {2, 100, 3}};
    for (uint32_t count = 1; count <= 2; count++) {
        const struct program p[] = {work_of(&of[0], 40, 1), work_of(&of[1], 40, 1)};
        struct config c = machine("even", "blocks", 8, 4, 4);
        c.l1d_bypass_blocks[0] = 2;
        c.l1d_bypass_blocks[1] = 1;
        struct outcome *o = run_all(&c, p, count);
        cr_expect_eq(tagged_of(o, p, count), count == 1 ? 20 : 30);
        cr_expect_eq(o->of[0].l1d_bypassed, 80);
        cr_expect_eq(o->of[1].l1d_bypassed, count == 1 ? 0 : 30);
        cr_expect_eq(o->stats.learner_tagged, 0);
        free(o);
    }
}

Test(pairs, says_what_they_cannot_do)
{
    const struct work work[] = {{1, 10, 1}, {2, 10, 1}, {3, 10, 1}};
    const struct program p[] = {work_of(&work[0], 4, 1), work_of(&work[1], 4, 1), work_of(&work[2], 4, 1)};
    struct config c = machine("tlp", "off", 8, 0, 0);
    expect_refused(&c, p, 3, "cke.partition: found tlp with 3 workloads at a time, allowed with it: at most 2");
    c = machine("even", "learner", 8, 0, 0);
    expect_refused(&c, p, 3, "l1d.bypass.mode: found learner with 3 workloads at a time, allowed with it: at most 2");
    c = machine("left_over", "learner", 8, 0, 0);
    expect_refused(&c, p, 2, "it does not limit the thread blocks of workload 0");
}

/* Best alone with three of four slots, both: three and one.  Two that are best with all four: an even share. */
Test(pairs, tlp_starts_from_the_static_modulation)
{
    const struct work a = {1, 100, 1}, b = {2, 20, 12};
    const struct program p[] = {work_of(&a, 120, 2), work_of(&b, 120, 2)};
    const uint32_t best[][2] = {{3, 3}, {3, 1}, {4, 4}, {0, 0}};
    uint64_t cycles[4];
    for (int i = 0; i < 4; i++) {
        const struct config c = machine("tlp", "off", 4, best[i][0], best[i][1]);
        struct outcome *o = run(&c, p);
        cycles[i] = o->stats.gpu_cycles;
        free(o);
    }
    cr_expect_neq(cycles[0], cycles[2]);
    cr_expect_eq(cycles[2], cycles[3]);
}

static void check_same(const struct config *c, const struct program *p, uint32_t count, uint64_t seed,
                       struct stats *sum)
{
    const struct program *const list[] = {&p[0], &p[1], &p[2]};
    struct config ticked = *c;
    ticked.sim_skip = false;
    struct outcome *o = bench_run_beside(c, list, count, NULL, true),
                   *t = bench_run_beside(&ticked, list, count, NULL, true);
    cr_assert(o->ok && t->ok, "seed %lu: %s%s", seed, o->err.text, t->err.text);
#define STAT(field, name, text)                                                                                        \
    cr_expect_eq(o->stats.field, t->stats.field, "seed %lu: " name ": %lu with sim.skip, %lu without", seed,           \
                 o->stats.field, t->stats.field);                                                                      \
    sum->field += o->stats.field;
#include "system/stats/stats.def"
#undef STAT
    cr_expect_arr_eq(o->of, t->of, sizeof o->of, "seed %lu: counters of the workloads", seed);
    free(o);
    free(t);
}

Test(pairs, change_no_counter_with_skipped_cycles)
{
    struct stats sum = {0};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        const char *const partitions[] = {"tlp", "tlp", "even", "smk"};
        struct config c = machine(partitions[rng_below(&r, 4)], rng_below(&r, 3) ? "learner" : "off",
                                  2 + (uint32_t)rng_below(&r, 9), 0, 0);
        const struct work work[] = {
            {1, 1 + (uint32_t)rng_below(&r, 200), (uint32_t)rng_below(&r, 12)},
            {2, 1 + (uint32_t)rng_below(&r, 200), (uint32_t)rng_below(&r, 12)},
            {3, 1 + (uint32_t)rng_below(&r, 200), (uint32_t)rng_below(&r, 12)},
        };
        struct program p[] = {work_of(&work[0], 20 + (uint32_t)rng_below(&r, 100), 1 + (uint32_t)rng_below(&r, 3)),
                              work_of(&work[1], 20 + (uint32_t)rng_below(&r, 100), 1 + (uint32_t)rng_below(&r, 3)),
                              work_of(&work[2], 20 + (uint32_t)rng_below(&r, 100), 1 + (uint32_t)rng_below(&r, 3))};
        p[0].kernels = 1 + (uint32_t)rng_below(&r, 3);
        c.sm_count = 2;
        c.cke_tlp_shift = 1 + (uint32_t)rng_below(&r, 4);
        c.cke_cycles = rng_below(&r, 2) ? 5000 + (uint32_t)rng_below(&r, 20000) : 0;
        c.l1d_sets = 4;
        const uint32_t count = c.cke_cycles ? 2 : 2 + (uint32_t)rng_below(&r, 2);
        if (count > 2) c.cke_concurrent = 2;
        check_same(&c, p, count, seed, &sum);
    }
    cr_expect(sum.tlp_up0 && sum.tlp_up1 && sum.tlp_down0 && sum.tlp_down1 && sum.learner_learnt &&
                  sum.learner_number_sum && sum.l1d_bypassed,
              "the seeds leave something out");
}
