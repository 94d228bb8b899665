/* SPDX-License-Identifier: Apache-2.0 */
/* bank_reorder: outcomes worked out by hand from Gu20, section 2.3.3 and figures 2.2 and 2.3. */
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

static bool put(struct bank_reorder *m, uint64_t addr, uint64_t info)
{
    return cycle(m, (struct bank_reorder_in){.in_valid_i = true, .in_addr_i = addr, .in_info_i = info}).in_ready_o;
}

static struct bank_reorder_out get(struct bank_reorder *m)
{
    return cycle(m, (struct bank_reorder_in){.out_ready_i = true});
}

Test(bank_reorder, banks_are_taken_in_turn_and_the_oldest_of_a_bank_first)
{
    static const uint64_t order[] = {0, 1, 2, 10, 11, 20};
    struct bank_reorder *m = queues(4, 4, 0);
    put(m, in_bank(0), 0);
    put(m, in_bank(0), 10);
    put(m, in_bank(0), 20);
    put(m, in_bank(1), 1);
    put(m, in_bank(1), 11);
    put(m, in_bank(3), 2);
    for (uint32_t i = 0; i < 6; i++) cr_expect_eq(get(m).out_info_o, order[i], "request %u", i);
    cr_expect(bank_reorder_idle(m) && !get(m).out_valid_o);
    free(m);
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

/* Section 2.3.3: a request goes into queue (bank mod B). */
Test(bank_reorder, with_fewer_queues_than_banks_the_low_bank_bits_count)
{
    struct bank_reorder *m = queues(2, 4, 0);
    put(m, in_bank(5), 5);
    put(m, in_bank(2), 2);
    cr_expect_eq(get(m).out_bank_o, 1, "bank 5 of 16");
    cr_expect_eq(get(m).out_bank_o, 0, "bank 2 of 16");
    free(m);
}

Test(bank_reorder, one_queue_is_a_fifo_that_holds_as_many_as_it_has_entries)
{
    struct bank_reorder *m = queues(1, 8, 0);
    for (uint64_t i = 0; i < 8; i++) cr_expect(put(m, 77 * i, i));
    cr_expect(!put(m, 1, 8));
    const struct bank_reorder_in both = {.in_valid_i = true, .in_addr_i = 9, .in_info_i = 9, .out_ready_i = true};
    cr_expect(!cycle(m, both).in_ready_o, "the place that is given up now is there in the next cycle");
    for (uint64_t i = 1; i < 8; i++) {
        const struct bank_reorder_out out = get(m);
        cr_expect(out.out_info_o == i && out.out_addr_o == 77 * i);
    }
    cr_expect_eq(cycle(m, (struct bank_reorder_in){0}).stalls_o, 2);
    free(m);
}

Test(bank_reorder, rotate_offers_the_next_bank_after_a_refusal_hold_the_same_request)
{
    for (uint32_t rotate = 0; rotate < 2; rotate++) {
        struct bank_reorder *m = queues(4, 2, rotate);
        const struct bank_reorder_in refused = {.out_refused_i = true};
        put(m, in_bank(1), 1);
        put(m, in_bank(2), 2);
        cr_expect_eq(cycle(m, refused).out_info_o, 1);
        cr_expect_eq(cycle(m, refused).out_info_o, rotate ? 2 : 1);
        cr_expect_eq(cycle(m, refused).out_info_o, 1);
        free(m);
    }
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
