/* SPDX-License-Identifier: Apache-2.0 */
/* sm.scheduler = locality: warps that share lines run together; nothing waits forever. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "system/bench.h"
#include "system/named.h"
#include "trace/kernels.h"
#include "warp_locality.h"

enum { WARPS = 8, LOADS = 8, TURN = LOADS + 1, ROUNDS = 20 };

static const struct allocation table = {.name = "table", .addr = 0, .bytes = 64 * WARPS * 128};

/* Warps w and w + 4 read the same 16 lines, eight of them in a turn, and then work. */
static struct inst pairs(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    if (n == TURN * ROUNDS) return inst_exit();
    if (n % TURN == LOADS) return inst_of(INST_SP, LOADS + 1, LOADS);
    return inst_line(INST_LOAD, (uint8_t)(1 + n % TURN),
                     64 * (block % 2) + 16 * (warp % 4) + (LOADS * (n / TURN) + n % TURN) % 16);
}

/* Each warp waits for the others of its block every third turn. */
static struct inst with_barriers(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    if (n % (3 * TURN) == 3 * TURN - 1 && n < TURN * ROUNDS) return inst_of(INST_BARRIER, 0, 0);
    return pairs(p, block, warp, n);
}

static struct inst long_first_warp(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    if (n == (block == 0 && warp == 0 ? 3000u : 20u)) return inst_exit();
    if (n % 5 == 4) return inst_line(INST_LOAD, 1, 64 * (block % 2) + warp % 4);
    return inst_of(INST_SP, (uint8_t)(2 + n % 4), 0);
}

static struct program over_table(struct program p)
{
    p.allocations = &table;
    p.allocation_count = 1;
    return p;
}

/* An L1D of sixteen lines, what two warps that share read. */
static struct config machine(const char *scheduler)
{
    struct config c = bench_config();
    c.sm_warps = 16;
    c.sm_blocks = 2;
    c.l1d_sets = 4;
    c.l1d_ways = 4;
    c.sm_scheduler = SCHEDULER(scheduler);
    c.sm_two_level_group = c.sm_locality_group = 2;
    c.sm_ranges = ACCESS_BOUNDS;
    return c;
}

static struct outcome *run(struct config c, struct program p)
{
    const struct fixed_memory m = {.latency = 100, .depth = 64, .interval = 8};
    const struct program with_arrays = over_table(p);
    struct outcome *o = bench_run(&c, &with_arrays, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

Test(locality, warps_that_share_lines_run_together)
{
    struct outcome *a = run(machine("two_level"), program_of(1, WARPS, pairs));
    struct outcome *b = run(machine("locality"), program_of(1, WARPS, pairs));
    const uint64_t before = a->stats.l1d_hits + a->stats.l1d_merged, now = b->stats.l1d_hits + b->stats.l1d_merged;
    cr_expect_eq(a->stats.locality_promotions, 0);
    cr_expect_gt(b->stats.locality_promotions_shared, 20);
    cr_expect_gt(b->stats.locality_degrees, b->stats.locality_promotions_shared);
    cr_expect_gt(now, before + before / 4, "hits and merges: %lu, %lu with locality", before, now);
    free(a);
    free(b);
}

/* Without arrays there is no degree: no promotion has one, and no issue is for one. */
Test(locality, without_arrays_nothing_is_shared)
{
    const struct config c = machine("locality");
    const struct program p = program_of(2, WARPS, pairs);
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_gt(o->stats.locality_promotions, 2 * WARPS - 1);
    cr_expect_eq(o->stats.locality_promotions_shared, 0);
    cr_expect_eq(o->stats.locality_degrees, 0);
    cr_expect_eq(o->stats.locality_issues, 0);
    free(o);
}

Test(locality, every_warp_issues_all_it_has)
{
    struct outcome *gto = run(machine("gto"), program_of(6, WARPS, with_barriers));
    struct outcome *o = run(machine("locality"), program_of(6, WARPS, with_barriers));
    cr_expect_eq(o->stats.gpu_warp_instructions, gto->stats.gpu_warp_instructions);
    cr_expect_eq(o->stats.gpu_barriers, gto->stats.gpu_barriers);
    cr_expect_eq(o->stats.locality_starved, 0, "no warp stays while so many thread blocks come");
    free(gto);
    free(o);
}

/* The first warp's block stays while more than four others come and go. */
Test(locality, a_warp_starves_when_many_blocks_came_after_its_own)
{
    struct outcome *few = run(machine("locality"), program_of(5, 4, long_first_warp));
    cr_expect_eq(few->stats.locality_starved, 0);
    struct outcome *many = run(machine("locality"), program_of(6, 4, long_first_warp));
    cr_expect_eq(many->stats.locality_starved, 1);
    cr_expect_gt(many->stats.locality_starved_issues, 100);
    free(few);
    free(many);
}

static void check_skipping(struct config c, struct program p)
{
    c.sim_skip = true;
    struct outcome *a = run(c, p);
    c.sim_skip = false;
    struct outcome *b = run(c, p);
#define STAT(field, name, text)                                                                                        \
    cr_expect_eq(a->stats.field, b->stats.field, name ": %lu with sim.skip, %lu without", a->stats.field,              \
                 b->stats.field);
#include "system/stats/stats.def"
#undef STAT
    cr_expect_gt(a->stats.locality_promotions, 0);
    free(a);
    free(b);
}

Test(locality, skipped_cycles_change_no_counter)
{
    for (uint32_t i = 0; i < 32; i++) {
        struct config c = machine("locality");
        c.sm_schedulers = 1 + i % 4;
        c.sm_locality_group = 1 + i % 5;
        c.sm_locality_wait = i & 1;
        c.sm_throttle = named("throttle", i & 2 ? "ccws" : "none");
        c.l1d_mshr_kind = MISS_FILE(i & 4 ? "dl_mshr" : "mshr");
        c.sm_lsu_queue = 1 + i % 3;
        check_skipping(c, program_of(7, 6, i & 8 ? pairs : i & 16 ? with_barriers : long_first_warp));
    }
}

enum { ARRAYS = 8, REGION_BITS = 8 };

/* The starts of warps that a block gets, in the order of the vectors. */
struct starts {
    const struct warp_ranges *warps;
    uint32_t sub_bits;
    uint64_t seen;
};

static uint64_t bits_at(const uint32_t *words, uint32_t at, uint32_t bits)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bits; i++) value |= (uint64_t)(words[(at + i) / 32] >> (at + i) % 32 & 1) << i;
    return value;
}

static void check_start(void *context, const char *block, const void *cfg, const void *in)
{
    struct starts *s = context;
    const struct warp_locality_in *i = in;
    (void)block, (void)cfg;
    if (!i->warp_valid_i || !i->warp_start_i) return;
    cr_assert_lt(s->seen, s->warps->vector_count);
    const struct warp_vectors *v = &s->warps->vectors[s->seen++];
    cr_assert(i->warp_ranged_i);
    for (uint32_t a = 0; a < ARRAYS; a++) {
        cr_assert_eq(i->warp_regions_i >> a * REGION_BITS & ((1u << REGION_BITS) - 1), v->region[a]);
        cr_assert_eq(bits_at(i->warp_subs_i, a * s->sub_bits, s->sub_bits), v->subs[a], "%u bits, array %u",
                     s->sub_bits, a);
    }
    for (uint32_t at = ARRAYS * s->sub_bits; at < 32 * 32; at++)
        cr_assert_eq(bits_at(i->warp_subs_i, at, 1), 0, "%u bits, behind the last array: %u", s->sub_bits, at);
}

static struct source *vecadd(void)
{
    struct error err = {""};
    struct source *s = kernel_open("vecadd:n=1024,align=2097152", 1, &err);
    cr_assert(s, "%s", err.text);
    return s;
}

/* The ranges of a kernel, with vectors drawn by lot. */
static void draw_vectors(const struct config *c, struct ranges *r)
{
    struct warp_range_rules rules;
    struct error err = {""};
    struct source *first = vecadd(), *second = vecadd();
    struct rng rng;
    rng_seed(&rng, 1);
    cr_assert(run_warp_rules(c, &rules));
    cr_assert(ranges_collect(first, r, NULL, &err) && warp_ranges_collect(second, r, &rules, &err), "%s", err.text);
    first->ops->close(first);
    second->ops->close(second);
    for (uint64_t i = 0; i < r->warps->vector_count; i++)
        for (uint32_t a = 0; a < ARRAYS; a++) {
            r->warps->vectors[i].region[a] = (uint32_t)rng_u64(&rng) & ((1u << REGION_BITS) - 1);
            r->warps->vectors[i].subs[a] = (uint32_t)rng_u64(&rng) >> (32 - c->sm_locality_sub_bits);
        }
}

/* Fields of 5 or 17 bits cross words. */
Test(locality, the_block_gets_the_vectors_of_each_warp)
{
    static const uint32_t widths[] = {1, 5, 16, 17, 31, 32};
    for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct config c = machine("locality");
        struct ranges r = {0};
        struct stats stats;
        struct error err = {""};
        c.sm_locality_arrays = ARRAYS;
        c.sm_locality_region_bits = REGION_BITS;
        c.sm_locality_sub_bits = widths[i];
        draw_vectors(&c, &r);
        struct starts starts = {.warps = r.warps, .sub_bits = widths[i]};
        const struct observer o = {.capture = check_start, .capture_unit = "sm.0.locality", .context = &starts};
        struct run_setup setup = {.config = c, .source = vecadd(), .ranges = {&r}, .observer = &o};
        cr_assert(run_workload(&setup, &stats, &err), "%s", err.text);
        cr_expect_eq(starts.seen, r.warps->vector_count);
        cr_expect_geq(starts.seen, 32);
        setup.source->ops->close(setup.source);
        ranges_free(&r);
    }
}

static struct inst once(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n ? inst_exit() : inst_of(INST_SP, 1, 0);
}

static void check_refused(const char *const *options, uint32_t workloads, const char *expected)
{
    struct config c = machine("locality");
    struct error err = {0};
    for (; *options; options++) cr_assert(config_set(&c, *options, &err), "%s", err.text);
    const struct program p = program_of(1, 1, once), *const two[] = {&p, &p};
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run_beside(&c, two, workloads, &m, false);
    cr_expect(!o->ok);
    cr_expect_str_eq(o->err.text, expected);
    free(o);
}

Test(locality, what_cannot_be_is_refused)
{
    check_refused((const char *const[]){"sm.warps=96", NULL}, 1,
                  "sm.scheduler: found locality with sm.warps = 96, allowed with it: 2 to 64");
    check_refused((const char *const[]){"sm.warps=1", NULL}, 1,
                  "sm.scheduler: found locality with sm.warps = 1, allowed with it: 2 to 64");
    check_refused((const char *const[]){"sm.blocks=33", NULL}, 1,
                  "sm.scheduler: found locality with sm.blocks = 33, allowed with it: 1 to 32");
    check_refused((const char *const[]){"sm.locality.arrays=7", NULL}, 1,
                  "sm.locality.region_bits: found 10 with sm.locality.arrays = 7, allowed: up to 9, as the region "
                  "vectors of a warp have 64 bits");
    check_refused((const char *const[]){"sm.locality.arrays=8", NULL}, 1,
                  "sm.locality.region_bits: found 10 with sm.locality.arrays = 8, allowed: up to 8, as the region "
                  "vectors of a warp have 64 bits");
    check_refused((const char *const[]){NULL}, 2,
                  "sm.scheduler: found locality with 2 concurrent workloads, allowed with it: one, as regions "
                  "are of the arrays of one kernel");
}
