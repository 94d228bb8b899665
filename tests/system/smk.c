/* SPDX-License-Identifier: Apache-2.0 */
/* sm.throttle = smk: workloads issue by their quotas, and wait for each other. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

static struct inst thinks(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n == 400 ? inst_exit() : inst_of(INST_SP, 1, 1);
}

static struct inst loads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    if (n == 60) return inst_exit();
    if (n % 8 == 7) return inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG);
    return n % 3 ? inst_of(INST_SP, 2, 1) : inst_line(INST_LOAD, 1, (block * 8 + warp) * 64 + n);
}

static struct config machine(uint32_t quota0, uint32_t quota1)
{
    struct config c = bench_config();
    c.sm_throttle = named("throttle", "smk");
    c.cke_quota[0] = quota0;
    c.cke_quota[1] = quota1;
    return c;
}

static struct outcome *run(const struct config *c, const struct program *a, const struct program *b)
{
    struct outcome *o = bench_run_beside(c, (const struct program *const[]){a, b}, 2, NULL, c->cke_cycles != 0);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct program many(uint32_t blocks, struct inst (*inst)(const struct program *, uint32_t, uint32_t, uint32_t))
{
    return program_of(blocks, 4, inst);
}

Test(smk, instructions_go_by_the_quotas)
{
    static const uint32_t quotas[][2] = {{10, 10}, {10, 40}, {90, 30}, {1, 5}};
    const struct program a = many(64, thinks), b = many(64, thinks);
    for (uint32_t i = 0; i < 4; i++) {
        struct config c = machine(quotas[i][0], quotas[i][1]);
        c.cke_cycles = 4000;
        struct outcome *o = run(&c, &a, &b);
        const double found = (double)o->of[0].warp_instructions / (double)o->of[1].warp_instructions;
        const double expected = (double)quotas[i][0] / quotas[i][1];
        cr_expect(found > 0.9 * expected && found < 1.1 * expected, "%u to %u: %.3f", quotas[i][0], quotas[i][1],
                  found);
        cr_expect_gt(o->stats.smk_refills, 20);
        cr_expect_eq(o->stats.smk_above, 0); /* one scheduler issues one at a time */
        cr_expect_gt(o->stats.gpu_stall_throttle_cycles, 0);
        free(o);
    }
}

/* Two schedulers and a quota of 3: with a debt 4, 2, 4, 2 ... instructions, else always 4. */
Test(smk, instructions_above_a_quota_are_a_debt_or_forgotten)
{
    const struct program a = many(64, thinks), b = many(64, thinks);
    struct config c = machine(3, 40);
    c.cke_cycles = 4000;
    c.sm_schedulers = c.sm_sp_units = 2;
    struct outcome *debt = run(&c, &a, &b);
    c.cke_quota_debt = false;
    struct outcome *forgotten = run(&c, &a, &b);
    cr_expect_gt(debt->stats.smk_above, 0);
    cr_expect_gt(forgotten->stats.smk_above, debt->stats.smk_above);
    cr_expect_gt(5 * forgotten->of[0].warp_instructions, 6 * debt->of[0].warp_instructions, "%lu and %lu",
                 forgotten->of[0].warp_instructions, debt->of[0].warp_instructions);
    free(debt);
    free(forgotten);
}

/* The first workload ends early, and its last thread blocks leave one SM before the other. */
Test(smk, a_workload_that_has_gone_holds_nobody_up)
{
    const struct program few = many(3, loads), more = many(40, loads);
    struct config c = machine(5, 3);
    c.sm_count = 2;
    c.sim_max_cycles = 200000;
    struct outcome *o = run(&c, &few, &more);
    cr_expect_eq(o->of[0].warp_instructions, 3 * 4 * 61);
    cr_expect_eq(o->of[1].warp_instructions, 40 * 4 * 61);
    free(o);
}

Test(smk, skipped_cycles_change_no_counter)
{
    const struct program a = many(24, loads), b = many(12, thinks);
    for (uint32_t i = 0; i < 24; i++) {
        struct config c = machine(1 + i * 3 % 40, 1 + i * 5 % 9);
        c.sm_count = 1 + i % 2;
        c.cke_cycles = i % 3 ? 3000 : 0;
        c.sm_schedulers = 1 + i % 4;
        c.sm_scheduler = SCHEDULER(i & 1 ? "two_level" : i & 2 ? "lrr" : "gto");
        c.cke_scheme = i % 5;
        c.cke_quota_debt = i % 3 == 0;
        struct outcome *skipped = run(&c, &a, &b);
        c.sim_skip = false;
        struct outcome *ticked = run(&c, &a, &b);
#define STAT(field, name, text) cr_expect_eq(skipped->stats.field, ticked->stats.field, "case %u: " name, i);
#include "system/stats/stats.def"
#undef STAT
        cr_expect_gt(ticked->stats.smk_refills, 0);
        free(skipped);
        free(ticked);
    }
}

static void check_refused(struct config c, uint32_t workloads, const char *expected)
{
    const struct program p = many(1, thinks);
    struct outcome *o =
        bench_run_beside(&c, (const struct program *const[]){&p, &p, &p, &p, &p}, workloads, NULL, false);
    cr_expect(!o->ok);
    cr_expect_str_eq(o->err.text, expected);
    free(o);
}

Test(smk, what_cannot_be_is_refused)
{
    struct config c = machine(4, 4);
    check_refused(c, 1, "sm.throttle: found smk with 1 workload, allowed with it: 2 to 4 that share an SM");
    check_refused(c, 5, "sm.throttle: found smk with 5 workloads, allowed with it: 2 to 4 that share an SM");
    check_refused(c, 3,
                  "cke.quota2: found 0 with sm.throttle = smk, allowed with it: 1 to 65535, the warp instructions of "
                  "program in a period");
    c.sm_scheduler = SCHEDULER("swl");
    check_refused(c, 2,
                  "sm.throttle: found smk with sm.scheduler = swl, allowed with it: a scheduler without a static warp "
                  "limit, since all warps within the limit may be out of quota");
}
