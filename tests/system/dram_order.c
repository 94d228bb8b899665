/* SPDX-License-Identifier: Apache-2.0 */
/* Order of requests, mapping of addresses, and the full queue. */
#include "channel.h"

#include <stdlib.h>

#include "base/rng.h"

#define ROW (2048u * 16) /* the next row of the same bank */

static struct channel ch, other;

static void expect_order(uint32_t a, uint32_t b, uint32_t c)
{
    cr_expect(ch.order[0] == a && ch.order[1] == b && ch.order[2] == c, "done in order %u %u %u", ch.order[0],
              ch.order[1], ch.order[2]);
}

Test(dram_order, the_open_row_goes_first)
{
    channel_open(&ch, NULL);
    channel_push(&ch, 0, 32, false);
    channel_push(&ch, ROW, 32, false);
    channel_push(&ch, 64, 32, false);
    channel_drain(&ch);
    expect_order(0, 2, 1);
    cr_expect_eq(ch.s.dram_row_hits, 1);
    channel_close(&ch);
}

Test(dram_order, fcfs_keeps_a_bank_in_order)
{
    channel_open(&ch, (const char *[]){"dram.scheduler=fcfs", NULL});
    channel_push(&ch, 0, 32, false);
    channel_push(&ch, ROW, 32, false);
    channel_push(&ch, 64, 32, false);
    channel_drain(&ch);
    expect_order(0, 1, 2);
    cr_expect_eq(ch.s.dram_row_misses, 3);
    channel_close(&ch);
}

/* The only column command of request 0 is in clock 12; its bank takes the next request in clock 13. */
static void newcomer(uint64_t clock)
{
    channel_open(&ch, NULL);
    channel_push(&ch, 0, 32, false);
    channel_push(&ch, ROW, 32, false);
    channel_until(&ch, clock);
    channel_push(&ch, 64, 32, false);
    channel_drain(&ch);
}

Test(dram_order, a_newcomer_to_the_open_row_goes_first_until_its_bank_takes_another)
{
    newcomer(13);
    expect_order(0, 2, 1);
    cr_expect_eq(ch.s.dram_activates, 2);
    channel_close(&ch);
}

Test(dram_order, a_newcomer_waits_for_the_request_that_its_bank_has_taken)
{
    newcomer(14);
    expect_order(0, 1, 2);
    cr_expect_eq(ch.s.dram_activates, 3);
    channel_close(&ch);
}

Test(dram_order, a_place_in_the_window_is_free_once_a_bank_takes_its_request)
{
    channel_open(&ch, (const char *[]){"dram.queue=2", NULL});
    channel_push(&ch, 0, 128, false);
    channel_push(&ch, ROW, 128, false);
    cr_expect_not(dram_room(ch.d));
    channel_until(&ch, 1); /* taken in clock 0 */
    cr_expect(dram_room(ch.d));
    cr_expect_eq(ch.rooms, 1);
    channel_push(&ch, 2 * ROW, 128, false);
    channel_until(&ch, 22); /* the last column command of request 0 is in clock 21 (dram_timing.c) */
    cr_expect_not(dram_room(ch.d));
    channel_until(&ch, 23);
    cr_expect(dram_room(ch.d));
    cr_expect_eq(ch.rooms, 2);
    channel_drain(&ch);
    cr_expect_eq(ch.done, 3);
    channel_close(&ch);
}

Test(dram_order, every_bank_holds_one_request_beside_the_window)
{
    channel_open(&ch, (const char *[]){"dram.queue=1", "dram.banks=4", NULL});
    for (uint32_t i = 0; i < 4; i++, channel_until(&ch, ch.clock + 1))
        channel_push(&ch, (i & 1) * 128 + (i >> 1) * 4096, 128, false);
    channel_push(&ch, ROW, 128, false);
    channel_until(&ch, ch.clock + 1);
    cr_expect_not(dram_room(ch.d), "the window has one place, and no bank is free");
    channel_drain(&ch);
    cr_expect_eq(ch.done, 5);
    channel_close(&ch);
}

Test(dram_order, addresses_of_a_gtx480_channel)
{
    struct config c;
    config_default(&c);
    c.dram_atom_bytes = 64;
    c.dram_row_bytes = 4096;
    /* row(12) bank(3) column(4) bank(1) column(2) byte(6): 0xabc 5 0x9 1 2 0x3f */
    uint64_t a = (uint64_t)0xabc << 16 | 5 << 13 | 9 << 9 | 1 << 8 | 2 << 6 | 0x3f;
    struct dram_place p = dram_map(&c, a);
    cr_expect_eq(p.row, 0xabc);
    cr_expect_eq(p.bank, 5 << 1 | 1);
    cr_expect_eq(p.column, 9 << 8 | 2 << 6 | 0x3f);
}

/* The next bank begins behind four column commands, and not inside a line. */
Test(dram_order, four_atoms_and_a_whole_line_are_in_one_bank)
{
    struct config c;
    config_default(&c);
    for (c.dram_atom_bytes = 16; c.dram_atom_bytes <= 128; c.dram_atom_bytes *= 2) {
        const uint64_t end = c.dram_atom_bytes > 32 ? 4 * c.dram_atom_bytes : 128;
        cr_expect_eq(dram_map(&c, end - 1).bank, 0, "atoms of %u bytes", c.dram_atom_bytes);
        cr_expect_eq(dram_map(&c, end).bank, 1, "atoms of %u bytes", c.dram_atom_bytes);
    }
}

Test(dram_order, every_address_has_a_place_of_its_own)
{
    enum { BYTES = 1 << 20 };
    struct config c;
    config_default(&c);
    for (c.dram_banks = 1; c.dram_banks <= 64; c.dram_banks *= 4) {
        uint8_t *seen = calloc(1, BYTES);
        cr_assert(seen);
        for (uint64_t a = 0; a < BYTES; a++) {
            struct dram_place p = dram_map(&c, a);
            cr_assert(p.bank < c.dram_banks && p.column < c.dram_row_bytes);
            uint64_t i = (p.row * c.dram_banks + p.bank) * c.dram_row_bytes + p.column;
            cr_assert(i < BYTES && !seen[i]++, "address %llu", (unsigned long long)a);
        }
        free(seen);
    }
}

/* Random traffic, the same for every channel with the same seed: bursts and pauses, few lines, reads and writes. */
static void random_traffic(struct channel *c, uint64_t seed, uint32_t count, uint64_t *addresses)
{
    struct rng rng;
    rng_seed(&rng, seed);
    while (c->pushed < count) {
        uint64_t clock = c->clock + rng_below(&rng, rng_below(&rng, 20) ? 8 : 3000);
        channel_until(c, clock);
        for (uint64_t burst = rng_below(&rng, 12); burst && c->pushed < count && dram_room(c->d); burst--) {
            uint64_t line = rng_below(&rng, 2) ? rng_below(&rng, 64) : rng_below(&rng, 1 << 14);
            addresses[c->pushed] = line;
            channel_push(c, line * 128, 128, rng_below(&rng, 3) == 0);
        }
    }
    channel_drain(c);
}

static const char *const configs[][6] = {
    {NULL},
    {"dram.queue=64", NULL},
    {"dram.scheduler=fcfs", NULL},
    {"dram.refresh=true", "dram.t.refi=700", "dram.t.rfc=90", NULL},
    {"dram.banks=1", "dram.bank_groups=1", NULL},
    {"dram.command_bus=dual", "dram.group_bits=high", "dram.rtpl_scope=bank", "dram.queue=1", NULL},
    {"dram.banks=64", "dram.bank_groups=16", "dram.atom_bytes=64", "dram.bus_bytes=8", NULL},
};

Test(dram_order, sleeping_changes_nothing)
{
    static uint64_t addresses[6000];
    for (uint32_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        channel_open(&ch, configs[i]);
        channel_open(&other, configs[i]);
        other.c.sim_skip = false;
        random_traffic(&ch, i + 1, 6000, addresses);
        random_traffic(&other, i + 1, 6000, addresses);
        cr_expect_arr_eq(ch.at, other.at, sizeof ch.at, "config %u: some request ends at another time", i);
        cr_expect_arr_eq(&ch.s, &other.s, sizeof ch.s, "config %u: some counter differs", i);
        cr_expect_eq(ch.s.dram_reads + ch.s.dram_writes, 6000);
        channel_close(&ch);
        channel_close(&other);
    }
}

Test(dram_order, requests_to_one_line_stay_in_order_and_data_never_overlaps)
{
    static uint64_t addresses[6000];
    static uint32_t last[1 << 14];
    for (uint32_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        channel_open(&ch, configs[i]);
        random_traffic(&ch, 100 + i, 6000, addresses);
        uint64_t burst = ch.c.dram_atom_bytes / ch.c.dram_bus_bytes;
        memset(last, 0, sizeof last);
        for (uint32_t n = 0; n < 6000; n++) {
            uint32_t r = ch.order[n];
            cr_assert(last[addresses[r]] <= r, "config %u: request %u overtakes", i, r);
            last[addresses[r]] = r;
            cr_assert(!n || ch.at[r] >= ch.at[ch.order[n - 1]] + burst, "config %u: request %u", i, r);
        }
        channel_close(&ch);
    }
}

/* A command every clock, each with its data 100 clocks later: a hundred writes are on their way at once. */
Test(dram_order, no_write_is_lost_where_its_data_come_late)
{
    channel_open(
        &ch, (const char *[]){"dram.t.wl=100", "dram.t.cl=1", "dram.t.ccd=1", "dram.t.ccdl=1", "dram.queue=256", NULL});
    for (uint32_t i = 0; i < 200; i++) channel_push(&ch, i % 64 * 32, 32, true);
    channel_drain(&ch);
    cr_expect_eq(ch.done, 200);
    for (uint32_t i = 0; i < 200; i++) cr_expect_neq(ch.at[i], 0, "request %u", i);
    channel_close(&ch);
}
