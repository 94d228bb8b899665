/* SPDX-License-Identifier: Apache-2.0 */
/* l1d.unbounded and l2.unbounded: every line that has come stays. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/tag_array.h"

static struct tags *unbounded_tags(bool written, uint32_t sector_bytes)
{
    return tags_of((struct tags_setup){.sets = 1,
                                       .ways = 1,
                                       .index = SET_INDEX("bmod"),
                                       .replacement = REPLACEMENT("lru"),
                                       .unit = "l1d.0",
                                       .sector_bytes = sector_bytes,
                                       .written = written,
                                       .unbounded = true});
}

/* Far more lines than there is room for at first, with any state; each keeps it. */
Test(unbounded, lines_keep_their_state_while_the_array_grows)
{
    enum { LINES = 200000, PITCH = 4096 };
    struct tags *t = unbounded_tags(true, 0);
    for (uint64_t i = 0; i < LINES; i++) {
        cr_assert(tags_can_reserve(t, i * PITCH));
        const struct victim v = tags_take(t, i * PITCH,
                                          i % 3 == 0   ? TAG_RESERVED
                                          : i % 3 == 1 ? TAG_VALID
                                                       : TAG_WRITTEN);
        cr_assert_not(v.valid);
        if (i % 3 == 1) tags_dirty(t, i * PITCH);
        if (i % 3 == 2) tags_write(t, i * PITCH, 1);
    }
    for (uint64_t i = 0; i < LINES; i++) {
        const enum tag_state wanted = i % 3 == 0 ? TAG_RESERVED : i % 3 == 1 ? TAG_VALID : TAG_WRITTEN;
        cr_assert_eq(tags_probe(t, i * PITCH), wanted, "line %lu", i * PITCH);
        if (i % 3 == 0) tags_fill(t, i * PITCH);
        if (i % 3 == 2) tags_write(t, i * PITCH, ~1u);
    }
    cr_expect_eq(tags_count_dirty(t), LINES - (LINES + 2) / 3);
    for (uint64_t i = 0; i < LINES; i++) cr_assert_eq(tags_probe(t, i * PITCH), TAG_VALID, "line %lu", i * PITCH);
    cr_expect_eq(tags_probe(t, 1), TAG_INVALID);
    tags_flush(t);
    for (uint64_t i = 0; i < LINES; i++) cr_assert_eq(tags_probe(t, i * PITCH), TAG_INVALID);
    tags_destroy(t);
}

/* `lines` lines of one set, `rounds` times. */
struct rounds {
    uint32_t lines, rounds;
};

static struct inst over_and_over(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct rounds *r = p->context;
    (void)block;
    if (n == r->lines * r->rounds) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, (uint64_t)(n % r->lines + warp) * 4096);
    i.src[0] = 1;
    return i;
}

static struct outcome *run_rounds(const struct config *c, bool real)
{
    const struct rounds r = {300, 4};
    struct program p = program_of(1, 2, over_and_over);
    const struct fixed_memory m = bench_memory();
    p.context = &r;
    struct outcome *o = real ? bench_run_real(c, &p) : bench_run(c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

/* 301 lines of two warps, of which LRU keeps four. */
Test(unbounded, only_cold_misses_of_an_l1d)
{
    for (uint32_t i = 0; i < 8; i++) {
        struct config c = bench_config();
        c.l1d_unbounded = true;
        c.l1d_alloc = i % 2;
        c.l1d_mshr_kind = i / 2 % 2;
        c.sim_skip = i / 4;
        struct outcome *o = run_rounds(&c, false);
        cr_expect_eq(o->stats.l1d_misses, 301, "case %u: %lu misses", i, o->stats.l1d_misses);
        cr_expect_eq(o->stats.l1d_hits + o->stats.l1d_merged, 2 * 1200 - 301);
        cr_expect_eq(o->stats.l1d_evictions, 0);
        cr_expect_eq(o->stats.l1d_rf_line, 0);
        c.l1d_unbounded = false;
        struct outcome *lru = run_rounds(&c, false);
        cr_expect_gt(lru->stats.l1d_misses, 1000);
        free(o);
        free(lru);
    }
}

Test(unbounded, only_cold_misses_of_an_l2)
{
    struct config c = bench_config();
    c.l1d_enable = false;
    c.l2_sets = 1;
    c.l2_ways = 2;
    struct outcome *lru = run_rounds(&c, true);
    c.l2_unbounded = true;
    struct outcome *o = run_rounds(&c, true);
    cr_expect_gt(lru->stats.l2_misses, 1000);
    cr_expect_eq(o->stats.l2_misses, 301);
    cr_expect_eq(o->stats.l2_evictions, 0);
    cr_expect_eq(o->stats.dram_reads, 301);
    free(lru);
    free(o);
}
