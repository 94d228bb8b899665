// SPDX-License-Identifier: Apache-2.0
// Leases of resident pages: Gu20, sections 4.3.2 and 4.5.5.
#include "run.hpp"

static inline In command(lease_table_op op, uint32_t page, uint32_t lease = 0)
{
    In in{};
    in.cmd_valid_i = true;
    in.cmd_op_i = uint8_t(op);
    in.cmd_page_i = page;
    in.cmd_lease_i = uint16_t(lease);
    return in;
}

static inline In access(uint32_t page)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_page_i = page;
    return in;
}

static void cleared(Run &run)
{
    for (uint32_t i = 0; i < cfg.Pages; i++)
        run.expect(!run.idle().cmd_ready_o, "nothing is accepted while the table is cleared");
    run.expect(run.idle().cmd_ready_o, "one cycle a page, then commands are accepted");
}

static const uint32_t kLease = uint32_t(bits_mask(cfg.LeaseW < 4 ? cfg.LeaseW : 4));

SCENARIO(lifetime, true, "4.3.2: a lease of p lets a page stay for p accesses; then it has expired, once")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, kLease));
    for (uint32_t i = 0; i < kLease; i++) run.expect(!run.cycle(access(1)).exp_valid_o, "not yet");
    const Out &out = run.idle();
    run.expect(out.exp_valid_o && out.exp_page_o == 1, "the page has expired");
    In take{};
    take.exp_ready_i = true;
    run.cycle(take);
    run.expect(run.cycle(access(1)).acc_expired_o, "its next access reports that");
    run.expect(!run.idle(3).exp_valid_o, "no second expiry");
    run.expect_equal(run.idle().expired_o, 1, "expiries");
}

SCENARIO(recall, true, "4.3.2.2: a recall gives half the initial lease, at least one access")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 0, 1));
    run.cycle(access(0));
    run.expect(!run.cycle(command(LEASE_TABLE_RECALL, 0, kLease)).exp_valid_o, "its expiry is withdrawn");
    for (uint32_t i = 0; i < (kLease > 1 ? kLease / 2 : 1); i++)
        run.expect(!run.cycle(access(0)).exp_valid_o, "not yet");
    run.expect(run.idle().exp_valid_o, "expired again");
}

SCENARIO(accessed_late, true,
         "4.3.2.2: a page is accessed whose expiry still waits: it is to be recalled, and has not expired")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 0, 1));
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, 1));
    run.cycle(access(0));
    run.expect_equal(run.cycle(access(1)).exp_page_o, 0, "the page offered");
    if (cfg.Events <= 2) return;
    const Out &out = run.cycle(access(0));
    run.expect(out.acc_expired_o && out.acc_done_o && out.exp_valid_o, "in this cycle it can still be taken");
    run.expect(!run.idle().exp_valid_o, "then no more");
    run.expect(run.idle().exp_page_o == 1 && run.last().exp_valid_o, "the next one");
    run.cycle(command(LEASE_TABLE_RECALL, 0, 2));
    run.cycle(access(0));
    run.cycle(command(LEASE_TABLE_EVICT, 1));
    run.expect(run.idle().exp_page_o == 0 && run.last().exp_valid_o, "it expires anew");
}

SCENARIO(back_pressure, true, "no expiry is lost: an access waits while there is no room for one; a command does not")
{
    cleared(run);
    for (uint32_t i = 0; i < cfg.Events; i++) {
        run.cycle(command(LEASE_TABLE_MIGRATE, i % cfg.Pages, 1));
        run.expect(run.cycle(access(i % cfg.Pages)).acc_ready_o, "accepted");
        if (i + 1 == cfg.Pages) return;
    }
    for (uint32_t i = 0; i < 3; i++) run.expect(!run.cycle(access(0)).acc_ready_o, "it waits");
    run.expect(run.cycle(command(LEASE_TABLE_EVICT, 0)).cmd_ready_o, "an eviction is accepted");
    run.expect_equal(run.idle().resident_o, cfg.Events - 1, "pages");
}

SCENARIO(illegal, true, "a page that is there twice, or evicted twice: a sticky error, nothing else changes")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, 1));
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, 1));
    run.cycle(command(LEASE_TABLE_EVICT, 0));
    run.expect_equal(run.idle().error_o, LEASE_TABLE_ERROR_RESIDENT, "error_o: the first one");
    run.expect_equal(run.idle().resident_o, 1, "pages");
}

static const bool kSmall = cfg.Pages <= 4096, kTen = kSmall && cfg.LeaseW >= 3 && cfg.Pages >= 4;

SCENARIO(lease, kTen, "4.3.2: a lease of p keeps a page for p accesses, then it expires")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 2, 5));
    for (uint32_t i = 0; i < 5; i++) run.expect(!run.cycle(access(2)).exp_valid_o, "it lives");
    const Out &out = run.idle();
    run.expect(out.exp_valid_o && out.exp_page_o == 2, "it has expired");
    const Twin &now = run.registers();
    run.expect_equal(now.expired_q, 1, "expiries");
}

SCENARIO(recalled, kTen &&cfg.Events > 1, "4.3.2.2: an expired page that is accessed gets half its initial lease")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, 6));
    for (uint32_t i = 0; i < 6; i++) run.cycle(access(1));
    run.expect(run.cycle(access(1)).acc_expired_o, "its lease has expired");
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

SCENARIO(half, kSmall &&cfg.LeaseW == 10 && cfg.Pages > 3,
         "4.3.2.2: a recall gives half of a lease, and at least one access")
{
    static constexpr uint32_t leases[][2] = {{1023, 511}, {2, 1}, {1, 1}, {0, 1}};
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 3, 7));
    for (const auto &[lease, given] : leases) {
        run.cycle(command(LEASE_TABLE_RECALL, 3, lease));
        run.expect_equal(run.registers().page_q[3], 1024 | given, "the remaining lease");
    }
}

SCENARIO(nothing_else, cfg.Pages == 5, "each illegal command or access: the first error stays, nothing else changes")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 4, 6));
    run.cycle(access(1));
    run.expect_equal(run.idle().error_o, LEASE_TABLE_ERROR_ABSENT, "error_o");
    const auto wanted = std::make_unique<Twin>(run.registers());
    run.cycle(command(LEASE_TABLE_MIGRATE, 4, 3));
    run.cycle(command(LEASE_TABLE_MIGRATE, 5, 3));
    run.cycle(command(LEASE_TABLE_RECALL, 0, 3));
    run.cycle(command(lease_table_op(3), 4, 3));
    run.expect(!std::memcmp(wanted.get(), &run.registers(), sizeof *wanted), "the registers are as before");
}

SCENARIO(withdrawn, kSmall &&cfg.Events > 3 && cfg.Pages > 4,
         "an access withdraws its page's expiry that still waits; the others stay in order")
{
    cleared(run);
    for (uint32_t page = 2; page < 5; page++) run.cycle(command(LEASE_TABLE_MIGRATE, page, 1));
    for (uint32_t page = 2; page < 5; page++) run.cycle(access(page));
    const Out &out = run.cycle(access(3));
    run.expect(out.acc_ready_o && out.acc_done_o && out.acc_expired_o && out.exp_page_o == 2, "page 2 is offered");
    In take{};
    take.exp_ready_i = true;
    run.expect_equal(run.cycle(take).exp_page_o, 2, "the first");
    run.expect(!run.cycle(take).exp_valid_o, "the place of page 3");
    run.expect_equal(run.cycle(take).exp_page_o, 4, "the last");
    run.expect(!run.cycle(take).exp_valid_o, "no other");
    run.expect_equal(run.idle().expired_o, 3, "expiries");
}

SCENARIO(many_leases, true, "expired_o counts each lease that runs out, whether its expiry is taken or withdrawn")
{
    cleared(run);
    run.cycle(command(LEASE_TABLE_MIGRATE, 1, 1));
    for (uint32_t i = 0; i < 8200; i++) {
        run.expect(run.cycle(access(1)).acc_done_o, "the lease runs out");
        run.cycle(command(LEASE_TABLE_RECALL, 1, 1));
    }
    run.expect_equal(run.idle().expired_o, 8200, "expired leases");
}
