/* SPDX-License-Identifier: Apache-2.0 */
/* One L2 slice over one DRAM channel.  The bench sets l2.latency 10 and dram.extra_latency 20; requests pushed before
 * cycle 0 are looked up from cycle 0 on, one a cycle.  By hand: a miss of cycle 0 goes to DRAM in cycle 1, the channel
 * sees it in 2 and has the line 35 clocks later (dram_timing.c), 37; 20 more, 57: the line enters the MSHR file; 58:
 * the first slot comes out; 68: its response. */
#include "slice.h"

#define MISS_AT 68

static struct slice b;
static const char *const dl_mshr[] = {"l2.mshr.kind=dl_mshr", NULL};

Test(l2_slice, a_miss_then_a_hit)
{
    slice_open(&b, NULL);
    uint32_t miss = slice_push(&b, REQUEST_READ, 5);
    slice_until(&b, 200);
    uint32_t hit = slice_push(&b, REQUEST_READ, 5);
    slice_drain(&b);
    cr_expect_eq(b.at[miss], MISS_AT);
    cr_expect_eq(b.at[hit], 210);
    cr_expect(b.s.l2_misses == 1 && b.s.l2_hits == 1 && b.s.l2_accesses == 2 && b.s.l2_reads == 2);
    cr_expect(b.s.dram_reads == 1 && b.s.l2_fills == 1 && b.s.l2_dirty_at_end == 0);
    cr_expect_eq(b.s.l2_mshr_slot_cycles, 58); /* cycles 0 to 57; in 58 it comes out */
    cr_expect_eq(b.s.l2_mshr_slots_peak, 1);
    slice_close(&b);
}

Test(l2_slice, dl_mshr_answers_a_cycle_later_and_misses_no_cycle)
{
    slice_open(&b, dl_mshr);
    uint32_t miss = slice_push(&b, REQUEST_READ, 5);
    slice_drain(&b);
    cr_expect_eq(b.at[miss], MISS_AT); /* the answer of cycle 1 still reaches DRAM in cycle 1 */
    slice_close(&b);
}

/* The refusals of a run, to be compared with one expected cause. */
static void expect_refusals(uint64_t *cause, uint64_t cycles)
{
    uint64_t *all[] = {&b.s.l2_rf_line,       &b.s.l2_rf_mshr_entry, &b.s.l2_rf_mshr_merge,
                       &b.s.l2_rf_mshr_drain, &b.s.l2_rf_miss_queue, &b.s.l2_rf_response};
    for (uint32_t i = 0; i < 6; i++)
        cr_expect_eq(*all[i], all[i] == cause ? cycles : 0, "cause %u: found %llu, expected %llu", i,
                     (unsigned long long)*all[i], (unsigned long long)(all[i] == cause ? cycles : 0));
}

static void expect_slots_in_order(const char *const *options)
{
    slice_open(&b, options);
    for (uint32_t i = 0; i < 4; i++) slice_push(&b, i % 2 ? REQUEST_READ : REQUEST_WRITE, 9); /* W1 R1 W2 R2 */
    slice_drain(&b);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(b.order[i], i);
        cr_expect_eq(b.at[i], MISS_AT + i); /* one slot a cycle */
    }
    cr_expect(b.s.l2_misses == 1 && b.s.l2_merged == 3 && b.s.dram_reads == 1);
    cr_expect_eq(b.s.l2_dirty_at_end, 1);
    slice_close(&b);
}

Test(l2_slice, reads_and_writes_of_a_line_come_out_in_order)
{
    expect_slots_in_order(NULL);
    expect_slots_in_order(dl_mshr);
    expect_slots_in_order((const char *[]){"l2.alloc=on_fill", NULL});
}

static void expect_one_writeback(const char *alloc, const char *miss_queue)
{
    slice_open(&b, (const char *[]){"l2.sets=1", "l2.ways=1", alloc, miss_queue, NULL});
    slice_push(&b, REQUEST_WRITE, 1);
    slice_until(&b, 200);
    slice_push(&b, REQUEST_READ, 2); /* evicts line 1, dirty */
    slice_until(&b, 400);
    slice_push(&b, REQUEST_READ, 3); /* evicts line 2, clean */
    slice_drain(&b);
    cr_expect(b.s.l2_evictions == 2 && b.s.l2_writebacks == 1 && b.s.dram_writes == 1 && b.s.dram_reads == 3);
    cr_expect_eq(b.s.l2_dirty_at_end, 0);
    cr_expect_eq(b.s.dram_bytes, 4 * 128);
    slice_close(&b);
}

Test(l2_slice, a_dirty_victim_is_written_back_once)
{
    expect_one_writeback("l2.alloc=on_miss", "l2.miss_queue=2");
    expect_one_writeback("l2.alloc=on_fill", "l2.miss_queue=2");
    expect_one_writeback("l2.alloc=on_miss", "l2.miss_queue=1");
    expect_one_writeback("l2.alloc=on_fill", "l2.miss_queue=1");
}

/* 0: the miss takes the only place, and goes to DRAM in 1, in which the next takes it. */
Test(l2_slice, a_miss_queue_of_one_takes_a_miss_a_cycle)
{
    slice_open(&b, (const char *[]){"l2.miss_queue=1", NULL});
    for (uint64_t i = 0; i < 4; i++) slice_push(&b, REQUEST_READ, i);
    slice_drain(&b);
    expect_refusals(NULL, 0);
    cr_expect_eq(b.s.l2_misses, 4);
    slice_close(&b);
}

Test(l2_slice, a_write_hit_and_an_atomic_make_a_line_dirty)
{
    slice_open(&b, NULL);
    slice_push(&b, REQUEST_READ, 1);
    slice_push(&b, REQUEST_ATOMIC, 2);
    slice_until(&b, 200);
    uint32_t w = slice_push(&b, REQUEST_WRITE, 1), a = slice_push(&b, REQUEST_ATOMIC, 2);
    slice_drain(&b);
    cr_expect_eq(b.at[w], 210);
    cr_expect_eq(b.at[a], 211);
    cr_expect(b.s.l2_hits == 2 && b.s.l2_writes == 1 && b.s.l2_atomics == 2 && b.s.l2_dirty_at_end == 2);
    slice_close(&b);
}

static const char *const partial[] = {"l2.write_miss=fetch_partial", "l2.sets=1", "l2.ways=1", "l2.miss_queue=1", NULL};

Test(l2_slice, a_write_of_a_whole_line_fetches_nothing)
{
    slice_open(&b, partial);
    const uint32_t first = slice_push_full(&b, 1), second = slice_push_full(&b, 2); /* evicts line 1, dirty */
    slice_until(&b, 200);
    const uint32_t hit = slice_push(&b, REQUEST_READ, 2);
    slice_drain(&b);
    cr_expect_eq(b.at[first], 10);
    cr_expect_eq(b.at[second], 11);
    cr_expect_eq(b.at[hit], 210);
    cr_expect(b.s.l2_misses == 2 && b.s.l2_unfetched == 2 && b.s.l2_hits == 1 && b.s.l2_fills == 0);
    cr_expect(b.s.dram_reads == 0 && b.s.dram_writes == 1 && b.s.l2_writebacks == 1 && b.s.l2_dirty_at_end == 1);
    slice_close(&b);
}

/* 0: the miss of line 1 takes the way until its slot comes out, in 58: then line 2 evicts it.  Line 1's own full write
 * waits for the data like any other. */
Test(l2_slice, a_write_of_a_whole_line_needs_a_way_and_waits_for_its_line)
{
    slice_open(&b, partial);
    slice_push(&b, REQUEST_WRITE, 1);
    const uint32_t merged = slice_push_full(&b, 1), other = slice_push_full(&b, 2);
    slice_drain(&b);
    cr_expect_eq(b.at[merged], MISS_AT + 1);
    expect_refusals(&b.s.l2_rf_line, 57);        /* cycles 2 to 58; with the second slot, in 59, line 1 is valid */
    cr_expect_eq(b.at[other], b.at[merged] + 1); /* in 59, too; a response a cycle leaves */
    cr_expect(b.s.l2_misses == 2 && b.s.l2_unfetched == 1 && b.s.l2_merged == 1 && b.s.dram_reads == 1);
    slice_close(&b);
}

Test(l2_slice, a_write_of_a_whole_line_needs_places_for_its_victim_and_its_response)
{
    slice_open(&b, (const char *[]){"l2.write_miss=fetch_partial", "l2.response_queue=1", "l2.latency=1", NULL});
    b.closed = true;
    for (uint64_t i = 0; i < 3; i++) slice_push_full(&b, i);
    slice_until(&b, 100);
    b.closed = false;
    l2_resume_responses(b.l2);
    slice_drain(&b);
    expect_refusals(&b.s.l2_rf_response, 98); /* one in the queue, one in the pipeline; from cycle 2 on */
    slice_close(&b);
}

/* The write goes to DRAM in cycle 1 and the channel sees it in 2; against a read it comes to its column command 5
 * clocks earlier (RCDWR), and its data 8 (WL): done after 22 clocks, 24; 20 more, 44; its response 54.  The read of the
 * line follows it. */
Test(l2_slice, a_write_miss_may_go_through)
{
    for (int k = 0; k < 2; k++) {
        slice_open(&b, (const char *[]){"l2.write_miss=through", k ? "l2.mshr.kind=dl_mshr" : NULL, NULL});
        const uint32_t miss = slice_push(&b, REQUEST_WRITE, 1), merged = slice_push(&b, REQUEST_WRITE, 1);
        slice_until(&b, 300);
        cr_expect_eq(b.at[miss], 54, "found %llu", (unsigned long long)b.at[miss]);
        cr_expect_gt(b.at[merged], b.at[miss]);
        cr_expect(b.s.l2_misses == 1 && b.s.l2_merged == 1 && b.s.l2_written_through == 2 && b.s.l2_fills == 1);
        cr_expect(b.s.dram_reads == 1 && b.s.dram_writes == 2);
        slice_drain(&b);
        cr_expect_eq(b.s.l2_dirty_at_end, 0, "the line that comes back is clean");
        const uint32_t hit = slice_push(&b, REQUEST_WRITE, 1), read = slice_push(&b, REQUEST_READ, 1);
        const uint64_t now = b.clock;
        slice_drain(&b);
        cr_expect(b.at[hit] == now + 10 && b.at[read] == now + 11);
        cr_expect_eq(b.s.l2_dirty_at_end, 1, "a write hit makes it dirty");
        slice_close(&b);
    }
}

/* The line that is read has 128 bytes.  A burst has 32, so that a short write also ends early. */
Test(l2_slice, a_write_that_goes_through_moves_its_own_bytes)
{
    uint64_t before = 0;
    for (uint32_t bytes = 32; bytes <= 128; bytes *= 2) {
        slice_open(&b, (const char *[]){"l2.write_miss=through", "dram.atom_bytes=32", NULL});
        const struct request r = {.line = 1, .kind = REQUEST_WRITE, .bytes = (uint8_t)bytes};
        const uint32_t write = slice_push_request(&b, r);
        slice_drain(&b);
        cr_expect(b.s.l2_written_bytes == bytes && b.s.dram_bytes == 128 + bytes);
        cr_expect_gt(b.at[write], before, "%u bytes", bytes);
        before = b.at[write];
        slice_close(&b);
    }
}

/* The acknowledgement of a write that went through comes before its line. */
Test(l2_slice, a_line_on_its_way_leaves_when_it_has_come)
{
    slice_open(&b, (const char *[]){"l2.write_miss=through", NULL});
    slice_push(&b, REQUEST_WRITE, 5);
    while (!b.responses) slice_until(&b, b.clock + 1);
    cr_assert_eq(b.s.l2_fills, 0);
    cr_expect_not(l2_drop(b.l2, 5));
    slice_drain(&b);
    slice_push(&b, REQUEST_READ, 5);
    slice_drain(&b);
    cr_expect(b.s.l2_misses == 2 && b.s.l2_hits == 0 && b.s.l2_fills == 2 && b.s.l2_dropped == 0);
    slice_close(&b);
}

/* Three places: the first miss takes two and may need one for a victim; DRAM takes one a cycle from cycle 1 on. */
Test(l2_slice, a_write_that_goes_through_needs_three_places)
{
    slice_open(&b, (const char *[]){"l2.write_miss=through", "l2.miss_queue=3", NULL});
    slice_push(&b, REQUEST_WRITE, 1);
    slice_push(&b, REQUEST_WRITE, 2);
    slice_drain(&b);
    expect_refusals(&b.s.l2_rf_miss_queue, 1);
    cr_expect_eq(b.s.l2_written_through, 2);
    slice_close(&b);
}

Test(l2_slice, a_pipeline_in_front_holds_any_number)
{
    slice_open(&b, (const char *[]){"l2.rop_latency=30", "l2.input_queue=1", NULL});
    slice_push(&b, REQUEST_READ, 5);
    slice_until(&b, 200);
    for (uint32_t i = 0; i < 40; i++) slice_push(&b, REQUEST_READ, 5);
    slice_drain(&b);
    cr_expect_eq(b.at[0], 30 + MISS_AT);
    for (uint32_t i = 0; i < 40; i++) cr_expect_eq(b.at[1 + i], 200 + 30 + 10 + i);
    slice_close(&b);
}

/* A miss enters the FIFO in cycle 1 and the channel in 21, as late as its data would come otherwise.  In a FIFO of one
 * entry each has its own twenty cycles. */
Test(l2_slice, the_latency_of_dram_may_be_in_front_of_it)
{
    static const uint64_t banks[] = {0, 1, 32, 33}; /* lines of four banks */
    uint64_t last[2];
    for (int k = 0; k < 2; k++) {
        slice_open(&b,
                   (const char *[]){"dram.latency_at=front", k ? "dram.front_queue=1" : "dram.front_queue=4", NULL});
        for (uint32_t i = 0; i < 4; i++) slice_push(&b, REQUEST_READ, banks[i]);
        slice_drain(&b);
        for (uint32_t i = 0; k && i < 4; i++) cr_expect_eq(b.at[i], MISS_AT + 20 * i);
        last[k] = b.at[3];
        slice_close(&b);
    }
    cr_expect_lt(last[0], last[1]);
}

/* Lines of one bank and of other rows, so that DRAM is slow; four dirty ones fill the set.  Each miss then queues its
 * read and a write-back, and with two places the queue is full when the first line comes back: its way is reserved. */
Test(l2_slice, a_reserved_way_is_filled_while_the_miss_queue_is_full)
{
    uint64_t at[2];
    for (int k = 0; k < 2; k++) {
        slice_open(&b, (const char *[]){"l2.sets=1", "l2.ways=4", "dram.queue=1",
                                        k ? "l2.miss_queue=2" : "l2.miss_queue=16", NULL});
        for (uint64_t n = 0; n < 4; n++) slice_push(&b, REQUEST_WRITE, n << 8);
        slice_until(&b, 2000);
        for (uint64_t n = 4; n < 7; n++) slice_push(&b, REQUEST_READ, n << 8);
        slice_drain(&b);
        at[k] = b.at[4];
        slice_close(&b);
    }
    cr_expect_eq(at[0], at[1], "%llu and %llu", (unsigned long long)at[0], (unsigned long long)at[1]);
}

Test(l2_slice, no_way_to_reserve)
{
    slice_open(&b, (const char *[]){"l2.sets=1", "l2.ways=1", NULL});
    slice_push(&b, REQUEST_WRITE, 1);
    uint32_t r = slice_push(&b, REQUEST_READ, 2);
    slice_drain(&b);
    /* refused in cycles 1 to 57; in 58 line 1's slot comes out, the line is valid and can be evicted */
    expect_refusals(&b.s.l2_rf_line, 57);
    cr_expect_eq(b.s.l2_writebacks, 1);
    cr_expect(b.at[r] > 58 + MISS_AT);
    slice_close(&b);
}

Test(l2_slice, entries_used_up)
{
    slice_open(&b, (const char *[]){"l2.mshr.entries=2", NULL});
    for (uint64_t i = 0; i < 3; i++) slice_push(&b, REQUEST_READ, i * 256); /* one bank: the first is not held up */
    slice_drain(&b);
    /* refused from cycle 2 to 57: in 58 the first line's only slot comes out before the request is looked up */
    expect_refusals(&b.s.l2_rf_mshr_entry, 56);
    slice_close(&b);
}

Test(l2_slice, slots_of_an_entry_used_up_and_then_draining)
{
    slice_open(&b, (const char *[]){"l2.mshr.slots=2", NULL});
    for (uint32_t i = 0; i < 3; i++) slice_push(&b, REQUEST_READ, 7);
    slice_drain(&b);
    /* cycles 2 to 56 merge-full; 57, the fill's own cycle, and 58, with a slot still to come: draining; 59: the last
     * slot comes out and the line is valid: a hit, whose response follows the slot's */
    cr_expect_eq(b.s.l2_rf_mshr_merge, 55);
    cr_expect_eq(b.s.l2_rf_mshr_drain, 2);
    cr_expect_eq(b.at[2], 70);
    cr_expect_eq(b.s.l2_hits, 1);
    slice_close(&b);
}

Test(l2_slice, dl_mshr_links_where_an_entry_is_full)
{
    slice_open(&b, (const char *[]){"l2.mshr.kind=dl_mshr", "l2.input_queue=64", NULL});
    for (uint32_t i = 0; i < 40; i++) slice_push(&b, REQUEST_READ, 7);
    slice_drain(&b);
    cr_expect_eq(b.s.l2_merged, 39); /* 20 sets of 2 slots */
    expect_refusals(NULL, 0);
    for (uint32_t i = 0; i < 40; i++) cr_expect_eq(b.order[i], i);
    slice_close(&b);
}

/* Without the tail pointer a merge walks the links of its line for several cycles.  Another line comes back meanwhile:
 * its slot comes out before the merge is answered, in a cycle that depends on the pause. */
Test(l2_slice, a_request_keeps_its_place_while_dl_mshr_walks)
{
    for (uint32_t pause = 0; pause < 20; pause++) {
        slice_open(&b,
                   (const char *[]){"l2.mshr.kind=dl_mshr", "l2.dl_mshr.tail_ptr=false", "l2.input_queue=64", NULL});
        slice_push(&b, REQUEST_READ, 5);
        slice_until(&b, pause);
        for (uint32_t i = 0; i < 24; i++) slice_push(&b, REQUEST_READ, 256);
        slice_drain(&b);
        for (uint32_t i = 0; i <= 24; i++) cr_expect_eq(b.order[i], i, "pause %u", pause);
        slice_close(&b);
    }
}

Test(l2_slice, dl_mshr_refuses_once_a_cycle)
{
    slice_open(&b, (const char *[]){"l2.mshr.kind=dl_mshr", "l2.dl_mshr.sets=2", "l2.dl_mshr.reserved=1", NULL});
    for (uint64_t i = 0; i < 3; i++) slice_push(&b, REQUEST_READ, i * 256); /* one bank: the first is not held up */
    slice_drain(&b);
    /* presented in cycles 0, 1, 2; answers in 1, 2, then a refusal in each cycle from 3 to 58: presented in 58, in
     * which the first line's only slot drains; accepted in 59 */
    expect_refusals(&b.s.l2_rf_mshr_entry, 56);
    slice_close(&b);
}

Test(l2_slice, the_queue_to_dram_is_full)
{
    slice_open(&b, (const char *[]){"l2.miss_queue=2", "dram.queue=1", NULL});
    for (uint64_t i = 0; i < 4; i++) slice_push(&b, REQUEST_READ, i * 256); /* one bank, four rows */
    slice_drain(&b);
    /* Two places are asked for. 1: line 0 goes to DRAM, whose bank takes it in 2; 2: line 1 goes there and fills its
     * window, line 2 is in the queue; from 3 on one place is left, until the bank takes line 1: a clock after the last
     * column command of line 0, which is in 2 + 21 = 23.  Line 3 is accepted in 24. */
    expect_refusals(&b.s.l2_rf_miss_queue, 21);
    slice_close(&b);
}

Test(l2_slice, responses_without_room)
{
    slice_open(&b, (const char *[]){"l2.response_queue=2", NULL});
    slice_push(&b, REQUEST_READ, 1);
    slice_until(&b, 100);
    b.closed = true;
    for (uint32_t i = 0; i < 14; i++) {
        if (l2_room(b.l2)) slice_push(&b, REQUEST_READ, 1);
        slice_until(&b, 101 + i);
    }
    /* places: 10 stages and 2 behind; hits from cycle 100 on; refused from 112 on */
    slice_until(&b, 120);
    cr_expect_eq(b.s.l2_hits, 12);
    b.closed = false;
    l2_resume_responses(b.l2);
    slice_drain(&b);
    expect_refusals(&b.s.l2_rf_response, 8); /* cycles 112 to 119; in 120 a response leaves first */
    slice_close(&b);
}

Test(l2_slice, the_input_queue_says_when_there_is_room)
{
    slice_open(&b, (const char *[]){"l2.input_queue=2", NULL});
    slice_push(&b, REQUEST_READ, 1);
    slice_push(&b, REQUEST_READ, 2);
    cr_expect_not(l2_room(b.l2));
    slice_until(&b, 1);
    cr_expect(l2_room(b.l2));
    slice_drain(&b);
    slice_close(&b);
}

Test(l2_slice, room_may_mean_several_free_places)
{
    slice_open(&b, (const char *[]){"l2.input_queue=4", "l2.input_free=3", NULL});
    slice_push(&b, REQUEST_READ, 1);
    cr_expect(l2_room(b.l2));
    slice_push(&b, REQUEST_READ, 2);
    cr_expect_not(l2_room(b.l2), "two are left");
    slice_drain(&b);
    slice_close(&b);
}

Test(l2_slice, a_request_left_inside_is_an_error)
{
    struct error err = {0};
    slice_open(&b, NULL);
    slice_push(&b, REQUEST_READ, 1);
    slice_until(&b, 10);
    cr_expect_not(l2_finish(b.l2, b.clock, &err));
    cr_expect(strstr(err.text, "l2.0: 1 requests still in the MSHR file at the end, expected 0"), "%s", err.text);
    slice_close(&b);
}

/* A merge is a use: line 1 is asked for again while both lines are on their way, so that line 2 is the older one. */
Test(l2_slice, a_merge_makes_its_line_the_youngest)
{
    slice_open(&b, (const char *[]){"l2.sets=1", "l2.ways=2", NULL});
    slice_push(&b, REQUEST_READ, 1);
    slice_push(&b, REQUEST_READ, 2);
    slice_push(&b, REQUEST_READ, 1);
    slice_until(&b, 500);
    slice_push(&b, REQUEST_READ, 3);
    slice_until(&b, 1000);
    slice_push(&b, REQUEST_READ, 1);
    slice_drain(&b);
    cr_expect(b.s.l2_merged == 1 && b.s.l2_evictions == 1 && b.s.l2_hits == 1, "found %lu hits", b.s.l2_hits);
    slice_close(&b);
}

struct journal {
    uint32_t count[PLACES];
};

static void take_event(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t cycle)
{
    (void)r, (void)unit, (void)cycle;
    ((struct journal *)context)->count[place]++;
}

/* slots_of_an_entry_used_up_and_then_draining: 55 cycles of one cause and 2 of another, for one request. */
Test(l2_slice, a_request_that_is_refused_says_so_once_for_each_cause)
{
    struct journal j = {0};
    const struct observer o = {.trace_requests = UINT64_MAX, .request_at = take_event, .context = &j};
    slice_open(&b, (const char *[]){"l2.mshr.slots=2", "sim.skip=false", NULL});
    env_observe(&b.env, &o);
    for (uint32_t i = 0; i < 3; i++) slice_push(&b, REQUEST_READ, 7);
    slice_drain(&b);
    cr_expect_eq(j.count[AT_L2_REFUSED], 2, "found %u", j.count[AT_L2_REFUSED]);
    cr_expect(j.count[AT_L2_MISS] == 1 && j.count[AT_L2_MERGE] == 1 && j.count[AT_L2_HIT] == 1);
    slice_close(&b);
}
