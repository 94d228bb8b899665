/* SPDX-License-Identifier: Apache-2.0 */
/* When a warp may issue, seen by the cycle in which its store or load reaches the coalescer. The first instruction
 * issues in cycle 0. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

struct list {
    uint32_t count;
    struct inst inst[16];
};

static struct inst from_list(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)block, (void)warp;
    const struct list *l = p->context;
    return n < l->count ? l->inst[n] : inst_exit();
}

static struct outcome *run_list(const struct config *c, const struct list *l)
{
    struct program p = program_of(1, 1, from_list);
    struct fixed_memory m = bench_memory();
    p.context = l;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* Cycle in which the n-th memory access was coalesced. */
static uint64_t coalesced(const struct config *c, const struct list *l, uint32_t n)
{
    struct outcome *o = run_list(c, l);
    const struct event *e = outcome_event(o, AT_COALESCER, n);
    cr_assert_not_null(e);
    uint64_t cycle = e->cycle;
    free(o);
    return cycle;
}

static struct inst store_of(uint8_t src)
{
    struct inst i = inst_line(INST_STORE, INST_NO_REG, 1);
    i.src[1] = src;
    return i;
}

Test(scoreboard, a_result_is_usable_after_its_units_latency)
{
    const struct config c = bench_config();
    cr_assert_eq(coalesced(&c, &(struct list){2, {inst_of(INST_SP, 1, INST_NO_REG), store_of(1)}}, 0), 10);
    cr_assert_eq(coalesced(&c, &(struct list){2, {inst_of(INST_SFU, 1, INST_NO_REG), store_of(1)}}, 0), 22);
    cr_assert_eq(coalesced(&c, &(struct list){2, {inst_of(INST_SP, 1, INST_NO_REG), store_of(2)}}, 0), 1);
}

Test(scoreboard, a_second_write_to_a_register_waits_for_the_first)
{
    const struct config c = bench_config();
    /* 0: SFU to r1, ready at 22; the SP that writes r1 issues then; r1 at 32. */
    const struct list l = {3, {inst_of(INST_SFU, 1, INST_NO_REG), inst_of(INST_SP, 1, INST_NO_REG), store_of(1)}};
    cr_assert_eq(coalesced(&c, &l, 0), 32);
}

Test(scoreboard, one_sfu_port_takes_an_instruction_every_eight_cycles)
{
    struct config c = bench_config();
    const struct list l = {
        3, {inst_of(INST_SFU, 1, INST_NO_REG), inst_of(INST_SFU, 2, INST_NO_REG), store_of(INST_NO_REG)}};
    cr_assert_eq(coalesced(&c, &l, 0), 9);
    c.sm_sfu_units = 2;
    cr_assert_eq(coalesced(&c, &l, 0), 2);
}

/* Load issued in 0, looked up in 1, sent in 2, back 100 cycles later, filled in 102; its slot comes out in 103. */
Test(scoreboard, a_miss_is_usable_when_its_slot_comes_out)
{
    struct config c = bench_config();
    const struct list l = {2, {inst_line(INST_LOAD, 1, 5), store_of(1)}};
    cr_assert_eq(coalesced(&c, &l, 1), 103);
    /* dl_mshr answers in 2; the request leaves in that same cycle. */
    c.l1d_mshr_kind = MISS_FILE("dl_mshr");
    cr_assert_eq(coalesced(&c, &l, 1), 103);
    struct outcome *o = run_list(&c, &l);
    cr_assert_eq(o->stats.mem_latency_sum, 101);
    free(o);
}

/* As above until 103; the second load issues then, is looked up in 104 and its data is there l1d.latency = 28 later. */
Test(scoreboard, a_hit_is_usable_after_the_l1ds_latency)
{
    const struct config c = bench_config();
    struct list l = {3, {inst_line(INST_LOAD, 1, 5), inst_line(INST_LOAD, 2, 5), store_of(2)}};
    l.inst[1].src[0] = 1;
    cr_assert_eq(coalesced(&c, &l, 1), 103);
    cr_assert_eq(coalesced(&c, &l, 2), 132);
}

/* 32 lanes in 32 lines: looked up in 1..32; the last is sent in 33, filled in 133, and out in 134. */
Test(scoreboard, a_load_waits_for_its_last_line)
{
    struct config c = bench_config();
    const struct list l = {2, {inst_memory(INST_LOAD, 1, 0, 128, 4), store_of(1)}};
    cr_assert_eq(coalesced(&c, &l, 32), 134);
}

/* Shared load issued in 0, its bank cycles 1..N, its value sm.shared_latency = 24 later. */
Test(scoreboard, a_shared_load_waits_for_its_bank_cycles)
{
    const struct config c = bench_config();
    struct list l = {2, {inst_memory(INST_SHARED_LOAD, 1, 0, 4, 4), store_of(1)}};
    cr_assert_eq(coalesced(&c, &l, 0), 25);
    l.inst[0] = inst_memory(INST_SHARED_LOAD, 1, 0, 128, 4);
    cr_assert_eq(coalesced(&c, &l, 0), 56);
    struct outcome *o = run_list(&c, &l);
    cr_assert_eq(o->stats.gpu_shared_conflict_cycles, 31);
    cr_assert_eq(o->stats.gpu_shared_instructions, 1);
    free(o);
}

/* A run counts as often as it issues; the exit has no unit. */
Test(scoreboard, issued_instructions_are_counted_by_unit)
{
    const struct config c = bench_config();
    struct list l = {5,
                     {inst_of(INST_SP, 1, 1), inst_of(INST_SFU, 2, 2), inst_of(INST_SP, 3, 3),
                      inst_memory(INST_SHARED_LOAD, 4, 0, 4, 4), store_of(4)}};
    l.inst[1].count = 7;
    struct outcome *o = run_list(&c, &l);
    cr_expect_eq(o->stats.gpu_sp_instructions, 2);
    cr_expect_eq(o->stats.gpu_sfu_instructions, 7);
    cr_expect_eq(o->stats.gpu_shared_instructions + o->stats.gpu_memory_instructions, 2);
    free(o);
}

Test(scoreboard, a_run_of_n_equals_n_instructions)
{
    const struct config c = bench_config();
    struct list run = {2, {inst_of(INST_SP, 1, 1), store_of(1)}}, single = {6, {inst_of(INST_SP, 1, 1)}};
    run.inst[0].count = 5;
    for (int i = 0; i < 5; i++) single.inst[i] = inst_of(INST_SP, 1, 1);
    single.inst[5] = store_of(1);
    cr_assert_eq(coalesced(&c, &run, 0), 50); /* each waits for the one before */
    struct outcome *a = run_list(&c, &run), *b = run_list(&c, &single);
    cr_assert_arr_eq(&a->stats, &b->stats, sizeof a->stats);
    cr_assert_eq(a->stats.gpu_warp_instructions, 7);
    free(a);
    free(b);
}

static struct inst wait_of(uint16_t count)
{
    struct inst i = inst_of(INST_WAIT, INST_NO_REG, INST_NO_REG);
    i.count = count;
    return i;
}

/* Copy and commit issue in 0 and 1.  The copy is done in 103, as a miss would be usable; the wait issues then. */
Test(scoreboard, a_wait_is_for_the_copies_of_committed_groups)
{
    struct config c = bench_config();
    const struct inst commit = inst_of(INST_COMMIT, INST_NO_REG, INST_NO_REG), store = store_of(INST_NO_REG);
    const struct inst copy = inst_line(INST_COPY, INST_NO_REG, 5), around = inst_line(INST_COPY_L2, INST_NO_REG, 5);
    for (int plain = 0; plain < 2; plain++) {
        if (plain) c.sm_throttle = named("throttle", "dwt");
        cr_expect_eq(coalesced(&c, &(struct list){4, {copy, commit, wait_of(1), store}}, 1), 104);
        cr_expect_eq(coalesced(&c, &(struct list){4, {around, commit, wait_of(1), store}}, 1), 103);
        cr_expect_eq(coalesced(&c, &(struct list){3, {copy, commit, store}}, 1), 2, "nothing waits");
        cr_expect_eq(coalesced(&c, &(struct list){4, {copy, commit, wait_of(2), store}}, 1), 3, "one may be in flight");
        cr_expect_eq(coalesced(&c, &(struct list){3, {copy, wait_of(1), store}}, 1), 2, "it is in no group");
        cr_expect_eq(coalesced(&c, &(struct list){3, {inst_line(INST_LOAD, 1, 5), wait_of(1), store}}, 1), 2,
                     "a load is no copy");
    }
}

/* 32 lines and then one: the second group's copy is done first. */
Test(scoreboard, a_wait_leaves_the_latest_groups_in_flight)
{
    const struct config c = bench_config();
    const struct inst commit = inst_of(INST_COMMIT, INST_NO_REG, INST_NO_REG), store = store_of(INST_NO_REG);
    const struct inst first = inst_memory(INST_COPY, INST_NO_REG, 0, 128, 4),
                      second = inst_line(INST_COPY, INST_NO_REG, 5000);
    struct list l = {6, {first, commit, second, commit, wait_of(2), store}};
    const uint64_t one = coalesced(&c, &l, 33);
    l.inst[4] = wait_of(1);
    const uint64_t both = coalesced(&c, &l, 33);
    l.inst[4] = wait_of(3);
    cr_expect_eq(one, 135, "%lu: a_load_waits_for_its_last_line", one);
    cr_expect_gt(both, one);
    cr_expect_lt(coalesced(&c, &l, 33), 40);
}

/* Copies count as memory instructions, their groups and waits as SP, lanes that are off as none. */
Test(scoreboard, copies_and_lanes_that_are_off_are_counted)
{
    const struct config c = bench_config();
    struct list l = {5,
                     {inst_memory(INST_COPY, INST_NO_REG, 0, 4, 4), inst_of(INST_COMMIT, INST_NO_REG, INST_NO_REG),
                      wait_of(1), inst_of(INST_SP, INST_NO_REG, 1), inst_memory(INST_LOAD_L2, 1, 0, 4, 4)}};
    l.inst[2].mask = 0xf;
    l.inst[3].mask = 0;
    struct outcome *o = run_list(&c, &l);
    cr_expect_eq(o->stats.gpu_memory_instructions, 2);
    cr_expect_eq(o->stats.gpu_sp_instructions, 3);
    cr_expect_eq(o->stats.gpu_warp_instructions, 6);
    cr_expect_eq(o->stats.gpu_thread_instructions, 32 + 32 + 4 + 0 + 32 + 32);
    cr_expect(o->stats.l1d_misses == 1 && o->stats.l1d_bypassed == 1 && o->stats.l1d_hits == 0);
    free(o);
}

Test(scoreboard, a_load_from_the_l2_never_hits_the_l1d)
{
    const struct config c = bench_config();
    const struct list l = {3, {inst_line(INST_LOAD, 1, 5), inst_line(INST_LOAD_L2, 1, 5), inst_line(INST_LOAD, 1, 5)}};
    struct outcome *o = run_list(&c, &l);
    cr_expect(o->stats.l1d_misses == 1 && o->stats.l1d_bypassed == 1 && o->stats.l1d_hits == 1);
    free(o);
}

Test(scoreboard, no_warp_waits_for_a_store)
{
    const struct config c = bench_config();
    const struct list l = {2, {inst_line(INST_STORE, INST_NO_REG, 1), inst_line(INST_STORE, INST_NO_REG, 2)}};
    struct outcome *o = run_list(&c, &l);
    cr_assert_eq(outcome_event(o, AT_COALESCER, 1)->cycle, 1);
    /* The second is looked up in 2, sent in 3 and acknowledged in 103: the last cycle of 0..103. */
    cr_assert_eq(o->stats.gpu_cycles, 104);
    free(o);
}
