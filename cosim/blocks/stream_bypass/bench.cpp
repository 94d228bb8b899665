// SPDX-License-Identifier: Apache-2.0
// stream_bypass in lockstep: Khairy15, section 4.1.
#include "lockstep.hpp"
#include "scenarios.cpp"

// A period is a plan: so many accesses of which so many miss, in any order, and perhaps one more in the last cycle.
struct Stimulus {
    static inline const uint32_t kResetOneIn = kPeriod > 1000 ? 64 : 4; // whole periods between resets
    void begin(Random &r)
    {
        rates_ = r.below(4) == 0;
    }
    void reset()
    {
        cycle_ = 0;
        fresh_ = true;
    }
    void next(Random &r, In &in, const In &, const Out &)
    {
        if (cycle_ == 0 || fresh_) plan(r);
        fresh_ = false;
        const uint32_t rest = kPeriod - 1 - cycle_;
        in.acc_valid_i = rest ? r.below(rest) < left_ : last_;
        const bool misses = rest ? in.acc_valid_i && r.below(left_ ? left_ : 1) < misses_ : last_misses_;
        left_ -= rest && in.acc_valid_i;
        misses_ -= rest && misses;
        const bool merged_hit = cfg.MergeIsHit && r.chance(64);
        in.acc_hit_i = !misses && !merged_hit;
        in.acc_merge_i = misses ? !cfg.MergeIsHit && r.chance(64) : merged_hit || r.chance(16);
        cycle_ = rest ? cycle_ + 1 : 0;
    }

  private:
    void plan(Random &r)
    {
        const uint32_t room = kPeriod - 1;
        last_ = r.chance(128);
        last_misses_ = r.chance(160);
        switch (plans_++ % (rates_ ? 2 : 6)) { // in turn: a run has few periods as long as the paper's
        case 0:                                // any number, any rate
            left_ = uint32_t(r.below(room + 1));
            misses_ = uint32_t(r.below(left_ + 1));
            break;
        case 1: // mostly misses
            left_ = uint32_t(r.below(room + 1));
            misses_ = left_ - uint32_t(r.below(left_ / 8 + 1));
            break;
        case 2: // about the number that decides
            left_ = uint32_t(cfg.MinAccesses - 1 < room ? cfg.MinAccesses - 1 : room);
            misses_ = r.chance(128) ? left_ : 0;
            break;
        case 3: // about the threshold
        case 4:
            left_ = at_threshold(r);
            misses_ = uint32_t(uint64_t(left_) * cfg.ThreshNum / cfg.ThreshDen);
            last_ = r.chance(192);
            last_misses_ = r.chance(128);
            if (left_ > misses_ && last_ && !last_misses_) left_--; // the last cycle's hit keeps it
            break;
        default:
            left_ = misses_ = 0;
            last_ = false;
        }
        if (misses_ == left_ && left_ && r.chance(128)) misses_--;
    }
    // A multiple of ThreshDen, if one has enough accesses and not too many.
    static uint32_t at_threshold(Random &r)
    {
        const uint32_t room = kFull < kPeriod - 1 ? kFull : kPeriod - 1;
        const uint32_t first = (cfg.MinAccesses + cfg.ThreshDen - 1) / cfg.ThreshDen, most = room / cfg.ThreshDen;
        return first > most ? room : cfg.ThreshDen * uint32_t(first + r.below(most - first + 1));
    }
    uint32_t cycle_ = 0, left_ = 0, misses_ = 0, plans_ = 0;
    bool last_ = false, last_misses_ = false, rates_ = false, fresh_ = true;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool ends = m.cycle_q == kPeriod - 1, full = m.accesses_q == kFull;
        const bool counted = in.acc_valid_i && !full;
        const bool hit = in.acc_hit_i || (in.acc_merge_i && cfg.MergeIsHit);
        const uint32_t accesses = m.accesses_q + counted, misses = m.misses_q + (counted && !hit);
        const bool equal = uint64_t(misses) * cfg.ThreshDen == uint64_t(accesses) * cfg.ThreshNum;
        const auto rate = [](uint64_t miss, uint64_t all) { return miss * cfg.ThreshDen > all * cfg.ThreshNum; };
        const char *const one = kMost < 2 ? "a period counts one access" : nullptr;
        const char *const never_full =
            kFull < kPeriod ? nullptr : "a period has no more cycles than the counter counts";
        const char *const one_decides = cfg.MinAccesses > 1 ? nullptr : "one access decides";

        cover("a hit", counted && in.acc_hit_i && !in.acc_merge_i);
        cover("a merge", counted && !in.acc_hit_i && in.acc_merge_i);
        cover("a miss", counted && !in.acc_hit_i && !in.acc_merge_i);
        cover("an access with the counter full", in.acc_valid_i && full, never_full);
        cover("a miss with the counter full", in.acc_valid_i && full && !hit, never_full);
        cover("a period without an access", ends && !accesses);
        cover("a period with too few accesses, the cache open", ends && accesses && !out.decide_o && !m.bypass_q,
              one_decides);
        cover("a period with too few accesses, the cache bypassed", ends && accesses && !out.decide_o && m.bypass_q,
              one_decides);
        cover("the last cycle's access makes them enough", out.decide_o && m.accesses_q + 1 == cfg.MinAccesses);
        cover("the miss rate is the threshold", out.decide_o && equal);
        cover("the last cycle's miss exceeds it", out.next_o && counted && !hit && !rate(m.misses_q, m.accesses_q));
        cover("the last cycle's hit keeps it",
              out.decide_o && !out.next_o && counted && hit && rate(m.misses_q, m.accesses_q), one);
        cover("the cache is bypassed", out.next_o && !m.bypass_q);
        cover("it stays bypassed", out.next_o && m.bypass_q);
        cover("it is opened", out.decide_o && !out.next_o && m.bypass_q);
        cover("it stays open", out.decide_o && !out.next_o && !m.bypass_q);
        cover("all miss", out.decide_o && misses == accesses);
    }
};

COSIM_MAIN
