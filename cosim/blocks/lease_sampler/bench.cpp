// SPDX-License-Identifier: Apache-2.0
// lease_sampler in lockstep: Gu20, section 4.3.2.1 and equation 4.2.
#include "lockstep.hpp"
#include "scenarios.cpp"

// A few blocks of a few groups at a time; many, so that the entries are exhausted; one page again and again; or all
// pages in turn.
struct Stimulus {
    static inline const uint32_t kResetOneIn = cfg.Period > 1000 ? 64 : 8; // whole periods between resets
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {8, 64, 192, 256, 256, 256};
        rate_ = rates[r.below(6)];
        groups_ = 1 + uint32_t(r.below(r.chance(128) ? 3 : cfg.Groups + 1));
        blocks_ = 1 + uint32_t(r.below(r.chance(128) ? 2 : cfg.Entries + 4));
        pages_ = 1 + uint32_t(r.below(r.chance(128) ? 2 : 16));
        in_turn_ = r.chance(64);
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
        in.acc_page_i = (base_ + r.below(blocks_)) << 4 | (in_turn_ ? turn_++ % 16 : r.below(pages_));
        in.acc_valid_i = r.chance(rate_);
        in.forget_group_i = both_ ? in.acc_group_i : group(r);
        in.forget_valid_i = r.chance(forget_) && (!last.sampling_o || both_ || r.chance(16));
        in.look_group_i = last.upd_valid_o ? last.upd_group_o : group(r);
    }

  private:
    uint32_t rate_ = 0, groups_ = 1, blocks_ = 1, pages_ = 1, first_ = 0, forget_ = 0, turn_ = 0;
    uint64_t base_ = 0;
    bool both_ = false, rude_ = false, in_turn_ = false;

    uint8_t group(Random &r)
    {
        return uint8_t(rude_ && r.chance(4) ? r.u64() : (first_ + r.below(groups_)) % cfg.Groups);
    }
};

struct Coverage {
    static inline const bool kPower = (cfg.Groups & (cfg.Groups - 1)) == 0 && cfg.Groups > 1;
    static inline const char *const kEvery = kPower ? "every number is a group" : nullptr;
    static inline const char *const kNoOther = cfg.Groups > 1 ? nullptr : "there is one group";
    static inline const char *const kOneGroup = cfg.Groups > 1 && cfg.Entries > 1 ? nullptr : "one group at a time";
    static inline const char *const kOneEntry = cfg.Entries > 1 ? nullptr : "there is one entry";
    static inline const uint64_t kPages = cfg.Duty < 16 ? cfg.Duty : 16, kHits = cfg.Duty < kCount ? cfg.Duty : kCount;

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
        cover("a block that is another group's", count && !hit && other, kNoOther);
        cover("an access in the last duty cycle", count && m.cycle_q == cfg.Duty - 1);
        cover("an access behind the duty", in.acc_valid_i && there && m.cycle_q == cfg.Duty);
        cover("an access in the last cycle of the period", in.acc_valid_i && there && m.cycle_q == cfg.Period - 1);
        cover("an access of a group that is cleared in this cycle",
              in.acc_valid_i && out.sampling_o && in.forget_valid_i && there && in.forget_group_i == in.acc_group_i);
        cover("an access while another group is cleared",
              in.acc_valid_i && out.sampling_o && in.forget_valid_i && there && in.forget_group_i < cfg.Groups &&
                  in.forget_group_i != in.acc_group_i,
              kNoOther);
        cover("an access takes an entry that is freed in this cycle",
              in.acc_valid_i && out.sampling_o && in.forget_valid_i && there && all &&
                  in.forget_group_i != in.acc_group_i && entry_of(m, in.forget_group_i) && !hit,
              kNoOther);
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
        cover("cleared: a group with entries, while accesses are counted", held && counts);
        cover("cleared: a group without entries or lease",
              forget && !held && !(m.known_q >> in.forget_group_i & 1) && !(work && mine));
        cover("forgotten: a lease", forget && (m.known_q >> in.forget_group_i & 1));
        cover("cleared: a group that waits for its turn", held && work && !mine, kOneGroup);
        cover("cleared: a group after its turn, while another is current",
              forget && !held && work && !mine && (m.known_q >> in.forget_group_i & 1), kNoOther);
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
        cover("N/P is rounded up", pages && m.rest_q * 2 > m.divisor_q,
              kPages < 3                    ? "one or two pages"
              : kHits < 2 && cfg.FracW == 0 ? "N is 1"
                                            : nullptr);
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

    static uint32_t longest()
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
        cover("the new lease is cut to its width", out.upd_valid_o && m.sum_q > kMost,
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
