// SPDX-License-Identifier: Apache-2.0
// warp_locality in lockstep: Chen16, section 3.4.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Warps start, wait, can issue and end; thread blocks of a few warps share few regions.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {0, 8, 32, 96, 160, 224, 256};
        wanted_ = r.chance(24) ? 0 : r.chance(128) ? cfg.Warps : 1 + uint32_t(r.below(cfg.Warps));
        turnover_ = r.chance(96) ? rates[r.below(7)] : rates[r.below(3)];
        first_ = rates[1 + r.below(6)];
        ranged_ = r.chance(64) ? rates[r.below(7)] : 256;
        regions_ = 1 + uint32_t(r.below(3));
        region_ = r.u64();
        shift_ = uint32_t(r.below(cfg.RegionW));
        dense_ = r.chance(128);
        change_ = rates[r.below(7)];
        wait_ = rates[r.below(5)];
        issue_ = rates[1 + r.below(6)];
        able_ = rates[1 + r.below(6)];
        rude_ = r.chance(24);
        if (r.chance(32)) turnover_ = 0; // degrees and searches come to rest
    }
    void reset()
    {
        present_ = waits_ = 0;
    }
    void next(Random &r, In &in, const In &last_in, const Out &)
    {
        follow(last_in);
        next_warp(r, in);
        in.wait_valid_i = r.chance(change_);
        for (uint32_t i = 0; in.wait_valid_i && i < cfg.Warps; i++)
            if (r.chance(96)) waits_ = (waits_ & ~one(i)) | uint64_t(r.chance(wait_)) << i;
        in.wait_warps_i = waits_;
        in.issue_valid_i = r.chance(issue_);
        in.issue_able_i = some(r) & ~waits_;
        if (rude_ && r.chance(32)) in.issue_able_i = r.u64() & kAll;
    }

  private:
    uint64_t some(Random &r) const
    {
        if (able_ == 256) return kAll;
        if (able_ == 128) return r.u64() & kAll;
        uint64_t set = 0;
        for (uint32_t i = 0; i < cfg.Warps; i++) set |= uint64_t(r.chance(able_)) << i;
        return set;
    }
    void follow(const In &in)
    {
        if (!in.warp_valid_i || in.warp_number_i >= cfg.Warps) return;
        present_ = in.warp_start_i ? present_ | one(in.warp_number_i) : present_ & ~one(in.warp_number_i);
    }
    void next_warp(Random &r, In &in)
    {
        const uint32_t now = uint32_t(__builtin_popcountll(present_));
        in.warp_number_i = uint8_t(rude_ && r.chance(16) ? r.u64() & bits_index_mask(cfg.Warps) : r.below(cfg.Warps));
        const bool there = in.warp_number_i < cfg.Warps && (present_ & one(in.warp_number_i));
        in.warp_start_i = !there;
        in.warp_valid_i = in.warp_number_i < cfg.Warps &&
                          (now < wanted_ ? !there || r.chance(turnover_ / 4) : there && r.chance(turnover_));
        if (rude_ && r.chance(16)) {
            in.warp_valid_i = true;
            in.warp_start_i = r.chance(128);
        }
        in.warp_first_i = r.chance(first_);
        in.warp_ranged_i = r.chance(ranged_);
        for (uint32_t a = 0; a < cfg.Arrays; a++) {
            in.warp_regions_i |= ((region_ ^ r.below(regions_) << shift_) & bits_mask(cfg.RegionW))
                                 << (a * cfg.RegionW);
            put_field(in.warp_subs_i, a, cfg.SubW, uint32_t(dense_ ? r.u64() | r.u64() : r.u64() & r.u64()));
        }
        if (r.chance(16))
            for (uint32_t a = 0; a < cfg.Arrays; a++) put_field(in.warp_subs_i, a, cfg.SubW, kSub);
    }
    uint64_t present_ = 0, waits_ = 0, region_ = 0; // regions differ from it in two bits, from shift_ on
    uint32_t wanted_ = 0, turnover_ = 0, first_ = 0, ranged_ = 0, regions_ = 1, change_ = 0, wait_ = 0, issue_ = 0,
             able_ = 0, shift_ = 0;
    bool dense_ = false, rude_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool exists = in.warp_number_i < cfg.Warps;
        const bool there = exists && (m.present_q & one(in.warp_number_i));
        const bool starts = in.warp_valid_i && in.warp_start_i, ended = in.warp_valid_i && !in.warp_start_i && there;
        const uint64_t ends = ended ? one(in.warp_number_i) : 0, able = in.issue_valid_i ? in.issue_able_i : 0;
        const uint64_t ready = m.present_q & ~m.active_q & ~m.waits_q & ~out.starved_o;
        const uint32_t members = uint32_t(__builtin_popcountll(m.active_q));
        const char *const alone = cfg.Warps > cfg.Schedulers ? nullptr : "a scheduler has one warp only";
        const char *const pair = cfg.Warps == 2 ? "there are two warps, of which one came last" : alone;
        const char *const holds_all = cfg.Group < cfg.Warps ? nullptr : "the group holds all";
        const char *const power = cfg.Warps == 1u << bits_index(cfg.Warps) ? "every number is a slot" : nullptr;
        bool greedy = false, other = false, best_fails = false, best_ends = false, last_ends = false, full = false;
        for (uint32_t s = 0; s < cfg.Schedulers; s++) {
            const uint64_t last = m.lasts_q >> s & 1 ? one(m.last_q[s]) : 0;
            const uint64_t best = m.bests_q >> s & 1 ? one(m.best_q[s]) : 0;
            const uint64_t mine_able = able & m.active_q & mine(s);
            greedy |= last && (out.issue_pick_o & last) && !(out.starved_o & last);
            other |= last && (out.issue_pick_o & mine(s) & ~last);
            best_fails |= best && (mine_able & ~last) && !(mine_able & best);
            best_ends |= best & ends;
            last_ends |= last & ends;
        }
        for (uint32_t i = 1; i < cfg.Warps; i++)
            for (uint32_t j = 0; j < i; j++) full |= degree_of(m, i, j) == kMost;
        const uint64_t left = m.fill_todo_q & m.known_q;

        cover("a warp starts", starts && exists && !there);
        cover("all slots are taken", m.present_q == kAll);
        cover("a warp without ranges starts", starts && exists && !there && !in.warp_ranged_i);
        cover("a thread block starts", starts && exists && !there && in.warp_first_i);
        cover("a warp ends", ended);
        cover("an active warp ends", ends & m.active_q);
        cover("a starved warp ends", ends & out.starved_o);
        cover("a start of a warp that is present", starts && there);
        cover("an end of a warp that is not", in.warp_valid_i && !in.warp_start_i && exists && !there);
        cover("a warp that does not exist", in.warp_valid_i && !exists, power);
        cover("error: start", out.error_o == WARP_LOCALITY_ERROR_START);
        cover("error: absent", out.error_o == WARP_LOCALITY_ERROR_ABSENT);

        cover("a degree is computed", m.fill_valid_q && left);
        cover("the last degree is computed", m.fill_valid_q && !left && (m.known_q & ~one(m.fill_warp_q)));
        cover("the warp whose degrees are computed ends", m.fill_valid_q && (ends & one(m.fill_warp_q)));
        cover("one with which a degree is to be computed ends", m.fill_valid_q && (ends & left));
        cover("two warps wait for their degrees", __builtin_popcountll(m.present_q & m.ranged_q & ~m.known_q) > 1);
        cover("the first warp ends before its degrees begin",
              !m.fill_valid_q && (m.present_q & m.ranged_q & ~m.known_q & ends));
        cover("a degree saturates", full, cfg.Arrays * cfg.SubW < kMost ? "no degree is as high" : nullptr);
        cover("all warps are known", m.known_q == kAll);

        cover("a scheduler stays with its warp", greedy);
        cover("it goes to another", other, alone);
        cover("for its degree", out.issue_local_o, alone);
        cover("with a degree of 0", other && !out.issue_local_o && !out.issue_starved_o, alone);
        cover("a warp that starves issues", out.issue_starved_o);
        cover("two warps of a scheduler starve", __builtin_popcountll(out.starved_o & mine(0)) > 1, pair);
        cover("the best so far cannot issue", best_fails, alone);
        cover("the best so far ends", best_ends, alone);
        cover("the last warp ends", last_ends);
        cover("every scheduler issues", __builtin_popcountll(out.issue_pick_o) == cfg.Schedulers);
        cover("an active warp that can issue does not", (able & m.active_q & ~out.issue_pick_o) != 0, alone);
        cover("nobody of those who can issue is active", able && !(able & (m.active_q | out.starved_o)));
        cover("a search is not complete", cfg.Wait && (able & m.active_q) && !out.issue_pick_o,
              cfg.Wait ? alone : "nobody waits for it");

        cover("a promotion", out.promote_valid_o);
        cover("with a degree", out.promote_degree_o);
        cover("of a warp that ends", out.promote_valid_o && (ends & one(out.promote_warp_o)));
        cover("of a warp that waits from now on",
              out.promote_valid_o && in.wait_valid_i && (in.wait_warps_i & one(out.promote_warp_o)));
        cover("the group is full and a warp is ready", members == cfg.Group && ready, holds_all);
        cover("the search for promotion goes on in a full group", members == cfg.Group && (ready & m.seek_todo_q),
              holds_all);
        cover("its best so far is not ready any more", m.seek_valid_q && ready && !(ready & one(m.seek_warp_q)),
              holds_all);
        cover("its best so far ends", m.seek_valid_q && (ends & one(m.seek_warp_q)), holds_all);
        cover("the group is empty", !m.active_q && m.present_q);
        cover("a warp leaves the group", in.wait_valid_i && (m.active_q & in.wait_warps_i));
        cover("all is at rest", !out.busy_o && m.present_q);
    }
};

COSIM_MAIN
