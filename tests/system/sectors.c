/* SPDX-License-Identifier: Apache-2.0 */
/* Sectors of lines, writes that fetch nothing, and the data port of the L2.  Latencies of the slice: l2_slice.c. */
#include "base/rng.h"
#include "machine.h"
#include "slice.h"
#include "system/bench.h"
#include "system/named.h"

#define MISS_AT 68

static struct slice b;
static struct machine t;

#define SECTORED "l2.sector_bytes=32"

Test(sectors, a_miss_fetches_its_sector_only)
{
    slice_open(&b, (const char *[]){SECTORED, NULL});
    const uint32_t first = slice_push_sector(&b, REQUEST_READ, 5, 1, 0);
    slice_until(&b, 200);
    slice_push_sector(&b, REQUEST_READ, 5, 2, 0);
    slice_until(&b, 400);
    const uint32_t hit = slice_push_sector(&b, REQUEST_READ, 5, 1, 0);
    slice_drain(&b);
    cr_expect_eq(b.at[first], MISS_AT - 9, "one column, not four CCDL 3 apart");
    cr_expect_eq(b.at[hit], 410);
    cr_expect(b.s.l2_misses == 2 && b.s.l2_sector_misses == 1 && b.s.l2_hits == 1 && b.s.l2_evictions == 0);
    cr_expect(b.s.dram_reads == 2 && b.s.dram_bytes == 64 && b.s.l2_fills == 2 && b.s.l2_split == 0);
    slice_close(&b);
}

/* Four sectors and one of them twice, of a file of three entries: the fourth waits for an entry. */
static void expect_entries_by_sector(const char *kind)
{
    slice_open(&b, (const char *[]){SECTORED, kind, "l2.mshr.entries=3", "l2.dl_mshr.sets=3", "l2.dl_mshr.slots=2",
                                    "l2.dl_mshr.reserved=0", NULL});
    for (uint8_t n = 0; n < 4; n++) slice_push_sector(&b, REQUEST_READ, 5, n, 0);
    slice_until(&b, 30);
    cr_expect_eq(b.s.l2_misses, 3, "%s", kind);
    cr_expect_gt(b.s.l2_rf_mshr_entry, 0, "%s", kind);
    slice_drain(&b);
    cr_expect(b.s.l2_misses == 4 && b.s.l2_sector_misses == 3 && b.s.l2_merged == 0, "%s", kind);
    slice_close(&b);
    slice_open(&b, (const char *[]){SECTORED, kind, NULL});
    for (uint8_t n = 0; n < 4; n++) slice_push_sector(&b, REQUEST_READ, 5, n % 2, 0);
    slice_drain(&b);
    cr_expect(b.s.l2_misses == 2 && b.s.l2_merged == 2 && b.s.dram_reads == 2, "%s", kind);
    slice_close(&b);
}

Test(sectors, a_miss_file_waits_for_sectors)
{
    expect_entries_by_sector("l2.mshr.kind=mshr");
    expect_entries_by_sector("l2.mshr.kind=dl_mshr");
}

/* The sector of another line that a slot holds is still reserved while its line's first sector is valid. */
Test(sectors, a_line_with_a_sector_on_its_way_is_not_evicted)
{
    slice_open(&b, (const char *[]){SECTORED, "l2.sets=1", "l2.ways=1", NULL});
    slice_push_sector(&b, REQUEST_READ, 5, 0, 0);
    slice_until(&b, 200);
    slice_push_sector(&b, REQUEST_READ, 5, 1, 0);
    const uint32_t other = slice_push_sector(&b, REQUEST_READ, 6, 0, 0);
    slice_until(&b, 230);
    cr_expect_gt(b.s.l2_rf_line, 0);
    slice_drain(&b);
    cr_expect_gt(b.at[other], 200 + MISS_AT);
    cr_expect(b.s.l2_evictions == 1 && b.s.l2_writebacks == 0 && b.s.dram_reads == 3);
    slice_close(&b);
}

/* Sectors 0 and 3 of line 5 are dirty, 1 is clean. */
Test(sectors, dirty_sectors_of_a_victim_are_one_write)
{
    slice_open(&b, (const char *[]){SECTORED, "l2.sets=1", "l2.ways=1", NULL});
    slice_push_sector(&b, REQUEST_WRITE, 5, 0, 0);
    slice_push_sector(&b, REQUEST_READ, 5, 1, 0);
    slice_push_sector(&b, REQUEST_ATOMIC, 5, 3, 0);
    slice_until(&b, 300);
    slice_push_sector(&b, REQUEST_READ, 6, 0, 0);
    slice_drain(&b);
    cr_expect(b.s.l2_writebacks == 1 && b.s.l2_written_bytes == 64 && b.s.dram_writes == 1 && b.s.l2_evictions == 1);
    cr_expect_eq(b.s.dram_bytes, 4 * 32 + 64);
    slice_close(&b);
}

Test(sectors, a_write_of_a_whole_sector_may_fetch_nothing)
{
    slice_open(&b, (const char *[]){SECTORED, "l2.write_miss=fetch_partial", NULL});
    const uint32_t whole = slice_push_sector(&b, REQUEST_WRITE, 5, 1, 0xff);
    const uint32_t part = slice_push_sector(&b, REQUEST_WRITE, 5, 2, 0x7f);
    const uint32_t other = slice_push_sector(&b, REQUEST_WRITE, 5, 3, 0xff);
    slice_drain(&b);
    cr_expect(b.at[whole] == 10 && b.at[part] > 50 && b.at[other] == 12);
    cr_expect(b.s.l2_unfetched == 2 && b.s.l2_misses == 3 && b.s.l2_sector_misses == 2 && b.s.dram_reads == 1);
    cr_expect_eq(b.s.l2_dirty_at_end, 3);
    slice_close(&b);
}

Test(sectors, a_write_goes_through_by_sector)
{
    slice_open(&b, (const char *[]){SECTORED, "l2.write_miss=through", NULL});
    slice_push_sector(&b, REQUEST_WRITE, 5, 1, 0xff);
    slice_drain(&b);
    cr_expect(b.s.l2_written_bytes == 32 && b.s.dram_writes == 1 && b.s.dram_bytes == 64 && b.s.l2_dirty_at_end == 0);
    slice_close(&b);
}

/* The last word completes the sector or line that the first write began. */
static void expect_lazy(const char *sectors, uint32_t rest, uint32_t bytes)
{
    const char *const options[] = {"l2.write_miss=lazy", sectors, "l2.sets=1", "l2.ways=1", NULL};
    slice_open(&b, options);
    const uint32_t write = slice_push_sector(&b, REQUEST_WRITE, 5, 0, 0x7f);
    slice_until(&b, 50);
    cr_expect_eq(b.at[write], 10);
    const uint32_t read = slice_push_sector(&b, REQUEST_READ, 5, 0, 0);
    slice_until(&b, 300);
    cr_expect(b.at[read] > 50 + 40 && b.s.dram_reads == 1, "it needs bytes that were not written");
    const uint32_t hit = slice_push_sector(&b, REQUEST_READ, 5, 0, 0);
    slice_until(&b, 400);
    cr_expect_eq(b.at[hit], 310);
    slice_push_sector(&b, REQUEST_READ, 6, 0, 0); /* evicts line 5 */
    slice_drain(&b);
    cr_expect(b.s.l2_writebacks == 1 && b.s.l2_written_bytes == bytes, "what was written stays dirty");
    cr_expect(b.s.l2_unfetched == 1 && b.s.l2_sector_misses == 1 && b.s.l2_misses == 3 && b.s.l2_fills == 2);
    slice_close(&b);

    slice_open(&b, options);
    slice_push_sector(&b, REQUEST_WRITE, 5, 0, 0x7f);
    const uint32_t second =
        slice_push_request(&b, (struct request){.line = 5, .kind = REQUEST_WRITE, .bytes = 32, .written = rest});
    const uint32_t whole = slice_push_sector(&b, REQUEST_READ, 5, 0, 0);
    slice_drain(&b);
    cr_expect(b.at[second] == 11 && b.at[whole] == 12);
    cr_expect(b.s.l2_hits == 2 && b.s.l2_misses == 1 && b.s.dram_reads == 0 && b.s.l2_dirty_at_end == 1);
    slice_close(&b);
}

Test(sectors, a_lazy_write_fetches_when_a_read_needs_more)
{
    expect_lazy(SECTORED, 0x80, 32);
    expect_lazy("l2.sector_bytes=0", 0xffffff80, 128);
}

/* An atomic needs the bytes, too.  A write to a block on its way is acknowledged at once, and the block comes dirty. */
Test(sectors, a_lazy_write_waits_for_nothing)
{
    slice_open(&b, (const char *[]){SECTORED, "l2.write_miss=lazy", NULL});
    slice_push_sector(&b, REQUEST_READ, 5, 0, 0);
    const uint32_t write = slice_push_sector(&b, REQUEST_WRITE, 5, 0, 1);
    slice_until(&b, 200);
    cr_expect_eq(b.at[write], 11);
    cr_expect(b.s.l2_merged == 1 && b.s.l2_misses == 1);
    slice_push_sector(&b, REQUEST_WRITE, 6, 0, 1);
    slice_push_sector(&b, REQUEST_ATOMIC, 6, 0, 0);
    slice_drain(&b);
    cr_expect(b.s.dram_reads == 2 && b.s.l2_fills == 2 && b.s.l2_sector_misses == 1 && b.s.l2_dirty_at_end == 2);
    slice_close(&b);
}

/* The write uses line 1 after line 2, so line 3 evicts 2. */
Test(sectors, a_lazy_write_to_a_block_on_its_way_makes_its_line_the_youngest)
{
    slice_open(&b, (const char *[]){SECTORED, "l2.write_miss=lazy", "l2.sets=1", "l2.ways=2", NULL});
    slice_push_sector(&b, REQUEST_READ, 1, 0, 0);
    slice_push_sector(&b, REQUEST_READ, 2, 0, 0);
    slice_push_sector(&b, REQUEST_WRITE, 1, 0, 1);
    slice_until(&b, 200);
    slice_push_sector(&b, REQUEST_READ, 3, 0, 0);
    slice_until(&b, 400);
    slice_push_sector(&b, REQUEST_READ, 1, 0, 0);
    slice_drain(&b);
    cr_expect(b.s.l2_hits == 1 && b.s.l2_writebacks == 0 && b.s.l2_evictions == 1);
    slice_close(&b);
}

/* A line takes the port four cycles, a sector one.  The second line's data comes 12 clocks behind the first's. */
Test(sectors, the_port_of_a_slice_is_held_by_hits_and_fills)
{
    slice_open(&b, (const char *[]){"l2.port_bytes=32", NULL});
    slice_push(&b, REQUEST_READ, 5);
    slice_until(&b, 200);
    const uint32_t line = slice_push(&b, REQUEST_READ, 5), sector = slice_push_sector(&b, REQUEST_READ, 5, 0, 0);
    const uint32_t last = slice_push(&b, REQUEST_READ, 5);
    slice_drain(&b);
    cr_expect(b.at[line] == 210 && b.at[sector] == 214 && b.at[last] == 215);
    slice_close(&b);
    slice_open(&b, (const char *[]){"l2.port_bytes=4", NULL});
    const uint32_t first = slice_push(&b, REQUEST_READ, 0), second = slice_push(&b, REQUEST_READ, 2);
    slice_drain(&b);
    cr_expect_eq(b.at[first], MISS_AT);
    cr_expect_eq(b.at[second], MISS_AT + 32);
    slice_close(&b);
}

/* The four sectors of a read are accesses of their own, and packets of two flits; the sender gets one response.  Those
 * of a store of 64 bytes are its third and fourth. */
Test(sectors, a_slice_splits_a_request_and_the_sender_gets_one_response)
{
    machine_open(&t, (const char *[]){SECTORED, NULL}, NULL);
    memory_tick(t.m);
    machine_send(&t, 0, REQUEST_READ, 5, 128);
    machine_drain(&t);
    cr_expect(t.responses == 1 && t.s.l2_accesses == 4 && t.s.l2_split == 3 && t.s.l2_misses == 4);
    cr_expect(t.s.xbar_requests == 1 && t.s.xbar_responses == 4 && t.s.xbar_response_flits == 8);
    const struct request store = {
        .line = 5, .id = t.sent++, .kind = REQUEST_WRITE, .bytes = 64, .sector = 2, .written = 0xffff0000};
    memory_send(t.m, 1,
                &(struct request){.line = store.line,
                                  .id = store.id,
                                  .sm = 1,
                                  .kind = store.kind,
                                  .bytes = store.bytes,
                                  .sector = store.sector,
                                  .written = store.written});
    machine_drain(&t);
    cr_expect(t.responses == 2 && t.s.l2_split == 4 && t.s.l2_hits == 2 && t.s.l2_writes == 2);
    memory_send(t.m, 2,
                &(struct request){.line = 6, .id = t.sent++, .sm = 2, .kind = REQUEST_READ, .bytes = 64, .sector = 2});
    machine_drain(&t);
    memory_send(t.m, 3,
                &(struct request){.line = 6, .id = t.sent++, .sm = 3, .kind = REQUEST_READ, .bytes = 32, .sector = 3});
    machine_drain(&t);
    cr_expect_eq(t.s.l2_hits, 3, "the second half of the line is sectors 2 and 3");
    cr_expect(memory_drop(t.m, 5), "two sectors are dirty");
    cr_expect(t.s.l2_dropped == 4 && t.s.l2_dropped_dirty == 2);
    machine_close(&t);
    cr_expect_eq(t.s.l2_dirty_at_end, 0);
}

/* A slice takes a request only with room for four: one read at a time. */
Test(sectors, the_input_queue_holds_all_sectors_of_a_request)
{
    slice_open(&b, (const char *[]){SECTORED, "l2.input_queue=4", NULL});
    cr_assert(l2_room(b.l2));
    slice_push_sector(&b, REQUEST_READ, 5, 0, 0);
    cr_expect_not(l2_room(b.l2));
    slice_until(&b, 1);
    cr_expect(l2_room(b.l2));
    slice_drain(&b);
    slice_close(&b);
}

static struct inst line_twice(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 3) return inst_exit();
    struct inst i = inst_memory(n == 1 ? INST_STORE : INST_LOAD, n == 1 ? INST_NO_REG : 1, 0x1000, 4, 4);
    i.src[0] = n ? 1 : INST_NO_REG;
    if (n == 1) i.mask = 0xff00; /* sector 1 */
    return i;
}

/* A line is read by four accesses, one of its sectors is written, which evicts it, and the line is read again. */
Test(sectors, an_l1d_fetches_and_evicts_sectors)
{
    struct config c = bench_config();
    const struct program p = program_of(1, 1, line_twice);
    c.l1d_sector_bytes = SECTOR_BYTES;
    c.sm_coalesce = COALESCE_SECTOR;
    struct outcome *o = bench_run_real(&c, &p);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect(o->stats.l1d_misses == 4 + 1 && o->stats.l1d_sector_misses == 3 + 1 && o->stats.l1d_hits == 3);
    cr_expect(o->stats.l1d_write_hits == 1 && o->stats.l1d_fills == 5 && o->stats.l1d_evictions == 0);
    cr_expect_eq(o->stats.xbar_response_flits, 5 * 2 + 1);
    cr_expect_eq(o->stats.dram_reads, 1, "the L2 has lines");
    free(o);
}

/* A line is fetched, then read eight times. */
static struct inst line_again(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 9) return inst_exit();
    struct inst i = inst_memory(INST_LOAD, n ? (uint8_t)(1 + n) : 1, 0x1000, 4, 4);
    i.src[0] = n ? 1 : INST_NO_REG;
    return i;
}

static struct config banked(uint32_t banks)
{
    struct config c = bench_config();
    c.l1d_sector_bytes = SECTOR_BYTES;
    c.l1d_port_bytes = LINE_BYTES;
    c.sm_coalesce = COALESCE_SECTOR;
    c.l1d_banks = banks;
    return c;
}

/* The four misses are one cycle, too; their data come one a cycle. */
static void expect_one_cycle_a_line(enum latency_place at)
{
    const struct program p = program_of(1, 1, line_again);
    const struct fixed_memory m = bench_memory();
    struct config one = banked(0), four = banked(4);
    one.l1d_latency_at = four.l1d_latency_at = at;
    struct outcome *single = bench_run(&one, &p, &m), *o = bench_run(&four, &p, &m);
    cr_assert(single->ok && o->ok, "%s%s", single->err.text, o->err.text);
    const uint64_t first = outcome_event(o, AT_L1D_MISS, 0)->cycle, last = outcome_event(o, AT_L1D_MISS, 3)->cycle;
    cr_expect_eq(last, first);
    cr_expect_eq(outcome_event(single, AT_L1D_MISS, 3)->cycle, first + 3);
    cr_expect_eq(outcome_event(o, AT_L1D_HIT, 31)->cycle - outcome_event(o, AT_L1D_HIT, 0)->cycle, 7);
    cr_expect_eq(outcome_event(single, AT_L1D_HIT, 31)->cycle - outcome_event(single, AT_L1D_HIT, 0)->cycle, 31);
    cr_expect(o->stats.l1d_hits == 32 && o->stats.l1d_misses == 4 && single->stats.l1d_hits == 32);
    free(single);
    free(o);
}

Test(sectors, banks_of_an_l1d_serve_a_line_a_cycle)
{
    expect_one_cycle_a_line(LATENCY_BEHIND);
    expect_one_cycle_a_line(LATENCY_FRONT);
}

/* Two entries: the third miss of the line is refused, and goes on with the fourth when an entry is free. */
Test(sectors, a_refused_access_ends_the_cycle_of_an_l1d_with_banks)
{
    struct config c = banked(4);
    const struct program p = program_of(1, 1, line_again);
    const struct fixed_memory m = bench_memory();
    c.l1d_mshr_entries = 2;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    const uint64_t second = outcome_event(o, AT_L1D_MISS, 1)->cycle, third = outcome_event(o, AT_L1D_MISS, 2)->cycle;
    cr_expect_eq(second, outcome_event(o, AT_L1D_MISS, 0)->cycle);
    cr_expect_gt(third, second + m.latency - 1);
    cr_expect(o->stats.l1d_rf_mshr_entry > 0 && o->stats.l1d_hits == 32);
    free(o);
}

/* A word, when it is there a line of four sectors, and the word again. */
static struct inst word_beside_line(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 1) return inst_of(INST_SP, 2, 1);
    if (n == 2) return inst_memory(INST_LOAD, 3, 0x2000, 4, 4);
    return n < 4 ? inst_memory(INST_LOAD, (uint8_t)(1 + n), 0x1000, 0, 4) : inst_exit();
}

/* Two entries: the third sector of the line is refused.  The word is in bank 0, whose pipeline goes on. */
Test(sectors, an_access_waits_for_those_of_its_bank_alone)
{
    struct config c = banked(4);
    const struct program p = program_of(1, 1, word_beside_line);
    const struct fixed_memory m = bench_memory();
    c.l1d_mshr_entries = 2;
    c.l1d_latency_at = LATENCY_FRONT;
    for (uint32_t apart = 0; apart < 2; apart++) {
        c.l1d_bank_pipelines = apart;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect(o->stats.l1d_misses == 5 && o->stats.l1d_hits == 1 && o->stats.l1d_rf_mshr_entry > 0);
        cr_expect_eq(outcome_event(o, AT_L1D_HIT, 0)->cycle < outcome_event(o, AT_L1D_MISS, 3)->cycle, apart);
        free(o);
    }
}

/* Banks without the bytes of a sector, and three of them. */
Test(sectors, banks_of_an_l1d_that_cannot_be_are_refused)
{
    static const char *const wrong[] = {"l1d.bank_bytes=4", "l1d.banks=3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct config c = banked(4);
        struct error err = {""};
        cr_assert(config_set(&c, wrong[i], &err), "%s", err.text);
        cr_expect_not(config_check(&c, &err), "accepted: %s", wrong[i]);
        cr_expect(strstr(err.text, "l1d.banks"), "%s: %s", wrong[i], err.text);
    }
}

/* Every replacement of an L1D goes with banks and with writes that take a way. */
Test(sectors, every_replacement_goes_with_banks_and_writes_that_allocate)
{
    for (uint32_t i = 0; policy_at("replacement", i); i++) {
        struct config c = banked(4);
        struct error err = {""};
        c.l1d_replacement = i;
        c.l1d_write = WRITE_THROUGH;
        c.l1d_write_miss = L1_WRITE_WORDS;
        cr_expect(config_check(&c, &err), "%s: %s", policy_at("replacement", i)->name, err.text);
    }
}

/* Words 8 to 11 are written, half of sector 1; they are read, then all of the sector, then the line's other sectors. */
static struct inst written_and_read(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 4) return inst_exit();
    struct inst i = inst_memory(n ? INST_LOAD : INST_STORE, n ? 1 : INST_NO_REG, 0x1000, 4, 4);
    i.mask = n < 2 ? 0xf00 : n == 2 ? 0xff00 : UINT32_MAX;
    i.src[0] = n > 1 ? 1 : INST_NO_REG;
    return i;
}

static void expect_after_write(enum l1_write_miss miss, uint32_t hits, uint32_t misses, uint32_t sector_misses)
{
    struct config c = banked(4);
    const struct program p = program_of(1, 1, written_and_read);
    c.l1d_write = WRITE_THROUGH;
    c.l1d_write_miss = miss;
    struct outcome *o = bench_run_real(&c, &p);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->stats.l1d_hits, hits, "%d: %lu hits", miss, o->stats.l1d_hits);
    cr_expect_eq(o->stats.l1d_misses, misses, "%d: %lu misses", miss, o->stats.l1d_misses);
    cr_expect_eq(o->stats.l1d_sector_misses, sector_misses, "%d: %lu of sectors", miss, o->stats.l1d_sector_misses);
    cr_expect(o->stats.l1d_writes == 1 && o->stats.l1d_evictions == 0, "%d", miss);
    free(o);
}

/* Sector 1 is fetched once: by the first read, or by the second if the first finds its words. */
Test(sectors, a_write_may_allocate_in_the_l1d)
{
    expect_after_write(L1_WRITE_NONE, 2, 4, 3);
    expect_after_write(L1_WRITE_LAZY, 2, 4, 4);
    expect_after_write(L1_WRITE_WORDS, 2, 4, 4);
}

/* A whole sector is written: its reads need no fetch. */
static struct inst whole_and_read(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    struct inst i = inst_memory(n ? INST_LOAD : INST_STORE, n ? 1 : INST_NO_REG, 0x1000, 4, 4);
    i.mask = 0xff00;
    return n == 2 ? inst_exit() : i;
}

Test(sectors, a_read_of_a_written_sector_hits)
{
    for (uint32_t miss = L1_WRITE_NONE; miss <= L1_WRITE_WORDS; miss++) {
        struct config c = banked(4);
        const struct program p = program_of(1, 1, whole_and_read);
        c.l1d_write = WRITE_THROUGH;
        c.l1d_write_miss = miss;
        struct outcome *o = bench_run_real(&c, &p);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.l1d_hits, miss != L1_WRITE_NONE);
        cr_expect_eq(o->stats.l1d_misses, miss == L1_WRITE_NONE);
        cr_expect(o->stats.l1d_writes == 1 && o->stats.xbar_requests == 1 + (miss == L1_WRITE_NONE));
        free(o);
    }
}

/* One way: a write takes it from the line read before, and is refused while that is fetched. */
static struct inst read_and_write_others(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 2) return inst_exit();
    return n ? inst_line(INST_STORE, INST_NO_REG, 6) : inst_line(INST_LOAD, 1, 5);
}

Test(sectors, a_write_waits_for_a_way_of_the_l1d)
{
    struct config c = banked(4);
    const struct program p = program_of(1, 1, read_and_write_others);
    c.l1d_write = WRITE_THROUGH;
    c.l1d_write_miss = L1_WRITE_LAZY;
    c.l1d_sets = c.l1d_ways = 1;
    struct outcome *o = bench_run_real(&c, &p);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect(o->stats.l1d_rf_line > 50 && o->stats.l1d_evictions == 1 && o->stats.l1d_writes == 1);
    free(o);
}

/* Reads of 32 lines, each a sector of another bank: four lines a cycle. */
static struct inst four_lines_a_cycle(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 40) return inst_exit();
    return inst_memory(INST_LOAD, 1, (uint64_t)n << 16, LINE_BYTES + 4, 4);
}

static struct outcome *run_banked(const struct config *c, struct inst (*inst)(const struct program *p, uint32_t block,
                                                                              uint32_t warp, uint32_t n))
{
    const struct program p = program_of(1, 1, inst);
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct config words_of_banks(void)
{
    struct config c = banked(32);
    c.l1d_bank_bytes = 4;
    c.l1d_lookups = 4;
    return c;
}

Test(sectors, what_learns_from_an_l1d_with_banks_sees_the_sectors_of_a_line_once)
{
    struct config c = banked(4);
    c.l1d_bypass_mode = L1D_BYPASS("bpg");
    struct outcome *o = run_banked(&c, line_again);
    cr_expect_eq(o->stats.bpg_accesses, 9);
    free(o);
    c.l1d_banks = 0;
    o = run_banked(&c, line_again);
    cr_expect_eq(o->stats.bpg_accesses, 36);
    free(o);
    c = words_of_banks();
    c.l1d_bypass_mode = L1D_BYPASS("bpg");
    o = run_banked(&c, four_lines_a_cycle);
    cr_expect_eq(o->stats.bpg_accesses, 40 * 32);
    free(o);
}

Test(sectors, streaming_bypass_of_an_l1d_with_banks_sees_an_access_a_cycle)
{
    struct config c = words_of_banks();
    c.l1d_bypass_mode = L1D_BYPASS("stream");
    c.l1d_stream_num = 0; /* no period closes the L1D */
    c.l1d_stream_min_accesses = 16383;
    struct outcome *o = run_banked(&c, line_again);
    cr_expect_eq(o->stats.l1d_stream_accesses, 9);
    free(o);
}

/* The miss counter takes three misses a cycle; a fourth is counted later.  800 of 1000 misses are more than three in
 * four. */
Test(sectors, dwt_counts_all_misses_of_a_cycle)
{
    struct config c = words_of_banks();
    c.sm_throttle = named("throttle", "dwt");
    c.sm_dwt_mpki = 800;
    c.sm_dwt_period = 512;
    c.l1d_mshr_entries = 512;
    c.l1d_miss_queue = 1024;
    c.l1d_flush = false;
    struct outcome *o = run_banked(&c, four_lines_a_cycle);
    cr_expect_gt(o->stats.dwt_samplings, 0);
    free(o);
}

/* Two entries: of the refused misses, one a cycle takes a bypass slot. */
Test(sectors, an_l1d_with_banks_bypasses_one_refused_read_a_cycle)
{
    struct config c = banked(4);
    c.l1d_mshr_entries = 2;
    c.l1d_bypass_on_stall = ON_STALL("any");
    struct outcome *o = run_banked(&c, line_again);
    const uint64_t first = outcome_event(o, AT_L1D_BYPASS, 0)->cycle,
                   second = outcome_event(o, AT_L1D_BYPASS, 1)->cycle;
    cr_expect_eq(first, outcome_event(o, AT_L1D_MISS, 1)->cycle);
    cr_expect_eq(second, first + 1);
    cr_expect_eq(o->stats.l1d_bypassed_on_stall, o->stats.l1d_bypassed);
    free(o);
}

/* The buffers hold what is looked up together as one request. */
Test(sectors, buffers_in_front_of_an_l1d_with_banks_offer_a_line_a_cycle)
{
    struct config c = banked(4);
    c.l1d_input = L1D_INPUT("mrpb");
    c.l1d_mrpb_entries = 1;
    struct outcome *o = run_banked(&c, line_again);
    cr_expect_eq(outcome_event(o, AT_L1D_MISS, 3)->cycle, outcome_event(o, AT_L1D_MISS, 0)->cycle);
    cr_expect_eq(outcome_event(o, AT_L1D_HIT, 3)->cycle, outcome_event(o, AT_L1D_HIT, 0)->cycle);
    cr_expect(o->stats.l1d_hits == 32 && o->stats.l1d_misses == 4);
    free(o);
    c.l1d_mshr_entries = 2; /* the third miss is refused: the rest of the request stays */
    o = run_banked(&c, line_again);
    cr_expect_gt(outcome_event(o, AT_L1D_MISS, 2)->cycle, outcome_event(o, AT_L1D_MISS, 1)->cycle);
    cr_expect(o->stats.l1d_hits == 32 && o->stats.l1d_misses == 4);
    free(o);
}
