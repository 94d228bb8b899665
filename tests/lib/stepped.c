/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that a caller offers to the L1Ds, or to the memory below them, through the library. */
#include "lib/memtwin.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lib/machine.h"
#include "values.h"
#include "system/bench.h"

enum { OPTIONS_MOST = 8, ACCESSES = 3000, LIMIT = 1000000 };

static struct memtwin *make(const char *const *options)
{
    struct memtwin_error err = {""};
    size_t n = 0;
    while (options[n]) n++;
    struct memtwin *m = memtwin_create(options, n, &err);
    cr_assert_not_null(m, "%s", err.text);
    return m;
}

static struct memtwin_access read_of(uint64_t address, uint64_t tag)
{
    return (struct memtwin_access){.address = address, .bytes = 4, .tag = tag};
}

static void offer(struct memtwin *m, const struct memtwin_access *a)
{
    struct memtwin_error err = {""};
    enum memtwin_answer answer;
    while ((answer = memtwin_offer(m, a, &err)) == MEMTWIN_FULL) cr_assert(memtwin_step(m, 1, &err), "%s", err.text);
    cr_assert_eq(answer, MEMTWIN_TAKEN, "%s", err.text);
}

static void end(struct memtwin *m)
{
    struct memtwin_error err = {""};
    cr_assert(memtwin_drain(m, LIMIT, &err), "%s", err.text);
    cr_assert(memtwin_finish(m, &err), "%s", err.text);
}

static uint64_t counter(const struct memtwin *m, const char *name)
{
    struct memtwin_error err = {""};
    struct memtwin_value v;
    cr_assert(memtwin_counter(m, name, &v, &err), "%s", err.text);
    return v.whole;
}

static uint64_t latency(struct memtwin *m, uint64_t address)
{
    const struct memtwin_access a = {.address = address, .bytes = 128};
    struct memtwin_done d;
    struct memtwin_error err = {""};
    offer(m, &a);
    cr_assert(memtwin_step_to_done(m, LIMIT, &err), "%s", err.text);
    cr_assert(memtwin_poll(m, &d));
    cr_assert_eq(memtwin_cycle(m), d.done + 1);
    return d.done - d.offered;
}

#define EQUAL_CLOCKS "clock.sm=1000", "clock.xbar=1000", "clock.l2=1000", "clock.dram=1000"

/* Latency of an unloaded read from the SM's send: the table of cmodel/system/memory.md. */
Test(stepped, an_unloaded_read_of_the_memory_takes_the_documented_cycles)
{
    const char *const options[] = {EQUAL_CLOCKS, "enter=memory", NULL};
    struct memtwin *m = make(options);
    cr_expect_eq(latency(m, 0), 268);
    cr_expect_eq(latency(m, 0), 130);
    memtwin_destroy(m);
}

/* The miss leaves the miss queue a cycle after its look-up; the MSHR file drains a cycle after the fill. */
Test(stepped, a_read_of_an_l1d_misses_then_hits_after_its_latency)
{
    const char *const options[] = {EQUAL_CLOCKS, "l1d.latency=28", NULL};
    struct memtwin *m = make(options);
    cr_expect_eq(latency(m, 0), 270);
    cr_expect_eq(latency(m, 0), 28);
    cr_expect_eq(counter(m, "l1d.hits"), 1);
    cr_expect_eq(counter(m, "l1d.misses"), 1);
    memtwin_destroy(m);
}

Test(stepped, an_l1d_behind_a_pipeline_is_as_much_later)
{
    const char *const options[] = {EQUAL_CLOCKS, "l1d.latency=20", "l1d.latency_at=front", NULL};
    struct memtwin *m = make(options);
    cr_expect_eq(latency(m, 0), 290);
    cr_expect_eq(latency(m, 0), 20);
    memtwin_destroy(m);
}

/* The behaviour of a machine: every completion, and every counter at the end. */
struct trail {
    struct memtwin_done done[ACCESSES];
    uint32_t count;
    uint64_t cycles;
    struct memtwin_value *counters;
};

static struct memtwin_access random_access(struct rng *r, uint32_t i)
{
    static const uint8_t sizes[] = {4, 32, 64, 128, 12};
    const uint32_t bytes = sizes[rng_below(r, 5)], kind = (uint32_t)rng_below(r, 8);
    struct memtwin_access a = {.address = rng_below(r, 600) * MEMTWIN_LINE_BYTES,
                               .tag = i,
                               .bytes = bytes,
                               .sm = (uint32_t)rng_below(r, 3),
                               .warp = (uint32_t)rng_below(r, 8),
                               .kind = kind < 2    ? MEMTWIN_WRITE
                                       : kind == 2 ? MEMTWIN_ATOMIC
                                                   : MEMTWIN_READ};
    a.address += rng_below(r, MEMTWIN_LINE_BYTES / bytes) * bytes;
    if (a.kind == MEMTWIN_WRITE && bytes == 128 && rng_below(r, 2)) a.enable[rng_below(r, 2)] = 0xff0f;
    return a;
}

static void collect(struct memtwin *m, struct trail *t)
{
    struct memtwin_done d;
    while (memtwin_poll(m, &d)) t->done[t->count++] = d;
}

/* Bursts with pauses between; time passes in steps of `step` cycles. */
static struct trail follow(const char *const *options, uint64_t step)
{
    struct trail t = {.counters = calloc(memtwin_counter_count(), sizeof *t.counters)};
    struct memtwin *m = make(options);
    struct memtwin_error err = {""};
    struct rng r;
    rng_seed(&r, 7);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const struct memtwin_access a = random_access(&r, i);
        offer(m, &a);
        for (uint64_t left = rng_below(&r, 32) ? rng_below(&r, 3) : 600; left;) {
            const uint64_t now = left < step ? left : step;
            cr_assert(memtwin_step(m, now, &err), "%s", err.text);
            left -= now;
        }
        collect(m, &t);
    }
    end(m);
    collect(m, &t);
    t.cycles = memtwin_cycle(m);
    cr_assert(memtwin_counters(m, t.counters, &err), "%s", err.text);
    memtwin_destroy(m);
    return t;
}

static void expect_equal(const struct trail *a, const struct trail *b)
{
    cr_expect_eq(a->cycles, b->cycles);
    cr_expect_eq(memcmp(a->done, b->done, sizeof a->done), 0);
    for (size_t i = 0; i < memtwin_counter_count(); i++)
        cr_expect(same(a->counters[i], b->counters[i]), "%s: %lu and %lu", memtwin_counter_name(i),
                  a->counters[i].whole, b->counters[i].whole);
}

static void expect_each_once(const struct trail *t)
{
    bool seen[ACCESSES] = {false};
    cr_assert_eq(t->count, ACCESSES);
    for (uint32_t i = 0; i < t->count; i++) {
        cr_assert_not(seen[t->done[i].tag]);
        seen[t->done[i].tag] = true;
        cr_assert_gt(t->done[i].done, t->done[i].offered);
        cr_assert(!i || t->done[i].done >= t->done[i - 1].done);
    }
}

static const char *const machines[][OPTIONS_MOST] = {
    {"l1d.sets=4"},
    {"l1d.sets=4", "l1d.mshr.kind=dl_mshr"},
    {"l1d.sets=4", "l1d.latency_at=front", "queue=1"},
    {"l1d.sets=8", "l1d.sector_bytes=32", "l2.sector_bytes=32", "sm.coalesce=sector", "l2.write_miss=lazy"},
    {"l1d.enable=false", "l1d.bypass.path=direct", "l2.write_miss=fetch_partial"},
    {"preset=gpgpusim", "l1d.sets=4"},
    {"enter=memory", "l2.sets=16", "queue=3"},
    {"enter=memory", "l2.sector_bytes=32", "clock.l2=700", "clock.xbar=650"},
};

/* Skipping and the length of a step change nothing, and every access is done once. */
Test(stepped, skipping_changes_nothing)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const char *options[OPTIONS_MOST + 2] = {NULL};
        size_t n = 0;
        while (machines[i][n]) n++;
        memcpy(options, machines[i], n * sizeof *options);
        struct trail skipped = follow(options, 1000);
        options[n] = "sim.skip=false";
        struct trail ticked = follow(options, 1);
        expect_each_once(&skipped);
        expect_equal(&skipped, &ticked);
        free(skipped.counters);
        free(ticked.counters);
    }
}

Test(stepped, a_queue_without_room_takes_nothing_and_keeps_the_order)
{
    const char *const options[] = {"queue=2", NULL};
    struct memtwin *m = make(options);
    struct memtwin_access a = read_of(0, 0);
    struct memtwin_error err = {""};
    for (a.tag = 0; a.tag < 2; a.tag++) cr_expect_eq(memtwin_offer(m, &a, &err), MEMTWIN_TAKEN);
    cr_expect_eq(memtwin_offer(m, &a, &err), MEMTWIN_FULL);
    a.sm = 1;
    cr_expect_eq(memtwin_offer(m, &a, &err), MEMTWIN_TAKEN); /* another SM has a queue of its own */
    cr_expect_eq(memtwin_in_flight(m), 3);
    cr_assert(memtwin_step(m, 1, &err));
    a.sm = 0;
    cr_expect_eq(memtwin_offer(m, &a, &err), MEMTWIN_TAKEN);
    end(m);
    cr_expect_eq(memtwin_in_flight(m), 0);
    cr_expect_eq(counter(m, "l1d.merged"), 2);
    memtwin_destroy(m);
}

static void expect_refused(struct memtwin *m, struct memtwin_access a, const char *part)
{
    struct memtwin_error err = {""};
    cr_expect_eq(memtwin_offer(m, &a, &err), MEMTWIN_FAILED);
    cr_expect(strstr(err.text, part), "found \"%s\", expected \"%s\"", err.text, part);
    cr_expect_eq(memtwin_offer(m, &a, NULL), MEMTWIN_FAILED);
}

Test(stepped, an_illegal_access_is_refused_with_its_field)
{
    const char *const options[] = {"sm.count=2", "sm.warps=8", NULL};
    struct memtwin *m = make(options);
    const struct memtwin_access a = read_of(0, 0);
    struct memtwin_access b = a;
    b.sm = 2;
    expect_refused(m, b, "sm: found 2, allowed: 0..1");
    b = a, b.warp = 8;
    expect_refused(m, b, "warp: found 8, allowed: 0..7");
    b = a, b.kind = 3;
    expect_refused(m, b, "kind: found 3, allowed: 0..2");
    b = a, b.bytes = 0;
    expect_refused(m, b, "bytes: found 0 at 0x0, allowed: 1..128");
    b = a, b.address = 126;
    expect_refused(m, b, "bytes: found 4 at 0x7e, allowed: 1..2");
    b = a, b.address = (uint64_t)1 << 48;
    expect_refused(m, b, "address: found 0x1000000000000, allowed: up to 0xffffffffffff");
    b = a, b.enable[0] = 1;
    expect_refused(m, b, "of a write only");
    b.kind = MEMTWIN_WRITE, b.enable[1] = 1;
    expect_refused(m, b, "a byte outside the 4 bytes at 0x0");
    cr_expect_eq(memtwin_in_flight(m), 0);
    memtwin_destroy(m);
}

Test(stepped, a_write_of_all_words_fetches_nothing)
{
    const char *const options[] = {"enter=memory", "l2.write_miss=fetch_partial", NULL};
    struct memtwin *m = make(options);
    struct memtwin_access a = {.kind = MEMTWIN_WRITE, .bytes = 128};
    offer(m, &a);
    a.address = 4096;
    a.enable[0] = ~(uint64_t)0, a.enable[1] = ~(uint64_t)0 >> 1; /* but the last byte */
    offer(m, &a);
    end(m);
    cr_expect_eq(counter(m, "l2.unfetched"), 1);
    cr_expect_eq(counter(m, "dram.reads"), 1);
    memtwin_destroy(m);
}

Test(stepped, a_machine_without_work_says_so)
{
    const char *const options[] = {"sim.skip=false", NULL};
    for (int skip = 0; skip < 2; skip++) {
        struct memtwin *m = make(options + skip);
        const struct memtwin_access a = read_of(0, 0);
        struct memtwin_error err = {""};
        cr_expect_eq(memtwin_next(m), UINT64_MAX);
        cr_assert(memtwin_step(m, 5, &err));
        cr_expect_eq(memtwin_next(m), UINT64_MAX);
        offer(m, &a);
        cr_expect_eq(memtwin_next(m), 5);
        cr_assert(memtwin_step_to_done(m, 50, &err));
        cr_expect_eq(memtwin_cycle(m), 55);
        cr_expect_geq(memtwin_next(m), 55);
        cr_assert(memtwin_drain(m, LIMIT, &err));
        cr_assert(memtwin_step(m, 1, &err)); /* the units see that they are idle */
        cr_expect_eq(memtwin_next(m), UINT64_MAX);
        memtwin_destroy(m);
    }
}

Test(stepped, a_drain_that_is_too_short_says_what_is_in_flight)
{
    const char *const options[] = {NULL};
    struct memtwin *m = make(options);
    const struct memtwin_access a = read_of(0, 0);
    struct memtwin_error err = {""};
    offer(m, &a);
    cr_expect_not(memtwin_drain(m, 10, &err));
    cr_expect_str_eq(err.text, "cycle 10: 1 accesses in flight 10 cycles after the drain began: the limit");
    cr_expect(memtwin_finish(m, &err), "%s", err.text); /* laws of a cut run */
    cr_expect_not(memtwin_step(m, 1, &err));
    cr_expect(strstr(err.text, "has ended"));
    cr_expect_not(memtwin_finish(m, &err));
    memtwin_destroy(m);
}

Test(stepped, what_needs_warps_is_refused)
{
    static const char *const cases[][2] = {{"uvm.enable=true", "uvm.enable: found true"},
                                           {"l1d.input=mrpb", "l1d.input: found mrpb"}};
    for (size_t i = 0; i < 2; i++) {
        const char *const options[] = {cases[i][0], NULL};
        struct memtwin *m = make(options);
        struct memtwin_error err = {""};
        cr_expect_not(memtwin_step(m, 1, &err));
        cr_expect(strstr(err.text, cases[i][1]), "%s", err.text);
        memtwin_destroy(m);
    }
}

/* ---- Beside an SM. ---- */

enum { LOADS = 2000 };

/* A load or a store of a part of a line; some lines come again soon. */
static struct memtwin_access of_warp(uint32_t n)
{
    const uint32_t line = n * 7919 % 97 % (n % 3 ? 96 : 12);
    return (struct memtwin_access){.address = (uint64_t)line * MEMTWIN_LINE_BYTES,
                                   .bytes = 4,
                                   .tag = n,
                                   .kind = n % 11 == 5 ? MEMTWIN_WRITE : MEMTWIN_READ};
}

static struct inst as_instruction(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == LOADS) return inst_exit();
    const struct memtwin_access a = of_warp(n);
    return inst_line(a.kind == MEMTWIN_WRITE ? INST_STORE : INST_LOAD, INST_NO_REG, a.address / MEMTWIN_LINE_BYTES);
}

/* Not of the SM itself: nor cycles, in which a warp also begins and ends. */
static bool of_memory(const char *name)
{
    return (!strncmp(name, "l1d.", 4) || !strncmp(name, "l2.", 3) || !strncmp(name, "dram.", 5) ||
            !strncmp(name, "xbar.", 5)) &&
           !strstr(name, "cycles") && !strstr(name, "utilization");
}

static struct config clocked_alike(const char *option)
{
    static const char *const equal[] = {EQUAL_CLOCKS, "l1d.sets=4", "l2.sets=8"};
    struct config c = bench_config();
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) cr_assert(config_set(&c, equal[i], NULL));
    cr_assert(config_set(&c, option, NULL));
    return c;
}

/* A warp that issues one access a cycle and a queue that is never empty give L1D and memory the same accesses. */
Test(stepped, counters_are_those_of_an_sm_with_the_same_accesses)
{
    static const char *const options[] = {"l1d.mshr.kind=mshr", "l1d.mshr.kind=dl_mshr",   "l1d.latency_at=front",
                                          "l1d.write=through",  "l1d.bypass.on_stall=any", "l1d.miss_queue=1"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct config c = clocked_alike(options[i]);
        const struct program p = program_of(1, 1, as_instruction);
        struct outcome *sm = bench_run_real(&c, &p);
        cr_assert(sm->ok, "%s", sm->err.text);
        struct memtwin *m = make((const char *const[]){NULL});
        m->config = c;
        for (uint32_t n = 0; n < LOADS; n++) {
            const struct memtwin_access a = of_warp(n);
            offer(m, &a);
        }
        end(m);
        struct memtwin *other = make((const char *const[]){NULL});
        other->config = c;
        other->stats = sm->stats;
        for (size_t k = 0; k < memtwin_counter_count(); k++) {
            const char *name = memtwin_counter_name(k);
            if (of_memory(name) && !memtwin_counter_is_ratio(k))
                cr_expect_eq(counter(m, name), counter(other, name), "%s, %s: %lu, and %lu in an SM", options[i], name,
                             counter(m, name), counter(other, name));
        }
        cr_expect_gt(counter(m, "l1d.rf.miss_queue") + counter(m, "l1d.rf.mshr_entry") + counter(m, "l1d.rf.line"), 0);
        memtwin_destroy(m);
        memtwin_destroy(other);
        free(sm);
    }
}
