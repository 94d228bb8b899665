// SPDX-License-Identifier: Apache-2.0
// lost_locality in lockstep: Khairy15, section 4.2 and table 4.
#include "lockstep.hpp"
#include "scenarios.cpp"

static const uint32_t kRows = cfg.Warps * kSets;

// Warps come and go; each evicts a few tags and misses them again.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {0, 1, 8, 32, 96, 160, 224, 256};
        turnover_ = r.chance(160) ? rates[r.below(3)] : rates[r.below(6)];
        wanted_ = r.chance(24) ? 0 : r.chance(96) ? cfg.Warps : 1 + uint32_t(r.below(cfg.Warps));
        issue_ = rates[r.below(8)];
        evict_ = rates[r.below(8)];
        miss_ = rates[r.below(8)];
        again_ = rates[r.below(8)];
        tags_ = 1 + uint32_t(r.below(2 * cfg.Entries));
        few_ = r.chance(96) ? 1 + uint32_t(r.below(2)) : cfg.Warps;
        rude_ = r.chance(24);
        if (r.chance(64)) issue_ = evict_ = miss_ = 0; // scores fall
        if (r.chance(24)) issue_ = 0;                  // and rise far
    }
    void reset()
    {
        present_ = 0;
    }
    void next(Random &r, In &in, const In &last_in, const Out &)
    {
        follow(last_in);
        next_warp(r, in);
        in.issue_valid_i = r.chance(issue_);
        in.issue_count_i = uint8_t(r.below(8));
        in.miss_valid_i = r.chance(miss_);
        in.miss_warp_i = again_ && r.chance(again_) ? evicted_.evict_warp_i : any_warp(r);
        in.miss_tag_i = r.chance(again_) ? evicted_.evict_tag_i : uint32_t(r.below(tags_));
        if (!rude_ && !(present_ >> in.miss_warp_i & 1)) in.miss_valid_i = false;
        in.evict_valid_i = r.chance(evict_);
        in.evict_warp_i = r.chance(128) ? in.miss_warp_i : any_warp(r);
        in.evict_tag_i = r.chance(8) ? uint32_t(r.u64()) : r.chance(32) ? in.miss_tag_i : uint32_t(r.below(tags_));
        if (in.evict_valid_i) evicted_ = in;
    }

  private:
    void follow(const In &in)
    {
        if (!in.warp_valid_i || in.warp_number_i >= cfg.Warps) return;
        const uint64_t bit = uint64_t(1) << in.warp_number_i;
        present_ = in.warp_start_i ? present_ | bit : present_ & ~bit;
    }
    void next_warp(Random &r, In &in)
    {
        const uint32_t now = uint32_t(__builtin_popcountll(present_));
        in.warp_number_i = any_warp(r);
        if (rude_ && r.chance(16)) {
            in.warp_valid_i = true;
            in.warp_start_i = r.chance(128);
            return;
        }
        in.warp_start_i = now < wanted_;
        const bool there = in.warp_number_i < cfg.Warps && (present_ >> in.warp_number_i & 1);
        in.warp_valid_i =
            in.warp_number_i < cfg.Warps && there != in.warp_start_i && (now != wanted_ || r.chance(turnover_));
        if (now == wanted_ && r.chance(turnover_) && there) {
            in.warp_valid_i = true;
            in.warp_start_i = false;
        }
    }
    uint8_t any_warp(Random &r) const
    {
        if (rude_ && r.chance(16)) return uint8_t(r.u64() & bits_index_mask(cfg.Warps));
        return uint8_t(r.chance(192) ? r.below(few_) : r.below(cfg.Warps));
    }
    In evicted_{};
    uint64_t present_ = 0;
    uint32_t turnover_ = 0, wanted_ = 0, issue_ = 0, evict_ = 0, miss_ = 0, again_ = 0, tags_ = 1, few_ = 1;
    bool rude_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const auto there = [&](uint32_t w) { return w < cfg.Warps && (m.present_q >> w & 1); };
        const auto row = [&](uint32_t w, uint32_t tag) { return w * kSets + tag % kSets; };
        const bool starts = in.warp_valid_i && in.warp_start_i, ends = in.warp_valid_i && !in.warp_start_i;
        const bool ended = ends && there(in.warp_number_i), started = starts && !there(in.warp_number_i);
        const bool evicts = in.evict_valid_i && there(in.evict_warp_i);
        const bool misses = in.miss_valid_i && there(in.miss_warp_i);
        const bool both =
            evicts && misses && row(in.evict_warp_i, in.evict_tag_i) == row(in.miss_warp_i, in.miss_tag_i);
        const uint32_t valid = evicts ? m.valid_q[row(in.evict_warp_i, in.evict_tag_i)] : 0;
        const uint32_t limit = m.count_q * cfg.BaseScore;
        const char *const alone = cfg.Warps > 1 ? nullptr : "there is one warp only";
        const char *const power = cfg.Warps == 1u << bits_index(cfg.Warps) ? "every number is a slot" : nullptr;
        bool raised = false, tie = false, full = false;
        for (uint32_t i = 0; i < cfg.Warps; i++) {
            raised |= m.score_q[i] > cfg.BaseScore;
            tie |= there(i) && there(m.turn_q) && i != m.turn_q && m.score_q[i] == m.score_q[m.turn_q];
            full |= m.sum_q[i] == bits_mask(LOST_LOCALITY_CUTOFF_W(&cfg));
        }
        const bool last = m.walk_q && m.turn_q == cfg.Warps - 1;
        const uint32_t free = m.count_q - uint32_t(__builtin_popcountll(out.gated_o));

        cover("a warp starts", started);
        cover("the last slot is taken", started && m.count_q == cfg.Warps - 1);
        cover("a warp ends", ended);
        cover("the last warp ends", ended && m.count_q == 1);
        cover("an old warp ends before younger ones", ended && m.count_q > 1 && m.rank_q[in.warp_number_i] == 0, alone);
        cover("a start of a warp that is present", starts && there(in.warp_number_i));
        cover("an end of a warp that is not", ends && in.warp_number_i < cfg.Warps && !ended);
        cover("a warp that does not exist", in.warp_valid_i && in.warp_number_i >= cfg.Warps,
              cfg.Warps == 1 ? nullptr : power);
        cover("error: start", out.error_o == LOST_LOCALITY_ERROR_START);
        cover("error: absent", out.error_o == LOST_LOCALITY_ERROR_ABSENT);

        cover("lost locality", out.lost_o);
        cover("a miss without", misses && !out.lost_o);
        cover("a miss of a warp that is not present", in.miss_valid_i && !misses);
        cover("an eviction of a warp that is not present", in.evict_valid_i && !evicts);
        cover("a tag enters a set with room", evicts && valid != bits_mask(cfg.Ways));
        cover("a tag replaces another", evicts && valid == bits_mask(cfg.Ways));
        cover("a miss and an eviction in one set", both);
        cover("the evicted tag takes the way of the hit", both && out.lost_o && valid == bits_mask(cfg.Ways));
        cover("lost locality of a warp that ends", out.lost_o && ended && in.warp_number_i == in.miss_warp_i);
        cover("an eviction of a warp that ends", evicts && ended && in.warp_number_i == in.evict_warp_i);

        cover("instructions fill the counter", m.issued_q + 7 > bits_mask(cfg.CountW));
        cover("no instructions when a division starts", m.step_q == 0 && m.pending_q && !m.issued_q);
        cover("a division for several warps", m.step_q == 1 && (m.raising_q & (m.raising_q - 1)), alone);
        cover("lost locality during a division", m.step_q && out.lost_o);
        cover("lost locality of the warp it is for", m.step_q && out.lost_o && (m.raising_q >> in.miss_warp_i & 1));
        cover("that warp ends", m.step_q && ended && (m.raising_q >> in.warp_number_i & 1));
        cover("the score saturates", out.raise_score_o == kTop);
        cover("it is not above the base", out.raise_valid_o && out.raise_score_o <= cfg.BaseScore);
        cover("it is above the cutoff", out.raise_valid_o && out.raise_score_o > limit);
        cover("a result waits for the end of the walk", m.step_q == kDone && !out.raise_valid_o, alone);
        cover("it is applied at the end of the walk", out.raise_valid_o && last);
        cover("it is applied without a walk", out.raise_valid_o && !m.walk_q);

        cover("a tie in the walk", m.walk_q && tie, alone);
        cover("a sum is full", full, alone);
        cover("the walk ends and another follows", last && raised);
        cover("the walk ends and none follows", last && !raised);
        cover("a warp starts during a walk", m.walk_q && started);
        cover("a warp ends during a walk", m.walk_q && ended);
        cover("some are gated, some are not", out.gated_o && free > 1,
              cfg.Warps > 2 ? nullptr : "one may load, and the other is gated or not");
        cover("all but one are gated", out.gated_o && free == 1, alone);
        cover("only gated warps are left, so none is", m.gated_q && !out.gated_o, alone);
    }
};

COSIM_MAIN
