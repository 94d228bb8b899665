/* SPDX-License-Identifier: Apache-2.0 */
/* cke.partition: which thread blocks each SM holds, worked out by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/named.h"
#include "system/work.h"

static struct config machine(const char *partition, uint32_t sms)
{
    struct config c = bench_config();
    c.sm_count = sms;
    c.sm_scheduler = SCHEDULER("lrr");
    c.cke_partition = named("block partition", partition);
    return c;
}

static struct outcome *result(const struct config *c, const struct program *p, uint32_t count)
{
    const struct program *list[MAX_WORKLOADS];
    const struct fixed_memory m = bench_memory();
    for (uint32_t w = 0; w < count; w++) list[w] = &p[w];
    return bench_run_beside(c, list, count, &m, false);
}

static struct outcome *run(const struct config *c, const struct program *p, uint32_t count)
{
    struct outcome *o = result(c, p, count);
    cr_assert(o->ok, "%s", o->err.text);
    for (uint32_t w = 0; w < count; w++) cr_assert_eq(o->of[w].blocks, kernel_blocks(&p[w].kernel));
    return o;
}

static void expect_refused(const struct config *c, const struct program *p, uint32_t count, const char *text)
{
    struct outcome *o = result(c, p, count);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, text), "%s", o->err.text);
    free(o);
}

/* The store at the start of a thread block; NULL after the last. */
static const struct event *start_of(const struct outcome *o, uint32_t n)
{
    for (uint32_t i = 0; i < o->events; i++)
        if (o->event[i].place == AT_COALESCER && o->event[i].r.kind == REQUEST_WRITE && !n--) return &o->event[i];
    return NULL;
}

static uint32_t id_of(const struct event *e)
{
    return e->r.line >> 16 & 0xff;
}

/* Thread blocks of workload `id` that started on the SM in cycles from, from + 1 ... until - 1. */
static uint32_t starts(const struct outcome *o, uint32_t sm, uint32_t id, uint64_t from, uint64_t until)
{
    uint32_t count = 0;
    const struct event *e;
    for (uint32_t n = 0; (e = start_of(o, n)); n++)
        count += e->r.sm == sm && id_of(e) == id && e->cycle >= from && e->cycle < until;
    return count;
}

/* First or last cycle in which a thread block of the workload starts. */
static uint64_t start_cycle(const struct outcome *o, uint32_t id, bool last)
{
    const struct event *e;
    uint64_t cycle = 0;
    for (uint32_t n = 0; (e = start_of(o, n)); n++) {
        if (id_of(e) != id) continue;
        cycle = e->cycle;
        if (!last) return cycle;
    }
    return cycle;
}

/* No SM holds thread blocks of two workloads.  length(): SPs of a thread block. */
static void expect_one_workload_per_sm(const struct outcome *o, uint32_t (*length)(uint32_t id, uint32_t block))
{
    const struct event *e, *f;
    for (uint32_t n = 0; (e = start_of(o, n)); n++)
        for (uint32_t k = 0; (f = start_of(o, k)); k++) {
            const uint64_t lasts = length(id_of(e), e->r.line & 0xffff) * 10 - 10; /* the last SP issues then */
            if (e->r.sm == f->r.sm && id_of(e) != id_of(f))
                cr_assert(f->cycle < e->cycle || f->cycle >= e->cycle + lasts,
                          "SM %u: workloads %u and %u in cycle %lu", e->r.sm, id_of(e), id_of(f), f->cycle);
        }
}

static const struct work works_of[] = {{0, 40}, {1, 40}, {2, 40}, {3, 4}};

/* 2 SMs of 4 slots, and three workloads.  The first one fills both SMs, then starts the rest of its thread blocks. */
static struct outcome *run_two_waves(const char *partition, uint32_t blocks)
{
    struct config c = machine(partition, 2);
    const struct program p[] = {work_of(&works_of[0], blocks, 1), work_of(&works_of[1], 5, 1),
                                work_of(&works_of[2], 9, 1)};
    c.sm_blocks = 4;
    struct outcome *o = run(&c, p, 3);
    cr_expect_eq(starts(o, 0, 0, 0, 300), 4);
    cr_expect_eq(starts(o, 1, 0, 0, 300), 4);
    return o;
}

/* Ten thread blocks of workload 0: eight, then two.  In the second wave six slots are left. */
Test(partitions, left_over_serves_the_next_when_all_of_the_one_before_are_dispatched)
{
    struct outcome *o = run_two_waves("left_over", 10);
    for (uint32_t id = 0; id < 2; id++)
        cr_expect_geq(start_cycle(o, id + 1, false), start_cycle(o, id, true), "workload %u starts first", id + 1);
    cr_expect_lt(start_cycle(o, 2, false), start_cycle(o, 0, true) + 300, "no one runs beside workload 0");
    cr_expect_eq(starts(o, 0, 0, 300, 700) + starts(o, 1, 0, 300, 700), 2);
    cr_expect_eq(starts(o, 0, 1, 300, 700) + starts(o, 1, 1, 300, 700), 5);
    cr_expect_eq(starts(o, 0, 2, 300, 700) + starts(o, 1, 2, 300, 700), 1);
    free(o);
}

/* Each kernel of workload 0 comes first: workload 1 waits until it is dispatched, too. */
Test(partitions, left_over_puts_the_next_kernel_of_the_first_workload_first_again)
{
    struct config c = machine("left_over", 1);
    struct program p[] = {work_of(&works_of[0], 2, 1), work_of(&works_of[1], 6, 1), work_of(&works_of[2], 1, 1),
                          work_of(&works_of[3], 1, 1)};
    c.sm_blocks = 3;
    p[0].kernels = 3;
    const struct program *const list[] = {&p[0], &p[1]};
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run_beside(&c, list, 2, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    uint32_t first = 0; /* thread blocks of workload 0 so far */
    const struct event *e;
    cr_expect_eq(starts(o, 0, 1, 0, 100), 1);
    for (uint32_t n = 0; (e = start_of(o, n)); n++) {
        cr_expect(id_of(e) == 0 || first % 2 == 0, "workload 1 in cycle %lu", e->cycle);
        first += id_of(e) == 0;
    }
    cr_expect_eq(o->of[0].blocks, 6);
    free(o);
}

static uint32_t even_length(uint32_t id, uint32_t block)
{
    (void)block;
    return works_of[id].length;
}

/* Nine thread blocks of workload 0: eight, then one.  The other SM gets four of workload 1.  The fifth waits for a free
 * slot there, or until the SM of workload 0 is empty. */
Test(partitions, left_over_idle_serves_the_next_on_sms_that_hold_no_thread_block)
{
    struct outcome *o = run_two_waves("left_over_idle", 9);
    const uint32_t last = starts(o, 1, 0, 300, 700), idle = !last;
    cr_expect_eq(starts(o, last, 0, 300, 700), 1);
    cr_expect_eq(starts(o, last, 1, 300, 700), 0);
    cr_expect_eq(starts(o, idle, 1, 300, 700), 4);
    cr_expect_eq(starts(o, last, 1, 700, UINT64_MAX) + starts(o, idle, 1, 700, UINT64_MAX), 1);
    expect_one_workload_per_sm(o, even_length);
    free(o);
}

/* Workload 1 runs on the second SM when the next kernel of workload 0 starts, which gets the idle SM alone. */
Test(partitions, left_over_idle_leaves_the_next_kernel_the_sms_that_are_idle)
{
    struct config c = machine("left_over_idle", 2);
    struct program p[] = {work_of(&works_of[3], 3, 1), work_of(&works_of[1], 20, 1)};
    const struct program *const list[] = {&p[0], &p[1]};
    const struct fixed_memory m = bench_memory();
    c.sm_blocks = 4;
    p[0].kernels = 3;
    struct outcome *o = bench_run_beside(&c, list, 2, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->of[0].blocks, 9);
    cr_expect_eq(o->of[1].blocks, 20);
    expect_one_workload_per_sm(o, even_length);
    free(o);
}

/* 5 SMs: 2, 2 and 1.  Workload 2 is soon done; then the first one has three. */
Test(partitions, spatial_divides_the_sms_and_gives_those_of_the_first_to_end_away)
{
    const struct config c = machine("spatial", 5);
    const struct work soon = {2, 4};
    const struct program p[] = {work_of(&works_of[0], 60, 1), work_of(&works_of[1], 60, 1), work_of(&soon, 8, 1)};
    static const uint32_t owner[] = {0, 0, 1, 1, 2};
    struct outcome *o = run(&c, p, 3);
    for (uint32_t sm = 0; sm < 5; sm++)
        for (uint32_t id = 0; id < 3; id++)
            cr_expect_eq(starts(o, sm, id, 0, 60), id == owner[sm] ? 8 : 0, "workload %u on SM %u", id, sm);
    cr_expect_eq(starts(o, 4, 0, 60, 300), 8);
    cr_expect_eq(starts(o, 4, 1, 0, start_cycle(o, 0, true)), 0);
    for (uint32_t sm = 0; sm < 4; sm++) cr_expect_eq(starts(o, sm, !owner[sm], 0, 700), 0);
    free(o);
    struct config few = machine("spatial", 2);
    expect_refused(&few, p, 3,
                   "cke.partition: found spatial with sm.count = 2 and 3 workloads, expected an SM for each");
}

/* 5 SMs: one and four, with five and all eight thread blocks, or three.  Workload 1 is soon done; then workload 0 has
 * eight on every SM. */
Test(partitions, sets_have_the_sizes_and_the_thread_blocks_that_are_set)
{
    struct config c = machine("sets", 5);
    const struct program p[] = {work_of(&works_of[0], 100, 1), work_of(&works_of[3], 64, 1)};
    c.cke_sms = 1;
    c.cke_blocks[0] = 5;
    struct outcome *o = run(&c, p, 2);
    cr_expect_eq(starts(o, 0, 0, 0, 60), 5);
    for (uint32_t sm = 1; sm < 5; sm++) {
        cr_expect_eq(starts(o, sm, 0, 0, 60), 0, "SM %u", sm);
        cr_expect_geq(starts(o, sm, 3, 0, 60), 8, "SM %u", sm);
        cr_expect_geq(starts(o, sm, 0, 60, UINT64_MAX), 8, "SM %u is not taken over", sm);
    }
    free(o);
    c.cke_blocks[1] = 3;
    o = run(&c, p, 2);
    for (uint32_t sm = 1; sm < 5; sm++) cr_expect_eq(starts(o, sm, 3, 0, 20), 3, "SM %u", sm);
    free(o);
    c.cke_sms = 5;
    expect_refused(&c, p, 2, "cke.sms: found 5 with cke.partition = sets and sm.count = 5, allowed with it: 0 to 4");
}

/* 4 SMs of 8 slots: 11 thread blocks fill two SMs, in part; 5 fill one, and the other gets three. */
Test(partitions, smart_even_gives_sms_that_a_grid_cannot_fill_to_the_other)
{
    static const uint32_t blocks[] = {5, 11, 90}, sms[] = {1, 2, 2};
    const struct config c = machine("smart_even", 4);
    for (uint32_t i = 0; i < 3; i++) {
        const struct program p[] = {work_of(&works_of[0], blocks[i], 1), work_of(&works_of[1], 120, 1)};
        struct outcome *o = run(&c, p, 2);
        for (uint32_t sm = 0; sm < 4; sm++) {
            cr_expect_eq(starts(o, sm, 0, 0, 300) > 0, sm < sms[i], "%u thread blocks, SM %u", blocks[i], sm);
            cr_expect_eq(starts(o, sm, 1, 0, 300), sm < sms[i] ? 0 : 8, "%u thread blocks, SM %u", blocks[i], sm);
            cr_expect_gt(starts(o, sm, 1, 0, UINT64_MAX), 0, "SM %u is not taken over", sm);
        }
        free(o);
    }
}

/* Every eighth thread block lasts 80 SPs longer than the first. */
static uint32_t uneven_length(const struct work *k, uint32_t block)
{
    return k->length + block % 8 * 10;
}

static struct inst uneven(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    struct inst i = works(p, block, warp, n);
    if (n == 1) i.count = (uint16_t)uneven_length(p->context, block);
    return i;
}

static uint32_t smart_even_length(uint32_t id, uint32_t block)
{
    return id == 3 ? 4 : uneven_length(&works_of[1], block);
}

/* Workload 0 fills one SM, then, with its second kernel, two of four: one that workload 1 had until then.  No SM ever
 * holds both. */
Test(partitions, an_sm_that_changes_its_owner_is_empty_first)
{
    const struct config c = machine("smart_even", 4);
    struct program p[] = {work_of(&works_of[3], 4, 1), work_of(&works_of[1], 160, 1)};
    struct kernel_info large = p[0].kernel;
    const struct program *const list[] = {&p[0], &p[1]};
    const struct fixed_memory m = bench_memory();
    large.grid[0] = 400;
    p[1].inst = uneven;
    p[0].kernels = 2;
    p[0].then = &large;
    struct outcome *o = bench_run_beside(&c, list, 2, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    expect_one_workload_per_sm(o, smart_even_length);
    cr_expect_eq(starts(o, 3, 1, 0, 150), 8);
    cr_expect_gt(starts(o, 3, 3, 300, 1500), 0);
    free(o);
}

/* Thread blocks of 4 warps and 4096 registers: 1/8 of the registers, 1/12 of the warps.  Of 1 warp and 8192 bytes: 1/6
 * of the shared memory.  By turns: 1/8 1/6, 2/8 2/6, 3/8 3/6, 4/8, then 5/8 (a tie: the lower number), 4/6, 6/8 5/6,
 * 7/8 6/6, 8/8.  With 10 slots it ends at 6 and 4. */
Test(partitions, smk_gives_the_next_thread_block_to_the_smallest_dominant_share)
{
    static const uint32_t slots[] = {16, 10, 3}, first[] = {8, 6, 2}, second[] = {6, 4, 1};
    struct program p[] = {work_of(&works_of[0], 40, 4), work_of(&works_of[1], 30, 1)};
    p[0].kernel.regs_per_thread = 32;
    p[1].kernel.regs_per_thread = 0;
    p[1].kernel.shared_bytes = 8192;
    for (uint32_t i = 0; i < 3; i++) {
        struct config c = machine("smk", 2);
        c.sm_blocks = slots[i];
        struct outcome *o = run(&c, p, 2);
        for (uint32_t sm = 0; sm < 2; sm++) {
            cr_expect_eq(starts(o, sm, 0, 0, 300), first[i], "%u slots: %u", slots[i], starts(o, sm, 0, 0, 300));
            cr_expect_eq(starts(o, sm, 1, 0, 300), second[i], "%u slots: %u", slots[i], starts(o, sm, 1, 0, 300));
        }
        free(o);
    }
}

/* Ten slots, as above: 6 and 4.  Workload 1 is done after its first four; the registers hold 8 of workload 0. */
Test(partitions, smk_divides_anew_when_a_workload_is_done)
{
    const struct work soon = {1, 4};
    struct program p[] = {work_of(&works_of[0], 40, 4), work_of(&soon, 4, 1)};
    struct config c = machine("smk", 1);
    p[0].kernel.regs_per_thread = 32;
    p[1].kernel.regs_per_thread = 0;
    p[1].kernel.shared_bytes = 8192;
    c.sm_blocks = 10;
    struct outcome *o = run(&c, p, 2);
    cr_expect_eq(starts(o, 0, 0, 0, 40), 6);
    cr_expect_eq(starts(o, 0, 0, 40, 300), 2);
    free(o);
}

Test(partitions, smk_names_what_a_thread_block_lacks)
{
    struct program p[] = {work_of(&works_of[0], 4, 1), work_of(&works_of[1], 4, 1)};
    const struct config c = machine("smk", 1);
    p[0].kernel.shared_bytes = p[1].kernel.shared_bytes = 30000;
    expect_refused(&c, p, 2,
                   "one thread block needs 30000 bytes of shared memory, the other workloads leave 19152 "
                   "(sm.shared_bytes = 49152)");
}

/* 8 SMs of 6 slots.  Four SMs of each workload sample 2, 3, 5 and 6 thread blocks; a warp alone is as fast as one of
 * six, so that both curves are straight: 3 and 3. */
Test(partitions, slicer_samples_each_sm_with_another_number_of_thread_blocks)
{
    static const uint32_t points[] = {2, 3, 5, 6};
    const struct work a = {0, 9}, b = {1, 9};
    const struct program p[] = {work_of(&a, 200, 1), work_of(&b, 200, 1)};
    struct config c = machine("slicer", 8);
    c.sm_blocks = 6;
    c.cke_slicer_window = 300;
    struct outcome *o = run(&c, p, 2);
    for (uint32_t sm = 0; sm < 8; sm++) {
        cr_expect_eq(starts(o, sm, sm / 4, 0, 60), points[sm % 4], "SM %u", sm);
        cr_expect_eq(starts(o, sm, sm < 4, 0, 300), 0, "SM %u", sm);
        for (uint32_t id = 0; id < 2; id++) /* waves of a little more than 90 cycles */
            cr_expect(starts(o, sm, id, 420, 510) >= 2 && starts(o, sm, id, 420, 510) <= 3, "SM %u: %u of workload %u",
                      sm, starts(o, sm, id, 420, 510), id);
    }
    free(o);
}

/* SFU instructions, one in 8 cycles on the one port: one warp is as fast as many, and one thread block is enough. */
static struct inst special(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct work *k = p->context;
    struct inst many = inst_of(INST_SFU, INST_NO_REG, INST_NO_REG);
    many.count = (uint16_t)k->length;
    if (n == 0 && warp == 0) return inst_line(INST_STORE, INST_NO_REG, k->id << 16 | block);
    return n < 2 ? many : inst_exit();
}

Test(partitions, slicer_gives_no_more_than_is_faster)
{
    const struct work a = {0, 9}, b = {1, 30};
    struct program p[] = {work_of(&a, 400, 1), work_of(&b, 100, 1)};
    struct config c = machine("slicer", 12);
    p[1].inst = special;
    c.sm_blocks = 6;
    c.cke_slicer_window = 600;
    struct outcome *o = run(&c, p, 2);
    cr_expect_eq(starts(o, 0, 1, 0, 600), 0);
    uint64_t first = 0; /* of workload 1 on SM 0: both share it from now on */
    const struct event *e;
    for (uint32_t n = 0; !first && (e = start_of(o, n)); n++)
        if (e->r.sm == 0 && id_of(e) == 1) first = e->cycle;
    cr_assert_geq(first, 600);
    cr_expect_eq(starts(o, 0, 1, first, first + 230), 1); /* lasts 240 cycles */
    const uint32_t twice = starts(o, 0, 0, first + 100, first + 300);
    cr_expect(twice >= 9 && twice <= 11, "%u", twice); /* two waves of five */
    free(o);
}

/* Three workloads: 2 each; when one is done, 3. */
Test(partitions, slicer_divides_anew_when_a_workload_is_done)
{
    const struct work a = {0, 9}, b = {1, 9}, ends = {2, 9};
    struct program p[] = {work_of(&a, 100, 1), work_of(&b, 100, 1), work_of(&ends, 40, 1)};
    struct config c = machine("slicer", 3);
    c.sm_blocks = 6;
    c.cke_slicer_window = 200;
    struct outcome *o = run(&c, p, 3);
    for (uint32_t id = 0; id < 3; id++)
        cr_expect(starts(o, 0, id, 420, 600) >= 3 && starts(o, 0, id, 420, 600) <= 5, "%u of workload %u",
                  starts(o, 0, id, 420, 600), id);
    const uint64_t end = start_cycle(o, 2, true) + 200;
    for (uint32_t id = 0; id < 2; id++)
        cr_expect(starts(o, 0, id, end, end + 285) >= 8 && starts(o, 0, id, end, end + 285) <= 10, "%u of workload %u",
                  starts(o, 0, id, end, end + 285), id);
    free(o);
}

/* Workload 2 is done when no curve is known: the others sample anew, with its two SMs, too. */
Test(partitions, slicer_samples_again_when_a_workload_is_done_within_the_window)
{
    const struct work ends = {2, 4};
    const struct program p[] = {work_of(&works_of[0], 40, 1), work_of(&works_of[1], 40, 1), work_of(&ends, 4, 1),
                                work_of(&ends, 1, 1)};
    struct config c = machine("slicer", 6);
    c.cke_slicer_window = 2000;
    struct outcome *o = run(&c, p, 3);
    const uint64_t end = start_cycle(o, 2, true) + 100;
    for (uint32_t sm = 0; sm < 6; sm++)
        cr_expect_neq(!starts(o, sm, 0, end, end + 500), !starts(o, sm, 1, end, end + 500), "SM %u", sm);
    free(o);
}

/* Workload 0 starts another kernel, and its SMs are its own again for a window. */
Test(partitions, slicer_samples_again_when_a_kernel_is_another_one)
{
    const struct work a = {0, 9}, b = {1, 9};
    struct program p[] = {work_of(&a, 40, 1), work_of(&b, 300, 1), work_of(&works_of[2], 1, 1),
                          work_of(&works_of[3], 1, 1)};
    struct config c = machine("slicer", 2);
    struct kernel_info other = p[0].kernel;
    const struct program *const list[] = {&p[0], &p[1]};
    const struct fixed_memory m = bench_memory();
    other.regs_per_thread++;
    c.sm_blocks = 6;
    c.cke_slicer_window = 200;
    p[0].kernels = 2;
    for (uint32_t i = 0; i < 2; i++) {
        p[0].then = i ? &other : NULL;
        struct outcome *o = bench_run_beside(&c, list, 2, &m, false);
        cr_assert(o->ok, "%s", o->err.text);
        const struct event *e;
        uint64_t second = 0;
        for (uint32_t n = 0; (e = start_of(o, n)); n++)
            if (!second && id_of(e) == 0 && e->cycle > 50 && (e->r.line & 0xffff) == 0) second = e->cycle;
        cr_expect_gt(starts(o, 0, 1, 300, second), 0);
        cr_expect_eq(starts(o, 0, 1, second, second + 200) == 0, i, "%u", starts(o, 0, 1, second, second + 200));
        cr_expect_gt(starts(o, 0, 1, second + 200, UINT64_MAX), 0);
        free(o);
    }
}

Test(partitions, those_that_learn_want_their_sampling_period)
{
    const struct program p[] = {work_of(&works_of[0], 4, 1), work_of(&works_of[1], 4, 1), work_of(&works_of[2], 1, 1)};
    struct config c = machine("slicer", 4);
    expect_refused(&c, p, 2,
                   "cke.slicer.window: found 0 with cke.partition = slicer, expected the SM cycles of a sample");
    c = machine("smc", 4);
    expect_refused(&c, p, 2, "cke.smc.period: found 0 with cke.partition = smc, expected the SM cycles of a sample");
    c.cke_smc_period = 100;
    expect_refused(&c, p, 3, "cke.partition: found smc with 3 workloads, allowed with it: at most 2");
    c = machine("smk", 4);
    c.sm_dispatch = named("block dispatch", "overlap");
    expect_refused(&c, p, 2, "sm.dispatch: found overlap with cke.partition = smk, allowed with it: ");
}

/* Thread blocks of 4 warps (12 fit 48 warps), of 8 (6) and of 2 (16 slots): best with 3 of 12, 6 of 6, 1 of 16. */
Test(partitions, static_leaves_what_the_best_number_of_the_other_leaves)
{
    static const uint32_t warps[] = {4, 8, 2}, best[] = {3, 6, 1};
    static const struct {
        uint32_t of[2], blocks[2];
    } pairs[] = {{{0, 1}, {3, 4}},  /* Optimal, Up: 36 warps are left */
                 {{1, 0}, {4, 3}},  /* the same the other way round */
                 {{2, 1}, {1, 5}},  /* Down, Up: 46 warps */
                 {{0, 2}, {3, 1}},  /* Optimal, Down: each its own */
                 {{2, 2}, {1, 1}},  /* Down, Down */
                 {{0, 0}, {3, 3}},  /* Optimal, Optimal */
                 {{1, 1}, {6, 0}}}; /* Up, Up: no limit, in turn */
    for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const uint32_t x = pairs[i].of[0], y = pairs[i].of[1];
        const struct program p[] = {work_of(&works_of[0], 24, warps[x]), work_of(&works_of[1], 24, warps[y])};
        struct config c = machine("static", 1);
        c.sm_blocks = 16;
        c.sm_sp_latency = 100; /* 4000 cycles each */
        c.cke_blocks[0] = best[x];
        c.cke_blocks[1] = best[y];
        struct outcome *o = run(&c, p, 2);
        cr_expect_eq(starts(o, 0, 0, 0, 3000), pairs[i].blocks[0], "pair %u: %u", i, starts(o, 0, 0, 0, 3000));
        cr_expect_eq(starts(o, 0, 1, 0, 3000), pairs[i].blocks[1], "pair %u: %u", i, starts(o, 0, 1, 0, 3000));
        for (uint32_t w = 0; w < 2 && pairs[i].blocks[1]; w++) /* 24 thread blocks keep to their limit */
            cr_expect_eq(o->of[w].blocks_beside, pairs[i].blocks[w], "pair %u: %lu", i, o->of[w].blocks_beside);
        free(o);
    }
}

/* Both are best with all that fit, two by shared memory and six by warps: no limits, though five would fit beside two.
 */
Test(partitions, static_runs_two_that_are_best_with_all_that_fits_in_turn)
{
    struct program p[] = {work_of(&works_of[0], 24, 1), work_of(&works_of[1], 24, 8)};
    struct config c = machine("static", 1);
    p[0].kernel.shared_bytes = 20000;
    c.cke_blocks[0] = 2;
    c.cke_blocks[1] = 6;
    struct outcome *o = run(&c, p, 2);
    cr_expect_eq(starts(o, 0, 0, 0, 300), 2);
    cr_expect_geq(start_cycle(o, 1, false) + 100,
                  start_cycle(o, 0, true)); /* the last wave, all of which want to issue */
    free(o);
}

/* When workload 1 is done, workload 0 gets all that fit: 12 of its 4 warps. */
Test(partitions, static_gives_everything_to_the_last_workload)
{
    const struct work soon = {1, 4};
    const struct program p[] = {work_of(&works_of[0], 24, 4), work_of(&soon, 4, 8), work_of(&works_of[2], 1, 1)};
    struct config c = machine("static", 1);
    c.sm_blocks = 16;
    c.sm_sp_latency = 100;
    c.cke_blocks[0] = 3;
    c.cke_blocks[1] = 6;
    struct outcome *o = run(&c, p, 2);
    cr_expect_eq(starts(o, 0, 0, 0, 400), 3);
    cr_expect_eq(starts(o, 0, 0, 400, 3000), 9);
    free(o);
    expect_refused(&c, p, 3, "cke.partition: found static with 3 workloads at a time, allowed: 2; cke.concurrent = 2");
    c.cke_blocks[1] = 0;
    expect_refused(&c, p, 2, "cke.blocks1: found 0 with cke.partition = static, expected the thread blocks per SM");
}

/* Four workloads, two at a time, each of one wave; 1 and 3 end first.  In order: 0 1, then 2, then 3. */
Test(partitions, a_pool_runs_two_workloads_at_a_time)
{
    static const struct {
        uint32_t memory_intensive, order[4];
    } pools[] = {{0, {0, 1, 2, 3}},   /* all of a kind: in order */
                 {2, {0, 1, 2, 3}},   /* 1 is memory-intensive, and next to 0; then there is none like it */
                 {8, {0, 3, 1, 2}},   /* 3 is next to 0 */
                 {9, {0, 1, 2, 3}},   /* 0 and 3: 1 and then 2 are next to 0 */
                 {12, {0, 2, 3, 1}}}; /* 2 and 3: 2 beside 0, and again 3 */
    const struct work k[] = {{0, 200}, {1, 20}, {2, 60}, {3, 20}};
    const struct program p[] = {work_of(&k[0], 8, 1), work_of(&k[1], 4, 1), work_of(&k[2], 4, 1), work_of(&k[3], 4, 1)};
    for (uint32_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        struct config c = machine("even", 1);
        c.cke_concurrent = 2;
        c.cke_memory_intensive = pools[i].memory_intensive;
        struct outcome *o = run(&c, p, 4);
        cr_expect_lt(start_cycle(o, pools[i].order[1], false), 50, "pool %u", pools[i].memory_intensive);
        for (uint32_t n = 1; n < 3; n++)
            cr_expect_gt(start_cycle(o, pools[i].order[n + 1], false), start_cycle(o, pools[i].order[n], true) + 190,
                         "pool %u: workload %u", pools[i].memory_intensive, pools[i].order[n + 1]);
        free(o);
    }
}

/* Eight with a static best number of one of eight: two at a time in the order of the list, one thread block of each. */
Test(partitions, a_pool_may_have_eight_workloads)
{
    struct work k[MAX_WORKLOADS];
    struct program p[MAX_WORKLOADS];
    const struct program *list[MAX_WORKLOADS];
    const struct fixed_memory m = bench_memory();
    struct config c = machine("static", 1);
    c.cke_concurrent = 2;
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) {
        k[w] = (struct work){w, 20};
        p[w] = work_of(&k[w], 4, 1);
        list[w] = &p[w];
    }
    c.cke_blocks[0] = c.cke_blocks[1] = c.cke_blocks[2] = c.cke_blocks[3] = 1;
    c.cke_blocks[4] = c.cke_blocks[5] = c.cke_blocks[6] = 1;
    struct outcome *o = bench_run_beside(&c, list, MAX_WORKLOADS, &m, false);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, "cke.blocks7: found 0"), "%s", o->err.text);
    free(o);
    c.cke_blocks[7] = 1;
    o = bench_run_beside(&c, list, MAX_WORKLOADS, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) {
        cr_expect_eq(o->of[w].blocks, 4);
        cr_expect_eq(o->of[w].blocks_beside, 1);
        if (w > 1) cr_expect_gt(start_cycle(o, w, false), start_cycle(o, w - 2, true), "workload %u", w);
    }
    free(o);
}

/* A workload alone has the machine to itself, whatever the partition. */
Test(partitions, one_workload_is_not_divided)
{
    const uint32_t count = policies_of("block partition");
    for (uint32_t i = 0; i < count; i++) {
        const struct program p[] = {work_of(&works_of[0], 16, 1), work_of(&works_of[1], 1, 1)};
        struct config c = machine(policy_at("block partition", i)->name, 2);
        struct outcome *o = run(&c, p, 1);
        for (uint32_t sm = 0; sm < 2; sm++) cr_expect_eq(starts(o, sm, 0, 0, 100), 8);
        free(o);
    }
}
