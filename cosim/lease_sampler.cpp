// SPDX-License-Identifier: Apache-2.0
// lease_sampler in lockstep: Gu20, section 4.3.2.1 and equation 4.2.
#include "lockstep.hpp"
#include "lease_sampler_inputs.hpp"

static constexpr uint64_t kBlocks = bits_mask(cfg.PageW - 4) + 1, kMost = bits_mask(cfg.LeaseW),
                          kCount = bits_mask(cfg.CountW);
static constexpr uint32_t kWidth = LEASE_SAMPLER_DIVIDE_W(&cfg);

static constexpr uint64_t nearest(uint64_t a, uint64_t b)
{
    return (2 * a + b) / (2 * b);
}

// An average of equation 4.2 in FracW fractional bits, as a lease of any length.
static constexpr uint64_t scaled(uint64_t average)
{
    return nearest(average * cfg.ScaleNum, uint64_t(cfg.ScaleDen) << cfg.FracW);
}

// The lease of a group with these entries {N, P}, the first time.
static uint64_t lease_of(const std::vector<std::pair<uint64_t, uint64_t>> &entries)
{
    uint64_t sum = 0;
    for (const auto &[accesses, pages] : entries) sum += nearest(std::min(accesses, kCount) << cfg.FracW, pages);
    const uint64_t lease = scaled(nearest(sum, entries.size()));
    return std::min(std::max<uint64_t>(lease, 1), kMost);
}

// A few blocks of a few groups at a time; many, so that the entries run out; one page again and again.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {8, 64, 192, 256, 256, 256};
        rate_ = rates[r.below(6)];
        groups_ = 1 + uint32_t(r.below(r.chance(128) ? 3 : cfg.Groups + 1));
        blocks_ = 1 + uint32_t(r.below(r.chance(128) ? 2 : cfg.Entries + 4));
        pages_ = 1 + uint32_t(r.below(r.chance(128) ? 2 : 16));
        first_ = uint32_t(r.below(cfg.Groups));
        base_ = r.chance(64) ? kBlocks - 1 : r.below(kBlocks);
        forget_ = r.chance(128) ? 0 : r.chance(128) ? 1 : 24;
        both_ = r.chance(64);
        rude_ = r.chance(48);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &, const Out &last)
    {
        in.acc_group_i = group(r);
        in.acc_page_i = (base_ + r.below(blocks_)) << 4 | r.below(pages_);
        in.acc_valid_i = r.chance(rate_);
        in.forget_group_i = both_ ? in.acc_group_i : group(r);
        in.forget_valid_i = r.chance(forget_) && (!last.sampling_o || both_ || r.chance(16));
        in.look_group_i = last.upd_valid_o ? last.upd_group_o : group(r);
    }

  private:
    uint32_t rate_ = 0, groups_ = 1, blocks_ = 1, pages_ = 1, first_ = 0, forget_ = 0;
    uint64_t base_ = 0;
    bool both_ = false, rude_ = false;

    uint8_t group(Random &r)
    {
        return uint8_t(rude_ && r.chance(4) ? r.u64() : (first_ + r.below(groups_)) % cfg.Groups);
    }
};

// Until a lease is set, or the period is over: from the given cycle of it.
static const Out *work(cosim::Lockstep &run, uint32_t from)
{
    for (uint32_t i = from; i < cfg.Period; i++) {
        const Out &out = run.idle();
        if (out.upd_valid_o) return &out;
    }
    return nullptr;
}

SCENARIO(average, "equation 4.2: accesses by pages that were accessed, times LEASE_SCALE")
{
    const uint32_t accesses = cfg.Duty < 5 ? cfg.Duty : 5, last = cfg.Groups - 1;
    run.expect(!run.cycle(look(last)).look_known_o, "no sample yet");
    run.reset();
    for (uint32_t i = 0; i < accesses; i++) run.cycle(request(last, i & 1));
    const Out *out = work(run, accesses);
    run.expect(out && out->upd_group_o == last, "a lease is set");
    run.expect_equal(out->upd_lease_o, lease_of({{accesses, 2}}), "the lease");
    const Out &after = run.cycle(look(last));
    run.expect(after.look_known_o, "it is known");
    run.expect_equal(after.look_lease_o, lease_of({{accesses, 2}}), "look_lease_o");
    run.expect_equal(after.samples_o, 1, "samples_o");
}

SCENARIO(weighted, "the lease of the next sample is weighted with the one before")
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

SCENARIO(entries, "as many 64 KiB blocks as there are entries; the accesses to one more are ignored")
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

SCENARIO(pages, "every number of pages from 1 to 16, in the first entry")
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

SCENARIO(hammered, "one page in every duty cycle: the counter and the lease saturate, they do not wrap")
{
    for (uint32_t i = 0; i < cfg.Duty; i++) run.expect(run.cycle(request(0, 0)).sampling_o, "counted");
    run.expect(!run.cycle(request(0, 0)).sampling_o, "not counted any more");
    const Out *out = work(run, cfg.Duty + 1);
    run.expect(out != nullptr, "a lease is set");
    run.expect_equal(out->upd_lease_o, lease_of({{cfg.Duty, 1}}), "the lease");
}

// A group with one entry, D cycles, then: choose, take the entry, divide, round, and so on; in each of these, forget
// it.
SCENARIO(forgotten, "a group that is (re)written while it is worked on gets no lease")
{
    constexpr uint32_t w = kWidth, at[] = {0,         1,         2,         w + 1,     w + 2,     w + 3,    w + 4,
                                           2 * w + 4, 2 * w + 5, 2 * w + 6, 3 * w + 5, 3 * w + 6, 3 * w + 7};
    for (const uint32_t cycle : at) {
        run.reset();
        run.cycle(request(0, 3));
        run.idle(cfg.Duty - 1);
        for (uint32_t i = 0; i < cycle; i++) run.expect(!run.idle().upd_valid_o, "not yet");
        run.expect(!run.cycle(forget(0)).upd_valid_o, "it is forgotten");
        for (uint32_t i = 0; i < w + 3; i++) run.expect(!run.idle().upd_valid_o, "no lease any more");
        run.expect(!run.cycle(look(0)).look_known_o, "not known");
    }
    run.reset();
    run.cycle(request(0, 3));
    run.idle(cfg.Duty - 1);
    run.expect(!run.idle(3 * w + 7).upd_valid_o, "not yet");
    run.expect(run.idle().upd_valid_o, "else it is set three divisions later");
}

SCENARIO(rewritten, "a group that is (re)written has its initial lease again, and its entries are free")
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

SCENARIO(handed_on, "the entries of a group that is (re)written are free for an access of another group in that cycle")
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

SCENARIO(illegal, "a group that does not exist: a sticky error, nothing else changes")
{
    if ((cfg.Groups & (cfg.Groups - 1)) == 0 && cfg.Groups > 1) return;
    run.cycle(request(cfg.Groups, 0));
    run.expect(run.idle().error_o == LEASE_SAMPLER_ERROR_GROUP, "error_o");
    run.expect(work(run, 2) == nullptr, "no lease");
    run.reset();
    run.cycle(forget(cfg.Groups));
    run.expect(run.idle().error_o == LEASE_SAMPLER_ERROR_GROUP, "error_o");
}

struct Coverage {
    static constexpr bool kPower = (cfg.Groups & (cfg.Groups - 1)) == 0 && cfg.Groups > 1;
    static constexpr const char *kEvery = kPower ? "every number is a group" : nullptr;
    static constexpr const char *kOneGroup = cfg.Groups > 1 && cfg.Entries > 1 ? nullptr : "one group at a time";
    static constexpr const char *kOneEntry = cfg.Entries > 1 ? nullptr : "there is one entry";
    static constexpr uint64_t kPages = cfg.Duty < 16 ? cfg.Duty : 16, kHits = cfg.Duty < kCount ? cfg.Duty : kCount;

    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        accesses(cover, m, in, out);
        forgets(cover, m, in);
        divisions(cover, m, in);
        leases(cover, m, in, out);
    }

  private:
    static bool entry_of(const Twin &m, uint32_t group)
    {
        bool any = false;
        for (uint32_t i = 0; i < cfg.Entries; i++) any |= (m.valid_q >> i & 1) && m.group_q[i] == group;
        return any;
    }

    void accesses(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool there = in.acc_group_i < cfg.Groups, all = m.valid_q == bits_mask(cfg.Entries);
        const bool count = in.acc_valid_i && out.sampling_o && there && !in.forget_valid_i;
        bool hit = false, again = false, full = false, other = false;
        for (uint32_t i = 0; i < cfg.Entries; i++) {
            if (!(m.valid_q >> i & 1)) continue;
            const bool same = m.block_q[i] == in.acc_page_i >> 4, mine = m.group_q[i] == in.acc_group_i;
            if (same && !mine) other = true;
            if (!same || !mine) continue;
            hit = true;
            again = m.tag_q[i] >> (in.acc_page_i & 15) & 1;
            full = m.count_q[i] == kCount;
        }
        cover("an access opens an entry", count && !hit && !all);
        cover("an access opens another entry of its group", count && !hit && !all && entry_of(m, in.acc_group_i),
              kOneEntry);
        cover("an access opens the last entry", count && !hit && m.valid_q == bits_mask(cfg.Entries - 1));
        cover("a page of an entry for the first time", count && hit && !again, cfg.Duty > 1 ? nullptr : "one access");
        cover("a page of an entry again", count && hit && again, cfg.Duty > 1 ? nullptr : "one access");
        cover("an access to an entry whose counter is full", count && hit && full,
              cfg.Duty > kCount ? nullptr : "fewer duty cycles than a counter can count");
        cover("an access is ignored: no free entry", count && !hit && all);
        cover("a block that is another group's", count && !hit && other, kOneGroup);
        cover("an access in the last duty cycle", count && m.cycle_q == cfg.Duty - 1);
        cover("an access behind the duty", in.acc_valid_i && there && m.cycle_q == cfg.Duty);
        cover("an access in the last cycle of the period", in.acc_valid_i && there && m.cycle_q == cfg.Period - 1);
        cover("an access of a group that is forgotten in this cycle",
              in.acc_valid_i && out.sampling_o && in.forget_valid_i && there && in.forget_group_i == in.acc_group_i);
        cover("an access while another group is forgotten",
              in.acc_valid_i && out.sampling_o && in.forget_valid_i && there && in.forget_group_i < cfg.Groups &&
                  in.forget_group_i != in.acc_group_i,
              cfg.Groups > 1 ? nullptr : "there is one group");
        cover("an access takes an entry that is freed in this cycle",
              in.acc_valid_i && out.sampling_o && in.forget_valid_i && there && all &&
                  in.forget_group_i != in.acc_group_i && entry_of(m, in.forget_group_i) && !hit,
              cfg.Groups > 1 ? nullptr : "there is one group");
        cover("refused: an access to no group", in.acc_valid_i && !there, kEvery);
        cover("refused: it forgets no group", in.forget_valid_i && in.forget_group_i >= cfg.Groups, kEvery);
    }

    void forgets(Cover &cover, const Twin &m, const In &in)
    {
        static constexpr const char *states[] = {"forgotten: the group that comes next",
                                                 "forgotten: its entry is taken",
                                                 "forgotten: its average is scaled",
                                                 "forgotten: it is divided",
                                                 "forgotten: it is rounded",
                                                 "forgotten: its lease is set"};
        const bool forget = in.forget_valid_i && in.forget_group_i < cfg.Groups, counts = m.cycle_q < cfg.Duty;
        const bool held = forget && entry_of(m, in.forget_group_i);
        const bool work = m.state_q != LEASE_SAMPLER_REST, mine = in.forget_group_i == m.work_q;
        cover("forgotten: a group with entries, while accesses are counted", held && counts);
        cover("forgotten: a group without entries or lease",
              forget && !held && !(m.known_q >> in.forget_group_i & 1) && !(work && mine));
        cover("forgotten: a lease", forget && (m.known_q >> in.forget_group_i & 1));
        cover("forgotten: a group that waits for its turn", held && work && !mine, kOneGroup);
        cover("forgotten: a group behind its turn, while another is worked on",
              forget && !held && work && !mine && (m.known_q >> in.forget_group_i & 1), kOneGroup);
        cover(states[0], held && !work && !counts);
        for (uint8_t s = LEASE_SAMPLER_ENTRY; s <= LEASE_SAMPLER_UPDATE; s++)
            cover(states[s], forget && mine && m.state_q == s);
    }

    void divisions(Cover &cover, const Twin &m, const In &)
    {
        const bool round = m.state_q == LEASE_SAMPLER_ROUND, pages = round && m.phase_q == LEASE_SAMPLER_PAGES;
        const bool average = round && m.phase_q == LEASE_SAMPLER_AVERAGE, half = m.rest_q * 2 == m.divisor_q;
        const char *even = cfg.FracW >= 4 ? "16 pages divide 2^FracW" : nullptr;
        cover("N/P of one page", pages && m.divisor_q == 1);
        cover("N/P of 16 pages", pages && m.divisor_q == 16, kPages < 16 ? "fewer duty cycles" : nullptr);
        cover("N/P is cut", pages && m.rest_q && m.rest_q * 2 < m.divisor_q, kPages < 3 ? "one or two pages" : nullptr);
        cover("N/P is rounded up", pages && m.rest_q * 2 > m.divisor_q, kPages < 3 || kHits < 2 ? "N is 1" : nullptr);
        cover("N/P is a half", pages && half, even);
        cover("n is 1", average && m.divisor_q == 1);
        cover("n is 3: the average is cut or rounded", average && m.divisor_q == 3 && m.rest_q,
              cfg.Entries < 3 ? "fewer entries" : nullptr);
        cover("the average is a half", average && half, kOneEntry);
        cover("n is every entry", average && m.divisor_q == cfg.Entries);
        cover("the average is above 1", average && m.quot_q > 1u << cfg.FracW,
              kHits > 1 ? nullptr : "a counter of one bit");
        cover("no time is left", m.state_q == LEASE_SAMPLER_UPDATE && m.cycle_q == cfg.Period - 1,
              cfg.Period - cfg.Duty > longest() ? "there is more" : nullptr);
    }

    static constexpr uint32_t longest()
    {
        const uint32_t groups = cfg.Groups < cfg.Entries ? cfg.Groups : cfg.Entries;
        return (cfg.Entries + 2 * groups) * (kWidth + 2) + 2 * groups;
    }

    void leases(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool known = out.upd_valid_o && (m.known_q >> m.work_q & 1);
        const uint32_t old = m.lease_q[m.work_q % cfg.Groups];
        const uint64_t least = nearest(std::min(kPages, kCount) << cfg.FracW, kPages);
        const char *one = cfg.LeaseW > 1 ? nullptr : "every lease is 1";
        cover("a first sample", out.upd_valid_o && !known);
        cover("a lease rises", known && out.upd_lease_o > old, one);
        cover("a lease falls", known && out.upd_lease_o < old, one);
        cover("a lease stays", known && out.upd_lease_o == old);
        cover("the new lease is cut to what fits", out.upd_valid_o && m.sum_q > kMost,
              scaled(kHits << cfg.FracW) > kMost ? nullptr : "no counter comes so far");
        cover("a lease of 0 counts as 1", out.upd_valid_o && m.sum_q == 0,
              scaled(least) == 0 ? nullptr : "a page is accessed once at least");
        cover("groups of one period, one after the other",
              m.state_q == LEASE_SAMPLER_REST && m.valid_q && m.cycle_q > cfg.Duty && m.samples_q, kOneGroup);
        cover("looked up: a sample", out.look_known_o);
        cover("looked up: no sample", in.look_group_i < cfg.Groups && !out.look_known_o);
        cover("looked up: no group", in.look_group_i >= cfg.Groups, kEvery);
        cover("looked up while it is set", out.upd_valid_o && in.look_group_i == out.upd_group_o);
        cover("looked up while it is forgotten",
              out.look_known_o && in.forget_valid_i && in.look_group_i == in.forget_group_i);
    }
};

COSIM_MAIN
