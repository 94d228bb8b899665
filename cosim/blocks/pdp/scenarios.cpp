// SPDX-License-Identifier: Apache-2.0
// Protecting-distance replacement and bypass: Duong12.
#include "run.hpp"

static const uint32_t kStride = cfg.Sets / cfg.SampledSets;
static const uint32_t kAll = (1u << cfg.Ways) - 1;
static const uint32_t kFarthest = PDP_FARTHEST(&cfg), kCounters = PDP_COUNTERS(&cfg);
static const uint32_t kSearch = kCounters * (cfg.CountW + 1);
static const uint32_t kMost = (1u << cfg.RpdW) - 1;

// The n-th sampled set: n in the upper bits, and lower bits that make the XOR of the fields zero.
static uint32_t sampled_set(uint32_t n)
{
    uint32_t fields = 0;
    for (uint32_t rest = kStride > 1 ? n : 0; rest; rest /= kStride) fields ^= rest % kStride;
    return n * kStride + fields;
}

static In miss(uint64_t tag, uint32_t set = 0)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_set_i = uint8_t(set);
    in.acc_tag_i = uint32_t(tag & bits_mask(cfg.TagW));
    return in;
}

static In hit(uint32_t way)
{
    In in = miss(0);
    in.acc_hit_i = true;
    in.acc_way_i = uint8_t(way);
    return in;
}

static In fill(uint32_t way, uint32_t pd = 0)
{
    In in{};
    in.fill_valid_i = true;
    in.fill_way_i = uint8_t(way);
    in.fixed_pd_i = uint16_t(pd);
    return in;
}

// The victim of set 0, without an event.
static const Out &ask(Run &run, uint32_t free = 0, uint32_t held = 0)
{
    In in{};
    in.ask_free_i = uint16_t(free);
    in.ask_held_i = uint16_t(held);
    return run.cycle(in);
}

// The accesses of an interval, then the search; returns the computed distance.
template <class Make> static uint32_t interval(Run &run, Make make)
{
    for (uint32_t i = 0; i < cfg.Interval; i++) run.expect(!run.cycle(make(i)).strobe_o, "no search has ended");
    for (uint32_t i = 0; i < kSearch; i++) run.expect(!run.idle().strobe_o, "the search is in progress");
    run.expect(run.idle().strobe_o, "the search has ended");
    const uint32_t pd = run.last().pd_o;
    run.expect(!run.idle().strobe_o, "the strobe lasts one cycle");
    return pd;
}

SCENARIO(free_ways_first, true, "the lowest free way that is not held; no bypass")
{
    for (uint32_t free = 1; free <= kAll; free = 2 * free + (free & 1)) {
        const Out &out = ask(run, free);
        run.expect(!out.ask_bypass_o, "a way is free");
        run.expect_equal(out.ask_way_o, uint32_t(__builtin_ctz(free)), "the way");
    }
    if (cfg.Ways > 1) run.expect_equal(ask(run, kAll, 1).ask_way_o, 1, "the way, when way 0 is held");
}

SCENARIO(all_held, true, "all ways have outstanding misses: the line bypasses, free or not, protected or not")
{
    run.expect(ask(run, 0, kAll).ask_bypass_o, "bypass");
    run.expect_equal(ask(run, kAll, kAll).ask_way_o, 0, "the way");
}

SCENARIO(protected_for_pd_accesses, cfg.AgeShift == 0,
         "a line stays for PD accesses of its set, counted from its fill or its hit")
{
    const uint32_t pd = std::min(kMost + 1, kFarthest);
    for (uint32_t w = 0; w < cfg.Ways; w++) run.cycle(fill(w, pd));
    for (uint32_t i = 1; i < pd; i++) {
        run.expect(ask(run).ask_bypass_o, "every line is protected");
        run.cycle(miss(0, cfg.Sets > 1 ? 1 : 0)); // accesses of other sets do not count
        if (cfg.Sets > 1) run.cycle(miss(0));
    }
    run.expect(!ask(run).ask_bypass_o, "no line is protected");
    In in = hit(0);
    in.fixed_pd_i = uint16_t(pd);
    run.cycle(in);
    run.expect_equal(ask(run).ask_bypass_o, cfg.Ways == 1, "the line that was hit is protected again");
    run.expect(cfg.Ways == 1 || ask(run, 0, kAll & ~1u).ask_bypass_o, "and it alone");
}

SCENARIO(steps, cfg.AgeShift > 0,
         "with steps of S_d accesses the protection is rounded up, and ages every S_d-th access")
{
    run.cycle(fill(0, 2));
    for (uint32_t i = 0; i < 1u << cfg.AgeShift; i++) {
        run.expect(ask(run, 0, kAll & ~1u).ask_bypass_o, "way 0 is protected");
        run.cycle(miss(0));
    }
    run.expect(!ask(run, 0, kAll & ~1u).ask_bypass_o, "way 0 is not protected");
}

SCENARIO(longest_protection_saturates, true,
         "a distance that the bits of a line cannot hold protects as long as they can")
{
    run.cycle(fill(0, uint32_t(bits_mask(PDP_DIST_W(&cfg)))));
    const uint32_t steps = uint32_t(bits_mask(PDP_DIST_W(&cfg)) + (1u << cfg.AgeShift) - 2) >> cfg.AgeShift;
    const Twin &now = run.registers();
    run.expect_equal(now.rpd_q[0], std::min(steps, kMost), "rpd_q[0]");
}

SCENARIO(unprotected_in_turn, cfg.Ways > 1,
         "unprotected ways are replaced in turn, from the one behind the way filled last")
{
    for (uint32_t i = 0; i < 2 * cfg.Ways; i++) {
        run.expect_equal(ask(run).ask_way_o, i % cfg.Ways, "the way");
        run.cycle(fill(i % cfg.Ways, 1));
    }
    run.expect_equal(ask(run, 0, 1).ask_way_o, 1, "the way, when the first is held");
}

SCENARIO(without_bypass, cfg.Ways > 2 && cfg.RpdW >= 2 && cfg.RpdW + cfg.AgeShift <= 7,
         "all protected: the youngest line without a hit, then the youngest of those with one")
{
    const uint32_t most = kMost << cfg.AgeShift, step = 1u << cfg.AgeShift;
    for (uint32_t w = 0; w < 2; w++) {
        run.cycle(fill(w, std::min(most, kFarthest)));
        for (uint32_t i = 0; i < step && w == 0; i++) run.cycle(miss(0));
    }
    const uint32_t rest = kAll & ~3u;
    run.expect(ask(run, 0, rest).ask_bypass_o, "both are protected");
    run.expect_equal(run.last().ask_way_o, 1, "the youngest");
    In in = hit(1);
    in.fixed_pd_i = uint16_t(std::min(most, kFarthest));
    run.cycle(in);
    run.expect_equal(ask(run, 0, rest).ask_way_o, 0, "the one without a hit");
    in = hit(0);
    in.fixed_pd_i = 2;
    run.cycle(in);
    run.expect_equal(ask(run, 0, rest).ask_way_o, 1, "both were hit: the one with the longer protection");
    run.cycle(fill(0, 2));
    run.expect_equal(ask(run, 0, rest).ask_way_o, 0, "a new line has no hit");
}

SCENARIO(fill_after_access, true, "a fill in the cycle of an access of the same way: the line is new")
{
    In in = hit(0);
    in.fill_valid_i = true;
    run.cycle(in);
    run.expect_equal(run.registers().reused_q[0], 0, "reused_q[0]");
    run.cycle(hit(0));
    run.expect_equal(run.registers().reused_q[0], 1, "reused_q[0]");
}

SCENARIO(sampled_sets, true, "one set in Sets/SampledSets is sampled, spread over the index")
{
    uint32_t count = 0;
    for (uint32_t set = 0; set < cfg.Sets; set++) {
        bool wanted = false;
        for (uint32_t n = 0; n < cfg.SampledSets; n++) wanted |= set == sampled_set(n);
        run.expect_equal(run.cycle(miss(0, set)).acc_sampled_o, wanted, "acc_sampled_o");
        count += wanted;
    }
    run.expect_equal(count, cfg.SampledSets, "sampled sets");
}

SCENARIO(a_sample_is_found_once, true, "the M-th access becomes a sample; its first reuse ends it; a flush ends all")
{
    const uint32_t m = 1u << cfg.InsertShift;
    for (uint32_t i = 1; i < m; i++) run.expect(!run.cycle(miss(1)).acc_found_o, "no sample yet");
    run.expect(!run.cycle(miss(2)).acc_found_o, "the sample is new");
    run.expect(run.cycle(miss(2)).acc_found_o, "its reuse");
    if (m > 2) run.expect(!run.cycle(miss(2)).acc_found_o, "it is found once");
    run.reset();
    for (uint32_t i = 0; i < m; i++) run.cycle(miss(3));
    In in{};
    in.flush_valid_i = true;
    run.cycle(in);
    run.expect(!run.cycle(miss(3)).acc_found_o, "a flush ends every sample");
}

// A walk over `lines` lines in each sampled set: every reuse distance is `lines`.
static In walk(uint32_t i, uint32_t lines)
{
    return miss(i / cfg.SampledSets % lines, sampled_set(i % cfg.SampledSets));
}

static const uint32_t kEach = cfg.Interval / cfg.SampledSets; // accesses of a sampled set in an interval

static const bool kEveryDistance = kEach >= 2 * kFarthest && bits_mask(cfg.TagW) >= kFarthest - 1;

SCENARIO(one_distance, kEveryDistance, "all reuses at one distance: it is the best, rounded up to a counter's last")
{
    const uint32_t s_c = 1u << cfg.CountShift;
    for (uint32_t lines : {1u, s_c, s_c + 1, kFarthest / 2, kFarthest}) {
        run.about(std::to_string(lines));
        run.reset();
        const uint32_t pd = interval(run, [&](uint32_t i) { return walk(i, lines); });
        run.expect_equal(pd, (lines + s_c - 1) / s_c * s_c, "pd_o");
    }
}

SCENARIO(counters, kEveryDistance &&cfg.SampledSets == 1 && cfg.Depth > 2,
         "each sample counts in N_t, and by its distance if it was reused; a search halves both")
{
    const uint32_t lines = 1u << (cfg.InsertShift + 1), samples = cfg.Interval >> cfg.InsertShift;
    for (uint32_t i = 0; i < cfg.Interval - 1; i++) run.cycle(walk(i, lines));
    const uint32_t ended = samples - 1 - 2; // the last is not there yet; two wait
    Twin now = run.registers();
    run.expect_equal(now.total_q, ended, "total_q");
    run.expect_equal(now.reuse_q[(lines - 1) >> cfg.CountShift], ended, "its counter");
    run.cycle(walk(cfg.Interval - 1, lines));
    run.idle(kSearch);
    now = run.registers();
    run.expect_equal(now.total_q, (ended + 1) / 2, "total_q, halved");
    run.expect_equal(now.reuse_q[(lines - 1) >> cfg.CountShift], (ended + 1) / 2, "its counter, halved");
}

SCENARIO(no_reuse, kStride > 1, "without a reuse the distance stays: at first the number of ways")
{
    run.expect_equal(run.idle().pd_o, std::min(cfg.Ways, kFarthest), "pd_o after reset");
    const uint32_t pd = interval(run, [](uint32_t) { return miss(0, 1); }); // not sampled
    run.expect_equal(pd, std::min(cfg.Ways, kFarthest), "pd_o");
}

// Of `near` and `far` reuses of samples of one sampled set: N_i as given, at the end of an interval.
static const bool kL1d = cfg.Sets == 32 && cfg.Ways == 4 && cfg.CountShift == 2 && cfg.InsertShift == 2 &&
                         cfg.Depth == 32 && cfg.CountW == 12;

SCENARIO(near_or_far, kL1d &&kEveryDistance, "the hits of far reuses pay for the longer stay only if they are many")
{
    // Of eight lines in turn, `again` are those of eight accesses ago; the others are of `far` ago.
    const auto mix = [&](uint32_t again, uint32_t far) {
        run.reset();
        return interval(run, [&](uint32_t i) {
            const uint32_t n = i / cfg.SampledSets, k = n % 8;
            return miss(k < again ? k : 8 + n % far, sampled_set(i % cfg.SampledSets));
        });
    };
    run.expect_equal(mix(7, 96), 8, "pd_o: most reuses are near");
    run.expect_equal(mix(1, 96), 96, "pd_o: most reuses are far");
}

SCENARIO(no_such_way, (cfg.Ways & (cfg.Ways - 1)) != 0 || cfg.Ways == 1,
         "a hit or a fill in a way that is not there: a sticky error, nothing else changes")
{
    run.expect_equal(run.cycle(hit(cfg.Ways)).acc_sampled_o, 0, "acc_sampled_o");
    for (uint32_t i = 0; i < 3; i++) run.expect_equal(run.idle().error_o, PDP_ERROR_WAY, "error_o");
    run.reset();
    run.expect_equal(run.idle().error_o, PDP_OK, "error_o after reset");
    run.cycle(fill(cfg.Ways));
    run.expect_equal(run.idle().error_o, PDP_ERROR_WAY, "error_o");
    run.expect_equal(run.registers().next_q[0], 0, "next_q[0]");
    In in = miss(0);
    in.acc_way_i = uint8_t(cfg.Ways);
    run.reset();
    run.cycle(in);
    run.expect_equal(run.idle().error_o, PDP_OK, "error_o: without a hit the way is ignored");
}
