/* SPDX-License-Identifier: Apache-2.0 */
/* Units of a scheduler's own (sm.sub_cores), seen by the cycle in which a store reaches the coalescer.  The first
 * instruction issues in cycle 0. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/config/config.h"
#include "system/named.h"

static const uint8_t arithmetic[] = {INST_SP, INST_INT, INST_DP, INST_SFU, INST_TENSOR};
enum { KINDS = sizeof arithmetic };
static const uint32_t latency[KINDS] = {4, 5, 8, 17, 33}, interval[KINDS] = {1, 2, 4, 8, 16};

static struct config sub_cores(void)
{
    struct config c = bench_config();
    c.sm_sub_cores = true;
    c.sm_sp_latency = latency[0], c.sm_sp_interval = interval[0];
    c.sm_int_latency = latency[1], c.sm_int_interval = interval[1];
    c.sm_dp_latency = latency[2], c.sm_dp_interval = interval[2];
    c.sm_sfu_latency = latency[3], c.sm_sfu_interval = interval[3];
    c.sm_tensor_latency = latency[4], c.sm_tensor_interval = interval[4];
    return c;
}

/* Every warp has these instructions, then a store, or `mixed` ones. */
struct list {
    uint32_t count;
    struct inst inst[8];
};

static struct inst listed(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct list *l = p->context;
    (void)block;
    if (n < l->count) return l->inst[n];
    return n == l->count ? inst_line(INST_STORE, INST_NO_REG, 100 + warp) : inst_exit();
}

static struct outcome *run(const struct config *c, uint32_t warps, const struct list *l)
{
    struct program p = program_of(1, warps, listed);
    struct fixed_memory m = bench_memory();
    p.context = l;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* Cycle in which the n-th store was coalesced. */
static uint64_t stored(const struct config *c, uint32_t warps, const struct list *l, uint32_t n)
{
    struct outcome *o = run(c, warps, l);
    const struct event *e = outcome_event(o, AT_COALESCER, n);
    cr_assert_not_null(e);
    const uint64_t cycle = e->cycle;
    free(o);
    return cycle;
}

Test(sub_cores, each_unit_has_its_latency)
{
    const struct config c = sub_cores();
    for (int k = 0; k < KINDS; k++) {
        /* The second waits for the first, the store only for its turn. */
        const struct list l = {2, {inst_of(arithmetic[k], 1, INST_NO_REG), inst_of(INST_SP, 2, 1)}};
        cr_expect_eq(stored(&c, 1, &l, 0), latency[k] + 1, "%d: %lu", k, stored(&c, 1, &l, 0));
    }
}

Test(sub_cores, each_unit_takes_an_instruction_every_interval)
{
    const struct config c = sub_cores();
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++) {
            const struct list l = {2, {inst_of(arithmetic[a], 1, INST_NO_REG), inst_of(arithmetic[b], 2, INST_NO_REG)}};
            const uint64_t want = (a == b ? interval[a] : 1) + 1;
            cr_expect_eq(stored(&c, 1, &l, 0), want, "%d after %d: found %lu", b, a, stored(&c, 1, &l, 0));
        }
}

/* Warps 0 and 1 belong to two schedulers, warps 0 and 2 to one. */
Test(sub_cores, schedulers_do_not_share_units)
{
    struct config c = sub_cores();
    const struct list l = {1, {inst_of(INST_TENSOR, 1, INST_NO_REG)}};
    c.sm_schedulers = 2;
    cr_expect_leq(stored(&c, 2, &l, 1), 3);
    cr_expect_geq(stored(&c, 3, &l, 2), interval[4] + 1);
    c.sm_schedulers = 1;
    cr_expect_geq(stored(&c, 2, &l, 1), interval[4] + 1);
}

/* Each of two schedulers issues an instruction a cycle, though sm.sp_units is 1. */
Test(sub_cores, shared_ports_do_not_count)
{
    struct config c = sub_cores();
    const struct list l = {8,
                           {inst_of(INST_SP, 1, INST_NO_REG), inst_of(INST_SP, 2, INST_NO_REG),
                            inst_of(INST_SP, 3, INST_NO_REG), inst_of(INST_SP, 4, INST_NO_REG),
                            inst_of(INST_SP, 5, INST_NO_REG), inst_of(INST_SP, 6, INST_NO_REG),
                            inst_of(INST_SP, 7, INST_NO_REG), inst_of(INST_SP, 8, INST_NO_REG)}};
    c.sm_schedulers = 2;
    c.sm_sp_units = 1;
    cr_expect_leq(stored(&c, 2, &l, 1), 10);
    c.sm_sub_cores = false;
    cr_expect_geq(stored(&c, 2, &l, 1), 16);
}

Test(sub_cores, instructions_are_counted_by_unit)
{
    struct config c = sub_cores();
    struct list l = {6,
                     {inst_of(INST_SP, 1, 1), inst_of(INST_INT, 2, 2), inst_of(INST_DP, 3, 3), inst_of(INST_SFU, 4, 4),
                      inst_of(INST_TENSOR, 5, 5), inst_of(INST_COMMIT, INST_NO_REG, INST_NO_REG)}};
    for (uint16_t k = 0; k < KINDS; k++) l.inst[k].count = (uint16_t)(k + 1);
    struct outcome *o = run(&c, 1, &l);
    cr_expect_eq(o->stats.gpu_sp_instructions, 1);
    cr_expect_eq(o->stats.gpu_int_instructions, 2 + 1, "commits take the INT unit");
    cr_expect_eq(o->stats.gpu_dp_instructions, 3);
    cr_expect_eq(o->stats.gpu_sfu_instructions, 4);
    cr_expect_eq(o->stats.gpu_tensor_instructions, 5);
    free(o);
    c.sm_sub_cores = false;
    o = run(&c, 1, &l);
    cr_expect_eq(o->stats.gpu_sp_instructions, 1 + 2 + 1 + 5);
    cr_expect_eq(o->stats.gpu_sfu_instructions, 3 + 4);
    cr_expect_eq(o->stats.gpu_int_instructions + o->stats.gpu_dp_instructions + o->stats.gpu_tensor_instructions, 0);
    free(o);
}

Test(sub_cores, without_them_units_have_the_latencies_of_two)
{
    struct config c = sub_cores();
    const uint32_t shared[KINDS] = {4, 4, 17, 17, 4};
    c.sm_sub_cores = false;
    for (int k = 0; k < KINDS; k++) {
        const struct list l = {2, {inst_of(arithmetic[k], 1, INST_NO_REG), inst_of(INST_SP, 2, 1)}};
        cr_expect_eq(stored(&c, 1, &l, 0), shared[k] + 1, "%d", k);
    }
}

/* Kinds and registers that depend on warp and place, so that units are busy and free in many orders. */
static struct inst mixed(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const uint32_t x = (block * 31 + warp * 7 + n) * 2654435761u >> 16;
    (void)p;
    if (n >= 60) return inst_exit();
    if (x % 11 == 0) return inst_line(INST_LOAD, (uint8_t)(x % 5), x % 64);
    if (n % 20 == 19) return inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG);
    return inst_of(arithmetic[x / 16 % KINDS], (uint8_t)(x % 7), (uint8_t)(x / 7 % 9));
}

static struct stats stats_of(const struct config *c)
{
    const struct program p = program_of(6, 5, mixed);
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    const struct stats s = o->stats;
    free(o);
    return s;
}

/* A sleeping SM wakes in the cycle in which a unit is free, and the short path of issue is the long one's twin. */
Test(sub_cores, no_cycle_depends_on_sleep_or_path)
{
    for (uint32_t schedulers = 1; schedulers <= 4; schedulers++) {
        struct config c = sub_cores();
        c.sm_schedulers = schedulers;
        const struct stats asleep = stats_of(&c);
        c.sim_skip = false;
        const struct stats awake = stats_of(&c);
        cr_expect_arr_eq(&asleep, &awake, sizeof asleep, "%u schedulers", schedulers);
        cr_expect_gt(asleep.gpu_stall_structural_cycles, 0);
        c.sm_throttle = named("throttle", "dwt");
        c.sm_dwt_mpki = 1000;
        const struct stats other = stats_of(&c);
        cr_expect_eq(other.gpu_cycles, awake.gpu_cycles, "%u schedulers: %lu, %lu", schedulers, other.gpu_cycles,
                     awake.gpu_cycles);
        cr_expect_eq(other.gpu_stall_structural_cycles, awake.gpu_stall_structural_cycles);
    }
}

Test(sub_cores, operand_collectors_are_refused)
{
    struct config c = sub_cores();
    struct error err = {0};
    cr_assert(config_check(&c, &err), "%s", err.text);
    c.sm_reg_banks = 16;
    c.l1d_latency_at = LATENCY_FRONT;
    cr_expect_not(config_check(&c, &err));
    cr_expect_str_eq(err.text,
                     "sm.reg_banks: found 16, allowed with sm.sub_cores = true: 0; the schedulers share them");
}
