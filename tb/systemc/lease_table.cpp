// SPDX-License-Identifier: Apache-2.0
// Leases of resident pages: Gu20, sections 4.3.2 and 4.5.5.
#include "bench.hpp"
#include "lease_table_inputs.hpp"

static void cleared(tb::Bench &run)
{
    for (uint32_t i = 0; i < cfg.Pages; i++) run.expect(!run.idle().cmd_ready_o, "the table is being cleared");
    run.expect(run.idle().cmd_ready_o, "it is clear");
}

static constexpr bool kSmall = cfg.Pages <= 4096, kTen = kSmall && cfg.LeaseW >= 3 && cfg.Pages >= 4;

SCENARIO(lease, kTen, "4.3.2: a lease of p keeps a page for p accesses, then it expires")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 2, 5));
    for (uint32_t i = 0; i < 5; i++) run.expect(!run.cycle(access(2)).exp_valid_o, "it lives");
    const Out &out = run.idle();
    run.expect(out.exp_valid_o && out.exp_page_o == 2, "it has expired");
    const auto now = run.registers();
    run.expect_equal(now.rtl.expired_q, 1, "the RTL's expiries");
    run.expect_equal(now.twin.expired_q, 1, "the twin's expiries");
}

SCENARIO(recalled, kTen, "4.3.2.2: an expired page that is accessed gets half its initial lease")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, 6));
    for (uint32_t i = 0; i < 6; i++) run.cycle(access(1));
    run.expect(run.cycle(access(1)).acc_expired_o, "its lease has run out");
    run.expect(!run.cycle(command(LEASE_TABLE_RECALL, 1, 6)).exp_valid_o, "recalled");
    for (uint32_t i = 0; i < 3; i++) run.expect(!run.cycle(access(1)).exp_valid_o, "it lives");
    run.expect(run.idle().exp_valid_o, "it has expired again");
}

SCENARIO(resident, kSmall, "resident pages are migrations less evictions")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 0, 1));
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, 1));
    run.cycle(command(LEASE_TABLE_EVICT, 0));
    run.cycle(command(LEASE_TABLE_EVICT, 0));
    const Out &out = run.idle();
    run.expect_equal(out.resident_o, 1, "pages");
    run.expect_equal(out.error_o, LEASE_TABLE_ERROR_ABSENT, "error_o: it was evicted twice");
}
