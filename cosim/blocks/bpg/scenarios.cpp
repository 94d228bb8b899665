// SPDX-License-Identifier: Apache-2.0
// The Bypassing Parameter Generator: Dai17, sections 2.5 and 2.6.
#include "run.hpp"

static const uint32_t kStride = cfg.Sets / cfg.SampledSets;

// The n-th sampled set: n in the upper bits, and lower bits that make the XOR of the fields zero.
static uint32_t sampled_set(uint32_t n)
{
    uint32_t fields = 0;
    for (uint32_t rest = kStride > 1 ? n : 0; rest; rest /= kStride) fields ^= rest % kStride;
    return n * kStride + fields;
}

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

// Runs the caller's accesses to the end of the interval, then to the decision; returns L_max.
template <class Make> static uint32_t decide(Run &run, Make make)
{
    for (uint32_t i = 0; i < cfg.Interval; i++) run.expect(!run.cycle(make(i)).strobe_o, "no decision yet");
    for (uint32_t i = 0; i < (cfg.Parallel ? 1 : 1 + cfg.Calcs); i++)
        run.expect(!run.idle().strobe_o, "it is being worked out");
    const Out &out = run.idle();
    run.expect(out.strobe_o, "the strobe");
    return out.l_max_o;
}

SCENARIO(no_owner_bypasses, true,
         "without failures and hits all candidates tie: the largest L is chosen, no access bypasses")
{
    run.expect_equal(run.idle().l_max_o, cfg.Calcs, "L_max after reset");
    const uint32_t l = decide(run, [](uint32_t) { return cfg.Sets > 1 ? touch(0, 0, 1) : touch(0, 0); });
    run.expect_equal(l, cfg.Calcs, "L_max");
    for (uint32_t o = 0; o < 1u << cfg.OwnerW; o++) {
        In in{};
        in.ask_owner_i = uint16_t(o);
        run.expect(!run.cycle(in).ask_bypass_o, "no owner bypasses");
    }
}

SCENARIO(failures_alone, true, "no hits, but failures: the fewer in the cache the fewer, so L_max = 1")
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
    run.expect_equal(run.cycle(in).ask_bypass_o, l < cfg.Calcs, "an owner beyond all calculators bypasses then");
    in.ask_owner_i = 0;
    run.expect(!run.cycle(in).ask_bypass_o, "owner 0 never does");
}

SCENARIO(one_owner_alone, true,
         "N = 1: every L is the same one owner, with any cost of failures; the largest is chosen")
{
    const uint32_t l = decide(run, [](uint32_t i) {
        In in = touch(0, i, cfg.Sets > cfg.SampledSets ? 1 : 0);
        in.acc_owners_i = 1;
        in.rf_valid_i = true;
        return in;
    });
    run.expect_equal(l, cfg.Calcs, "L_max");
}

SCENARIO(sampled_sets, true,
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

SCENARIO(hit_after_miss, true, "a tag misses first, then hits in every calculator that its owner counts in")
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

SCENARIO(least_recently_used, bits_mask(cfg.TagW) >= cfg.Ways,
         "Ways lines stay, one more replaces the one used least recently")
{
    for (uint32_t w = 0; w < cfg.Ways; w++) run.cycle(touch(0, w));
    run.expect(run.cycle(touch(0, 0)).acc_hits_o, "line 0 is there");
    run.cycle(touch(0, cfg.Ways));
    run.expect_equal(run.cycle(touch(0, 0)).acc_hits_o != 0, cfg.Ways > 1, "line 0 was used last but one");
    if (cfg.Ways > 1) run.expect_equal(run.cycle(touch(0, 1)).acc_hits_o, 0, "line 1 is gone");
}

SCENARIO(no_such_owner, true, "an access of an owner that is not below N: a sticky error, nothing else changes")
{
    In in = touch(1, 3);
    in.acc_owners_i = 1;
    run.expect(!run.cycle(in).acc_sampled_o, "not looked up");
    for (uint32_t i = 0; i < 3; i++) run.expect_equal(run.idle().error_o, BPG_ERROR_OWNER, "error_o");
    run.expect_equal(run.cycle(touch(1, 3)).acc_hits_o, 0, "hits");
    run.reset();
    run.expect_equal(run.idle().error_o, BPG_OK, "error_o after reset");
}

static In read_of(uint32_t owner, uint64_t line, uint32_t owners = cfg.Calcs)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_tag_i = line & bits_mask(cfg.TagW);
    in.acc_owner_i = uint16_t(owner);
    in.acc_owners_i = uint16_t(owners);
    return in;
}

// An interval of such reads, and the decision.
template <class Make> static uint32_t interval(Run &run, Make make)
{
    for (uint32_t i = 0; i < cfg.Interval; i++) run.cycle(make(i));
    for (uint32_t i = 0; i < cfg.Calcs + 2; i++) {
        const Out &out = run.idle();
        if (out.strobe_o) return out.l_max_o;
    }
    run.expect(false, "a decision");
    return 0;
}

static uint32_t bypassed(Run &run)
{
    uint32_t count = 0;
    for (uint32_t owner = 0; owner < cfg.Calcs; owner++) {
        In in{};
        in.ask_owner_i = uint16_t(owner);
        count += run.cycle(in).ask_bypass_o;
    }
    return count;
}

SCENARIO(no_contention, true, "2.6: owners that share a line all hit; no owner bypasses")
{
    run.expect_equal(interval(run, [](uint32_t i) { return read_of(i % cfg.Calcs, 1); }), cfg.Calcs, "L_max");
    run.expect_equal(bypassed(run), 0, "owners that go around");
}

SCENARIO(thrashing, cfg.Ways >= 2 && cfg.HitW >= 5 && bits_mask(cfg.TagW) >= 2 * cfg.Ways - 1,
         "2.4: each owner has Ways lines of its own: one fits, two do not, so one stays and the others bypass")
{
    // Two owners: with both in the cache, LRU evicts every line before its reuse.
    const uint32_t l = interval(
        run, [](uint32_t i) { return read_of(i / cfg.Ways % 2, i % cfg.Ways + (i / cfg.Ways % 2) * cfg.Ways, 2); });
    run.expect_equal(l, 1, "L_max");
    run.expect_equal(bypassed(run), cfg.Calcs - 1, "owners that go around");
}

SCENARIO(congestion, cfg.RfW >= 5 && cfg.LastAll,
         "2.5.2: failures fall with the cube of L: without hits, one owner is best")
{
    const uint32_t l = interval(run, [](uint32_t i) {
        In in = read_of(0, i);
        in.acc_set_i = cfg.Sets > cfg.SampledSets; // not sampled: no hits
        if (cfg.Sets == cfg.SampledSets) in = read_of(cfg.Calcs - 1, uint64_t(i) * 0x9e37 >> 3);
        in.rf_valid_i = true;
        return in;
    });
    run.expect(l < cfg.Calcs, "somebody bypasses");
}

SCENARIO(history, cfg.Calcs >= 2 && cfg.HitW >= 5 && cfg.Ways >= 2 && bits_mask(cfg.TagW) >= 2 * cfg.Ways - 1,
         "2.6: halving keeps history, and a decision is revised when the program changes")
{
    const auto thrash = [](uint32_t i) {
        return read_of(i / cfg.Ways % 2, i % cfg.Ways + (i / cfg.Ways % 2) * cfg.Ways, 2);
    };
    run.expect_equal(interval(run, thrash), 1, "L_max");
    uint32_t l = 1;
    for (uint32_t i = 0; i < 4; i++) l = interval(run, [](uint32_t k) { return read_of(k % cfg.Calcs, 1); });
    run.expect_equal(l, cfg.Calcs, "L_max, once all share a line");
}

static const bool kPaper = cfg.Calcs == 8 && cfg.Interval == 1000 && cfg.Sets == 32 && cfg.SampledSets == 4 &&
                           cfg.Ways == 4 && cfg.TagW >= 4 && cfg.OwnerW >= 6 && cfg.HitW == 10 && cfg.RfW == 12 &&
                           cfg.HitShift == 3 && cfg.EShift == 1 && cfg.LastAll;

// Hits that the calculators count in one interval, none fewer than the one before, and failures beside them.  Two
// owners of the first calculators have a line each in a sampled set of their own.
static uint32_t decide_by_hits(Run &run, const uint32_t (&hits)[8], uint32_t failures, uint32_t owners)
{
    uint32_t accesses = 0;
    const auto access = [&](const In &in) {
        accesses++;
        return run.cycle(in).acc_hits_o;
    };
    for (uint32_t owner = 0; owner < 8; owner++) {
        In in = touch(owner, owner, sampled_set(owner / 2));
        in.acc_owners_i = uint16_t(owners);
        run.expect_equal(access(in), 0, "hits of a line that is new");
        for (uint32_t i = owner ? hits[owner - 1] : 0; i < hits[owner]; i++)
            run.expect_equal(access(in), 0xffu << owner & 0xff, "hits of a line that is there");
    }
    In failure{};
    failure.rf_valid_i = true;
    for (uint32_t i = 0; i < failures; i++) run.cycle(failure);
    In other = touch(0, 0, 1); // not sampled
    other.acc_owners_i = uint16_t(owners);
    while (accesses < cfg.Interval) access(other);
    for (uint32_t i = 0; i < 1 + cfg.Calcs; i++) run.expect(!run.idle().strobe_o, "it is being worked out");
    run.expect(run.idle().strobe_o, "the strobe");
    return run.last().l_max_o;
}

// Of N owners L cost failures/2 (L/N)^3, hits count eight times; the last calculator is for all N.
SCENARIO(adjusted_hits, kPaper && !cfg.Rebase && !cfg.Parallel,
         "2.6: adjusted hits by hand; the first L_max owners do not bypass")
{
    static constexpr struct {
        const char *adjusted;
        uint32_t hits[8], failures, owners, l_max;
    } rows[] = {
        {"all 0: the largest", {}, 0, 8, 8},
        {"0 -4 -13 -32 -62 -108 -171 -256", {}, 512, 8, 1},
        {"0 4 11 16 18 12 -3 -16", {0, 1, 3, 6, 10, 15, 21, 30}, 512, 8, 5},
        {"0 77 67 49 18 -27 -91 -44", {0, 10, 10, 10, 10, 10, 10, 250}, 4088, 16, 2},
        {"0 77 75 81 58 21 -35 -44", {0, 10, 11, 14, 15, 16, 17, 250}, 4088, 16, 4},
        {"-3 49 -19 -143 and less", {0, 10, 11, 14, 15, 16, 17, 250}, 4088, 8, 2},
        {"... -35 116", {0, 10, 11, 14, 15, 16, 17, 270}, 4088, 16, 8},
    };
    for (const auto &row : rows) {
        run.about(row.adjusted);
        run.reset();
        run.expect_equal(decide_by_hits(run, row.hits, row.failures, row.owners), row.l_max, "L_max");
        for (uint32_t o = 0; o < 1u << cfg.OwnerW; o++) {
            In in{};
            in.ask_owner_i = uint16_t(o);
            run.expect_equal(run.cycle(in).ask_bypass_o, row.l_max < 8 && o >= row.l_max, "ask_bypass_o");
        }
    }
}

SCENARIO(halved, kPaper && !cfg.Parallel, "2.6: a decision halves the counters and leaves the tags")
{
    decide_by_hits(run, {3, 5, 7, 9, 11, 13, 15, 17}, 101, 8);
    const Twin &now = run.registers();
    run.expect(now.hits_q[0] == 1 && now.hits_q[7] == 8 && now.rf_q == 50, "counters");
    run.expect_equal(run.cycle(touch(0, 0, sampled_set(0))).acc_hits_o, 0xff, "hits");
}

SCENARIO(more_owners, kPaper, "owners count in the calculators from their own number on; the last counts all of them")
{
    const auto hits = [&](uint32_t owner, uint64_t tag) {
        In in = touch(owner, tag);
        in.acc_owners_i = 48;
        return run.cycle(in).acc_hits_o;
    };
    hits(3, 1);
    run.expect_equal(hits(3, 1), 0xf8, "hits: calculators 3 to 7");
    hits(40, 9);
    run.expect_equal(hits(40, 9), 0x80, "hits: the last calculator");
    run.expect_equal(hits(0, 9), 0x80, "hits: to the others the line is new");
}
