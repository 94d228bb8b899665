// SPDX-License-Identifier: Apache-2.0
// Leases from sampled page requests: Gu20, section 4.3.2.1.
#include "bench.hpp"
#include "lease_sampler_inputs.hpp"

static void requests(tb::Bench &run, uint32_t group, uint64_t page, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) run.expect(run.cycle(request(group, page)).sampling_o, "it is counted");
}

// The rest of a period that is `cycle` cycles old; leases that are set in it.
static uint32_t rest_of_period(tb::Bench &run, uint32_t cycle)
{
    uint32_t leases = 0;
    for (; cycle < cfg.Period; cycle++) leases += run.idle().upd_valid_o;
    return leases;
}

static constexpr bool kPaper = cfg.Duty == 1000 && cfg.Period == 6000 && cfg.Entries == 16 && cfg.Groups == 16;

SCENARIO(duty, true, "4.3.2.1: it works for D cycles in every S")
{
    for (uint32_t period = 0; period < 2; period++)
        for (uint32_t c = 0; c < cfg.Period; c++) run.expect_equal(run.idle().sampling_o, c < cfg.Duty, "sampling_o");
}

SCENARIO(allocations, kPaper, "4.3.2.1: each page group gets the average access frequency of its pages, scaled by S/D")
{
    requests(run, 1, 16, 8); // one page, 8 requests: 48 in a period
    requests(run, 1, 17, 2); // two pages, 10 requests: 30
    requests(run, 2, 512, 1);
    requests(run, 2, 528, 3); // two blocks of one page, 1 and 3 requests: 2, so 12
    run.expect_equal(rest_of_period(run, 14), 2, "leases");
    run.expect_equal(run.cycle(look(1)).look_lease_o, 30, "the lease of group 1");
    run.expect_equal(run.cycle(look(2)).look_lease_o, 12, "the lease of group 2");
    run.expect(!run.cycle(look(3)).look_known_o, "group 3 had no request");
}

SCENARIO(adapts, kPaper, "4.3.2.1: the new average goes into the lease with its weight, period by period")
{
    static constexpr uint32_t leases[] = {60, 46, 36, 28};
    for (uint32_t period = 0; period < 4; period++) {
        const uint32_t n = period ? 1 : 10; // 60 at first, 6 later
        requests(run, 0, 3, n);
        run.expect_equal(rest_of_period(run, n), 1, "leases");
        const auto now = run.registers();
        run.expect_equal(now.rtl.lease_q[0], leases[period], "the RTL's lease");
        run.expect_equal(now.twin.lease_q[0], leases[period], "the twin's lease");
    }
}

SCENARIO(no_free_entry, cfg.Duty > cfg.Entries, "4.3.2.1: without a free entry, requests to other blocks are ignored")
{
    for (uint32_t i = 0; i < cfg.Entries; i++) requests(run, 0, 16 * i, 1);
    requests(run, 0, uint64_t(16) * cfg.Entries, 1);
    run.expect_equal(run.idle().ignored_o, 1, "ignored_o");
    run.expect_equal(rest_of_period(run, cfg.Entries + 2), 1, "leases: one group");
}

SCENARIO(rewritten, true, "an allocation that is made anew has no sample, and none is set by what was counted before")
{
    requests(run, 0, 0, 1);
    In in{};
    in.forget_valid_i = true;
    run.cycle(in);
    run.expect_equal(rest_of_period(run, 2), 0, "leases");
    const Out &out = run.cycle(look(0));
    run.expect(!out.look_known_o, "no sample");
    run.expect(out.look_lease_o == cfg.InitLease || out.look_lease_o == bits_mask(cfg.LeaseW), "as long as it can be");
}
