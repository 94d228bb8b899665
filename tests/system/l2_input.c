/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks that reorder requests in front of an L2 slice: which request overtakes which, the effect on DRAM rows, and
 * that skipped cycles change no counter. */
#include <string.h>

#include "bank_reorder.h"
#include "base/rng.h"
#include "system/config/input_kind.h"
#include "system/named.h"
#include "system/slice.h"

/* One queue of two requests, for any options. */
static uint32_t pair(void *cfg, const struct config *c, const struct input_bits *bits)
{
    (void)c;
    *(struct bank_reorder_cfg *)cfg = (struct bank_reorder_cfg){.Banks = 1,
                                                                .Entries = 2,
                                                                .AddrW = INPUT_ADDR_BITS,
                                                                .BankLsb = bits->bank_lsb,
                                                                .BankMsb = bits->bank_msb,
                                                                .InfoW = INPUT_INFO_BITS};
    return 2;
}
static const struct input_kind two = {
    .policy = {"two", "one queue of two requests"}, .block = "bank_reorder", .configure = pair};
INPUT_KIND_REGISTER(two);

/* With the default map, banks lie at bits 0 and 5 to 7 of a line, columns between, rows from bit 8 on. */
static uint64_t line_at(uint32_t bank, uint64_t row, uint32_t column)
{
    return row << 8 | (uint64_t)(bank >> 1) << 5 | (uint64_t)column << 1 | (bank & 1);
}

static void push_when_room(struct slice *b, enum request_kind kind, uint64_t line)
{
    while (!l2_room(b->l2)) slice_until(b, b->clock + 1);
    slice_push(b, kind, line);
}

/* Many requests to few lines, in bursts with pauses; compares the response to each request and all counters. */
static void random_traffic(struct slice *b, uint64_t seed)
{
    struct rng r;
    rng_seed(&r, seed);
    for (uint32_t i = 0; i < 1500; i++) {
        const uint64_t line = line_at((uint32_t)rng_below(&r, 4), rng_below(&r, 3), (uint32_t)rng_below(&r, 4));
        push_when_room(b, rng_below(&r, 4) ? REQUEST_READ : REQUEST_WRITE, line);
        if (rng_below(&r, 20) == 0) slice_until(b, b->clock + rng_below(&r, 2000));
    }
    slice_drain(b);
}

static const char *const machines[][8] = {
    {"l2.input=cart"},
    {"l2.input=cart", "l2.input_refused=rotate", "l2.mshr.entries=2"},
    {"l2.input=cart", "l2.cart.cols=1", "l2.cart.rows=1", "l2.cart.entries=1", "l2.cart.patience=2"},
    {"l2.input=cart", "l2.mshr.kind=dl_mshr", "l2.input_refused=rotate", "l2.dl_mshr.sets=2", "l2.dl_mshr.reserved=1"},
    {"l2.input=bank_reorder"},
    {"l2.input=bank_reorder", "l2.input_refused=rotate", "l2.mshr.entries=2", "l2.bank_reorder.entries=2"},
    {"l2.input=bank_reorder", "l2.bank_reorder.queues=1", "l2.bank_reorder.entries=3"},
};

Test(l2_input, sleeping_through_quiet_cycles_changes_no_counter)
{
    for (uint32_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct slice *with = malloc(sizeof *with), *without = malloc(sizeof *without);
        const char *options[10] = {0};
        cr_assert(with && without);
        memcpy(options, machines[i], sizeof machines[i]);
        slice_open(with, options);
        for (uint32_t k = 0; k < 9; k++)
            if (!options[k]) {
                options[k] = "sim.skip=false";
                break;
            }
        slice_open(without, options);
        random_traffic(with, i);
        random_traffic(without, i);
        cr_expect(!memcmp(&with->s, &without->s, sizeof with->s), "machine %u", i);
        cr_expect_arr_eq(with->at, without->at, sizeof with->at, "machine %u: times of the responses", i);
        slice_close(with);
        slice_close(without);
        free(with);
        free(without);
    }
}

/* Section 2.3.1, case 3: a request that would hit waits behind a miss that finds no MSHR entry. */
Test(l2_input, rotate_lets_a_hit_of_another_bank_pass_a_refused_miss)
{
    static const struct {
        const char *options[6];
        bool passes;
    } cases[] = {{{"l2.mshr.entries=2"}, false},
                 {{"l2.mshr.entries=2", "l2.input=cart"}, false},
                 {{"l2.mshr.entries=2", "l2.input=cart", "l2.input_refused=rotate"}, true},
                 {{"l2.mshr.entries=2", "l2.input=bank_reorder", "l2.input_refused=rotate"}, true}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice *b = malloc(sizeof *b);
        cr_assert(b);
        slice_open(b, cases[i].options);
        slice_push(b, REQUEST_READ, line_at(1, 0, 0));
        slice_until(b, 2000); /* it is in the cache now */
        for (uint32_t row = 1; row <= 3; row++) slice_push(b, REQUEST_READ, line_at(0, row, 0));
        const uint32_t hit = slice_push(b, REQUEST_READ, line_at(1, 0, 0));
        slice_drain(b);
        cr_expect_eq(b->s.l2_hits, 1);
        cr_expect_eq(b->order[1] == hit, cases[i].passes, "case %u", i);
        slice_close(b);
        free(b);
    }
}

/* Row conflicts of 16 reads to two rows of a bank in turn. */
static uint64_t conflicts_of(const char *const *options, uint32_t row_bit, bool reordered)
{
    struct slice *b = malloc(sizeof *b);
    cr_assert(b);
    slice_open(b, options);
    for (uint32_t k = 0; k < 16; k++) slice_push(b, REQUEST_READ, (uint64_t)(k % 2) << row_bit | (k / 2) << 1);
    slice_drain(b);
    cr_expect_eq(b->s.dram_row_hits + b->s.dram_row_misses, 16);
    cr_expect_eq(b->s.l2_input_reordered > 0, reordered);
    const uint64_t conflicts = b->s.dram_row_conflicts;
    slice_close(b);
    free(b);
    return conflicts;
}

/* Grouped, each row is opened a few times instead of with every request. */
Test(l2_input, cart_groups_rows_so_that_fewer_are_closed)
{
    static const char *const fifo[] = {"dram.queue=1", "l2.miss_queue=2", "l2.input_queue=64", NULL};
    static const char *const cart[] = {"dram.queue=1",  "l2.miss_queue=2", "l2.input_queue=64",
                                       "l2.input=cart", "l2.cart.cols=8",  NULL};
    cr_expect_eq(conflicts_of(fifo, 8, false), 15);
    cr_expect_lt(conflicts_of(cart, 8, true), 5);
}

/* The bit that selects the slice is none of a slice's line addresses: rows begin a bit lower. */
Test(l2_input, cart_groups_rows_of_a_slice)
{
    static const char *const fifo[] = {"partition.slices=2", "dram.queue=1", "l2.miss_queue=2", "l2.input_queue=64",
                                       NULL};
    static const char *const cart[] = {"partition.slices=2",
                                       "dram.queue=1",
                                       "l2.miss_queue=2",
                                       "l2.input_queue=64",
                                       "l2.input=cart",
                                       "l2.cart.cols=8",
                                       NULL};
    cr_expect_gt(conflicts_of(fifo, 7, false), 12);
    cr_expect_lt(conflicts_of(cart, 7, true), 5);
}

Test(l2_input, writes_and_reads_of_a_line_are_answered_in_their_order)
{
    for (uint32_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct slice *b = malloc(sizeof *b);
        uint64_t line_of[SLICE_REQUESTS];
        struct rng r;
        cr_assert(b);
        rng_seed(&r, 5);
        slice_open(b, machines[i]);
        for (uint32_t k = 0; k < 1000; k++) {
            line_of[b->pushed] = line_at((uint32_t)rng_below(&r, 2), rng_below(&r, 2), (uint32_t)rng_below(&r, 2));
            push_when_room(b, rng_below(&r, 2) ? REQUEST_READ : REQUEST_WRITE, line_of[b->pushed]);
        }
        slice_drain(b);
        for (uint32_t k = 0; k < b->responses; k++)
            for (uint32_t j = k + 1; j < b->responses && j < k + 200; j++)
                cr_assert(line_of[b->order[k]] != line_of[b->order[j]] || b->order[k] < b->order[j],
                          "machine %u: request %u left before %u", i, b->order[k], b->order[j]);
        slice_close(b);
        free(b);
    }
}

/* Reads of all banks, rows and columns come faster than DRAM answers. */
Test(l2_input, cart_holds_as_many_requests_as_its_leaf_queues)
{
    struct slice *b = malloc(sizeof *b);
    cr_assert(b);
    slice_open(b, (const char *[]){"l2.input=cart", "dram.banks=4", "l2.cart.rows=4", "l2.cart.cols=4",
                                   "l2.cart.entries=4", "l2.miss_queue=2", "clock.dram=100", NULL});
    for (uint32_t i = 0; i < 1000; i++) push_when_room(b, REQUEST_READ, line_at(i % 4, i / 4 % 16, i / 64 % 16));
    slice_drain(b);
    cr_expect_eq(b->responses, 1000);
    slice_close(b);
    free(b);
}

Test(l2_input, a_channel_of_one_bank_has_one_queue)
{
    struct slice *b = malloc(sizeof *b);
    cr_assert(b);
    slice_open(b, (const char *[]){"l2.input=bank_reorder", "l2.bank_reorder.queues=1", "dram.banks=1",
                                   "dram.bank_groups=1", NULL});
    for (uint64_t i = 0; i < 6; i++) push_when_room(b, REQUEST_READ, i % 2 << 8);
    slice_drain(b);
    cr_expect_eq(b->responses, 6);
    slice_close(b);
    free(b);
}

/* Requests leave in the order of their arrival, through a block that no file of cache/inputs/ names. */
Test(l2_input, a_new_kind_needs_nothing_but_its_file)
{
    struct slice *b = malloc(sizeof *b);
    cr_assert(b);
    slice_open(b, (const char *[]){"l2.input=two", "l2.mshr.entries=2", NULL});
    for (uint32_t i = 0; i < 6; i++) push_when_room(b, REQUEST_READ, line_at(i, 0, 0));
    slice_drain(b);
    cr_expect_eq(b->responses, 6);
    cr_expect_gt(b->s.l2_input_stall_cycles, 0);
    cr_expect_eq(b->s.l2_input_reordered, 0);
    slice_close(b);
    free(b);
}

/* Requests inside a block wait in a table of this size (l2_input.c). */
Test(l2_input, holds_as_many_requests_as_its_block)
{
    struct config c;
    uint32_t cfg[INPUT_CFG_WORDS];
    const struct input_bits bits = {0};
    config_default(&c);
    c.dram_banks = 16;
    c.l2_cart_rows = 2, c.l2_cart_cols = 4, c.l2_cart_entries = 8;
    c.l2_bank_reorder_queues = 4, c.l2_bank_reorder_entries = 32;
    const struct input_kind *cart = (const struct input_kind *)policy_at("L2 input", L2_INPUT("cart")),
                            *queues = (const struct input_kind *)policy_at("L2 input", L2_INPUT("bank_reorder"));
    cr_expect_eq(cart->configure(cfg, &c, &bits), 16 * 2 * 4 * 8);
    cr_expect_eq(queues->configure(cfg, &c, &bits), 4 * 32);
}
