// SPDX-License-Identifier: Apache-2.0
// bpg in lockstep: Dai17, section 2.6.
#include "lockstep.hpp"

extern "C" {
#include "bpg.h"
}

static constexpr uint32_t kStride = cfg.Sets / cfg.SampledSets;

// The n-th sampled set: n, and below it what makes the XOR of its fields zero.
static uint32_t sampled_set(uint32_t n)
{
    uint32_t fields = 0;
    for (uint32_t rest = kStride > 1 ? n : 0; rest; rest /= kStride) fields ^= rest % kStride;
    return n * kStride + fields;
}

// Owners that each walk over some lines of their own: few fit, many do not; failures at any rate; now and then an owner
// that does not exist.
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

static In touch(uint32_t owner, uint64_t tag, uint32_t set = 0)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_set_i = uint16_t(set);
    in.acc_tag_i = tag & bits_mask(cfg.TagW);
    in.acc_owner_i = uint16_t(owner);
    in.acc_owners_i = cfg.Calcs;
    return in;
}

// To the end of the interval with accesses that the caller makes, then to the decision: its L_max.
template <class Make> static uint32_t decide(cosim::Lockstep &run, Make make)
{
    for (uint32_t i = 0; i < cfg.Interval; i++) run.expect(!run.cycle(make(i)).strobe_o, "no decision yet");
    for (uint32_t i = 0; i < (cfg.Parallel ? 1 : 1 + cfg.Calcs); i++)
        run.expect(!run.idle().strobe_o, "it is being worked out");
    const Out &out = run.idle();
    run.expect(out.strobe_o, "the strobe");
    return out.l_max_o;
}

SCENARIO(nobody_bypasses, "without failures and without hits all tie: the largest L, everybody uses the cache")
{
    run.expect_equal(run.idle().l_max_o, cfg.Calcs, "L_max after reset");
    const uint32_t l = decide(run, [](uint32_t) { return cfg.Sets > 1 ? touch(0, 0, 1) : touch(0, 0); });
    run.expect_equal(l, cfg.Calcs, "L_max");
    for (uint32_t o = 0; o < 1u << cfg.OwnerW; o++) {
        In in{};
        in.ask_owner_i = uint16_t(o);
        run.expect(!run.cycle(in).ask_bypass_o, "nobody goes around");
    }
}

SCENARIO(failures_alone, "no hits, but failures: the fewer in the cache the fewer, so L_max = 1")
{
    const uint32_t l = decide(run, [](uint32_t i) {
        In in = touch(0, i, cfg.Sets > cfg.SampledSets ? 1 : 0);
        if (cfg.Sets == cfg.SampledSets) in = touch(cfg.Calcs - 1, i);
        in.rf_valid_i = true;
        return in;
    });
    const bool felt = cfg.RfW > cfg.EShift + 2;
    run.expect(!felt || l < cfg.Calcs, "somebody bypasses");
    In in{};
    in.ask_owner_i = uint16_t(cfg.Calcs);
    run.expect_equal(run.cycle(in).ask_bypass_o, l < cfg.Calcs, "an owner that no calculator has goes around then");
    in.ask_owner_i = 0;
    run.expect(!run.cycle(in).ask_bypass_o, "owner 0 never does");
}

SCENARIO(one_owner_alone, "N = 1: every L is the same one owner, whatever failures cost; the largest is chosen")
{
    const uint32_t l = decide(run, [](uint32_t i) {
        In in = touch(0, i, cfg.Sets > cfg.SampledSets ? 1 : 0);
        in.acc_owners_i = 1;
        in.rf_valid_i = true;
        return in;
    });
    run.expect_equal(l, cfg.Calcs, "L_max");
}

SCENARIO(sampled_sets,
         "one set in Sets/SampledSets is sampled, one of any so many neighbours, and of any so many with a pitch")
{
    uint32_t count = 0;
    for (uint32_t set = 0; set < cfg.Sets; set++) {
        bool wanted = false;
        for (uint32_t n = 0; n < cfg.SampledSets; n++) wanted |= set == sampled_set(n);
        run.expect_equal(run.cycle(touch(0, 0, set)).acc_sampled_o, wanted, "acc_sampled_o");
        count += wanted;
    }
    run.expect_equal(count, cfg.SampledSets, "sampled sets");
}

SCENARIO(hit_after_miss, "a tag misses first, then hits in every calculator that its owner counts in")
{
    run.expect_equal(run.cycle(touch(1, 5)).acc_hits_o, 0, "hits");
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < cfg.Calcs; i++) wanted |= (i >= 1 ? 1u : 0u) << i;
    run.expect_equal(run.cycle(touch(1, 5)).acc_hits_o, wanted, "hits: all but calculator 0");
    In in{};
    in.flush_valid_i = true;
    run.cycle(in);
    run.expect_equal(run.cycle(touch(1, 5)).acc_hits_o, 0, "hits after a flush");
}

SCENARIO(least_recently_used, "Ways lines stay, one more replaces the one used least recently")
{
    for (uint32_t w = 0; w < cfg.Ways; w++) run.cycle(touch(0, w));
    run.expect(run.cycle(touch(0, 0)).acc_hits_o, "line 0 is there");
    run.cycle(touch(0, cfg.Ways));
    run.expect_equal(run.cycle(touch(0, 0)).acc_hits_o != 0, cfg.Ways > 1, "line 0 was used last but one");
    if (cfg.Ways > 1) run.expect_equal(run.cycle(touch(0, 1)).acc_hits_o, 0, "line 1 is gone");
}

SCENARIO(no_such_owner, "an access of an owner that is not below N: a sticky error, nothing else changes")
{
    In in = touch(1, 3);
    in.acc_owners_i = 1;
    run.expect(!run.cycle(in).acc_sampled_o, "not looked up");
    for (uint32_t i = 0; i < 3; i++) run.expect_equal(run.idle().error_o, BPG_ERROR_OWNER, "error_o");
    run.expect_equal(run.cycle(touch(1, 3)).acc_hits_o, 0, "hits");
    run.reset();
    run.expect_equal(run.idle().error_o, BPG_OK, "error_o after reset");
}

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
        cover("an owner that only the last calculator counts", out.acc_sampled_o && in.acc_owner_i >= cfg.Calcs);
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
        cover("an owner asks and goes around", out.ask_bypass_o);
        cover("an owner asks and uses the cache", m.l_max_q < cfg.Calcs && !out.ask_bypass_o);
        cover("a flush with a hit", in.flush_valid_i && out.acc_hits_o);
        cover("an owner that does not exist", in.acc_valid_i && !ok);
        cover("the error is raised", out.error_o == BPG_ERROR_OWNER);
    }
};

COSIM_MAIN
