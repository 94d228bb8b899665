/* SPDX-License-Identifier: Apache-2.0 */
/* When does each request end?  Worked out by hand from the default timing (preset dlmshr-002-t3.2): bursts of 2 clocks
 * (32 B over 16 B), CCD 2 CCDL 3 RRD 6 RCD 12 RAS 28 RP 12 RC 40 CL 12 WL 4 CDLR 5 WR 12 RTPL 2, hence RCDWR 12 - 5 =
 * 7, RTW 12 + 2 + 2 - 4 = 12, WTR 4 + 2 + 5 = 11, WTP 4 + 2 + 12 = 18.  Requests pushed before clock 0 are seen in
 * clock 0; one bank a clock takes one.  128 bytes further is the next bank, ROW bytes further the next row of the same
 * bank. */
#include "channel.h"

#include "base/rng.h"

#define BANK 128u
#define BANK4 (2048u * 4) /* bank 4: with low bits in the bank group of bank 0, with high ones in the next */
#define ROW (2048u * 16)

static struct channel ch;

static void open_with(const char *const *options)
{
    channel_open(&ch, options);
}

Test(dram_timing, line_from_a_closed_row)
{
    open_with(NULL);
    uint32_t r = channel_push(&ch, 0, 128, false);
    channel_drain(&ch);
    /* ACT 0; columns at RCD 12, then every CCDL: 15, 18, 21; data 12 + 2 clocks later */
    cr_expect_eq(ch.at[r], 21 + 14);
    cr_expect_eq(ch.s.dram_active_cycles, 35);
    cr_expect_eq(ch.s.dram_bank_cycles, 35);
    cr_expect_eq(ch.s.dram_queue_cycles, 0); /* its bank takes it in clock 0 */
    cr_expect_eq(ch.s.dram_data_cycles, 8);
    cr_expect_eq(ch.s.dram_cycles, 36);
    cr_expect_eq(ch.s.dram_bytes, 128);
    channel_close(&ch);
}

Test(dram_timing, a_bus_of_one_byte_carries_a_byte_a_clock)
{
    open_with((const char *[]){"dram.bus_bytes=1", NULL});
    const uint32_t r = channel_push(&ch, 0, 32, false);
    channel_drain(&ch);
    /* ACT 0; column at RCD 12; the last byte after CL 12 and 32 clocks */
    cr_expect_eq(ch.at[r], 12 + 12 + 32);
    cr_expect_eq(ch.s.dram_data_cycles, 32);
    channel_close(&ch);
}

/* Half of a burst: as long as the whole one, and half of its bytes. */
Test(dram_timing, a_request_shorter_than_an_atom_takes_a_whole_one)
{
    uint64_t at[2];
    for (uint32_t k = 0; k < 2; k++) {
        open_with((const char *[]){"dram.atom_bytes=64", NULL});
        channel_push(&ch, 32, 32 + 32 * k, false);
        const uint32_t last = channel_push(&ch, 256, 96 + 32 * k, true); /* two atoms */
        channel_drain(&ch);
        at[k] = ch.at[last];
        cr_expect_eq(ch.s.dram_data_cycles, 3 * 4);
        cr_expect_eq(ch.s.dram_bytes, 128 + 64 * k);
        channel_close(&ch);
    }
    cr_expect_eq(at[0], at[1]);
}

Test(dram_timing, busy_banks_are_counted_while_they_are_busy)
{
    open_with(NULL);
    channel_push(&ch, 0, 128, false); /* clocks 0 to 34 */
    channel_until(&ch, 100);
    channel_push(&ch, 0, 128, false); /* a row hit: columns in 100, 103, 106, 109; clocks 100 to 122 */
    channel_until(&ch, 200);
    channel_push(&ch, 0, 32, false);    /* 200 to 213 */
    channel_push(&ch, BANK, 32, false); /* taken in 201, ACT 201, column 213: 200 to 226 */
    channel_drain(&ch);
    cr_expect_eq(ch.s.dram_active_cycles, 35 + 23 + 27);
    cr_expect_eq(ch.s.dram_bank_cycles, 35 + 23 + 27 + 14);
    cr_expect_eq(ch.s.dram_queue_cycles, 1);
    channel_close(&ch);
}

/* The clock in which data of the second of two reads comes, both to open rows: the first has its column in clock 100.
 */
static uint64_t second_of_two(const char *group_bits, uint32_t other_bank)
{
    open_with((const char *[]){group_bits, NULL});
    channel_push(&ch, 0, 32, false);
    channel_push(&ch, other_bank, 32, false);
    channel_until(&ch, 100);
    uint32_t a = channel_push(&ch, 32, 32, false), b = channel_push(&ch, other_bank + 64, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[a], 100 + 14);
    channel_close(&ch);
    return ch.at[b];
}

Test(dram_timing, row_hits_are_ccdl_apart_in_a_group_and_ccd_apart_across_groups)
{
    cr_expect_eq(second_of_two("dram.group_bits=low", 0), 103 + 14);
    cr_expect_eq(second_of_two("dram.group_bits=low", BANK), 102 + 14);
    cr_expect_eq(second_of_two("dram.group_bits=low", BANK4), 103 + 14);
    cr_expect_eq(second_of_two("dram.group_bits=high", 0), 103 + 14);
    cr_expect_eq(second_of_two("dram.group_bits=high", BANK), 103 + 14);
    cr_expect_eq(second_of_two("dram.group_bits=high", BANK4), 102 + 14);
}

Test(dram_timing, another_row_waits_for_ras_and_rp)
{
    open_with(NULL);
    uint32_t a = channel_push(&ch, 0, 32, false), b = channel_push(&ch, ROW, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[a], 12 + 14);
    cr_expect_eq(ch.at[b], 28 + 12 + 12 + 14); /* PRE 28, ACT 40, column 52 */
    cr_expect_eq(ch.s.dram_precharges, 1);
    cr_expect_eq(ch.s.dram_activates, 2);
    channel_close(&ch);
}

Test(dram_timing, another_row_waits_for_rc)
{
    open_with((const char *[]){"dram.t.rc=50", NULL});
    channel_push(&ch, 0, 32, false);
    uint32_t b = channel_push(&ch, ROW, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[b], 50 + 12 + 14); /* PRE 28 and RP would allow 40 */
    channel_close(&ch);
}

static void open_four_banks(const char *bus, const uint32_t column[4])
{
    uint32_t r[4];
    const uint32_t banks[4] = {0, BANK, 2048 * 2, 2048 * 2 + BANK}; /* banks 0 to 3 */
    open_with((const char *[]){bus, NULL});
    for (uint32_t i = 0; i < 4; i++) r[i] = channel_push(&ch, banks[i], 32, false);
    channel_drain(&ch);
    for (uint32_t i = 0; i < 4; i++) cr_expect_eq(ch.at[r[i]], column[i] + 14, "%s, bank %u", bus, i);
    channel_close(&ch);
}

/* ACT 0, 6, 12, 18.  The columns of banks 0 and 1 may be in 12 and 18; bank 2 and then bank 3 have priority there.  On
 * a turning bus these are in place 0 of the turn, and the columns, in place 14, follow in the same clock. */
Test(dram_timing, activates_are_rrd_apart_and_a_single_command_bus_holds_up_columns)
{
    open_four_banks("dram.command_bus=dual", (const uint32_t[4]){12, 18, 24, 30});
    open_four_banks("dram.command_bus=single", (const uint32_t[4]){13, 19, 24, 30});
    open_four_banks("dram.command_bus=turning", (const uint32_t[4]){12, 18, 24, 30});
}

Test(dram_timing, a_request_may_be_done_with_the_first_transfer_of_a_burst)
{
    for (uint32_t first = 0; first < 2; first++) {
        open_with((const char *[]){first ? "dram.done=first" : "dram.done=last", "dram.atom_bytes=64", NULL});
        const uint32_t r = channel_push(&ch, 0, 64, false), w = channel_push(&ch, BANK, 64, true);
        channel_drain(&ch);
        cr_expect_eq(ch.at[r], 12 + 12 + (first ? 1 : 4)); /* CL; four transfers of 16 B */
        cr_expect_gt(ch.at[w], ch.at[r]);
        channel_close(&ch);
    }
}

Test(dram_timing, write_then_read)
{
    open_with(NULL);
    uint32_t w = channel_push(&ch, 0, 32, true), r = channel_push(&ch, 32, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[w], 7 + 4 + 2);   /* RCDWR 7; WL, burst */
    cr_expect_eq(ch.at[r], 7 + 11 + 14); /* WTR 11 */
    channel_close(&ch);
}

Test(dram_timing, read_then_write)
{
    open_with(NULL);
    uint32_t r = channel_push(&ch, 0, 32, false), w = channel_push(&ch, 32, 32, true);
    channel_drain(&ch);
    cr_expect_eq(ch.at[r], 12 + 14);
    cr_expect_eq(ch.at[w], 12 + 12 + 6); /* RTW 12 */
    channel_close(&ch);
}

Test(dram_timing, the_turnaround_holds_for_the_whole_channel)
{
    open_with(NULL);
    channel_push(&ch, 0, 32, false);
    channel_push(&ch, BANK, 32, false);
    channel_until(&ch, 100);
    channel_push(&ch, 0, 32, true);
    uint32_t r = channel_push(&ch, BANK, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[r], 100 + 11 + 14);
    channel_close(&ch);
}

Test(dram_timing, precharge_waits_for_the_written_data)
{
    open_with((const char *[]){"dram.t.ras=14", "dram.t.rc=20", NULL});
    channel_push(&ch, 0, 32, true);
    uint32_t r = channel_push(&ch, ROW, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[r], 7 + 18 + 12 + 12 + 14); /* WTP 18, then RP, RCD; RAS would allow 14 */
    channel_close(&ch);
}

Test(dram_timing, precharge_waits_for_the_read)
{
    open_with((const char *[]){"dram.t.ras=12", "dram.t.rc=20", "dram.t.rtpl=5", NULL});
    channel_push(&ch, 0, 32, false);
    uint32_t r = channel_push(&ch, ROW, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[r], 12 + 5 + 12 + 12 + 14); /* RTPL after the column */
    channel_close(&ch);
}

/* Columns of banks 0 and 4 in 12 and 18.  Bank 0 then wants another row: 12 + 30, or 18 + 30 for its whole group. */
static uint64_t after_a_read_in_the_group(const char *scope)
{
    open_with((const char *[]){"dram.t.ras=12", "dram.t.rc=20", "dram.t.rtpl=30", scope, NULL});
    channel_push(&ch, 0, 32, false);
    channel_push(&ch, BANK4, 32, false);
    uint32_t r = channel_push(&ch, ROW, 32, false);
    channel_drain(&ch);
    channel_close(&ch);
    return ch.at[r];
}

Test(dram_timing, precharge_waits_for_reads_of_its_group_or_of_its_bank)
{
    cr_expect_eq(after_a_read_in_the_group("dram.rtpl_scope=group"), 48 + 12 + 12 + 14); /* PRE, RP, RCD */
    cr_expect_eq(after_a_read_in_the_group("dram.rtpl_scope=bank"), 42 + 12 + 12 + 14);
}

Test(dram_timing, refresh_interrupts)
{
    open_with((const char *[]){"dram.refresh=true", "dram.t.refi=100", "dram.t.rfc=20", NULL});
    channel_until(&ch, 90);
    uint32_t r = channel_push(&ch, 0, 32, false);
    channel_drain(&ch);
    /* ACT 90; refresh due at 100; PRE at RAS 118; 130 all idle; 150 over; ACT 150 */
    cr_expect_eq(ch.at[r], 150 + 12 + 14);
    cr_expect_eq(ch.s.dram_refreshes, 1);
    cr_expect_eq(ch.s.dram_activates, 2);
    cr_expect_eq(ch.s.dram_precharges, 1);
    cr_expect_eq(ch.s.dram_row_misses, 1);
    channel_close(&ch);
}

Test(dram_timing, refresh_of_an_idle_channel_closes_its_rows)
{
    open_with((const char *[]){"dram.refresh=true", "dram.t.refi=100", "dram.t.rfc=20", NULL});
    channel_push(&ch, 0, 32, false);
    channel_until(&ch, 110);
    uint32_t r = channel_push(&ch, 0, 32, false);
    channel_drain(&ch);
    cr_expect_eq(ch.at[r], 100 + 12 + 20 + 12 + 14); /* PRE 100, RP, RFC, RCD */
    cr_expect_eq(ch.s.dram_row_hits, 0);
    channel_close(&ch);
}

Test(dram_timing, refreshes_are_counted_while_asleep)
{
    open_with((const char *[]){"dram.refresh=true", "dram.t.refi=1000", NULL});
    channel_push(&ch, 0, 32, false);
    channel_until(&ch, 10001);
    dram_sync(ch.d, ch.clock);
    cr_expect_eq(ch.s.dram_refreshes, 10); /* at 1000, 2000 ... 10000 */
    cr_expect_eq(ch.s.dram_cycles, 10001);
    channel_close(&ch);
}

/* Clocks for each of `count` reads with the queue kept full. */
static double clocks_per_read(uint32_t count, uint32_t bytes, uint64_t random_range)
{
    struct rng rng;
    rng_seed(&rng, 1);
    while (ch.pushed < count) {
        for (; ch.pushed < count && dram_room(ch.d);)
            channel_push(&ch, random_range ? rng_below(&rng, random_range / bytes) * bytes : ch.pushed * bytes, bytes,
                         false);
        channel_until(&ch, ch.clock + 1);
    }
    channel_drain(&ch);
    return (double)ch.clock / count;
}

/* A GTX480 channel: a 64 B burst takes 2 clocks; activates are RRD 6 apart; a stream whose neighbours share a bank
 * group has columns CCDL 3 apart.  On one command bus a column now and then takes the clock of an activate.  GPGPU-Sim
 * has 2.0 clocks a request for a stream (2.94 with high group bits), and 6.2 for random reads over 256 MiB. */
static double gtx480(const char *option, uint64_t random_range)
{
    open_with((const char *[]){"dram.atom_bytes=64", "dram.bus_bytes=32", "dram.row_bytes=4096", option, NULL});
    double clocks = clocks_per_read(8000, 64, random_range);
    channel_close(&ch);
    return clocks;
}

static void expect_between(double low, double found, double high)
{
    cr_expect(low < found && found < high, "%f, expected %f to %f", found, low, high);
}

Test(dram_timing, a_gtx480_channel_streams_at_two_clocks_a_request)
{
    expect_between(1.99, gtx480(NULL, 0), 2.01);
    expect_between(2.9, gtx480("dram.group_bits=high", 0), 3.0);
}

Test(dram_timing, a_gtx480_channel_reads_at_random_at_six_clocks_a_request)
{
    expect_between(6.1, gtx480(NULL, 256u << 20), 6.3);
    expect_between(5.95, gtx480("dram.command_bus=dual", 256u << 20), 6.05);
}

Test(dram_timing, one_bank_group_streams_at_ccdl)
{
    open_with((const char *[]){"dram.bank_groups=1", NULL});
    cr_expect_float_eq(clocks_per_read(8000, 32, 0), 3.0, 0.1);
    channel_close(&ch);
}
