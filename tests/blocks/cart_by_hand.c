/* SPDX-License-Identifier: Apache-2.0 */
/* cart: the worked example of its README, and skipping. */
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
