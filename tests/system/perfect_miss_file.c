/* SPDX-License-Identifier: Apache-2.0 */
/* The perfect miss file: the conventional one at any size, and one whose entries share all slots. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "system/bench.h"
#include "system/cache/miss_file.h"
#include "system/named.h"

struct file {
    struct env env;
    struct config c;
    struct miss_file *f;
    struct miss_answer answer;
    struct miss_drain drain;
    struct error err;
};

static void start(struct file *b, const char *kind, uint32_t entries, uint32_t slots, bool shared)
{
    *b = (struct file){.c = {.l2_mshr_kind = MISS_FILE(kind),
                             .l2_mshr_entries = entries,
                             .l2_mshr_slots = slots,
                             .l2_perfect_entries = entries,
                             .l2_perfect_slots = slots,
                             .l2_perfect_shared = shared,
                             .l2_mshr_data_bits = 1024}};
    b->env = (struct env){.config = &b->c};
    b->f = miss_file_create(&b->env, MISS_L2, "l2.0", &b->err);
    cr_assert_not_null(b->f, "%s", b->err.text);
}

static enum mshr_result request(struct file *b, uint64_t line, uint32_t info)
{
    miss_file_begin(b->f, true, &b->answer, &b->drain);
    cr_assert(miss_file_request(b->f, line, info, info % 2, &b->answer));
    cr_assert(miss_file_end(b->f, &b->err), "%s", b->err.text);
    cr_assert(b->answer.valid, "it answers at once");
    return b->answer.result;
}

static void fill(struct file *b, uint64_t line)
{
    miss_file_begin(b->f, true, &b->answer, &b->drain);
    cr_assert(miss_file_fill(b->f, line));
    cr_assert(miss_file_end(b->f, &b->err), "%s", b->err.text);
}

/* The slot that drains must be this request's. */
static void expect_drain(struct file *b, uint64_t line, uint32_t info, bool last)
{
    miss_file_begin(b->f, true, &b->answer, &b->drain);
    cr_assert(miss_file_end(b->f, &b->err), "%s", b->err.text);
    cr_assert(b->drain.valid && b->drain.line == line && b->drain.info == info && b->drain.write == info % 2);
    cr_assert_eq(b->drain.last, last);
}

/* ---- beside the conventional file */

enum { LINES = 12, ENTRIES = 4, SLOTS = 3 };

struct stimulus {
    bool drain_ready, write;
    uint64_t fill, request; /* lines, or 0 */
    uint32_t info;
};

static struct stimulus random_stimulus(struct rng *r, const uint32_t *in_flight, uint32_t n)
{
    struct stimulus s = {.drain_ready = rng_below(r, 4) > 0, .write = rng_below(r, 2), .info = n & 0xffffff};
    const uint64_t back = 1 + rng_below(r, LINES);
    if (rng_below(r, 3) == 0 && in_flight[back]) s.fill = back;
    if (rng_below(r, 4)) s.request = 1 + rng_below(r, LINES);
    return s;
}

/* True if the fill was taken. */
static bool drive(struct file *b, const struct stimulus *s)
{
    miss_file_begin(b->f, s->drain_ready, &b->answer, &b->drain);
    const bool filled = s->fill && miss_file_fill(b->f, s->fill);
    if (s->request) cr_assert(miss_file_request(b->f, s->request, s->info, s->write, &b->answer));
    cr_assert(miss_file_end(b->f, &b->err), "%s", b->err.text);
    return filled;
}

static void expect_same(const struct file *a, const struct file *b, uint32_t n)
{
    cr_assert_eq(a->answer.valid, b->answer.valid);
    if (a->answer.valid)
        cr_assert_eq(a->answer.result, b->answer.result, "cycle %u: %u, perfect %u", n, a->answer.result,
                     b->answer.result);
    cr_assert_eq(a->drain.valid, b->drain.valid);
    if (a->drain.valid)
        cr_assert(a->drain.line == b->drain.line && a->drain.info == b->drain.info &&
                  a->drain.write == b->drain.write && a->drain.last == b->drain.last);
    cr_assert_eq(miss_file_used_slots(a->f), miss_file_used_slots(b->f));
    cr_assert_eq(miss_file_changed(a->f), miss_file_changed(b->f), "cycle %u", n);
}

Test(perfect_miss_file, is_the_conventional_file_where_that_has_its_size)
{
    struct file mshr, perfect;
    struct rng r;
    uint32_t in_flight[LINES + 1] = {0}, results[8] = {0};
    rng_seed(&r, 1);
    start(&mshr, "mshr", ENTRIES, SLOTS, false);
    start(&perfect, "perfect", ENTRIES, SLOTS, false);
    for (uint32_t n = 0; n < 50000; n++) {
        const struct stimulus s = random_stimulus(&r, in_flight, n);
        const bool filled = drive(&mshr, &s);
        cr_assert_eq(drive(&perfect, &s), filled);
        expect_same(&mshr, &perfect, n);
        if (filled) in_flight[s.fill] = 0;
        if (mshr.answer.valid) results[mshr.answer.result]++;
        if (mshr.answer.valid && mshr.answer.result <= MSHR_SECONDARY) in_flight[s.request] = 1;
    }
    for (enum mshr_result i = MSHR_PRIMARY; i <= MSHR_RF_DRAIN; i++) cr_expect_gt(results[i], 100, "result %u", i);
    miss_file_destroy(mshr.f);
    miss_file_destroy(perfect.f);
}

/* ---- its own */

/* More entries and slots than the block mshr can have. */
Test(perfect_miss_file, has_any_size)
{
    struct file b;
    start(&b, "perfect", 600, 100, false);
    for (uint32_t i = 0; i < 600; i++) cr_assert_eq(request(&b, 64 * i, i), MSHR_PRIMARY);
    cr_assert_eq(request(&b, 64 * 600, 600), MSHR_RF_ENTRY);
    for (uint32_t i = 1; i < 100; i++) cr_assert_eq(request(&b, 64, i), MSHR_SECONDARY);
    cr_assert_eq(request(&b, 64, 100), MSHR_RF_MERGE);
    fill(&b, 64);
    for (uint32_t i = 0; i < 100; i++) expect_drain(&b, 64, i ? i : 1, i == 99);
    cr_assert_eq(miss_file_used_slots(b.f), 599);
    miss_file_destroy(b.f);
}

Test(perfect_miss_file, shares_its_slots_between_lines_if_asked_for)
{
    struct file b;
    for (uint32_t shared = 0; shared < 2; shared++) {
        start(&b, "perfect", 4, 2, shared);
        const uint32_t lines = shared ? 8 : 4, merges = shared ? 8 : 2;
        for (uint32_t i = 0; i < lines; i++) cr_assert_eq(request(&b, i, i), MSHR_PRIMARY);
        cr_expect_eq(request(&b, 99, 99), MSHR_RF_ENTRY);
        cr_expect_eq(request(&b, 0, 99), shared ? MSHR_RF_MERGE : MSHR_SECONDARY);
        miss_file_destroy(b.f);
        start(&b, "perfect", 4, 2, shared);
        for (uint32_t i = 0; i < merges; i++) cr_assert_eq(request(&b, 7, i), i ? MSHR_SECONDARY : MSHR_PRIMARY);
        cr_expect_eq(request(&b, 7, 99), MSHR_RF_MERGE);
        cr_expect_eq(request(&b, 8, 99), shared ? MSHR_RF_ENTRY : MSHR_PRIMARY);
        miss_file_destroy(b.f);
    }
}

/* A full pool: the slot that drains is taken again in the same cycle, by another line. */
Test(perfect_miss_file, a_slot_that_drains_is_free_in_its_cycle)
{
    struct file b;
    start(&b, "perfect", 2, 1, true);
    request(&b, 1, 1);
    request(&b, 1, 2);
    fill(&b, 1);
    cr_expect_eq(request(&b, 2, 3), MSHR_PRIMARY);
    cr_expect(b.drain.valid && b.drain.info == 1 && !b.drain.last);
    cr_expect_eq(request(&b, 2, 4), MSHR_SECONDARY);
    cr_expect(b.drain.valid && b.drain.info == 2 && b.drain.last);
    fill(&b, 2);
    expect_drain(&b, 2, 3, false);
    expect_drain(&b, 2, 4, true);
    miss_file_destroy(b.f);
}

Test(perfect_miss_file, a_fill_without_a_miss_is_an_error)
{
    struct file b;
    start(&b, "perfect", 4, 2, false);
    fill(&b, 7);
    miss_file_begin(b.f, true, &b.answer, &b.drain);
    cr_expect_not(miss_file_end(b.f, &b.err));
    cr_expect_not_null(strstr(b.err.text, "error_o: found 1, expected 0"), "%s", b.err.text);
    miss_file_destroy(b.f);
}

Test(perfect_miss_file, its_slots_are_counted_in_16_bits)
{
    struct config c;
    struct error err = {0};
    config_default(&c);
    c.l2_mshr_kind = MISS_FILE("perfect");
    c.l2_perfect_entries = 4369;
    c.l2_perfect_slots = 15;
    cr_expect(config_check(&c, &err), "%s", err.text);
    c.l2_perfect_entries = 4370;
    cr_expect_not(config_check(&c, &err));
    cr_expect_str_eq(err.text, "l2.perfect.slots: found 15 with l2.perfect.entries = 4370, allowed: up to 14, 65535 "
                               "slots in all");
}

/* ---- in an L1D: 16 reads of as many lines; the pool of 16 slots takes all, four entries of four slots do not. */

static struct inst lines_apart(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    return n < 8 ? inst_line(INST_LOAD, (uint8_t)(n + 1), 8 * warp + n) : inst_exit();
}

static struct outcome *run_l1d(const char *kind, bool shared)
{
    struct config c = bench_config();
    c.l1d_mshr_kind = MISS_FILE(kind);
    c.l1d_mshr_entries = c.l1d_perfect_entries = 4;
    c.l1d_mshr_slots = c.l1d_perfect_slots = 4;
    c.l1d_perfect_shared = shared;
    c.l1d_dl_mshr_sets = 16;
    c.l1d_dl_mshr_slots = 1;
    c.l1d_dl_mshr_reserved = 0;
    const struct program p = program_of(1, 2, lines_apart);
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_assert_eq(o->stats.l1d_misses, 16);
    return o;
}

Test(perfect_miss_file, of_shared_slots_is_the_bound_of_a_dl_mshr)
{
    struct outcome *mshr = run_l1d("mshr", false), *same = run_l1d("perfect", false);
    struct outcome *shared = run_l1d("perfect", true), *dl = run_l1d("dl_mshr", false);
    cr_expect_arr_eq(&mshr->stats, &same->stats, sizeof mshr->stats);
    cr_expect_gt(mshr->stats.l1d_rf_mshr_entry, 40);
    cr_expect_eq(shared->stats.l1d_rf_mshr_entry + shared->stats.l1d_rf_mshr_merge, 0);
    cr_expect_eq(shared->stats.l1d_mshr_slots_peak, 16);
    cr_expect_lt(shared->stats.gpu_cycles + 40, mshr->stats.gpu_cycles);
    cr_expect_leq(shared->stats.gpu_cycles, dl->stats.gpu_cycles);
    free(mshr);
    free(same);
    free(shared);
    free(dl);
}
