/* SPDX-License-Identifier: Apache-2.0 */
/* Constant loads and the constant cache: hits, misses, merges, full MSHR files, LRU, divergent lanes, flushes, several
 * workloads. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

enum { ROOM = 16 };

/* The instructions of each warp; after them it exits. */
struct list {
    uint32_t count;
    struct inst inst[ROOM];
};

static struct inst from_list(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)block, (void)warp;
    const struct list *l = p->context;
    return n < l->count ? l->inst[n] : inst_exit();
}

static void add(struct list *l, struct inst i)
{
    cr_assert_lt(l->count, ROOM);
    l->inst[l->count++] = i;
}

/* All lanes read one word.  Every load writes r1, so that each waits for the one before. */
static void add_uniform(struct list *l, uint64_t at)
{
    add(l, inst_memory(INST_CONST_LOAD, 1, at, 0, 4));
}

static void add_strided(struct list *l, uint64_t at, uint32_t stride)
{
    add(l, inst_memory(INST_CONST_LOAD, 1, at, stride, 4));
}

/* A store of r1 tells when it is usable. */
static void add_use(struct list *l)
{
    struct inst i = inst_line(INST_STORE, INST_NO_REG, 1);
    i.src[0] = 1;
    add(l, i);
}

static struct list load_and_use(void)
{
    struct list l = {0};
    add_uniform(&l, 0);
    add_use(&l);
    return l;
}

static struct config machine(uint32_t bytes)
{
    struct config c = bench_config();
    struct error err = {0};
    c.constant_bytes = bytes;
    cr_assert(config_check(&c, &err), "%s", err.text);
    return c;
}

static struct outcome *run_kernels(const struct config *c, const struct list *l, uint32_t warps, uint32_t kernels)
{
    struct program p = program_of(1, warps, from_list);
    const struct fixed_memory m = bench_memory();
    p.context = l;
    p.kernels = kernels;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct stats run(const struct config *c, const struct list *l, uint32_t warps)
{
    struct outcome *o = run_kernels(c, l, warps, 1);
    const struct stats s = o->stats;
    free(o);
    return s;
}

/* Cycles from the issue of the first instruction, a constant load, to that of the store. */
static uint64_t cycles_to_use(const struct config *c, const struct list *l)
{
    struct outcome *o = run_kernels(c, l, 1, 1);
    const struct event *e = outcome_event(o, AT_COALESCER, 0);
    cr_assert_not_null(e);
    const uint64_t cycles = e->cycle;
    free(o);
    return cycles;
}

static void expect_counts(const struct stats *s, uint64_t hits, uint64_t misses, uint64_t merged)
{
    cr_expect_eq(s->constant_hits, hits, "%lu hits", s->constant_hits);
    cr_expect_eq(s->constant_misses, misses, "%lu misses", s->constant_misses);
    cr_expect_eq(s->constant_merged, merged, "%lu merged", s->constant_merged);
    cr_expect_eq(s->constant_accesses, hits + misses + merged);
    cr_expect_eq(s->constant_fills, misses);
}

Test(constant, without_a_cache_every_load_hits_in_a_cycle)
{
    struct config c = machine(0);
    struct list l = {0};
    add_strided(&l, 0, 4096);
    add_use(&l);
    c.constant_latency = 0;
    const uint64_t least = cycles_to_use(&c, &l);
    for (uint32_t latency = 1; latency < 60; latency += 13) {
        c.constant_latency = latency;
        cr_expect_eq(cycles_to_use(&c, &l), least + latency);
    }
    const struct stats s = run(&c, &l, 1);
    expect_counts(&s, 1, 0, 0);
    cr_expect_eq(s.gpu_constant_instructions, 1);
    cr_expect_eq(s.gpu_memory_instructions, 1, "the store alone");
    cr_expect_eq(s.l1d_accesses, 1, "the store alone");
}

Test(constant, a_hit_has_the_latency_and_a_miss_that_of_the_memory)
{
    struct config c = machine(1024);
    struct list first = load_and_use(), again = {0};
    add_uniform(&again, 0);
    add_uniform(&again, 32);
    add_use(&again);
    for (uint32_t latency = 2; latency < 90; latency += 20) {
        c.constant_latency = latency;
        const uint64_t miss = cycles_to_use(&c, &first), hit = cycles_to_use(&c, &again) - miss;
        cr_expect_eq(hit, latency + 1, "from issue to issue: %lu", hit);
        cr_expect_eq(miss, cycles_to_use(&c, &first));
        cr_expect(miss > bench_memory().latency && miss < bench_memory().latency + 10, "%lu", miss);
    }
    const struct stats s = run(&c, &again, 1);
    expect_counts(&s, 1, 1, 0);
}

/* The data of a miss never come before a hit would have had them. */
Test(constant, a_latency_above_that_of_the_memory_holds_for_a_miss)
{
    struct config c = machine(1024);
    struct list l = load_and_use();
    c.constant_latency = 0;
    const uint64_t miss = cycles_to_use(&c, &l);
    c.constant_latency = 900;
    cr_expect(cycles_to_use(&c, &l) > 900 && miss < 900);
}

Test(constant, lanes_of_a_warp_take_a_cycle_for_each_line)
{
    static const struct {
        uint32_t line_bytes, stride, lines;
    } cases[] = {{32, 4, 4}, {64, 4, 2}, {128, 4, 1}, {64, 64, 32}, {64, 32, 16}, {128, 32, 8}, {32, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config c = machine(8192);
        struct list once = {0}, twice = {0};
        c.constant_line_bytes = cases[i].line_bytes;
        add_strided(&once, 0, cases[i].stride);
        add_use(&once);
        add_strided(&twice, 0, cases[i].stride);
        add_strided(&twice, 0, cases[i].stride);
        add_use(&twice);
        const struct stats s = run(&c, &twice, 1);
        expect_counts(&s, cases[i].lines, cases[i].lines, 0);
        cr_expect_eq(cycles_to_use(&c, &twice) - cycles_to_use(&c, &once), c.constant_latency + cases[i].lines);
    }
}

Test(constant, an_element_may_touch_two_lines)
{
    const struct config c = machine(1024);
    struct list l = {0};
    add(&l, inst_memory(INST_CONST_LOAD, 1, 60, 0, 8));
    const struct stats s = run(&c, &l, 1);
    expect_counts(&s, 0, 2, 0);
}

Test(constant, warps_merge_with_a_miss)
{
    struct config c = machine(1024);
    struct list l = load_and_use();
    const struct stats s = run(&c, &l, 4);
    expect_counts(&s, 0, 1, 3);
    c.constant_mshr_slots = 2;
    const struct stats full = run(&c, &l, 4);
    cr_expect_eq(full.constant_misses, 1);
    cr_expect_eq(full.constant_merged, 1);
    cr_expect_eq(full.constant_hits, 2, "they wait, and hit");
    cr_expect(full.constant_rf_mshr_merge > 50 && !full.constant_rf_mshr_entry);
}

Test(constant, a_miss_without_an_entry_waits)
{
    struct config c = machine(1024);
    struct list l = {0};
    add_strided(&l, 0, 64); /* 32 lines; 16 fit */
    const struct stats few = run(&c, &l, 1);
    c.constant_mshr_entries = 32;
    const struct stats many = run(&c, &l, 1);
    expect_counts(&few, 0, 32, 0);
    expect_counts(&many, 0, 32, 0);
    cr_expect(few.constant_rf_mshr_entry > 1000 && !many.constant_rf_mshr_entry);
    cr_expect_eq(few.constant_evictions, 16);
    cr_expect_gt(few.gpu_cycles, 3 * many.gpu_cycles);
}

Test(constant, the_line_used_least_recently_is_replaced)
{
    const struct config c = machine(128); /* one set of two ways */
    struct list l = {0};
    const uint64_t order[] = {0, 64, 0, 128, 0, 64}; /* the fourth replaces the second's line */
    for (int i = 0; i < 6; i++) add_uniform(&l, order[i]);
    const struct stats s = run(&c, &l, 1);
    expect_counts(&s, 2, 4, 0);
    cr_expect_eq(s.constant_evictions, 2);
}

Test(constant, sets_are_indexed_by_the_low_bits)
{
    const struct config c = machine(256); /* two sets */
    struct list l = {0};
    const uint64_t order[] = {0, 64, 128, 192, 0, 64, 128, 192};
    for (int i = 0; i < 8; i++) add_uniform(&l, order[i]);
    const struct stats s = run(&c, &l, 1);
    expect_counts(&s, 4, 4, 0);
}

/* l1d.flush is of both caches. */
Test(constant, a_kernels_end_invalidates_the_lines)
{
    struct config c = machine(1024);
    struct list l = {0};
    add_uniform(&l, 0);
    for (int flush = 0; flush < 2; flush++) {
        c.l1d_flush = flush;
        struct outcome *o = run_kernels(&c, &l, 1, 3);
        expect_counts(&o->stats, flush ? 0 : 2, flush ? 3 : 1, 0);
        free(o);
    }
}

/* The collectors' cycles are a part of the latency. */
Test(constant, operand_collectors_are_part_of_the_latency)
{
    struct list l = load_and_use();
    struct config c = machine(0);
    c.l1d_latency_at = LATENCY_FRONT;
    c.constant_latency = 30;
    const uint64_t without = cycles_to_use(&c, &l);
    c.sm_reg_banks = 16;
    const uint64_t with = cycles_to_use(&c, &l);
    cr_expect(with + 1 >= without && with <= without + 1, "%lu with collectors, %lu without", with, without);
    c.constant_bytes = 1024;
    const struct stats s = run(&c, &l, 4);
    expect_counts(&s, 0, 1, 3);
}

/* The lines of a constant load are not those of a global one with the same addresses. */
Test(constant, constant_memory_has_addresses_of_its_own)
{
    struct config c = machine(1024);
    struct list l = {0};
    add_uniform(&l, 0x1000);
    add(&l, inst_memory(INST_LOAD, 2, 0x1000, 0, 4));
    struct program p = program_of(1, 1, from_list);
    p.context = &l;
    struct outcome *o = bench_run_real(&c, &p);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->stats.l2_misses, 2);
    cr_expect_eq(o->stats.xbar_requests, 2);
    cr_expect_eq(o->stats.l1d_misses, 1);
    free(o);
}

/* The L2 gets the bytes of a line. */
Test(constant, a_request_has_the_bytes_of_a_line)
{
    for (uint32_t bytes = 32; bytes <= 128; bytes *= 2) {
        struct config c = machine(8192);
        struct list l = {0};
        c.constant_line_bytes = bytes;
        c.l2_sector_bytes = 32;
        add_uniform(&l, 128 + bytes % 128);
        struct program p = program_of(1, 1, from_list);
        p.context = &l;
        struct outcome *o = bench_run_real(&c, &p);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.l2_accesses, bytes / 32, "%lu of %u bytes", o->stats.l2_accesses, bytes);
        cr_expect_eq(o->stats.dram_bytes, bytes);
        free(o);
    }
}

/* Workloads beside each other have constant memories of their own, and a kernel's end is its workload's. */
Test(constant, workloads_share_no_line)
{
    struct config c = machine(1024);
    struct list l = {0}, longer = {0};
    add_uniform(&l, 0);
    for (int i = 0; i < 8; i++) add_uniform(&longer, 0);
    struct program a = program_of(1, 1, from_list), b = program_of(1, 1, from_list);
    a.context = &l;
    b.context = &longer;
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){&a, &b}, 2, NULL, false);
    cr_assert(o->ok, "%s", o->err.text);
    expect_counts(&o->stats, 7, 2, 0);
    free(o);
}

/* A deadlock's message tells what waits. */
Test(constant, a_lost_answer_is_named)
{
    const struct config c = machine(1024);
    struct list l = load_and_use();
    struct program p = program_of(1, 1, from_list);
    struct fixed_memory m = bench_memory();
    p.context = &l;
    m.fault = FAULT_LOSE;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_not(o->ok);
    cr_expect(strstr(o->err.text, "; constant.0 has 1 misses in flight"), "%s", o->err.text);
    free(o);
}

Test(constant, an_answer_that_nothing_waits_for_is_an_error)
{
    const enum fault faults[] = {FAULT_TWICE, FAULT_OTHER_LINE};
    const struct config c = machine(1024);
    struct list l = {0};
    add_uniform(&l, 0);
    add_uniform(&l, 64);
    add_use(&l);
    for (int i = 0; i < 2; i++) {
        struct program p = program_of(1, 1, from_list);
        struct fixed_memory m = bench_memory();
        p.context = &l;
        m.fault = faults[i];
        struct outcome *o = bench_run(&c, &p, &m);
        cr_expect_not(o->ok);
        cr_expect(strstr(o->err.text, "constant.0: a response for line 0x"), "%s", o->err.text);
        free(o);
    }
}

Test(constant, works_beside_reordering_buffers_and_own_units)
{
    struct config c = machine(1024);
    struct list l = {0};
    add_strided(&l, 0, 64);
    add(&l, inst_memory(INST_LOAD, 2, 0x1000, 128, 4));
    add_strided(&l, 0, 64);
    add_use(&l);
    for (uint32_t input = 0; input < policies_of("L1D input"); input++)
        for (c.sm_sub_cores = 0; c.sm_sub_cores < 2; c.sm_sub_cores++) {
            c.l1d_input = input;
            const struct stats s = run(&c, &l, 6);
            cr_expect_eq(s.constant_accesses, 12 * 32);
            cr_expect_eq(s.l1d_accesses, 6 * 33);
        }
}
