/* SPDX-License-Identifier: Apache-2.0 */
/* stream_bypass against a reference that keeps a period's accesses as a list and divides. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "readme_example.h"
#include "stream_bypass.h"

enum { LONGEST = 64 };

static struct stream_bypass monitor(struct stream_bypass_cfg cfg)
{
    struct stream_bypass m = {0};
    stream_bypass_init(&m, &cfg);
    return m;
}

TWIN_CYCLE(stream_bypass)

Test(readme_example, stream_bypass)
{
    struct stream_bypass m = monitor((struct stream_bypass_cfg){
        .Period = 6, .ThreshNum = 1, .ThreshDen = 2, .MinAccesses = 2, .CountW = 2, .MergeIsHit = 0});
    for (struct example e = example_of("stream_bypass", "cycle"); next_row(&e);) {
        const char *access = given(&e, "access");
        const uint32_t accesses = m.accesses_q, misses = m.misses_q;
        const struct stream_bypass_out out =
            cycle(&m, (struct stream_bypass_in){.acc_valid_i = *access,
                                                .acc_hit_i = !strcmp(access, "hit"),
                                                .acc_merge_i = !strcmp(access, "merge")});
        shows_number(&e, "cycle", e.rows - 1);
        shows_number(&e, "accesses", accesses);
        shows_number(&e, "misses", misses);
        shows_number(&e, "bypass_o", out.bypass_o);
        shows(&e, "decision", out.decide_o, out.next_o ? "bypass" : "open");
    }
}

/* A period, access by access. */
struct reference {
    struct stream_bypass_cfg cfg;
    uint32_t cycle, count;
    bool missed[LONGEST], bypass;
};

static bool reference_decides(const struct reference *r)
{
    return r->cycle == r->cfg.Period - 1 && r->count >= r->cfg.MinAccesses;
}

static bool reference_streams(const struct reference *r)
{
    double misses = 0;
    for (uint32_t i = 0; i < r->count; i++) misses += r->missed[i];
    return misses / r->count > (double)r->cfg.ThreshNum / r->cfg.ThreshDen + 1e-9;
}

static void reference_access(struct reference *r, const struct stream_bypass_in *in)
{
    if (!in->acc_valid_i || r->count == bits_mask(r->cfg.CountW)) return;
    r->missed[r->count++] = !in->acc_hit_i && !(in->acc_merge_i && r->cfg.MergeIsHit);
}

static void compare(struct stream_bypass_cfg cfg, uint32_t seed)
{
    struct stream_bypass m = monitor(cfg);
    struct reference r = {.cfg = cfg};
    struct rng rng;
    uint32_t decided[2] = {0}, undecided = 0, hits = 128;
    rng_seed(&rng, seed);
    for (uint32_t c = 0; c < 40000; c++) {
        if (r.cycle == 0) hits = (uint32_t)rng_below(&rng, rng_below(&rng, 2) ? 12 : 257);
        const struct stream_bypass_in in = {.acc_valid_i = rng_below(&rng, 3) == 0,
                                            .acc_hit_i = rng_below(&rng, 256) < hits,
                                            .acc_merge_i = rng_below(&rng, 16) == 0};
        const bool before = r.bypass;
        reference_access(&r, &in);
        const bool decides = reference_decides(&r), streams = decides && reference_streams(&r);
        const struct stream_bypass_out out = cycle(&m, in);
        cr_assert(out.bypass_o == before && out.decide_o == decides && out.next_o == streams, "seed %u, cycle %u", seed,
                  c);
        if (decides) decided[r.bypass = streams]++;
        if (++r.cycle < cfg.Period) continue;
        undecided += !decides;
        r.cycle = r.count = 0;
    }
    cr_expect(decided[0] > 50 && decided[1] > 50 && undecided > 5, "seed %u: %u open, %u bypass, %u nothing", seed,
              decided[0], decided[1], undecided);
}

Test(stream_bypass, decides_like_a_division_of_the_periods_accesses)
{
    for (uint32_t merge = 0; merge < 2; merge++) {
        compare((struct stream_bypass_cfg){64, 9, 10, 15, 6, merge}, 1 + merge);
        compare((struct stream_bypass_cfg){37, 2, 3, 6, 3 + merge, merge}, 11 + merge);
        compare((struct stream_bypass_cfg){20, 1, 2, 5, 5, merge}, 21 + merge);
    }
}

/* A period whose first accesses miss and whose others hit; true: it bypasses. */
static bool after_a_period(struct stream_bypass *m, uint32_t accesses, uint32_t misses)
{
    struct stream_bypass_out out = {0};
    for (uint32_t c = 0; c < m->p.Period; c++)
        out = cycle(m, (struct stream_bypass_in){.acc_valid_i = c < accesses, .acc_hit_i = c >= misses});
    return out.decide_o && out.next_o;
}

/* Khairy15, table 4: 10 K cycles, 90 %. */
Test(stream_bypass, the_papers_threshold_is_exceeded_above_nine_misses_in_ten)
{
    struct stream_bypass m = monitor((struct stream_bypass_cfg){STREAM_BYPASS_PARAM(PARAM_DEFAULT)});
    cr_expect(!after_a_period(&m, 10000, 9000));
    cr_expect(after_a_period(&m, 10000, 9001));
    cr_expect(!after_a_period(&m, 70, 63));
    cr_expect(after_a_period(&m, 70, 64));
    cr_expect(m.bypass_q && !after_a_period(&m, 63, 0) && m.bypass_q, "too few accesses: as before");
    cr_expect(!after_a_period(&m, 64, 0) && !m.bypass_q);
}

Test(stream_bypass, skip_equals_that_many_quiet_ticks)
{
    struct stream_bypass m = monitor(
        (struct stream_bypass_cfg){.Period = 23, .ThreshNum = 1, .ThreshDen = 2, .MinAccesses = 3, .CountW = 4});
    struct rng rng;
    uint32_t changed = 0;
    rng_seed(&rng, 5);
    for (uint32_t round = 0; round < 3000; round++) {
        const bool hit = rng_below(&rng, 2);
        for (uint64_t n = rng_below(&rng, 9); n > 0; n--)
            cycle(&m, (struct stream_bypass_in){.acc_valid_i = true, .acc_hit_i = hit});
        struct stream_bypass skipped = m;
        const uint64_t quiet = rng_below(&rng, round % 8 ? 25 : 80);
        cr_assert(stream_bypass_idle(&m));
        stream_bypass_skip(&skipped, quiet);
        for (uint64_t c = 0; c < quiet; c++) cycle(&m, (struct stream_bypass_in){.acc_hit_i = hit});
        cr_assert(!memcmp(&m, &skipped, sizeof m), "round %u: %llu cycles", round, (unsigned long long)quiet);
        changed += m.bypass_q != hit;
    }
    cr_expect(changed > 100 && changed < 2900, "decisions of skipped cycles: %u", changed);
}
