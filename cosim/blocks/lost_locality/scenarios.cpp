// SPDX-License-Identifier: Apache-2.0
// lost_locality: Khairy15, section 4.2 and table 4.
#include "run.hpp"

static const uint32_t kSets = cfg.Entries / cfg.Ways, kTop = uint32_t(bits_mask(cfg.ScoreW));
static const uint32_t kBeforeLast = cfg.Warps > 1 ? cfg.Warps - 2 : 0;
static const uint32_t kDone = cfg.ScoreW + 2; // cycles of a division, but for one that saturates

static inline In warp(uint32_t number, bool start)
{
    In in{};
    in.warp_valid_i = true;
    in.warp_start_i = start;
    in.warp_number_i = uint8_t(number);
    return in;
}

static inline In issue(uint32_t count, In in = In{})
{
    in.issue_valid_i = true;
    in.issue_count_i = uint8_t(count);
    return in;
}

static inline In evict(uint32_t number, uint32_t tag, In in = In{})
{
    in.evict_valid_i = true;
    in.evict_warp_i = uint8_t(number);
    in.evict_tag_i = tag & uint32_t(bits_mask(cfg.TagW));
    return in;
}

static inline In miss(uint32_t number, uint32_t tag, In in = In{})
{
    in.miss_valid_i = true;
    in.miss_warp_i = uint8_t(number);
    in.miss_tag_i = tag & uint32_t(bits_mask(cfg.TagW));
    return in;
}

static inline void start_all(Run &run)
{
    for (uint32_t i = 0; i < cfg.Warps; i++) run.cycle(warp(i, true));
}

static inline void issue_many(Run &run, uint32_t instructions)
{
    for (; instructions > 7; instructions -= 7) run.cycle(issue(7));
    run.cycle(issue(instructions));
}

// Raises a warp by one eviction and a miss of the same tag; the score that was announced.
static inline uint32_t raise(Run &run, uint32_t number)
{
    run.cycle(evict(number, 0));
    run.expect(run.cycle(miss(number, 0)).lost_o, "lost locality");
    for (uint32_t i = 0; i < kDone + cfg.Warps + 1; i++) {
        const Out &out = run.idle();
        if (out.raise_valid_o) return out.raise_score_o;
    }
    run.expect(false, "scores rise");
    return 0;
}

// The paper's formula, cut at the widest score.
static inline uint64_t formula(uint64_t lost, uint64_t instructions, uint64_t warps)
{
    const uint64_t product = lost * cfg.KThrottle * warps * cfg.BaseScore;
    return instructions ? std::min<uint64_t>(product / instructions, kTop) : kTop;
}

SCENARIO(own_array, cfg.Warps > 1, "a miss hits in the victim tags of its own warp only, and once")
{
    start_all(run);
    run.cycle(evict(0, 5));
    run.expect(!run.cycle(miss(1, 5)).lost_o, "another warp's tag");
    run.expect(!run.cycle(miss(0, 4)).lost_o, "another tag");
    run.expect(run.cycle(miss(0, 5)).lost_o, "its own tag");
    run.expect(!run.cycle(miss(0, 5)).lost_o, "a hit has removed it");
}

SCENARIO(same_cycle, true, "a miss and an eviction in one cycle: the miss is looked up first")
{
    start_all(run);
    run.expect(!run.cycle(evict(0, 1, miss(0, 1))).lost_o, "not there yet");
    run.expect(run.cycle(evict(0, 1, miss(0, 1))).lost_o, "there; written again at the same clock edge");
    run.expect(run.cycle(miss(0, 1)).lost_o, "the tag written then");
}

SCENARIO(oldest_leaves, (kSets << (cfg.TagW > 3)) * (cfg.Ways + 1) <= bits_mask(cfg.TagW),
         "a set keeps its last tags: a new one replaces the oldest")
{
    start_all(run);
    for (uint32_t i = 0; i <= cfg.Ways; i++) run.cycle(evict(0, i * kSets));
    run.expect(!run.cycle(miss(0, 0)).lost_o, "the oldest is gone");
    for (uint32_t i = 1; i <= cfg.Ways; i++) run.expect(run.cycle(miss(0, i * kSets)).lost_o, "the others are there");
}

SCENARIO(score, true, "the score is hits times throttling strength times cutoff over instructions")
{
    start_all(run);
    issue_many(run, 5);
    run.expect_equal(raise(run, 0), formula(1, 5, cfg.Warps), "score");
    run.expect_equal(raise(run, cfg.Warps - 1), formula(2, 5, cfg.Warps), "score");
    issue_many(run, 2);
    run.expect_equal(raise(run, 0), formula(3, 7, cfg.Warps), "score");
}

SCENARIO(without_instructions, true, "no instructions: the score saturates")
{
    start_all(run);
    run.expect_equal(raise(run, 0), kTop, "score");
    run.idle(3 * cfg.Warps);
    const Twin m = run.registers();
    run.expect(m.score_q[0] > kTop - 4 * cfg.Warps - 4 || m.score_q[0] == cfg.BaseScore, "it falls by one a cycle");
}

SCENARIO(gate, cfg.Warps > 1, "a warp beyond the cutoff is gated until the scores before it have fallen")
{
    start_all(run);
    const uint32_t top = raise(run, cfg.Warps - 1);
    const bool beyond = top > cfg.Warps * cfg.BaseScore + 3 * cfg.Warps;
    run.idle(2 * cfg.Warps + 2);
    const uint64_t others = bits_mask(cfg.Warps - 1);
    if (beyond) run.expect_equal(run.idle().gated_o, others, "every other warp is gated");
    if (top < 5000) {
        run.idle(top + 2 * cfg.Warps + 2);
        run.expect_equal(run.idle().gated_o, 0, "nobody is gated in the end");
    }
}

SCENARIO(older_first, cfg.Warps > 2, "of equal scores, the older warp comes first, in any slot")
{
    for (uint32_t i = cfg.Warps; i-- > 0;) run.cycle(warp(i, true));
    run.cycle(warp(cfg.Warps - 1, false));
    run.cycle(warp(cfg.Warps - 1, true)); // now the youngest
    const Twin m = run.registers();
    run.expect_equal(m.rank_q[cfg.Warps - 1], cfg.Warps - 1, "rank of the youngest");
    run.expect_equal(m.rank_q[kBeforeLast], 0, "rank of the oldest");
    run.expect_equal(m.rank_q[0], kBeforeLast, "rank of the youngest but one");
}

SCENARIO(merged, cfg.Warps > 1 && formula(1, 7, cfg.Warps) < kTop,
         "hits during a division wait for the next one, which is for all of them")
{
    start_all(run);
    issue_many(run, 7);
    for (uint32_t i = 0; i < 2; i++) run.cycle(evict(i, 0));
    run.cycle(miss(0, 0));
    run.idle(1);
    run.cycle(evict(0, 0, miss(1, 0)));
    run.cycle(miss(0, 0));
    uint32_t raises = 0, last = 0;
    for (uint32_t i = 0; i < 2 * kDone + 3 * cfg.Warps; i++) {
        const Out &out = run.idle();
        raises += out.raise_valid_o;
        if (out.raise_valid_o) last = out.raise_score_o;
    }
    run.expect_equal(raises, 2, "divisions");
    run.expect_equal(last, formula(3, 7, cfg.Warps), "the second counts every hit");
}

SCENARIO(the_end, true, "a warp's end clears its tags and its score; the last one's the counters")
{
    start_all(run);
    run.cycle(evict(0, 1));
    run.cycle(evict(0, 2));
    run.cycle(issue(3, miss(0, 1)));
    run.cycle(warp(0, false));
    run.expect(!run.cycle(miss(0, 2)).lost_o, "a warp that has ended");
    run.cycle(evict(0, 2));
    run.cycle(warp(0, true));
    run.expect(!run.cycle(miss(0, 2)).lost_o, "its successor finds neither tag");
    for (uint32_t i = 0; i < cfg.Warps; i++) run.cycle(warp(i, false));
    const Twin m = run.registers();
    run.expect(m.lost_q == 0 && m.issued_q == 0 && m.present_q == 0 && m.count_q == 0, "the counters");
    run.expect_equal(m.error_q, LOST_LOCALITY_ERROR_ABSENT, "error: the miss of a warp that has ended");
}

SCENARIO(ends_during_its_division, true, "a warp that ends is not raised, nor is its successor")
{
    start_all(run);
    run.cycle(evict(0, 0));
    run.cycle(miss(0, 0));
    run.idle(2);
    run.cycle(warp(0, false));
    run.cycle(warp(0, true));
    run.idle(kDone + 2 * cfg.Warps);
    const Twin m = run.registers();
    run.expect_equal(m.score_q[0], cfg.BaseScore, "score of its successor");
}

SCENARIO(errors, true, "starts and ends that cannot be are errors and change nothing")
{
    run.cycle(warp(0, true));
    run.cycle(warp(0, true));
    run.expect_equal(run.idle().error_o, LOST_LOCALITY_ERROR_START, "a second start");
    run.reset();
    run.cycle(warp(0, false));
    run.expect_equal(run.idle().error_o, LOST_LOCALITY_ERROR_ABSENT, "an end without a start");
    run.reset();
    run.cycle(evict(0, 0));
    run.expect_equal(run.idle().error_o, LOST_LOCALITY_OK, "a line may outlive its warp");
}

SCENARIO(full_counter, true, "a counter that is full is halved, and the other one with it")
{
    start_all(run);
    run.cycle(evict(0, 0));
    run.cycle(miss(0, 0));
    run.cycle(evict(0, 0));
    run.cycle(miss(0, 0));
    issue_many(run, (1u << cfg.CountW) - 1);
    Twin m = run.registers();
    run.expect(m.lost_q == 2 && m.issued_q == (1u << cfg.CountW) - 1, "full");
    run.cycle(issue(1));
    m = run.registers();
    run.expect(m.lost_q == 1 && m.issued_q == 1u << (cfg.CountW - 1), "halved");
}
