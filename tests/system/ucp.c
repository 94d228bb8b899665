/* SPDX-License-Identifier: Apache-2.0 */
/* l1d.replacement = ucp: the ways of an L1D between the workloads that share it; several lines in a cycle, and writes
 * that take a way. */
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

/* The ticked run's number of allocations. */
static uint64_t expect_same_ticked(struct config c, const struct program *a, const struct program *b, uint32_t i)
{
    struct outcome *skipped = run(&c, a, b);
    c.sim_skip = false;
    struct outcome *ticked = run(&c, a, b);
#define STAT(field, name, text) cr_expect_eq(skipped->stats.field, ticked->stats.field, "case %u: " name, i);
#include "system/stats/stats.def"
#undef STAT
    const uint64_t allocations = ticked->stats.ucp_allocations;
    free(skipped);
    free(ticked);
    return allocations;
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
        cr_expect_gt(expect_same_ticked(c, &a, &b, i), 0);
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
        expect_same_ticked(c, &a, &b, i);
    }
}

/* ---- Several lines a cycle, and writes that take a way. ---- */

static struct config sectored(const char *replacement, uint32_t banks)
{
    struct config c = machine(replacement);
    bench_bank(&c, banks);
    c.l1d_write = WRITE_THROUGH;
    c.l1d_write_miss = L1_WRITE_WORDS;
    return c;
}

/* Lines of one set that are looked up together: three lanes read the lines of a loop. */
static struct inst loops_at_once(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct loop *l = p->context;
    (void)block, (void)warp;
    if (n == 2 * l->reads) return inst_exit();
    struct inst i = inst_memory(INST_LOAD, 1, 0, SETS * LINE_BYTES + 4, 4);
    i.mask = (1u << l->lines) - 1;
    return n % 2 ? inst_of(INST_SP, 2, 1) : i;
}

/* Never the same line again: four lanes write one each. */
static struct inst writes_stream(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct loop *l = p->context;
    const uint64_t line = SETS * (100 + 10000 * warp + 4 * (uint64_t)n);
    (void)block;
    if (n == l->reads) return inst_exit();
    struct inst i = inst_memory(INST_STORE, INST_NO_REG, line << LINE_SHIFT, SETS * LINE_BYTES + 4, 4);
    i.mask = 0xf;
    return i;
}

/* With lru the written lines push the loop out; with ucp they have one way, and the loop keeps its three lines. */
Test(ucp, lines_that_are_written_have_the_ways_of_their_workload)
{
    for (uint32_t banks = 0; banks <= 32; banks += 32) {
        const struct loop few = {.lines = 3, .reads = 600}, many = {.reads = 600};
        struct program a = program_of(1, 1, loops_at_once), b = program_of(1, 8, writes_stream);
        a.context = &few;
        b.context = &many;
        struct config c = sectored("lru", banks), u = sectored("ucp", banks);
        struct outcome *lru = run(&c, &a, &b), *ucp = run(&u, &a, &b);
        cr_expect_eq(ucp->stats.ucp_ways0, 3, "%u banks: %lu", banks, ucp->stats.ucp_ways0);
        cr_expect_eq(ucp->stats.ucp_ways1, 1);
        cr_expect_gt(ucp->stats.ucp_allocations, 2);
        cr_expect_eq(ucp->stats.ucp_sampled, 3 * 600 + 4 * 8 * 600, "each line of a cycle, read or written");
        cr_expect_eq(ucp->stats.ucp_found, 3 * 599, "the lines of the loop");
        cr_expect_geq(ucp->of[0].l1d_hits, 3 * 600 - 100, "%u banks: %lu hits", banks, ucp->of[0].l1d_hits);
        cr_expect_lt(lru->of[0].l1d_hits, ucp->of[0].l1d_hits - 200, "%u banks: %lu hits with lru", banks,
                     lru->of[0].l1d_hits);
        free(lru);
        free(ucp);
    }
}

/* Whole lines, four sectors each, that are looked up together. */
static struct inst whole_lines(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct loop *l = p->context;
    (void)block, (void)warp;
    if (n == 2 * l->reads) return inst_exit();
    const uint64_t line = (uint64_t)SETS * (n / 2 % l->lines);
    return n % 2 ? inst_of(INST_SP, 2, 1) : inst_memory(INST_LOAD, 1, line << LINE_SHIFT, 4, 4);
}

Test(ucp, sectors_of_a_line_are_one_access)
{
    const struct loop loop = {.lines = 2, .reads = 100};
    struct program a = program_of(1, 1, whole_lines), b = program_of(1, 1, whole_lines);
    a.context = b.context = &loop;
    const struct config u = sectored("ucp", 32);
    struct outcome *o = run(&u, &a, &b);
    cr_expect_eq(o->stats.ucp_sampled, 200, "%lu", o->stats.ucp_sampled);
    cr_expect_eq(o->stats.ucp_found, 196);
    cr_expect_eq(o->stats.l1d_hits, 4 * 196);
    free(o);
}

/* Loads and stores of a lane, of several lines and of whole ones. */
static struct inst of_all_kinds(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct loop *l = p->context;
    const uint64_t line = (block * 7 + warp * 3 + n * n) % l->lines;
    if (n == l->reads) return inst_exit();
    const bool write = n % 4 == 3;
    struct inst i = inst_memory(write ? INST_STORE : INST_LOAD, write ? INST_NO_REG : (uint8_t)(1 + n % 3),
                                line << LINE_SHIFT, n % 3 ? LINE_BYTES + 4 : 4, 4);
    if (n % 5 < 3) i.mask = 0xff << n % 7;
    return i;
}

Test(ucp, skipped_cycles_change_no_counter_with_banks_and_writes)
{
    for (uint32_t i = 0; i < 24; i++) {
        const struct loop first = {.lines = 9 + i, .reads = 70}, second = {.lines = 60, .reads = 50};
        struct program a = program_of(12, 4, of_all_kinds), b = program_of(8, 4, of_all_kinds);
        struct config c = sectored("ucp", i % 3 ? 8u << i % 3 : 0);
        a.context = &first;
        b.context = &second;
        a.kernels = 1 + i % 3;
        c.sm_count = 1 + i % 2;
        c.cke_cycles = i % 3 ? 4000 : 0;
        c.l1d_ways = 2 + i % 5;
        c.l1d_ucp_period = 16 + 37 * i;
        c.l1d_ucp_sampled_sets = 1u << i % 3;
        c.l1d_write_miss = i % 5 % 3;
        c.l1d_mshr_kind = MISS_FILE(i & 1 ? "dl_mshr" : "mshr");
        c.l1d_flush = i % 5 != 0;
        c.l1d_latency_at = i & 4 ? LATENCY_FRONT : LATENCY_BEHIND;
        if (i % 6 == 4) {
            c.l1d_bank_bytes = SECTOR_BYTES;
            c.l1d_bank_pipelines = true;
        }
        cr_expect_gt(expect_same_ticked(c, &a, &b, i), 0);
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
