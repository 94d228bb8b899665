/* SPDX-License-Identifier: Apache-2.0 */
/* pdp: against a model that keeps every access and computes with times and the formula of Duong12. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "cycle.h"
#include "pdp.h"
#include "readme_example.h"
#include "skip.h"

static struct pdp *pdp_new(struct pdp_cfg cfg)
{
    struct pdp *m = calloc(1, sizeof *m);
    pdp_init(m, &cfg);
    return m;
}

static const struct pdp_cfg l1d = {PDP_PARAM(PARAM_DEFAULT)};

TWIN_CYCLE(pdp)

/* The candidate with the highest E(d): whole numbers, no recurrence.  0: no reuse. */
static uint32_t by_formula(const uint32_t *reuses, uint32_t total, uint32_t counters, uint32_t s_c, uint32_t d_e)
{
    uint32_t best = 0;
    unsigned __int128 best_hits = 0, best_cost = 1;
    for (uint32_t k = 1; k <= counters; k++) {
        unsigned __int128 hits = 0, cost = 0;
        for (uint32_t i = 1; i <= k; i++) {
            hits += reuses[i - 1];
            cost += (unsigned __int128)reuses[i - 1] * i * s_c;
        }
        cost += (total - hits) * (k * s_c + d_e);
        if (hits * best_cost <= best_hits * cost) continue;
        best = k * s_c;
        best_hits = hits;
        best_cost = cost;
    }
    return best;
}

Test(pdp, a_search_finds_the_distance_of_the_formula)
{
    struct rng r;
    rng_seed(&r, 9);
    const uint32_t counters = PDP_COUNTERS(&l1d);
    uint32_t changed = 0, seen[33] = {0};
    for (uint32_t round = 0; round < 2000; round++) {
        struct pdp *m = pdp_new(l1d);
        uint32_t reuses[32], total = 0;
        const uint32_t shift = (uint32_t)rng_below(&r, 8), few = (uint32_t)rng_below(&r, 4);
        for (uint32_t i = 0; i < counters; i++) {
            reuses[i] = rng_below(&r, 4) <= few ? (uint32_t)rng_below(&r, 127) >> shift : 0;
            total += reuses[i];
            m->reuse_q[i] = (uint16_t)reuses[i];
        }
        total += (uint32_t)rng_below(&r, 4095 - total);
        m->total_q = (uint16_t)total;
        m->busy_q = true;
        for (uint32_t i = 0; i < counters * (l1d.CountW + 1); i++) cr_assert(!cycle(m, (struct pdp_in){0}).strobe_o);
        const uint32_t wanted = by_formula(reuses, total, counters, 1u << l1d.CountShift, l1d.Ways);
        const struct pdp_out out = cycle(m, (struct pdp_in){0});
        cr_assert(out.strobe_o);
        cr_assert_eq(out.pd_o, wanted ? wanted : l1d.Ways, "round %u: %u, by the formula %u", round, out.pd_o, wanted);
        cr_assert_eq(m->total_q, total / 2);
        for (uint32_t i = 0; i < counters; i++) cr_assert_eq(m->reuse_q[i], reuses[i] / 2);
        changed += !seen[out.pd_o >> l1d.CountShift]++;
        free(m);
    }
    cr_expect_gt(changed, 16, "%u of 32 distances were found", changed);
}

/* Lines by the time of their last protection, in accesses of their set. */
enum { SETS = 4, WAYS = 3 };
struct line_model {
    uint32_t since, distance; /* distance 0: never filled */
    bool hit;
};
struct set_model {
    uint32_t accesses, last;
    struct line_model line[WAYS];
};

static uint32_t left(const struct set_model *s, uint32_t way)
{
    const struct line_model *l = &s->line[way];
    const uint32_t gone = s->accesses - l->since;
    return gone + 1 < l->distance ? l->distance - 1 - gone : 0;
}

/* The victim; WAYS: bypass. */
static uint32_t victim(const struct set_model *s, uint32_t free, uint32_t held)
{
    for (uint32_t w = 0; w < WAYS; w++)
        if (free & ~held & 1u << w) return w;
    for (uint32_t i = 1; i <= WAYS; i++) {
        const uint32_t w = (s->last + i) % WAYS;
        if (!left(s, w) && !(held & 1u << w)) return w;
    }
    return WAYS;
}

static uint32_t fallback(const struct set_model *s, uint32_t held)
{
    uint32_t best = WAYS;
    for (uint32_t w = 0; w < WAYS; w++) {
        if (held & 1u << w) continue;
        const bool first = best == WAYS, newer = !first && s->line[w].hit < s->line[best].hit;
        const bool alike = !first && s->line[w].hit == s->line[best].hit;
        if (first || newer || (alike && left(s, w) > left(s, best))) best = w;
    }
    return best == WAYS ? 0 : best;
}

Test(pdp, victims_are_those_of_a_model_of_times)
{
    struct pdp_cfg cfg = l1d;
    cfg.Sets = SETS;
    cfg.Ways = WAYS;
    struct pdp *m = pdp_new(cfg);
    struct set_model sets[SETS] = {0};
    struct rng r;
    uint32_t bypasses = 0, unprotected = 0, fallbacks = 0;
    rng_seed(&r, 4);
    for (uint32_t s = 0; s < SETS; s++) sets[s].last = WAYS - 1;
    for (uint32_t round = 0; round < 60000; round++) {
        const uint32_t pd = 1 + (uint32_t)rng_below(&r, rng_below(&r, 2) ? 6 : 90);
        struct pdp_in in = {.acc_valid_i = rng_below(&r, 3) > 0,
                            .acc_set_i = (uint8_t)rng_below(&r, SETS),
                            .acc_hit_i = rng_below(&r, 4) == 0,
                            .acc_way_i = (uint8_t)rng_below(&r, WAYS),
                            .fill_valid_i = rng_below(&r, 8) == 0,
                            .fill_set_i = (uint8_t)rng_below(&r, SETS),
                            .fill_way_i = (uint8_t)rng_below(&r, WAYS),
                            .ask_set_i = (uint8_t)rng_below(&r, SETS),
                            .ask_free_i = rng_below(&r, 8) ? 0 : (uint16_t)rng_below(&r, 8),
                            .ask_held_i = (uint16_t)(rng_below(&r, 8) & rng_below(&r, 8)),
                            .fixed_pd_i = (uint16_t)pd};
        const struct set_model *s = &sets[in.ask_set_i];
        const uint32_t way = victim(s, in.ask_free_i, in.ask_held_i);
        const struct pdp_out out = cycle(m, in);
        cr_assert_eq(out.ask_bypass_o, way == WAYS, "round %u", round);
        cr_assert_eq(out.ask_way_o, way == WAYS ? fallback(s, in.ask_held_i) : way, "round %u", round);
        bypasses += way == WAYS;
        fallbacks += way == WAYS && out.ask_way_o;
        unprotected += way < WAYS && !in.ask_free_i && way;
        struct set_model *a = &sets[in.acc_set_i], *f = &sets[in.fill_set_i];
        a->accesses += in.acc_valid_i;
        if (in.acc_valid_i && in.acc_hit_i) a->line[in.acc_way_i] = (struct line_model){a->accesses, pd, true};
        if (in.fill_valid_i) f->line[in.fill_way_i] = (struct line_model){f->accesses, pd, false};
        if (in.fill_valid_i) f->last = in.fill_way_i;
    }
    cr_expect(bypasses > 1000 && unprotected > 1000 && fallbacks > 1000, "%u bypasses, %u unprotected, %u fallbacks",
              bypasses, unprotected, fallbacks);
    free(m);
}

/* A sampled set, with a log of all its accesses: which samples are reused, at which distance. */
Test(pdp, counters_are_those_of_a_log_of_accesses)
{
    enum { ACCESSES = 6000, NEVER = 1 << 30 };
    const uint32_t farthest = PDP_FARTHEST(&l1d), every = 1u << l1d.InsertShift;
    static uint32_t tags[ACCESSES];
    struct pdp *m = pdp_new(l1d);
    struct rng r;
    uint32_t reuses[32] = {0}, total = 0, reused = 0;
    rng_seed(&r, 21);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        tags[i] = (uint32_t)(rng_below(&r, 2) ? rng_below(&r, 12) : rng_below(&r, 300));
        cycle(m, (struct pdp_in){.acc_valid_i = true, .acc_tag_i = tags[i]});
    }
    for (uint32_t i = every - 1; i < ACCESSES; i += every) {
        uint32_t distance = NEVER;
        for (uint32_t k = i + 1; k < ACCESSES && distance == NEVER; k++)
            if (tags[k] == tags[i]) distance = k - i;
        /* Shifted out by the sample `farthest` accesses later, unless that one is its reuse. */
        const bool in_time = distance <= farthest;
        if (!in_time && i + farthest >= ACCESSES) continue;
        total++;
        reused += in_time;
        if (in_time) reuses[(distance - 1) >> l1d.CountShift]++;
    }
    cr_assert_eq(m->total_q, total);
    for (uint32_t i = 0; i < PDP_COUNTERS(&l1d); i++) cr_expect_eq(m->reuse_q[i], reuses[i], "counter %u", i);
    cr_expect(reused > 100 && total - reused > 100, "%u of %u samples were reused", reused, total);
    free(m);
}

static struct pdp *sampling(uint32_t sets, uint32_t sampled)
{
    struct pdp_cfg cfg = l1d;
    cfg.Sets = sets;
    cfg.SampledSets = sampled;
    return pdp_new(cfg);
}

static bool samples(const struct pdp *m, uint32_t set)
{
    const struct pdp_in in = {.acc_valid_i = true, .acc_set_i = (uint8_t)set};
    struct pdp_out out;
    pdp_eval(m, &in, &out);
    return out.acc_sampled_o;
}

/* Of as many sets as there are for one sampled set, at any pitch, exactly one is sampled. */
Test(pdp, any_run_of_set_bits_samples_its_share)
{
    for (uint32_t sets = 1; sets <= 256; sets *= 2) {
        for (uint32_t sampled = 1; sampled <= sets && sampled <= 32; sampled *= 2) {
            struct pdp *m = sampling(sets, sampled);
            const uint32_t each = sets / sampled;
            for (uint32_t pitch = 1; pitch * each <= sets; pitch *= 2) {
                for (uint32_t base = 0; base < sets; base++) {
                    uint32_t count = 0;
                    for (uint32_t i = 0; i < each; i++) count += samples(m, (base & ~(pitch * (each - 1))) + i * pitch);
                    cr_assert_eq(count, 1, "%u of %u sets, pitch %u from %u", sampled, sets, pitch, base);
                }
            }
            free(m);
        }
    }
}

/* One set of two ways, PD = 4; a read that neither hits nor bypasses fills the way that the query names. */
Test(readme_example, pdp)
{
    struct pdp_cfg cfg = l1d;
    cfg.Sets = 1;
    cfg.Ways = 2;
    cfg.SampledSets = 1;
    struct pdp *m = pdp_new(cfg);
    uint32_t free_ways = 3;
    for (struct example e = example_of("pdp", "cycle"); next_row(&e);) {
        const char *hit = given(&e, "hit in way");
        struct pdp_in in = {.acc_valid_i = true,
                            .acc_tag_i = (uint32_t)*given(&e, "read"),
                            .acc_hit_i = *hit,
                            .acc_way_i = *hit == '1',
                            .ask_free_i = (uint16_t)free_ways,
                            .fixed_pd_i = 4};
        struct pdp_out out;
        shows(&e, "RPD before", true, "%u %u", m->rpd_q[0], m->rpd_q[1]);
        pdp_eval(m, &in, &out);
        in.fill_valid_i = !*hit && !out.ask_bypass_o;
        in.fill_way_i = out.ask_way_o;
        pdp_tick(m, &in);
        if (in.fill_valid_i) free_ways &= ~(1u << in.fill_way_i);
        shows_number(&e, "cycle", e.rows - 1);
        shows_number(&e, "ask_bypass_o", out.ask_bypass_o);
        shows_number(&e, "ask_way_o", out.ask_way_o);
    }
    free(m);
}

Test(readme_example, pdp_search)
{
    struct pdp_cfg cfg = l1d;
    cfg.Depth = 4;
    struct pdp *m = pdp_new(cfg);
    m->total_q = 15;
    m->busy_q = true;
    for (struct example e = example_of("pdp", "d"); next_row(&e);) {
        m->reuse_q[e.rows - 1] = (uint16_t)number(&e, "N_i");
        for (uint32_t i = 0; i < cfg.CountW + 1; i++) cycle(m, (struct pdp_in){0});
        shows_number(&e, "d", 4 * e.rows);
        shows_number(&e, "hits", m->hits_q);
        shows_number(&e, "cost", m->cost_q);
        shows_number(&e, "best d", 4 * (m->best_q + 1u));
    }
    cr_expect_eq(m->pd_q, 8);
    free(m);
}

static void traffic(struct pdp *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 40); c > 0; c--) {
        cycle(m, (struct pdp_in){.acc_valid_i = rng_below(rng, 4) > 0,
                                 .acc_tag_i = (uint32_t)rng_below(rng, 9),
                                 .acc_hit_i = rng_below(rng, 2),
                                 .acc_way_i = (uint8_t)rng_below(rng, 4),
                                 .fill_valid_i = rng_below(rng, 2),
                                 .fill_way_i = (uint8_t)rng_below(rng, 4)});
    }
}

Test(pdp, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct pdp_cfg cfg = l1d;
    cfg.Interval = 300;
    struct pdp *m = pdp_new(cfg);
    SKIP_ROUNDS(pdp, m, traffic, 3, 300, 1 + rng_below(&rng, 500), .acc_tag_i = rng_u64(&rng) & 15,
                .ask_held_i = (uint16_t)rng_below(&rng, 16));
    free(m);
}
