/* SPDX-License-Identifier: Apache-2.0 */
/* From an SM's coalescer to the driver and back. The driver is fake_driver.h's, so its answers' times are known. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/fake_driver.h"
#include "system/named.h"

#define PAGE(n) ((uint64_t)(n)*LINES_PER_PAGE)

struct step {
    enum inst_op op;
    uint64_t line;
    uint32_t after; /* waits for the data of step `after` - 1; 0: for none */
};

/* The program of each thread block's only warp. */
struct steps {
    uint32_t count[4];
    struct step step[4][16];
};

static struct inst from_steps(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)warp;
    const struct steps *s = p->context;
    if (n >= s->count[block]) return inst_exit();
    const struct step *x = &s->step[block][n];
    struct inst i = inst_line(x->op, x->op == INST_STORE ? INST_NO_REG : (uint8_t)(n + 1), x->line);
    if (x->after) i.src[0] = (uint8_t)x->after;
    return i;
}

static struct config uvm_config(uint32_t sms)
{
    struct config c = bench_config();
    c.uvm_enable = true;
    c.sm_count = sms;
    return c;
}

static struct outcome *run_with(const struct config *c, const struct steps *s, uint32_t blocks, bool real)
{
    const struct fixed_memory m = bench_memory();
    struct program p = program_of(blocks, 1, from_steps);
    p.context = s;
    return real ? bench_run_real(c, &p) : bench_run(c, &p, &m);
}

static struct outcome *run(const struct config *c, const struct steps *s, uint32_t blocks)
{
    struct outcome *o = run_with(c, s, blocks, false);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* Cycle of the n-th event at this place that is about this line and SM. */
static uint64_t when(const struct outcome *o, enum place place, uint64_t line, uint32_t sm)
{
    for (uint32_t i = 0; i < o->events; i++)
        if (o->event[i].place == place && o->event[i].r.line == line && o->event[i].r.sm == sm)
            return o->event[i].cycle;
    cr_assert_fail("nothing of line %lu at place %d", line, place);
    return 0;
}

/* Cycles from the coalescer to the acceptance by the L1D. */
static uint64_t delay(const struct outcome *o, uint64_t line, uint32_t sm)
{
    return when(o, AT_L1D_MISS, line, sm) - when(o, AT_COALESCER, line, sm);
}

#define COUNT(o, field, expected)                                                                                      \
    cr_expect_eq((o)->stats.field, expected, #field ": %lu, expected %lu", (o)->stats.field, (uint64_t)(expected))

/* Each SM walks for a page, and then wants a line of it, and one of the other's page. The table of README.md. */
Test(translate, unloaded_latencies)
{
    struct fake_driver d = {.pages = 4, .resident = true};
    const struct steps s = {{3, 3},
                            {{{INST_LOAD, PAGE(0), 0}, {INST_LOAD, PAGE(0) + 1, 1}, {INST_LOAD, PAGE(1) + 1, 2}},
                             {{INST_LOAD, PAGE(1), 0}, {INST_LOAD, PAGE(1) + 2, 1}, {INST_LOAD, PAGE(0) + 2, 2}}}};
    struct config c = uvm_config(2);
    c.uvm_enable = false;
    struct outcome *o = run(&c, &s, 2);
    for (uint32_t i = 0; i < 3; i++) cr_expect_eq(delay(o, s.step[0][i].line, 0), 1);
    free(o);
    c.uvm_enable = true;
    fake_driver_play(&d);
    o = run(&c, &s, 2);
    cr_expect_eq(delay(o, PAGE(0), 0), 1 + 1 + 10 + 100, "%lu", delay(o, PAGE(0), 0));
    cr_expect_eq(delay(o, PAGE(0) + 1, 0), 1, "%lu", delay(o, PAGE(0) + 1, 0));
    cr_expect_eq(delay(o, PAGE(1) + 1, 0), 1 + 1 + 10, "%lu", delay(o, PAGE(1) + 1, 0));
    COUNT(o, tlb_l1_hits, 2);
    COUNT(o, tlb_l1_misses, 4);
    COUNT(o, tlb_l2_hits, 2);
    COUNT(o, tlb_walks, 2);
    cr_expect_eq(d.happened.requests, 4);
    cr_expect_gt(d.happened.progress, 0);
    cr_expect_eq(d.happened.used, 6);
    free(o);
    c.tlb_l2_ways = c.tlb_l2_latency = 0; /* no shared TLB: the second SM's request walks, too */
    o = run(&c, &s, 2);
    cr_expect_eq(delay(o, PAGE(0), 0), 1 + 1 + 100);
    cr_expect_eq(delay(o, PAGE(1) + 1, 0), 1 + 1 + 100);
    COUNT(o, tlb_walks, 4);
    free(o);
}

/* The page is missing: its accesses wait, in order; accesses to other pages go on. */
Test(translate, an_absent_page_holds_up_its_own_accesses_only)
{
    struct fake_driver d = {.pages = 4, .latency = 1000};
    const struct steps s = {{5},
                            {{{INST_LOAD, PAGE(0), 0},
                              {INST_STORE, PAGE(0) + 1, 0},
                              {INST_LOAD, PAGE(9), 0}, /* outside */
                              {INST_LOAD, PAGE(0) + 2, 0},
                              {INST_LOAD, PAGE(9) + 1, 0}}}};
    const struct config c = uvm_config(1);
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 1);
    const uint64_t first = when(o, AT_COALESCER, PAGE(0), 0) + 1;
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(9), 0), first + 2);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(9) + 1, 0), first + 4);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0), 0), first + 111 + 1000);
    cr_expect_eq(when(o, AT_L1D_WRITE, PAGE(0) + 1, 0), first + 111 + 1001);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + 2, 0), first + 111 + 1002);
    COUNT(o, tlb_l1_misses, 3);
    COUNT(o, tlb_l1_merged, 2);
    COUNT(o, tlb_unmanaged, 2);
    COUNT(o, tlb_replay_replayed, 3);
    COUNT(o, tlb_replay_peak, 3);
    COUNT(o, tlb_absent, 1);
    cr_expect_eq(d.happened.requests, 1);
    free(o);
}

/* A hit reaches the LSU's head in the cycle in which page 0 is answered, and waits for its three parked accesses. */
Test(translate, parked_accesses_go_before_the_head)
{
    struct fake_driver d = {.pages = 4, .resident = true};
    const struct steps s = {{6},
                            {{{INST_LOAD, PAGE(1), 0},
                              {INST_LOAD, PAGE(0), 1},
                              {INST_LOAD, PAGE(0) + 1, 0},
                              {INST_LOAD, PAGE(0) + 2, 0},
                              {INST_SP, 0, 1},
                              {INST_LOAD, PAGE(1) + 1, 5}}}};
    struct config c = uvm_config(1);
    c.sm_sp_latency =
        108; /* issued three cycles after the load of page 0, which is looked up a cycle after its issue */
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 1);
    const uint64_t answer = when(o, AT_TLB_MISS, PAGE(0), 0) + 111;
    cr_expect_eq(when(o, AT_COALESCER, PAGE(1) + 1, 0) + 1, answer);
    for (uint64_t i = 0; i < 3; i++) cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + i, 0), answer + i);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(1) + 1, 0), answer + 3);
    COUNT(o, tlb_l1_hits, 1);
    free(o);
}

/* Page 0 is answered a cycle before page 2: so are their accesses. */
Test(translate, pages_go_on_in_the_order_of_their_answers)
{
    struct fake_driver d = {.pages = 4, .resident = true};
    const struct steps s = {
        {4},
        {{{INST_LOAD, PAGE(0), 0}, {INST_LOAD, PAGE(2), 0}, {INST_LOAD, PAGE(0) + 1, 0}, {INST_LOAD, PAGE(2) + 1, 0}}}};
    const struct config c = uvm_config(1);
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 1);
    const uint64_t first = when(o, AT_L1D_MISS, PAGE(0), 0);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + 1, 0), first + 1);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(2), 0), first + 2);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(2) + 1, 0), first + 3);
    free(o);
}

Test(translate, one_walk_for_all_that_ask_and_no_more_than_there_are_walkers)
{
    struct fake_driver d = {.pages = 8, .resident = true};
    const struct steps s = {{2, 2, 2},
                            {{{INST_LOAD, PAGE(0), 0}, {INST_LOAD, PAGE(1), 0}},
                             {{INST_LOAD, PAGE(0) + 1, 0}, {INST_LOAD, PAGE(2), 0}},
                             {{INST_LOAD, PAGE(0) + 2, 0}, {INST_LOAD, PAGE(3), 0}}}};
    struct config c = uvm_config(3);
    c.uvm_walkers = 2;
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 3);
    COUNT(o, tlb_l2_misses, 6);
    COUNT(o, tlb_l2_merged, 2);
    COUNT(o, tlb_walks, 4);
    /* Requests are taken in cycles 1..6, pages 0, 0, 0, 1, 2, 3: walks begin in 0, 3, 100 and 103 after the first. */
    COUNT(o, tlb_walk_wait_cycles, (100 - 4) + (103 - 5));
    const uint64_t first = when(o, AT_L1D_MISS, PAGE(0), 0);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + 1, 1), first + 1, "one request a cycle goes to the driver");
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + 2, 2), first + 2);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(1), 0), first + 3);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(2), 1), first + 100);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(3), 2), first + 103);
    free(o);
}

/* Two places: the third access waits at the LSU's head until the first is replayed. */
Test(translate, a_full_replay_buffer_stops_the_lsu)
{
    struct fake_driver d = {.pages = 4, .latency = 500};
    const struct steps s = {
        {4},
        {{{INST_LOAD, PAGE(0), 0}, {INST_LOAD, PAGE(0) + 1, 0}, {INST_LOAD, PAGE(0) + 2, 0}, {INST_LOAD, PAGE(9), 0}}}};
    struct config c = uvm_config(1);
    c.uvm_replay = 2;
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 1);
    const uint64_t first = when(o, AT_COALESCER, PAGE(0), 0) + 1;
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0), 0), first + 611);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + 2, 0), first + 613, "the page is in the TLB now");
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(9), 0), first + 614);
    COUNT(o, tlb_replay_full_cycles, 611 - 2);
    COUNT(o, tlb_l1_misses, 2);
    COUNT(o, tlb_l1_hits, 1);
    free(o);
}

/* The driver takes no request before cycle 400. */
Test(translate, a_request_that_is_refused_is_made_again)
{
    struct fake_driver d = {.pages = 4, .resident = true, .retry_until = 400};
    const struct steps s = {{2}, {{{INST_LOAD, PAGE(0), 0}, {INST_LOAD, PAGE(1), 0}}}};
    const struct config c = uvm_config(1);
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 1);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0), 0), 400);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(1), 0), 401);
    cr_expect_gt(d.happened.retries, 0);
    free(o);
}

/* A slow L1D (its miss queue holds one): page 0 leaves when two of its four accesses are through. */
Test(translate, a_page_that_leaves_takes_its_parked_accesses_back)
{
    struct fake_driver d = {.pages = 1, .latency = 300, .evict_interval = 450};
    const struct steps s = {{4},
                            {{{INST_LOAD, PAGE(0), 0},
                              {INST_LOAD, PAGE(0) + 1, 0},
                              {INST_LOAD, PAGE(0) + 2, 0},
                              {INST_LOAD, PAGE(0) + 3, 0}}}};
    struct config c = uvm_config(1);
    c.l1d_mshr_entries = 2; /* the third is refused from 414 to 513, the page leaves in 450 */
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 1);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0), 0), 412);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + 1, 0), 413);
    COUNT(o, tlb_replay_again, 2);
    COUNT(o, tlb_replay_replayed, 4);
    COUNT(o, tlb_absent, 2);
    COUNT(o, tlb_l2_hits, 0);
    COUNT(o, tlb_walks, 2);
    /* It asks again in 450; the walk ends in 561; the page's last request is answered in 515, so it is gone by then. */
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0) + 2, 0), 450 + 110 + 300, "%lu", when(o, AT_L1D_MISS, PAGE(0) + 2, 0));
    free(o);
}

/* A dl_mshr answers the access presented in 412 in 413, when its page leaves: the page is asked for again, but nobody
 * is left to use it. The driver must be notified, or it would keep the page forever. */
Test(translate, a_page_asked_for_in_vain_counts_as_used)
{
    struct fake_driver d = {.pages = 1, .latency = 300, .evict_interval = 413};
    const struct steps s = {{1}, {{{INST_LOAD, PAGE(0), 0}}}};
    struct config c = uvm_config(1);
    c.l1d_mshr_kind = MISS_FILE("dl_mshr");
    fake_driver_play(&d);
    struct outcome *o = run(&c, &s, 1);
    cr_expect_eq(when(o, AT_L1D_MISS, PAGE(0), 0), 413);
    COUNT(o, tlb_replay_again, 1);
    COUNT(o, tlb_replay_replayed, 1);
    cr_expect_eq(d.happened.arrivals, 2);
    cr_expect_eq(d.happened.used, 2);
    free(o);
}

/* Two dirty lines and a clean one are in the L2, the clean one in the L1D, too; 3000 cycles later, when the page has
 * been away and is back, the clean one has to come from DRAM again. */
Test(translate, lines_leave_with_their_page)
{
    struct fake_driver d = {.pages = 1, .latency = 3000, .evict_interval = 5000};
    const struct steps s = {{7},
                            {{{INST_STORE, PAGE(0), 0},
                              {INST_LOAD, PAGE(0) + 1, 0},
                              {INST_ATOMIC, PAGE(0) + 2, 2},
                              {INST_SP, 0, 3},
                              {INST_SP, 0, 4},
                              {INST_SP, 0, 5},
                              {INST_LOAD, PAGE(0) + 1, 6}}}};
    struct config c = uvm_config(1);
    c.sm_sp_latency = 1000;
    fake_driver_play(&d);
    struct outcome *o = run_with(&c, &s, 1, true);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(d.happened.evictions, 1);
    cr_expect_eq(d.happened.dirty, 2);
    COUNT(o, tlb_shootdowns, 1);
    COUNT(o, tlb_shot, 2); /* in the SM's TLB and in the shared one */
    COUNT(o, l1d_dropped, 1);
    COUNT(o, l2_dropped, 3);
    COUNT(o, l2_dropped_dirty, 2);
    COUNT(o, l1d_hits, 0);
    COUNT(o, l2_misses, 4);
    COUNT(o, l2_dirty_at_end, 0);
    COUNT(o, dram_writes, 0);
    free(o);
}

Test(translate, a_page_that_never_comes_is_named)
{
    struct fake_driver d = {.pages = 1};
    const struct steps s = {{1}, {{{INST_LOAD, PAGE(0), 0}}}};
    const struct config c = uvm_config(1);
    fake_driver_play(&d);
    struct outcome *o = run_with(&c, &s, 1, false);
    cr_assert_not(o->ok);
    cr_expect(strstr(o->err.text, "1 accesses wait for their page"), "%s", o->err.text);
    free(o);
}

static void expect_refused(const struct config *c, const char *reason)
{
    const struct steps s = {{1}, {{{INST_LOAD, PAGE(0), 0}}}};
    struct fake_driver d = {.pages = 1, .resident = true};
    fake_driver_play(&d);
    struct outcome *o = run_with(c, &s, 1, false);
    cr_assert_not(o->ok);
    cr_expect(strstr(o->err.text, reason), "%s", o->err.text);
    free(o);
}

Test(translate, refuses_what_it_cannot_share)
{
    struct config c = uvm_config(1);
    c.cke_cycles = 1000;
    expect_refused(&c, "uvm.enable: allowed with cke.cycles = 0 only, found 1000");
    c.cke_cycles = 0;
    c.cke_scheme = CKE_DMIL;
    expect_refused(&c, "uvm.enable: allowed with cke.scheme = plain only");
    c.cke_scheme = CKE_PLAIN;
    c.tlb_l1_sets = 3;
    expect_refused(&c, "tlb.l1.sets: found 3, allowed: a power of two");
    c.tlb_l1_sets = 4;
    c.uvm_lease_unit = 12;
    expect_refused(&c, "uvm.lease_unit: found 12, allowed: a power of two");
    c.uvm_lease_unit = 0;
    const struct steps s = {{1}, {{{INST_LOAD, PAGE(0), 0}}}};
    struct program p = program_of(1, 1, from_steps);
    p.context = &s;
    const struct program *const two[] = {&p, &p};
    struct outcome *o = bench_run_beside(&c, two, 2, NULL, false);
    cr_assert_not(o->ok);
    cr_expect(strstr(o->err.text, "uvm.enable: found several workloads, allowed: one"), "%s", o->err.text);
    free(o);
}
