/* SPDX-License-Identifier: Apache-2.0 */
/* sm.shared_choices: the L1D that a kernel's shared memory leaves. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/named.h"
#include "system/sm/block_dispatch.h"

enum { SETS = 2, KIB = 1024 };

/* A way for each 8 of the 64 KiB; up to four thread blocks in an SM. */
static struct config machine(void)
{
    struct config c = bench_config();
    struct error err = {""};
    c.l1d_sets = SETS;
    c.l1d_ways = 8;
    c.sm_blocks = 4;
    c.sm_shared_bytes = 32 * KIB;
    c.sm_unified_kib = 64;
    cr_assert(config_set(&c, "sm.shared_choices=0,8,16,32", &err), "%s", err.text);
    return c;
}

static struct outcome *run(const struct config *c, const struct program *p)
{
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* A warp reads `lines` lines of set 0 twice, each after the one before. */
static struct inst reads_twice(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const uint32_t *lines = p->context;
    (void)block, (void)warp;
    if (n == 2 * *lines) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, SETS * (n % *lines));
    i.src[0] = 1;
    return i;
}

static struct program reader(uint32_t blocks, const uint32_t *lines)
{
    struct program p = program_of(blocks, 1, reads_twice);
    p.context = lines;
    return p;
}

struct choice {
    uint32_t shared, blocks, registers, ways;
};

static uint64_t ways_of(const struct config *c, const struct choice *x)
{
    const uint32_t lines = 1;
    struct program p = reader(x->blocks, &lines);
    p.kernel.shared_bytes = x->shared;
    p.kernel.regs_per_thread = x->registers;
    struct outcome *o = run(c, &p);
    const uint64_t ways = o->stats.l1d_split_ways;
    free(o);
    return ways;
}

Test(split, an_sm_takes_the_smallest_choice_that_holds_its_thread_blocks)
{
    static const struct choice table[] = {
        {0, 9, 0, 8},
        {1, 1, 0, 7},
        {8 * KIB, 1, 0, 7},
        {8 * KIB + 1, 1, 0, 6},
        {2 * KIB, 9, 0, 7},  /* four by sm.blocks */
        {4 * KIB, 9, 0, 6},  /* the same */
        {4 * KIB, 2, 0, 7},  /* two in the grid */
        {16 * KIB, 9, 0, 4}, /* two by shared memory */
        {16 * KIB + 1, 9, 0, 4},
        {32 * KIB, 1, 0, 4},
        {4 * KIB, 9, 512, 7}, /* two by registers */
    };
    const struct config c = machine();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_expect_eq(ways_of(&c, &table[i]), table[i].ways, "row %zu: %lu ways", i, ways_of(&c, &table[i]));
}

Test(split, a_grid_is_dealt_out_to_all_sms)
{
    struct config c = machine();
    c.sm_count = 2;
    cr_expect_eq(ways_of(&c, &(struct choice){4 * KIB, 3, 0, 0}), 7);
    cr_expect_eq(ways_of(&c, &(struct choice){4 * KIB, 5, 0, 0}), 6);
}

/* 5 x 56 / 64 = 4.4 and 4 x 56 / 64 = 3.5. */
Test(split, ways_are_rounded_to_the_nearest_number)
{
    struct config c = machine();
    c.l1d_ways = 5;
    cr_expect_eq(ways_of(&c, &(struct choice){1, 1, 0, 0}), 4);
    c.l1d_ways = 4;
    cr_expect_eq(ways_of(&c, &(struct choice){1, 1, 0, 0}), 4);
}

/* Without shared memory an SM has the first choice, too. */
Test(split, the_first_choice_need_not_be_0)
{
    struct config c = machine();
    struct error err = {""};
    cr_assert(config_set(&c, "sm.shared_choices=32", &err), "%s", err.text);
    cr_expect_eq(ways_of(&c, &(struct choice){0, 1, 0, 0}), 4);
}

Test(split, without_choices_or_a_bounded_l1d_there_is_none)
{
    struct config c = machine();
    memset(c.sm_shared_choices, 0, sizeof c.sm_shared_choices);
    cr_expect_eq(ways_of(&c, &(struct choice){32 * KIB, 1, 0, 0}), 0);
    c = machine();
    c.l1d_unbounded = true;
    cr_expect_eq(ways_of(&c, &(struct choice){32 * KIB, 1, 0, 0}), 0);
    c = machine();
    c.l1d_enable = false;
    cr_expect_eq(ways_of(&c, &(struct choice){32 * KIB, 1, 0, 0}), 0);
}

/* A pair needs room for both, also of a grid that leaves one for each SM. */
Test(split, thread_blocks_that_start_together_have_room)
{
    struct config c = machine();
    c.sm_count = 4;
    c.sm_dispatch = named("block dispatch", "bcs");
    cr_expect_eq(ways_of(&c, &(struct choice){8 * KIB, 4, 0, 0}), 6);
}

static const uint32_t *shared_of; /* KiB of each kernel */

static void launch(const struct program *p, uint32_t n, struct kernel_info *k)
{
    *k = p->kernel;
    k->shared_bytes = shared_of[n] * KIB;
}

/* L1D hits of each kernel. */
static struct outcome *kernels(const struct config *c, uint32_t lines, const uint32_t *shared, uint32_t count,
                               uint64_t *hits)
{
    struct program p = reader(1, &lines);
    shared_of = shared;
    p.kernels = count;
    p.launch = launch;
    struct outcome *o = run(c, &p);
    uint64_t before = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->samples; i++) {
        if (!o->sample[i].kernel) continue;
        if (n) hits[n - 1] = o->sample[i].so_far.l1d_hits - before;
        before = o->sample[i].so_far.l1d_hits;
        n++;
    }
    cr_assert_eq(n, count);
    hits[n - 1] = o->stats.l1d_hits - before;
    return o;
}

/* Seven lines stay in seven ways and leave six, which the least recently used line does first. */
Test(split, each_kernel_has_the_ways_that_it_leaves)
{
    static const uint32_t shared[] = {0, 16, 8, 32, 0}, expected[] = {7, 0, 7, 0, 7};
    const struct config c = machine();
    uint64_t hits[5];
    struct outcome *o = kernels(&c, 7, shared, 5, hits);
    for (uint32_t i = 0; i < 5; i++) cr_expect_eq(hits[i], expected[i], "kernel %u: %lu hits", i, hits[i]);
    cr_expect_eq(o->stats.l1d_splits, 4);
    cr_expect_eq(o->stats.l1d_split_ways, 8);
    free(o);
}

/* Lines stay from kernel to kernel while the L1D keeps its size. */
Test(split, another_size_loses_the_lines)
{
    static const uint32_t shared[] = {0, 0, 8, 7, 0}, expected[] = {3, 6, 3, 6, 3};
    struct config c = machine();
    uint64_t hits[5];
    c.l1d_flush = false;
    struct outcome *o = kernels(&c, 3, shared, 5, hits);
    for (uint32_t i = 0; i < 5; i++) cr_expect_eq(hits[i], expected[i], "kernel %u: %lu hits", i, hits[i]);
    cr_expect_eq(o->stats.l1d_splits, 2);
    free(o);
}

/* One thread block after the other. */
Test(split, thread_blocks_of_a_kernel_find_the_lines_of_those_before)
{
    const uint32_t lines = 5;
    struct config c = machine();
    c.sm_blocks = 1;
    struct program p = reader(4, &lines);
    p.kernel.shared_bytes = 8 * KIB;
    struct outcome *o = run(&c, &p);
    cr_expect_eq(o->stats.l1d_misses, lines);
    cr_expect_eq(o->stats.l1d_splits, 1);
    free(o);
}

/* The shape unified-l1d of `make correlate`: eight thread blocks, each on an SM of its own, read 300 or 600 lines
 * twice. */
static const struct big {
    uint32_t lines, shared;
} big[] = {{300, 65536}, {300, 0}, {600, 40000}, {600, 0}};
enum { BIG = sizeof big / sizeof *big };

static struct inst reads_all(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const uint32_t lines = ((const struct big *)p->context)->lines / 2;
    if (n == 2 * lines) return inst_exit();
    return inst_memory(INST_LOAD, (uint8_t)(4 + n % 4), 128 * (1024 * block + 2 * (n % lines) + warp), 4, 4);
}

static void expect_hits(const char *preset, const uint64_t expected[BIG])
{
    struct config c;
    struct error err = {""};
    config_default(&c);
    cr_assert(config_preset(&c, NULL, preset, &err), "%s", err.text);
    for (uint32_t i = 0; i < BIG; i++) {
        struct program p = program_of(8, 2, reads_all);
        p.context = &big[i];
        p.kernel.shared_bytes = big[i].shared;
        struct outcome *o = bench_run_unwatched(&c, (const struct program *const[]){&p}, 1, false);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.l1d_hits, expected[i], "%s, kernel %u: %lu hits", preset, i, o->stats.l1d_hits);
        free(o);
    }
}

/* The hits that Accel-Sim has on these cards. */
Test(split, kernels_hit_on_presets_as_in_the_reference)
{
    expect_hits("v100-accelsim", (const uint64_t[]){9600, 9600, 0, 19200});
    expect_hits("rtx2060-accelsim", (const uint64_t[]){0, 9600, 0, 0});
    expect_hits("rtx3070-accelsim", (const uint64_t[]){9600, 9600, 0, 19200});
}

/* Stores of warps that have exited wait for the L1D when its size changes. */
static struct inst stores_at_the_end(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    if (n == 12) return inst_exit();
    const uint64_t line = 64 * warp + 8 * block + n % 6;
    return n < 6 ? inst_line(INST_LOAD, 1, line) : inst_memory(INST_STORE, INST_NO_REG, line * 128, 128, 4);
}

static struct outcome *run_stores(struct config c, bool skip)
{
    static const uint32_t shared[] = {0, 4, 1, 8, 0};
    struct program p = program_of(7, 2, stores_at_the_end);
    shared_of = shared;
    p.kernels = 5;
    p.launch = launch;
    c.sim_skip = skip;
    return run(&c, &p);
}

Test(split, does_not_depend_on_skipped_cycles)
{
    for (uint32_t i = 0; i < 16; i++) {
        struct config c = machine();
        c.sm_count = 2;
        c.l1d_flush = i & 1;
        c.l1d_write = WRITE_THROUGH;
        c.l1d_write_miss = i & 2 ? L1_WRITE_LAZY : L1_WRITE_NONE;
        c.l1d_miss_queue = 2;
        c.l1d_latency_at = i & 4 ? LATENCY_FRONT : LATENCY_BEHIND;
        c.l1d_bypass_mode = L1D_BYPASS(i & 8 && !(i & 2) ? "stream" : "off");
        c.l1d_stream_period = 50;
        c.l1d_stream_min_accesses = 4;
        struct outcome *skipped = run_stores(c, true), *ticked = run_stores(c, false);
        cr_expect_eq(memcmp(&skipped->stats, &ticked->stats, sizeof skipped->stats), 0, "machine %u", i);
        cr_expect(outcome_same_events(skipped, ticked), "machine %u", i);
        cr_expect_geq(skipped->stats.l1d_splits, 8);
        free(skipped);
        free(ticked);
    }
}

static void expect_refused(const char *const *assignments, const char *expected)
{
    struct config c;
    struct error err = {""};
    config_default(&c);
    for (; *assignments; assignments++) cr_assert(config_set(&c, *assignments, &err), "%s", err.text);
    cr_expect_not(config_check(&c, &err), "accepted: %s", expected);
    cr_expect_str_eq(err.text, expected);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(split, what_cannot_be_is_refused)
{
    expect_refused(OPTIONS("sm.shared_choices=0,32,16,64"),
                   "sm.shared_choices: found 16 behind 32, allowed: ascending numbers");
    expect_refused(OPTIONS("sm.shared_choices=8,0,64"),
                   "sm.shared_choices: found 0 behind 8, allowed: ascending numbers");
    expect_refused(OPTIONS("sm.shared_choices=0,32"), "sm.shared_choices: found 32 KiB as the largest, allowed with "
                                                      "sm.shared_bytes = 49152: at least 48");
    expect_refused(OPTIONS("sm.shared_choices=0,128"), "sm.unified_kib: found 128, allowed with sm.shared_choices up "
                                                       "to 128 and l1d.ways = 4: at least 147, which leaves a way");
    expect_refused(OPTIONS("sm.shared_choices=0,64", "l1d.replacement=pdp"),
                   "sm.shared_choices: found choices up to 64, allowed with l1d.replacement = pdp and l1d.bypass.mode "
                   "= static: 0 alone; what learns from an L1D has a place for each of l1d.ways");
    expect_refused(OPTIONS("sm.shared_choices=0,64", "l1d.bypass.mode=bpg"),
                   "sm.shared_choices: found choices up to 64, allowed with l1d.replacement = lru and l1d.bypass.mode "
                   "= bpg: 0 alone; what learns from an L1D has a place for each of l1d.ways");
}

/* Each thread block's warps spend a while. */
static struct inst spends(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const uint32_t *count = p->context;
    (void)block, (void)warp;
    return n < *count ? inst_of(INST_SP, 1, 1) : inst_exit();
}

static struct outcome *beside(struct config c, const struct program *a, const struct program *b)
{
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){a, b}, 2, NULL, false);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* An even share has two thread blocks of each; those of b need 2 x 4 KiB. */
Test(split, workloads_beside_each_other_have_one_for_all)
{
    const uint32_t count = 50;
    const struct config c = machine();
    struct program a = program_of(8, 1, spends), b = program_of(8, 1, spends);
    a.context = b.context = &count;
    b.kernel.shared_bytes = 4 * KIB;
    struct outcome *o = beside(c, &a, &b);
    cr_expect_eq(o->stats.l1d_split_ways, 7);
    cr_expect_eq(o->of[0].blocks_beside, 2);
    cr_expect_eq(o->of[1].blocks_beside, 2);
    free(o);
}

/* The second kernel of b finds SMs that are split for thread blocks without shared memory: they get no more of a until
 * they are empty, else b would wait for the end of a. */
Test(split, an_sm_drains_for_a_kernel_that_needs_another)
{
    static const uint32_t shared[] = {0, 8};
    const uint32_t count = 50;
    struct config c = machine();
    struct program a = program_of(200, 1, spends), b = program_of(1, 1, spends);
    a.context = b.context = &count;
    shared_of = shared;
    b.kernels = 2;
    b.launch = launch;
    struct outcome *o = beside(c, &a, &b);
    cr_expect_lt(o->of[1].ended, o->of[0].ended / 10, "%lu of %lu", o->of[1].ended, o->of[0].ended);
    cr_expect_eq(o->of[1].blocks_beside, 1);
    cr_expect_eq(o->stats.l1d_splits, 1);
    free(o);
}

Test(split, keeps_no_room_between_a_request_and_its_decision)
{
    const uint32_t lines = 1;
    struct config c = machine();
    struct program p = reader(1, &lines);
    c.sm_dispatch = named("block dispatch", "overlap");
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){&p, &p}, 2, NULL, false);
    cr_expect_not(o->ok);
    cr_expect_str_eq(o->err.text, "sm.shared_choices: found 0,8,16,32 with sm.dispatch = overlap and 2 workloads, "
                                  "allowed with them: 0; the room that a decision finds on an SM must stay");
    free(o);
}
