/* SPDX-License-Identifier: Apache-2.0 */
/* lease_sampler: outcomes worked out by hand from Gu20, section 4.3.2.1 and equation 4.2. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lease_sampler.h"
#include "skip.h"

static struct lease_sampler_out cycle(struct lease_sampler *m, struct lease_sampler_in in)
{
    struct lease_sampler_out out;
    lease_sampler_eval(m, &in, &out);
    lease_sampler_tick(m, &in);
    return out;
}

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

/* Two pages of a block, accessed five times: F = 5/2 = 2.5; times 6: 15. */
Test(lease_sampler, the_average_of_one_entry)
{
    struct lease_sampler *m = sampler(&paper);
    count(m, 3, 32, 2);
    count(m, 3, 47, 3);
    cr_expect_eq(lease(m, 3), 1023, "before the first sample a lease is as long as it can be");
    next_period(m);
    cr_expect_eq(lease(m, 3), 1024 | 15);
    cr_expect_eq(lease(m, 2), 1023);
    free(m);
}

/* Blocks 0, 1 and 2 of a group: 7 accesses to 3 pages, 5 to 1, 4 to 4.  In 256ths: 7/3 = 597.3, so 597; 5 is 1280; 1 is
 * 256.  Their sum 2133 by 3 is 711, that is 2.777; times 6: 16.66, so 17.  A single sum of accesses by pages,
 * 16/8 = 2, would give 12: equation 4.2 averages the blocks. */
Test(lease_sampler, the_average_of_three_entries_of_equation_4_2)
{
    struct lease_sampler *m = sampler(&paper);
    count(m, 0, 0, 5);
    count(m, 0, 1, 1);
    count(m, 0, 2, 1);
    count(m, 0, 16 + 9, 5);
    for (uint32_t page = 32; page < 36; page++) count(m, 0, page, 1);
    next_period(m);
    cr_expect_eq(lease(m, 0), 1024 | 17);
    free(m);
}

/* The numbers that are left in the divider: what rounding makes of N/P and of sums by n, in 256ths. */
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

/* 256/3 = 85.33; 512/3 = 170.67; 7 * 256/11 = 162.9; 1023 * 256/16 = 16368; 3/2 and 1/2: a half goes up; 1/3: 0. */
Test(lease_sampler, fractional_bits_are_rounded_to_the_nearest)
{
    cr_expect_eq(rounded(256, 3), 85);
    cr_expect_eq(rounded(512, 3), 171);
    cr_expect_eq(rounded(7 * 256, 11), 163);
    cr_expect_eq(rounded(1023 * 256, 16), 16368);
    cr_expect_eq(rounded(1023 * 256, 1), 261888);
    cr_expect_eq(rounded(3, 2), 2);
    cr_expect_eq(rounded(1, 2), 1);
    cr_expect_eq(rounded(1, 3), 0);
    cr_expect_eq(rounded((1u << 22) - 1, 1), (1u << 22) - 1);
}

/* Every dividend of 12 bits by every divisor that there is, against the C language's division. */
Test(lease_sampler, the_divider_divides)
{
    for (uint32_t divisor = 1; divisor <= 16; divisor++)
        for (uint32_t dividend = 0; dividend < 4096; dividend += 1 + dividend % 7)
            cr_assert_eq(rounded(dividend, divisor), (2 * dividend + divisor) / (2 * divisor), "%u / %u", dividend,
                         divisor);
}

/* F of 15, 1, 100 and 1, one page each: 90, then (3 * 90 + 6)/4 = 69, (3 * 69 + 600)/4 = 201.75, (3 * 201 + 6)/4 =
 * 152.25. */
Test(lease_sampler, a_lease_is_three_quarters_the_old_one)
{
    static const uint32_t accesses[] = {15, 1, 100, 1}, leases[] = {90, 69, 201, 152};
    struct lease_sampler *m = sampler(&paper);
    for (uint32_t i = 0; i < 4; i++) {
        count(m, 9, 5, accesses[i]);
        next_period(m);
        cr_expect_eq(lease(m, 9), 1024 | leases[i], "period %u", i);
    }
    quiet(m, 12000);
    cr_expect_eq(lease(m, 9), 1024 | 152, "a period without accesses leaves it");
    cr_expect_eq(m->samples_q, 4);
    free(m);
}

/* The lease is a whole number and (3 * old + new)/4 is cut: what is less than 4 above it does not raise it; 1 below
 * lowers it.  OldShift = 0 takes the sample as it is. */
Test(lease_sampler, the_weight_of_the_old_lease_is_a_parameter)
{
    static const uint32_t leases[] = {12, 12, 18};
    for (uint32_t shift = 0; shift <= 2; shift += 2) {
        struct lease_sampler_cfg cfg = paper;
        cfg.OldShift = shift;
        cfg.ScaleNum = 3;
        struct lease_sampler *m = sampler(&cfg);
        count(m, 0, 0, 4);
        next_period(m);
        cr_expect_eq(lease(m, 0), 1024 | leases[0]);
        count(m, 0, 0, 5);
        next_period(m);
        cr_expect_eq(lease(m, 0), 1024 | (shift ? leases[1] : 15u), "15 is 3 above 12");
        count(m, 0, 0, 6);
        next_period(m);
        cr_expect_eq(lease(m, 0), 1024 | (shift ? (3u * 12 + 18) / 4 : leases[2]));
        free(m);
    }
}

/* LEASE_SCALE = 5/3: F = 2.5 gives 4.17, so 4; F = 2.75 gives 4.58, so 5. */
Test(lease_sampler, the_scale_is_a_fraction)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.ScaleNum = 5;
    cfg.ScaleDen = 3;
    struct lease_sampler *m = sampler(&cfg);
    count(m, 0, 0, 4);
    count(m, 0, 1, 1);
    for (uint32_t page = 0; page < 4; page++) count(m, 1, page, page ? 3 : 2);
    next_period(m);
    cr_expect_eq(lease(m, 0), 1024 | 4);
    cr_expect_eq(lease(m, 1), 1024 | 5);
    free(m);
}

/* 170 accesses to a page: 1020.  171: 1026 is more than 10 bits hold, so 1023.  The weighting does not wrap either. */
Test(lease_sampler, a_lease_saturates)
{
    struct lease_sampler *m = sampler(&paper);
    count(m, 0, 0, 170);
    count(m, 1, 16, 171);
    next_period(m);
    cr_expect_eq(lease(m, 0), 1024 | 1020);
    cr_expect_eq(lease(m, 1), 1024 | 1023);
    count(m, 1, 0, 1000);
    next_period(m);
    cr_expect_eq(lease(m, 1), 1024 | 1023);
    free(m);
}

/* 100 accesses to one page, counters of 4 bits: 15 * 6. */
Test(lease_sampler, a_counter_saturates)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.CountW = 4;
    struct lease_sampler *m = sampler(&cfg);
    count(m, 0, 0, 100);
    cr_expect_eq(m->count_q[0], 15);
    next_period(m);
    cr_expect_eq(lease(m, 0), 1024 | 90);
    free(m);
}

/* F = 1 by 63 is 0.016: 0, which counts as 1. */
Test(lease_sampler, a_lease_is_one_access_at_least)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.ScaleNum = 1;
    cfg.ScaleDen = 63;
    struct lease_sampler *m = sampler(&cfg);
    count(m, 0, 0, 1);
    next_period(m);
    cr_expect_eq(lease(m, 0), 1024 | 1);
    free(m);
}

/* 16 blocks in use: accesses to others are ignored and counted; those of the 16 go on counting. */
Test(lease_sampler, without_a_free_entry_accesses_are_ignored)
{
    struct lease_sampler *m = sampler(&paper);
    for (uint32_t block = 0; block < 16; block++) count(m, block / 8, 16 * block, 2);
    count(m, 2, 16 * 16, 3);
    count(m, 3, 0, 1);
    count(m, 1, 16 * 15, 8);
    cr_expect_eq(m->ignored_q, 4);
    next_period(m);
    cr_expect_eq(lease(m, 0), 1024 | 12);
    cr_expect_eq(lease(m, 1), 1024 | 18, "(7 * 2 + 10)/8 = 3, times 6");
    cr_expect_eq(lease(m, 2), 1023);
    cr_expect_eq(lease(m, 3), 1023);
    free(m);
}

Test(lease_sampler, accesses_behind_the_duty_are_not_counted)
{
    struct lease_sampler *m = sampler(&paper);
    quiet(m, 999);
    count(m, 0, 0, 1);
    cr_expect_eq(m->valid_q, 1, "cycle 999 is the last one of D = 1000");
    count(m, 1, 16, 5000);
    cr_expect(m->cycle_q == 0 && m->valid_q == 0);
    cr_expect_eq(lease(m, 0), 1024 | 6);
    cr_expect_eq(lease(m, 1), 1023);
    count(m, 1, 16, 1);
    cr_expect_eq(m->valid_q, 1, "the next period");
    free(m);
}

/* Of each of 16 groups one entry: 48 divisions of 24 cycles, and two cycles a group: the leases are all set after 1184.
 */
Test(lease_sampler, the_longest_work_takes_as_long_as_is_said)
{
    static const struct {
        uint32_t entries, groups, cycles;
    } sizes[] = {{16, 16, 1184}, {16, 1, 434}, {1, 1, 74}};
    cr_assert_eq(lease_sampler_longest(&paper), 1184);
    for (uint32_t i = 0; i < 3; i++) {
        struct lease_sampler *m = sampler(&paper);
        for (uint32_t e = 0; e < sizes[i].entries; e++) count(m, e % sizes[i].groups, 16 * e, 1);
        quiet(m, 1000 - m->cycle_q);
        quiet(m, sizes[i].cycles - 1);
        cr_expect(!lease_sampler_idle(m) && m->samples_q == sizes[i].groups - 1, "size %u", i);
        quiet(m, 1);
        cr_expect(lease_sampler_idle(m) && m->samples_q == sizes[i].groups, "size %u", i);
        free(m);
    }
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

Test(lease_sampler, a_group_that_is_rewritten_is_new)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.InitLease = 40;
    struct lease_sampler *m = sampler(&cfg);
    const struct lease_sampler_in forget = {.forget_valid_i = true, .forget_group_i = 4, .look_group_i = 4};
    count(m, 4, 0, 10);
    next_period(m);
    cr_expect_eq(lease(m, 4), 1024 | 60);
    count(m, 4, 0, 10);
    count(m, 5, 16, 1);
    cycle(m, forget);
    cr_expect_eq(lease(m, 4), 40);
    cr_expect_eq(m->valid_q, 2, "its entry went, another group's did not");
    count(m, 4, 0, 2);
    next_period(m);
    cr_expect_eq(lease(m, 4), 1024 | 12, "a first sample: no old lease");
    count(m, 4, 0, 1);
    quiet(m, 1040 - m->cycle_q);
    cr_expect(!lease_sampler_idle(m));
    cycle(m, forget);
    cr_expect(lease_sampler_idle(m), "its division is given up");
    next_period(m);
    cr_expect(lease(m, 4) == 40 && m->samples_q == 3);
    free(m);
}

Test(lease_sampler, groups_that_do_not_exist_are_an_error_and_change_nothing)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.Groups = 5;
    struct lease_sampler *m = sampler(&cfg);
    count(m, 5, 0, 1);
    cr_expect(m->error_q == LEASE_SAMPLER_ERROR_GROUP && m->valid_q == 0 && m->ignored_q == 0);
    cycle(m, (struct lease_sampler_in){.forget_valid_i = true, .forget_group_i = 7});
    cr_expect_eq(m->error_q, LEASE_SAMPLER_ERROR_GROUP);
    cr_expect_eq(lease(m, 6), 1023);
    lease_sampler_reset(m);
    cycle(m, (struct lease_sampler_in){.forget_valid_i = true, .forget_group_i = 7});
    cr_expect_eq(m->error_q, LEASE_SAMPLER_ERROR_GROUP);
    free(m);
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
static uint64_t equation(const struct sample *s, uint32_t group, uint64_t old)
{
    uint64_t sum = 0, n = 0;
    for (uint32_t i = 0; i < s->used; i++) {
        if (s->group[i] != group) continue;
        const uint64_t pages = (uint64_t)__builtin_popcount(s->tag[i]);
        sum += (2 * 256 * (uint64_t)s->count[i] + pages) / (2 * pages);
        n++;
    }
    if (n == 0) return 0;
    const uint64_t average = (2 * sum + n) / (2 * n), all = (average * 6 + 128) / 256;
    const uint64_t got = all > 1023 ? 1023 : all == 0 ? 1 : all;
    return old ? (3 * old + got) / 4 : got;
}

Test(lease_sampler, long_runs_agree_with_equation_4_2)
{
    struct lease_sampler_cfg cfg = paper;
    cfg.Groups = 5;
    cfg.Entries = 8;
    cfg.CountW = 6;
    cfg.Duty = 200;
    cfg.Period = 800;
    struct lease_sampler *m = sampler(&cfg);
    struct rng rng;
    uint64_t leases[5] = {0}, set = 0;
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
            const uint64_t now = equation(&s, g, leases[g]);
            set += now != 0;
            leases[g] = now ? now : leases[g];
            cr_assert_eq(lease(m, g), leases[g] ? 1024 | leases[g] : 1023, "period %u, group %u", period, g);
        }
    }
    cr_expect(set == m->samples_q && set > 4000, "%lu leases", (unsigned long)set);
    free(m);
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
