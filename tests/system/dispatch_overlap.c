/* SPDX-License-Identifier: Apache-2.0 */
/* Locality-aware dispatch: sm.dispatch = overlap. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "block_overlap.h"
#include "system/bench.h"
#include "system/named.h"
#include "trace/kernels.h"

enum { ROW_LINES = 8, ROWS = 64, MOST_BLOCKS = 64 };

/* An array of rows. */
static const struct allocation array = {
    .name = "a", .addr = 0, .bytes = ROWS * ROW_LINES * 128, .pitch = ROW_LINES * 128};

static struct config overlap(uint32_t sms, uint32_t blocks)
{
    struct config c = bench_config();
    c.sm_count = sms;
    c.sm_blocks = blocks;
    c.sm_dispatch = named("block dispatch", "overlap");
    return c;
}

/* Each block loads all lines of a row, by its first and last thread, and works for a while. */
static struct inst load_row(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)warp;
    const uint32_t *row = p->context;
    if (n == 0) return inst_memory(INST_LOAD, 1, (uint64_t)row[block] * ROW_LINES * 128, 32, 4);
    return n < 4 + block % 3 ? inst_of(INST_SP, 2, 1) : inst_exit();
}

static struct program rows(const uint32_t *row, uint32_t blocks)
{
    struct program p = program_of(blocks, 1, load_row);
    p.context = row;
    p.allocations = &array;
    p.allocation_count = 1;
    return p;
}

static struct outcome *run(const struct config *c, const struct program *p)
{
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_assert_eq(o->open_blocks, 0);
    return o;
}

/* SMs that loaded a row, one bit each. */
static uint32_t sms_of_row(const struct outcome *o, uint32_t row)
{
    uint32_t sms = 0;
    for (uint32_t i = 0; i < o->events; i++)
        if (o->event[i].place == AT_COALESCER && o->event[i].r.line / ROW_LINES == row) sms |= 1u << o->event[i].r.sm;
    return sms;
}

/* Blocks 0 and 1 share a row, and 2 and 3.  SM 1 runs nothing when it asks: 1 shares lines with SM 0's, 2 does not. */
Test(dispatch_overlap, blocks_that_share_lines_go_to_one_sm)
{
    static const uint32_t row[] = {0, 0, 1, 1};
    const struct config c = overlap(2, 2);
    const struct program p = rows(row, 4);
    struct outcome *o = run(&c, &p);
    cr_expect_eq(sms_of_row(o, 0), 1);
    cr_expect_eq(sms_of_row(o, 1), 2);
    cr_expect_eq(o->stats.dispatch_decisions, 4);
    cr_expect_eq(o->stats.dispatch_by_overlap, 2);
    cr_expect_eq(o->stats.dispatch_by_least, 2);
    cr_expect_eq(o->stats.dispatch_lines, 2 * ROW_LINES);
    cr_expect_eq(o->stats.dispatch_no_range, 0);
    free(o);
}

/* The same thread blocks in turn would be on both. */
Test(dispatch_overlap, round_robin_separates_them)
{
    static const uint32_t row[] = {0, 0, 1, 1};
    struct config c = overlap(2, 2);
    c.sm_dispatch = named("block dispatch", "round_robin");
    const struct program p = rows(row, 4);
    struct outcome *o = run(&c, &p);
    cr_expect_eq(sms_of_row(o, 0), 3);
    cr_expect_eq(o->stats.dispatch_decisions, 0);
    free(o);
}

/* Block 3 shares the row of block 0, but only blocks 1 and 2 are candidates. */
Test(dispatch_overlap, no_more_candidates_than_entries_are_compared)
{
    static const uint32_t row[] = {0, 1, 2, 0};
    struct config c = overlap(1, 2);
    const struct program p = rows(row, 4);
    c.sm_overlap_entries = 2;
    struct outcome *o = run(&c, &p);
    cr_expect_eq(o->stats.dispatch_by_overlap, 0);
    free(o);
    c.sm_overlap_entries = 3;
    o = run(&c, &p);
    cr_expect_eq(o->stats.dispatch_by_overlap, 1);
    free(o);
}

Test(dispatch_overlap, without_arrays_blocks_go_in_grid_order_to_the_sms_in_turn)
{
    static const uint32_t row[] = {0, 1, 2, 3, 4, 5};
    const struct config c = overlap(3, 2);
    struct program p = rows(row, 6);
    p.allocation_count = 0;
    struct outcome *o = run(&c, &p);
    for (uint32_t b = 0; b < 6; b++) cr_expect_eq(sms_of_row(o, b), 1u << b % 3, "block %u", b);
    cr_expect_eq(o->stats.dispatch_no_range, 6);
    cr_expect_eq(o->stats.dispatch_by_least, 6);
    free(o);
}

/* Each SM runs nothing when it asks: a request, the turn to the other SMs, a comparison in five stages, a grant.  The
 * oldest candidate is compared with each of the others that run something, the third time with two; it shares nothing
 * with them, and the search ends. */
Test(dispatch_overlap, a_decision_takes_the_cycles_of_the_block)
{
    static const uint32_t row[] = {0, 1, 2};
    const struct config c = overlap(3, 1);
    const struct program p = rows(row, 3);
    struct outcome *o = run(&c, &p);
    for (uint32_t b = 0; b < 3; b++)
        cr_expect_eq(outcome_event(o, AT_COALESCER, 8 * b)->cycle,
                     outcome_event(o, AT_COALESCER, 0)->cycle + 9 * b + (b > 1));
    cr_expect_eq(o->stats.dispatch_wait_cycles, 9 + 9 + 10);
    free(o);
}

/* The thread blocks that enter the block's queue, in grid order. */
struct pushes {
    const struct ranges *ranges;
    uint32_t bits, seen;
};

static void check_push(void *context, const char *block, const void *cfg, const void *in)
{
    struct pushes *s = context;
    const struct block_overlap_in *i = in;
    (void)block, (void)cfg;
    if (!i->push_valid_i || s->seen > i->push_id_i) return; /* it waits until the queue has room */
    cr_assert_eq(i->push_id_i, s->seen);
    const struct range_entry e = ranges_entry(s->ranges, 0, s->seen++, RANGE_BOUNDS, s->bits);
    const uint64_t packed[] = {i->push_x_i, i->push_y_i, i->push_width_i, i->push_height_i};
    for (uint32_t field = 0; field < 4; field++) {
        for (uint32_t n = 0; n < RANGE_SLOTS; n++) {
            const struct rect *r = &e.slot[n];
            const uint32_t expected[] = {r->x, r->y, r->width, r->height};
            cr_assert_eq(packed[field] >> n * s->bits & ((1u << s->bits) - 1), expected[field],
                         "%u bits, thread block %lu, array %u, field %u", s->bits, (uint64_t)i->push_id_i, n, field);
        }
        cr_assert_eq(packed[field] >> RANGE_SLOTS * s->bits, 0);
    }
}

static struct source *vecadd(void)
{
    struct error err = {""};
    struct source *s = kernel_open("vecadd:n=4096,align=2097152", 1, &err);
    cr_assert(s, "%s", err.text);
    return s;
}

/* The three arrays of a kernel, with rectangles drawn by lot. */
static void draw_rectangles(struct ranges *r, uint32_t side)
{
    struct error err = {""};
    struct source *s = vecadd();
    struct rng rng;
    rng_seed(&rng, 1);
    cr_assert(ranges_collect(s, r, NULL, &err), "%s", err.text);
    s->ops->close(s);
    cr_assert_eq(r->kernels[0].slots, RANGE_SLOTS);
    for (uint32_t a = 0; a < r->array_count; a++) r->arrays[a].width = r->arrays[a].height = side;
    for (uint64_t i = 0; i < r->range_count; i++) {
        struct rect *to = &r->range[i].rect[RANGE_BOUNDS];
        to->x = (uint32_t)rng_below(&rng, side / 2);
        to->y = (uint32_t)rng_below(&rng, side / 2);
        to->width = 1 + (uint32_t)rng_below(&rng, side / 2);
        to->height = 1 + (uint32_t)rng_below(&rng, side / 2);
    }
}

Test(dispatch_overlap, the_block_gets_the_rectangles_of_each_thread_block)
{
    static const uint32_t widths[] = {3, 8, 11, 16};
    for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct config c = overlap(2, 2);
        struct ranges r = {0};
        struct stats stats;
        struct error err = {""};
        c.sm_overlap_bits = widths[i];
        c.sm_ranges = ACCESS_BOUNDS;
        draw_rectangles(&r, (1u << widths[i]) - 1);
        struct pushes pushes = {.ranges = &r, .bits = widths[i]};
        const struct observer o = {.capture = check_push, .capture_unit = "dispatch", .context = &pushes};
        struct run_setup setup = {.config = c, .source = vecadd(), .ranges = {&r}, .observer = &o};
        cr_assert(run_workload(&setup, &stats, &err), "%s", err.text);
        cr_expect_eq(pushes.seen, kernel_blocks(&r.kernels[0].info));
        cr_expect_geq(pushes.seen, 8);
        setup.source->ops->close(setup.source);
        ranges_free(&r);
    }
}

static void expect_equal(const struct outcome *a, const struct outcome *b, uint32_t trial)
{
#define STAT(field, name, text)                                                                                        \
    cr_expect_eq(a->stats.field, b->stats.field, "trial %u: " name ": %lu with sim.skip, %lu without", trial,          \
                 a->stats.field, b->stats.field);
#include "system/stats/stats.def"
#undef STAT
    cr_expect(outcome_same_events(a, b), "trial %u", trial);
}

static void try_skip(const struct config *c, const struct program *const *p, uint32_t count, uint32_t trial)
{
    const struct fixed_memory m = bench_memory();
    struct outcome *o[2];
    for (uint32_t skip = 0; skip < 2; skip++) {
        struct config with = *c;
        with.sim_skip = skip;
        o[skip] = bench_run_beside(&with, p, count, &m, true);
        cr_assert(o[skip]->ok, "trial %u: %s", trial, o[skip]->err.text);
    }
    expect_equal(o[1], o[0], trial);
    cr_expect_gt(o[1]->stats.dispatch_by_overlap, 0, "trial %u", trial);
    free(o[0]);
    free(o[1]);
}

/* Rows from a small range in no order; two kernels; other machines; then two workloads beside each other, with and
 * without an end in the middle. */
Test(dispatch_overlap, skipping_changes_no_counter)
{
    uint32_t row[MOST_BLOCKS];
    for (uint32_t b = 0; b < MOST_BLOCKS; b++) row[b] = b * 37 % 11;
    struct program p = rows(row, MOST_BLOCKS);
    p.kernels = 2;
    const struct program *const list[] = {&p, &p};
    for (uint32_t trial = 0; trial < 24; trial++) {
        struct config c = overlap(1 + trial % 4, 2 + trial % 3);
        c.sm_overlap_entries = trial % 5 ? 1 + trial * 5 % 16 : 1024;
        c.sm_overlap_bits = 1 + trial % 8;
        c.sm_ranges = trial % 2;
        const uint32_t count = trial % 3 == 0 ? 2 : 1;
        if (count == 2) c.sm_blocks = 4;
        if (count == 2 && trial % 2) c.cke_cycles = 5000;
        try_skip(&c, list, count, trial);
    }
}

Test(dispatch_overlap, a_machine_beyond_the_block_is_refused)
{
    static const uint32_t row[] = {0};
    const struct program p = rows(row, 1);
    const struct fixed_memory m = bench_memory();
    struct config c = overlap(1, 33);
    struct outcome *o = bench_run(&c, &p, &m);
    cr_expect_str_eq(o->err.text, "sm.dispatch: found overlap with sm.blocks = 33, allowed with it: 1 to 32");
    free(o);
    c = overlap(1, 32);
    c.sm_overlap_bits = 11;
    o = bench_run(&c, &p, &m);
    cr_expect_str_eq(o->err.text, "sm.overlap.bits: found 11 with sm.blocks = 32, allowed with it: 1 to 10 (3 "
                                  "rectangles of each thread block of an SM in 1024 bits)");
    free(o);
}

/* Row r is that of blocks r and r + 96: each block of the second half goes where the first half's is. */
Test(dispatch_overlap, candidates_and_sms_of_a_large_machine)
{
    enum { SMS = 96 };
    uint32_t row[2 * SMS];
    for (uint32_t b = 0; b < 2 * SMS; b++) row[b] = b % SMS % ROWS;
    struct config c = overlap(SMS, 2);
    c.sm_overlap_steps = 1000000;
    const struct program p = rows(row, 2 * SMS);
    struct outcome *o = run(&c, &p);
    cr_expect_eq(o->stats.dispatch_decisions, 2 * SMS);
    cr_expect_eq(o->stats.dispatch_by_overlap, SMS);
    free(o);
}

Test(dispatch_overlap, a_run_without_the_ranges_that_it_needs_fails)
{
    struct source source = {.name = "w"};
    struct run_setup setup = {.config = overlap(1, 1), .source = &source};
    struct stats stats;
    struct error err = {0};
    cr_assert_not(run_workload(&setup, &stats, &err));
    cr_expect_str_eq(err.text, "sm: found no access ranges of w, which sm.dispatch reads");
}
