/* SPDX-License-Identifier: Apache-2.0 */
/* Read misses that an L2 slice refuses and that bypass it (l2.bypass.on_stall). */
#include "slice.h"
#include "system/named.h"

#include <stdio.h>

static struct slice b;

static const char *const stalls[] = {"l2.bypass.on_stall=off", "l2.bypass.on_stall=way", "l2.bypass.on_stall=any"};

/* One set of two ways. */
static void open_two_ways(const char *on_stall, const char *option)
{
    slice_open(&b, (const char *[]){"l2.sets=1", "l2.ways=2", on_stall, option, NULL});
}

static void read_lines(uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) slice_push(&b, REQUEST_READ, first + i);
}

/* Every request is answered once: slice_respond(), slice_drain(). */
static void finish(void)
{
    slice_drain(&b);
    cr_expect_eq(b.s.l2_bypassed, b.s.l2_bypassed_on_stall);
    cr_expect_eq(b.s.dram_reads, b.s.l2_fills + b.s.l2_bypassed);
    slice_close(&b);
}

Test(l2_bypass_on_stall, a_read_without_a_way_goes_around_in_the_cycle_of_its_refusal)
{
    uint64_t cycles[2];
    for (uint32_t way = 0; way < 2; way++) {
        open_two_ways(stalls[way], NULL);
        read_lines(1, 6);
        finish();
        cycles[way] = b.clock;
        cr_expect_eq(b.s.l2_bypassed, way ? 4 : 0);
        cr_expect(way ? b.s.l2_rf_line == 4 : b.s.l2_rf_line > 40, "%lu refusals", b.s.l2_rf_line);
        cr_expect_eq(b.s.l2_fills, way ? 2 : 6);
    }
    cr_expect_lt(cycles[1] + 40, cycles[0]);
}

Test(l2_bypass_on_stall, the_line_does_not_enter)
{
    open_two_ways("l2.bypass.on_stall=way", NULL);
    read_lines(1, 3);
    slice_until(&b, 300);
    cr_expect(b.s.l2_misses == 2 && b.s.l2_bypassed == 1 && b.s.l2_evictions == 0);
    read_lines(1, 3);
    finish();
    cr_expect(b.s.l2_hits == 2 && b.s.l2_misses == 3 && b.s.l2_evictions == 1);
}

Test(l2_bypass_on_stall, the_slots_limit_it_and_the_read_tries_again)
{
    open_two_ways("l2.bypass.on_stall=way", "l2.bypass.slots=1");
    read_lines(1, 6);
    finish();
    cr_expect(b.s.l2_bypassed > 0 && b.s.l2_misses > 2, "%lu around, %lu misses", b.s.l2_bypassed, b.s.l2_misses);
    cr_expect_gt(b.s.l2_rf_line, 20);
    cr_expect_eq(b.s.l2_rf_bypass_slot, 0, "the failure that counts is the slice's");
}

/* A full MSHR file, which answers in the same cycle or a cycle later. */
Test(l2_bypass_on_stall, any_refusal_counts_if_asked_for)
{
    static const char *const kinds[] = {"l2.mshr.kind=mshr", "l2.mshr.kind=dl_mshr"};
    for (uint32_t late = 0; late < 2; late++)
        for (uint32_t on = 0; on < 3; on++) {
            slice_open(&b, (const char *[]){"l2.mshr.entries=2", "l2.dl_mshr.sets=2", "l2.dl_mshr.reserved=0",
                                            kinds[late], stalls[on], NULL});
            read_lines(1, 6);
            finish();
            cr_expect_eq(b.s.l2_bypassed, on == 2 ? 4 : 0, "late %u, %s: found %lu", late, stalls[on], b.s.l2_bypassed);
            if (on == 2) cr_expect_eq(b.s.l2_rf_mshr_entry, 4);
        }
}

/* A miss needs two places, for itself and for a victim; a read around needs one. */
Test(l2_bypass_on_stall, one_place_in_the_miss_queue_is_enough)
{
    for (uint32_t any = 0; any < 2; any++) {
        slice_open(&b, (const char *[]){"l2.miss_queue=3", "dram.queue=1", any ? stalls[2] : stalls[0], NULL});
        read_lines(1, 8);
        finish();
        cr_expect_gt(b.s.l2_rf_miss_queue, 4);
        cr_expect(any ? b.s.l2_bypassed > 0 : b.s.l2_misses == 8, "%lu around", b.s.l2_bypassed);
    }
}

/* A write waits for line 7.  The read behind it finds no slot, and must not overtake it on the way to DRAM. */
Test(l2_bypass_on_stall, a_read_of_a_line_on_its_way_waits)
{
    slice_open(&b, (const char *[]){"l2.mshr.slots=1", "l2.bypass.on_stall=any", NULL});
    const uint32_t write = slice_push(&b, REQUEST_WRITE, 7), read = slice_push(&b, REQUEST_READ, 7);
    finish();
    cr_expect_gt(b.s.l2_rf_mshr_merge, 20);
    cr_expect(b.s.l2_bypassed == 0 && b.s.dram_reads == 1 && b.at[read] > b.at[write]);
}

/* Lines 1 and 2 fill the MSHR file; DRAM has not the words of line 7, but all of line 8. */
Test(l2_bypass_on_stall, a_read_of_a_line_written_in_parts_waits)
{
    slice_open(&b, (const char *[]){"l2.mshr.entries=2", "l2.write_miss=lazy", "l2.bypass.on_stall=any", NULL});
    slice_push_sector(&b, REQUEST_WRITE, 7, 1, 0x0f);
    read_lines(1, 2);
    slice_push(&b, REQUEST_READ, 7);
    finish();
    cr_expect(b.s.l2_bypassed == 0 && b.s.l2_fills == 3 && b.s.l2_rf_mshr_entry > 20);
    slice_open(&b, (const char *[]){"l2.mshr.entries=2", "l2.write_miss=lazy", "l2.bypass.on_stall=any", NULL});
    read_lines(1, 2);
    slice_push(&b, REQUEST_READ, 8);
    finish();
    cr_expect_eq(b.s.l2_bypassed, 1);
}

/* Sector 0 of line 7 is dirty.  A read of sector 1 bypasses the slice, a read of sector 0 does not. */
Test(l2_bypass_on_stall, a_sector_goes_around_beside_a_dirty_one)
{
    slice_open(&b, (const char *[]){"l2.sector_bytes=32", "l2.mshr.entries=2", "l2.write_miss=lazy",
                                    "l2.bypass.on_stall=any", NULL});
    slice_push_sector(&b, REQUEST_WRITE, 7, 0, 0xff);
    slice_push_sector(&b, REQUEST_READ, 1, 0, 0);
    slice_push_sector(&b, REQUEST_READ, 2, 0, 0);
    slice_push_sector(&b, REQUEST_READ, 7, 1, 0);
    slice_push_sector(&b, REQUEST_READ, 7, 0, 0);
    finish();
    cr_expect(b.s.l2_bypassed == 1 && b.s.l2_hits == 1 && b.s.l2_dirty_at_end == 1);
}

Test(l2_bypass_on_stall, writes_and_atomics_wait)
{
    for (enum request_kind kind = REQUEST_READ; kind <= REQUEST_ATOMIC; kind++) {
        open_two_ways("l2.bypass.on_stall=any", NULL);
        for (uint32_t i = 0; i < 4; i++) slice_push(&b, kind, 1 + i);
        finish();
        cr_expect_eq(b.s.l2_bypassed, kind == REQUEST_READ ? 2 : 0);
        cr_expect_eq(b.s.l2_misses, kind == REQUEST_READ ? 2 : 4);
    }
}

/* Line 1 is dirty and evicted; its write-back precedes the bypassing read. */
Test(l2_bypass_on_stall, a_read_follows_the_write_back_of_its_line)
{
    open_two_ways("l2.bypass.on_stall=way", "l2.write_miss=fetch_partial");
    slice_push_full(&b, 1);
    slice_push_full(&b, 2);
    read_lines(3, 2); /* evict both */
    const uint32_t read = slice_push(&b, REQUEST_READ, 1), behind = b.pushed - 2;
    finish();
    cr_expect(b.s.l2_bypassed == 1 && b.s.l2_writebacks == 2 && b.s.dram_writes == 2);
    cr_expect_gt(b.at[read], b.at[behind] - 10);
}

/* The period's stream closes the slice: reads around because of it and because of a refusal share the slots. */
Test(l2_bypass_on_stall, it_adds_to_the_bypass_of_a_closed_slice)
{
    slice_open(&b, (const char *[]){"l2.sets=1", "l2.ways=2", "l2.bypass.on_stall=way", "l2.bypass.mode=stream",
                                    "l2.stream.period=100", "l2.stream.min_accesses=4", NULL});
    read_lines(1, 6);
    slice_until(&b, 101);
    cr_assert_eq(b.s.l2_stream_changes, 1);
    read_lines(1000, 6);
    slice_drain(&b);
    cr_expect(b.s.l2_bypassed_on_stall == 4 && b.s.l2_bypassed == 10);
    cr_expect_eq(b.s.l2_stream_accesses, b.s.l2_accesses);
    slice_close(&b);
}

/* Lines 2000 to 2003 have tags alone when the slice opens; lines 1 and 2 fill the MSHR file. */
Test(l2_bypass_on_stall, a_tag_without_data_counts_as_a_hit_in_the_miss_rate)
{
    slice_open(&b, (const char *[]){"l2.mshr.entries=2", "l2.bypass.on_stall=any", "l2.bypass.mode=stream",
                                    "l2.stream.period=100", "l2.stream.min_accesses=4", NULL});
    read_lines(1000, 6);
    slice_until(&b, 101);
    for (uint32_t i = 0; i < 3; i++) {
        read_lines(2000, 4);
        slice_until(&b, 110 + 5 * i);
    }
    slice_until(&b, 201);
    cr_assert_eq(b.s.l2_stream_changes, 2);
    const uint64_t misses = b.s.l2_stream_misses, around = b.s.l2_bypassed_on_stall;
    read_lines(1, 2);
    slice_push(&b, REQUEST_READ, 2000);
    slice_drain(&b);
    cr_expect_eq(b.s.l2_bypassed_on_stall, around + 1);
    cr_expect_eq(b.s.l2_stream_misses, misses + 2);
    slice_close(&b);
}

Test(l2_bypass_on_stall, needs_the_way_of_a_line_on_its_way)
{
    struct config c;
    struct error err = {0};
    config_default(&c);
    c.l2_alloc = ALLOC_ON_FILL;
    cr_assert(config_check(&c, &err), "%s", err.text);
    c.l2_bypass_on_stall = ON_STALL("any");
    cr_expect_not(config_check(&c, &err));
    cr_expect_str_eq(err.text, "l2.bypass.on_stall: found any with l2.alloc = on_fill, allowed with it: off");
}
