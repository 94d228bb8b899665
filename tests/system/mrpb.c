/* SPDX-License-Identifier: Apache-2.0 */
/* Memory request prioritization in the machine: buffers by warp in front of the L1D (l1d.input = mrpb), and reads that
 * bypass the L1D when it refuses them (l1d.bypass.on_stall). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/named.h"

enum { WARPS = 4, LINES = 6, REGION = 1000 };

static struct outcome *run(const struct config *c, const struct fixed_memory *m, uint32_t warps,
                           struct inst (*inst)(const struct program *p, uint32_t block, uint32_t warp, uint32_t n))
{
    const struct program p = program_of(1, warps, inst);
    struct outcome *o = bench_run(c, &p, m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* A memory that takes a request every 20 cycles, behind a miss queue of one: the L1D refuses most of the time. */
static const struct fixed_memory slow = {.latency = 100, .depth = 1, .interval = 20};

static struct config buffered(const char *input)
{
    struct config c = bench_config();
    c.l1d_input = L1D_INPUT(input);
    c.l1d_miss_queue = 1;
    return c;
}

/* So many lines from `line` on, one a lane. */
static struct inst lines(enum inst_op op, uint64_t line, uint32_t count)
{
    struct inst i = inst_memory(op, op == INST_STORE ? INST_NO_REG : 1, line << LINE_SHIFT, 1u << LINE_SHIFT, 4);
    i.mask = (1u << count) - 1;
    return i;
}

/* The later a warp, the sooner it loads. */
static struct inst last_warp_first(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    struct inst wait = inst_of(INST_SP, 2, 2);
    wait.count = (uint16_t)(1 + 2 * (WARPS - warp));
    return n == 0 ? wait : n == 1 ? lines(INST_LOAD, REGION * warp, LINES) : inst_exit();
}

static uint64_t accepted_at(const struct outcome *o, uint64_t line)
{
    static const enum place places[] = {AT_L1D_HIT, AT_L1D_MISS, AT_L1D_MERGE, AT_L1D_BYPASS, AT_L1D_WRITE};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct event *e;
        for (uint32_t n = 0; (e = outcome_event(o, places[i], n)); n++)
            if (e->r.line == line) return e->cycle;
    }
    cr_assert_fail("line %lu was not accepted", line);
    return 0;
}

Test(mrpb, the_lowest_warp_goes_first)
{
    for (int sorted = 0; sorted < 2; sorted++) {
        const struct config c = buffered(sorted ? "mrpb" : "fifo");
        struct outcome *o = run(&c, &slow, WARPS, last_warp_first);
        const uint64_t last_of_0 = accepted_at(o, LINES - 1), last_of_3 = accepted_at(o, 3 * REGION + LINES - 1);
        cr_expect_eq(last_of_0 < last_of_3, sorted);
        cr_expect_lt(accepted_at(o, 3 * REGION), accepted_at(o, 0), "the first to come meets no other");
        cr_expect_eq(o->stats.l1d_input_reordered > 0, sorted);
        cr_expect_eq(o->stats.l1d_input_waiting_cycles > 0, sorted);
        cr_expect_eq(o->stats.l1d_misses, WARPS * LINES);
        free(o);
    }
}

/* Loads and stores of lines that each warp accesses once. */
static struct inst once_each(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (n == 5) return inst_exit();
    return lines(n % 3 == 1 ? INST_STORE : INST_LOAD, REGION * warp + 8 * n, 1 + (warp + n) % 8);
}

static void expect_in_order(const struct config *c)
{
    struct outcome *o = run(c, &slow, 6, once_each);
    cr_expect_gt(o->stats.l1d_input_reordered, 0);
    for (uint64_t w = 0; w < 6; w++) {
        uint64_t before = 0;
        for (uint32_t n = 0; n < 5; n++)
            for (uint32_t i = 0; i < 1 + (w + n) % 8; i++) {
                const uint64_t at = accepted_at(o, REGION * w + 8 * n + i);
                cr_expect_leq(before, at, "warp %lu, instruction %u, access %u", w, n, i);
                before = at;
            }
    }
    free(o);
}

Test(mrpb, accesses_of_a_warp_stay_in_order)
{
    static const struct {
        uint32_t queues, entries, shared;
    } sizes[] = {{48, 32, true}, {48, 3, true}, {3, 4, true}, {8, 5, false}, {1, 4, false}};
    for (size_t i = 0; i + 1 < sizeof sizes / sizeof *sizes; i++) {
        struct config c = buffered("mrpb");
        c.l1d_mrpb_queues = sizes[i].queues;
        c.l1d_mrpb_entries = sizes[i].entries;
        c.l1d_mrpb_shared = sizes[i].shared;
        expect_in_order(&c);
        c.l1d_mshr_kind = MISS_FILE("dl_mshr");
        expect_in_order(&c);
        c.l1d_latency_at = LATENCY_FRONT;
        c.l1d_latency = 3;
        expect_in_order(&c);
    }
    struct config c = buffered("mrpb"); /* one queue: no order but the LSU's */
    c.l1d_mrpb_queues = 1;
    struct outcome *o = run(&c, &slow, 6, once_each);
    cr_expect_eq(o->stats.l1d_input_reordered, 0);
    free(o);
}

/* Warp 1 fills the buffers, stores to line 7, and both meet; then warp 0 loads line 7, or leaves first. */
static struct inst store_then_load(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    if (warp == 0)
        return n == 0   ? inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG)
               : n == 1 ? inst_line(INST_LOAD, 1, 7)
                        : inst_exit();
    if (n == 0) return lines(INST_LOAD, REGION, 20);
    if (n == 1) return inst_line(INST_STORE, INST_NO_REG, 7);
    return n == 2 && warp == 1 ? inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG) : inst_exit();
}

Test(mrpb, nothing_overtakes_what_came_before_a_barrier)
{
    const struct config c = buffered("mrpb");
    for (uint32_t warps = 2; warps <= 3; warps++) { /* warp 2 exits instead: it counts as arrived, too */
        struct outcome *o = run(&c, &slow, warps, store_then_load);
        const struct event *load = outcome_event(o, AT_L1D_MISS, o->stats.l1d_misses - 1);
        cr_expect_eq(o->stats.l1d_writes, warps - 1);
        cr_expect(load && load->r.line == 7, "the load comes last");
        cr_expect_lt(outcome_event(o, AT_L1D_WRITE, warps - 2)->cycle, load->cycle);
        free(o);
    }
}

/* Loads that wait for no other. */
static struct inst independent(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    struct inst i = lines(INST_LOAD, 8 * n, 8);
    i.dst = (uint8_t)(n + 1);
    return n < 3 ? i : inst_exit();
}

/* One warp: nothing to reorder.  The buffers take a cycle, and then an access leaves in each, also if the MSHR file
 * answers a cycle later. */
Test(mrpb, the_buffers_cost_a_cycle_and_no_bandwidth)
{
    const struct fixed_memory fast = bench_memory();
    for (int late = 0; late < 2; late++) {
        uint64_t cycles[2];
        for (int sorted = 0; sorted < 2; sorted++) {
            struct config c = bench_config();
            c.l1d_input = L1D_INPUT(sorted ? "mrpb" : "fifo");
            if (late) c.l1d_mshr_kind = MISS_FILE("dl_mshr");
            struct outcome *o = run(&c, &fast, 1, independent);
            cycles[sorted] = accepted_at(o, 23);
            free(o);
        }
        cr_expect_eq(cycles[1], cycles[0] + 1, "late %d: %lu and %lu", late, cycles[0], cycles[1]);
    }
}

/* Loads of eight lines of one set. */
static struct inst one_set(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 8 ? inst_line(INST_LOAD, (uint8_t)(n + 1), 64 * n) : inst_exit();
}

static struct outcome *stalled(const struct config *c)
{
    const struct fixed_memory m = bench_memory();
    struct outcome *o = run(c, &m, 1, one_set);
    cr_expect_eq(o->stats.l1d_misses + o->stats.l1d_bypassed, 8);
    cr_expect_eq(o->stats.l1d_bypassed, o->stats.l1d_bypassed_on_stall);
    return o;
}

static struct config two_ways(uint32_t on_stall)
{
    struct config c = bench_config();
    c.l1d_ways = 2;
    c.l1d_bypass_on_stall = on_stall;
    return c;
}

Test(bypass_on_stall, a_read_without_a_way_bypasses_in_the_cycle_of_its_refusal)
{
    struct config c = two_ways(ON_STALL("off"));
    struct outcome *o = stalled(&c);
    cr_expect(o->stats.l1d_bypassed == 0 && o->stats.l1d_rf_line > 6);
    const uint64_t cycles = o->stats.gpu_cycles;
    free(o);
    for (c.l1d_bypass_path = PATH_MISS_QUEUE; c.l1d_bypass_path <= PATH_DIRECT; c.l1d_bypass_path++) {
        c.l1d_bypass_on_stall = ON_STALL("way");
        o = stalled(&c);
        cr_expect(o->stats.l1d_bypassed == 6 && o->stats.l1d_rf_line == 6 && o->stats.l1d_fills == 2);
        cr_expect_lt(o->stats.gpu_cycles + 200, cycles);
        for (uint32_t n = 0; n < 6; n++)
            cr_expect_eq(outcome_event(o, AT_L1D_BYPASS, n)->cycle, outcome_event(o, AT_L1D_REFUSED, n)->cycle);
        free(o);
    }
}

Test(bypass_on_stall, the_slots_limit_it_and_the_read_tries_again)
{
    struct config c = two_ways(ON_STALL("way"));
    c.l1d_bypass_slots = 1;
    struct outcome *o = stalled(&c);
    cr_expect(o->stats.l1d_bypass_slots_peak == 1 && o->stats.l1d_rf_line > 6);
    cr_expect_eq(o->stats.l1d_rf_bypass_slot, 0, "the failure that counts is the L1D's");
    cr_expect(o->stats.l1d_misses > 2 && o->stats.l1d_bypassed > 0);
    free(o);
}

/* On a full MSHR file, with answers in the same cycle and a cycle later. */
Test(bypass_on_stall, any_refusal_counts_if_asked_for)
{
    for (int late = 0; late < 2; late++)
        for (uint32_t on = 0; on < policies_of("bypass on stall"); on++) {
            struct config c = bench_config();
            c.l1d_ways = 8;
            c.l1d_bypass_on_stall = on;
            c.l1d_mshr_entries = 2;
            c.l1d_dl_mshr_sets = 2;
            c.l1d_dl_mshr_reserved = 0;
            if (late) c.l1d_mshr_kind = MISS_FILE("dl_mshr");
            struct outcome *o = stalled(&c);
            cr_expect_eq(o->stats.l1d_bypassed, on == ON_STALL("any") ? 6 : 0, "late %d, %u: found %lu", late, on,
                         o->stats.l1d_bypassed);
            if (on == ON_STALL("any")) cr_expect_eq(o->stats.l1d_rf_mshr_entry, 6);
            free(o);
        }
}

/* The miss queue is full because the crossbar takes nothing: no path is left for a bypass, and stores have none. */
Test(bypass_on_stall, where_nothing_can_leave_nothing_bypasses)
{
    for (enum bypass_path path = PATH_MISS_QUEUE; path <= PATH_DIRECT; path++) {
        struct config c = buffered("fifo");
        c.l1d_bypass_on_stall = ON_STALL("any");
        c.l1d_bypass_path = path;
        struct outcome *o = run(&c, &slow, 2, once_each);
        cr_expect_gt(o->stats.l1d_rf_miss_queue, 100);
        cr_expect_eq(o->stats.l1d_bypassed, 0);
        cr_expect_eq(o->stats.l1d_writes, 16);
        free(o);
    }
}

/* Owners that bypass in any case do so without a refusal. */
Test(bypass_on_stall, it_adds_to_the_bypass_by_owner)
{
    struct config c = two_ways(ON_STALL("way"));
    c.l1d_bypass_from_warp = 1;
    const struct fixed_memory m = bench_memory();
    struct outcome *o = run(&c, &m, 2, one_set);
    cr_expect_eq(o->stats.l1d_bypassed - o->stats.l1d_bypassed_on_stall, 8);
    cr_expect_gt(o->stats.l1d_bypassed_on_stall, 0);
    free(o);
}
