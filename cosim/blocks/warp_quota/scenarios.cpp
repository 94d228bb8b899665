// SPDX-License-Identifier: Apache-2.0
// warp_quota: Dai17, section 4.4, of SMK-(P+W).
#include "run.hpp"

static const uint32_t kKernels = cfg.Kernels, kAll = (1u << kKernels) - 1, kTop = uint32_t(bits_mask(cfg.QuotaW));

static In present(uint32_t kernels)
{
    In in{};
    in.kernels_valid_i = true;
    in.kernels_i = uint8_t(kernels);
    return in;
}

static In quota(uint32_t kernel, uint32_t warp_instructions)
{
    In in{};
    in.set_valid_i = true;
    in.set_kernel_i = uint8_t(kernel);
    in.set_quota_i = uint16_t(warp_instructions);
    return in;
}

static In issue(uint32_t kernel, uint32_t count)
{
    In in{};
    in.issue_valid_i = true;
    in.issue_counts_i = uint16_t(count << (kernel * WARP_QUOTA_COUNT_W));
    return in;
}

static In both(uint32_t first, uint32_t second)
{
    In in = issue(0, first);
    in.issue_counts_i = uint16_t(in.issue_counts_i | second << WARP_QUOTA_COUNT_W);
    return in;
}

static uint32_t left(const Out &out, uint32_t kernel)
{
    return uint32_t(out.left_o >> (kernel * cfg.QuotaW) & bits_mask(cfg.QuotaW));
}

// Two kernels with these quotas, at the start of a period.
static void start(Run &run, uint32_t first, uint32_t second)
{
    run.cycle(quota(0, first));
    run.cycle(quota(1, second));
    run.expect(run.cycle(present(3)).refill_o, "the first kernels get their quotas at once");
}

SCENARIO(out_of_quota, true, "4.4: a kernel that runs out of quota stops; new quotas come when all are 0")
{
    start(run, 2, 3);
    run.expect(run.cycle(issue(0, 1)).may_issue_o == 3, "both may");
    run.expect(!run.cycle(issue(0, 1)).refill_o, "the other has quota left");
    run.expect_equal(run.cycle(issue(1, 1)).may_issue_o, 2, "the second alone");
    run.expect_equal(run.cycle(issue(1, 1)).may_issue_o, 2, "the second alone");
    run.expect(run.cycle(issue(1, 1)).refill_o, "all have used theirs");
    const Out &out = run.idle();
    run.expect(out.may_issue_o == 3 && left(out, 0) == 2 && left(out, 1) == 3, "the next period");
}

SCENARIO(stalled, true, "4.4: a kernel that does not issue keeps its quota, and the others wait for it")
{
    start(run, 1, 1);
    run.cycle(issue(0, 1));
    for (uint32_t i = 0; i < 8; i++) run.expect(run.idle().may_issue_o == 2 && !run.last().refill_o, "they wait");
    run.expect(run.cycle(issue(1, 1)).refill_o, "it has issued");
}

SCENARIO(not_there, true, "an absent kernel delays no refill, and keeps its quota")
{
    start(run, 1, 3);
    run.cycle(issue(1, 1));
    run.cycle(issue(0, 1));
    run.expect(run.cycle(present(1)).refill_o, "the one that is there has none left");
    const Out &out = run.idle();
    run.expect(out.may_issue_o == 1 && left(out, 0) == 1 && left(out, 1) == 3, "both have their quotas");
    run.cycle(present(3));
    run.cycle(issue(1, 1));
    run.cycle(present(1));
    run.cycle(present(3));
    run.expect_equal(left(run.idle(), 1), 2, "it comes back to what it had left");
}

SCENARIO(nobody, true, "with no kernel present nothing may issue, and there is no refill")
{
    run.expect(!run.idle().may_issue_o && !run.last().refill_o, "after reset");
    start(run, 1, 1);
    run.cycle(present(0));
    run.expect(!run.idle().may_issue_o && !run.last().refill_o, "all have left");
}

SCENARIO(overshoot, cfg.Issues > 1,
         "the schedulers of a cycle see the same quota: what is above it is a debt, or forgotten")
{
    start(run, 3, 1);
    run.cycle(issue(0, 1));
    run.cycle(issue(0, 1));
    run.cycle(issue(0, 2));
    run.expect_equal(left(run.idle(), 0), 0, "1 left, 2 issued");
    run.expect(run.cycle(issue(1, 1)).refill_o, "the other's last one");
    run.expect_equal(left(run.idle(), 0), cfg.Debt ? 2 : 3, "the next quota");
    run.expect_equal(left(run.idle(), 1), 1, "the other's");
}

SCENARIO(overshoot_of_the_last, cfg.Issues > 1,
         "a debt of the cycle that ends the period; a quota is never less than 1")
{
    start(run, 1, 1);
    run.cycle(issue(1, 1));
    run.expect(run.cycle(issue(0, 2)).refill_o, "all have used theirs");
    run.expect_equal(left(run.idle(), 0), 1, "1 - 1 is 0, and 1 at least");
}

SCENARIO(one_cycle, cfg.Issues > 1,
         "instructions of both, a kernel that leaves, and a new quota: one period after the other")
{
    start(run, 1, 2);
    In all = both(1, 1);
    all.kernels_valid_i = true;
    all.kernels_i = 1;
    all.set_valid_i = true;
    all.set_kernel_i = 0;
    all.set_quota_i = 3;
    run.expect(run.cycle(all).refill_o, "the kernel that stays has none left");
    run.expect_equal(left(run.idle(), 0), 1, "the quota that it had");
    run.expect(run.cycle(issue(0, 1)).refill_o, "alone");
    run.expect_equal(left(run.idle(), 0), 3, "the new one");
}

SCENARIO(errors, true,
         "an instruction without quota counts for nothing; more than Issues; a quota of 0; the first error stays")
{
    start(run, 1, 2);
    run.cycle(issue(0, 1));
    run.cycle(issue(0, 1));
    run.expect_equal(run.idle().error_o, WARP_QUOTA_ERROR_ISSUE, "error");
    run.cycle(quota(1, 0));
    run.expect_equal(run.idle().error_o, WARP_QUOTA_ERROR_ISSUE, "error: the first one");
    run.reset();
    start(run, kTop, kTop);
    run.cycle(issue(0, cfg.Issues + 1));
    run.expect_equal(run.idle().error_o, WARP_QUOTA_ERROR_COUNT, "error");
    run.reset();
    run.cycle(quota(1, 0));
    run.expect_equal(run.idle().error_o, WARP_QUOTA_ERROR_SET, "error");
    run.expect_equal(run.registers().set_q[1], 1, "the quota stays");
}

SCENARIO(shares, kTop >= 20, "4.4: instructions are in the ratio of the quotas, not of the requests")
{
    start(run, 5, 20);
    uint32_t issued[2] = {};
    for (uint32_t i = 0; i < 500; i++) {
        const uint32_t may = run.idle().may_issue_o;
        for (uint32_t k = 0; k < 2; k++) {
            if (!(may >> k & 1) || (k == 1 && i % 3)) continue;
            run.cycle(issue(k, 1));
            issued[k]++;
        }
    }
    run.expect(issued[1] >= 4 * (issued[0] - 5) && issued[1] <= 4 * (issued[0] + 5), "1 to 4");
}
