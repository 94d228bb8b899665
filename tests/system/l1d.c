/* SPDX-License-Identifier: Apache-2.0 */
/* A list of accesses to the L1D, one lane each, in order, all from one warp. Golden outcomes: an access is looked up in
 * the cycle after it was issued; a miss's data is filled 101 cycles after the look-up (scoreboard.c). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

struct step {
    enum inst_op op;
    uint64_t line;
    uint32_t after; /* waits for the data of step `after` - 1; 0: for none */
};

#define READ(line)                                                                                                     \
    {                                                                                                                  \
        INST_LOAD, line, 0                                                                                             \
    }
#define READ_AFTER(n, line)                                                                                            \
    {                                                                                                                  \
        INST_LOAD, line, (n) + 1                                                                                       \
    }
#define WRITE(line)                                                                                                    \
    {                                                                                                                  \
        INST_STORE, line, 0                                                                                            \
    }
#define WRITE_AFTER(n, line)                                                                                           \
    {                                                                                                                  \
        INST_STORE, line, (n) + 1                                                                                      \
    }
#define ATOMIC_AFTER(n, line)                                                                                          \
    {                                                                                                                  \
        INST_ATOMIC, line, (n) + 1                                                                                     \
    }

struct steps {
    uint32_t count;
    struct step step[32];
};

static struct inst from_steps(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)block, (void)warp;
    const struct steps *s = p->context;
    if (n >= s->count) return inst_exit();
    uint8_t dst = s->step[n].op == INST_STORE ? INST_NO_REG : (uint8_t)(n + 1);
    struct inst i = inst_line(s->step[n].op, dst, s->step[n].line);
    if (s->step[n].after) i.src[0] = (uint8_t)s->step[n].after;
    return i;
}

static struct outcome *run_with(const struct config *c, const struct steps *s, const struct fixed_memory *m)
{
    struct program p = program_of(1, 1, from_steps);
    p.context = s;
    struct outcome *o = bench_run(c, &p, m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct outcome *run(const struct config *c, const struct steps *s)
{
    struct fixed_memory m = bench_memory();
    return run_with(c, s, &m);
}

#define COUNT(o, field, expected)                                                                                      \
    cr_assert_eq((o)->stats.field, expected, #field ": %lu, expected %lu", (o)->stats.field, (uint64_t)(expected))

Test(l1d, primary_secondary_hit)
{
    const struct config c = bench_config();
    const struct steps s = {3, {READ(5), READ(5), READ_AFTER(1, 5)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_accesses, 3);
    COUNT(o, l1d_misses, 1);
    COUNT(o, l1d_merged, 1);
    COUNT(o, l1d_hits, 1);
    COUNT(o, l1d_fills, 1);
    /* Looked up in 1 and 2; their slots come out in 103 and 104. */
    COUNT(o, mem_latency_sum, 102 + 102);
    COUNT(o, mem_latency_max, 102);
    COUNT(o, l1d_mshr_slots_peak, 2);
    /* The first slot is taken in cycles 1..102, the second in 2..103 (a cycle counts the slots at its end). */
    COUNT(o, l1d_mshr_slot_cycles, 102 + 102);
    free(o);
}

/* Four ways of set 0 are reserved in 1..4; the fifth line of that set is refused from 5 on. The first line is filled in
 * 102, before the access of that cycle. */
Test(l1d, allocate_on_miss_refuses_when_the_whole_set_is_reserved)
{
    struct config c = bench_config();
    const struct steps s = {5, {READ(0), READ(32), READ(64), READ(96), READ(128)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_rf_line, 102 - 5);
    COUNT(o, l1d_evictions, 1);
    free(o);
    c.l1d_alloc = ALLOC_ON_FILL; /* the fifth fill replaces the first line */
    o = run(&c, &s);
    COUNT(o, l1d_rf_line, 0);
    COUNT(o, l1d_evictions, 1);
    COUNT(o, l1d_misses, 5);
    free(o);
}

/* Allocate-on-miss evicts a line as soon as another is asked for; on fill, it still hits while that one is on its way.
 */
Test(l1d, allocate_on_fill_keeps_a_line_longer)
{
    struct config c = bench_config();
    c.l1d_ways = 1;
    const struct steps s = {3, {READ(0), READ_AFTER(0, 32), READ(0)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_hits, 0);
    COUNT(o, l1d_misses, 3);
    free(o);
    c.l1d_alloc = ALLOC_ON_FILL;
    o = run(&c, &s);
    COUNT(o, l1d_hits, 1);
    COUNT(o, l1d_misses, 2);
    free(o);
}

/* Entries taken in 1 and 2; the third line is refused from 3 on. The first line's data is accepted in 102, and its only
 * slot comes out in 103, which frees the entry before the look-up of that cycle. */
Test(l1d, entry_full)
{
    struct config c = bench_config();
    c.l1d_mshr_entries = 2;
    const struct steps s = {3, {READ(0), READ(1), READ(2)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_rf_mshr_entry, 103 - 3);
    const struct event *refused = outcome_event(o, AT_L1D_REFUSED, 0);
    cr_assert(refused && !outcome_event(o, AT_L1D_REFUSED, 1), "an access is reported at its first refusal");
    cr_assert(refused->r.line == 2 && refused->cycle == 3);
    free(o);
    /* Two sets, nothing reserved: presented in 3, refused in 4..; in 103 the set is freed after stage 2 has looked; the
     * request presented in 103 finds it. */
    c.l1d_mshr_kind = MISS_FILE("dl_mshr");
    c.l1d_dl_mshr_sets = 2;
    c.l1d_dl_mshr_reserved = 0;
    o = run(&c, &s);
    COUNT(o, l1d_rf_mshr_entry, 103 - 4 + 1);
    free(o);
}

/* Two slots: the third read of the line is refused from 3 on, and hits when the line is there, in 102. */
Test(l1d, merge_full)
{
    struct config c = bench_config();
    c.l1d_mshr_slots = 2;
    const struct steps s = {3, {READ(0), READ(0), READ(0)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_rf_mshr_merge, 102 - 3);
    COUNT(o, l1d_hits, 1);
    free(o);
    /* DL-MSHR links another set instead. */
    c.l1d_mshr_kind = MISS_FILE("dl_mshr");
    c.l1d_dl_mshr_sets = 4;
    c.l1d_dl_mshr_reserved = 2;
    o = run(&c, &s);
    COUNT(o, l1d_rf_mshr_merge, 0);
    COUNT(o, l1d_merged, 2);
    free(o);
    /* Nothing to link: only reserved sets are left. Presented in 3, refused in 4..102; in 102 the access that was
     * refused finds the line filled. */
    c.l1d_dl_mshr_sets = 3;
    o = run(&c, &(struct steps){5, {READ(0), READ(0), READ(0), READ(0), READ(0)}});
    COUNT(o, l1d_merged, 3);
    COUNT(o, l1d_hits, 1);
    COUNT(o, l1d_rf_mshr_merge, 102 - 6 + 1);
    free(o);
}

/* One read of the memory's port every 50 cycles, the miss queue holds 2. Pushed in 1 and 2; the port's one place takes
 * the first in 2 and is free again in 50 (the memory's cycle comes first), so that the second leaves in 50 and the
 * third, refused in 3..49, is accepted in that cycle. */
Test(l1d, miss_queue_full)
{
    struct config c = bench_config();
    c.l1d_miss_queue = 2;
    const struct fixed_memory m = {.latency = 100, .depth = 1, .interval = 50};
    const struct steps reads = {4, {READ(0), READ(1), READ(2), READ(3)}};
    /* The first leaves in 2, before the look-ups: the queue is full with 1 and 2, from 3 on refused until 50. */
    struct outcome *o = run_with(&c, &reads, &m);
    COUNT(o, l1d_rf_miss_queue, 50 - 4);
    free(o);
    const struct steps writes = {4, {WRITE(0), WRITE(1), WRITE(2), WRITE(3)}};
    o = run_with(&c, &writes, &m);
    COUNT(o, l1d_rf_miss_queue, 50 - 4);
    free(o);
}

Test(l1d, a_write_hit_evicts_or_goes_through)
{
    struct config c = bench_config();
    const struct steps s = {4, {READ(5), WRITE_AFTER(0, 5), WRITE(6), READ(5)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_writes, 2);
    COUNT(o, l1d_write_hits, 1);
    COUNT(o, l1d_misses, 2);
    free(o);
    c.l1d_write = WRITE_THROUGH;
    o = run(&c, &s);
    COUNT(o, l1d_misses, 1);
    COUNT(o, l1d_hits, 1);
    free(o);
}

/* The atomic sends one lane's 32 bytes, evicts in either mode, and its value is usable when it is back: issued in 103,
 * looked up in 104, sent in 105, back in 205; the store that needs it is coalesced then. */
Test(l1d, an_atomic_goes_to_the_l2_and_comes_back)
{
    struct config c = bench_config();
    c.l1d_write = WRITE_THROUGH;
    const struct steps s = {4, {READ(5), ATOMIC_AFTER(0, 5), WRITE_AFTER(1, 9), READ(5)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_writes, 2);
    COUNT(o, l1d_write_hits, 1);
    COUNT(o, l1d_misses, 2);
    COUNT(o, mem_latency_count, 2);
    cr_assert_eq(outcome_event(o, AT_COALESCER, 2)->cycle, 205);
    free(o);
}

Test(l1d, a_line_that_is_on_its_way_is_not_evicted_by_a_write)
{
    const struct config c = bench_config();
    const struct steps s = {3, {READ(5), WRITE(5), READ(5)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_write_hits, 0);
    COUNT(o, l1d_merged, 1);
    free(o);
}

/* Slots taken in 1 and 2; the third is refused from 3 until the first is back, in 102, before the look-ups. */
Test(l1d, bypassed_reads_are_limited_by_their_slots)
{
    struct config c = bench_config();
    c.l1d_bypass_from_warp = 0;
    c.l1d_bypass_slots = 2;
    const struct steps s = {3, {READ(5), READ(5), READ(5)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_bypassed, 3);
    COUNT(o, l1d_rf_bypass_slot, 102 - 3);
    COUNT(o, l1d_misses + o->stats.l1d_hits + o->stats.l1d_merged, 0);
    COUNT(o, mem_latency_count, 3);
    COUNT(o, mem_latency_max, 101);
    cr_assert_eq(outcome_event(o, AT_L1D_BYPASS, 0)->r.bytes, 32);
    cr_assert(outcome_event(o, AT_MISS_QUEUE, 0)->r.bypass);
    free(o);
}

Test(l1d, a_closed_l1d_bypasses_all_reads)
{
    struct config c = bench_config();
    c.l1d_enable = false;
    const struct steps s = {3, {READ(5), READ_AFTER(0, 5), WRITE(5)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_bypassed, 2);
    COUNT(o, l1d_writes, 1);
    COUNT(o, l1d_write_hits, 0);
    free(o);
}

/* On a stream of merges the DL-MSHR with 8 slots in 4 sets takes all eight; a conventional file of 4 entries x 2 slots,
 * as many slots, takes two of them. */
Test(l1d, dl_mshr_takes_merges_where_a_conventional_file_of_its_slots_refuses)
{
    struct config c = bench_config();
    c.l1d_mshr_entries = 4;
    c.l1d_mshr_slots = 2;
    c.l1d_dl_mshr_sets = 4;
    c.l1d_dl_mshr_slots = 2;
    c.l1d_dl_mshr_reserved = 0;
    struct steps s = {.count = 8};
    for (uint32_t i = 0; i < 8; i++) s.step[i] = (struct step)READ(0);
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_merged, 1);
    COUNT(o, l1d_rf_mshr_merge, 102 - 3);
    COUNT(o, l1d_hits, 6);
    free(o);
    c.l1d_mshr_kind = MISS_FILE("dl_mshr");
    o = run(&c, &s);
    COUNT(o, l1d_merged, 7);
    COUNT(o, l1d_rf_mshr_merge, 0);
    COUNT(o, l1d_mshr_slots_peak, 8);
    free(o);
}

/* One way, three reads of line 0 merged. Line 32 is refused in 4..101, since the way is reserved, and takes it in 102,
 * when line 0 has been filled. Line 0, read again in 103, is not there any more and finds the way reserved until 32 is
 * filled in 203; meanwhile its three slots have come out. */
Test(l1d, a_line_evicted_while_its_slots_come_out_on_miss)
{
    struct config c = bench_config();
    c.l1d_ways = 1;
    const struct steps s = {5, {READ(0), READ(0), READ(0), READ(32), READ(0)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_rf_line, (102 - 4) + (203 - 103));
    COUNT(o, l1d_rf_mshr_drain, 0);
    COUNT(o, l1d_misses, 3);
    free(o);
}

/* Two ways. Line 64 is there in 103; eight reads of line 0 are looked up in 104..111, its data is accepted in 205 and
 * the slots come out in 206..213. Line 64, read with the first of them, hits in 207, so that line 32, in 208, evicts
 * line 0. Line 0 in 209 is gone, a way is free, but it drains: refused until 213, when the last slot goes first. */
static void check_drain(uint32_t kind)
{
    struct config c = bench_config();
    c.l1d_ways = 2;
    c.l1d_mshr_kind = kind;
    const struct steps s = {12,
                            {READ(64), READ_AFTER(0, 0), READ(0), READ(0), READ(0), READ(0), READ(0), READ(0), READ(0),
                             READ_AFTER(1, 64), READ(32), READ(0)}};
    struct outcome *o = run(&c, &s);
    COUNT(o, l1d_rf_mshr_drain, 213 - 209);
    COUNT(o, l1d_misses, 4);
    COUNT(o, l1d_merged, 7);
    COUNT(o, l1d_hits, 1);
    COUNT(o, l1d_evictions, 2);
    free(o);
}

Test(l1d, a_line_evicted_while_it_drains_is_refused_until_it_is_out)
{
    check_drain(MISS_FILE("mshr"));
    check_drain(MISS_FILE("dl_mshr"));
}

/* Two ways. Line 64 is there; line 0 is asked for, then line 64 hits, then line 0 comes, then line 32 needs a way and
 * line `last` is read. With `merge`, line 0 is asked for again behind the hit. */
static uint64_t hits_of(uint32_t alloc, bool merge, uint64_t last)
{
    struct config c = bench_config();
    c.l1d_ways = 2;
    c.l1d_alloc = alloc;
    const struct steps plain = {5, {READ(64), READ_AFTER(0, 0), READ(64), READ_AFTER(1, 32), READ_AFTER(3, last)}};
    const struct steps merged = {
        6, {READ(64), READ_AFTER(0, 0), READ(64), READ(0), READ_AFTER(1, 32), READ_AFTER(4, last)}};
    struct outcome *o = run(&c, merge ? &merged : &plain);
    COUNT(o, l1d_merged, merge);
    uint64_t hits = o->stats.l1d_hits;
    free(o);
    return hits;
}

/* As in GPGPU-Sim. On miss, a line is used when its way is reserved and at each merge, and its data changes no order;
 * on fill, it gets its way with its data, and is used then. */
Test(l1d, least_recently_used_is_by_when_lines_were_asked_for)
{
    cr_expect_eq(hits_of(ALLOC_ON_MISS, false, 64), 2, "line 0 was asked for before 64 was hit: it goes");
    cr_expect_eq(hits_of(ALLOC_ON_MISS, false, 0), 1);
    cr_expect_eq(hits_of(ALLOC_ON_MISS, true, 64), 1, "the merge is a use: 64 goes");
    cr_expect_eq(hits_of(ALLOC_ON_MISS, true, 0), 2);
    cr_expect_eq(hits_of(ALLOC_ON_FILL, false, 64), 1, "line 0 was filled after 64 was hit: 64 goes");
    cr_expect_eq(hits_of(ALLOC_ON_FILL, false, 0), 2);
}

Test(l1d, place_by_place)
{
    const struct config c = bench_config();
    const struct steps s = {1, {READ(5)}};
    struct outcome *o = run(&c, &s);
    const struct {
        enum place place;
        uint64_t cycle;
    } expected[] = {{AT_COALESCER, 0}, {AT_L1D_MISS, 1}, {AT_MISS_QUEUE, 1}, {AT_L1D_FILL, 102}, {AT_DONE, 103}};
    cr_assert_eq(o->events, 5);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(o->event[i].place, expected[i].place);
        cr_assert_eq(o->event[i].cycle, expected[i].cycle);
    }
    free(o);
}

/* 32 warps read ten lines, two times each; the data comes when all of them wait. */
static struct inst twenty_reads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 20 ? inst_line(INST_LOAD, (uint8_t)n, n % 10) : inst_exit();
}

Test(l1d, more_reads_wait_than_the_table_of_flights_has_at_first)
{
    struct config c = bench_config();
    const struct program p = program_of(1, 32, twenty_reads);
    struct fixed_memory m = bench_memory();
    c.l1d_mshr_slots = 64;
    m.latency = 2000;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    COUNT(o, l1d_misses, 10);
    COUNT(o, l1d_merged, 630);
    COUNT(o, mem_latency_count, 640);
    free(o);
}
