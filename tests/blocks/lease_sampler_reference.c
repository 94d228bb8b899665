/* SPDX-License-Identifier: Apache-2.0 */
/* lease_sampler against plain arithmetic: its divider, and long runs beside equation 4.2 of Gu20. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "lease_sampler.h"
#include "skip.h"

TWIN_CYCLE(lease_sampler)

/* Section 4.3.2.1: 16 entries, D = 1000, S = 6000; a lease is the average times S/D. */
static const struct lease_sampler_cfg paper = {.Groups = 16,
                                               .Entries = 16,
                                               .PageW = 18,
                                               .CountW = 10,
                                               .LeaseW = 10,
                                               .Duty = 1000,
                                               .Period = 6000,
                                               .ScaleNum = 6,
                                               .ScaleDen = 1,
                                               .OldShift = 2,
                                               .FracW = 8,
                                               .InitLease = 32767};

static struct lease_sampler *sampler(const struct lease_sampler_cfg *cfg)
{
    struct lease_sampler *m = calloc(1, sizeof *m);
    cr_assert(m && !lease_sampler_illegal(cfg));
    lease_sampler_init(m, cfg);
    return m;
}

static void count(struct lease_sampler *m, uint32_t group, uint64_t page, uint32_t accesses)
{
    for (uint32_t i = 0; i < accesses; i++)
        cycle(m, (struct lease_sampler_in){.acc_valid_i = true, .acc_group_i = (uint8_t)group, .acc_page_i = page});
}

static void quiet(struct lease_sampler *m, uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles; i++) cycle(m, (struct lease_sampler_in){0});
}

static void next_period(struct lease_sampler *m)
{
    quiet(m, m->p.Period - m->cycle_q);
}

/* 1024 is known | its lease. */
static uint32_t lease(struct lease_sampler *m, uint32_t group)
{
    const struct lease_sampler_in in = {.look_group_i = (uint8_t)group};
    struct lease_sampler_out out;
    lease_sampler_eval(m, &in, &out);
    return (uint32_t)out.look_known_o << 10 | out.look_lease_o;
}

/* The quotients that the divider rounds: N/P, and sums divided by n, in 256ths. */
static uint64_t rounded(uint64_t dividend, uint32_t divisor)
{
    struct lease_sampler *m = sampler(&paper);
    m->state_q = LEASE_SAMPLER_DIVIDE;
    m->phase_q = LEASE_SAMPLER_AVERAGE;
    m->cycle_q = 1000;
    m->quot_q = dividend;
    m->divisor_q = divisor;
    m->step_q = 21;
    quiet(m, 23);
    cr_assert_eq(m->state_q, LEASE_SAMPLER_SCALE);
    const uint64_t quotient = m->sum_q;
    free(m);
    return quotient;
}

/* Dividends of 22 bits by every divisor that there is, against the C language's division. */
Test(lease_sampler, the_divider_divides)
{
    for (uint32_t divisor = 1; divisor <= 16; divisor++)
        for (uint32_t dividend = 0; dividend < 1u << 22; dividend += 1 + dividend / 64 + dividend % 7)
            cr_assert_eq(rounded(dividend, divisor), (2 * dividend + divisor) / (2 * divisor), "%u / %u", dividend,
                         divisor);
}

Test(lease_sampler, a_period_that_is_too_short_for_the_divisions_is_illegal)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.Period = 1000 + 1184;
    cr_expect(!lease_sampler_illegal(&cfg));
    cfg.Period--;
    cr_expect(lease_sampler_illegal(&cfg));
    cfg.Period = 999;
    cr_expect(lease_sampler_illegal(&cfg));
}

Test(lease_sampler, counters_saturate)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.Entries = 1;
    struct lease_sampler *m = sampler(&cfg);
    m->ignored_q = UINT32_MAX - 1;
    m->samples_q = UINT32_MAX;
    count(m, 0, 0, 1);
    count(m, 0, 16, 3);
    next_period(m);
    cr_expect(m->ignored_q == UINT32_MAX && m->samples_q == UINT32_MAX);
    cr_expect_eq(lease(m, 0), 1024 | 6);
    free(m);
}

/* Equation 4.2 in the C language's own arithmetic, from the accesses of a period. */
struct sample {
    uint64_t block[8];
    uint32_t group[8], count[8], tag[8], used;
};

static void note(struct sample *s, uint32_t group, uint64_t page)
{
    uint32_t i = 0;
    while (i < s->used && (s->group[i] != group || s->block[i] != page / 16)) i++;
    if (i == 8) return;
    if (i == s->used) {
        s->group[i] = group;
        s->block[i] = page / 16;
        s->count[i] = s->tag[i] = 0;
        s->used++;
    }
    s->count[i] += s->count[i] < 63;
    s->tag[i] |= 1u << page % 16;
}

/* 0: the group has no entry. */
static uint64_t equation(const struct lease_sampler_cfg *p, const struct sample *s, uint32_t group, uint64_t old)
{
    uint64_t sum = 0, n = 0;
    for (uint32_t i = 0; i < s->used; i++) {
        if (s->group[i] != group) continue;
        const uint64_t pages = (uint64_t)__builtin_popcount(s->tag[i]);
        sum += (2 * 256 * (uint64_t)s->count[i] + pages) / (2 * pages);
        n++;
    }
    if (n == 0) return 0;
    const uint64_t average = (2 * sum + n) / (2 * n), unit = 256 * p->ScaleDen;
    const uint64_t all = (average * p->ScaleNum + unit / 2) / unit;
    const uint64_t got = all > 1023 ? 1023 : all == 0 ? 1 : all;
    return old ? (3 * old + got) / 4 : got;
}

/* Accesses of 2000 periods; how many leases are of one access. */
static uint32_t long_run(uint32_t num, uint32_t den)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.ScaleNum = num;
    cfg.ScaleDen = den;
    cfg.Groups = 5;
    cfg.Entries = 8;
    cfg.CountW = 6;
    cfg.Duty = 200;
    cfg.Period = 800;
    struct lease_sampler *m = sampler(&cfg);
    struct rng rng;
    uint64_t leases[5] = {0}, set = 0;
    uint32_t ones = 0;
    rng_seed(&rng, 5);
    for (uint32_t period = 0; period < 2000; period++) {
        struct sample s = {.used = 0};
        const uint32_t groups = 1 + (uint32_t)rng_below(&rng, 5), blocks = 1 + (uint32_t)rng_below(&rng, 6),
                       pages = 1 + (uint32_t)rng_below(&rng, 16), rate = 1 + (uint32_t)rng_below(&rng, 4);
        for (uint32_t c = 0; c < 800; c++) {
            const uint32_t group = (uint32_t)rng_below(&rng, groups);
            const uint64_t page = 16 * rng_below(&rng, blocks) + rng_below(&rng, pages);
            const bool valid = rng_below(&rng, rate) == 0;
            cycle(m,
                  (struct lease_sampler_in){.acc_valid_i = valid, .acc_group_i = (uint8_t)group, .acc_page_i = page});
            if (valid && c < 200) note(&s, group, page);
        }
        for (uint32_t g = 0; g < 5; g++) {
            const uint64_t now = equation(&cfg, &s, g, leases[g]);
            set += now != 0;
            ones += now == 1;
            leases[g] = now ? now : leases[g];
            cr_assert_eq(lease(m, g), leases[g] ? 1024 | leases[g] : 1023, "period %u, group %u", period, g);
        }
    }
    cr_expect(set == m->samples_q && set > 4000, "%lu leases", (unsigned long)set);
    free(m);
    return ones;
}

/* LEASE_SCALE whole, a fraction, and so small that averages round to no access. */
Test(lease_sampler, long_runs_agree_with_equation_4_2)
{
    long_run(6, 1);
    long_run(5, 3);
    cr_expect(long_run(1, 63) > 1000, "a lease is one access at least");
}

static void traffic(struct lease_sampler *m, struct rng *rng)
{
    if (rng_below(rng, 4)) return;
    next_period(m);
    count(m, (uint32_t)rng_below(rng, 3), rng_below(rng, 40), 1 + (uint32_t)rng_below(rng, 4));
}

/* Many periods are skipped at once. */
Test(lease_sampler, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.Groups = 3;
    cfg.Duty = 50;
    cfg.Period = 1300;
    struct lease_sampler *m = sampler(&cfg);
    SKIP_ROUNDS(lease_sampler, m, traffic, 11, 400, rng_below(&rng, 6000), .acc_group_i = c % 3, .acc_page_i = c,
                .forget_group_i = c % 3);
    lease_sampler_reset(m);
    lease_sampler_skip(m, UINT64_MAX);
    cr_expect_eq(m->cycle_q, UINT64_MAX % 1300);
    free(m);
}
