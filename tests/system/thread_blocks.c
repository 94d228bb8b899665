/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, thread blocks, kernels. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/named.h"
#include "system/sm/block_dispatch.h"

static struct outcome *run(const struct config *c, const struct program *p)
{
    struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_assert_eq(o->open_blocks, 0);
    return o;
}

/* Warp 0 takes 5 dependent SPs before the barrier, the others none; then each stores. */
static struct inst barrier_program(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    uint32_t before = warp == 0 ? 5 : 0;
    if (n < before) return inst_of(INST_SP, 1, 1);
    if (n == before) {
        struct inst i = inst_of(INST_BARRIER, INST_NO_REG, 1);
        return i;
    }
    return n == before + 1 ? inst_line(INST_STORE, INST_NO_REG, warp) : inst_exit();
}

/* Warp 0 issues SPs in 0, 10, .. 40 and, waiting for r1, the barrier in 50; then each warp its store and its exit. */
Test(thread_blocks, a_barrier_holds_all_warps_until_the_last_arrives)
{
    const struct config c = bench_config();
    struct program p = program_of(1, 3, barrier_program);
    struct outcome *o = run(&c, &p);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(outcome_event(o, AT_COALESCER, i)->cycle, 51 + 2 * i);
    cr_assert_eq(o->stats.gpu_barriers, 3);
    free(o);
}

/* Block 0's warp 0 works before its barrier, block 1's waits at none: its barrier opens though block 0's is shut. */
static struct inst two_barriers(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    return barrier_program(p, block, block == 1 ? 1 : warp, n);
}

Test(thread_blocks, a_barrier_is_its_blocks_own)
{
    const struct config c = bench_config();
    struct program p = program_of(2, 2, two_barriers);
    struct outcome *o = run(&c, &p);
    uint32_t early = 0;
    for (uint32_t i = 0; i < 4; i++) early += outcome_event(o, AT_COALESCER, i)->cycle < 50;
    cr_assert_eq(early, 2);
    free(o);
}

/* Warp 1 exits without a barrier; warp 0 waits at it for those that are left: nobody. */
static struct inst barrier_of_some(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (warp == 1) return n < 3 ? inst_of(INST_SP, 1, 1) : inst_exit();
    if (n == 0) return inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG);
    return n == 1 ? inst_line(INST_STORE, INST_NO_REG, 7) : inst_exit();
}

/* Barrier in 0; warp 1: SP in 1, 11, 21, exit in 22 (it names no register): the store follows in 23. */
Test(thread_blocks, a_warp_that_exited_is_not_waited_for)
{
    const struct config c = bench_config();
    struct program p = program_of(1, 2, barrier_of_some);
    struct outcome *o = run(&c, &p);
    cr_assert_eq(outcome_event(o, AT_COALESCER, 0)->cycle, 23);
    free(o);
}

/* Each warp stores to its block's line at once, then spends 20 times the SP latency. */
static struct inst announce_and_work(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    if (n == 0) return inst_line(INST_STORE, INST_NO_REG, 100 * block + warp);
    struct inst i = inst_of(INST_SP, 1, 1);
    i.count = 20;
    return n == 1 ? i : inst_exit();
}

/* How many thread blocks announced themselves before the first ended. */
static uint32_t resident_blocks(const struct config *c, const struct program *p)
{
    struct outcome *o = run(c, p);
    uint32_t n = 0;
    const struct event *e;
    while ((e = outcome_event(o, AT_COALESCER, n * kernel_warps(&p->kernel))) && e->cycle < 19 * c->sm_sp_latency) n++;
    cr_assert_eq(o->stats.gpu_blocks, kernel_blocks(&p->kernel));
    free(o);
    return n;
}

/* Two places. Block 0 stores in 0 and exits in 1; block 1, there since 1, is the oldest in 2, though block 2 has the
 * slot of the warp that issued last. */
static struct inst store_and_exit(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)warp;
    return n == 0 ? inst_line(INST_STORE, INST_NO_REG, 100 * block) : inst_exit();
}

Test(thread_blocks, a_new_warp_does_not_inherit_the_schedulers_favour)
{
    struct config c = bench_config();
    c.sm_blocks = 2;
    struct program p = program_of(3, 1, store_and_exit);
    struct outcome *o = run(&c, &p);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(outcome_event(o, AT_COALESCER, i)->r.line, 100 * i);
        cr_assert_eq(outcome_event(o, AT_COALESCER, i)->cycle, 2 * i);
    }
    free(o);
}

/* One place, a memory that answers after 100 cycles: the store leaves the L1D in the cycle after it was accepted. */
Test(thread_blocks, a_block_may_stay_until_its_stores_are_acknowledged)
{
    struct config c = bench_config();
    c.sm_blocks = 1;
    struct program p = program_of(4, 1, store_and_exit);
    uint64_t next[2];
    for (uint32_t end = END_LOADS; end <= END_STORES; end++) {
        c.sm_warp_end = end;
        struct outcome *o = run(&c, &p);
        next[end] = outcome_event(o, AT_COALESCER, 1)->cycle;
        for (uint32_t i = 1; i < 4 && end == END_STORES; i++)
            cr_expect_geq(outcome_event(o, AT_COALESCER, i)->cycle, outcome_event(o, AT_DONE, i - 1)->cycle);
        free(o);
    }
    cr_expect_eq(next[END_LOADS], 2);
    cr_expect_gt(next[END_STORES], 100);
}

/* An atomic, and an instruction that does not depend on it. */
static struct inst atomic_and_store(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 0) return inst_line(INST_ATOMIC, 1, 5);
    return n == 1 ? inst_line(INST_STORE, INST_NO_REG, 6) : inst_exit();
}

Test(thread_blocks, a_warp_may_wait_for_its_atomic)
{
    struct config c = bench_config();
    struct program p = program_of(1, 1, atomic_and_store);
    for (uint32_t waits = 0; waits < 2; waits++) {
        c.sm_atomic_waits = waits;
        struct outcome *o = run(&c, &p);
        const uint64_t store = outcome_event(o, AT_COALESCER, 1)->cycle, back = outcome_event(o, AT_DONE, 0)->cycle;
        cr_expect_eq(store, waits ? back : 1, "waits %u: store in %lu, atomic back in %lu", waits, store, back);
        free(o);
    }
}

/* Kernels of one block each: the turn goes on where the last one ended. */
Test(thread_blocks, dispatch_goes_on_behind_the_sm_that_got_the_last_block)
{
    struct config c = bench_config();
    c.sm_count = 3;
    struct program p = program_of(1, 1, store_and_exit);
    p.kernels = 4;
    struct outcome *o = run(&c, &p);
    for (uint32_t i = 0; i < 4; i++) cr_assert_eq(outcome_event(o, AT_COALESCER, i)->r.sm, i % 3);
    free(o);
}

/* Two kernels: each waits for its launch, and the second for the end of the first. */
Test(thread_blocks, a_launch_takes_time)
{
    struct config c = bench_config();
    struct program p = program_of(1, 1, store_and_exit);
    p.kernels = 2;
    struct outcome *now = run(&c, &p);
    c.sm_launch_cycles = 500;
    struct outcome *later = run(&c, &p);
    for (uint32_t i = 0; i < 2; i++)
        cr_expect_eq(outcome_event(later, AT_COALESCER, i)->cycle,
                     outcome_event(now, AT_COALESCER, i)->cycle + 500 * (i + 1));
    cr_expect_eq(later->stats.gpu_cycles, now->stats.gpu_cycles + 1000);
    free(now);
    free(later);
}

/* One thread block each 2.5 cycles, on any SM: in cycles 0, 2, 5, 7, 10. */
Test(thread_blocks, thread_blocks_start_at_a_rate)
{
    static const uint64_t expected[] = {0, 2, 5, 7, 10, 12};
    struct config c = bench_config();
    c.sm_count = 3;
    c.sm_block_interval = 250;
    struct program p = program_of(6, 1, store_and_exit);
    struct outcome *o = run(&c, &p);
    const uint64_t first = outcome_event(o, AT_COALESCER, 0)->cycle;
    for (uint32_t i = 0; i < 6; i++) cr_expect_eq(outcome_event(o, AT_COALESCER, i)->cycle - first, expected[i]);
    free(o);
}

/* 32768 registers, 48 warps, 49152 bytes, 8 blocks. */
Test(thread_blocks, the_scarcest_resource_limits_the_resident_blocks)
{
    struct config c = bench_config();
    c.sm_sp_latency = 200; /* few issues: nobody starves */
    struct program p = program_of(10, 2, announce_and_work);
    cr_assert_eq(resident_blocks(&c, &p), 8); /* slots */
    p.kernel.regs_per_thread = 128;           /* 128 * 64 = 8192 */
    cr_assert_eq(resident_blocks(&c, &p), 4);
    p.kernel.shared_bytes = 20000;
    cr_assert_eq(resident_blocks(&c, &p), 2);
    p = program_of(10, 12, announce_and_work);
    cr_assert_eq(resident_blocks(&c, &p), 4); /* warps */
    p.kernel.block[0] = 11 * 32 + 1;          /* a started warp counts in full */
    cr_assert_eq(resident_blocks(&c, &p), 4);
}

/* Three blocks start in cycle 0, three in 1, one in 2; a warp issues its store and, being greedy, its first SP before
 * the next one's store. */
Test(thread_blocks, blocks_go_round_the_sms_one_each_a_cycle)
{
    struct config c = bench_config();
    c.sm_count = 3;
    struct program p = program_of(7, 1, announce_and_work);
    struct outcome *o = run(&c, &p);
    const struct {
        uint16_t sm;
        uint64_t cycle;
    } expected[] = {{0, 0}, {1, 0}, {2, 0}, {0, 2}, {1, 2}, {2, 2}, {0, 4}};
    for (uint32_t i = 0; i < 7; i++) {
        const struct event *e = outcome_event(o, AT_COALESCER, i);
        cr_assert_eq(e->r.line, 100 * i);
        cr_assert_eq(e->r.sm, expected[i].sm);
        cr_assert_eq(e->cycle, expected[i].cycle);
    }
    free(o);
}

Test(thread_blocks, a_block_that_no_sm_can_hold_is_an_error)
{
    const struct config c = bench_config();
    struct fixed_memory m = bench_memory();
    struct program p = program_of(1, 32, announce_and_work);
    p.kernel.regs_per_thread = 64;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_not(o->ok);
    cr_assert_not_null(strstr(o->err.text, "needs 65536 registers, but sm.registers = 32768"), "%s", o->err.text);
    free(o);
}

static struct inst read_one_line(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n == 0 ? inst_line(INST_LOAD, 1, 5) : inst_exit();
}

Test(thread_blocks, kernels_come_one_after_the_other_and_the_l1d_is_flushed_between)
{
    struct config c = bench_config();
    struct program p = program_of(1, 1, read_one_line);
    p.kernels = 3;
    struct outcome *o = run(&c, &p);
    cr_assert_eq(o->stats.gpu_kernels, 3);
    cr_assert_eq(o->stats.l1d_misses, 3);
    free(o);
    c.l1d_flush = false;
    o = run(&c, &p);
    cr_assert_eq(o->stats.l1d_misses, 1);
    cr_assert_eq(o->stats.l1d_hits, 2);
    free(o);
}

/* The exit issues in 1, the data is out in 103: the warp, and its block, end then. */
Test(thread_blocks, a_block_ends_when_its_loads_are_back)
{
    const struct config c = bench_config();
    struct program p = program_of(1, 1, read_one_line);
    struct outcome *o = run(&c, &p);
    cr_assert_eq(o->stats.gpu_sm_active_cycles, 104);
    cr_assert_eq(o->stats.gpu_warps, 1);
    free(o);
}

static struct inst no_lanes(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp, (void)n;
    struct inst i = inst_line(INST_LOAD, 1, 5);
    i.mask = 0;
    i.pc = 0x40;
    return i;
}

Test(thread_blocks, a_bad_instruction_is_an_error_that_says_where)
{
    const struct config c = bench_config();
    struct fixed_memory m = bench_memory();
    struct program p = program_of(1, 1, no_lanes);
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_not(o->ok);
    cr_assert_not_null(strstr(o->err.text, "pc 0x40: active lanes: found 0x0, expected at least one"), "%s",
                       o->err.text);
    cr_assert_eq(o->open_blocks, 0);
    free(o);
}

/* The lane that the context names has an address of 48 bits. */
static struct inst too_high(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)block, (void)warp;
    struct inst i = inst_memory(INST_LOAD, 1, 0x1000, 4, 4);
    i.addr[*(const uint32_t *)p->context] = UINT64_C(1) << 47;
    return n ? inst_exit() : i;
}

Test(thread_blocks, an_address_of_any_lane_that_is_too_high_is_an_error)
{
    const struct config c = bench_config();
    const struct fixed_memory m = bench_memory();
    for (uint32_t lane = 0; lane < WARP_SIZE; lane += WARP_SIZE - 1) {
        struct program p = program_of(1, 1, too_high);
        p.context = &lane;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_expect_not(o->ok, "lane %u", lane);
        cr_expect_not_null(strstr(o->err.text, "an address: found 0x800000000000, expected below 0x800000000000"), "%s",
                           o->err.text);
        free(o);
    }
}

/* A policy of this file: the lowest SM that has room. */
static uint32_t lowest(const struct sm_array *a, const struct workload *k, const struct sm_set *able)
{
    (void)a, (void)k;
    uint32_t n = 0;
    while (!sm_set_has(able, n)) n++;
    return n;
}

static const struct block_dispatch d_lowest = {.policy = {"d_lowest", "the lowest SM with room"}, .choose = lowest};
BLOCK_DISPATCH_REGISTER(d_lowest);

static struct inst one_store(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)warp;
    return n ? inst_exit() : inst_line(INST_STORE, INST_NO_REG, block);
}

/* There is room on SM 0 for all of them, with every dispatcher. */
Test(thread_blocks, an_sm_gets_one_thread_block_in_a_cycle)
{
    struct config c = bench_config();
    const struct program p = program_of(4, 1, one_store);
    c.sm_count = 2;
    c.sm_dispatch = named("block dispatch", "d_lowest");
    struct outcome *o = run(&c, &p);
    for (uint32_t n = 0; n < 4; n++) {
        const struct event *e = outcome_event(o, AT_COALESCER, n);
        cr_expect_eq(e->r.sm, e->r.line % 2, "thread block %lu on SM %u", e->r.line, e->r.sm);
    }
    free(o);
}

/* Block scheduling by pairs (bcs). */

static struct config pairs(uint32_t sms, uint32_t blocks)
{
    struct config c = bench_config();
    c.sm_count = sms;
    c.sm_blocks = blocks;
    c.sm_dispatch = named("block dispatch", "bcs");
    return c;
}

/* A store to the block's line, then so many SPs, each of which waits for the one before. */
static struct inst store_and_work(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)warp;
    const uint32_t *work = p->context;
    if (n == 0) return inst_line(INST_STORE, INST_NO_REG, block);
    return n <= work[block] ? inst_of(INST_SP, 1, 1) : inst_exit();
}

enum { MOST_BLOCKS = 16 };

struct placed {
    uint32_t sm[MOST_BLOCKS];
    uint64_t cycle[MOST_BLOCKS]; /* of its store */
};

static struct placed place(const struct config *c, uint32_t blocks, const uint32_t *work, uint32_t regs)
{
    struct program p = program_of(blocks, 1, store_and_work);
    p.context = work;
    p.kernel.regs_per_thread = regs;
    struct outcome *o = run(c, &p);
    struct placed at = {0};
    cr_assert_eq(o->stats.gpu_blocks, blocks);
    for (uint32_t n = 0; n < blocks; n++) {
        const struct event *e = outcome_event(o, AT_COALESCER, n);
        at.sm[e->r.line] = e->r.sm;
        at.cycle[e->r.line] = e->cycle;
    }
    free(o);
    return at;
}

/* With round_robin blocks 0 and 3 are on SM 0; the last block has no partner. */
Test(thread_blocks, bcs_gives_pairs_to_the_sms_in_turn)
{
    static const uint32_t work[MOST_BLOCKS];
    struct config c = pairs(3, 8);
    const struct placed at = place(&c, 9, work, 16);
    for (uint32_t b = 0; b < 9; b++) cr_expect_eq(at.sm[b], b / 2 % 3, "thread block %u on SM %u", b, at.sm[b]);
}

/* A warp issues its store, then an SP in each SP latency.  Two places: blocks 2 and 3 wait for block 1, the longer one,
 * where round_robin starts 2 when 0 ends.  Three places: the third stays empty until 0 ends. */
Test(thread_blocks, bcs_waits_until_both_fit)
{
    static const uint32_t work[MOST_BLOCKS] = {10, 40, 10, 10};
    struct config c = pairs(1, 2);
    const uint64_t one = c.sm_sp_latency;
    struct placed at = place(&c, 4, work, 16);
    cr_expect(at.cycle[2] > 39 * one && at.cycle[3] > 39 * one, "in %lu, %lu", at.cycle[2], at.cycle[3]);
    c.sm_blocks = 3;
    at = place(&c, 4, work, 16);
    for (uint32_t b = 2; b < 4; b++)
        cr_expect(at.cycle[b] > 9 * one && at.cycle[b] < 12 * one, "block %u in %lu", b, at.cycle[b]);
    c.sm_dispatch = named("block dispatch", "round_robin");
    c.sm_blocks = 2;
    at = place(&c, 4, work, 16);
    cr_expect(at.cycle[2] > 9 * one && at.cycle[2] < 12 * one, "in %lu", at.cycle[2]);
}

/* Blocks 0 and 1 are resident; block 2, the last, needs one place. */
Test(thread_blocks, the_last_block_of_bcs_does_not_wait_for_two_places)
{
    static const uint32_t work[MOST_BLOCKS] = {10, 40, 0};
    struct config c = pairs(1, 2);
    const struct placed at = place(&c, 3, work, 16);
    cr_expect(at.cycle[2] > 9 * c.sm_sp_latency && at.cycle[2] < 12 * c.sm_sp_latency, "in %lu", at.cycle[2]);
}

/* One slot; registers for one; a partition that allows one. */
Test(thread_blocks, bcs_gives_one_block_to_an_sm_that_holds_one)
{
    static const uint32_t work[MOST_BLOCKS];
    struct config c = pairs(2, 1);
    struct placed at = place(&c, 5, work, 16);
    for (uint32_t b = 0; b < 2; b++) cr_expect_eq(at.sm[b], b, "thread block %u on SM %u", b, at.sm[b]);
    c = pairs(2, 8);
    c.sm_registers = 2 * 64 * WARP_SIZE - 1;
    at = place(&c, 5, work, 64);
    for (uint32_t b = 0; b < 2; b++) cr_expect_eq(at.sm[b], b, "thread block %u on SM %u", b, at.sm[b]);
    c = pairs(2, 8);
    c.cke_blocks[0] = 1;
    at = place(&c, 5, work, 16);
    for (uint32_t b = 0; b < 2; b++) cr_expect_eq(at.sm[b], b, "thread block %u on SM %u", b, at.sm[b]);
}
