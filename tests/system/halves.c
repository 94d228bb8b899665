/* SPDX-License-Identifier: Apache-2.0 */
/* An L2 of two halves (cache/l2_far.h): copies in the near half, writes and atomics in the home half, the link. */
#include <stdio.h>

#include "machine.h"

static struct machine t, other;

#define HALVES "l2.halves=2", "partition.count=2"

/* Lines 0 and 1 are at home in half 0, lines 2 and 3 in half 1; SM 0 is at half 0, SM 1 at half 1. */
static void open_with(struct machine *m, const char *one, const char *two)
{
    machine_open(m, (const char *const[]){HALVES, one, two, NULL}, NULL);
    memory_tick(m->m);
}

/* One request alone; the SM cycles until its response. */
static uint64_t take(uint32_t sm, enum request_kind kind, uint64_t line)
{
    const uint64_t start = t.env.sm_cycle;
    const uint32_t id = machine_send(&t, sm, kind, line, 128);
    machine_drain(&t);
    return t.at[id] - start;
}

static void expect(uint64_t fetched, uint64_t sent, uint64_t dropped, const char *what)
{
    cr_expect(t.s.l2_far_fetched == fetched && t.s.l2_far_sent == sent && t.s.l2_far_dropped == dropped,
              "%s: fetched %llu, sent %llu, dropped %llu", what, (unsigned long long)t.s.l2_far_fetched,
              (unsigned long long)t.s.l2_far_sent, (unsigned long long)t.s.l2_far_dropped);
}

Test(halves, a_far_line_is_fetched_once_and_then_near)
{
    open_with(&t, "l2.far_latency=50", "l2.latency=20");
    const uint64_t cold = take(0, REQUEST_READ, 0), near = take(0, REQUEST_READ, 0);
    expect(0, 0, 0, "at home");
    const uint64_t far = take(1, REQUEST_READ, 0);
    expect(1, 0, 0, "the first read of the other half");
    cr_expect_geq(far, near + 120);
    cr_expect_leq(far, near + 126, "the link twice, and a hit there: %llu, near %llu", (unsigned long long)far,
                  (unsigned long long)near);
    cr_expect_eq(take(1, REQUEST_READ, 0), near, "a copy");
    expect(1, 0, 0, "a copy");
    cr_expect_eq(t.s.dram_reads, 1);
    const uint64_t far_cold = take(1, REQUEST_READ, 1);
    cr_expect(far_cold > cold + 120 && far_cold < cold + 130, "through its home: %llu", (unsigned long long)far_cold);
    cr_expect_eq(take(0, REQUEST_READ, 1), near, "it is at home, too");
    cr_expect_eq(take(0, REQUEST_READ, 2), far_cold, "the other way round");
    cr_expect_eq(t.s.l2_far_reads, 3);
    machine_close(&t);
}

Test(halves, the_link_has_its_latency_and_width)
{
    uint64_t cycles[3];
    static const char *const options[3][2] = {{"l2.far_latency=1", "l2.link_bytes=128"},
                                              {"l2.far_latency=201", "l2.link_bytes=128"},
                                              {"l2.far_latency=1", "l2.link_bytes=1"}};
    for (int i = 0; i < 3; i++) {
        open_with(&t, options[i][0], options[i][1]);
        take(0, REQUEST_READ, 0);
        cycles[i] = take(1, REQUEST_READ, 0);
        machine_close(&t);
    }
    cr_expect_eq(cycles[1], cycles[0] + 400);
    cr_expect_eq(cycles[2], cycles[0] + 127, "a line, a byte a cycle");
}

Test(halves, a_change_at_home_drops_the_copy)
{
    for (enum request_kind k = REQUEST_WRITE; k <= REQUEST_ATOMIC; k++) {
        open_with(&t, NULL, NULL);
        take(1, REQUEST_READ, 0);
        take(0, k, 0);
        expect(1, 0, 1, "changed at home");
        take(0, k, 0);
        expect(1, 0, 1, "no copy is left");
        take(1, REQUEST_READ, 0);
        expect(2, 0, 1, "fetched again");
        machine_close(&t);
    }
}

Test(halves, a_write_of_the_other_half_goes_home_and_updates_its_copy)
{
    open_with(&t, NULL, NULL);
    const uint64_t near = (take(1, REQUEST_READ, 0), take(1, REQUEST_READ, 0));
    take(1, REQUEST_WRITE, 0);
    expect(1, 1, 0, "written");
    cr_expect_eq(t.s.l2_far_writes, 1);
    cr_expect_eq(take(1, REQUEST_READ, 0), near, "the copy is up to date");
    take(1, REQUEST_WRITE, 1);
    expect(1, 2, 0, "a write without a copy");
    take(1, REQUEST_READ, 1);
    expect(2, 2, 0, "left none");
    machine_close(&t);
    cr_expect_eq(t.s.l2_dirty_at_end, 2, "dirty at home alone");
}

Test(halves, an_atomic_of_the_other_half_is_done_at_home)
{
    open_with(&t, "l2.far_latency=70", NULL);
    take(1, REQUEST_READ, 0);
    const uint64_t near = take(1, REQUEST_READ, 0);
    cr_expect_geq(take(1, REQUEST_ATOMIC, 0), near + 140);
    cr_expect_eq(t.s.l2_far_atomics, 1);
    take(1, REQUEST_READ, 0);
    expect(2, 1, 0, "the copy is dropped on the way");
    machine_close(&t);
}

/* The write comes home behind the read, whose data are older. */
Test(halves, a_write_leaves_no_copy_that_was_on_its_way)
{
    open_with(&t, NULL, NULL);
    machine_send(&t, 1, REQUEST_READ, 0, 128);
    machine_send(&t, 1, REQUEST_WRITE, 0, 128);
    machine_drain(&t);
    take(1, REQUEST_READ, 0);
    expect(2, 1, 0, "fetched again");
    machine_close(&t);
}

static uint64_t looked_up[3];

static void note_home(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t sm_cycle)
{
    (void)context;
    if (unit == 0 && (place == AT_L2_HIT || place == AT_L2_MISS || place == AT_L2_MERGE)) looked_up[r->id] = sm_cycle;
}

/* A write at home while the copy is on its way: a copy with older data does not stay. */
Test(halves, a_copy_on_its_way_is_dropped_when_it_comes)
{
    const struct observer observer = {.trace_requests = 3, .request_at = note_home};
    uint32_t older = 0, newer = 0;
    for (uint64_t wait = 0; wait < 240; wait++) {
        machine_open(&t, (const char *const[]){HALVES, "l2.far_latency=40", NULL}, &observer);
        memory_tick(t.m);
        take(0, REQUEST_READ, 0);
        machine_send(&t, 1, REQUEST_READ, 0, 128);
        machine_until(&t, t.env.sm_cycle + wait);
        machine_send(&t, 0, REQUEST_WRITE, 0, 128);
        machine_drain(&t);
        const bool old = looked_up[1] < looked_up[2];
        take(1, REQUEST_READ, 0);
        cr_expect(t.s.l2_far_fetched == 2 || !old, "written %llu cycles later", (unsigned long long)wait);
        *(old ? &older : &newer) += 1;
        machine_close(&t);
    }
    cr_expect(older > 50 && newer > 10, "%u and %u", older, newer);
}

Test(halves, a_copy_from_the_host_goes_home)
{
    open_with(&t, "l2.host_copies=true", NULL);
    memory_copied(t.m, &(struct host_copy){0, 128, 0});
    take(1, REQUEST_READ, 0);
    cr_expect_eq(t.s.dram_reads, 0);
    expect(1, 0, 0, "fetched from home");
    memory_copied(t.m, &(struct host_copy){0, 128, 0});
    take(1, REQUEST_READ, 0);
    cr_expect_eq(t.s.l2_far_fetched, 2, "the copy was older");
    machine_close(&t);
}

/* A page of unified memory leaves the device. */
Test(halves, a_line_that_is_dropped_leaves_no_copy)
{
    open_with(&t, "l2.sector_bytes=32", NULL);
    take(1, REQUEST_READ, 0);
    memory_drop(t.m, 0);
    cr_expect_eq(t.s.l2_dropped, 8, "four sectors at home, four copies");
    take(1, REQUEST_READ, 0);
    expect(8, 0, 0, "fetched again");
    cr_expect_eq(t.s.dram_reads, 8);
    machine_close(&t);
}

static uint64_t sent_to_dram(const char *option, const char *sets)
{
    open_with(&t, option, sets);
    for (uint64_t n = 0; n < 400; n++) take(1, REQUEST_READ, n / 2 * 4);
    machine_close(&t);
    return t.s.l2_bypassed;
}

/* Its data are in the home's DRAM: a closed home lets them pass, and the near slice keeps its copy. */
Test(halves, a_closed_slice_has_copies)
{
    cr_expect_gt(sent_to_dram("l2.bypass.mode=stream", "l2.stream.period=50000"), 0);
    cr_expect_eq(t.s.l2_hits, 200);
    cr_expect_eq(t.s.l2_far_fetched, 200);
    cr_expect_eq(t.s.dram_reads, 200);
}

Test(halves, the_link_is_a_bottleneck)
{
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        open_with(&t, i ? "l2.link_bytes=128" : "l2.link_bytes=4", NULL);
        for (uint32_t n = 0; n < 500; n++) {
            while (!machine_room_for_read(&t, 1)) machine_step(&t, NEVER);
            machine_send(&t, 1, REQUEST_READ, n / 2 * 4 + n % 2, 128);
        }
        machine_drain(&t);
        cycles[i] = t.env.sm_cycle;
        machine_close(&t);
    }
    cr_expect_geq(cycles[0], 500 * 32);
    cr_expect_lt(cycles[1], 500 * 16);
}

/* A request takes its place until its partner has looked it up. */
Test(halves, the_link_has_few_places)
{
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        open_with(&t, i ? "l2.link_queue=100" : "l2.link_queue=1", "l2.far_latency=200");
        for (uint32_t n = 0; n < 20; n++) {
            while (!machine_room_for_read(&t, 1)) machine_step(&t, NEVER);
            machine_send(&t, 1, n % 2 ? REQUEST_READ : REQUEST_WRITE, n / 2 * 4 + n % 2, 128);
        }
        machine_drain(&t);
        cycles[i] = t.env.sm_cycle;
        cr_expect_eq(t.s.l2_rf_link > 0, !i);
        machine_close(&t);
    }
    cr_expect_gt(cycles[0], 20 * 200);
    cr_expect_lt(cycles[1], 10 * 200);
}

/* ---- random traffic of both halves */

static void random_traffic(struct machine *m, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    memory_tick(m->m);
    for (uint64_t stream = 0; m->sent < MACHINE_REQUESTS;) {
        cr_assert_lt(m->env.sm_cycle, 50000000, "requests are stuck: %u sent", m->sent);
        machine_until(m, m->env.sm_cycle + 1 + rng_below(&rng, rng_below(&rng, 100) ? 4 : 4000));
        for (uint64_t n = rng_below(&rng, 40); n && m->sent < MACHINE_REQUESTS; n--) {
            const uint32_t sm = (uint32_t)rng_below(&rng, m->c.sm_count), where = (uint32_t)rng_below(&rng, 4);
            const uint64_t line = where == 0  ? stream++
                                  : where < 3 ? rng_below(&rng, 16)
                                              : 4096 + rng_below(&rng, 1024);
            const uint32_t kind = (uint32_t)rng_below(&rng, 8);
            const enum request_kind k = kind == 0 ? REQUEST_ATOMIC : kind < 3 ? REQUEST_WRITE : REQUEST_READ;
            const struct request r = {.kind = (uint8_t)k, .bytes = (uint8_t)(32u << rng_below(&rng, 3))};
            if (memory_room(m->m, sm, &r)) machine_send(m, sm, k, line, r.bytes);
        }
    }
    machine_drain(m);
}

/* Every resource in short supply, on both sides. */
#define SMALL "l2.sets=1", "l2.ways=2", "l2.mshr.entries=2", "l2.link_queue=1", "l2.input_queue=4"
#define STREAM                                                                                                         \
    "l2.bypass.mode=stream", "l2.stream.period=200", "l2.stream.min_accesses=4", "l2.stream.num=1", "l2.stream.den=2", \
        "l2.sets=2", "l2.ways=4"
static const char *const configs[][16] = {
    {HALVES, NULL},
    {HALVES, SMALL, "l2.miss_queue=1", "dram.queue=1", "l2.response_queue=1", NULL},
    {HALVES, "l2.sets=2", "l2.ways=16", "l2.mshr.entries=2", "l2.link_queue=1", "l2.input_queue=4", NULL},
    {HALVES, SMALL, "l2.far_latency=1", "l2.link_bytes=1", "l2.mshr.slots=1", NULL},
    {"l2.halves=2", "partition.count=6", "partition.slices=4", "partition.map=rotated", "l2.sets=2", "l2.ways=2",
     "l2.sector_bytes=32", "l2.write_miss=lazy", "l2.rop_latency=120", NULL},
    {"l2.halves=2", "partition.count=80", "partition.slices=2", "partition.map=rotated", "l2.sets=1", "l2.ways=3",
     "l2.sector_bytes=32", "l2.far_latency=300", NULL},
    {"l2.halves=2", "partition.count=4", "clock.l2=2900", "clock.xbar=900", "l2.far_latency=1", "l2.sets=2",
     "l2.write_miss=fetch_partial", "l2.port_bytes=32", NULL},
    {"l2.halves=2", "partition.count=4", "clock.l2=333.5", "l2.sets=4", "l2.unbounded=true", "dram.latency_at=front",
     NULL},
    {"l2.halves=2", "partition.count=4", "partition.slices=2", "partition.map=ipoly", "partition.map_of=slices",
     "l2.sets=2", "l2.ways=2", "l2.link_queue=2", "xbar.output_queue=1", NULL},
    {HALVES, SMALL, "l2.write_miss=through", "l2.miss_queue=3", "l2.bypass.slots=1", NULL},
    {HALVES, SMALL, "l2.bypass.on_stall=any", "l2.bypass.slots=1", "dram.queue=1", NULL},
    {HALVES, SMALL, "l2.input=bank_reorder", "dram.banks=8", "l2.bank_reorder.queues=8", NULL},
    {HALVES, SMALL, "l2.input=cart", "l2.input_refused=rotate", "l2.sector_bytes=32", NULL},
    {HALVES, "l2.sets=1", "l2.ways=2", "l2.input_queue=4", "l2.mshr.kind=dl_mshr", "l2.dl_mshr.sets=2",
     "l2.dl_mshr.slots=1", "l2.dl_mshr.reserved=1", "l2.link_queue=1", NULL},
    {HALVES, "l2.sets=2", "l2.ways=8", "l2.input_queue=4", "l2.mshr.kind=dl_mshr", "l2.dl_mshr.sets=4",
     "l2.dl_mshr.reserved=0", "l2.dl_mshr.tail_ptr=false", "l2.sector_bytes=32", NULL},
    {HALVES, "l2.sets=2", "l2.ways=8", "l2.input_queue=4", "l2.mshr.kind=perfect", "l2.perfect.entries=1",
     "l2.perfect.slots=2", "l2.perfect.shared=true", NULL},
    {"l2.halves=2", "partition.count=4", "partition.slices=2", "dram.intake=channel", "l2.sector_bytes=32",
     "l2.write_miss=lazy", "l2.sets=4", "l2.ways=4", "dram.queue=1", "l2.miss_queue=1", NULL},
    {HALVES, STREAM, "l2.stream.tags=keep", "l2.bypass.slots=1", NULL},
    {HALVES, STREAM, "l2.stream.tags=drop", "l2.mshr.kind=dl_mshr", "l2.sector_bytes=32", NULL},
};

#define CONFIGS (sizeof configs / sizeof *configs)

/* No request is stuck, every law holds, and skipped cycles change nothing. */
Test(halves, sleeping_changes_no_counter_and_no_response)
{
    for (uint32_t i = 0; i < CONFIGS; i++) {
        machine_sleeps_as_ticked(&t, &other, configs[i], i, random_traffic);
        cr_expect_eq(t.responses, MACHINE_REQUESTS);
        cr_expect(t.s.l2_far_fetched && t.s.l2_far_writes && t.s.l2_far_atomics && t.s.l2_far_dropped, "seed %u", i);
    }
}

/* ---- machines that it does not serve */

static void expect_refused(const char *one, const char *two, const char *message)
{
    struct config c;
    struct error err = {""};
    config_default(&c);
    cr_assert(config_set(&c, "l2.halves=2", &err) && config_set(&c, one, &err) && (!two || config_set(&c, two, &err)),
              "%s", err.text);
    cr_expect_not(config_check(&c, &err), "%s %s", one, two);
    cr_expect_str_eq(err.text, message);
}

Test(halves, what_cannot_be_divided_is_refused)
{
    expect_refused("partition.count=5", NULL, "partition.count: found 5, allowed with l2.halves = 2: an even number");
    expect_refused("l2.ways=1", NULL, "l2.ways: found 1, allowed with l2.halves = 2: at least 2");
    expect_refused("l2.mshr.kind=perfect", "l2.perfect.entries=1",
                   "l2.mshr.kind: found a file of one line, allowed with l2.halves = 2: two or more");
    expect_refused("l2.alloc=on_fill", NULL,
                   "l2.halves: found 2, allowed with l2.alloc = on_fill: 1, since a change at home finds a copy on its "
                   "way by its way in the tags");
    expect_refused("l2.upper_half=next", NULL,
                   "l2.halves: found 2, allowed with l2.upper_half = next: 1, since both have the same mark for lines "
                   "of another slice");
}
