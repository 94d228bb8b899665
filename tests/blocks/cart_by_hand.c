/* SPDX-License-Identifier: Apache-2.0 */
/* cart: outcomes worked out by hand from Gu20, sections 2.4.3 and 2.4.4 and figures 2.5 and 2.6. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cart.h"
#include "skip.h"

static struct cart *tree(uint32_t banks, uint32_t rows, uint32_t cols, uint32_t entries, uint32_t rotate,
                         uint32_t patience)
{
    const struct cart_cfg cfg = {.Banks = banks,
                                 .Rows = rows,
                                 .Cols = cols,
                                 .Entries = entries,
                                 .AddrW = 16,
                                 .BankLsb = 0,
                                 .BankMsb = 4,
                                 .RowLsb = 8,
                                 .InfoW = 16,
                                 .Rotate = rotate,
                                 .Patience = patience};
    struct cart *m = calloc(1, sizeof *m);
    cr_assert(m);
    cart_init(m, &cfg);
    return m;
}

/* Bank bits at 0 and 4, 5 and 6; columns at 1, 2 and 3; rows from 8 on. */
static uint64_t line(uint32_t bank, uint32_t row, uint32_t col)
{
    return (uint64_t)row << 8 | (uint64_t)(bank >> 1) << 4 | (uint64_t)col << 1 | (bank & 1);
}

static struct cart_out cycle(struct cart *m, struct cart_in in)
{
    struct cart_out out;
    cart_eval(m, &in, &out);
    cart_tick(m, &in);
    return out;
}

static bool put(struct cart *m, uint64_t addr, uint64_t info)
{
    return cycle(m, (struct cart_in){.in_valid_i = true, .in_addr_i = addr, .in_info_i = info}).in_ready_o;
}

static struct cart_out get(struct cart *m)
{
    return cycle(m, (struct cart_in){.out_ready_i = true});
}

static void expect_order(struct cart *m, const int *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct cart_out out = get(m);
        cr_assert(out.out_valid_o, "request %u of %u", i, n);
        cr_expect_eq(out.out_info_o, (uint64_t)order[i], "request %u: MR%d, expected MR%d", i, (int)out.out_info_o,
                     order[i]);
    }
    cr_expect(!get(m).out_valid_o, "nothing else");
}

/* Figure 2.6, its queues' requests from the oldest on; a number below 0 ends the list. */
static const struct {
    uint32_t bank, queue, row, col;
    int requests[6];
} figure[] = {{1, 0, 1, 0, {2, 1, 0, -1}}, {1, 1, 1, 1, {7, 6, 5, 4, 3, -1}}, {1, 2, 2, 2, {11, 10, 9, 8, -1}},
              {2, 0, 1, 1, {13, 12, -1}},  {2, 1, 1, 1, {15, 14, -1}},        {3, 0, 3, 1, {18, 17, 16, -1}}};

/* The status of the figure, put into the registers: Q4 was begun when Q3 was full. */
static void load_figure(struct cart *m)
{
    for (uint32_t i = 0; i < sizeof figure / sizeof *figure; i++) {
        const uint32_t bank = figure[i].bank, queue = bank * 4 + figure[i].queue;
        for (uint32_t k = 0; figure[i].requests[k] >= 0; k++, m->used_q++)
            m->info_q[queue * 5 + m->count_q[queue]++] = (uint64_t)figure[i].requests[k];
        m->busy_q |= 1u << bank;
        m->valid_q[bank] |= 1u << figure[i].queue;
        m->row_q[bank * 2 + figure[i].queue / 2] = figure[i].row;
        m->col_q[queue] = line(0, 0, figure[i].col);
    }
    m->linked_q[2] = 1;
    m->blocked_q[2] = 2;
    m->next_q[2 * 4] = 1;
    m->bank_q = 1;
}

/* The order that section 2.4.4 prints, starting with bank 1. */
Test(cart, figure_2_6_is_drained_in_the_order_that_the_text_gives)
{
    static const int order[] = {7, 13, 18, 6, 12, 17, 5, 15, 16, 4, 14, 3, 2, 1, 0, 11, 10, 9, 8};
    struct cart *m = tree(4, 2, 2, 5, 0, 0);
    load_figure(m);
    cr_expect_eq(m->used_q, 19);
    expect_order(m, order, sizeof order / sizeof *order);
    cr_expect(cart_idle(m));
    free(m);
}

/* Figure 2.5: MR0 to MR4 are B0/R0/C0, B0/R1/C1, B0/R0/C0, B1/R0/C0, B0/R0/C1: the second one of the line follows the
 * first, MR4 uses the open row, and bank 1 works meanwhile. */
Test(cart, figure_2_5_groups_lines_and_rows_and_takes_banks_in_turn)
{
    static const int order[] = {0, 3, 2, 4, 1};
    struct cart *m = tree(16, 4, 2, 2, 0, 0);
    put(m, line(0, 0, 0), 0);
    put(m, line(0, 1, 1), 1);
    put(m, line(0, 0, 0), 2);
    put(m, line(1, 0, 0), 3);
    put(m, line(0, 0, 1), 4);
    expect_order(m, order, 5);
    free(m);
}

Test(cart, a_full_queue_gets_a_second_one_and_the_line_stays_in_order)
{
    struct cart *m = tree(2, 2, 2, 2, 0, 0);
    for (uint64_t i = 0; i < 4; i++) cr_expect(put(m, line(1, 5, 3), i));
    cr_expect(!put(m, line(1, 5, 3), 9), "both queues of the row's group are full");
    cr_expect(put(m, line(1, 6, 3), 20), "another row has a group of its own");
    cr_expect_eq(get(m).out_info_o, 0);
    cr_expect(!put(m, line(1, 5, 3), 9), "the older queue has room, but the younger one takes the line's requests");
    cr_expect_eq(get(m).out_info_o, 1);
    cr_expect(put(m, line(1, 5, 3), 4), "the older queue has run empty, and is begun again behind the younger one");
    for (uint64_t i = 2; i < 5; i++) cr_expect_eq(get(m).out_info_o, i);
    cr_expect_eq(get(m).out_info_o, 20);
    free(m);
}

Test(cart, a_row_keeps_to_its_group_and_a_fifth_row_stalls)
{
    struct cart *m = tree(2, 4, 2, 2, 0, 0);
    for (uint32_t row = 0; row < 4; row++) cr_expect(put(m, line(0, row, 0), row));
    cr_expect(!put(m, line(0, 4, 0), 4));
    cr_expect(put(m, line(0, 3, 1), 30), "the second column of a row");
    cr_expect(!put(m, line(0, 3, 2), 31), "and no third, though other groups have empty queues");
    cr_expect(put(m, line(1, 4, 0), 40), "another bank has a branch of its own");
    cr_expect_eq(cycle(m, (struct cart_in){0}).stalls_o, 2);
    free(m);
}

/* MR0 is offered while it is alone; then its row is drained. */
Test(cart, longest_queue_of_a_branch_goes_first_and_the_lowest_of_equals)
{
    static const int order[] = {0, 20, 21, 10, 30};
    struct cart *m = tree(2, 4, 2, 2, 0, 0);
    put(m, line(0, 0, 0), 0);
    put(m, line(0, 1, 0), 10);
    put(m, line(0, 2, 0), 20);
    put(m, line(0, 2, 0), 21);
    put(m, line(0, 3, 0), 30);
    expect_order(m, order, 5);
    free(m);
}

Test(cart, an_offer_stands_until_it_is_taken_and_rotate_goes_on_when_it_is_refused)
{
    for (uint32_t rotate = 0; rotate < 2; rotate++) {
        struct cart *m = tree(4, 2, 2, 2, rotate, 0);
        const struct cart_in refused = {.out_refused_i = true};
        put(m, line(2, 0, 0), 20);
        put(m, line(0, 0, 0), 1);
        cr_expect_eq(cycle(m, (struct cart_in){0}).out_info_o, 20, "offered first, though bank 0 has a request now");
        cr_expect_eq(cycle(m, refused).out_info_o, 20);
        cr_expect_eq(cycle(m, refused).out_info_o, rotate ? 1 : 20);
        cr_expect_eq(cycle(m, refused).out_info_o, 20);
        cr_expect_eq(cart_idle(m), false);
        free(m);
    }
}

/* A line that never ends would keep its branch for ever; with patience the others have their turn. */
Test(cart, patience_bounds_the_wait_of_the_others)
{
    for (uint32_t patience = 0; patience <= 4; patience += 4) {
        struct cart *m = tree(2, 2, 2, 2, 0, patience);
        uint32_t takes = 0;
        bool out = false;
        put(m, line(0, 0, 0), 1);
        put(m, line(0, 1, 0), 99);
        for (uint32_t t = 0; t < 1000 && !out; t++) {
            const struct cart_in in = {
                .in_valid_i = true, .in_addr_i = line(0, 0, 0), .in_info_i = 1, .out_ready_i = true};
            const struct cart_out o = cycle(m, in);
            out = o.out_valid_o && o.out_info_o == 99;
            takes += o.out_valid_o;
        }
        cr_expect_eq(out, patience != 0);
        if (patience) cr_expect_leq(takes, 2 * 2 * 4 * patience, "Cols * Entries * queues * Patience: found %u", takes);
        free(m);
    }
}

/* The worked example of rtl/cart/README.md: A and B are lines of one row, C of another, D of the other bank. */
Test(cart, readme_example)
{
    static const struct {
        uint64_t in; /* 0: none; its line is in the high digit */
        bool take, ready;
        uint64_t out;
        uint32_t queue, used, valid, linked, blocked;
    } rows[] = {{0xa0, 0, 1, 0x00, 0, 0, 0x0, 0, 0}, {0xa1, 0, 1, 0xa0, 0, 1, 0x1, 0, 0},
                {0xa2, 0, 1, 0xa0, 0, 2, 0x1, 0, 0}, {0xb0, 0, 0, 0xa0, 0, 3, 0x3, 1, 2},
                {0xc0, 1, 1, 0xa0, 0, 3, 0x3, 1, 2}, {0xd0, 1, 1, 0xa1, 0, 3, 0x7, 1, 2},
                {0xb0, 1, 1, 0xd0, 0, 3, 0x6, 0, 0}, {0x00, 1, 0, 0xb0, 0, 3, 0x7, 0, 0},
                {0x00, 1, 0, 0xa2, 1, 2, 0x6, 0, 0}, {0x00, 1, 0, 0xc0, 2, 1, 0x4, 0, 0}};
    const uint64_t lines[] = {line(0, 0, 0), line(0, 0, 1), line(0, 1, 0), line(1, 0, 0)};
    struct cart *m = tree(2, 2, 2, 2, 0, 0);
    for (uint32_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        const uint32_t letter = (uint32_t)(rows[t].in >> 4);
        cr_expect(m->valid_q[0] == rows[t].valid && m->linked_q[0] == rows[t].linked &&
                      m->blocked_q[0] == rows[t].blocked,
                  "cycle %u", t);
        const struct cart_out out = cycle(m, (struct cart_in){.in_valid_i = letter != 0,
                                                              .in_addr_i = letter ? lines[letter - 0xa] : 0,
                                                              .in_info_i = rows[t].in,
                                                              .out_ready_i = rows[t].take});
        cr_expect(out.in_ready_o == rows[t].ready && out.out_info_o == rows[t].out &&
                      out.out_queue_o == rows[t].queue && out.used_o == rows[t].used,
                  "cycle %u", t);
    }
    free(m);
}

Test(cart, reset_empties_it)
{
    struct cart *m = tree(2, 2, 2, 2, 0, 4);
    for (uint32_t i = 0; i < 20; i++) put(m, line(i % 2, i % 3, i % 5), i);
    cart_reset(m);
    const struct cart_out out = cycle(m, (struct cart_in){0});
    cr_expect(cart_idle(m) && !out.out_valid_o && out.out_addr_o == 0 && out.used_o == 0 && out.stalls_o == 0);
    free(m);
}

static void traffic(struct cart *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 6); c > 0; c--)
        cycle(m, (struct cart_in){.in_valid_i = rng_below(rng, 2),
                                  .in_addr_i = rng_below(rng, 1u << 16) & 0x0313,
                                  .in_info_i = c,
                                  .out_ready_i = rng_below(rng, 2),
                                  .out_refused_i = rng_below(rng, 2)});
}

Test(cart, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct cart *m = tree(2, 2, 2, 2, 1, 8);
    SKIP_ROUNDS(cart, m, traffic, 11, 400, 9, .in_addr_i = c, .out_ready_i = c & 1, .out_refused_i = c & 2);
    free(m);
}
