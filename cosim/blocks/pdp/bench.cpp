// SPDX-License-Identifier: Apache-2.0
// pdp in lockstep: Duong12.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Walks of any length over the lines of a few sets, with hits and fills at any rate; sometimes a way that is not there.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {16, 64, 128, 200, 256, 256, 256, 256};
        access_ = rates[r.below(8)];
        hit_ = rates[r.below(8)] / 2;
        fill_ = rates[r.below(8)] / (1 + uint32_t(r.below(4)));
        flush_ = r.chance(32) ? 2 : 0;
        lines_ = 1 + uint32_t(r.below(r.chance(128) ? kFarthest + 2 : 6));
        few_sets_ = r.chance(160);
        sampled_only_ = r.chance(160);
        random_ = r.chance(64) ? 64 : 0;
        fixed_ = r.chance(128) ? 0 : r.chance(64) ? kFarthest : uint32_t(r.below(r.chance(128) ? 5 : kFarthest + 1));
        rude_ = r.chance(16);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &, const Out &)
    {
        const uint32_t set = few_sets_ ? 0 : uint32_t(r.below(cfg.Sets));
        in.acc_valid_i = r.chance(access_);
        in.acc_set_i = uint8_t(sampled_only_ ? sampled_set(set % cfg.SampledSets) : set);
        turn_ += in.acc_valid_i;
        in.acc_tag_i = uint32_t(r.chance(random_) ? r.u64() : turn_ / (few_sets_ ? 1 : cfg.SampledSets) % lines_);
        in.acc_hit_i = r.chance(hit_);
        in.acc_way_i = uint8_t(rude_ && r.chance(8) ? r.u64() : r.below(cfg.Ways));
        in.fill_valid_i = r.chance(fill_);
        in.fill_set_i = r.chance(128) ? in.acc_set_i : uint8_t(r.below(cfg.Sets));
        in.fill_way_i = uint8_t(rude_ && r.chance(8) ? r.u64() : r.below(cfg.Ways));
        in.flush_valid_i = r.chance(flush_);
        in.ask_set_i = r.chance(192) ? in.acc_set_i : uint8_t(r.below(cfg.Sets));
        in.ask_free_i = r.chance(64) ? uint16_t(r.u64()) : 0;
        in.ask_held_i = r.chance(128) ? uint16_t(r.u64() & r.u64()) : r.chance(8) ? uint16_t(kAll) : 0;
        in.fixed_pd_i = uint16_t(fixed_);
        if (cfg.Sets == 1) in.acc_set_i = in.fill_set_i = in.ask_set_i = in.acc_tag_i & 1; // pins that nothing reads
    }

  private:
    uint32_t access_ = 0, hit_ = 0, fill_ = 0, flush_ = 0, lines_ = 1, random_ = 0, fixed_ = 0, turn_ = 0;
    bool few_sets_ = false, sampled_only_ = false, rude_ = false;
};

struct Coverage {
    // A search halves the number of samples, so they become twice as many as those of an interval, after some of them.
    static const char *full_reason()
    {
        const uint32_t most = (cfg.Interval >> cfg.InsertShift) + cfg.SampledSets * cfg.Depth;
        if (2 * most < bits_mask(cfg.CountW) - 1) return "intervals have fewer samples";
        const bool at_once = cfg.Interval >> cfg.InsertShift >= 1u << cfg.CountW;
        return at_once || cfg.Interval < 8192 ? nullptr : "more intervals than there are between two resets";
    }
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *one_way = cfg.Ways > 1 ? nullptr : "there is one way";
        const char *all_ways = cfg.Ways == 1 || (cfg.Ways & (cfg.Ways - 1)) ? nullptr : "every way number is a way";
        const bool access = in.acc_valid_i && (!in.acc_hit_i || in.acc_way_i < cfg.Ways);
        const uint32_t row = uint32_t(in.acc_set_i) / kStride % cfg.SampledSets;
        const bool inserts = out.acc_sampled_o && m.step_q[row] == bits_mask(cfg.InsertShift);
        const bool oldest = m.live_q[row * cfg.Depth + cfg.Depth - 1];
        const bool turn_ends = m.busy_q && m.turn_q == cfg.CountW, done = turn_ends && m.at_q == kCounters - 1;
        const bool protects = std::all_of(m.rpd_q, m.rpd_q + cfg.Ways, [](uint16_t rpd) { return rpd != 0; });
        const uint32_t free = in.ask_free_i & ~in.ask_held_i & kAll;

        cover("a free way is taken", free && !out.ask_bypass_o);
        cover("a free way is held", in.ask_free_i & in.ask_held_i & kAll);
        cover("an unprotected way is taken", !free && !out.ask_bypass_o);
        cover("not the lowest way", !out.ask_bypass_o && !free && out.ask_way_o, one_way);
        cover("every way is held", (in.ask_held_i & kAll) == kAll && out.ask_bypass_o);
        cover("every way is protected", out.ask_bypass_o && !in.ask_held_i);
        cover("the fallback is not the lowest way", out.ask_bypass_o && out.ask_way_o, one_way);
        cover("set 0 is protected as a whole", protects);
        cover("a hit", access && in.acc_hit_i);
        cover("a miss", access && !in.acc_hit_i);
        cover("a hit in the way that is filled", access && in.acc_hit_i && in.fill_valid_i &&
                                                     in.fill_way_i == in.acc_way_i && in.fill_set_i == in.acc_set_i);
        cover("a fill in the set of an access, another way",
              access && in.fill_valid_i && in.fill_set_i == in.acc_set_i && in.acc_hit_i &&
                  in.fill_way_i != in.acc_way_i && in.fill_way_i < cfg.Ways,
              one_way);
        cover("the last way is filled", in.fill_valid_i && in.fill_way_i == cfg.Ways - 1);
        cover("an access of a set that is not sampled", access && !out.acc_sampled_o,
              kStride > 1 ? nullptr : "every set is sampled");
        cover("a sample is found", out.acc_found_o);
        cover("the access of a reuse becomes a sample", out.acc_found_o && inserts);
        cover("a sample is shifted out", inserts && oldest && !out.acc_found_o);
        cover("one is found, another shifted out",
              out.acc_found_o && inserts && oldest && !(m.tag_q[row * cfg.Depth + cfg.Depth - 1] == in.acc_tag_i),
              cfg.Depth > 1 ? nullptr : "there is one sample");
        cover("a flush with an access", in.flush_valid_i && access);
        cover("an interval ends", access && !m.busy_q && m.seen_q == cfg.Interval - 1);
        cover("a sample is found during a search", out.acc_found_o && m.busy_q);
        cover("the samples are full", out.acc_found_o && !m.busy_q && m.total_q >= bits_mask(cfg.CountW) - 1,
              full_reason());
        cover("a candidate is better", turn_ends && m.hits_q && !m.best_hits_q);
        cover("a later candidate is better", m.busy_q && m.turn_q == 0 && m.best_hits_q && m.best_q && m.at_q,
              kCounters > 2 ? nullptr : "there are two candidates");
        cover("a search without a reuse", done && !m.best_hits_q && !m.hits_q);
        cover("the shortest distance", out.strobe_o && out.pd_o == 1u << cfg.CountShift);
        cover("the longest distance", out.strobe_o && out.pd_o == kFarthest);
        cover("a fixed distance", in.fill_valid_i && in.fixed_pd_i);
        cover("the computed distance", in.fill_valid_i && !in.fixed_pd_i);
        cover("a way that is not there", (in.acc_valid_i && !access) || (in.fill_valid_i && in.fill_way_i >= cfg.Ways),
              all_ways);
        cover("the error is raised", out.error_o == PDP_ERROR_WAY, all_ways);
    }
};

COSIM_MAIN
