// SPDX-License-Identifier: Apache-2.0
// bypass_learner in lockstep: Liang17, section 4.4.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Plays the SM: starts and ends thread blocks, and keeps their tags.
struct Stimulus {
    void begin(Random &r)
    {
        rude_ = r.chance(24);
        wide_ = r.chance(64);
        drift_ = r.chance(64);
        keep_ = r.chance(64);
        falls_ = keep_ || r.chance(128);
        limit_a_ = uint32_t(r.below(cfg.Blocks + 1));
        limit_b_ = uint32_t(r.below(cfg.Blocks + 1 - limit_a_ * (drift_ ? 0 : 1)));
        if (keep_) (r.chance(128) ? limit_a_ : limit_b_) = cfg.Blocks; // a number can go all the way
        periods_ = r.chance(128) ? 96 : 12;
    }
    void reset()
    {
        tags_[0] = tags_[1] = plain_[0] = plain_[1] = 0;
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.launch_valid_i) (last.launch_tag_o ? tags_ : plain_)[last_in.launch_kernel_i]++;
        if (drift_ && r.below(128) == 0) limit_a_ = drift(r);
        if (drift_ && r.below(128) == 0) limit_b_ = drift(r);
        if (drift_ && last.by_a_o > 1 && r.chance(4)) limit_a_ = last.by_a_o - 1u; // below the number
        if (drift_ && last.by_b_o > 1 && r.chance(4)) limit_b_ = last.by_b_o - 1u;
        in.limit_a_i = uint8_t(limit_a_);
        in.limit_b_i = uint8_t(limit_b_);
        in.start_valid_i = r.below(1024) < (last.done_o && !keep_ ? 128 : 4);
        in.stop_valid_i = r.below(2048) < (last.done_o && !keep_ ? 64 : 4);
        in.period_valid_i = r.chance(periods_);
        stalls_ = falls_ && stalls_ && !in.start_valid_i && r.chance(224) ? stalls_ - r.below(2) : stall(r);
        in.period_stalls_i = uint32_t(stalls_);
        in.launch_kernel_i = r.chance(128);
        const uint32_t k = in.launch_kernel_i;
        in.launch_valid_i = tags_[k] + plain_[k] < (k ? limit_b_ : limit_a_) && r.chance(96);
        finish(r, in);
        if (rude_) disturb(r, in);
    }

  private:
    static uint32_t drift(Random &r)
    {
        return uint32_t(r.below(r.chance(128) ? cfg.Blocks + 1 : 3));
    }
    uint64_t stall(Random &r)
    {
        if (r.chance(16)) return bits_mask(cfg.StallW);
        return (wide_ || keep_ ? r.u64() : r.below(5)) & bits_mask(cfg.StallW);
    }
    void finish(Random &r, In &in)
    {
        in.finish_kernel_i = r.chance(128);
        in.finish_tag_i = r.chance(128);
        uint32_t &left = (in.finish_tag_i ? tags_ : plain_)[in.finish_kernel_i];
        in.finish_valid_i = left && r.chance(keep_ && in.finish_tag_i ? 2 : 96); // kept: they add up to the number
        left -= in.finish_valid_i;
    }
    void disturb(Random &r, In &in)
    {
        in.start_valid_i |= r.chance(4);
        in.stop_valid_i |= r.chance(4);
        in.launch_valid_i |= r.chance(64);
        in.limit_a_i = uint8_t(r.chance(4) ? r.u64() : in.limit_a_i);
        in.finish_valid_i |= r.chance(8);
    }
    uint32_t tags_[2] = {}, plain_[2] = {}, limit_a_ = 1, limit_b_ = 1, periods_ = 12;
    uint64_t stalls_ = 0;
    bool rude_ = false, wide_ = false, falls_ = false, drift_ = false, keep_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool ends = in.period_valid_i && !in.start_valid_i && !in.stop_valid_i;
        const bool smaller = in.period_stalls_i < m.best_q, equal = in.period_stalls_i == m.best_q;
        const bool b = ends && m.state_q == LEARN_B, a = ends && m.state_q == LEARN_A,
                   more = ends && m.state_q == LEARN_MORE;
        const uint32_t limit = m.kernel_q ? in.limit_b_i : in.limit_a_i;

        cover("step 1 ends", ends && m.state_q == LEARN_NONE && in.limit_a_i && in.limit_b_i);
        cover("kernel A has no thread block", ends && m.state_q == LEARN_NONE && !in.limit_a_i && in.limit_b_i);
        cover("neither has", ends && m.state_q == LEARN_NONE && !in.limit_a_i && !in.limit_b_i);
        cover("step 2: fewer stalls", a && smaller && in.limit_b_i);
        cover("step 2: as many", a && equal && in.limit_b_i);
        cover("step 2: kernel B has no thread block, A is chosen", a && smaller && !in.limit_b_i);
        cover("step 2: kernel B has none, none is chosen", a && !smaller && !in.limit_b_i);
        cover("step 3: kernel B is chosen", b && smaller && in.limit_b_i > 1);
        cover("step 3: kernel B, which may have one", b && smaller && in.limit_b_i == 1);
        cover("step 3: kernel A is chosen", b && !smaller && m.a_best_q && in.limit_a_i > 1);
        cover("step 3: kernel A, as many stalls as with B", b && equal && m.a_best_q);
        cover("step 3: kernel A, which may have one", b && !smaller && m.a_best_q && in.limit_a_i == 1);
        cover("step 3: none is chosen", b && !smaller && !m.a_best_q);
        cover("step 3: none, as many stalls as with B", b && equal && !m.a_best_q);
        cover("step 4: fewer stalls, one more", more && smaller && m.by_q < limit && limit <= cfg.Blocks,
              cfg.Blocks < 3 ? "two is the limit" : nullptr);
        cover("step 4: fewer stalls, at the limit", more && smaller && m.by_q == limit);
        cover("step 4: above a limit that fell", more && smaller && m.by_q > limit);
        cover("step 4: not fewer", more && !smaller && !equal);
        cover("step 4: as many", more && equal);
        cover("a period when it is learnt", ends && m.state_q == LEARN_DONE);
        cover("a period when it is off", ends && m.state_q == LEARN_OFF);
        cover("stalls at their end", ends && in.period_stalls_i == bits_mask(cfg.StallW));
        cover("a tag for A", out.launch_tag_o && !in.launch_kernel_i);
        cover("a tag for B", out.launch_tag_o && in.launch_kernel_i);
        cover("enough tags of A", in.launch_valid_i && !in.launch_kernel_i && m.cur_a_q && m.cur_a_q == out.by_a_o);
        cover("more tags of A than wanted", m.cur_a_q > out.by_a_o);
        cover("more tags of B than wanted", m.cur_b_q > out.by_b_o);
        cover("a period is deferred for A", m.cur_a_q != out.by_a_o && m.cur_b_q == out.by_b_o);
        cover("a period is deferred for B", m.cur_a_q == out.by_a_o && m.cur_b_q != out.by_b_o);
        cover("as many tags as wanted", !out.defer_o && out.by_a_o + out.by_b_o);
        cover("tags of both run", m.cur_a_q && m.cur_b_q);
        cover("the limit is below the number", out.by_a_o + out.by_b_o < m.by_q);
        cover("a thread block with a tag ends as another starts",
              out.launch_tag_o && in.finish_valid_i && in.finish_tag_i && in.finish_kernel_i == in.launch_kernel_i);
        cover("a thread block without a tag ends", in.finish_valid_i && !in.finish_tag_i);
        cover("a start with a period", in.start_valid_i && in.period_valid_i && m.state_q == LEARN_MORE);
        cover("a stop with a period",
              in.stop_valid_i && !in.start_valid_i && in.period_valid_i && m.state_q == LEARN_A);
        cover("a start with a stop", in.start_valid_i && in.stop_valid_i);
        cover("the end of a tag that does not run", m.error_q == LEARN_ERROR_FINISH);
    }
};

COSIM_MAIN
