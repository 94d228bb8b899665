/* SPDX-License-Identifier: Apache-2.0 */
/* bank_reorder: the worked example of its README, and skipping. */
#include <criterion/criterion.h>
#include <string.h>

#include "bank_reorder.h"
#include "base/rng.h"
#include "skip.h"

static struct bank_reorder *queues(uint32_t banks, uint32_t entries, uint32_t rotate)
{
    const struct bank_reorder_cfg cfg = {
        .Banks = banks, .Entries = entries, .AddrW = 16, .BankLsb = 1, .BankMsb = 5, .InfoW = 16, .Rotate = rotate};
    struct bank_reorder *m = calloc(1, sizeof *m);
    cr_assert(m);
    bank_reorder_init(m, &cfg);
    return m;
}

static uint64_t in_bank(uint32_t bank)
{
    return (uint64_t)(bank >> 1) << 5 | (uint64_t)(bank & 1) << 1;
}

static struct bank_reorder_out cycle(struct bank_reorder *m, struct bank_reorder_in in)
{
    struct bank_reorder_out out;
    bank_reorder_eval(m, &in, &out);
    bank_reorder_tick(m, &in);
    return out;
}

/* The table of rtl/bank_reorder/README.md. */
Test(bank_reorder, readme_example)
{
    static const struct {
        uint64_t in; /* 0: none; the bank is in its high digit */
        bool ready;
        uint64_t out;
        bool take;
        uint32_t turn, used;
    } rows[] = {{0xa0, 1, 0x00, 1, 0, 0}, {0xa1, 1, 0xa0, 0, 0, 1}, {0xa2, 0, 0xa0, 0, 0, 2}, {0xa3, 0, 0xa0, 1, 0, 2},
                {0xb0, 1, 0xa1, 1, 1, 1}, {0x00, 0, 0xb0, 1, 1, 1}, {0x00, 0, 0x00, 1, 0, 0}};
    struct bank_reorder *m = queues(2, 2, 0);
    for (uint32_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        cr_expect_eq(m->turn_bank_q, rows[t].turn, "cycle %u", t);
        const struct bank_reorder_out out =
            cycle(m, (struct bank_reorder_in){.in_valid_i = rows[t].in != 0,
                                              .in_addr_i = in_bank(rows[t].in >> 4 == 0xb),
                                              .in_info_i = rows[t].in,
                                              .out_ready_i = rows[t].take});
        cr_expect(out.in_ready_o == rows[t].ready && out.out_info_o == rows[t].out && out.used_o == rows[t].used,
                  "cycle %u: ready %d, out %x, used %u", t, out.in_ready_o, (unsigned)out.out_info_o, out.used_o);
    }
    free(m);
}

static void traffic(struct bank_reorder *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 6); c > 0; c--)
        cycle(m, (struct bank_reorder_in){.in_valid_i = rng_below(rng, 2),
                                          .in_addr_i = rng_below(rng, 64),
                                          .in_info_i = c,
                                          .out_ready_i = rng_below(rng, 2),
                                          .out_refused_i = rng_below(rng, 2)});
}

Test(bank_reorder, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct bank_reorder *m = queues(4, 3, 1);
    SKIP_ROUNDS(bank_reorder, m, traffic, 5, 400, 9, .in_addr_i = c, .out_ready_i = c & 1, .out_refused_i = c & 2);
    free(m);
}
