/* SPDX-License-Identifier: Apache-2.0 */
/* qbmi against plain arithmetic: ratios by division, sets by Euclid's algorithm; the bound of instructions in a row. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "qbmi.h"
#include "skip.h"

static struct qbmi issuer(uint32_t kernels, uint32_t rbmi)
{
    const struct qbmi_cfg cfg = {.Kernels = kernels, .ReqW = 10, .QuotaW = 16, .Carry = 1, .Rbmi = rbmi};
    struct qbmi m = {0};
    qbmi_init(&m, &cfg);
    return m;
}

TWIN_CYCLE(qbmi)

static void present(struct qbmi *m, uint8_t kernels)
{
    cycle(m, (struct qbmi_in){.kernels_valid_i = true, .kernels_i = kernels});
}

static struct qbmi_out issue(struct qbmi *m, uint8_t kernel)
{
    return cycle(m, (struct qbmi_in){.issue_valid_i = true, .issue_kernel_i = kernel});
}

static void request(struct qbmi *m, uint8_t kernel)
{
    cycle(m, (struct qbmi_in){.req_valid_i = true, .req_kernel_i = kernel});
}

/* 1024 requests of `instructions`. */
static void interval(struct qbmi *m, uint8_t kernel, uint32_t instructions)
{
    for (uint32_t i = 0; i < instructions; i++) issue(m, kernel);
    for (uint32_t i = 0; i < 1024; i++) request(m, kernel);
}

static uint32_t until_idle(struct qbmi *m)
{
    uint32_t n = 0;
    for (; !qbmi_idle(m); n++) cycle(m, (struct qbmi_in){0});
    return n;
}

static int granted(struct qbmi *m, uint8_t asks)
{
    const struct qbmi_in in = {.ask_i = asks};
    struct qbmi_out out;
    qbmi_eval(m, &in, &out);
    return out.grant_valid_o ? out.grant_kernel_o : -1;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
    return b ? gcd(b, a % b) : a;
}

static uint32_t lcm(uint32_t a, uint32_t b)
{
    return a / gcd(a, b) * b;
}

/* One calculation of the block, from the numbers alone. */
static void expect_set(struct qbmi *m, const uint8_t r[4])
{
    uint32_t all = 1;
    for (uint32_t k = 0; k < m->p.Kernels; k++) {
        all = lcm(all, r[k]);
        m->ratio_q[k] = r[k];
        m->acc_q[k] = 1;
    }
    m->busy_q = true;
    m->step_q = 0;
    cr_assert_eq(until_idle(m), 18);
    for (uint32_t k = 0; k < m->p.Kernels; k++)
        cr_assert_eq(m->set_q[k], all / r[k], "%u %u %u %u: %u", r[0], r[1], r[2], r[3], m->set_q[k]);
}

Test(qbmi, every_pair_and_triple_and_its_least_common_multiple_by_euclid)
{
    struct qbmi two = issuer(2, 0), three = issuer(3, 0);
    for (uint8_t a = 1; a <= 32; a++) {
        for (uint8_t b = 1; b <= 32; b++) {
            expect_set(&two, (uint8_t[4]){a, b});
            for (uint8_t c = 1; c <= 32; c++) expect_set(&three, (uint8_t[4]){a, b, c});
        }
    }
}

/* Each four numbers once, in an order that the seed says. */
Test(qbmi, every_four_and_their_least_common_multiple_by_euclid)
{
    struct qbmi m = issuer(4, 0);
    struct rng rng;
    rng_seed(&rng, 4);
    for (uint32_t n = 0; n < 32 * 32 * 32 * 32; n++) {
        uint8_t r[4] = {(uint8_t)(1 + n % 32), (uint8_t)(1 + n / 32 % 32), (uint8_t)(1 + n / 1024 % 32),
                        (uint8_t)(1 + n / 32768)};
        if (r[0] > r[1] || r[1] > r[2] || r[2] > r[3]) continue;
        for (uint32_t k = 3; k > 0; k--) {
            const uint64_t other = rng_below(&rng, k + 1);
            const uint8_t kept = r[k];
            r[k] = r[other];
            r[other] = kept;
        }
        expect_set(&m, r);
    }
}

/* To nearest, at least 1, at most 32. */
Test(qbmi, requests_per_instruction)
{
    for (uint32_t n = 0; n <= 1024; n += n < 70 ? 1 : 17) {
        struct qbmi m = issuer(2, 0);
        present(&m, 3);
        interval(&m, 1, n);
        const double exact = n ? 1024.0 / n : 32;
        const uint32_t nearest = exact >= 32 ? 32 : exact < 1 ? 1 : (uint32_t)(exact + 0.5);
        cr_expect_eq(m.ratio_q[1], nearest, "%u instructions: %u", n, m.ratio_q[1]);
        cr_expect_eq(m.ratio_q[0], 1, "not known: 1");
    }
}

static uint32_t in_a_row(struct qbmi *m, int kernel)
{
    uint32_t n = 0;
    for (; granted(m, 3) == kernel; n++) issue(m, (uint8_t)kernel);
    return n;
}

/* Random sets, random silence: the bound that is proved for two kernels. */
Test(qbmi, no_kernel_issues_more_than_95_in_a_row_while_the_other_asks)
{
    struct rng rng;
    uint32_t most = 0;
    rng_seed(&rng, 9);
    for (uint32_t round = 0; round < 40; round++) {
        struct qbmi m = issuer(2, 0);
        present(&m, 3);
        for (uint32_t n = 0; n < 30; n++) {
            const uint8_t k = (uint8_t)rng_below(&rng, 2);
            interval(&m, k, 1024 / (1 + (uint32_t)rng_below(&rng, 32)));
            for (uint64_t wait = rng_below(&rng, 30); wait > 0; wait--) cycle(&m, (struct qbmi_in){0});
            for (int kernel = 0; kernel < 2; kernel++) {
                const uint32_t row = in_a_row(&m, kernel);
                most = row > most ? row : most;
            }
        }
    }
    cr_expect(most > 60 && most <= 95, "%u", most);
}

static void traffic(struct qbmi *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 12); c > 0; c--)
        cycle(m, (struct qbmi_in){.issue_valid_i = rng_below(rng, 2),
                                  .issue_kernel_i = (uint8_t)rng_below(rng, 3),
                                  .req_valid_i = rng_below(rng, 2),
                                  .req_kernel_i = (uint8_t)rng_below(rng, 3),
                                  .kernels_valid_i = rng_below(rng, 100) == 0,
                                  .kernels_i = (uint8_t)(1 + rng_below(rng, 7))});
}

Test(qbmi, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct qbmi m = issuer(3, 0);
    m.p.ReqW = 5;
    SKIP_ROUNDS(qbmi, &m, traffic, 11, 20000, 9, .ask_i = 7, .kernels_i = 2, .issue_kernel_i = 1);
}
