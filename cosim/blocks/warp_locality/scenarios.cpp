// SPDX-License-Identifier: Apache-2.0
// warp_locality: Chen16, section 3.4.
#include "run.hpp"

static const uint64_t kAll = bits_mask(cfg.Warps);
static const uint32_t kMost = uint32_t(bits_mask(cfg.DegreeW)), kStarves = WARP_LOCALITY_STARVES(&cfg);
static const uint32_t kGroup = std::min(cfg.Group, cfg.Warps), kSub = uint32_t(bits_mask(cfg.SubW));

static constexpr uint64_t one(uint32_t warp)
{
    return uint64_t(1) << (warp % 64);
}

// Field `array` of a vector.
static inline void put_field(uint32_t (&words)[32], uint32_t array, uint32_t width, uint32_t value)
{
    for (uint32_t b = 0; b < width; b++) {
        const uint32_t at = array * width + b;
        words[at / 32] |= (value >> b & 1) << (at % 32);
    }
}

static inline In start(uint32_t warp, bool first = false)
{
    In in{};
    in.warp_valid_i = in.warp_start_i = true;
    in.warp_number_i = uint8_t(warp);
    in.warp_first_i = first;
    return in;
}

// With the same region and subregions in every array.
static inline In start(uint32_t warp, uint32_t region, uint32_t subs, bool first = false)
{
    In in = start(warp, first);
    in.warp_ranged_i = true;
    for (uint32_t a = 0; a < cfg.Arrays; a++) {
        in.warp_regions_i |= (region & bits_mask(cfg.RegionW)) << (a * cfg.RegionW);
        put_field(in.warp_subs_i, a, cfg.SubW, subs);
    }
    return in;
}

static inline In finish(uint32_t warp)
{
    In in{};
    in.warp_valid_i = true;
    in.warp_number_i = uint8_t(warp);
    return in;
}

static inline In waits(uint64_t warps, In in = In{})
{
    in.wait_valid_i = true;
    in.wait_warps_i = warps & kAll;
    return in;
}

static inline In able(uint64_t warps, In in = In{})
{
    in.issue_valid_i = true;
    in.issue_able_i = warps & kAll;
    return in;
}

static inline uint64_t mine(uint32_t scheduler)
{
    uint64_t set = 0;
    for (uint32_t i = scheduler; i < cfg.Warps; i += cfg.Schedulers) set |= one(i);
    return set;
}

// Until nothing is left to compute.
static inline void settle(Run &run)
{
    for (uint32_t i = 0; i < 2 * cfg.Warps * (cfg.Warps + 2); i++)
        if (!run.idle().busy_o) return;
    run.expect(false, "the block comes to rest");
}

static inline uint32_t degree_of(const Twin &m, uint32_t a, uint32_t b)
{
    const uint32_t high = std::max(a, b), low = std::min(a, b);
    return (m.known_q >> a & m.known_q >> b & 1) ? m.degree_q[high * (high - 1) / 2 + low] : 0;
}

static inline uint32_t capped(uint32_t degree)
{
    return std::min(degree, kMost);
}

static inline uint32_t number(uint64_t onehot)
{
    return uint32_t(__builtin_ctzll(onehot));
}

SCENARIO(figure_3_14, cfg.Warps > 2 && cfg.SubW > 5 && cfg.RegionW > 3,
         "the paper's example: warps 0 and 1 share two subregions, warp 2 has another region")
{
    run.cycle(start(0, 0b1011, 0b001101, true));
    run.cycle(start(1, 0b1011, 0b011001));
    run.cycle(start(2, 0b0100, 0b001101));
    settle(run);
    const Twin m = run.registers();
    run.expect_equal(degree_of(m, 0, 1), capped(2 * cfg.Arrays), "degree of warps 0 and 1");
    run.expect_equal(degree_of(m, 0, 2), 0, "degree of warps 0 and 2");
    run.expect_equal(degree_of(m, 1, 2), 0, "degree of warps 1 and 2");
}

SCENARIO(figure_3_10, cfg.Warps > 1 && cfg.SubW > 3 && cfg.RegionW > 3,
         "the paper's vectors, 1011 and 1001: all that a warp shares with one of the same region")
{
    run.cycle(start(0, 0b1011, 0b1001, true));
    run.cycle(start(1, 0b1011, 0b1111));
    settle(run);
    run.expect_equal(degree_of(run.registers(), 0, 1), capped(2 * cfg.Arrays), "degree: subregions 0 and 3");
}

// Of scheduler 0: its first three warps, of which the third shares more with the first than the second does.
static const uint32_t kThird = 2 * cfg.Schedulers;
static const bool kThree = cfg.Warps > kThird &&cfg.Group > 2 && cfg.SubW > 2 && cfg.DegreeW > 1;
static const uint64_t kTrio = kThree ? one(0) | one(cfg.Schedulers) | one(kThird) : 0;

static inline void start_three(Run &run)
{
    run.cycle(start(0, 1, 0b111, true));
    run.cycle(start(cfg.Schedulers, 1, 0b001));
    run.cycle(start(kThird, 1, 0b011));
    settle(run);
    run.expect_equal(run.idle().active_o, kTrio, "three warps are in the group");
    run.cycle(able(one(0)));
}

SCENARIO(greedy, kThree, "figure 3.12: a warp issues until it stalls")
{
    start_three(run);
    for (uint32_t i = 0; i < 5; i++) run.expect_equal(run.cycle(able(kTrio)).issue_pick_o, one(0), "the same warp");
}

SCENARIO(short_stall, kThree, "figure 3.12: after a short stall, the warp with the highest locality with the last one")
{
    start_three(run);
    for (uint32_t i = 0; i < 3; i++) run.cycle(able(kTrio)); // the search visits both others meanwhile
    const Out &out = run.cycle(able(kTrio & ~one(0)));
    run.expect_equal(out.issue_pick_o, one(kThird), "the one that shares more");
    run.expect_equal(out.issue_local_o, one(kThird), "for its degree");
}

SCENARIO(search_not_complete, kThree && 2 * cfg.Arrays <= kMost,
         "a stall before the search is complete: its best so far, or none with Wait=1")
{
    start_three(run);
    run.expect_equal(run.cycle(able(kTrio & ~one(0))).issue_pick_o, cfg.Wait ? 0 : one(cfg.Schedulers), "first visit");
    if (cfg.Wait) run.expect_equal(run.cycle(able(kTrio & ~one(0))).issue_pick_o, one(kThird), "second visit");
}

SCENARIO(long_stall, kThree &&cfg.Warps > kThird + 1,
         "figure 3.12: a warp that waits leaves the group, the one with the highest locality with the group enters")
{
    start_three(run);
    for (uint32_t i = 0; i < cfg.Warps; i++)
        if (!(kTrio & one(i))) run.cycle(start(i, i % 2, i == cfg.Warps - 1 ? 0b110 : 0b000));
    settle(run);
    const uint64_t before = run.idle().active_o;
    if (before == kAll) return; // the group holds all
    run.cycle(waits(one(kThird)));
    for (uint32_t i = 0; i < cfg.Warps; i++) {
        const Out &out = run.idle();
        run.expect_equal(out.active_o & one(kThird), 0, "it has left");
        if (!out.promote_valid_o) continue;
        run.expect(!(before & one(out.promote_warp_o)), "one from outside enters");
        if (!(before & one(cfg.Warps - 1)) && (cfg.Warps - 1) % 2)
            run.expect_equal(out.promote_warp_o, cfg.Warps - 1, "the one that shares subregions");
        run.expect_equal(run.idle().active_o, (before & ~one(kThird)) | one(out.promote_warp_o), "the group");
        return;
    }
    run.expect(false, "a warp is promoted");
}

SCENARIO(last_ends, cfg.Warps > cfg.Schedulers && cfg.Group > 1,
         "the best so far stays when the last warp ends; if it cannot issue, the next warp in the last one's slot does")
{
    run.cycle(start(0, true));
    run.cycle(start(cfg.Schedulers));
    settle(run);
    run.cycle(able(one(0)));
    run.cycle(able(one(0) | one(cfg.Schedulers)));
    run.cycle(finish(0));
    run.expect_equal(run.registers().bests_q & 1, 1, "the best so far");
    run.cycle(start(0));
    settle(run);
    run.expect_equal(run.cycle(able(one(0))).issue_pick_o & mine(0), one(0), "the new warp");
}

SCENARIO(group_is_full, true, "never more warps in the group than it has places; one enters a cycle")
{
    for (uint32_t i = 0; i < cfg.Warps; i++) run.cycle(start(i, 0, kSub, i == 0));
    settle(run);
    run.expect_equal(__builtin_popcountll(run.idle().active_o), kGroup, "warps in the group");
    run.cycle(waits(run.last().active_o));
    uint64_t before = run.idle().active_o;
    for (uint32_t i = 0; i < 2 * cfg.Warps; i++) {
        const uint64_t now = run.idle().active_o;
        run.expect(__builtin_popcountll(now & ~before) <= 1, "at most one enters a cycle");
        before = now;
    }
}

SCENARIO(table_is_filled, true, "the degrees of a warp are computed one a cycle, with each warp known before")
{
    for (uint32_t i = 0; i < cfg.Warps; i++) run.cycle(waits(kAll, start(i, i / 2, kSub, i == 0)));
    uint32_t cycles = cfg.Warps;
    while (run.idle().busy_o) cycles++;
    run.expect(cycles <= cfg.Warps * (cfg.Warps - 1) / 2 + 2 * cfg.Warps + 1, "cycles: a pair each, and two a warp");
    const Twin m = run.registers();
    for (uint32_t a = 0; a < cfg.Warps; a++)
        for (uint32_t b = 0; b < a; b++) {
            const bool same = ((a / 2 ^ b / 2) & bits_mask(cfg.RegionW)) == 0;
            run.expect_equal(degree_of(m, a, b), same ? capped(cfg.SubW * cfg.Arrays) : 0, "degree");
        }
}

SCENARIO(without_ranges, true, "a warp without ranges has no degrees; one that ends takes them away")
{
    run.cycle(start(0, 0, kSub, true));
    run.cycle(start(1));
    settle(run);
    run.expect_equal(run.registers().known_q, one(0), "known");
    run.cycle(finish(1));
    run.cycle(start(1, 0, kSub));
    settle(run);
    run.expect_equal(degree_of(run.registers(), 0, 1), capped(cfg.SubW * cfg.Arrays), "degree");
    run.cycle(finish(0));
    run.cycle(start(0));
    settle(run);
    run.expect_equal(degree_of(run.registers(), 0, 1), 0, "the next warp in the slot has none");
}

SCENARIO(starvation, true,
         "a warp starves when more than twice as many thread blocks came after its own as the SM holds")
{
    run.cycle(waits(kAll, start(0, true)));
    for (uint32_t i = 0; i < kStarves; i++) {
        run.expect_equal(run.cycle(start(1, true)).starved_o, 0, "not yet");
        if (i + 1 < kStarves) run.cycle(finish(1));
    }
    run.expect_equal(run.idle().starved_o, one(0), "now");
    run.expect_equal(run.idle().active_o & one(0), 0, "outside the group");
    run.expect_equal(run.cycle(able(kAll)).issue_pick_o & one(0), one(0), "it issues all the same");
    run.expect_equal(run.last().issue_starved_o, one(0), "as one that starves");
    run.cycle(finish(0));
    run.expect_equal(run.idle().starved_o, 0, "until it ends");
}

SCENARIO(starved_in_turn, cfg.Warps > cfg.Schedulers, "warps that starve issue in turn, before the others")
{
    const uint32_t other = cfg.Warps - 1;
    for (uint32_t i = 0; i < other; i++) run.cycle(start(i, i == 0));
    for (uint32_t i = 0; i < kStarves; i++) {
        run.cycle(start(other, true));
        if (i + 1 < kStarves) run.cycle(finish(other));
    }
    settle(run);
    uint64_t seen = 0;
    const uint64_t own = mine(0) & ~one(other);
    for (uint32_t i = 0; i < uint32_t(__builtin_popcountll(own)); i++) seen |= run.cycle(able(kAll)).issue_pick_o;
    run.expect_equal(seen & own, own, "each once, in as many cycles");
}

SCENARIO(errors, true, "a start of a warp that is present, an end of one that is not: the first error stays")
{
    run.cycle(start(0, true));
    run.expect_equal(run.cycle(start(0)).error_o, WARP_LOCALITY_OK, "no error yet");
    run.expect_equal(run.cycle(finish(1)).error_o, WARP_LOCALITY_ERROR_START, "error");
    run.expect_equal(run.idle().error_o, WARP_LOCALITY_ERROR_START, "the first one");
    run.reset();
    run.cycle(finish(0));
    run.expect_equal(run.idle().error_o, WARP_LOCALITY_ERROR_ABSENT, "error");
}
