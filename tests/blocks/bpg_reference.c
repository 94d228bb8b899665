/* SPDX-License-Identifier: Apache-2.0 */
/* bpg: decisions against the formula of Dai17, section 2.6, and the share of sets that any walk samples. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "bpg.h"
#include "cycle.h"
#include "skip.h"

static const struct bpg_cfg paper = {BPG_PARAM(PARAM_DEFAULT)};

static struct bpg *bpg_new(struct bpg_cfg cfg)
{
    struct bpg *m = calloc(1, sizeof *m);
    bpg_init(m, &cfg);
    return m;
}

TWIN_CYCLE(bpg)

static struct bpg_in access_of(uint32_t set, uint64_t tag, uint32_t owner, uint32_t owners)
{
    return (struct bpg_in){.acc_valid_i = true,
                           .acc_set_i = (uint16_t)set,
                           .acc_tag_i = tag,
                           .acc_owner_i = (uint16_t)owner,
                           .acc_owners_i = (uint16_t)owners};
}

/* The interval's last access, with the counters as they are then; the decision comes a look-up and Calcs turns later.
 */
static uint32_t decide(struct bpg *m, const uint16_t hits[8], uint32_t rf, uint32_t owners)
{
    for (uint32_t i = 0; i < m->p.Calcs; i++) m->hits_q[i] = hits[i];
    m->rf_q = (uint16_t)rf;
    m->count_q = (uint16_t)(m->p.Interval - 1);
    cycle(m, access_of(1, 0, 0, owners));
    const uint32_t turns = m->p.Parallel ? 1 : 1 + m->p.Calcs;
    for (uint32_t i = 0; i < turns; i++) cr_assert(!cycle(m, (struct bpg_in){0}).strobe_o);
    const struct bpg_out out = cycle(m, (struct bpg_in){0});
    cr_assert(out.strobe_o);
    cr_assert(!cycle(m, (struct bpg_in){0}).strobe_o);
    return out.l_max_o;
}

/* The serial and the parallel decision agree with each other and with the integer formula. */
static uint32_t by_formula(const struct bpg_cfg *p, const uint16_t *hits, uint32_t rf, uint32_t n, uint32_t l_max)
{
    int64_t best = INT64_MIN;
    uint32_t best_l = 0;
    const uint32_t d = p->Rebase && l_max < p->Calcs && l_max < n ? l_max : n;
    for (uint32_t i = 1; i <= p->Calcs; i++) {
        const double l = i < n && !(p->LastAll && i == p->Calcs) ? i : n;
        const double cube = floor(8192 * fmin(pow(l / d, 3), 512) + 0.5);
        const int64_t now = ((int64_t)hits[i - 1] << p->HitShift) - (int64_t)(rf * cube / 8192 / (1 << p->EShift));
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
        cfg.LastAll = (uint32_t)rng_below(&r, 2);
        struct bpg *m = bpg_new(cfg);
        uint16_t hits[8];
        const uint32_t shift = (uint32_t)rng_below(&r, 8),
                       owners = 1 + (uint32_t)(rng_below(&r, 12) << rng_below(&r, 4));
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

static struct bpg *sampling(uint32_t sets, uint32_t sampled)
{
    struct bpg_cfg cfg = paper;
    cfg.Sets = sets;
    cfg.SampledSets = sampled;
    return bpg_new(cfg);
}

static bool samples(const struct bpg *m, uint32_t set)
{
    const struct bpg_in in = access_of(set, 0, 0, 1);
    struct bpg_out out;
    bpg_eval(m, &in, &out);
    return out.acc_sampled_o;
}

/* Sets of a walk with this pitch from this set on are those that have its other bits: of as many as there are for one
 * sampled set, exactly one is sampled, wherever the bits are. */
Test(bpg, any_run_of_set_bits_samples_its_share)
{
    for (uint32_t sets = 1; sets <= 4096; sets *= 2) {
        for (uint32_t sampled = sets > 128 ? sets / 128 : 1; sampled <= sets && sampled <= 32; sampled *= 2) {
            struct bpg *m = sampling(sets, sampled);
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

/* A warp walks down columns: 32 rows `pitch` lines apart, a column of lines after the other. The index is BMOD or BXOR.
 */
static double walked_share(const struct bpg *m, bool bxor, uint32_t pitch)
{
    uint32_t count = 0, columns = pitch < 32 ? pitch : 32;
    for (uint32_t column = 0; column < columns; column++) {
        for (uint32_t row = 0; row < 32; row++) {
            const uint32_t line = row * pitch + column;
            count += samples(m, (bxor ? line ^ line >> 5 : line) & 31);
        }
    }
    return count / (32.0 * columns);
}

Test(bpg, a_column_walk_of_any_power_of_two_pitch_samples_an_eighth)
{
    struct bpg *m = sampling(32, 4);
    for (uint32_t k = 0; k <= 14; k++) {
        const double share = walked_share(m, true, 1u << k), plain = walked_share(m, false, 1u << k);
        cr_expect_float_eq(share, 0.125, 1e-9, "pitch 2^%u with BXOR: %.3f", k, share);
        cr_expect_float_eq(plain, 0.125, 1e-9, "pitch 2^%u with BMOD: %.3f", k, plain);
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
