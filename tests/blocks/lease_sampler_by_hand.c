/* lease_sampler: outcomes worked out by hand from paper 002, section 4.3.2.1 and equation 4.2. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lease_sampler.h"

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
    free(m);
}
