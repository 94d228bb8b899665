/* SPDX-License-Identifier: Apache-2.0 */
/* The block stream_bypass in front of an L1D and of an L2 slice.  No access is answered from a line without data, also
 * if the bit that says so is hidden from a cache which needs none (drop). */
#include "system/bench.h"
#include "system/tag_array.h"
#include "slice.h"

#include <stdio.h>
#include <stdlib.h>

/* Two fault injections into tags.c: `hidden` reports data for a tag without data, `kept` drops nothing. */
static bool hidden, kept;

enum tag_state __real_tags_probe(struct tags *t, uint64_t block);
enum tag_state __wrap_tags_probe(struct tags *t, uint64_t block);
void __real_tags_flush(struct tags *t);
void __wrap_tags_flush(struct tags *t);
void __real_tags_drop_clean(struct tags *t);
void __wrap_tags_drop_clean(struct tags *t);

enum tag_state __wrap_tags_probe(struct tags *t, uint64_t block)
{
    const enum tag_state state = __real_tags_probe(t, block);
    return hidden && state == TAG_ONLY ? TAG_VALID : state;
}

void __wrap_tags_flush(struct tags *t)
{
    if (!kept) __real_tags_flush(t);
}

void __wrap_tags_drop_clean(struct tags *t)
{
    if (!kept) __real_tags_drop_clean(t);
}

/* ---- an L1D */

enum { STREAM = 400, REUSED = 8, REUSES = 1200, PERIOD = 500 };

/* A stream of lines, then its last few over and over. */
static struct inst stream_then_reuse(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n < STREAM) return inst_line(INST_LOAD, (uint8_t)(n % 8), n);
    if (n < STREAM + REUSES) return inst_line(INST_LOAD, (uint8_t)(n % 8), STREAM - 1 - n % REUSED);
    return inst_exit();
}

static struct config streaming(uint32_t tags)
{
    struct config c = bench_config();
    c.l1d_bypass_mode = L1D_BYPASS("stream");
    c.l1d_stream_period = PERIOD;
    c.l1d_stream_min_accesses = 8;
    c.l1d_stream_tags = tags;
    return c;
}

static struct outcome *run_l1d(const struct config *c)
{
    const struct program p = program_of(1, 1, stream_then_reuse);
    const struct fixed_memory m = {.latency = 50, .depth = 16, .interval = 1};
    return bench_run(c, &p, &m);
}

Test(stream, an_l1d_is_closed_while_it_streams_and_opens_to_reuse)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t tags = i & 1 ? STREAM_DROP : STREAM_KEEP;
        struct config c = streaming(tags);
        c.l1d_alloc = i & 2 ? ALLOC_ON_FILL : ALLOC_ON_MISS;
        struct outcome *o = run_l1d(&c);
        const struct stats *s = &o->stats;
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect(s->l1d_bypassed > STREAM / 2 && s->l1d_hits > REUSES / 2, "%lu around, %lu hits", s->l1d_bypassed,
                  s->l1d_hits);
        cr_expect_eq(s->l1d_stream_changes, 2);
        cr_expect_eq(s->l1d_stream_cycles % PERIOD, 0);
        cr_expect(s->l1d_stream_entered > STREAM / 2 && s->l1d_stream_misses < STREAM + 2 * REUSED);
        /* The lines that are used again entered by their tags.  They are fetched once the L1D is open. */
        cr_expect_eq(s->l1d_stream_no_data, tags == STREAM_KEEP ? REUSED : 0);
        free(o);
    }
}

static void expect_law(bool broken, const struct outcome *o)
{
    cr_expect_eq(o->ok, !broken, "%s", o->err.text);
    if (broken) cr_expect(strstr(o->err.text, "is answered, but its data never came"), "%s", o->err.text);
}

static void check_hidden_l1d(uint32_t tags, bool keeps, bool broken)
{
    struct config c = streaming(tags);
    hidden = true;
    kept = keeps;
    struct outcome *o = run_l1d(&c);
    expect_law(broken, o);
    free(o);
}

Test(stream, an_l1d_that_keeps_its_tags_needs_the_bit)
{
    check_hidden_l1d(STREAM_KEEP, false, true);
}

Test(stream, an_l1d_that_drops_its_lines_needs_no_bit)
{
    check_hidden_l1d(STREAM_DROP, false, false);
}

Test(stream, an_l1d_without_the_bit_must_drop_its_lines)
{
    check_hidden_l1d(STREAM_DROP, true, true);
}

/* A store of a line that has a tag alone: it leaves, as a valid one does, and hits nothing. */
static struct inst store_behind_the_stream(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    if (n == STREAM) return inst_line(INST_STORE, INST_NO_REG, STREAM - 1);
    if (n == STREAM + 1) return inst_line(INST_LOAD, 0, STREAM - 1);
    return n < STREAM ? stream_then_reuse(p, block, warp, n) : inst_exit();
}

Test(stream, a_store_evicts_a_tag_without_data_and_is_no_hit)
{
    struct config c = streaming(STREAM_KEEP);
    c.l1d_stream_period = 100;
    const struct program p = program_of(1, 1, store_behind_the_stream);
    const struct fixed_memory m = {.latency = 50, .depth = 16, .interval = 1};
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->stats.l1d_write_hits, 0);
    cr_expect_eq(o->stats.l1d_stream_misses, STREAM + 1);
    cr_expect_eq(o->stats.l1d_stream_accesses, STREAM + 1);
    free(o);
}

/* ---- an L2 slice, with periods of 100 cycles */

static struct slice b;

static void open_slice(const char *tags, const char *option)
{
    char keep[40];
    snprintf(keep, sizeof keep, "l2.stream.tags=%s", tags);
    const char *options[] = {"l2.bypass.mode=stream",
                             "l2.stream.period=100",
                             "l2.stream.min_accesses=4",
                             keep,
                             "l2.stream.merge_is_hit=true",
                             option,
                             NULL};
    slice_open(&b, options);
}

/* Ends behind the first cycle of a period, and the slice is idle. */
static void period(enum request_kind kind, uint64_t first, uint32_t lines, uint32_t rounds)
{
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t i = 0; i < lines; i++) {
            while (!l2_room(b.l2)) slice_until(&b, b.clock + 1);
            slice_push(&b, kind, first + i);
        }
    slice_drain(&b);
    slice_until(&b, b.clock + 101 - b.clock % 100);
}

/* Lines from 1000 on stream by. */
static void close_slice(void)
{
    period(REQUEST_READ, 1000, 8, 1);
    cr_assert_eq(b.s.l2_stream_changes, 1);
    cr_assert_eq(b.s.l2_bypassed, 0);
}

/* Reads of lines whose tags are there. */
static void open_again(uint64_t first, uint32_t lines)
{
    period(REQUEST_READ, first, lines, 3);
    cr_assert_eq(b.s.l2_stream_changes, 2);
}

static void finish_slice(bool broken)
{
    struct error err = {0};
    const bool ok = l2_finish(b.l2, b.clock, &err);
    cr_expect_eq(ok, !broken, "%s", err.text);
    if (broken) cr_expect(strstr(err.text, "is answered, but its data never came"), "%s", err.text);
    slice_close(&b);
}

Test(stream, a_closed_slice_sends_reads_to_dram_and_fetches_when_it_opens)
{
    static const char *const modes[] = {"keep", "drop"};
    for (uint32_t drop = 0; drop < 2; drop++) {
        open_slice(modes[drop], NULL);
        close_slice();
        open_again(2000, 4);
        cr_expect_eq(b.s.l2_bypassed, 12);
        cr_expect_eq(b.s.l2_stream_entered, 4);
        cr_expect_eq(b.s.dram_reads, 8 + 12);
        for (uint32_t i = 0; i < 8; i++) { /* in one period: with drop, its first half alone would close the slice */
            slice_push(&b, REQUEST_READ, 2000 + i % 4);
            if (i % 4 == 3) slice_drain(&b);
        }
        cr_expect_eq(b.s.l2_stream_no_data, drop ? 0 : 4);
        cr_expect_eq(b.s.l2_hits, 4);
        cr_expect_eq(b.s.dram_reads, 8 + 12 + 4);
        finish_slice(false);
    }
}

/* Opens again while the tags of lines 2000 to 2003 are there alone, and reads them. */
static void check_hidden_slice(const char *tags, bool keeps, bool broken)
{
    open_slice(tags, NULL);
    close_slice();
    hidden = true;
    kept = keeps;
    period(REQUEST_READ, 2000, 4, 3);
    for (uint64_t i = 0; i < 4; i++) slice_push(&b, REQUEST_READ, 2000 + i);
    slice_until(&b, b.clock + 1000);
    cr_expect_geq(b.s.l2_stream_changes, 2);
    finish_slice(broken);
}

Test(stream, a_slice_that_keeps_its_tags_needs_the_bit)
{
    check_hidden_slice("keep", false, true);
}

Test(stream, a_slice_that_drops_its_clean_lines_needs_no_bit)
{
    check_hidden_slice("drop", false, false);
}

Test(stream, a_slice_without_the_bit_must_drop_its_clean_lines)
{
    check_hidden_slice("drop", true, true);
}

/* Line 7 is dirty when the slice closes: DRAM's data is old. */
Test(stream, a_closed_slice_answers_from_its_dirty_lines)
{
    static const char *const modes[] = {"keep", "drop"};
    for (uint32_t drop = 0; drop < 2; drop++) {
        open_slice(modes[drop], NULL);
        slice_push_full(&b, 7);
        close_slice();
        const uint64_t reads = b.s.dram_reads;
        slice_push(&b, REQUEST_READ, 7);
        slice_push_full(&b, 7);
        slice_drain(&b);
        cr_expect(b.s.l2_hits == 2 && b.s.l2_bypassed == 0 && b.s.dram_reads == reads);
        cr_expect_eq(b.s.l2_dirty_at_end, 2, "counted by both drains");
        finish_slice(false);
    }
}

/* A write waits for line 7 when the slice closes; a read behind it must not overtake it on the way to DRAM. */
Test(stream, a_closed_slice_merges_with_a_line_on_its_way)
{
    open_slice("keep", NULL);
    for (uint64_t i = 0; i < 7; i++) slice_push(&b, REQUEST_READ, 1000 + i);
    slice_until(&b, 90);
    slice_push_full(&b, 7);
    slice_until(&b, 101);
    cr_assert_eq(b.s.l2_stream_changes, 1);
    const uint32_t write = b.pushed - 1, read = slice_push(&b, REQUEST_READ, 7);
    slice_drain(&b);
    cr_expect(b.s.l2_merged == 1 && b.s.l2_bypassed == 0 && b.at[read] > b.at[write]);
    finish_slice(false);
}

/* Line 1000 has data when the slice closes.  DRAM gets a newer write, so the line must be fetched again. */
Test(stream, a_write_around_leaves_no_data_behind)
{
    static const char *const modes[] = {"keep", "drop"};
    for (uint32_t drop = 0; drop < 2; drop++) {
        open_slice(modes[drop], NULL);
        close_slice();
        slice_push_full(&b, 1000);
        slice_drain(&b);
        cr_expect(b.s.l2_bypassed_writes == 1 && b.s.dram_writes == 1);
        open_again(1001, 4);
        const uint64_t reads = b.s.dram_reads;
        period(REQUEST_READ, 1000, 1, 1);
        cr_expect_eq(b.s.dram_reads, reads + 1);
        finish_slice(false);
    }
}

Test(stream, atomics_are_done_in_a_closed_slice)
{
    static const char *const modes[] = {"keep", "drop"};
    for (uint32_t drop = 0; drop < 2; drop++) {
        open_slice(modes[drop], NULL);
        close_slice();
        period(REQUEST_READ, 3000, 1, 1);
        const uint64_t fills = b.s.l2_fills;
        slice_push(&b, REQUEST_ATOMIC, 3000);
        slice_push(&b, REQUEST_READ, 3000);
        slice_drain(&b);
        cr_expect(b.s.l2_bypassed == 1 && b.s.l2_fills == fills + 1 && b.s.l2_merged == 1);
        finish_slice(false);
    }
}

/* A line written in part: its words are in the slice alone. */
Test(stream, a_line_written_in_parts_is_fetched_by_a_closed_slice)
{
    open_slice("keep", "l2.write_miss=lazy");
    slice_push_sector(&b, REQUEST_WRITE, 7, 1, 0x0f);
    close_slice();
    const uint64_t fills = b.s.l2_fills;
    slice_push(&b, REQUEST_READ, 7);
    slice_drain(&b);
    cr_expect(b.s.l2_bypassed == 0 && b.s.l2_fills == fills + 1);
    finish_slice(false);
}

static void read_sector(uint64_t line, uint8_t sector)
{
    while (!l2_room(b.l2)) slice_until(&b, b.clock + 1);
    slice_push_sector(&b, REQUEST_READ, line, sector, 0);
}

/* Sectors 0 and 1 of line 2000 pass by; sector 0 is then fetched, and sector 1 is still a tag alone. */
Test(stream, each_sector_has_data_or_none)
{
    open_slice("keep", "l2.sector_bytes=32");
    for (uint64_t i = 0; i < 8; i++) read_sector(1000 + i, 0);
    slice_until(&b, 101);
    cr_assert_eq(b.s.l2_stream_changes, 1);
    for (uint32_t i = 0; i < 4; i++) {
        read_sector(2000, 0);
        read_sector(2000, 1);
    }
    slice_drain(&b);
    cr_expect(b.s.l2_bypassed == 8 && b.s.l2_stream_entered == 2);
    slice_until(&b, b.clock + 101 - b.clock % 100);
    cr_assert_eq(b.s.l2_stream_changes, 2);
    for (uint32_t i = 0; i < 3; i++) {
        read_sector(2000, (uint8_t)(i / 2));
        slice_drain(&b);
    }
    cr_expect(b.s.l2_stream_no_data == 2 && b.s.l2_hits == 1);
    finish_slice(false);
}

Test(stream, a_full_table_refuses)
{
    open_slice("keep", "l2.bypass.slots=2");
    close_slice();
    for (uint32_t i = 0; i < 4; i++) slice_push(&b, REQUEST_READ, 2000 + i);
    slice_drain(&b);
    cr_expect(b.s.l2_bypassed == 4 && b.s.l2_rf_bypass_slot > 20, "%lu refusals", b.s.l2_rf_bypass_slot);
    finish_slice(false);
}

/* ---- the law */

Test(stream, the_law_knows_which_words_have_data)
{
    struct tags *t = tags_of((struct tags_setup){.sets = 1,
                                                 .ways = 1,
                                                 .index = SET_INDEX("bmod"),
                                                 .replacement = REPLACEMENT("lru"),
                                                 .unit = "l2.0",
                                                 .sector_bytes = SECTOR_BYTES,
                                                 .only = true});
    const uint64_t block = 5 << 2 | 1;
    tags_take(t, block, TAG_ONLY);
    cr_expect_eq(tags_probe(t, block), TAG_ONLY);
    cr_expect(!tags_has_data(t, block));
    tags_take_sector(t, block, TAG_RESERVED);
    tags_data_comes(t, block, 0x00007f00);
    cr_expect(!tags_has_data(t, block), "a word is missing");
    tags_data_comes(t, block, 0x00008000);
    tags_fill(t, block);
    cr_expect(tags_has_data(t, block) && !tags_has_data(t, block + 1));
    tags_data_leaves(t, block);
    cr_expect(!tags_has_data(t, block), "a write passed by");
    tags_data_comes(t, block, UINT32_MAX);
    cr_expect(tags_take(t, 6 << 2, TAG_ONLY).valid);
    cr_expect(!tags_take(t, block, TAG_VALID).valid, "a line without data is no victim");
    cr_expect(!tags_has_data(t, block), "its data left with it");
    tags_destroy(t);
}

/* ---- options */

static void refused(const char *options, const char *message)
{
    struct config c;
    struct error err = {0};
    char text[200];
    config_default(&c);
    snprintf(text, sizeof text, "%s", options);
    for (char *option = strtok(text, " "); option; option = strtok(NULL, " "))
        cr_assert(config_set(&c, option, &err), "%s", err.text);
    cr_expect(!config_check(&c, &err) && strstr(err.text, message), "%s: %s", options, err.text);
}

Test(stream, options_that_cannot_work_are_refused)
{
    refused("l1d.bypass.mode=stream l1d.stream.num=10",
            "l1d.stream.num: found 10, allowed: up to 9, below l1d.stream.den");
    refused("l2.bypass.mode=stream l2.stream.den=9", "l2.stream.num: found 9, allowed: up to 8, below l2.stream.den");
    refused("l1d.bypass.mode=stream l1d.stream.count_bits=6",
            "l1d.stream.min_accesses: found 64, allowed: up to 63, the maximum count");
    refused("l1d.bypass.mode=stream l1d.enable=false", "l1d.bypass.mode: found stream with l1d.enable = false");
    refused("l2.bypass.mode=stream l2.alloc=on_fill", "l2.bypass.mode: found stream with l2.alloc = on_fill");
}
