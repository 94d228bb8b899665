/* SPDX-License-Identifier: Apache-2.0 */
/* warp_quota against a count of credits per kernel, without a period's registers; the README's table. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "readme_example.h"
#include "skip.h"
#include "warp_quota.h"

TWIN_CYCLE(warp_quota)

static struct warp_quota quotas(uint32_t kernels, uint32_t issues, bool debt)
{
    const struct warp_quota_cfg cfg = {.Kernels = kernels, .QuotaW = 8, .Issues = issues, .Debt = debt};
    struct warp_quota m = {0};
    warp_quota_init(&m, &cfg);
    return m;
}

static void set(struct warp_quota *m, uint8_t kernel, uint16_t quota)
{
    cycle(m, (struct warp_quota_in){.set_valid_i = true, .set_kernel_i = kernel, .set_quota_i = quota});
}

static struct warp_quota_in present(uint8_t kernels)
{
    return (struct warp_quota_in){.kernels_valid_i = true, .kernels_i = kernels};
}

/* Quotas 2 and 3, two schedulers. */
Test(readme_example, warp_quota)
{
    struct warp_quota m = quotas(2, 2, true);
    set(&m, 0, 2);
    set(&m, 1, 3);
    cycle(&m, present(3));
    for (struct example e = example_of("warp_quota", "cycle"); next_row(&e);) {
        uint32_t first = 0, second = 0;
        cr_assert_eq(sscanf(given(&e, "issued"), "%u, %u", &first, &second), 2);
        const struct warp_quota_out out =
            cycle(&m, (struct warp_quota_in){.issue_valid_i = first + second > 0,
                                             .issue_counts_i = (uint16_t)(first | second << WARP_QUOTA_COUNT_W)});
        shows_number(&e, "cycle", e.rows - 1);
        shows(&e, "left", true, "%u, %u", (uint32_t)(out.left_o & 255), (uint32_t)(out.left_o >> 8));
        shows(&e, "may_issue_o", true, "%s", NAME(out.may_issue_o, "none", "0", "1", "0, 1"));
        shows(&e, "refill_o", out.refill_o, "1");
    }
}

/* Credits: what a kernel may still issue, negative if it is in debt. */
struct credits {
    int32_t quota[4], left[4];
    uint32_t present;
    bool debt;
};

static bool all_spent(const struct credits *r, uint32_t kernels)
{
    for (uint32_t k = 0; k < kernels; k++)
        if ((r->present >> k & 1) && r->left[k] > 0) return false;
    return r->present != 0;
}

static void give(struct credits *r, uint32_t kernels)
{
    for (uint32_t k = 0; k < kernels; k++) {
        const int32_t owed = r->debt && r->left[k] < 0 ? -r->left[k] : 0;
        r->left[k] = r->quota[k] > owed ? r->quota[k] - owed : 1;
    }
}

/* Of the kernels that may, instructions of up to `issues` schedulers. */
static struct warp_quota_in next(struct rng *rng, struct credits *r, const struct warp_quota_cfg *p)
{
    struct warp_quota_in in = {.kernels_valid_i = rng_below(rng, 30) == 0,
                               .kernels_i = (uint8_t)rng_below(rng, 1u << p->Kernels),
                               .set_valid_i = rng_below(rng, 40) == 0,
                               .set_kernel_i = (uint8_t)rng_below(rng, p->Kernels),
                               .set_quota_i = (uint16_t)(1 + rng_below(rng, rng_below(rng, 2) ? 4 : 60))};
    int32_t count[4] = {0};
    for (uint32_t n = 0; n < p->Issues; n++) {
        const uint32_t k = (uint32_t)rng_below(rng, p->Kernels);
        if ((r->present >> k & 1) && r->left[k] > 0 && rng_below(rng, 4)) count[k]++;
    }
    for (uint32_t k = 0; k < p->Kernels; k++) {
        in.issue_valid_i = in.issue_valid_i || count[k];
        in.issue_counts_i |= (uint16_t)(count[k] << (k * WARP_QUOTA_COUNT_W));
        r->left[k] -= count[k];
    }
    return in;
}

static void compare(const struct warp_quota *m, const struct credits *r, uint32_t n)
{
    for (uint32_t k = 0; k < m->p.Kernels; k++)
        cr_assert_eq(m->left_q[k], r->left[k] > 0 ? r->left[k] : 0, "cycle %u, kernel %u: %u, %d", n, k, m->left_q[k],
                     r->left[k]);
}

static void against_credits(uint32_t kernels, uint32_t issues, bool debt)
{
    struct warp_quota m = quotas(kernels, issues, debt);
    struct credits r = {.quota = {1, 1, 1, 1}, .debt = debt};
    struct rng rng;
    uint32_t refills = 0;
    rng_seed(&rng, kernels + 8 * issues + debt);
    for (uint32_t n = 0; n < 20000; n++) {
        const struct warp_quota_in in = next(&rng, &r, &m.p);
        if (in.kernels_valid_i) r.present = in.kernels_i;
        const bool refill = all_spent(&r, kernels);
        if (refill) give(&r, kernels);
        if (in.set_valid_i) r.quota[in.set_kernel_i] = in.set_quota_i;
        cr_assert_eq(cycle(&m, in).refill_o, refill, "cycle %u", n);
        compare(&m, &r, n);
        refills += refill;
    }
    cr_expect(refills > 100 && m.error_q == WARP_QUOTA_OK, "%u refills", refills);
}

Test(warp_quota, random_instructions_against_credits)
{
    for (uint32_t kernels = 2; kernels <= 4; kernels++)
        for (uint32_t issues = 1; issues <= 4; issues++)
            for (uint32_t debt = 0; debt < 2; debt++) against_credits(kernels, issues, debt);
}

/* Both kernels always ready, four schedulers: the instructions of 1000 periods. */
static void spend(bool debt, uint64_t sum[2], uint32_t *periods)
{
    struct warp_quota m = quotas(2, 4, debt);
    set(&m, 0, 5);
    set(&m, 1, 19);
    cycle(&m, present(3));
    for (*periods = 0; *periods < 1000;) {
        struct warp_quota_out out;
        const struct warp_quota_in nothing = {0};
        warp_quota_eval(&m, &nothing, &out);
        const uint32_t each = out.may_issue_o == 3 ? 2 : 4;
        uint32_t counts = 0;
        for (uint32_t k = 0; k < 2; k++) {
            if (!(out.may_issue_o >> k & 1)) continue;
            counts |= each << (k * WARP_QUOTA_COUNT_W);
            sum[k] += each;
        }
        *periods +=
            cycle(&m, (struct warp_quota_in){.issue_valid_i = true, .issue_counts_i = (uint16_t)counts}).refill_o;
    }
}

Test(warp_quota, shares_are_exact_with_debts_and_larger_without)
{
    uint64_t with[2] = {0}, without[2] = {0};
    uint32_t periods;
    spend(true, with, &periods);
    for (uint32_t k = 0; k < 2; k++) cr_expect_leq(with[k] - (uint64_t)(k ? 19 : 5) * periods, 3, "%lu", with[k]);
    spend(false, without, &periods);
    cr_expect_eq(without[0], 6 * periods, "three cycles of two for 5");
    cr_expect_gt(without[1], 19 * periods);
}

static void traffic(struct warp_quota *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 12); c > 0; c--)
        cycle(m, (struct warp_quota_in){.issue_valid_i = rng_below(rng, 2),
                                        .issue_counts_i = (uint16_t)rng_below(rng, 512),
                                        .set_valid_i = rng_below(rng, 4) == 0,
                                        .set_kernel_i = (uint8_t)rng_below(rng, 3),
                                        .set_quota_i = (uint16_t)rng_below(rng, 9),
                                        .kernels_valid_i = rng_below(rng, 9) == 0,
                                        .kernels_i = (uint8_t)rng_below(rng, 8)});
    if (rng_below(rng, 8) == 0) memset(m->left_q, 0, sizeof m->left_q); /* no event leaves it so: not idle */
}

Test(warp_quota, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct warp_quota m = quotas(3, 4, true);
    SKIP_ROUNDS(warp_quota, &m, traffic, 11, 3000, 9, .kernels_i = 2, .issue_counts_i = 5, .set_quota_i = 3);
}
