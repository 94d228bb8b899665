// SPDX-License-Identifier: Apache-2.0
// bpg in lockstep: Dai17, section 2.6.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Each owner walks over its own lines: few fit, many do not; failures at any rate; sometimes a non-existent owner.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {0, 4, 16, 64, 128, 200, 256, 256};
        access_ = rates[1 + r.below(7)];
        failure_ = rates[r.below(8)];
        flush_ = r.chance(64) ? 4 : 0;
        rude_ = r.chance(24);
        all_sampled_ = r.chance(192);
        none_sampled_ = r.chance(32);
        owners_ = 1 + uint32_t(r.below(std::min(2 * cfg.Calcs, 1u << cfg.OwnerW)));
        if (r.chance(16)) owners_ = 1 + uint32_t(r.below((2u << cfg.OwnerW) - 1)); // more than there can be, too
        lines_ = 1 + uint32_t(r.below(2 * cfg.Ways));
        favourite_ = uint32_t(r.below(owners_));
        shared_ = r.chance(64);
        turns_ = r.chance(48);
        if (turns_) lines_ = cfg.Ways;
        if (r.chance(24)) { // every access hits in every calculator
            access_ = 256;
            flush_ = favourite_ = 0;
            owners_ = lines_ = 1;
            all_sampled_ = true;
            rude_ = none_sampled_ = false;
        }
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &, const Out &)
    {
        const uint32_t any = r.chance(96) ? favourite_ : uint32_t(r.below(owners_));
        const uint32_t owner = turns_ ? turn_ / lines_ % owners_ : any;
        const uint64_t line = (turns_ ? turn_ % lines_ : r.below(lines_)) + (shared_ ? 0 : owner * lines_);
        turn_++;
        in.acc_valid_i = r.chance(access_);
        in.acc_owner_i = uint16_t(rude_ && r.chance(16) ? r.u64() : owner);
        in.acc_owners_i = uint16_t(owners_);
        in.acc_set_i =
            uint16_t(all_sampled_ && r.chance(240) ? sampled_set(uint32_t(r.below(cfg.SampledSets))) : r.u64());
        if (none_sampled_ && kStride > 1) in.acc_set_i = 1;
        in.acc_tag_i = line ^ (r.chance(2) ? r.u64() : 0);
        in.rf_valid_i = r.chance(failure_);
        in.flush_valid_i = flush_ && r.chance(flush_);
        in.ask_owner_i = uint16_t(r.u64());
    }

  private:
    uint32_t access_ = 0, failure_ = 0, flush_ = 0, owners_ = 1, lines_ = 1, favourite_ = 0, turn_ = 0;
    bool rude_ = false, all_sampled_ = false, none_sampled_ = false, shared_ = false, turns_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool ok = in.acc_valid_i && in.acc_owner_i < in.acc_owners_i;
        const bool ends = ok && m.count_q == cfg.Interval - 1;
        const bool last_turn = m.busy_q && (cfg.Parallel || m.l_q == cfg.Calcs);
        cover("an access of a sampled set", out.acc_sampled_o);
        cover("an access of another set", ok && !out.acc_sampled_o,
              cfg.Sets == cfg.SampledSets ? "every set is sampled" : nullptr);
        cover("no calculator hits", out.acc_sampled_o && !out.acc_hits_o);
        cover("every calculator hits", out.acc_hits_o == bits_mask(cfg.Calcs));
        cover("some hit, some miss", out.acc_hits_o && out.acc_hits_o != bits_mask(cfg.Calcs));
        cover("a small one hits, the largest misses", (out.acc_hits_o & 1) && !(out.acc_hits_o >> (cfg.Calcs - 1)));
        cover("an owner observed by the last calculator only", out.acc_sampled_o && in.acc_owner_i >= cfg.Calcs);
        cover("it hits there", in.acc_owner_i >= cfg.Calcs && out.acc_hits_o,
              cfg.LastAll ? nullptr : "no calculator counts it");
        cover("a hit counter is full", (out.acc_hits_o & 1) && m.hits_q[0] == bits_mask(cfg.HitW));
        cover("the failure counter is full", in.rf_valid_i && m.rf_q == bits_mask(cfg.RfW));
        cover("an interval ends", ends);
        cover("it ends with a failure", ends && in.rf_valid_i);
        cover("it ends with a hit", ends && out.acc_hits_o);
        cover("fewer owners than calculators", ends && in.acc_owners_i < cfg.Calcs);
        cover("more owners than calculators", ends && in.acc_owners_i > cfg.Calcs);
        cover("one owner", ends && in.acc_owners_i == 1);
        cover("a decision with more owners than calculators", last_turn && !ends && m.n_q > cfg.Calcs);
        cover("an access during a decision", ok && m.busy_q);
        cover("a failure during a decision", in.rf_valid_i && m.busy_q);
        cover("a decision is reached", last_turn && !ends);
        cover("L_max = 1", out.strobe_o && out.l_max_o == 1);
        cover("L_max between", out.strobe_o && out.l_max_o > 1 && out.l_max_o<cfg.Calcs, cfg.Calcs> 2
                                   ? nullptr
                                   : "there are two calculators");
        cover("L_max = Calcs", out.strobe_o && out.l_max_o == cfg.Calcs);
        cover("decided while some went around", last_turn && m.l_max_q < std::min<uint32_t>(m.n_q, cfg.Calcs));
        cover("fewer hits than failures cost", m.busy_q && !cfg.Parallel && m.best_q && m.best_q < 1u << 23,
              cfg.Parallel                            ? "there is no best so far"
              : bits_mask(cfg.RfW) >> cfg.EShift == 0 ? "failures cost nothing"
                                                      : nullptr);
        cover("an owner asks and bypasses", out.ask_bypass_o);
        cover("an owner asks and uses the cache", m.l_max_q < cfg.Calcs && !out.ask_bypass_o);
        cover("a flush with a hit", in.flush_valid_i && out.acc_hits_o);
        cover("an owner that does not exist", in.acc_valid_i && !ok);
        cover("the error is raised", out.error_o == BPG_ERROR_OWNER);
    }
};

COSIM_MAIN
