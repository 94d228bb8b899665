// SPDX-License-Identifier: Apache-2.0
// Leases from sampled page requests: Gu20, section 4.3.2.1.
#include "run.hpp"

static inline In request(uint32_t group, uint64_t page)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_group_i = uint8_t(group);
    in.acc_page_i = page;
    in.look_group_i = uint8_t(group);
    return in;
}

static inline In forget(uint32_t group)
{
    In in{};
    in.forget_valid_i = true;
    in.forget_group_i = uint8_t(group);
    in.look_group_i = uint8_t(group);
    return in;
}

static inline In look(uint32_t group)
{
    In in{};
    in.look_group_i = uint8_t(group);
    return in;
}

static const uint64_t kBlocks = bits_mask(cfg.PageW - 4) + 1, kMost = bits_mask(cfg.LeaseW),
                      kCount = bits_mask(cfg.CountW);
static const uint32_t kWidth = LEASE_SAMPLER_DIVIDE_W(&cfg);

static constexpr uint64_t nearest(uint64_t a, uint64_t b)
{
    return (2 * a + b) / (2 * b);
}

// An average of equation 4.2 in FracW fractional bits, as a lease of any length.
static uint64_t scaled(uint64_t average)
{
    return nearest(average * cfg.ScaleNum, uint64_t(cfg.ScaleDen) << cfg.FracW);
}

// The first lease of a group with these entries {N, P}.
static uint64_t lease_of(const std::vector<std::pair<uint64_t, uint64_t>> &entries)
{
    uint64_t sum = 0;
    for (const auto &[accesses, pages] : entries) sum += nearest(std::min(accesses, kCount) << cfg.FracW, pages);
    const uint64_t lease = scaled(nearest(sum, entries.size()));
    return std::min(std::max<uint64_t>(lease, 1), kMost);
}

// Runs until a lease is set or the period ends, from the given cycle of it.
static const Out *work(Run &run, uint32_t from)
{
    for (uint32_t i = from; i < cfg.Period; i++) {
        const Out &out = run.idle();
        if (out.upd_valid_o) return &out;
    }
    return nullptr;
}

SCENARIO(average, true, "equation 4.2: accesses by pages that were accessed, times LEASE_SCALE")
{
    const uint32_t accesses = std::min(cfg.Duty, 5u), pages = std::min(cfg.Duty, 2u), last = cfg.Groups - 1;
    run.expect(!run.cycle(look(last)).look_known_o, "no sample yet");
    run.reset();
    for (uint32_t i = 0; i < accesses; i++) run.cycle(request(last, i & 1));
    const Out *out = work(run, accesses);
    run.expect(out && out->upd_group_o == last, "a lease is set");
    run.expect_equal(out->upd_lease_o, lease_of({{accesses, pages}}), "the lease");
    const Out &after = run.cycle(look(last));
    run.expect(after.look_known_o, "it is known");
    run.expect_equal(after.look_lease_o, lease_of({{accesses, pages}}), "look_lease_o");
    run.expect_equal(after.samples_o, 1, "samples_o");
}

SCENARIO(weighted, true, "the lease of the next sample is weighted with the one before")
{
    const uint32_t requests[] = {1, 1, cfg.Duty, 1};
    uint64_t lease = 0;
    for (const uint32_t n : requests) {
        for (uint32_t i = 0; i < n; i++) run.expect(run.cycle(request(0, 0)).sampling_o, "counted");
        const uint64_t got = lease_of({{n, 1}});
        lease = lease ? ((lease << cfg.OldShift) - lease + got) >> cfg.OldShift : got;
        for (uint32_t i = n; i < cfg.Period; i++) {
            const Out &out = run.cycle(look(0));
            if (out.upd_valid_o) run.expect_equal(out.upd_lease_o, lease, "the lease");
        }
    }
    run.expect_equal(run.cycle(look(0)).samples_o, 4, "samples_o");
}

static const bool kOneMoreBlock = std::min<uint64_t>(cfg.Duty, kBlocks) > cfg.Entries;

SCENARIO(entries, kOneMoreBlock, "as many 64 KiB blocks as there are entries; the accesses to one more are ignored")
{
    std::vector<std::pair<uint64_t, uint64_t>> all;
    for (uint32_t i = 0; i < cfg.Entries; i++) {
        run.cycle(request(0, 16 * i));
        all.push_back({1, 1});
    }
    run.cycle(request(0, uint64_t(16) * cfg.Entries));
    if (cfg.Duty >= 3 * cfg.Entries + 1) {
        for (uint32_t i = 0; i < cfg.Entries; i++) {
            run.cycle(request(0, 16 * i));
            run.cycle(request(0, 16 * i + 1 + i % 15));
            all[i] = {3, 2};
        }
    }
    const uint32_t used = cfg.Duty >= 3 * cfg.Entries + 1 ? 3 * cfg.Entries + 1 : cfg.Entries + 1;
    const Out *out = work(run, used);
    run.expect(out != nullptr, "a lease is set");
    run.expect_equal(out->ignored_o, 1, "ignored_o");
    run.expect_equal(out->upd_lease_o, lease_of(all), "the lease");
}

SCENARIO(pages, true, "every number of pages from 1 to 16, in the first entry")
{
    for (uint32_t p = 1; p <= 16 && p <= cfg.Duty; p++) {
        run.reset();
        const uint32_t most = p + 5 < cfg.Duty ? p + 5 : cfg.Duty;
        for (uint32_t i = 0; i < most; i++) run.cycle(request(0, i % p));
        const Out *out = work(run, most);
        run.expect(out != nullptr, "a lease is set");
        run.expect_equal(out->upd_lease_o, lease_of({{most, p}}), "the lease");
    }
}

SCENARIO(hammered, true, "one page in every duty cycle: the counter and the lease saturate, they do not wrap")
{
    for (uint32_t i = 0; i < cfg.Duty; i++) run.expect(run.cycle(request(0, 0)).sampling_o, "counted");
    run.expect(!run.cycle(request(0, 0)).sampling_o, "not counted any more");
    const Out *out = work(run, cfg.Duty + 1);
    run.expect(out != nullptr, "a lease is set");
    run.expect_equal(out->upd_lease_o, lease_of({{cfg.Duty, 1}}), "the lease");
}

// A group with one entry, D cycles, then: choose, take the entry, divide, round, and so on; clears the group in each of
// these.
SCENARIO(forgotten, true, "a group that is (re)written during its division gets no lease")
{
    const uint32_t w = kWidth, at[] = {0,         1,         2,         w + 1,     w + 2,     w + 3,    w + 4,
                                       2 * w + 4, 2 * w + 5, 2 * w + 6, 3 * w + 5, 3 * w + 6, 3 * w + 7};
    for (const uint32_t cycle : at) {
        run.reset();
        run.cycle(request(0, 3));
        run.idle(cfg.Duty - 1);
        for (uint32_t i = 0; i < cycle; i++) run.expect(!run.idle().upd_valid_o, "not yet");
        run.expect(!run.cycle(forget(0)).upd_valid_o, "it is cleared");
        for (uint32_t i = 0; i < w + 3; i++) run.expect(!run.idle().upd_valid_o, "no lease any more");
        run.expect(!run.cycle(look(0)).look_known_o, "not known");
    }
    run.reset();
    run.cycle(request(0, 3));
    run.idle(cfg.Duty - 1);
    run.expect(!run.idle(3 * w + 7).upd_valid_o, "not yet");
    run.expect(run.idle().upd_valid_o, "else it is set three divisions later");
}

SCENARIO(rewritten, true, "a group that is (re)written has its initial lease again, and its entries are free")
{
    for (uint32_t i = 0; i < cfg.Entries; i++) run.cycle(request(0, 16 * i));
    In in = request(0, 0);
    in.forget_valid_i = true;
    run.cycle(in);
    run.expect(work(run, cfg.Entries + 1) == nullptr, "no lease: the access of that cycle went, too");
    run.cycle(request(0, 0));
    run.expect(work(run, 1) != nullptr, "a lease");
    run.cycle(forget(0));
    const Out &out = run.cycle(look(0));
    run.expect(!out.look_known_o, "not known");
    run.expect_equal(out.look_lease_o, std::min<uint64_t>(cfg.InitLease, kMost), "look_lease_o");
}

SCENARIO(reallocated, cfg.Duty > cfg.Entries,
         "the entries of a group that is (re)written are free for an access of another group in that cycle")
{
    if (cfg.Groups == 1) return;
    for (uint32_t i = 0; i < cfg.Entries; i++) run.cycle(request(0, 16 * i));
    In in = request(1, 3);
    in.forget_valid_i = true;
    run.cycle(in);
    const Out *out = work(run, cfg.Entries + 1);
    run.expect(out && out->upd_group_o == 1, "a lease of the other group");
    run.expect_equal(out->ignored_o, 0, "ignored_o");
}

SCENARIO(illegal, true, "a group that does not exist: a sticky error, nothing else changes")
{
    if ((cfg.Groups & (cfg.Groups - 1)) == 0 && cfg.Groups > 1) return;
    run.cycle(request(cfg.Groups, 0));
    run.expect(run.idle().error_o == LEASE_SAMPLER_ERROR_GROUP, "error_o");
    run.expect(work(run, 2) == nullptr, "no lease");
    run.reset();
    run.cycle(forget(cfg.Groups));
    run.expect(run.idle().error_o == LEASE_SAMPLER_ERROR_GROUP, "error_o");
}

static void requests(Run &run, uint32_t group, uint64_t page, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) run.expect(run.cycle(request(group, page)).sampling_o, "it is counted");
}

// The rest of a period that is `cycle` cycles old; leases set in it.
static uint32_t rest_of_period(Run &run, uint32_t cycle)
{
    uint32_t leases = 0;
    for (; cycle < cfg.Period; cycle++) leases += run.idle().upd_valid_o;
    return leases;
}

static const bool kPaper = cfg.Duty == 1000 && cfg.Period == 6000 && cfg.Entries == 16 && cfg.Groups == 16 &&
                           cfg.PageW >= 10 && cfg.CountW == 10 && cfg.LeaseW == 10 && cfg.ScaleNum == 6 &&
                           cfg.ScaleDen == 1 && cfg.OldShift == 2 && cfg.FracW == 8;

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
        const Twin &now = run.registers();
        run.expect_equal(now.lease_q[0], leases[period], "lease");
        run.expect_equal(rest_of_period(run, 1), 0, "leases: a period without requests");
    }
    run.expect_equal(run.cycle(look(0)).look_lease_o, 28, "lease");
    run.expect_equal(run.last().samples_o, 4, "samples_o");
}

SCENARIO(no_free_entry, kOneMoreBlock, "4.3.2.1: without a free entry, requests to other blocks are ignored")
{
    for (uint32_t i = 0; i < cfg.Entries; i++) requests(run, 0, 16 * i, 1);
    requests(run, 0, uint64_t(16) * cfg.Entries, 1);
    run.expect_equal(run.idle().ignored_o, 1, "ignored_o");
    run.expect_equal(rest_of_period(run, cfg.Entries + 2), 1, "leases: one group");
}

// In 256ths: 7/3 is 597, 5 is 1280, 1 is 256; a third of their sum is 711, or 2.777; times 6, 17.  All accesses by all
// pages, 16/8, would give 12.
SCENARIO(average_of_blocks, kPaper, "equation 4.2: the lease of a group is the average of its blocks, not of its pages")
{
    requests(run, 0, 0, 5);
    requests(run, 0, 1, 1);
    requests(run, 0, 2, 1);
    requests(run, 0, 16 + 9, 5);
    for (uint32_t page = 32; page < 36; page++) requests(run, 0, page, 1);
    run.expect_equal(rest_of_period(run, 16), 1, "leases");
    run.expect_equal(run.cycle(look(0)).look_lease_o, 17, "lease");
}

SCENARIO(saturated, kPaper, "170 accesses to a page are 1020 in a period; 171 are more than 10 bits hold, so 1023")
{
    requests(run, 0, 0, 170);
    requests(run, 1, 16, 171);
    run.expect_equal(rest_of_period(run, 341), 2, "leases");
    run.expect_equal(run.cycle(look(0)).look_lease_o, 1020, "lease");
    run.expect_equal(run.cycle(look(1)).look_lease_o, 1023, "lease");
    requests(run, 1, 16, 900);
    run.expect_equal(rest_of_period(run, 902), 1, "leases");
    run.expect_equal(run.cycle(look(1)).look_lease_o, 1023, "the lease: its weighting does not wrap");
}

// Three divisions of 24 cycles for a group of one block, one more for each further block, two cycles for each group.
SCENARIO(longest, kPaper, "the leases of all groups are set as late as is said")
{
    static constexpr uint32_t sizes[][3] = {{16, 16, 1184}, {16, 1, 434}, {1, 1, 74}}; // blocks, groups, cycles
    run.expect_equal(lease_sampler_longest(&cfg), 1184, "the longest");
    for (const auto &[blocks, groups, cycles] : sizes) {
        run.reset();
        for (uint32_t i = 0; i < blocks; i++) requests(run, i % groups, 16 * i, 1);
        run.idle(cfg.Duty - blocks);
        run.expect_equal(run.idle(cycles).samples_o, groups - 1, "leases, a cycle before the last");
        run.expect_equal(run.idle().samples_o, groups, "leases");
    }
}
