/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: messages from an SM to the GMMU about accesses that hit in its TLB. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/fake_driver.h"
#include "system/uvm_bench.h"

#define PAGE(n) ((uint64_t)(n)*LINES_PER_PAGE)

/* Loads of one warp for each thread block, one block on each SM. */
struct loads {
    uint32_t count[2];
    uint64_t line[2][40];
    bool one_by_one; /* each waits for the one before */
};

static struct inst from_loads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)warp;
    const struct loads *l = p->context;
    if (n >= l->count[block]) return inst_exit();
    struct inst i = inst_line(INST_LOAD, (uint8_t)(n + 1), l->line[block][n]);
    if (n && l->one_by_one) i.src[0] = (uint8_t)n;
    return i;
}

static struct outcome *run(struct fake_driver *d, const struct config *c, const struct loads *l)
{
    const struct fixed_memory m = bench_memory();
    struct program p = program_of(c->sm_count, 1, from_loads);
    p.context = l;
    fake_driver_play(d);
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct config uvm_config(uint32_t sms)
{
    struct config c = bench_config();
    c.uvm_enable = true;
    c.sm_count = sms;
    c.uvm_note_queue = 64;
    return c;
}

static struct loads lines_of_page_0(uint32_t count, bool one_by_one)
{
    struct loads l = {.count = {count}, .one_by_one = one_by_one};
    for (uint32_t i = 0; i < count; i++) l.line[0][i] = i % LINES_PER_PAGE;
    return l;
}

/* The request stands for the first `unit` accesses, each note for as many more: all of them are counted once, rounded
 * up to units, whether they found the page in the TLB or waited for it. */
Test(notes, a_note_for_each_unit_of_accesses_but_the_first)
{
    static const uint32_t unit[] = {0, 1, 2, 8, 16, 32, 1024}, notes[] = {0, 32, 16, 4, 2, 1, 0};
    for (uint32_t i = 0; i < 7; i++) {
        for (uint32_t waits = 0; waits < 2; waits++) {
            struct fake_driver d = {.pages = 1, .resident = !waits, .latency = waits ? 2000 : 0, .lease_unit = unit[i]};
            const struct config c = uvm_config(1);
            const struct loads l = lines_of_page_0(33, !waits);
            struct outcome *o = run(&d, &c, &l);
            cr_expect_eq(o->stats.tlb_l1_hits, waits ? 0 : 32);
            cr_expect_eq(o->stats.uvm_notes, notes[i], "unit %u: %lu notes", unit[i], o->stats.uvm_notes);
            cr_expect_eq(o->stats.uvm_notes_dropped + o->stats.uvm_notes_late, 0);
            cr_expect_geq(d.happened.notes + 1, notes[i], "all but the last are sure to come before the end");
            cr_expect_eq(d.happened.requests, 1);
            free(o);
        }
    }
}

/* Two pages in turn, eight times; with an entry for each, then with one for both. */
Test(notes, the_count_begins_anew_when_the_tlb_is_filled)
{
    struct loads l = {.count = {16}, .one_by_one = true};
    for (uint32_t i = 0; i < 16; i++) l.line[0][i] = PAGE(i % 2) + i / 2;
    for (uint32_t ways = 1; ways < 3; ways++) {
        struct fake_driver d = {.pages = 2, .resident = true, .lease_unit = 2};
        struct config c = uvm_config(1);
        c.tlb_l1_sets = 1;
        c.tlb_l1_ways = ways;
        struct outcome *o = run(&d, &c, &l);
        cr_expect_eq(d.happened.requests, ways == 1 ? 16 : 2);
        cr_expect_eq(o->stats.uvm_notes, ways == 1 ? 0 : 6);
        cr_expect_eq(d.happened.noted[0], ways == 1 ? 0 : 3);
        cr_expect_eq(d.happened.noted[1], ways == 1 ? 0 : 3);
        free(o);
    }
}

/* Notes are not taken before cycle 5000: two wait, the others are lost, and no access is a cycle later for it. */
Test(notes, without_room_they_are_dropped_and_no_warp_waits)
{
    struct fake_driver d = {.pages = 1, .resident = true};
    struct config c = uvm_config(1);
    c.uvm_note_queue = 2;
    const struct loads l = lines_of_page_0(20, false);
    struct outcome *none = run(&d, &c, &l);
    d.lease_unit = 1;
    d.note_until = 5000;
    struct outcome *o = run(&d, &c, &l);
    cr_expect_eq(o->stats.uvm_notes, 19);
    cr_expect_eq(o->stats.uvm_notes_dropped, 17);
    cr_expect_eq(d.happened.notes, 0, "the run does not wait for them");
    cr_expect_gt(d.happened.notes_refused, 10);
    cr_expect_eq(o->stats.gpu_cycles, none->stats.gpu_cycles);
    cr_assert_eq(o->events, none->events);
    for (uint32_t i = 0; i < o->events; i++) cr_expect_eq(o->event[i].cycle, none->event[i].cycle);
    free(none);
    free(o);
}

/* From cycle 113 on SM 1's request is refused; page 0 was answered a cycle before, and its 31 accesses make 30 notes,
 * one a cycle.  They go in cycles 114, 116, ... 172; a note that is always refused makes the request a cycle late. */
Test(notes, a_request_that_is_refused_gives_way_every_other_cycle)
{
    struct loads l = lines_of_page_0(31, false);
    l.count[1] = 1;
    l.line[1][0] = PAGE(1);
    for (uint32_t i = 0; i < 4; i++) {
        const bool skip = i & 1, stuck = i & 2;
        struct fake_driver d = {.pages = 2, .resident = true, .retry_from = 113, .retry_until = 1500, .lease_unit = 1};
        struct config c = uvm_config(2);
        c.sim_skip = skip;
        if (stuck) d.note_until = UINT32_MAX;
        struct outcome *o = run(&d, &c, &l);
        uint64_t last = 0;
        for (uint32_t e = 0; e < o->events; e++)
            if (o->event[e].place == AT_L1D_MISS && o->event[e].r.line == PAGE(1)) last = o->event[e].cycle;
        cr_expect_eq(o->stats.uvm_notes, 30);
        cr_expect_eq(d.happened.notes, stuck ? 0 : 30);
        cr_expect_eq(d.happened.last_note, stuck ? 0 : 172, "%lu", d.happened.last_note);
        cr_expect_eq(last, stuck ? 1501 : 1500, "%lu", last);
        free(o);
    }
}

/* The page's accesses are through when it leaves, in cycle 400; their notes are not taken before 410. */
Test(notes, a_note_of_a_page_that_has_left_is_late)
{
    struct fake_driver d = {.pages = 1, .latency = 250, .evict_interval = 400, .lease_unit = 1, .note_until = 410};
    const struct config c = uvm_config(1);
    const struct loads l = lines_of_page_0(10, false);
    struct outcome *o = run(&d, &c, &l);
    cr_expect_eq(d.happened.evictions, 1);
    cr_expect_eq(o->stats.uvm_notes, 9);
    cr_expect_eq(o->stats.uvm_notes_late, 9);
    cr_expect_eq(d.happened.notes, 0);
    free(o);
}

/* The driver and its block. */

static enum uvm_noted note(struct uvm_bench *b, uint32_t page)
{
    enum uvm_noted answer = UVM_NOTE_RETRY;
    for (int tries = 0; answer == UVM_NOTE_RETRY; tries++) {
        cr_assert_lt(tries, 100, "never accepted");
        cr_assert(uvm_bench_step(b, b->env.sm_cycle + 1), "%s", b->err.text);
        answer = uvm_note(b->u, page, 0);
    }
    return answer;
}

Test(notes, only_an_eviction_by_leases_wants_them)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.lease_unit=16", NULL}, 256);
    cr_expect_eq(uvm_lease_unit(b->u), 0);
    uvm_bench_close(b);
    b = uvm_bench_open((const char *const[]){"uvm.lease_unit=16", "uvm.evict=ture", NULL}, 256);
    cr_expect_eq(uvm_lease_unit(b->u), 16);
    uvm_bench_close(b);
    b = uvm_bench_open((const char *const[]){"uvm.lease_unit=0", "uvm.evict=ture", NULL}, 256);
    cr_expect_eq(uvm_lease_unit(b->u), 0);
    uvm_bench_close(b);
}

/* A lease of 3: request, note and note use it up; a further note recalls the page, with half of it. */
Test(notes, a_note_takes_from_the_lease_what_a_request_takes)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.lease_unit=1", "uvm.evict=ture", "uvm.lease_bits=2", NULL}, 256);
    uvm_bench_touch(b, 5); /* absent: its lease begins with its arrival */
    cr_expect_eq(note(b, 6), UVM_NOTE_LATE, "page 6 is not there");
    cr_expect(uvm_bench_ask(b, 5, 1));
    cr_expect_eq(note(b, 5), UVM_NOTE_TAKEN);
    uvm_bench_until(b, b->env.sm_cycle + 10);
    block_socket_eval(&b->u->socket, &b->u->in, &b->u->out);
    cr_expect_eq(b->u->out.expired_o, 0);
    cr_expect_eq(note(b, 5), UVM_NOTE_TAKEN);
    uvm_bench_until(b, b->env.sm_cycle + 10);
    block_socket_eval(&b->u->socket, &b->u->in, &b->u->out);
    cr_expect_eq(b->u->out.expired_o, 1);
    cr_expect_eq(b->u->out.recalled_o, 0);
    cr_expect_eq(note(b, 5), UVM_NOTE_TAKEN);
    uvm_bench_until(b, b->env.sm_cycle + 10);
    block_socket_eval(&b->u->socket, &b->u->in, &b->u->out);
    cr_expect_eq(b->u->out.recalled_o, 1);
    cr_expect_eq(b->s.uvm_requests, 2, "notes are no requests");
    cr_expect(uvm_finish(b->u, &b->err), "%s", b->err.text);
    cr_expect_eq(b->s.uvm_expired, 1);
    cr_expect_eq(b->s.uvm_recalls, 1);
    cr_expect_eq(b->s.uvm_resident, 1);
    uvm_bench_close(b);
}

/* So does the first lease of an allocation, even where its bits could hold more. */
Test(notes, the_first_lease_is_an_option)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.lease_unit=1", "uvm.evict=ture", "uvm.lease_init=5", NULL}, 256);
    uvm_bench_touch(b, 5);
    for (uint32_t n = 0; n < 5; n++) {
        block_socket_eval(&b->u->socket, &b->u->in, &b->u->out);
        cr_expect_eq(b->u->out.expired_o, 0, "after %u accesses", n);
        cr_expect_eq(note(b, 5), UVM_NOTE_TAKEN);
    }
    uvm_bench_until(b, b->env.sm_cycle + 2);
    block_socket_eval(&b->u->socket, &b->u->in, &b->u->out);
    cr_expect_eq(b->u->out.expired_o, 1);
    uvm_bench_close(b);
}

/* Each access ends a lease and the coalescer has one entry: notes are held up, and all are taken. */
Test(notes, a_note_waits_for_room_in_the_queue_of_expiries)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.lease_unit=1", "uvm.evict=ture", "uvm.lease_bits=1",
                                                               "uvm.coalesce_entries=1", "uvm.prefetch=sp", NULL},
                                         1024);
    for (uint32_t p = 0; p < 256; p += 16) uvm_bench_touch(b, p);
    uint32_t taken = 0, late = 0, retried = 0;
    for (uint32_t n = 0; n < 256; n++) {
        enum uvm_noted answer;
        do {
            cr_assert(uvm_bench_step(b, b->env.sm_cycle + 1), "%s", b->err.text);
            answer = uvm_note(b->u, n * 16 % 256 + n / 16, 0);
            retried += answer == UVM_NOTE_RETRY;
            cr_assert_lt(retried, 10000);
        } while (answer == UVM_NOTE_RETRY);
        taken += answer == UVM_NOTE_TAKEN;
        late += answer == UVM_NOTE_LATE;
    }
    cr_expect_eq(taken + late, 256);
    cr_expect_gt(taken, 100);
    cr_expect_gt(retried, 0);
    uvm_bench_close(b);
}
