/* SPDX-License-Identifier: Apache-2.0 */
/* Mbarriers: a warp waits for copies of another one.  A store follows each wait, and its cycle tells when the warp went
 * on.  Lines below 1000 are copied, line 1000 + 10 * warp + n is stored. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "system/bench.h"
#include "system/named.h"

enum { STORES = 1000, WARPS = 4, ROOM = 12 };

/* The instructions of each warp of a thread block; after them it exits. */
struct plan {
    struct inst inst[WARPS][ROOM];
    uint32_t count[WARPS];
};

static struct inst planned(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct plan *plan = p->context;
    (void)block;
    return n < plan->count[warp] ? plan->inst[warp][n] : inst_exit();
}

static void add(struct plan *p, uint32_t warp, struct inst i)
{
    cr_assert_lt(p->count[warp], ROOM);
    p->inst[warp][p->count[warp]++] = i;
}

static void add_copy(struct plan *p, uint32_t warp, uint64_t line, uint32_t stride)
{
    struct inst i = inst_line(INST_COPY, INST_NO_REG, line);
    if (stride) i = inst_memory(INST_COPY, INST_NO_REG, line * 128, stride, 4);
    add(p, warp, i);
}

static void add_at(struct plan *p, uint32_t warp, enum inst_op op, uint8_t number, uint16_t count)
{
    struct inst i = inst_of(op, INST_NO_REG, INST_NO_REG);
    i.size = number;
    i.count = count;
    add(p, warp, i);
}

static void add_arrive(struct plan *p, uint32_t warp, uint8_t number)
{
    add_at(p, warp, INST_ARRIVE, number, 1);
}

static void add_await(struct plan *p, uint32_t warp, uint8_t number, uint16_t count)
{
    add_at(p, warp, INST_AWAIT, number, count);
}

static void add_store(struct plan *p, uint32_t warp, uint32_t n)
{
    add(p, warp, inst_line(INST_STORE, INST_NO_REG, STORES + 10 * warp + n));
}

static struct outcome *run(const struct config *c, const struct plan *plan, uint32_t blocks, uint32_t warps)
{
    struct program p = program_of(blocks, warps, planned);
    const struct fixed_memory m = bench_memory();
    p.context = plan;
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->stats.gpu_blocks, blocks);
    return o;
}

/* Cycle in which a warp's store `n` reached the coalescer, of the `again`-th thread block that has it. */
static uint64_t stored(const struct outcome *o, uint32_t warp, uint32_t n, uint32_t again)
{
    const struct event *e;
    for (uint32_t i = 0; (e = outcome_event(o, AT_COALESCER, i)); i++)
        if (e->r.line == STORES + 10 * warp + n && !again--) return e->cycle;
    cr_assert(false, "no store %u of warp %u", n, warp);
    return 0;
}

static uint64_t store_of_plan(const struct config *c, const struct plan *plan, uint32_t warps, uint32_t warp,
                              uint32_t n)
{
    struct outcome *o = run(c, plan, 1, warps);
    const uint64_t cycle = stored(o, warp, n, 0);
    free(o);
    return cycle;
}

/* Warp 0 copies, warp 1 waits. */
static struct plan one_copy(void)
{
    struct plan p = {0};
    add_copy(&p, 0, 5, 0);
    add_arrive(&p, 0, 3);
    add_await(&p, 1, 3, 1);
    add_store(&p, 1, 0);
    return p;
}

/* As a wait of the warp's own: the copy is done in 103, in which the waiting warp's next instruction issues. */
Test(mbarriers, a_warp_waits_for_another_ones_copy)
{
    struct config c = bench_config();
    for (int plain = 0; plain < 2; plain++) {
        if (plain) c.sm_throttle = named("throttle", "dwt");
        struct plan p = one_copy();
        cr_expect_eq(store_of_plan(&c, &p, 2, 1, 0), 103, "%lu", store_of_plan(&c, &p, 2, 1, 0));
    }
}

/* A copy of warp 0 that begins 300 cycles late. */
static void add_late_copy(struct plan *p)
{
    struct inst run = inst_of(INST_SP, 1, 1), copy = inst_line(INST_COPY, INST_NO_REG, 5);
    run.count = 30; /* of ten cycles each */
    copy.src[0] = 1;
    add(p, 0, run);
    add(p, 0, copy);
    add_arrive(p, 0, 0);
}

Test(mbarriers, a_warp_waits_for_a_copy_that_has_not_begun)
{
    const struct config c = bench_config();
    struct plan p = {0};
    add_late_copy(&p);
    add_await(&p, 1, 0, 1);
    add_store(&p, 1, 0);
    cr_expect_gt(store_of_plan(&c, &p, 2, 1, 0), 400);
}

/* Two phases: 32 lines take longer than one; the second wait is for the second arrival. */
Test(mbarriers, each_wait_needs_more_arrivals)
{
    const struct config c = bench_config();
    struct plan p = {0};
    add_copy(&p, 0, 5, 0);
    add_arrive(&p, 0, 0);
    add_copy(&p, 0, 100, 128);
    add_arrive(&p, 0, 0);
    for (uint32_t n = 0; n < 2; n++) {
        add_await(&p, 1, 0, 1);
        add_store(&p, 1, n);
        add_await(&p, 2, 0, n ? 0 : 2); /* both at once; then for no more */
        add_store(&p, 2, n);
    }
    struct outcome *o = run(&c, &p, 1, 3);
    cr_expect_lt(stored(o, 1, 0, 0), 110);
    cr_expect_gt(stored(o, 1, 1, 0), 130);
    cr_expect_gt(stored(o, 2, 0, 0), 130);
    cr_expect_lt(stored(o, 2, 1, 0), stored(o, 2, 0, 0) + 4, "nothing more is waited for");
    free(o);
}

/* Copies of two warps, the later of which is slower. */
Test(mbarriers, a_wait_counts_the_arrivals_of_all_warps)
{
    const struct config c = bench_config();
    struct plan p = {0};
    add_copy(&p, 0, 5, 0);
    add_arrive(&p, 0, 0);
    add_copy(&p, 1, 100, 128);
    add_arrive(&p, 1, 0);
    add_await(&p, 2, 0, 2);
    add_store(&p, 2, 0);
    cr_expect_gt(store_of_plan(&c, &p, 3, 2, 0), 130);
    add_await(&p, 3, 0, 1);
    add_store(&p, 3, 0);
    cr_expect_lt(store_of_plan(&c, &p, 4, 3, 0), 110);
}

/* A group is of the copies since the arrival before: that of mbarrier 1 does not wait for the 32 lines of 0. */
Test(mbarriers, copies_arrive_once)
{
    const struct config c = bench_config();
    struct plan p = {0};
    add_copy(&p, 0, 5, 0);
    add_copy(&p, 0, 100, 128);
    add_arrive(&p, 0, 0);
    add_arrive(&p, 0, 1); /* of no copy: at once */
    for (uint8_t n = 0; n < 2; n++) {
        add_await(&p, 1 + n, n, 1);
        add_store(&p, 1 + n, 0);
    }
    struct outcome *o = run(&c, &p, 1, 3);
    cr_expect_gt(stored(o, 1, 0, 0), 130);
    cr_expect_lt(stored(o, 2, 0, 0), 20);
    free(o);
}

/* Its own load comes back in between. */
Test(mbarriers, a_load_does_not_end_a_wait)
{
    const struct config c = bench_config();
    struct plan p = {0};
    add(&p, 1, inst_line(INST_LOAD, 1, 7));
    add_await(&p, 1, 0, 1);
    add_store(&p, 1, 0);
    add_late_copy(&p);
    struct outcome *o = run(&c, &p, 1, 2);
    cr_expect_gt(stored(o, 1, 0, 0), 400);
    cr_expect_eq(o->stats.gpu_sp_instructions, 30 + 2, "the wait issues once");
    free(o);
}

/* Nothing arrives: the warp goes on when no other warp can, by its exit or at a barrier, and no copy is on its way. */
Test(mbarriers, a_wait_ends_that_nothing_can_end)
{
    const struct config c = bench_config();
    struct plan p = {0};
    add_await(&p, 0, 0, 1);
    add_store(&p, 0, 0);
    cr_expect_lt(store_of_plan(&c, &p, 1, 0, 0), 10, "alone");
    cr_expect_lt(store_of_plan(&c, &p, 2, 0, 0), 10, "the other one exits");
    add(&p, 1, inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG));
    add_copy(&p, 1, 5, 0);
    add_arrive(&p, 1, 0);
    add(&p, 0, inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG));
    cr_expect_lt(store_of_plan(&c, &p, 2, 0, 0), 10, "the copy is behind the barrier");
    add_await(&p, 1, 1, 1);
    add_await(&p, 0, 2, 1);
    add_store(&p, 1, 0);
    add_store(&p, 0, 1);
    struct outcome *o = run(&c, &p, 1, 2);
    cr_expect_gt(stored(o, 0, 1, 0), 100, "both wait, and a copy is in flight");
    cr_expect_gt(stored(o, 1, 0, 0), 100);
    free(o);
}

/* The warp that copies has exited; and the next thread block in its place begins with no arrivals. */
Test(mbarriers, thread_blocks_end_with_their_copies)
{
    struct config c = bench_config();
    const struct plan p = one_copy();
    c.sm_blocks = 1;
    struct outcome *o = run(&c, &p, 2, 2);
    const uint64_t first = stored(o, 1, 0, 0), second = stored(o, 1, 0, 1);
    cr_expect_eq(first, 103);
    cr_expect_gt(second, first + 20, "%lu: it waits for its own copy, a hit", second);
    free(o);
    struct plan left = {0};
    add_copy(&left, 0, 5, 0);
    add_arrive(&left, 0, 0);
    o = run(&c, &left, 3, 1);
    cr_expect_geq(o->stats.gpu_cycles, 103);
    free(o);
}

/* Nor does a wait of the next thread block count those of the last one: it would end with warp 0. */
Test(mbarriers, a_thread_block_begins_without_waits)
{
    struct config c = bench_config();
    struct plan p = one_copy();
    struct inst work = inst_of(INST_SP, 1, 1);
    work.count = 30; /* of ten cycles each */
    add(&p, 0, work);
    c.sm_blocks = 1;
    struct outcome *o = run(&c, &p, 2, 2);
    cr_expect_eq(stored(o, 1, 0, 0), 103);
    cr_expect_lt(stored(o, 1, 0, 1), 400, "%lu: with its copy, a hit", stored(o, 1, 0, 1));
    free(o);
}

/* The older warp waits for the younger one: a policy that lets the oldest warps alone issue must not count it. */
Test(mbarriers, no_policy_keeps_back_the_warp_that_copies)
{
    struct plan p = {0};
    add_await(&p, 0, 0, 1);
    add_store(&p, 0, 0);
    for (uint32_t w = 1; w < WARPS; w++) {
        add_copy(&p, w, 50 * w, 0);
        if (w == 3) add_arrive(&p, w, 0);
        add_await(&p, w, 0, 1);
    }
    static const char *const kinds[] = {"warp scheduler", "throttle"};
    for (int k = 0; k < 2; k++)
        for (uint32_t n = 0; n < policies_of(kinds[k]); n++) {
            struct config c = bench_config();
            if (!strcmp(policy_at(kinds[k], n)->name, "locality") || !strcmp(policy_at(kinds[k], n)->name, "smk"))
                continue; /* of access ranges, and of several workloads */
            *(k ? &c.sm_throttle : &c.sm_scheduler) = n;
            c.sm_swl_warps = c.sm_two_level_group = 1;
            const uint64_t at = store_of_plan(&c, &p, WARPS, 0, 0);
            cr_expect(at > 100 && at < 140, "%s: %lu", policy_at(kinds[k], n)->name, at);
        }
}

/* A warp that waits for copies counts as one that waits for memory; its instructions issue on the SP units. */
Test(mbarriers, waits_are_counted)
{
    const struct config c = bench_config();
    const struct plan p = one_copy();
    struct outcome *o = run(&c, &p, 1, 2);
    cr_expect_eq(o->stats.gpu_sp_instructions, 2);
    cr_expect_eq(o->stats.gpu_warp_instructions, 6);
    cr_expect_gt(o->stats.gpu_stall_memory_cycles, 90, "%lu", o->stats.gpu_stall_memory_cycles);
    free(o);
}

/* Copies, arrivals, waits and barriers in any order; some waits need more than ever arrives. */
static struct plan any_plan(struct rng *r, uint32_t warps)
{
    struct plan p = {0};
    for (uint32_t w = 0; w < warps; w++)
        for (uint64_t n = rng_below(r, ROOM); n--;) {
            const uint8_t number = (uint8_t)rng_below(r, 2);
            switch (rng_below(r, 6)) {
            case 0:
                add_copy(&p, w, rng_below(r, 50), rng_below(r, 2) ? 128 : 0);
                break;
            case 1:
                add_arrive(&p, w, number);
                break;
            case 2:
            case 3:
                add_await(&p, w, number, (uint16_t)rng_below(r, 4));
                break;
            case 4:
                add(&p, w, inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG));
                break;
            default:
                add(&p, w, inst_line(INST_LOAD, 1, rng_below(r, 50)));
            }
        }
    return p;
}

Test(mbarriers, any_program_ends_and_skipped_cycles_change_nothing)
{
    struct rng r;
    rng_seed(&r, 1);
    for (int n = 0; n < 300; n++) {
        struct config c = bench_config();
        const uint32_t warps = 1 + (uint32_t)rng_below(&r, WARPS), blocks = 1 + (uint32_t)rng_below(&r, 6);
        const struct plan p = any_plan(&r, warps);
        c.sm_scheduler = SCHEDULER(n % 2 ? "swl" : "gto");
        c.sm_swl_warps = 1;
        struct outcome *skips = run(&c, &p, blocks, warps);
        c.sim_skip = false;
        struct outcome *ticks = run(&c, &p, blocks, warps);
        cr_assert_arr_eq(&skips->stats, &ticks->stats, sizeof skips->stats, "program %d", n);
        free(skips);
        free(ticks);
    }
}
