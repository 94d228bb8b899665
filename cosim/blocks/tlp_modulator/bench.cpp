// SPDX-License-Identifier: Apache-2.0
// tlp_modulator in lockstep: Liang17, section 4.3.
#include "lockstep.hpp"
#include "scenarios.cpp"

static const uint64_t kSlots = bits_mask(cfg.Blocks);

// Plays the SM and its dispatcher: fills each kernel up to its limit, and finishes thread blocks.
struct Stimulus {
    void begin(Random &r)
    {
        rude_ = r.chance(24);
        ends_ = r.chance(128);
        launch_ = r.chance(128) ? 200 : 40;
        finish_ = r.chance(128) ? 180 : 24;
        calm_ = r.chance(192);
        hold_ = r.chance(32);
        defer_ = r.chance(64) ? 192 : 0;
        small_ = r.chance(160);
    }
    void reset()
    {
        a_ = b_ = 0;
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        counts(r, in, last_in, last);
        since_ = last.close_o ? 0 : since_ + 1;
        in.start_valid_i = r.below(4096) < (calm_ ? 4 : 24) || (placing() && r.chance(4));
        in.stop_valid_i = r.below(4096) < (calm_ ? 1 : 8) || (in.start_valid_i && r.chance(16));
        in.stop_kernel_i = r.chance(128);
        if (in.start_valid_i) pair(r);
        in.start_a_i = uint8_t(r.chance(224) ? start_a_ : r.u64());
        in.start_b_i = uint8_t(r.chance(224) ? start_b_ : r.u64());
        in.need_a_i = need_a_, in.need_b_i = need_b_, in.have_i = have_;
        in.hold_i = hold_;
        in.defer_i = r.chance(defer_);
        blocks(r, in, last);
        if (rude_) disturb(r, in);
        const uint64_t gone = in.finish_valid_i ? in.finish_i : 0;
        a_ = ((a_ & ~gone) | (in.launch_valid_i ? in.launch_a_i : 0)) & kSlots;
        b_ = ((b_ & ~gone) | (in.launch_valid_i ? in.launch_b_i : 0)) & kSlots;
    }

  private:
    uint32_t count(Random &r)
    {
        if (r.chance(16)) return uint32_t(bits_mask(cfg.CountW));
        return uint32_t((small_ ? r.below(4) : r.u64()) & bits_mask(cfg.CountW));
    }
    // They stay from the end of a period to the next one.
    void counts(Random &r, In &in, const In &last_in, const Out &last)
    {
        in.cycles_i = last_in.cycles_i, in.sp_a_i = last_in.sp_a_i, in.sp_b_i = last_in.sp_b_i;
        in.ldst_a_i = last_in.ldst_a_i, in.ldst_b_i = last_in.ldst_b_i;
        if (!last.open_o && !(rude_ && r.chance(8))) return;
        in.cycles_i = count(r), in.sp_a_i = count(r), in.sp_b_i = count(r);
        in.ldst_a_i = count(r), in.ldst_b_i = count(r);
    }
    uint64_t amounts(Random &r)
    {
        const uint64_t top = bits_mask(cfg.ResW), most = r.chance(16) ? top : (1 + r.below(3)) * unit_;
        uint64_t all = 0;
        for (uint32_t i = 0; i < TLP_RESOURCES; i++) all |= (r.below(most + 1) & top) << (i * cfg.ResW);
        return all;
    }
    // A kernel's thread blocks need little of what there is, so that several of both fit; the amounts have all widths.
    void pair(Random &r)
    {
        unit_ = r.chance(96) ? 1 + r.below(bits_mask(cfg.ResW) / (2 * cfg.Blocks) + 1) : 1;
        need_a_ = amounts(r);
        need_b_ = amounts(r);
        have_ = r.chance(64) ? ~uint64_t(0) & bits_mask(3 * cfg.ResW) : 0;
        for (uint32_t i = 0; !have_ && i < TLP_RESOURCES; i++)
            have_ |= ((unit_ * (cfg.Blocks / 2 + r.below(cfg.Blocks + 1))) & bits_mask(cfg.ResW)) << (i * cfg.ResW);
        start_a_ = uint32_t(r.below(cfg.Blocks / 2 + 1));
        start_b_ = uint32_t(r.below(cfg.Blocks / 2 + 1));
        if (r.chance(32)) start_a_ = start_b_ = 1;
        if (r.chance(48)) (r.chance(128) ? start_a_ : start_b_) = 0;
        if (r.chance(64)) extreme(r);
    }
    // All slots for one kernel, or thread blocks of which one takes the room of several of the other's.
    void extreme(Random &r)
    {
        const bool b = r.chance(128), all = r.chance(128);
        const uint32_t many = all ? cfg.Blocks : cfg.Blocks < 5 ? cfg.Blocks - 1 : 4, few = all ? 0 : 1;
        (b ? start_a_ : start_b_) = many;
        (b ? start_b_ : start_a_) = few;
        need_a_ = all ? 0 : b ? 1 : 3 & bits_mask(cfg.ResW);
        need_b_ = all ? 0 : b ? 3 & bits_mask(cfg.ResW) : 1;
        have_ = (7 - r.below(4) / 3) & bits_mask(cfg.ResW); // two large ones and, mostly, a small one
    }
    uint64_t free_slots(Random &r, uint64_t used, uint32_t wanted)
    {
        uint64_t slots = 0;
        const uint32_t turn = uint32_t(r.below(cfg.Blocks));
        for (uint32_t n = 0; n < cfg.Blocks && wanted; n++) {
            const uint32_t i = (turn + n) % cfg.Blocks;
            if (used >> i & 1) continue;
            slots |= uint64_t(1) << i;
            wanted--;
        }
        return slots;
    }
    void blocks(Random &r, In &in, const Out &last)
    {
        const uint32_t a = uint32_t(__builtin_popcountll(a_)), b = uint32_t(__builtin_popcountll(b_));
        in.finish_i = (a_ | b_) & (r.chance(32) ? ~uint64_t(0) : r.u64() & r.u64());
        in.finish_valid_i = in.finish_i && r.chance(finish_);
        const uint64_t free_now = r.chance(16) && in.finish_valid_i ? (a_ | b_) & ~in.finish_i : a_ | b_;
        uint32_t more_a = last.limit_a_o > a ? last.limit_a_o - a : 0,
                 more_b = last.limit_b_o > b ? last.limit_b_o - b : 0;
        if (r.chance(64)) more_a = more_a ? 1 : 0, more_b = 0;
        in.launch_a_i = free_slots(r, free_now, more_a);
        in.launch_b_i = free_slots(r, free_now | in.launch_a_i, more_b);
        in.launch_valid_i = (in.launch_a_i || in.launch_b_i) && r.chance(launch_);
    }
    void disturb(Random &r, In &in)
    {
        in.start_valid_i |= r.chance(2);
        in.stop_valid_i |= r.chance(2);
        if (ends_ && r.chance(4)) in.finish_valid_i = true, in.finish_i = r.u64() & kSlots;
        if (ends_) return;
        if (r.chance(2)) in.launch_valid_i = true, in.launch_a_i = r.u64() & kSlots;
        if (r.chance(2)) in.launch_valid_i = true, in.launch_b_i = in.launch_a_i = 1;
    }
    // The first cycles after a judgement.
    bool placing() const
    {
        const uint32_t judged = 4 * (cfg.CountW + 1);
        return since_ >= judged && since_ < judged + 4;
    }
    uint64_t a_ = 0, b_ = 0, need_a_ = 0, need_b_ = 0, have_ = 0, unit_ = 1;
    uint32_t since_ = 0, start_a_ = 1, start_b_ = 1, launch_ = 200, finish_ = 100, defer_ = 0;
    bool rude_ = false, ends_ = false, calm_ = true, hold_ = false, small_ = true;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool quiet = !in.start_valid_i && !in.stop_valid_i;
        const uint64_t used = m.used_a_q | m.used_b_q, gone = in.finish_valid_i ? in.finish_i : 0;
        const bool last_bit = m.bit_q == cfg.CountW, judge = m.state_q == TLP_JUDGE && quiet;
        const bool judged = judge && last_bit && m.test_q == TLP_A_PREFERS, sp = m.holds_q >> TLP_SP_CRITICAL & 1;
        const bool moves = m.primed_q && (m.holds_q & 3), place = m.state_q == TLP_PLACE && quiet;
        const uint32_t own = m.winner_q ? m.limit_b_q : m.limit_a_q, other = m.winner_q ? m.limit_a_q : m.limit_b_q;
        const bool full = m.own_q + m.other_q == cfg.Blocks;

        cover("a period starts", out.open_o);
        cover("a period is deferred", in.defer_i && quiet && m.state_q == TLP_WAIT && !tlp_modulator_idle(&m));
        cover("a period of kernel A alone", out.open_o && !m.used_b_q);
        cover("a period of kernel B alone", out.open_o && !m.used_a_q);
        cover("a thread block finishes as the period starts", out.open_o && (gone & used));
        cover("all do", out.open_o && (gone & used) == used);
        cover("a thread block starts within a period", m.state_q == TLP_SAMPLE && in.launch_valid_i);
        cover("it finishes within it", m.state_q == TLP_SAMPLE && (gone & used & ~m.mark_q));
        cover("a period ends", out.close_o && !in.hold_i);
        cover("a period ends whose limits stay", out.close_o && in.hold_i);
        cover("a thread block starts as the period ends", out.close_o && in.launch_valid_i);
        cover("more thread blocks run than the limit",
              m.state_q == TLP_WAIT && __builtin_popcountll(m.used_a_q) > m.limit_a_q);
        cover("the first period of a pair", judged && !m.primed_q);
        cover("both pipelines rise", judged && m.primed_q && !(m.holds_q & 3));
        cover("SP alone falls", judged && moves && (m.holds_q & 3) == 1);
        cover("LD/ST alone falls", judged && moves && (m.holds_q & 3) == 2);
        cover("both fall", judged && moves && (m.holds_q & 3) == 3);
        cover("SP is critical", judged && moves && sp);
        cover("LD/ST is critical", judged && moves && !sp);
        cover("a sum below 0", judge && m.sum_q >> (cfg.CountW + 1));
        cover("a sum of 0 in the middle", judge && m.bit_q && !m.sum_q);
        cover("a history at its end", judged && m.cycles_q == bits_mask(cfg.CountW));
        cover("the winner does not fit", place && m.own_q <= own && !full && !out.step_valid_o && done(m, in));
        cover("no slot for the winner", place && m.own_q <= own && full);
        cover("nothing would be left of the other",
              place && m.own_q > own && !m.other_q && other && !out.step_valid_o && done(m, in));
        cover("one more, and all of the other", out.step_valid_o && m.other_q == other && other);
        cover("one more, and one less", out.step_valid_o && m.other_q + 1u == other);
        cover("one more, and several less", out.step_valid_o && m.other_q + 1u < other,
              cfg.Blocks < 4 ? "there are too few slots" : nullptr);
        cover("the first of a kernel that had none", out.step_valid_o && !own);
        cover("the other has none, and gets none", out.step_valid_o && !other);
        cover("one more of A", out.step_valid_o && !out.step_kernel_o);
        cover("one more of B", out.step_kernel_o);
        cover("a start in a period", in.start_valid_i && m.state_q == TLP_SAMPLE);
        cover("a start while judging", in.start_valid_i && m.state_q == TLP_JUDGE);
        cover("a start while placing", in.start_valid_i && m.state_q == TLP_PLACE);
        cover("a start as a period would start", in.start_valid_i && !tlp_modulator_idle(&m) && m.state_q == TLP_WAIT);
        cover("a stop of A", in.stop_valid_i && !in.start_valid_i && !in.stop_kernel_i && m.state_q != TLP_OFF);
        cover("a stop of B", in.stop_valid_i && !in.start_valid_i && in.stop_kernel_i && m.state_q != TLP_OFF);
        cover("a stop while judging", in.stop_valid_i && !in.start_valid_i && m.state_q == TLP_JUDGE);
        cover("a stop with a start", in.stop_valid_i && in.start_valid_i);
        cover("a slot is used again in the cycle in which it is free",
              in.launch_valid_i && ((in.launch_a_i | in.launch_b_i) & gone & used));
        cover("thread blocks of both kernels start", in.launch_valid_i && in.launch_a_i && in.launch_b_i);
        cover("a launch into a slot in use", m.error_q == TLP_ERROR_LAUNCH);
        cover("the end of a thread block in a free slot", m.error_q == TLP_ERROR_FINISH);
    }

  private:
    // The placing ends with this cycle.
    static bool done(const Twin &m, const In &in)
    {
        Twin next = m;
        tlp_modulator_tick(&next, &in);
        return next.state_q != TLP_PLACE;
    }
};

COSIM_MAIN
