/* SPDX-License-Identifier: Apache-2.0 */
/* warp_locality: the README's example, degrees and choices against plain loops over lists of warps, skip against ticks.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "readme_example.h"
#include "skip.h"
#include "warp_locality.h"

enum { WARPS = 9, ARRAYS = 3, REGION_W = 2, SUB_W = 7, GROUP = 5, MOST = 7 };

static struct warp_locality *scheduler(const struct warp_locality_cfg *cfg)
{
    struct warp_locality *m = calloc(1, sizeof *m);
    cr_assert(m);
    warp_locality_init(m, cfg);
    return m;
}

static struct warp_locality *small(uint32_t wait)
{
    return scheduler(&(struct warp_locality_cfg){.Warps = WARPS,
                                                 .Schedulers = 2,
                                                 .Group = GROUP,
                                                 .Arrays = ARRAYS,
                                                 .RegionW = REGION_W,
                                                 .SubW = SUB_W,
                                                 .DegreeW = 3,
                                                 .Blocks = 2,
                                                 .Wait = wait});
}

TWIN_CYCLE(warp_locality)

static void wait(struct warp_locality *m, uint32_t cycles)
{
    for (; cycles; cycles--) cycle(m, (struct warp_locality_in){0});
}

/* ---- warps as a plain list */

struct plain {
    bool ranged;
    uint32_t region[ARRAYS], subs[ARRAYS];
};

static void set_bits(uint32_t words[32], uint32_t at, uint32_t width, uint32_t value)
{
    for (uint32_t b = 0; b < width; b++, at++) words[at / 32] |= (value >> b & 1) << (at % 32);
}

static struct warp_locality_in start_of(uint8_t warp, const struct plain *p, bool first)
{
    struct warp_locality_in in = {.warp_valid_i = true,
                                  .warp_start_i = true,
                                  .warp_number_i = warp,
                                  .warp_first_i = first,
                                  .warp_ranged_i = p->ranged};
    for (uint32_t a = 0; a < ARRAYS; a++) {
        in.warp_regions_i |= (uint64_t)p->region[a] << (a * REGION_W);
        set_bits(in.warp_subs_i, a * SUB_W, SUB_W, p->subs[a]);
    }
    return in;
}

static struct plain random_warp(struct rng *rng)
{
    struct plain p = {.ranged = rng_below(rng, 8) > 0};
    for (uint32_t a = 0; a < ARRAYS; a++) {
        p.region[a] = (uint32_t)rng_below(rng, 2);
        p.subs[a] = (uint32_t)rng_below(rng, 1 << SUB_W);
    }
    return p;
}

static uint32_t plain_degree(const struct plain *a, const struct plain *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ARRAYS; i++)
        for (uint32_t k = 0; k < SUB_W; k++)
            n += a->region[i] == b->region[i] && (a->subs[i] >> k & 1) && (b->subs[i] >> k & 1);
    return !a->ranged || !b->ranged ? 0 : n < MOST ? n : MOST;
}

static void start_all(struct warp_locality *m, struct plain *p, struct rng *rng)
{
    for (uint8_t w = 0; w < WARPS; w++) {
        p[w] = random_warp(rng);
        cycle(m, start_of(w, &p[w], w % 3 == 0));
    }
    for (uint32_t i = 0; !warp_locality_idle(m); i++) {
        cr_assert_lt(i, 200, "it comes to rest");
        wait(m, 1);
    }
}

static uint32_t degree_in(const struct warp_locality *m, uint32_t a, uint32_t b)
{
    const uint32_t high = a > b ? a : b, low = a > b ? b : a;
    const bool known = (m->known_q >> a & 1) && (m->known_q >> b & 1);
    return known ? m->degree_q[high * (high - 1) / 2 + low] : 0;
}

Test(warp_locality, degrees_are_the_shared_subregions_of_equal_regions)
{
    struct rng rng;
    rng_seed(&rng, 3);
    uint32_t shared = 0, full = 0;
    for (uint32_t round = 0; round < 300; round++) {
        struct warp_locality *m = small(0);
        struct plain p[WARPS];
        start_all(m, p, &rng);
        for (uint32_t a = 0; a < WARPS; a++)
            for (uint32_t b = 0; b < a; b++) {
                const uint32_t degree = plain_degree(&p[a], &p[b]);
                cr_assert_eq(degree_in(m, a, b), degree, "round %u, warps %u and %u", round, a, b);
                shared += degree > 0, full += degree == MOST;
            }
        free(m);
    }
    cr_expect(shared > 1000 && full > 10, "%u degrees above 0, %u at the most", shared, full);
}

/* A search that is complete finds the warp of the scheduler with the highest degree; of equal ones, the first behind
 * the last warp. */
Test(warp_locality, a_short_stall_goes_to_the_highest_degree)
{
    struct rng rng;
    rng_seed(&rng, 4);
    uint32_t choices = 0;
    for (uint32_t round = 0; round < 500; round++) {
        struct warp_locality *m = small(round & 1);
        struct plain p[WARPS];
        start_all(m, p, &rng);
        const uint64_t group = m->active_q;
        uint32_t last = (uint32_t)rng_below(&rng, WARPS), best = WARPS;
        struct warp_locality_in in = {.issue_valid_i = true, .issue_able_i = (uint64_t)1 << last};
        if (cycle(m, in).issue_pick_o != in.issue_able_i) {
            free(m);
            continue; /* it is not in the group */
        }
        in.issue_able_i = group;
        for (uint32_t i = 0; i < GROUP; i++) cr_assert(cycle(m, in).issue_pick_o >> last & 1, "greedy");
        for (uint32_t i = 1; i < WARPS; i++) {
            const uint32_t w = (last + i) % WARPS;
            if (w % 2 != last % 2 || !(group >> w & 1)) continue;
            if (best == WARPS || plain_degree(&p[last], &p[w]) > plain_degree(&p[last], &p[best])) best = w;
        }
        in.issue_able_i = group & ~((uint64_t)1 << last);
        const struct warp_locality_out out = cycle(m, in);
        if (best < WARPS) cr_assert(out.issue_pick_o >> best & 1, "round %u: %u after %u", round, best, last);
        if (best < WARPS && plain_degree(&p[last], &p[best])) cr_assert(out.issue_local_o >> best & 1);
        choices += best < WARPS;
        free(m);
    }
    cr_expect(choices > 100, "%u choices", choices);
}

/* The warp with the highest sum of degrees with the whole group, which was searched for while the group was full. */
Test(warp_locality, a_long_stall_promotes_the_highest_degrees)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (uint32_t round = 0; round < 500; round++) {
        struct warp_locality *m = small(round & 1);
        struct plain p[WARPS];
        start_all(m, p, &rng);
        const uint64_t group = m->active_q;
        cr_assert_eq(__builtin_popcountll(group), GROUP);
        uint32_t best = WARPS, most = 0;
        for (uint32_t w = 0; w < WARPS; w++) {
            uint32_t sum = 0;
            for (uint32_t a = 0; a < WARPS; a++) sum += group >> a & 1 ? plain_degree(&p[w], &p[a]) : 0;
            if (!(group >> w & 1) && (best == WARPS || sum > most)) best = w, most = sum;
        }
        const uint64_t leaves = group & (~group + 1);
        cycle(m, (struct warp_locality_in){.wait_valid_i = true, .wait_warps_i = leaves});
        const struct warp_locality_out out = cycle(m, (struct warp_locality_in){0});
        cr_assert(out.promote_valid_o && out.promote_warp_o == best, "round %u: %u", round, best);
        cr_assert_eq(out.promote_degree_o, most);
        cr_assert_eq(m->active_q, (group & ~leaves) | (uint64_t)1 << best);
        free(m);
    }
}

/* ---- starvation */

/* The bound: with all others able, too, a starved warp issues within as many picks as its scheduler has warps. */
Test(warp_locality, a_starved_warp_waits_for_one_pick_of_each_other)
{
    struct warp_locality *m = small(0);
    struct rng rng;
    struct plain p[WARPS];
    rng_seed(&rng, 6);
    start_all(m, p, &rng);
    for (uint32_t i = 0; i < 5; i++) {
        cycle(m, (struct warp_locality_in){.warp_valid_i = true, .warp_number_i = 8});
        cycle(m, start_of(8, &p[8], true));
    }
    uint32_t waited[WARPS] = {0};
    for (uint32_t i = 0; i < 400; i++) {
        const struct warp_locality_out out =
            cycle(m, (struct warp_locality_in){.issue_valid_i = true, .issue_able_i = (1 << WARPS) - 1});
        cr_assert_eq(out.starved_o, (1 << 8) - 1);
        cr_assert_eq(out.issue_pick_o & ~out.starved_o, 0, "the one that does not starve waits");
        for (uint32_t w = 0; w < 8; w++) {
            waited[w] = out.issue_pick_o >> w & 1 ? 0 : waited[w] + 1;
            cr_assert_lt(waited[w], 4, "warp %u", w);
        }
    }
    free(m);
}

/* ---- skipped cycles */

static void some_traffic(struct warp_locality *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 30); c > 0; c--) {
        const uint8_t w = (uint8_t)rng_below(rng, WARPS);
        const struct plain p = random_warp(rng);
        struct warp_locality_in in = start_of(w, &p, rng_below(rng, 3) == 0);
        in.warp_valid_i = rng_below(rng, 3) == 0;
        in.warp_start_i = !(m->present_q >> w & 1);
        in.wait_valid_i = rng_below(rng, 4) == 0;
        in.wait_warps_i = rng_below(rng, 1 << WARPS);
        in.issue_valid_i = rng_below(rng, 2);
        in.issue_able_i = rng_below(rng, 1 << WARPS);
        cycle(m, in);
    }
}

Test(warp_locality, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct warp_locality *m = small(0);
    SKIP_ROUNDS(warp_locality, m, some_traffic, 9, 20000, rng_below(&rng, 60), .warp_number_i = 3, .warp_start_i = true,
                .wait_warps_i = 5, .issue_able_i = 7);
    free(m);
}

/* ---- the README's table */

/* Warps of a cell: "0 2". */
static uint64_t set_of(const char *cell)
{
    uint64_t set = 0;
    for (; *cell; cell++)
        if (*cell >= '0' && *cell <= '9') set |= (uint64_t)1 << (*cell - '0');
    return set;
}

static const char *text_of(uint64_t set)
{
    static char text[4][64];
    static uint32_t next;
    char *to = text[next++ % 4];
    size_t n = 0;
    to[0] = 0;
    for (uint32_t i = 0; i < 10; i++)
        if (set >> i & 1) n += (size_t)snprintf(to + n, sizeof text[0] - n, n ? " %u" : "%u", i);
    return to;
}

Test(readme_example, warp_locality)
{
    const struct warp_locality_cfg cfg = {
        .Warps = 6, .Schedulers = 1, .Group = 3, .Arrays = 1, .RegionW = 4, .SubW = 6, .DegreeW = 3, .Blocks = 2};
    struct warp_locality *m = scheduler(&cfg);
    uint32_t now = 0;
    for (struct example e = example_of("warp_locality", "cycle"); next_row(&e);) {
        for (const uint32_t at = number(&e, "cycle"); now < at; now++) wait(m, 1); /* cycles that are not shown */
        struct warp_locality_in in = {0};
        const char *start = given(&e, "start"), *waits = given(&e, "waits"), *able = given(&e, "able");
        in.warp_regions_i = strtoull(given(&e, "region"), NULL, 2);
        in.warp_subs_i[0] = (uint32_t)strtoul(given(&e, "subregions"), NULL, 2);
        in.warp_valid_i = in.warp_start_i = in.warp_ranged_i = *start;
        in.warp_number_i = (uint8_t)strtoul(start, NULL, 10);
        in.wait_valid_i = *waits;
        in.wait_warps_i = set_of(waits);
        in.issue_valid_i = *able;
        in.issue_able_i = set_of(able);
        const struct warp_locality_out out = cycle(m, in);
        shows_number(&e, "cycle", now++);
        shows(&e, "active_o", true, "%s", text_of(out.active_o));
        shows(&e, "issue_pick_o", true, "%s", text_of(out.issue_pick_o));
        shows(&e, "issue_local_o", true, "%s", text_of(out.issue_local_o));
        shows(&e, "promote_warp_o", out.promote_valid_o, "%u", out.promote_warp_o);
        shows(&e, "promote_degree_o", out.promote_valid_o, "%u", out.promote_degree_o);
        shows_number(&e, "busy_o", out.busy_o);
    }
    free(m);
}
