/* SPDX-License-Identifier: Apache-2.0 */
/* l1d.replacement = pdp in the machine: which lines stay, which reads bypass, and the protecting distance; several
 * lines in a cycle, and writes that take a way. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/named.h"

enum { SETS = 32, WAYS = 4 };

static struct config with_pdp(uint32_t distance)
{
    struct config c = bench_config();
    c.l1d_replacement = REPLACEMENT("pdp");
    c.l1d_pdp_distance = distance;
    return c;
}

/* Warp `warp` reads line `line_of(n)` after its read n - 1 is back. */
struct reads {
    uint32_t count;
    uint64_t (*line_of)(uint32_t warp, uint32_t n);
};

static struct inst one_by_one(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct reads *r = p->context;
    (void)block;
    if (n == r->count) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, r->line_of(warp, n));
    i.src[0] = 1;
    return i;
}

static struct outcome *run_reads(const struct config *c, struct reads r, uint32_t warps)
{
    struct program p = program_of(1, warps, one_by_one);
    const struct fixed_memory m = bench_memory();
    p.context = &r;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static uint64_t new_lines_of_set_0(uint32_t warp, uint32_t n)
{
    (void)warp;
    return (uint64_t)n * SETS;
}

/* The first four reads take the ways.  Each line is protected until the eighth access after its own: the reads in
 * between bypass; then the lines are replaced one after the other. */
Test(pdp, a_set_of_protected_lines_is_bypassed_until_the_distance)
{
    const struct config c = with_pdp(8);
    struct outcome *o = run_reads(&c, (struct reads){12, new_lines_of_set_0}, 1);
    for (uint32_t i = 0; i < 4; i++) {
        const struct event *e = outcome_event(o, AT_L1D_BYPASS, i);
        cr_assert(e, "read %u does not bypass", WAYS + i);
        cr_expect_eq(e->r.line, (uint64_t)(WAYS + i) * SETS);
    }
    cr_expect_eq(o->stats.l1d_bypassed, 4);
    cr_expect_eq(o->stats.pdp_bypassed, 4);
    cr_expect_eq(o->stats.l1d_evictions, 4, "reads 8 to 11 replace lines 0 to 3");
    cr_expect_eq(o->stats.pdp_accesses, 12);
    free(o);
}

/* Eight lines in turn: with a distance of 8 four of them stay, and LRU loses all. */
static uint64_t eight_lines_of_set_0(uint32_t warp, uint32_t n)
{
    return new_lines_of_set_0(warp, n % 8);
}

/* Two distances of one access each. */
Test(pdp, the_smallest_sizes_are_allowed)
{
    struct config c = with_pdp(0);
    c.l1d_pdp_samples = 2;
    c.l1d_pdp_sample_every = c.l1d_pdp_step = 1;
    struct outcome *o = run_reads(&c, (struct reads){20, new_lines_of_set_0}, 1);
    free(o);
}

Test(pdp, lines_stay_for_their_reuse_where_lru_loses_them)
{
    const struct config lru = bench_config();
    struct outcome *l = run_reads(&lru, (struct reads){80, eight_lines_of_set_0}, 1);
    cr_expect_eq(l->stats.l1d_hits, 0);
    for (uint32_t distance = 7; distance <= 8; distance++) {
        const struct config c = with_pdp(distance);
        struct outcome *o = run_reads(&c, (struct reads){80, eight_lines_of_set_0}, 1);
        if (distance == 8) cr_expect_eq(o->stats.l1d_hits, 72 / 2, "of lines 0 to 3");
        if (distance == 7) cr_expect_eq(o->stats.l1d_hits, 0, "each line is lost an access before its reuse");
        free(o);
    }
    free(l);
}

/* The lines of one set that a warp may not replace yet are replaced without bypass: the youngest is. */
Test(pdp, without_bypass_the_youngest_line_is_replaced)
{
    struct config c = with_pdp(8);
    c.l1d_pdp_bypass = false;
    struct outcome *o = run_reads(&c, (struct reads){80, eight_lines_of_set_0}, 1);
    cr_expect_eq(o->stats.l1d_bypassed, 0);
    cr_expect_gt(o->stats.l1d_hits, 20, "%lu hits", o->stats.l1d_hits);
    free(o);
}

static uint64_t twelve_lines_a_set(uint32_t warp, uint32_t n)
{
    (void)warp;
    return n % (12 * SETS);
}

/* Every reuse is at distance 12. */
Test(pdp, the_computed_distance_is_that_of_the_reuses)
{
    struct config c = with_pdp(0), lru = bench_config();
    c.l1d_pdp_interval = 1000;
    struct outcome *o = run_reads(&c, (struct reads){6000, twelve_lines_a_set}, 1);
    struct outcome *l = run_reads(&lru, (struct reads){6000, twelve_lines_a_set}, 1);
    cr_expect_geq(o->stats.pdp_searches, 4);
    cr_expect_eq(o->stats.pdp_distance_sum, 12 * o->stats.pdp_searches);
    cr_expect_eq(o->stats.pdp_distance_changes, 1);
    cr_expect_eq(l->stats.l1d_hits, 0);
    cr_expect_gt(o->stats.l1d_hits, 1000, "%lu hits", o->stats.l1d_hits);
    cr_expect_gt(o->stats.pdp_found, 0);
    free(o);
    free(l);
}

static uint64_t what_fits(uint32_t warp, uint32_t n)
{
    (void)warp;
    return n % (WAYS * SETS);
}

Test(pdp, lines_that_fit_all_hit_and_none_bypasses)
{
    const struct config c = with_pdp(0);
    struct outcome *o = run_reads(&c, (struct reads){1000, what_fits}, 1);
    cr_expect_eq(o->stats.l1d_misses, WAYS * SETS);
    cr_expect_eq(o->stats.l1d_hits, 1000 - WAYS * SETS);
    cr_expect_eq(o->stats.l1d_bypassed, 0);
    free(o);
}

/* Of several warps: ways with outstanding misses are not replaced, and a set of them stalls no read. */
static uint64_t own_lines_of_set_0(uint32_t warp, uint32_t n)
{
    return new_lines_of_set_0(warp, 100 * warp + n % 3);
}

Test(pdp, a_set_with_outstanding_misses_is_bypassed)
{
    const struct config c = with_pdp(1), lru = bench_config();
    struct outcome *o = run_reads(&c, (struct reads){10, own_lines_of_set_0}, 12);
    struct outcome *l = run_reads(&lru, (struct reads){10, own_lines_of_set_0}, 12);
    cr_expect_gt(l->stats.l1d_rf_line, 0);
    cr_expect_eq(o->stats.l1d_rf_line, 0);
    cr_expect_gt(o->stats.pdp_bypassed, 0);
    free(o);
    free(l);
}

static uint64_t mixed(uint32_t warp, uint32_t n)
{
    return (n * 7 + warp * 5) % 600 + (n % 3 ? 0 : 10000 * (warp + 1) + n);
}

Test(pdp, the_same_counters_when_time_is_skipped)
{
    for (uint32_t i = 0; i < 12; i++) {
        struct config c = with_pdp(i % 3 ? 0 : 5 * i);
        c.l1d_mshr_kind = i / 6;
        c.l1d_pdp_bypass = i % 4 != 3;
        c.l1d_alloc = c.l1d_pdp_bypass ? ALLOC_ON_MISS : ALLOC_ON_FILL;
        c.l1d_pdp_interval = 50 + 30 * i;
        c.l1d_pdp_rpd_bits = 2 + i % 6;
        c.l1d_bypass_slots = 1 + i;
        c.l1d_write = i % 2;
        struct outcome *skipped = run_reads(&c, (struct reads){400, mixed}, 16);
        c.sim_skip = false;
        struct outcome *ticked = run_reads(&c, (struct reads){400, mixed}, 16);
        cr_expect_gt(skipped->stats.pdp_searches, 0);
        cr_expect_eq(skipped->stats.pdp_bypassed > 0, c.l1d_pdp_bypass, "case %u", i);
        cr_expect_arr_eq(&skipped->stats, &ticked->stats, sizeof skipped->stats, "case %u", i);
        free(skipped);
        free(ticked);
    }
}

static struct inst read_write_read(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    struct inst i = inst_line(n % 3 == 1 ? INST_STORE : INST_LOAD, n % 3 == 1 ? INST_NO_REG : 1, n / 3 % 2 * SETS);
    i.src[0] = 1;
    return n < 60 ? i : inst_exit();
}

/* Reads count and no write does, whether it evicts its line or not. */
Test(pdp, writes_do_not_count)
{
    for (uint32_t write = 0; write < 2; write++) {
        struct config c = with_pdp(0);
        struct program p = program_of(1, 1, read_write_read);
        const struct fixed_memory m = bench_memory();
        c.l1d_write = write;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.pdp_accesses, 40);
        cr_expect_eq(o->stats.l1d_writes, 20);
        free(o);
    }
}

/* ---- Several lines a cycle, and writes that take a way. ---- */

/* One set.  Each cycle looks up sectors of up to four lines; `banks` = 0: one access a cycle. */
static struct config one_set(uint32_t banks, uint32_t ways, uint32_t distance)
{
    struct config c = with_pdp(distance);
    bench_bank(&c, banks);
    c.l1d_sets = 1;
    c.l1d_ways = ways;
    c.l1d_pdp_sampled_sets = 1;
    c.l1d_write = WRITE_THROUGH;
    c.l1d_write_miss = L1_WRITE_WORDS;
    return c;
}

static struct outcome *run_program(const struct config *c, struct program p)
{
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* Lanes 0 to 11 access a line each, every instruction the lines from another one on; one in five writes. */
static struct inst several_lines(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 60) return inst_exit();
    const bool write = n % 5 == 4;
    struct inst i = inst_memory(write ? INST_STORE : INST_LOAD, write ? INST_NO_REG : 1,
                                (uint64_t)(n % 7 * 3) << LINE_SHIFT, LINE_BYTES + 4, 4);
    i.src[0] = 1;
    i.mask = 0xfff;
    return i;
}

/* Lines and outcomes of the accesses in their order, as text. */
static void history_of(const struct outcome *o, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < o->events && used + 32 < size; i++) {
        const enum place place = o->event[i].place;
        const char how = place == AT_L1D_HIT ? 'h' : place == AT_L1D_MISS ? 'm' : place == AT_L1D_BYPASS ? 'b' : 'w';
        if (how == 'w' && place != AT_L1D_WRITE) continue;
        used += (size_t)snprintf(text + used, size - used, "%c%lu ", how, o->event[i].r.line);
    }
}

/* The lines of a cycle have the effects of as many cycles: the same reads hit, miss and bypass in the same order. */
Test(pdp, lines_of_one_cycle_come_one_after_the_other)
{
    static const uint32_t distances[] = {1, 6, 13, 40};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        char once[20000], together[20000];
        const struct config c = one_set(0, 13, distances[i]), b = one_set(32, 13, distances[i]);
        struct outcome *o = run_program(&c, program_of(1, 1, several_lines));
        struct outcome *t = run_program(&b, program_of(1, 1, several_lines));
        history_of(o, once, sizeof once);
        history_of(t, together, sizeof together);
        cr_expect_str_eq(together, once, "distance %u", distances[i]);
        cr_expect_eq(t->stats.pdp_accesses, 60 * 12);
        cr_expect_eq(t->stats.pdp_sampled, o->stats.pdp_sampled);
        cr_expect_eq(t->stats.pdp_found, o->stats.pdp_found);
        cr_expect_eq(t->stats.l1d_evictions, o->stats.l1d_evictions);
        cr_expect_lt(t->stats.gpu_cycles, o->stats.gpu_cycles);
        free(o);
        free(t);
    }
}

/* Four lines a cycle; each is reused after twelve accesses. */
static struct inst twelve_lines_in_turn(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    struct inst i = inst_memory(INST_LOAD, 1, (uint64_t)(n % 3 * 4) << LINE_SHIFT, LINE_BYTES + 4, 4);
    i.src[0] = 1;
    i.mask = 0xf;
    return n < 900 ? i : inst_exit();
}

Test(pdp, the_computed_distance_is_that_of_the_reuses_with_banks)
{
    struct config c = one_set(32, 4, 0);
    c.l1d_pdp_interval = 400;
    struct outcome *o = run_program(&c, program_of(1, 1, twelve_lines_in_turn));
    cr_expect_eq(o->stats.pdp_accesses, 3600);
    cr_expect_geq(o->stats.pdp_searches, 4);
    cr_expect_eq(o->stats.pdp_distance_sum, 12 * o->stats.pdp_searches);
    free(o);
}

/* Whole lines, whose four sectors are looked up together: `text` has an instruction in two characters, "rA" a read of
 * line A, "wB" a write of line B. */
static struct inst whole_lines(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const char *text = (const char *)p->context + 2 * n;
    (void)block, (void)warp;
    if (n == strlen(p->context) / 2) return inst_exit();
    const bool write = text[0] == 'w';
    struct inst i =
        inst_memory(write ? INST_STORE : INST_LOAD, write ? INST_NO_REG : 1, (uint64_t)text[1] << LINE_SHIFT, 4, 4);
    i.src[0] = 1;
    return i;
}

static struct outcome *run_lines(const struct config *c, const char *text)
{
    struct program p = program_of(1, 1, whole_lines);
    p.context = text;
    return run_program(c, p);
}

/* One way, which holds line A for a reuse at distance 2.  All four sectors of B bypass.  They are one access between
 * the reads of A, so A is hit.  Then C bypasses, and D replaces A. */
Test(pdp, sectors_of_a_line_are_one_access_with_one_decision)
{
    const struct config c = one_set(32, 1, 2);
    struct outcome *o = run_lines(&c, "rArBrArCrD");
    cr_expect_eq(o->stats.pdp_accesses, 5);
    cr_expect_eq(o->stats.pdp_bypassed, 2, "lines B and C");
    cr_expect_eq(o->stats.l1d_bypassed, 8, "their sectors");
    cr_expect_eq(o->stats.l1d_hits, 4, "A");
    cr_expect_eq(o->stats.l1d_misses, 8, "A and D");
    cr_expect_eq(o->stats.l1d_sector_misses, 6);
    cr_expect_eq(o->stats.l1d_evictions, 1);
    free(o);
}

static void expect_lines(const struct config *c, const char *text, uint32_t hits, uint32_t evictions, uint32_t around)
{
    struct outcome *o = run_lines(c, text);
    const uint64_t sectors = c->l1d_sector_bytes ? 4 : 1;
    cr_expect_eq(o->stats.l1d_hits, sectors * hits, "%s: %lu hits", text, o->stats.l1d_hits);
    cr_expect_eq(o->stats.l1d_evictions, evictions, "%s: %lu evictions", text, o->stats.l1d_evictions);
    cr_expect_eq(o->stats.l1d_writes_around, sectors * around, "%s: %lu around", text, o->stats.l1d_writes_around);
    cr_expect_eq(o->stats.pdp_accesses, c->l1d_banks ? strlen(text) / 2 : sectors * strlen(text) / 2, "%s", text);
    free(o);
}

/* One way and a distance of 3, with banks and without. */
Test(pdp, a_write_that_takes_a_way_is_an_access)
{
    for (uint32_t banked = 0; banked < 2; banked++) {
        struct config c = one_set(banked ? 32 : 0, 1, 3);
        if (!banked) {
            c.sm_coalesce = COALESCE_LINE;
            c.l1d_sector_bytes = 0;
        }
        expect_lines(&c, "wArA", 1, 0, 0);
        expect_lines(&c, "wArBrA", 1, 0, 0);       /* A is protected as a line that a read fetched */
        expect_lines(&c, "rAwBrA", 1, 0, 1);       /* the write of B takes no way */
        expect_lines(&c, "rArBwCrD", 0, 1, 1);     /* and is an access to the set: D replaces A */
        expect_lines(&c, "rArBwArBrArC", 1, 0, 0); /* the write of A is its reuse: B, A, C find it protected */
        c.l1d_pdp_bypass = false;
        expect_lines(&c, "rAwBrB", 1, 1, 0);
        c.l1d_pdp_bypass = true;
        c.l1d_write_miss = L1_WRITE_NONE;
        struct outcome *o = run_lines(&c, "rAwBwArA");
        cr_expect_eq(o->stats.pdp_accesses, 2, "a write that takes no way is none");
        cr_expect_eq(o->stats.l1d_writes_around, 0);
        free(o);
    }
}

/* Loads and stores of a lane, of several lines and of whole ones. */
static struct inst of_all_kinds(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (n == 150) return inst_exit();
    const bool write = n % 4 == 3;
    const uint32_t stride = n % 3 == 0 ? 4 : n % 3 == 1 ? LINE_BYTES + 4 : 2 * LINE_BYTES;
    struct inst i = inst_memory(write ? INST_STORE : INST_LOAD, write ? INST_NO_REG : (uint8_t)(1 + n % 3),
                                mixed(warp, n) << LINE_SHIFT, stride, 4);
    if (n % 5 == 0) i.mask = 0xff << n % 7;
    return i;
}

Test(pdp, the_same_counters_when_time_is_skipped_with_banks_and_writes)
{
    uint64_t around = 0, bypassed = 0;
    for (uint32_t i = 0; i < 24; i++) {
        struct config c = one_set(i % 3 ? 8u << i % 3 : 0, 1 + i % 6, i % 4 ? 0 : 5 * i);
        c.l1d_sets = 8;
        c.l1d_pdp_interval = 50 + 30 * i;
        c.l1d_mshr_kind = MISS_FILE(i & 1 ? "dl_mshr" : "mshr");
        c.l1d_pdp_bypass = i % 8 != 7;
        c.l1d_write_miss = i % 5 % 3;
        c.l1d_bypass_slots = 8 + i;
        c.l1d_bypass_on_stall = i & 2 ? ON_STALL("any") : ON_STALL("off");
        c.l1d_latency_at = i & 4 ? LATENCY_FRONT : LATENCY_BEHIND;
        if (i % 6 == 4) {
            c.l1d_bank_bytes = SECTOR_BYTES;
            c.l1d_bank_pipelines = true;
        }
        struct outcome *skipped = run_program(&c, program_of(3, 6, of_all_kinds));
        c.sim_skip = false;
        struct outcome *ticked = run_program(&c, program_of(3, 6, of_all_kinds));
        cr_expect_arr_eq(&skipped->stats, &ticked->stats, sizeof skipped->stats, "case %u", i);
        cr_expect_gt(ticked->stats.pdp_searches, 0, "case %u", i);
        around += ticked->stats.l1d_writes_around;
        bypassed += ticked->stats.pdp_bypassed;
        free(skipped);
        free(ticked);
    }
    cr_expect(around > 0 && bypassed > 0, "%lu around, %lu bypassed", around, bypassed);
}
