/* bpg: figures worked out by hand from paper 000, sections 2.5 and 2.6. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "bpg.h"
#include "skip.h"

static const struct bpg_cfg paper = {.Calcs = 8,
                                     .Sets = 32,
                                     .SampledSets = 4,
                                     .Ways = 4,
                                     .TagW = 32,
                                     .OwnerW = 7,
                                     .Interval = 1000,
                                     .HitW = 10,
                                     .RfW = 12,
                                     .HitShift = 3,
                                     .EShift = 1,
                                     .LastAll = 1};

static struct bpg *bpg_new(struct bpg_cfg cfg)
{
    struct bpg *m = calloc(1, sizeof *m);
    bpg_init(m, &cfg);
    return m;
}

static struct bpg_out cycle(struct bpg *m, struct bpg_in in)
{
    struct bpg_out out;
    bpg_eval(m, &in, &out);
    bpg_tick(m, &in);
    return out;
}

static struct bpg_in access_of(uint32_t set, uint64_t tag, uint32_t owner, uint32_t owners)
{
    return (struct bpg_in){.acc_valid_i = true,
                           .acc_set_i = (uint16_t)set,
                           .acc_tag_i = tag,
                           .acc_owner_i = (uint16_t)owner,
                           .acc_owners_i = (uint16_t)owners};
}

/* The interval's last access, with the counters as they are then; the decision comes Calcs cycles later. */
static uint32_t decide(struct bpg *m, const uint16_t hits[8], uint32_t rf, uint32_t owners)
{
    for (uint32_t i = 0; i < m->p.Calcs; i++) m->hits_q[i] = hits[i];
    m->rf_q = (uint16_t)rf;
    m->count_q = (uint16_t)(m->p.Interval - 1);
    cycle(m, access_of(1, 0, 0, owners));
    const uint32_t turns = m->p.Parallel ? 1 : m->p.Calcs;
    for (uint32_t i = 0; i < turns; i++) cr_assert(!cycle(m, (struct bpg_in){0}).strobe_o);
    const struct bpg_out out = cycle(m, (struct bpg_in){0});
    cr_assert(out.strobe_o);
    cr_assert(!cycle(m, (struct bpg_in){0}).strobe_o);
    return out.l_max_o;
}

/* 512 failures and E = 1/2: (L/8)^3 * 512 * 1/2 = L^3/2: 0 4 13 32 62 108 171 256. Hits count eight times. */
Test(bpg, adjusted_hits_by_hand)
{
    struct bpg *m = bpg_new(paper);
    const uint16_t none[8] = {0};
    cr_expect_eq(decide(m, none, 0, 8), 8, "everything ties: the largest");
    cr_expect_eq(decide(m, none, 512, 8), 1, "0 is the least that failures can cost");
    const uint16_t rising[8] = {0, 1, 3, 6, 10, 15, 21, 30};
    cr_expect_eq(decide(m, rising, 512, 8), 5, "0 8 24 48 80 120 168 240 less the costs: 0 4 11 16 18 12 -3 -16");
    free(m);
}

/* Who decides in turn and who decides at once agree, and both agree with the formula in whole numbers. */
static uint32_t by_formula(const struct bpg_cfg *p, const uint16_t *hits, uint32_t rf, uint32_t n, uint32_t l_max)
{
    int64_t best = INT64_MIN;
    uint32_t best_l = 0;
    n = n < p->Calcs ? n : p->Calcs;
    const uint32_t d = p->Rebase && l_max < n ? l_max : n;
    for (uint32_t i = 1; i <= p->Calcs; i++) {
        const uint64_t l = i < n ? i : n;
        const uint64_t cube = (uint64_t)(512.0 * (double)(l * l * l) / (double)(d * d * d) + 0.5);
        const int64_t now = ((int64_t)hits[i - 1] << p->HitShift) - (int64_t)(rf * cube / 512 >> p->EShift);
        best_l = now >= best ? i : best_l;
        best = now >= best ? now : best;
    }
    return best_l;
}

Test(bpg, in_turn_and_at_once_decide_as_the_formula_does)
{
    struct rng r;
    rng_seed(&r, 5);
    uint32_t seen[9] = {0};
    for (uint32_t round = 0; round < 4000; round++) {
        struct bpg_cfg cfg = paper;
        cfg.Rebase = (uint32_t)rng_below(&r, 2);
        cfg.Parallel = (uint32_t)rng_below(&r, 2);
        struct bpg *m = bpg_new(cfg);
        uint16_t hits[8];
        const uint32_t shift = (uint32_t)rng_below(&r, 8), owners = 1 + (uint32_t)rng_below(&r, 12);
        for (uint32_t i = 0; i < 8; i++) hits[i] = (uint16_t)(rng_below(&r, 1024) >> shift);
        const uint32_t rf = (uint32_t)rng_below(&r, 4096), before = 1 + (uint32_t)rng_below(&r, 8);
        m->l_max_q = (uint8_t)before;
        const uint32_t wanted = by_formula(&cfg, hits, rf, owners, before), l = decide(m, hits, rf, owners);
        cr_assert_eq(l, wanted, "round %u: L_max %u, by the formula %u", round, l, wanted);
        seen[l]++;
        free(m);
    }
    for (uint32_t l = 1; l <= 8; l++) cr_expect(seen[l], "L_max = %u never came out", l);
}

Test(bpg, a_decision_halves_the_counters_and_leaves_the_tags)
{
    struct bpg *m = bpg_new(paper);
    const uint16_t hits[8] = {3, 5, 7, 9, 11, 13, 15, 17};
    cycle(m, access_of(8, 77, 0, 8));
    decide(m, hits, 101, 8);
    cr_expect_eq(m->hits_q[0], 1);
    cr_expect_eq(m->hits_q[7], 8);
    cr_expect_eq(m->rf_q, 50);
    cr_expect_eq(cycle(m, access_of(8, 77, 0, 8)).acc_hits_o, 0xff);
    free(m);
}

Test(bpg, every_eighth_set_is_sampled_and_owners_count_from_their_own_number_on)
{
    struct bpg *m = bpg_new(paper);
    uint32_t sampled = 0;
    for (uint32_t s = 0; s < 32; s++) sampled += cycle(m, access_of(s, 1, 3, 48)).acc_sampled_o;
    cr_expect_eq(sampled, 4);
    cr_expect_eq(cycle(m, access_of(16, 1, 3, 48)).acc_hits_o, 0xf8, "calculators 3 to 7");
    cycle(m, access_of(24, 9, 40, 48));
    cr_expect_eq(cycle(m, access_of(24, 9, 40, 48)).acc_hits_o, 0x80, "the last calculator counts everybody");
    cr_expect_eq(cycle(m, access_of(24, 9, 0, 48)).acc_hits_o, 0x80, "to the others the line is new");
    free(m);
}

Test(bpg, four_ways_are_replaced_least_recently_used_first)
{
    struct bpg *m = bpg_new(paper);
    for (uint64_t t = 0; t < 4; t++) cycle(m, access_of(0, t, 0, 8));
    cr_expect_eq(cycle(m, access_of(0, 0, 0, 8)).acc_hits_o, 0xff);
    cr_expect_eq(cycle(m, access_of(0, 4, 0, 8)).acc_hits_o, 0, "replaces 1");
    cr_expect_eq(cycle(m, access_of(0, 0, 0, 8)).acc_hits_o, 0xff);
    cr_expect_eq(cycle(m, access_of(0, 1, 0, 8)).acc_hits_o, 0);
    cycle(m, (struct bpg_in){.flush_valid_i = true});
    cr_expect_eq(cycle(m, access_of(0, 1, 0, 8)).acc_hits_o, 0, "flushed");
    free(m);
}

Test(bpg, l_max_lets_the_first_in_and_eight_lets_all_in)
{
    struct bpg *m = bpg_new(paper);
    for (uint32_t l = 1; l <= 8; l++) {
        m->l_max_q = (uint8_t)l;
        for (uint32_t o = 0; o < 128; o++)
            cr_expect_eq(cycle(m, (struct bpg_in){.ask_owner_i = (uint16_t)o}).ask_bypass_o, l < 8 && o >= l);
    }
    free(m);
}

static void traffic(struct bpg *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 30); c > 0; c--) {
        struct bpg_in in = access_of((uint32_t)rng_below(rng, 32), rng_below(rng, 9), (uint32_t)rng_below(rng, 8), 8);
        in.acc_valid_i = rng_below(rng, 2);
        in.rf_valid_i = rng_below(rng, 2);
        cycle(m, in);
    }
}

Test(bpg, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct bpg_cfg cfg = paper;
    cfg.Interval = 16;
    struct bpg *m = bpg_new(cfg);
    SKIP_ROUNDS(bpg, m, traffic, 3, 300, 1 + rng_below(&rng, 20), .acc_tag_i = rng_u64(&rng) & 15,
                .ask_owner_i = (uint16_t)rng_below(&rng, 128));
    free(m);
}

/* A snapshot is a copy of the struct: the copy goes on as the original does. */
Test(bpg, snapshot_goes_on_alike)
{
    struct bpg_cfg cfg = paper;
    cfg.Interval = 20;
    struct bpg *m = bpg_new(cfg), *copy = calloc(1, sizeof *copy);
    struct rng r;
    rng_seed(&r, 9);
    for (uint32_t c = 0; c < 2000; c++) {
        struct bpg_in in = access_of((uint32_t)rng_below(&r, 32), rng_below(&r, 40), (uint32_t)rng_below(&r, 10), 10);
        in.rf_valid_i = rng_below(&r, 4) == 0;
        if (c == 1000) *copy = *m;
        const struct bpg_out a = cycle(m, in);
        if (c < 1000) continue;
        const struct bpg_out b = cycle(copy, in);
        cr_assert(a.l_max_o == b.l_max_o && a.strobe_o == b.strobe_o && a.acc_hits_o == b.acc_hits_o);
    }
    cr_expect_arr_eq(m, copy, sizeof *m);
    free(m);
    free(copy);
}
