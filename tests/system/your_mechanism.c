/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example of docs/your-mechanism.md, compiled from the page as it stands there. */
#include <criterion/criterion.h>
#include <string.h>

#include "system/bench.h"
#include "system/config/options.h"
#include "system/tag_array.h"

static struct tags *set_of_four(const char *replacement)
{
    return tags_of((struct tags_setup){
        .sets = 1, .ways = 4, .index = SET_INDEX("bmod"), .replacement = REPLACEMENT(replacement), .unit = "l1d.0"});
}

Test(your_mechanism, srrip_of_the_page_keeps_the_line_that_was_used_again)
{
    const uint64_t victims[] = {1, 2, 3, 4};
    struct tags *t = set_of_four("srrip");
    for (uint64_t line = 0; line < 4; line++) cr_assert_not(tags_take(t, line, TAG_VALID).valid);
    tags_touch(t, 0);
    for (uint64_t i = 0; i < 4; i++) {
        const struct victim v = tags_take(t, 4 + i, TAG_VALID);
        cr_expect(v.valid);
        cr_expect_eq(v.line, victims[i], "victim %lu: %lu", i, v.line);
    }
    cr_expect_eq(tags_probe(t, 0), TAG_VALID);
    tags_destroy(t);
}

Test(your_mechanism, is_a_value_of_its_options)
{
    struct config c;
    struct error err = {""};
    config_default(&c);
    cr_expect(config_set(&c, "l2.replacement=srrip", &err), "%s", err.text);
    cr_expect_eq(c.l2_replacement, REPLACEMENT("srrip"));
    cr_expect_eq(c.l1d_replacement, REPLACEMENT("lru"));
    cr_expect_not(config_set(&c, "l1d.replacement=srip", &err));
    cr_expect_not_null(strstr(err.text, "l1d.replacement: found \"srip\"; the nearest is srrip"), "%s", err.text);
}

/* Twice line 0, then four new lines, in a set of four. */
static struct inst one_line_again(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n >= 60) return inst_exit();
    struct inst i = inst_line(INST_LOAD, 1, n % 6 < 2 ? 0 : n);
    i.src[0] = 1; /* one after the other */
    return i;
}

static uint64_t hits(const char *replacement)
{
    struct config c = bench_config();
    c.l1d_sets = 1;
    c.l1d_ways = 4;
    c.l1d_replacement = REPLACEMENT(replacement);
    struct program p = program_of(1, 1, one_line_again);
    struct outcome *o = bench_run_real(&c, &p);
    cr_assert(o->ok, "%s", o->err.text);
    const uint64_t n = o->stats.l1d_hits;
    free(o);
    return n;
}

Test(your_mechanism, runs_in_the_machine)
{
    cr_expect_eq(hits("lru"), 10, "%lu: line 0 misses in each of ten rounds", hits("lru"));
    cr_expect_eq(hits("srrip"), 19, "%lu: line 0 misses once", hits("srrip"));
}
