// SPDX-License-Identifier: Apache-2.0
// stream_bypass: Khairy15, section 4.1.
#include "run.hpp"

static const uint32_t kPeriod = cfg.Period, kFull = uint32_t(bits_mask(cfg.CountW));
// The most accesses that a period counts.
static const uint32_t kMost = kFull < kPeriod ? kFull : kPeriod;

static inline In access(bool hit, bool merge = false)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_hit_i = hit;
    in.acc_merge_i = merge;
    return in;
}

// The paper's rule, in real numbers.
static bool over(uint32_t misses, uint32_t accesses)
{
    return double(misses) / accesses > double(cfg.ThreshNum) / cfg.ThreshDen;
}

// A period with these misses and hits in its first cycles: its last cycle's outputs.
static Out period(Run &run, uint32_t misses, uint32_t hits)
{
    for (uint32_t i = 0; i < kPeriod; i++)
        run.cycle(i < misses ? access(false) : i < misses + hits ? access(true) : In{});
    return run.last();
}

SCENARIO(streams, cfg.MinAccesses <= kMost, "4.1: a period of misses bypasses the cache, and one of hits opens it")
{
    run.expect(!run.idle().bypass_o, "the cache is open at first");
    run.reset();
    const Out missed = period(run, kMost, 0);
    run.expect(missed.decide_o && missed.next_o && !missed.bypass_o, "the period decides at its end");
    const Out reused = period(run, 0, kMost);
    run.expect(reused.bypass_o && reused.decide_o && !reused.next_o, "bypassed until the next decision");
    run.expect(!run.idle().bypass_o, "the tags hit: it is open");
}

SCENARIO(threshold, cfg.MinAccesses <= kMost, "4.1: the miss rate of the period against the threshold, about it")
{
    const uint32_t n = kMost < 4 * cfg.MinAccesses ? kMost : 4 * cfg.MinAccesses;
    const uint32_t at = uint32_t(uint64_t(n) * cfg.ThreshNum / cfg.ThreshDen);
    for (uint32_t misses = at ? at - 1 : 0; misses <= at + 2 && misses <= n; misses++) {
        const Out out = period(run, misses, n - misses);
        run.expect(out.decide_o, "enough accesses");
        run.expect_equal(out.next_o, over(misses, n), "bypass");
    }
}

SCENARIO(few_accesses, cfg.MinAccesses > 1, "fewer accesses than MinAccesses decide nothing")
{
    run.expect(!period(run, std::min(cfg.MinAccesses - 1, kMost), 0).decide_o, "one too few, or as many as can be");
    run.expect(!run.registers().bypass_q, "open as before");
    if (cfg.MinAccesses > kMost) return;
    run.reset();
    run.expect(period(run, cfg.MinAccesses, 0).next_o, "enough");
    run.expect(!period(run, 0, cfg.MinAccesses - 1).decide_o, "one too few");
    const Twin &now = run.registers();
    run.expect(now.bypass_q && now.accesses_q == 0 && now.misses_q == 0,
               "bypassed as before, and the counters are new");
}

SCENARIO(last_cycle, cfg.MinAccesses <= kMost, "the access in the last cycle of a period belongs to it")
{
    const uint32_t before = cfg.MinAccesses - 1;
    for (uint32_t i = 0; i < kPeriod - 1; i++) run.cycle(i < before ? access(false) : In{});
    if (before > kPeriod - 1) return;
    run.expect(run.cycle(access(false)).decide_o && run.last().next_o, "the access that makes them enough");
    const Twin &now = run.registers();
    run.expect(now.bypass_q && now.accesses_q == 0, "it is not of the new period");
}

SCENARIO(merges, cfg.MinAccesses <= kMost, "a merge is a miss, or with MergeIsHit a hit")
{
    for (uint32_t i = 0; i < kPeriod; i++) run.cycle(access(false, true));
    run.expect(run.last().decide_o && run.last().next_o == !cfg.MergeIsHit, "only merges");
}

SCENARIO(full_counter, kFull < kPeriod && cfg.MinAccesses <= kFull,
         "a full access counter ends the sample: later accesses do not count")
{
    for (uint32_t i = 0; i < kPeriod; i++) run.cycle(access(i >= kFull));
    run.expect(run.last().next_o, "the sample was all misses");
    for (uint32_t i = 0; i < kPeriod; i++) run.cycle(access(i < kFull));
    run.expect(run.last().decide_o && !run.last().next_o, "the sample was all hits");
}
