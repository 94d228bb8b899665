/* SPDX-License-Identifier: Apache-2.0 */
/* lost_locality against a plain model: lists of tags, the time at which a score is back at the base, warps by birth. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "lost_locality.h"
#include "readme_example.h"
#include "skip.h"

enum { WARPS = 5, WAYS = 3, SETS = 2, BASE = 20, SCORE_W = 10, TOP = (1 << SCORE_W) - 1 };

static struct lost_locality *detector(const struct lost_locality_cfg *cfg)
{
    struct lost_locality *m = calloc(1, sizeof *m);
    cr_assert(m);
    lost_locality_init(m, cfg);
    return m;
}

static struct lost_locality *small(void)
{
    return detector(&(struct lost_locality_cfg){.Warps = WARPS,
                                                .Ways = WAYS,
                                                .Entries = WAYS * SETS,
                                                .TagW = 11,
                                                .KThrottle = 4,
                                                .BaseScore = BASE,
                                                .ScoreW = SCORE_W,
                                                .CountW = 8});
}

TWIN_CYCLE(lost_locality)

/* ---- the plain model */

struct plain_warp {
    uint64_t born;        /* 0: not present */
    uint64_t ends;        /* cycle in which its score is the base score again */
    int tags[SETS][WAYS]; /* oldest place first filled; -1: none */
    uint32_t next[SETS];
};

struct plain {
    struct plain_warp warp[WARPS];
    uint64_t now, births, lost, issued;
    bool waits[WARPS], served[WARPS], busy;
    uint64_t score; /* of the division in progress */
    uint64_t sum[WARPS];
    uint64_t raises, gates;
};

static uint64_t plain_score(const struct plain *p, uint32_t w)
{
    return BASE + (p->warp[w].ends > p->now ? p->warp[w].ends - p->now : 0);
}

static uint32_t plain_count(const struct plain *p)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < WARPS; w++) n += p->warp[w].born != 0;
    return n;
}

static bool plain_lookup(struct plain *p, const struct lost_locality_in *in)
{
    struct plain_warp *w = &p->warp[in->miss_warp_i];
    bool hit = false;
    if (!in->miss_valid_i || !w->born) return false;
    for (uint32_t k = 0; k < WAYS; k++) {
        int *tag = &w->tags[in->miss_tag_i % SETS][k];
        if (*tag != (int)in->miss_tag_i) continue;
        hit = true;
        *tag = -1;
    }
    return hit;
}

static void plain_evict(struct plain *p, const struct lost_locality_in *in)
{
    struct plain_warp *w = &p->warp[in->evict_warp_i];
    if (!in->evict_valid_i || !w->born) return;
    const uint32_t set = in->evict_tag_i % SETS;
    w->tags[set][w->next[set]++ % WAYS] = (int)in->evict_tag_i;
}

/* A division for all that wait starts when none is in progress, with the counts of the cycles before. */
static void plain_divide(struct plain *p, bool raised)
{
    bool any = false;
    for (uint32_t w = 0; w < WARPS; w++) any |= p->waits[w];
    if (raised) p->busy = false;
    if (raised || p->busy || !any) return;
    p->busy = true;
    const double score = p->issued ? (double)p->lost * 4 * BASE * plain_count(p) / (double)p->issued : TOP;
    p->score = score > TOP ? TOP : (uint64_t)score;
    memcpy(p->served, p->waits, sizeof p->served);
    memset(p->waits, 0, sizeof p->waits);
}

static void plain_raise(struct plain *p)
{
    for (uint32_t w = 0; w < WARPS; w++) {
        const uint64_t ends = p->now + 1 + (p->score > BASE ? p->score - BASE : 0);
        if (p->served[w] && p->warp[w].born && ends > p->warp[w].ends) p->warp[w].ends = ends;
        p->raises += p->served[w];
        p->served[w] = false;
    }
}

static void plain_warp_event(struct plain *p, const struct lost_locality_in *in)
{
    struct plain_warp *w = &p->warp[in->warp_number_i];
    if (!in->warp_valid_i || in->warp_start_i == (w->born != 0)) return;
    p->waits[in->warp_number_i] = p->served[in->warp_number_i] = false;
    w->born = in->warp_start_i ? ++p->births : 0;
    w->ends = 0;
    memset(w->tags, -1, sizeof w->tags);
}

/* The scores before warp `w`, each as it was when the walk came to it; true after the last of them. */
static bool plain_walk(struct plain *p, const struct lost_locality *m)
{
    for (uint32_t w = 0; w < WARPS; w++) {
        const struct plain_warp *a = &p->warp[m->turn_q], *b = &p->warp[w];
        const uint64_t first = plain_score(p, m->turn_q), second = plain_score(p, w);
        if (m->turn_q == 0) p->sum[w] = 0;
        if (!a->born || !b->born || !m->walk_q || a == b) continue;
        if (first > second || (first == second && a->born < b->born)) p->sum[w] += first;
    }
    return m->walk_q && m->turn_q == WARPS - 1;
}

static uint64_t plain_gated(const struct plain *p, const struct lost_locality_in *in)
{
    uint64_t gated = 0;
    for (uint32_t w = 0; w < WARPS; w++)
        gated |= (uint64_t)(p->warp[w].born && p->sum[w] >= BASE * plain_count(p)) << w;
    if (in->warp_valid_i && !in->warp_start_i) gated &= ~((uint64_t)1 << in->warp_number_i);
    return gated;
}

static void count(struct plain *p, uint64_t lost, uint64_t issued)
{
    p->lost += lost;
    p->issued += issued;
    if (p->lost < 256 && p->issued < 256) return;
    p->lost /= 2;
    p->issued /= 2;
}

static void compare(struct plain *p, struct lost_locality *m, struct lost_locality_in in)
{
    for (uint32_t w = 0; w < WARPS; w++) cr_assert_eq(m->score_q[w], plain_score(p, w), "warp %u", w);
    const bool walked = plain_walk(p, m);
    const uint64_t gated = plain_gated(p, &in);
    const struct lost_locality_out out = cycle(m, in);
    const bool lost = plain_lookup(p, &in);
    cr_assert_eq(out.lost_o, lost);
    if (out.raise_valid_o) cr_assert_eq(out.raise_score_o, p->score, "%lu lost", p->lost);
    if (out.raise_valid_o) plain_raise(p);
    plain_divide(p, out.raise_valid_o);
    if (lost) p->waits[in.miss_warp_i] = true;
    plain_evict(p, &in);
    count(p, lost, in.issue_valid_i ? in.issue_count_i : 0);
    plain_warp_event(p, &in);
    if (!plain_count(p)) p->lost = p->issued = 0;
    p->now++;
    if (walked) cr_assert_eq(m->gated_q, gated, "cycle %lu", p->now);
    p->gates += walked && gated;
    cr_assert(!m->present_q || (m->present_q & ~out.gated_o) || in.warp_valid_i, "nobody may load");
}

static struct lost_locality_in traffic(struct rng *rng, uint32_t mode)
{
    const bool quiet = mode == 0;
    return (struct lost_locality_in){.warp_valid_i = rng_below(rng, mode == 1 ? 4 : 60) == 0,
                                     .warp_start_i = rng_below(rng, 5) > 0,
                                     .warp_number_i = (uint8_t)rng_below(rng, WARPS),
                                     .issue_valid_i = rng_below(rng, 2),
                                     .issue_count_i = (uint8_t)rng_below(rng, 5),
                                     .miss_valid_i = !quiet && rng_below(rng, 3) == 0,
                                     .miss_warp_i = (uint8_t)rng_below(rng, WARPS),
                                     .miss_tag_i = (uint32_t)rng_below(rng, 12),
                                     .evict_valid_i = !quiet && rng_below(rng, 3) == 0,
                                     .evict_warp_i = (uint8_t)rng_below(rng, WARPS),
                                     .evict_tag_i = (uint32_t)rng_below(rng, 12)};
}

Test(lost_locality, tags_scores_and_gates_are_those_of_a_plain_model)
{
    struct lost_locality *m = small();
    struct plain p = {0};
    struct rng rng;
    uint32_t mode = 0;
    memset(p.warp, 0, sizeof p.warp);
    rng_seed(&rng, 5);
    for (uint32_t c = 0; c < 300000; c++) {
        if (c % 200 == 0) mode = (uint32_t)rng_below(&rng, 4);
        compare(&p, m, traffic(&rng, mode));
    }
    cr_expect(p.raises > 1000 && p.gates > 1000, "%lu raises, %lu walks with a gate", p.raises, p.gates);
    free(m);
}

/* ---- by hand */

static const struct lost_locality_cfg paper = {
    .Warps = 48, .Ways = 8, .Entries = 16, .TagW = 32, .KThrottle = 8, .BaseScore = 100, .ScoreW = 16, .CountW = 20};

static void start(struct lost_locality *m, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++)
        cycle(m, (struct lost_locality_in){.warp_valid_i = true, .warp_start_i = true, .warp_number_i = (uint8_t)w});
}

static void lose(struct lost_locality *m, uint8_t warp)
{
    cycle(m, (struct lost_locality_in){.evict_valid_i = true, .evict_warp_i = warp, .evict_tag_i = 7});
    const struct lost_locality_in in = {.miss_valid_i = true, .miss_warp_i = warp, .miss_tag_i = 7};
    cr_assert(cycle(m, in).lost_o);
}

static void wait(struct lost_locality *m, uint32_t cycles)
{
    for (; cycles; cycles--) cycle(m, (struct lost_locality_in){0});
}

/* 48 warps, 96 instructions, one hit: 1 x 8 x 4800 / 96 = 400, and soon between 300 and 400.  The cutoff is 4800.  The
 * youngest has 46 others with 100 before it, and 4600 + 300 is beyond; 4400 + 399, before the third youngest, is not.
 */
Test(lost_locality, a_raised_score_gates_as_many_of_the_youngest_warps_as_it_takes_places)
{
    struct lost_locality *m = detector(&paper);
    start(m, 48);
    for (uint32_t i = 0; i < 16; i++) cycle(m, (struct lost_locality_in){.issue_valid_i = true, .issue_count_i = 6});
    lose(m, 20);
    wait(m, 18 + 48 + 3);
    const struct lost_locality_out out = cycle(m, (struct lost_locality_in){0});
    cr_expect(m->score_q[20] >= 300 && m->score_q[20] < 400, "%u", m->score_q[20]);
    cr_expect_eq(out.gated_o, (uint64_t)3 << 46, "the two youngest: %lx", out.gated_o);
    free(m);
}

/* The latency that the README states, at its longest: a division and the rest of a walk, then a walk. */
Test(lost_locality, a_gate_follows_lost_locality_within_a_division_and_two_walks)
{
    for (uint32_t before = 0; before < 48; before++) {
        struct lost_locality *m = detector(&paper);
        start(m, 48);
        lose(m, 0); /* no instructions: the score saturates, and walks follow each other */
        wait(m, 200 + before);
        for (uint32_t i = 0; i < 2; i++) cycle(m, (struct lost_locality_in){.issue_valid_i = true, .issue_count_i = 2});
        lose(m, 1);
        const uint32_t most = 1 + (paper.ScoreW + 2) + 48 + 48;
        uint32_t n = 0;
        for (; n < most && m->score_q[1] == 100; n++) wait(m, 1);
        cr_expect_leq(n, 1 + (paper.ScoreW + 2) + 48, "score after %u", n);
        wait(m, 48);
        cr_expect_eq(m->gated_q, (((uint64_t)1 << 48) - 1) & ~(uint64_t)1, "%u: %lx", before, m->gated_q);
        free(m);
    }
}

/* Of a line that X brought and W evicted, X's array has the tag. */
Test(lost_locality, a_hit_is_of_the_warp_that_brought_the_line)
{
    struct lost_locality *m = detector(&paper);
    start(m, 2);
    cycle(m, (struct lost_locality_in){.evict_valid_i = true, .evict_warp_i = 1, .evict_tag_i = 9});
    struct lost_locality_in in = {.miss_valid_i = true, .miss_warp_i = 0, .miss_tag_i = 9};
    cr_expect(!cycle(m, in).lost_o);
    in.miss_warp_i = 1;
    cr_expect(cycle(m, in).lost_o);
    free(m);
}

/* ---- skipped cycles */

static void some_traffic(struct lost_locality *m, struct rng *rng)
{
    const uint32_t mode = (uint32_t)rng_below(rng, 4);
    for (uint64_t c = rng_below(rng, 30); c > 0; c--) cycle(m, traffic(rng, mode));
    for (uint64_t c = rng_below(rng, 30); c > 0; c--) cycle(m, (struct lost_locality_in){0});
}

Test(lost_locality, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct lost_locality *m = small();
    SKIP_ROUNDS(lost_locality, m, some_traffic, 11, 20000,
                rng_below(&rng, 3) ? rng_below(&rng, 40) : rng_below(&rng, 1500), .issue_count_i = 3, .miss_warp_i = 1,
                .evict_warp_i = 2, .warp_number_i = 3);
    free(m);
}

/* ---- the README's table: "start 0", "issue 1", "evict 0/5", "miss 0/5", "wait 9" */

Test(readme_example, lost_locality)
{
    const struct lost_locality_cfg cfg = {
        .Warps = 2, .Ways = 2, .Entries = 2, .TagW = 8, .KThrottle = 2, .BaseScore = 10, .ScoreW = 6, .CountW = 6};
    struct lost_locality *m = detector(&cfg);
    uint32_t now = 0;
    for (struct example e = example_of("lost_locality", "cycle"); next_row(&e);) {
        const char *event = given(&e, "event");
        uint32_t n = 0, tag = 0;
        struct lost_locality_in in = {0};
        if (after(event, "wait ", &n)) wait(m, n - 1), now += n - 1;
        if (after(event, "start ", &n)) in.warp_valid_i = in.warp_start_i = true, in.warp_number_i = (uint8_t)n;
        if (after(event, "issue ", &n)) in.issue_valid_i = true, in.issue_count_i = (uint8_t)n;
        if (after2(event, "evict ", &n, &tag))
            in.evict_valid_i = true, in.evict_warp_i = (uint8_t)n, in.evict_tag_i = tag;
        if (after2(event, "miss ", &n, &tag)) in.miss_valid_i = true, in.miss_warp_i = (uint8_t)n, in.miss_tag_i = tag;
        shows(&e, "score 0", true, "%u", m->score_q[0]);
        shows(&e, "score 1", true, "%u", m->score_q[1]);
        shows(&e, "walk", m->walk_q, "%u", m->turn_q);
        const struct lost_locality_out out = cycle(m, in);
        shows_number(&e, "cycle", now++);
        shows_number(&e, "lost_o", out.lost_o);
        shows(&e, "raise_score_o", out.raise_valid_o, "%u", out.raise_score_o);
        shows(&e, "gated_o", true, "%u%u", (uint32_t)(out.gated_o >> 1 & 1), (uint32_t)(out.gated_o & 1));
    }
    free(m);
}
