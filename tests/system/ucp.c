/* SPDX-License-Identifier: Apache-2.0 */
/* l1d.replacement = ucp: the ways of an L1D between the workloads that share it. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

enum { SETS = 4, WAYS = 4 };

/* One warp reads `lines` lines of one set, cyclically. */
struct loop {
    uint32_t lines, reads;
};

static struct inst loops(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct loop *l = p->context;
    (void)block, (void)warp;
    if (n == 2 * l->reads) return inst_exit();
    return n % 2 ? inst_of(INST_SP, 2, 1) : inst_line(INST_LOAD, 1, (uint64_t)SETS * (n / 2 % l->lines));
}

/* Never the same line again. */
static struct inst streams(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct loop *l = p->context;
    (void)block;
    if (n == 2 * l->reads) return inst_exit();
    return n % 2 ? inst_of(INST_SP, 2, 1) : inst_line(INST_LOAD, 1, (uint64_t)SETS * (100 + 1000 * warp + n / 2));
}

static struct config machine(const char *replacement)
{
    struct config c = bench_config();
    c.l1d_replacement = REPLACEMENT(replacement);
    c.l1d_sets = SETS;
    c.l1d_ways = WAYS;
    c.l1d_ucp_sampled_sets = 4;
    c.l1d_ucp_period = 500;
    return c;
}

static struct outcome *run(const struct config *c, const struct program *a, const struct program *b)
{
    const struct fixed_memory m = {.latency = 20, .depth = 64, .interval = 1};
    struct outcome *o = bench_run_beside(c, (const struct program *const[]){a, b}, 2, &m, c->cke_cycles != 0);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* A loop of three lines and streams: with LRU the streams push the loop out, with ucp they have one way. */
Test(ucp, a_stream_keeps_one_way_and_a_loop_its_lines)
{
    const struct loop few = {.lines = 3, .reads = 600}, many = {.reads = 600};
    struct program a = program_of(1, 1, loops), b = program_of(1, 8, streams);
    a.context = &few;
    b.context = &many;
    struct config c = machine("lru"), u = machine("ucp");
    struct outcome *lru = run(&c, &a, &b), *ucp = run(&u, &a, &b);
    cr_expect_eq(ucp->stats.ucp_ways0, 3, "%lu", ucp->stats.ucp_ways0);
    cr_expect_eq(ucp->stats.ucp_ways1, 1);
    cr_expect_geq(ucp->stats.ucp_allocations, 2);
    cr_expect_geq(ucp->stats.ucp_changes, 1);
    cr_expect_gt(ucp->stats.ucp_found, 100);
    cr_expect_geq(ucp->stats.ucp_taken_over, 1, "the loop gets its third way from the stream");
    cr_expect_gt(ucp->of[0].l1d_hits, 2 * lru->of[0].l1d_hits + 100, "%lu hits, %lu with lru", ucp->of[0].l1d_hits,
                 lru->of[0].l1d_hits);
    cr_expect_gt(ucp->of[1].l1d_rf, 0, "the stream waits for its own way");
    cr_expect_eq(lru->stats.ucp_sampled, 0);
    free(lru);
    free(ucp);
}

/* The same loops: even ways, and the run is that of two halves. */
Test(ucp, equals_share_the_ways)
{
    const struct loop loop = {.lines = 2, .reads = 400};
    struct program a = program_of(1, 1, loops), b = program_of(1, 1, loops);
    a.context = b.context = &loop;
    const struct config u = machine("ucp");
    struct outcome *o = run(&u, &a, &b);
    cr_expect_eq(o->stats.ucp_ways0, 2);
    cr_expect_eq(o->stats.ucp_ways1, 2);
    cr_expect_eq(o->stats.ucp_changes, 0);
    cr_expect_eq(o->stats.l1d_misses, 4, "each line once");
    free(o);
}

/* A kernel's end empties its workload's stacks: nothing is found in the next kernel that was not read in it. */
Test(ucp, the_next_kernel_starts_with_empty_stacks)
{
    for (uint32_t flush = 0; flush < 2; flush++) {
        const struct loop once = {.lines = 3, .reads = 3}, other = {.lines = 1, .reads = 400};
        struct program a = program_of(1, 1, loops), b = program_of(1, 1, loops);
        a.context = &once;
        a.kernels = 4;
        b.context = &other;
        struct config u = machine("ucp");
        u.l1d_flush = flush;
        struct outcome *o = run(&u, &a, &b);
        cr_expect_eq(o->stats.ucp_found, flush ? 399 : 399 + 9, "%lu", o->stats.ucp_found);
        free(o);
    }
}

static struct inst mixed(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct loop *l = p->context;
    const uint64_t line = (block * 7 + warp * 3 + n * n) % l->lines;
    if (n == l->reads) return inst_exit();
    if (n % 7 == 6) return inst_line(INST_STORE, INST_NO_REG, line);
    return n % 3 == 2 ? inst_of(INST_SP, 2, 1) : inst_line(INST_LOAD, (uint8_t)(n % 4), line);
}

static void expect_equal(const struct outcome *a, const struct outcome *b, uint32_t i)
{
#define STAT(field, name, text) cr_expect_eq(a->stats.field, b->stats.field, "case %u: " name, i);
#include "system/stats/stats.def"
#undef STAT
}

Test(ucp, skipped_cycles_change_no_counter)
{
    for (uint32_t i = 0; i < 32; i++) {
        const struct loop first = {.lines = 9 + i, .reads = 70}, second = {.lines = 60, .reads = 50};
        struct program a = program_of(12, 4, mixed), b = program_of(8, 4, i % 2 ? mixed : streams);
        struct config c = machine("ucp");
        a.context = &first;
        b.context = &second;
        a.kernels = 1 + i % 3;
        c.sm_count = 1 + i % 2;
        c.cke_cycles = i % 3 ? 4000 : 0;
        c.l1d_ways = 2 + i % 5;
        c.l1d_ucp_period = 16 + 37 * i;
        c.l1d_ucp_sampled_sets = 1u << i % 3;
        c.l1d_alloc = i & 4 ? ALLOC_ON_FILL : ALLOC_ON_MISS;
        c.l1d_write = i & 8 ? WRITE_THROUGH : WRITE_EVICT;
        c.l1d_mshr_kind = MISS_FILE(i & 16 ? "dl_mshr" : "mshr");
        c.l1d_flush = i % 5 != 0;
        struct outcome *skipped = run(&c, &a, &b);
        c.sim_skip = false;
        struct outcome *ticked = run(&c, &a, &b);
        expect_equal(skipped, ticked, i);
        cr_expect_gt(ticked->stats.ucp_allocations, 0);
        free(skipped);
        free(ticked);
    }
}

/* Beside the other blocks of an L1D. */
Test(ucp, goes_with_bypasses_and_reordering)
{
    for (uint32_t i = 0; i < 6; i++) {
        const struct loop loop = {.lines = 30, .reads = 60};
        struct program a = program_of(6, 4, mixed), b = program_of(6, 4, mixed);
        struct config c = machine("ucp");
        a.context = b.context = &loop;
        c.l1d_input = L1D_INPUT(i & 1 ? "mrpb" : "fifo");
        c.l1d_bypass_mode = i & 2 ? L1D_BYPASS("stream") : L1D_BYPASS("off");
        c.l1d_stream_period = 100;
        c.l1d_stream_min_accesses = 4;
        c.l1d_bypass_on_stall = i & 4 ? ON_STALL("way") : ON_STALL("off");
        struct outcome *skipped = run(&c, &a, &b);
        c.sim_skip = false;
        struct outcome *ticked = run(&c, &a, &b);
        expect_equal(skipped, ticked, i);
        free(skipped);
        free(ticked);
    }
}

static void check_refused(struct config c, uint32_t workloads, const char *expected)
{
    const struct loop loop = {.lines = 1, .reads = 1};
    struct program p = program_of(1, 1, loops);
    p.context = &loop;
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){&p, &p, &p}, workloads, NULL, false);
    cr_expect(!o->ok);
    cr_expect_str_eq(o->err.text, expected);
    free(o);
}

Test(ucp, what_cannot_be_is_refused)
{
    struct config c = machine("ucp");
    check_refused(c, 1, "l1d.replacement: found ucp with one workload, allowed with it: 2 to 4 that share an L1D");
    c.l1d_ways = 2;
    check_refused(c, 3, "l1d.replacement: found ucp with l1d.ways = 2 and 3 workloads, allowed with it: a way each");
}
