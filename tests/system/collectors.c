/* SPDX-License-Identifier: Apache-2.0 */
/* Register banks and operand collectors: sm.reg_banks.  Cycles of whole kernels are those of GPGPU-Sim 4.2 with the
 * same units. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"

struct list {
    uint32_t count;
    struct inst inst[8];
};

static struct inst from_list(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)block, (void)warp;
    const struct list *l = p->context;
    return n < l->count ? l->inst[n] : inst_exit();
}

static struct outcome *run_list(const struct config *c, const struct list *l, uint32_t blocks, uint32_t warps)
{
    struct program p = program_of(blocks, warps, from_list);
    const struct fixed_memory m = bench_memory();
    p.context = l;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct config machine(uint32_t banks)
{
    struct config c = bench_config();
    c.sm_reg_banks = banks;
    c.l1d_latency_at = LATENCY_FRONT;
    return c;
}

/* Cycle in which the n-th access was issued. */
static uint64_t issued(const struct config *c, const struct list *l, uint32_t n)
{
    struct outcome *o = run_list(c, l, 1, 1);
    const struct event *e = outcome_event(o, AT_COALESCER, n);
    cr_assert_not_null(e);
    const uint64_t cycle = e->cycle;
    free(o);
    return cycle;
}

static struct inst with_sources(struct inst i, uint8_t a, uint8_t b, uint8_t c)
{
    const uint8_t src[] = {a, b, c};
    for (int n = 0; n < 3; n++) i.src[n] = src[n];
    return i;
}

static struct inst of_sources(uint8_t op, uint8_t a, uint8_t b, uint8_t c)
{
    return with_sources(inst_of(op, 1, INST_NO_REG), a, b, c);
}

static struct inst store_of(uint8_t src)
{
    return with_sources(inst_line(INST_STORE, INST_NO_REG, 1), src, INST_NO_REG, INST_NO_REG);
}

/* A result is usable sm.sp_latency = 10 or sm.sfu_latency = 22 cycles after the issue. */
Test(collectors, are_part_of_the_latency)
{
    const struct config c = machine(16);
    for (int sfu = 0; sfu < 2; sfu++) {
        const uint8_t op = sfu ? INST_SFU : INST_SP;
        const uint64_t latency = sfu ? 22 : 10;
        cr_expect_eq(issued(&c, &(struct list){2, {of_sources(op, 4, 5, 6), store_of(1)}}, 0), latency);
        cr_expect_eq(
            issued(&c, &(struct list){2, {of_sources(op, INST_NO_REG, INST_NO_REG, INST_NO_REG), store_of(1)}}, 0),
            latency - 1, "nothing to read");
    }
}

Test(collectors, a_bank_reads_one_register_a_cycle)
{
    const struct config c = machine(16), few = machine(2);
    cr_expect_eq(issued(&c, &(struct list){2, {of_sources(INST_SP, 4, 20, INST_NO_REG), store_of(1)}}, 0), 11);
    cr_expect_eq(issued(&c, &(struct list){2, {of_sources(INST_SP, 4, 20, 36), store_of(1)}}, 0), 12);
    cr_expect_eq(issued(&few, &(struct list){2, {of_sources(INST_SP, 4, 5, 6), store_of(1)}}, 0), 11);
}

/* A store in front of a hit, a load of shared memory, or a result: the latencies are those without collectors. */
Test(collectors, leave_the_latencies_of_memory)
{
    struct list hit = {3, {inst_line(INST_LOAD, 1, 5), inst_line(INST_LOAD, 2, 5), store_of(2)}};
    struct list shared = {2, {inst_memory(INST_SHARED_LOAD, 1, 0, 4, 4), store_of(1)}};
    const struct config with = machine(16), without = machine(0);
    hit.inst[0].src[0] = shared.inst[0].src[0] = 9;
    hit.inst[1].src[0] = 1;
    cr_expect_eq(issued(&with, &hit, 2) - issued(&with, &hit, 1),
                 issued(&without, &hit, 2) - issued(&without, &hit, 1));
    cr_expect_eq(issued(&with, &shared, 0), issued(&without, &shared, 0));
}

static uint64_t cycles(const struct config *c, const struct list *l, uint32_t blocks, uint32_t warps)
{
    struct outcome *o = run_list(c, l, blocks, warps);
    const uint64_t n = o->stats.gpu_cycles;
    free(o);
    return n;
}

/* Five additions of one register, and an exit, which waits for the one result of its unit in a cycle. */
Test(collectors, kernels_take_the_references_cycles)
{
    struct config c = machine(16);
    struct list five = {5, {{0}}};
    const struct list none = {0, {{0}}};
    c.sm_count = 1;
    c.sm_schedulers = c.sm_sp_units = 2;
    c.sm_warp_end = END_STORES;
    for (uint8_t i = 0; i < 5; i++) {
        five.inst[i] = of_sources(INST_SP, 20, INST_NO_REG, INST_NO_REG);
        five.inst[i].dst = (uint8_t)(4 + i);
    }
    cr_expect_eq(cycles(&c, &none, 1, 1), 9);
    cr_expect_eq(cycles(&c, &five, 1, 1), 17);
    cr_expect_eq(cycles(&c, &five, 1, 2), 18);
    cr_expect_eq(cycles(&c, &five, 1, 8), 44);
}

/* A collector of each part: nothing overtakes, and nothing is stuck. */
Test(collectors, one_of_each_is_enough)
{
    struct config c = machine(1);
    const struct list l = {6,
                           {of_sources(INST_SFU, 4, 5, 6), of_sources(INST_SP, 4, 5, 6), inst_line(INST_LOAD, 2, 5),
                            inst_memory(INST_SHARED_LOAD, 3, 0, 4, 4), of_sources(INST_SFU, 2, 3, 1), store_of(1)}};
    c.sm_collectors_sp = c.sm_collectors_sfu = c.sm_collectors_mem = 1;
    struct outcome *o = run_list(&c, &l, 6, 8);
    cr_expect_eq(o->stats.gpu_warp_instructions, 6 * 8 * 7);
    free(o);
}
