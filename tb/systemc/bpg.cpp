// SPDX-License-Identifier: Apache-2.0
// The Bypassing Parameter Generator: Dai17, sections 2.5 and 2.6.
#include "bench.hpp"

extern "C" {
#include "bpg.h"
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
template <class Make> static uint32_t interval(tb::Bench &run, Make make)
{
    for (uint32_t i = 0; i < cfg.Interval; i++) run.cycle(make(i));
    for (uint32_t i = 0; i < cfg.Calcs + 2; i++) {
        const Out &out = run.idle();
        if (out.strobe_o) return out.l_max_o;
    }
    run.expect(false, "a decision");
    return 0;
}

static uint32_t bypassed(tb::Bench &run)
{
    uint32_t count = 0;
    for (uint32_t owner = 0; owner < cfg.Calcs; owner++) {
        In in{};
        in.ask_owner_i = uint16_t(owner);
        count += run.cycle(in).ask_bypass_o;
    }
    return count;
}

SCENARIO(no_contention, true, "2.6: owners that share a line all hit; nobody bypasses")
{
    run.expect_equal(interval(run, [](uint32_t i) { return read_of(i % cfg.Calcs, 1); }), cfg.Calcs, "L_max");
    run.expect_equal(bypassed(run), 0, "owners that go around");
}

SCENARIO(thrashing, cfg.Ways >= 2 && cfg.HitW >= 5 && cfg.TagW >= 4,
         "2.4: each owner has Ways lines of its own: one fits, two do not, so one stays and the others bypass")
{
    // Two owners: with both in the cache, LRU keeps nothing until a line is used again.
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

SCENARIO(history, cfg.Calcs >= 2 && cfg.HitW >= 5 && cfg.Ways >= 2 && cfg.TagW >= 4,
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
