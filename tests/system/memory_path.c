/* SPDX-License-Identifier: Apache-2.0 */
/* From an SM's crossbar port to DRAM and back.  By hand, all clocks equal: sent in cycle 0 after the memory's ticks, so
 * the crossbar sees it in 1; latency 12, one flit: the slice has it in 13, looks it up in 14.  A hit's response leaves
 * in 114; 5 flits: 114 + 12 + 4 = 130.  A miss goes to DRAM in 15, which sees it in 16 and has the line in 16 + 35 =
 * 51; 100 more, 151: the fill; 152: the slot comes out; 252: its response leaves, and arrives in 268. */
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

static struct machine t, other;

#define EQUAL_CLOCKS "clock.sm=1000", "clock.xbar=1000", "clock.l2=1000", "clock.dram=1000"

Test(memory_path, the_memory_names_its_busy_units)
{
    char text[200];
    machine_open(&t, (const char *const[]){"sm.count=2", "partition.count=4", NULL}, NULL);
    memory_describe(t.m, text, sizeof text);
    cr_expect_str_eq(text, "");
    machine_send(&t, 0, REQUEST_READ, 0, LINE_BYTES);
    memory_describe(t.m, text, sizeof text);
    cr_expect_str_eq(text, "1 requests and acknowledgements are below the SMs; busy: xbar (requests)");
    machine_until(&t, 20);
    memory_describe(t.m, text, sizeof text);
    cr_expect_str_eq(text, "1 requests and acknowledgements are below the SMs; busy: l2.0 dram.0");
    machine_drain(&t);
    memory_describe(t.m, text, sizeof text);
    cr_expect_str_eq(text, "");
    machine_close(&t);
}

Test(memory_path, unloaded_latencies)
{
    machine_open(&t, (const char *[]){EQUAL_CLOCKS, NULL}, NULL);
    memory_tick(t.m);
    uint32_t miss = machine_send(&t, 3, REQUEST_READ, 77, 128);
    machine_until(&t, 1000);
    uint32_t hit = machine_send(&t, 4, REQUEST_READ, 77, 128);
    machine_drain(&t);
    cr_expect_eq(t.at[miss], 268);
    cr_expect_eq(t.at[hit], 1130);
    cr_expect_eq(t.s.xbar_request_flits, 2);
    cr_expect_eq(t.s.xbar_response_flits, 10);
    machine_close(&t);
}

Test(memory_path, packets_have_the_flits_of_what_they_carry)
{
    machine_open(&t, NULL, NULL);
    memory_tick(t.m);
    machine_send(&t, 0, REQUEST_WRITE, 1, 32);  /* 8 + 32 bytes: 2 flits there, 1 back */
    machine_send(&t, 1, REQUEST_WRITE, 2, 128); /* 5, 1 */
    machine_send(&t, 2, REQUEST_ATOMIC, 3, 32); /* 2, 2 */
    machine_send(&t, 3, REQUEST_READ, 4, 128);  /* 1, 5 */
    struct request bypassed = {.line = 5, .id = t.sent++, .kind = REQUEST_READ, .bytes = 64, .bypass = true};
    memory_send(t.m, 4, &bypassed); /* 1, 3 */
    machine_drain(&t);
    cr_expect_eq(t.s.xbar_request_flits, 2 + 5 + 2 + 1 + 1);
    cr_expect_eq(t.s.xbar_response_flits, 1 + 1 + 2 + 5 + 3);
    machine_close(&t);
}

Test(memory_path, a_packet_without_header_has_one_flit_at_least)
{
    machine_open(&t, (const char *[]){"xbar.header_bytes=0", NULL}, NULL);
    memory_tick(t.m);
    machine_send(&t, 0, REQUEST_WRITE, 1, 128); /* 4 flits there, an acknowledgement back */
    machine_send(&t, 1, REQUEST_READ, 2, 128);  /* 1 there, 4 back */
    machine_drain(&t);
    cr_expect_eq(t.s.xbar_request_flits, 4 + 1);
    cr_expect_eq(t.s.xbar_response_flits, 1 + 4);
    machine_close(&t);
}

/* Tick k of a clock belongs to SM cycle ceil((k + 1) f_sm / f) - 1, so SM cycles 0 to s hold floor((s + 1) f / f_sm).
 */
Test(memory_path, clocks_are_exact_over_long_sleeps)
{
    machine_open(&t, NULL, NULL);
    machine_until(&t, 123456789012);
    machine_close(&t);
    cr_expect_eq(t.s.dram_cycles, 8 * (123456789013ull * 2700 / 1137));
}

Test(memory_path, a_port_that_counts_flits_holds_the_longest_packet)
{
    static const char *const keys[] = {"xbar.input_flits", "xbar.output_flits"};
    for (int k = 0; k < 2; k++) {
        for (uint32_t flits = 4; flits <= 5; flits++) { /* a line and its header: five */
            struct error err = {""};
            struct config c;
            char option[64];
            config_default(&c);
            snprintf(option, sizeof option, "%s=%u", keys[k], flits);
            cr_assert(config_set(&c, option, &err), "%s", err.text);
            t.env = (struct env){.config = &c, .stats = &t.s};
            struct memory *m = memory_create(&t.env, &(struct memory_client){0}, &err);
            cr_expect_eq(m != NULL, flits == 5, "%s: %s", option, err.text);
            if (!m)
                cr_expect(!strncmp(err.text, keys[k], strlen(keys[k])) && strstr(err.text, "at least 5"), "%s",
                          err.text);
            memory_destroy(m);
        }
    }
}

Test(memory_path, a_full_port_says_when_it_has_room)
{
    machine_open(&t, (const char *[]){"xbar.input_queue=2", NULL}, NULL);
    memory_tick(t.m);
    machine_send(&t, 0, REQUEST_READ, 1, 128);
    machine_send(&t, 0, REQUEST_READ, 100, 128);
    cr_expect_not(machine_room_for_read(&t, 0));
    cr_expect(machine_room_for_read(&t, 1));
    machine_step(&t, 100);
    cr_expect(machine_room_for_read(&t, 0));
    cr_expect_eq(t.rooms, 1);
    machine_drain(&t);
    machine_close(&t);
}

static enum place places[64];
static uint32_t slices[64], channels[64];
static uint32_t place_count;

static void note(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t sm_cycle)
{
    (void)context, (void)unit, (void)sm_cycle;
    if (r->id == 0) places[place_count++] = place;
}

Test(memory_path, a_request_can_be_followed)
{
    const struct observer observer = {.trace_requests = 1, .request_at = note};
    const enum place expected[] = {AT_XBAR_IN,    AT_L2_IN,     AT_L2_MISS, AT_DRAM_QUEUE,
                                   AT_DRAM_ISSUE, AT_DRAM_DONE, AT_L2_FILL, AT_XBAR_BACK};
    machine_open(&t, NULL, &observer);
    machine_send(&t, 0, REQUEST_READ, 1, 128);
    machine_send(&t, 1, REQUEST_READ, 1, 128);
    machine_drain(&t);
    cr_expect_eq(place_count, sizeof expected / sizeof *expected);
    cr_expect_arr_eq(places, expected, sizeof expected);
    machine_close(&t);
}

static uint64_t queued[64]; /* SM cycle in which a request comes to its channel */
static uint32_t arrivals[64], arrival_count;

static void note_arrival(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t sm_cycle)
{
    (void)context, (void)unit;
    if (place != AT_DRAM_QUEUE) return;
    queued[r->id] = sm_cycle;
    arrivals[arrival_count++] = r->id;
}

/* Twelve misses at once, every second one of the same slice; `clock` of DRAM, where the others have 1000 MHz. */
static void miss_in_two_slices(const char *clock, const char *intake, const char *latency_at)
{
    const struct observer observer = {.trace_requests = 64, .request_at = note_arrival};
    machine_open(&t,
                 (const char *[]){EQUAL_CLOCKS, clock, intake, latency_at, "partition.count=1", "partition.slices=2",
                                  "partition.slice_interleave=128", NULL},
                 &observer);
    arrival_count = 0;
    for (uint32_t n = 0; n < 12; n++) machine_send(&t, n, REQUEST_READ, n, 128);
    machine_drain(&t);
    cr_assert_eq(arrival_count, 12);
    machine_close(&t);
}

/* With dram.intake = channel request n comes n DRAM clocks after the first, from the slices in turn. */
Test(memory_path, a_channel_may_take_one_request_a_clock)
{
    static const char *const places_of_latency[] = {"dram.latency_at=behind", "dram.latency_at=front"};
    for (uint32_t k = 0; k < 2; k++) {
        miss_in_two_slices("clock.dram=1000", "dram.intake=slices", places_of_latency[k]);
        for (uint32_t n = 0; n < 12; n++) cr_expect_eq(queued[n], queued[0] + n / 2, "%u: request %u", k, n);
        miss_in_two_slices("clock.dram=1000", "dram.intake=channel", places_of_latency[k]);
        for (uint32_t n = 0; n < 12; n++) cr_expect_eq(queued[arrivals[n]], queued[arrivals[0]] + n, "%u: %u", k, n);
        for (uint32_t n = 1; n < 12; n++) cr_expect_neq(arrivals[n] % 2, arrivals[n - 1] % 2, "%u: %u", k, n);
        miss_in_two_slices("clock.dram=500", "dram.intake=channel", places_of_latency[k]);
        for (uint32_t n = 0; n < 12; n++)
            cr_expect_eq(queued[arrivals[n]], queued[arrivals[0]] + 2 * n, "%u: slow channel, %u", k, n);
        miss_in_two_slices("clock.dram=2000", "dram.intake=channel", places_of_latency[k]);
        for (uint32_t n = 0; n < 12; n++) cr_expect_eq(queued[n], queued[0] + n / 2, "%u: fast channel, %u", k, n);
    }
}

static void note_slice(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t sm_cycle)
{
    (void)context, (void)sm_cycle;
    if (place == AT_L2_IN) slices[r->id] = unit;
    if (place == AT_DRAM_QUEUE) channels[r->id] = unit;
}

/* Units of two lines: lines 1, 0 and 1 again go to slice 0, line 2 to slice 1. */
Test(memory_path, the_busiest_slice_is_counted)
{
    static const uint64_t lines[] = {2, 1, 0, 1};
    machine_open(&t, (const char *[]){"partition.count=2", NULL}, NULL);
    for (int i = 0; i < 4; i++) machine_send(&t, 0, REQUEST_READ, lines[i], 128);
    machine_drain(&t);
    cr_expect_eq(t.s.l2_accesses, 4);
    cr_expect_eq(t.s.l2_busiest, 3);
    machine_close(&t);
}

/* Two channels of two slices, units of two lines.  Reads of lines 0 to 27. */
static void read_lines(const char *map_of, const char *slice_interleave)
{
    const struct observer observer = {.trace_requests = 64, .request_at = note_slice};
    machine_open(&t,
                 (const char *[]){"partition.count=2", "partition.slices=2", "partition.interleave=256",
                                  "partition.map=ipoly", map_of, slice_interleave, NULL},
                 &observer);
    for (uint32_t n = 0; n < 28; n++) machine_send(&t, n, REQUEST_READ, n, 128);
    machine_drain(&t);
    for (uint32_t n = 0; n < 28; n++) cr_expect_eq(channels[n], slices[n] / 2, "line %u", n);
    machine_close(&t);
}

/* The remainder of a number by the polynomial of two partitions or four slices: 3 (x + 1) or 7. */
static uint32_t remainder_of(uint32_t n, uint32_t bits)
{
    const uint32_t polynomial = bits == 1 ? 3 : 7;
    for (uint32_t bit = 31; bit >= bits; bit--)
        if (n >> bit & 1) n ^= polynomial << (bit - bits);
    return n;
}

/* A unit has its channel by the map.  The units of a channel, or its lines, go to its slices in turn. */
Test(memory_path, the_units_of_a_channel_go_to_its_slices_in_turn)
{
    read_lines("partition.map_of=partitions", "partition.slice_interleave=0");
    for (uint32_t n = 0; n < 28; n++)
        cr_expect_eq(slices[n], remainder_of(n / 2, 1) * 2 + n / 4 % 2, "unit: line %u", n);
    read_lines("partition.map_of=partitions", "partition.slice_interleave=128");
    for (uint32_t n = 0; n < 28; n++) cr_expect_eq(slices[n], remainder_of(n / 2, 1) * 2 + n % 2, "line %u", n);
    read_lines("partition.map_of=partitions", "partition.slice_interleave=512");
    for (uint32_t n = 0; n < 28; n++)
        cr_expect_eq(slices[n], remainder_of(n / 2, 1) * 2 + n / 8 % 2, "two units: line %u", n);
}

/* The number of a slice is mapped with the bits of the unit above those of channel and slice. */
Test(memory_path, a_map_of_all_slices)
{
    read_lines("partition.map_of=slices", "partition.slice_interleave=0");
    for (uint32_t n = 0; n < 28; n++)
        cr_expect_eq(slices[n], remainder_of(n / 8 * 4 + n / 2 % 2 * 2 + n / 4 % 2, 2), "unit: line %u", n);
    read_lines("partition.map_of=slices", "partition.slice_interleave=128");
    for (uint32_t n = 0; n < 28; n++)
        cr_expect_eq(slices[n], remainder_of(n / 8 * 4 + n / 2 % 2 * 2 + n % 2, 2), "line %u", n);
}

/* Lines that the L2 can hold, read twice: each is fetched once with every map, so no two share a tag. */
Test(memory_path, every_line_has_a_place_of_its_own)
{
    static const char *const maps[][4] = {
        {"partition.map=modulo"},
        {"partition.map=xor"},
        {"partition.map=prime"},
        {"partition.map=ipoly"},
        {"partition.map=a_prime"},
        {"partition.map=d_prime"},
        {"partition.slices=2"},
        {"partition.slices=2", "partition.slice_interleave=128"},
        {"partition.slices=2", "partition.slice_interleave=1024"},
        {"partition.slices=2", "partition.map=ipoly", "partition.map_of=slices"},
        {"partition.slices=4", "partition.map=xor", "partition.map_of=slices", "partition.slice_interleave=128"},
        {"partition.count=80", "partition.slices=2", "partition.map=rotated", "partition.slice_interleave=128"},
        {"partition.count=127", "partition.map=modulo"},
        {"partition.count=128", "partition.slices=4", "partition.map=ipoly", "partition.map_of=slices"}};
    for (uint32_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        const char *list[6] = {"l2.index=bmod"};
        memcpy(list + 1, maps[i], sizeof maps[i]);
        machine_open(&t, list, NULL);
        for (uint32_t n = 0; n < 4096; n++) {
            while (!machine_room_for_read(&t, n % 28)) machine_step(&t, NEVER);
            if (n == 2048) machine_drain(&t);
            machine_send(&t, n % 28, REQUEST_READ, n % 2048, 128);
        }
        machine_drain(&t);
        cr_expect(t.s.l2_misses == 2048 && t.s.l2_hits == 2048, "%u: %llu misses, %llu hits", i,
                  (unsigned long long)t.s.l2_misses, (unsigned long long)t.s.l2_hits);
        machine_close(&t);
    }
}

/* DRAM reads of a read of 32 bytes, the third quarter of line `read`, behind a write of `bytes` bytes of `line` from
 * `sector` on.  The channels have two lines in turn. */
static uint64_t reads_behind_a_write(const char *upper_half, uint64_t line, uint8_t sector, uint8_t bytes,
                                     uint64_t read)
{
    machine_open(&t,
                 (const char *[]){upper_half, "partition.count=2", "partition.interleave=256", "l2.sector_bytes=32",
                                  "l2.write_miss=lazy", NULL},
                 NULL);
    memory_send(t.m, 0,
                &(struct request){.line = line,
                                  .id = t.sent++,
                                  .kind = REQUEST_WRITE,
                                  .bytes = bytes,
                                  .sector = sector,
                                  .written = (uint32_t)((1ull << bytes / WORD_BYTES) - 1)
                                             << sector * (SECTOR_BYTES / WORD_BYTES)});
    machine_drain(&t);
    memory_send(
        t.m, 1,
        &(struct request){.line = read, .id = t.sent++, .kind = REQUEST_READ, .bytes = SECTOR_BYTES, .sector = 2});
    machine_drain(&t);
    const uint64_t reads = t.s.dram_reads;
    machine_close(&t);
    return reads;
}

/* A block that was written is not read from DRAM. */
Test(memory_path, the_upper_half_of_a_line_may_become_that_of_the_next)
{
    const char *own = "l2.upper_half=own", *next = "l2.upper_half=next";
    cr_expect_eq(reads_behind_a_write(own, 4, 2, 64, 4), 0);
    cr_expect_eq(reads_behind_a_write(own, 4, 2, 64, 5), 1);
    cr_expect_eq(reads_behind_a_write(next, 4, 2, 64, 4), 1);
    cr_expect_eq(reads_behind_a_write(next, 4, 2, 64, 5), 0);
    cr_expect_eq(reads_behind_a_write(own, 5, 2, 64, 5), 0);
    cr_expect_eq(reads_behind_a_write(next, 5, 2, 64, 5), 1);
    cr_expect_eq(reads_behind_a_write(next, 5, 2, 64, 6), 1, "line 6 is of the other channel");
    cr_expect_eq(reads_behind_a_write(next, 5, 2, 64, 4), 1, "line 4 has the number of line 6 in its channel");
    cr_expect_eq(reads_behind_a_write(next, 4, 0, 128, 4), 0, "a whole line");
    cr_expect_eq(reads_behind_a_write(next, 4, 2, 32, 4), 0, "a quarter");
    cr_expect_eq(reads_behind_a_write(next, 4, 0, 64, 5), 1, "the lower half");
}

/* A line of another slice passes the MSHR file, too. */
Test(memory_path, the_half_of_a_foreign_line_is_fetched)
{
    static const char *const files[] = {"l2.mshr.kind=mshr", "l2.mshr.kind=dl_mshr"};
    for (uint32_t k = 0; k < 2; k++) {
        machine_open(&t,
                     (const char *[]){"l2.upper_half=next", files[k], "partition.count=2", "partition.interleave=256",
                                      "l2.sector_bytes=32", NULL},
                     NULL);
        memory_send(t.m, 0,
                    &(struct request){.line = 5, .id = t.sent++, .kind = REQUEST_WRITE, .bytes = 64, .sector = 2});
        machine_drain(&t);
        cr_expect_eq(t.s.dram_reads, 2);
        machine_close(&t);
    }
}

/* The same random traffic for every machine with the same seed: streams, a hot set and far addresses, with pauses. */
static void random_traffic(struct machine *m, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    memory_tick(m->m);
    for (uint64_t stream = 0; m->sent < MACHINE_REQUESTS;) {
        machine_until(m, m->env.sm_cycle + 1 + rng_below(&rng, rng_below(&rng, 100) ? 4 : 4000));
        for (uint64_t n = rng_below(&rng, 40); n && m->sent < MACHINE_REQUESTS; n--) {
            uint32_t sm = (uint32_t)rng_below(&rng, m->c.sm_count), where = (uint32_t)rng_below(&rng, 4);
            uint64_t line = where == 0   ? stream++
                            : where == 1 ? rng_below(&rng, 8)
                                         : (1 << 16) + rng_below(&rng, where == 2 ? 4096 : 1 << 21);
            uint32_t kind = (uint32_t)rng_below(&rng, 8);
            enum request_kind k = kind == 0 ? REQUEST_ATOMIC : kind < 3 ? REQUEST_WRITE : REQUEST_READ;
            const struct request r = {.kind = (uint8_t)k, .bytes = (uint8_t)(32u << rng_below(&rng, 3))};
            if (memory_room(m->m, sm, &r)) machine_send(m, sm, k, line, r.bytes);
        }
    }
    machine_drain(m);
}

static const char *const configs[][10] = {
    {NULL},
    {"l2.mshr.kind=dl_mshr", NULL},
    {"l2.mshr.kind=dl_mshr", "l2.dl_mshr.sets=4", "l2.dl_mshr.reserved=2", "l2.dl_mshr.tail_ptr=false", NULL},
    {"l2.alloc=on_fill", "l2.mshr.entries=4", "l2.mshr.slots=2", NULL},
    {"l2.sets=2", "l2.ways=2", "dram.queue=2", "l2.miss_queue=2", "l2.input_queue=1", NULL},
    {"l2.sets=1", "l2.ways=1", "l2.alloc=on_fill", "l2.mshr.kind=dl_mshr", NULL},
    {"clock.sm=700", "clock.xbar=1300", "clock.l2=333", "clock.dram=924", "partition.map=xor", NULL},
    {"clock.sm=1400", "clock.xbar=650", "clock.l2=1401", "clock.dram=500", "dram.refresh=true", NULL},
    {"partition.count=16", "partition.map=prime", "sm.count=80", "xbar.output_queue=1", "xbar.latency=1", NULL},
    {"partition.count=1", "sm.count=2", "l2.response_queue=1", "l2.latency=1", "dram.scheduler=fcfs", NULL},
    {"xbar.header_bytes=0", "xbar.latency=1", NULL},
    {"l2.miss_queue=1", "l2.sets=2", "l2.ways=2", "dram.queue=1", NULL},
    {"l2.miss_queue=1", "l2.sets=2", "l2.ways=4", "l2.mshr.kind=dl_mshr", "l2.input=cart", NULL},
    {"xbar.input_flits=9", "xbar.output_flits=24", "xbar.arbiter=fixed", "xbar.alloc_cycles=3", "xbar.speedup=2",
     "xbar.latency=200", NULL},
    {"l2.write_miss=fetch_partial", "l2.sets=2", "l2.ways=2", NULL},
    {"partition.slices=2", "partition.interleave=512", "dram.queue=2", NULL},
    {"dram.refresh=true", "dram.t.refi=300", "dram.t.rfc=1", "dram.t.ccdl=200", NULL},
    {"partition.count=5", "partition.slices=4", "clock.l2=1300", "l2.sets=2", NULL},
    {"partition.count=65", "partition.slices=4", "sm.count=132", "l2.sets=2", "l2.ways=2", "clock.l2=1300", NULL},
    {"partition.count=80", "partition.slices=2", "partition.map=rotated", "l2.rop_latency=120", "l2.sets=2",
     "l2.ways=2", "l2.input_queue=1", NULL},
    {"partition.count=128", "partition.slices=4", "partition.map=ipoly", "partition.map_of=slices", "l2.sets=1",
     "l2.ways=2", "xbar.output_queue=1", "l2.rop_latency=90", "clock.l2=700", NULL},
    {"l2.write_miss=through", "l2.sets=2", "l2.ways=2", NULL},
    {"l2.write_miss=through", "l2.mshr.kind=dl_mshr", "l2.miss_queue=3", "l2.response_queue=1", "dram.queue=2", NULL},
    {"l2.rop_latency=120", "l2.input_queue=1", "dram.latency_at=front", "dram.front_queue=2", "l2.write_miss=through",
     NULL},
    {"partition.slices=4", "dram.intake=channel", "clock.dram=400", "clock.l2=333", "l2.sets=2", NULL},
    {"partition.slices=2", "dram.intake=channel", "l2.rop_latency=120", "dram.latency_at=front", "dram.front_queue=2",
     "clock.sm=1500", "clock.l2=700", "dram.queue=2", NULL},
};

#define CONFIGS (sizeof configs / sizeof *configs)

Test(memory_path, sleeping_changes_no_counter_and_no_response)
{
    for (uint32_t i = 0; i < CONFIGS; i++) {
        machine_sleeps_as_ticked(&t, &other, configs[i], i, random_traffic);
        cr_expect(t.s.l2_hits && t.s.l2_misses && t.s.l2_merged && t.s.l2_writebacks);
    }
}

/* Requests of one SM to one line go through one port, one slice and one set of slots: they stay in order.  A write that
 * goes through is acknowledged by DRAM, in its own time. */
Test(memory_path, an_sms_requests_to_a_line_stay_in_order)
{
    for (uint32_t i = 0; i < CONFIGS; i++) {
        machine_open(&t, configs[i], NULL);
        t.c.sm_count = 1;
        random_traffic(&t, 50 + i);
        const bool apart = t.c.l2_write_miss == WRITE_MISS_THROUGH;
        uint32_t *last = calloc((1 << 16) + (1 << 21), sizeof *last);
        cr_assert(last);
        for (uint32_t n = 0; n < MACHINE_REQUESTS; n++) {
            uint32_t r = t.order[n];
            if (apart && t.kind[r] == REQUEST_WRITE) continue;
            cr_assert(last[t.line[r]] <= r, "seed %u: request %u overtook %u", 50 + i, last[t.line[r]], r);
            last[t.line[r]] = r;
        }
        free(last);
        machine_close(&t);
    }
}

/* Every law, broken by hand, is named with both numbers. */
struct broken {
    uint64_t *counter;
    const char *law;
};

static void check_broken(const struct broken *b, bool cut)
{
    struct error err = {0};
    machine_open(&t, NULL, NULL);
    machine_send(&t, 0, REQUEST_READ, 1, 128);
    machine_drain(&t);
    t.env.cut = cut;
    *b->counter += 1;
    cr_expect_not(memory_finish(t.m, &err), "%s", b->law);
    cr_expect(strstr(err.text, b->law), "%s", err.text);
    memory_destroy(t.m);
}

/* Of a run that ends with requests in flight. */
Test(memory_path, a_broken_law_of_a_cut_run_is_named)
{
    const struct broken broken[] = {
        {&t.s.xbar_responses, "xbar.responses <= l2.accesses"},
        {&t.s.l2_accesses, "l2.accesses <= xbar.requests + l2.split"},
        {&t.s.l2_hits, "l2.accesses = l2.hits + l2.misses + l2.merged + l2.bypassed"},
        {&t.s.l2_atomics, "l2.accesses = l2.reads + l2.writes + l2.atomics"},
        {&t.s.l2_fills, "l2.fills <= dram.reads"},
        {&t.s.dram_reads, "dram.reads <= l2.misses + l2.bypassed - l2.bypassed_writes"},
        {&t.s.dram_writes, "dram.writes <= l2.writebacks + l2.written_through + l2.bypassed_writes"},
        {&t.s.dram_bytes, "dram.bytes <= dram.reads * (128, or l2.sector_bytes) + l2.written_bytes"},
    };
    for (uint32_t i = 0; i < sizeof broken / sizeof *broken; i++) check_broken(&broken[i], true);
}

Test(memory_path, a_broken_law_is_named)
{
    const struct broken broken[] = {
        {&t.s.xbar_responses, "xbar.responses = l2.accesses"},
        {&t.s.l2_accesses, "l2.accesses = xbar.requests + l2.split"},
        {&t.s.l2_split, "l2.accesses = xbar.requests + l2.split"},
        {&t.s.l2_hits, "l2.accesses = l2.hits + l2.misses + l2.merged + l2.bypassed"},
        {&t.s.l2_atomics, "l2.accesses = l2.reads + l2.writes + l2.atomics"},
        {&t.s.l2_fills, "l2.fills = l2.misses - l2.unfetched"},
        {&t.s.dram_reads, "dram.reads = l2.fills + l2.bypassed - l2.bypassed_writes"},
        {&t.s.l2_writebacks, "dram.writes = l2.writebacks + l2.written_through + l2.bypassed_writes"},
        {&t.s.dram_bytes, "dram.bytes = dram.reads * (128, or l2.sector_bytes) + l2.written_bytes"},
        {&t.s.l2_written_bytes, "dram.bytes = dram.reads * (128, or l2.sector_bytes) + l2.written_bytes"},
        {&t.s.l1d_atomics, "l1d.atomics <= l2.atomics"},
        {&t.s.dram_row_hits, "dram.row_hits + dram.row_misses = dram.reads + dram.writes"},
    };
    for (uint32_t i = 0; i < sizeof broken / sizeof *broken; i++) check_broken(&broken[i], false);
}

/* DRAM acknowledges the write before it has read the line. */
Test(memory_path, a_slice_may_work_on_when_all_requests_are_answered)
{
    machine_open(&t, (const char *[]){"l2.write_miss=through", "l2.latency=1", "xbar.latency=1", NULL}, NULL);
    memory_tick(t.m);
    machine_send(&t, 0, REQUEST_WRITE, 0, 32); /* slice 0 */
    while (!t.responses) machine_step(&t, NEVER);
    cr_expect_not(memory_empty(t.m));
    while (!memory_empty(t.m)) machine_step(&t, NEVER);
    cr_expect_eq(t.s.l2_fills, 1);
    machine_close(&t);
}

/* Leaves one dirty line in each slice.  The machine counts the lines of all slices at the end. */
Test(memory_path, every_slice_is_asked_at_the_end)
{
    machine_open(&t, (const char *[]){"partition.slices=2", NULL}, NULL);
    memory_tick(t.m);
    for (uint32_t unit = 0; unit < 16; unit++) machine_send(&t, unit, REQUEST_WRITE, 2 * unit, 128);
    machine_drain(&t);
    machine_close(&t);
    cr_expect_eq(t.s.l2_dirty_at_end, 16);
}

Test(memory_path, what_is_still_on_its_way_is_an_error)
{
    for (uint64_t cycle = 1; cycle < 220; cycle += 8) {
        struct error err = {0};
        machine_open(&t, NULL, NULL);
        machine_send(&t, 0, REQUEST_READ, 1, 128);
        machine_until(&t, cycle);
        cr_expect_not(memory_empty(t.m));
        cr_expect_not(memory_finish(t.m, &err), "cycle %llu", (unsigned long long)cycle);
        cr_expect(err.text[0]);
        memory_destroy(t.m);
    }
}

/* The answer to the read overtakes the victim on its way to DRAM. */
Test(memory_path, is_not_empty_before_the_last_victim_is_written)
{
    machine_open(&t,
                 (const char *[]){EQUAL_CLOCKS, "l2.sets=1", "l2.ways=1", "l2.latency=1", "xbar.latency=1",
                                  "dram.extra_latency=0", "dram.t.wl=200", "partition.count=1", NULL},
                 NULL);
    memory_tick(t.m);
    machine_send(&t, 0, REQUEST_WRITE, 1, 128);
    machine_until(&t, 1000);
    machine_send(&t, 0, REQUEST_READ, 3, 128); /* of the same row */
    machine_drain(&t);
    cr_expect_eq(t.s.dram_writes, 1);
    cr_expect_gt(t.env.sm_cycle, t.at[1], "the victim came before the answer");
    machine_close(&t);
}
