/* SPDX-License-Identifier: Apache-2.0 */
/* Which workload's memory instructions go to the LSU: limits and turns hold, and a limit that is never reached changes
 * nothing. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/named.h"

/* Loads of one line each, with no dependent instruction: always ready. */
static struct inst loads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    uint64_t line = *(const uint64_t *)p->context + ((uint64_t)block * 64 + warp) * 1024 + n;
    return n == 200 ? inst_exit() : inst_line(INST_LOAD, (uint8_t)n, line);
}

static struct inst scatters(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    uint64_t line = *(const uint64_t *)p->context + ((uint64_t)block * 64 + warp) * 100000 + n * 32;
    return n == 200 ? inst_exit() : inst_memory(INST_LOAD, (uint8_t)n, line << LINE_SHIFT, 128, 4);
}

static const uint64_t first = 0x1000, second = 0x2000000;

struct pair {
    struct program p[2];
    const struct program *list[2];
};

static struct pair pair_of(struct inst (*a)(const struct program *, uint32_t, uint32_t, uint32_t),
                           struct inst (*b)(const struct program *, uint32_t, uint32_t, uint32_t))
{
    struct pair x = {{program_of(4, 4, a), program_of(4, 4, b)}, {NULL, NULL}};
    x.p[0].context = &first;
    x.p[1].context = &second;
    return x;
}

static struct outcome *run(struct config c, struct pair *x)
{
    const struct fixed_memory m = bench_memory();
    x->list[0] = &x->p[0];
    x->list[1] = &x->p[1];
    struct outcome *o = bench_run_beside(&c, x->list, 2, &m, true);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct config config_of(uint32_t scheme)
{
    struct config c = bench_config();
    c.cke_cycles = 1500;
    c.cke_scheme = scheme;
    return c;
}

static uint32_t workload_of(const struct event *e)
{
    return (e->r.line & 0xffffffffffull) >= second;
}

/* The most instructions of a workload in flight: its loads have one access each. */
static uint32_t most_in_flight(const struct outcome *o, uint32_t workload)
{
    uint32_t now = 0, most = 0;
    for (uint32_t i = 0; i < o->events; i++) {
        if (workload_of(&o->event[i]) != workload) continue;
        now += o->event[i].place == AT_COALESCER;
        now -= o->event[i].place == AT_DONE;
        most = now > most ? now : most;
    }
    return most;
}

Test(concurrent_schemes, a_static_limit_is_reached_and_obeyed)
{
    for (uint32_t limit = 1; limit < 9; limit++) {
        struct config c = config_of(CKE_SMIL);
        struct pair x = pair_of(loads, loads);
        c.cke_limit[0] = limit;
        struct outcome *o = run(c, &x);
        cr_expect_eq(most_in_flight(o, 0), limit, "%u, limit %u", most_in_flight(o, 0), limit);
        cr_expect_gt(most_in_flight(o, 1), 16, "no limit: %u", most_in_flight(o, 1));
        cr_expect_gt(o->of[0].memory_done, 0, "a retired instruction wakes the next");
        free(o);
    }
}

Test(concurrent_schemes, an_unreached_limit_changes_nothing)
{
    struct pair x = pair_of(loads, scatters);
    struct outcome *plain = run(config_of(CKE_PLAIN), &x), *smil = run(config_of(CKE_SMIL), &x);
#define STAT(field, name, text) cr_expect_eq(plain->stats.field, smil->stats.field, name);
#include "system/stats/stats.def"
#undef STAT
    cr_expect_arr_eq(plain->of, smil->of, sizeof plain->of);
    free(plain);
    free(smil);
}

/* The workloads' instructions in the order of their issue, from the first one of the second workload on. */
static uint32_t issues(const struct outcome *o, uint8_t *workload, uint32_t room)
{
    uint32_t n = 0;
    uint64_t last = UINT64_MAX;
    for (uint32_t i = 0; i < o->events && n < room; i++) {
        const struct event *e = &o->event[i];
        if (e->place != AT_COALESCER || (!n && !workload_of(e))) continue;
        if (e->cycle != last) workload[n++] = (uint8_t)workload_of(e); /* one instruction a cycle */
        last = e->cycle;
    }
    return n;
}

Test(concurrent_schemes, round_robin_takes_turns)
{
    struct pair x = pair_of(loads, scatters);
    struct outcome *o = run(config_of(CKE_RBMI), &x);
    uint8_t workload[64];
    uint32_t n = issues(o, workload, 64);
    cr_assert_gt(n, 20);
    for (uint32_t i = 0; i < n; i++) cr_expect_eq(workload[i], (i + 1) % 2, "issue %u", i);
    free(o);
}

static struct inst thinks(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n == 400 ? inst_exit() : inst_of(INST_SP, 1, 1);
}

/* The turn goes to a workload with an instruction to issue. */
Test(concurrent_schemes, who_has_no_memory_instruction_takes_no_turn)
{
    for (uint32_t scheme = CKE_RBMI; scheme <= CKE_QBMI; scheme++) {
        struct pair x = pair_of(loads, thinks);
        struct outcome *plain = run(config_of(CKE_PLAIN), &x), *o = run(config_of(scheme), &x);
        cr_expect_eq(o->of[1].memory_instructions, 0);
        cr_expect_gt(o->of[0].requests, 100);
        cr_expect_geq(10 * o->of[0].requests, 9 * plain->of[0].requests, "%lu requests, plain %lu", o->of[0].requests,
                      plain->of[0].requests);
        free(plain);
        free(o);
    }
}

static struct inst shares(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n == 200 ? inst_exit() : inst_memory(INST_SHARED_LOAD, (uint8_t)n, 0, 4, 4);
}

/* Instructions of the first, which accesses shared memory, for ten of the second. */
static uint64_t shared_for_ten(uint32_t scheme, bool shared)
{
    struct config c = config_of(scheme);
    c.cke_shared = shared;
    struct pair x = pair_of(shares, loads);
    struct outcome *o = run(c, &x);
    uint64_t n = 10 * o->of[0].warp_instructions / o->of[1].memory_instructions;
    free(o);
    return n;
}

Test(concurrent_schemes, shared_memory_takes_turns_if_it_is_to)
{
    for (uint32_t scheme = CKE_RBMI; scheme <= CKE_QBMI; scheme++) {
        uint64_t n = shared_for_ten(scheme, true), without = shared_for_ten(scheme, false);
        cr_expect(n >= 9 && n <= 12, "found %lu, expected as many of each", n);
        cr_expect(without < 9 || without > 12, "found %lu, expected no balance", without);
    }
}

/* One has 32 requests an instruction, the other one: by quota they come to as many requests, in turn to 32 times. */
Test(concurrent_schemes, quotas_balance_requests)
{
    double ratio[2];
    for (int qbmi = 0; qbmi < 2; qbmi++) {
        struct config c = config_of(qbmi ? CKE_QBMI : CKE_RBMI);
        c.cke_cycles = 60000;
        struct pair x = pair_of(loads, scatters);
        struct outcome *o = run(c, &x);
        ratio[qbmi] = (double)o->of[1].requests / (double)o->of[0].requests;
        free(o);
    }
    cr_expect_gt(ratio[0], 16, "round robin: %.2f", ratio[0]);
    cr_expect_lt(ratio[1], 2, "quotas: %.2f", ratio[1]);
    cr_expect_gt(ratio[1], 0.5, "quotas: %.2f", ratio[1]);
}

/* A set of 4 ways and misses that all go there: every request is refused many times.  The limit must come down. */
static struct inst collides(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    return inst_line(INST_LOAD, (uint8_t)(n % 8), second + (((uint64_t)block * 4 + warp) * 100000 + n) * 32);
}

Test(concurrent_schemes, failures_lower_the_dynamic_limit)
{
    uint64_t failures[2];
    for (int dmil = 0; dmil < 2; dmil++) {
        struct config c = config_of(dmil ? CKE_DMIL : CKE_PLAIN);
        c.cke_cycles = 300000;
        struct pair x = pair_of(loads, collides);
        struct outcome *o = run(c, &x);
        failures[dmil] = o->of[1].l1d_rf * 1000 / o->of[1].requests;
        free(o);
    }
    cr_expect_gt(failures[0], 10000, "per 1000 requests: %lu", failures[0]);
    cr_expect_lt(failures[1], failures[0] / 2, "per 1000 requests: %lu, without a limit %lu", failures[1], failures[0]);
}

/* A line of each warp's own, again and again. */
static struct inst hits(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    uint64_t line = *(const uint64_t *)p->context + block * 4 + warp;
    return n == 200 ? inst_exit() : inst_line(INST_LOAD, (uint8_t)n, line);
}

/* One of four warps loads, the others compute all the time. */
static struct inst mostly_thinks(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    return warp < 3 ? thinks(p, block, warp, n) : hits(p, block, warp, n);
}

/* The scheduler mostly picks a warp that computes of the second workload, or one that loads of the first.  While the
 * second one's turn is not taken, the LSU is the first one's. */
Test(concurrent_schemes, an_unused_turn_does_not_block_the_other_kernel)
{
    for (uint32_t scheme = CKE_RBMI; scheme <= CKE_QBMI; scheme++) {
        struct pair x = pair_of(hits, mostly_thinks);
        struct config c = config_of(CKE_PLAIN);
        c.sm_schedulers = 1;
        c.sm_scheduler = SCHEDULER("lrr");
        struct outcome *plain = run(c, &x);
        c.cke_scheme = scheme;
        struct outcome *o = run(c, &x);
        uint64_t all = o->of[0].requests + o->of[1].requests, before = plain->of[0].requests + plain->of[1].requests;
        cr_expect_geq(10 * all, 9 * before, "scheme %u: %lu requests, plain %lu", scheme, all, before);
        free(plain);
        free(o);
    }
}

/* These keep warps from issuing: none of the workload that comes first may be among those that they let. */
Test(concurrent_schemes, every_scheduler_goes_on_under_every_scheme)
{
    for (uint32_t scheduler = 0; scheduler < policies_of("warp scheduler"); scheduler++) {
        if (scheduler == SCHEDULER("locality")) continue; /* refuses workloads beside each other */
        uint64_t plain = 0;
        for (uint32_t scheme = CKE_PLAIN; scheme <= CKE_QBMI_DMIL; scheme++) {
            struct config c = config_of(scheme);
            c.sm_scheduler = scheduler;
            c.sm_swl_warps = 1;
            c.sm_two_level_group = 1;
            c.cke_cycles = 6000;
            struct pair x = pair_of(loads, scatters);
            struct outcome *o = run(c, &x);
            uint64_t requests = o->of[0].requests + o->of[1].requests;
            if (scheme == CKE_PLAIN) plain = requests;
            cr_expect_gt(10 * requests, 8 * plain, "scheduler %u, scheme %u: %lu requests, plain %lu", scheduler,
                         scheme, requests, plain);
            free(o);
        }
    }
}
