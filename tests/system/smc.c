/* SPDX-License-Identifier: Apache-2.0 */
/* cke.partition = smc: the direction of the search. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"
#include "system/work.h"

/* Loads of 32 lines in turn, one in each set: an L1D of 4 ways keeps them for four thread blocks of an SM, not for
 * five. */
static struct inst thrashes(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct work *k = p->context;
    if (n == 0 && warp == 0) return inst_line(INST_STORE, INST_NO_REG, k->id << 16 | block);
    return n < k->length ? inst_line(INST_LOAD, (uint8_t)(n % 4), (uint64_t)1 << 24 | block << 12 | n % 32)
                         : inst_exit();
}

static struct outcome *run_for(const char *partition, const struct program *p, uint32_t sms,
                               const struct fixed_memory *m)
{
    struct config c = bench_config();
    c.sm_count = sms;
    c.sm_scheduler = SCHEDULER("lrr");
    c.cke_partition = named("block partition", partition);
    const struct program *const list[] = {&p[0], &p[1]};
    c.sm_blocks = 5;
    c.cke_smc_period = 8000;
    c.cke_cycles = 300000;
    c.partition_count = 1;
    c.clock_dram_khz = 500000;
    struct outcome *o = bench_run_beside(&c, list, 2, m, true);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* Workload 0 is the faster the more thread blocks it has, workload 1 with four of five. */
Test(smc, climbs_to_the_best_number_of_thread_blocks)
{
    const struct work a = {0, 99}, b = {1, 600};
    struct program p[] = {work_of(&a, 300, 1), work_of(&b, 40, 1)};
    p[1].inst = thrashes;
    const struct fixed_memory m = {.latency = 100, .depth = 4, .interval = 12};
    struct outcome *all = run_for("spatial", p, 2, &m), *o = run_for("smc", p, 2, &m);
    cr_expect_lt(all->of[1].l1d_hits, all->of[1].requests / 10);
    cr_expect_gt(o->of[1].l1d_hits, o->of[1].requests / 2, "%lu of %lu", o->of[1].l1d_hits, o->of[1].requests);
    cr_expect_gt(o->of[0].warp_instructions, all->of[0].warp_instructions * 95 / 100);
    free(all);
    free(o);
}

/* Loads of new lines: the DRAM limits workload 1, however many SMs it has.  Workload 0 is the faster the more it has:
 * three of four. */
static struct inst streams(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct work *k = p->context;
    (void)warp;
    return n < k->length ? inst_line(INST_LOAD, (uint8_t)(n % 4), (uint64_t)1 << 24 | block << 12 | n) : inst_exit();
}

Test(smc, climbs_to_the_best_number_of_sms)
{
    const struct work a = {0, 99}, b = {1, 20};
    struct program p[] = {work_of(&a, 300, 1), work_of(&b, 4000, 1)};
    p[1].inst = streams;
    struct outcome *all = run_for("spatial", p, 4, NULL), *o = run_for("smc", p, 4, NULL);
    cr_expect_gt(o->of[0].warp_instructions, all->of[0].warp_instructions * 13 / 10, "%lu, %lu",
                 o->of[0].warp_instructions, all->of[0].warp_instructions);
    cr_expect_gt(o->of[1].warp_instructions, all->of[1].warp_instructions * 6 / 10, "%lu, %lu",
                 o->of[1].warp_instructions, all->of[1].warp_instructions);
    free(all);
    free(o);
}

/* The same with the workloads exchanged: the second gets the SMs. */
Test(smc, gives_sms_to_either_workload)
{
    const struct work a = {0, 20}, b = {1, 99};
    struct program p[] = {work_of(&a, 4000, 1), work_of(&b, 300, 1)};
    p[0].inst = streams;
    struct outcome *all = run_for("spatial", p, 4, NULL), *o = run_for("smc", p, 4, NULL);
    cr_expect_gt(o->of[1].warp_instructions, all->of[1].warp_instructions * 13 / 10, "%lu, %lu",
                 all->of[1].warp_instructions, o->of[1].warp_instructions);
    free(all);
    free(o);
}
