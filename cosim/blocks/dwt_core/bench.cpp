// SPDX-License-Identifier: Apache-2.0
// dwt_core in lockstep: Khairy15, section 4.2.
#include "lockstep.hpp"
#include "scenarios.cpp"

// The fewest misses and instructions exactly at the threshold.
static constexpr uint32_t gcd(uint32_t a, uint32_t b)
{
    return b ? gcd(b, a % b) : a;
}
static const uint32_t kMisses = cfg.Mpki / gcd(cfg.Mpki, 1000), kInsts = 1000 / gcd(cfg.Mpki, 1000);
static const bool kExact = kMisses <= bits_mask(cfg.MissW) && kInsts <= bits_mask(cfg.InstW);

// Plays SM and coordinator: a period has so many instructions and misses, then ends.
struct Stimulus {
    void begin(Random &r)
    {
        turn(r);
        kernel_ = r.u64();
        shift_ = cfg.KernelW < 5 ? 0 : uint32_t(r.below(cfg.KernelW - 4));
    }
    void reset()
    {
        sampling_ = fixed_ = false;
    }
    void next(Random &r, In &in, const In &, const Out &last)
    {
        if (--left_ == 0) turn(r);
        payload(r, in);
        traffic(r, in);
        if (storm_) return;
        in.period_valid_i = !insts_ && !misses_ && r.chance(64);
        if (in.period_valid_i) plan(r);
        in.start_valid_i = r.below(2048) < (fixed_ ? 128 : 4) + quick_ + (in.period_valid_i ? 32 : 0);
        in.sample_valid_i = r.chance(last.ask_o ? 96 : 0) || r.below(1024) == 0;
        in.collect_valid_i = sampling_ && r.chance(24);
        in.report_ready_i = r.chance(96);
        in.result_valid_i = last.report_valid_o && r.chance(24);
        if (rude_) disturb(r, in);
        follow(in);
    }

  private:
    void turn(Random &r)
    {
        rude_ = r.chance(32);
        storm_ = r.below(40) == 0; // a period without an end
        thrash_ = r.chance(96);
        dense_ = r.chance(64);
        quick_ = r.chance(64) ? 64 : 0;
        left_ = storm_ ? 100000 : uint32_t(64 + r.below(4096));
        plan(r);
    }
    void plan(Random &r)
    {
        const uint32_t kind = uint32_t(thrash_ ? 3 + r.below(5) : r.below(8));
        insts_ = kind ? kInsts * uint32_t(1 + r.below(2)) : uint32_t(r.below(2));
        misses_ = kind ? kMisses * (insts_ / kInsts) : uint32_t(r.below(4));
        if (kind > 2) misses_ += 1 + uint32_t(r.below(4));
        if (kind == 2 && misses_) misses_--;
    }
    void payload(Random &r, In &in)
    {
        const uint64_t keys = cfg.KernelW < 5 ? bits_mask(cfg.KernelW) + 1 : cfg.Kernels + 2;
        in.start_kernel_i = uint16_t((kernel_ ^ r.below(keys) << shift_) & bits_mask(cfg.KernelW));
        in.sample_first_i = uint8_t(r.chance(64) ? r.below(bits_mask(bits_index(cfg.Warps + 1)) + 1) : 0);
        in.number_i = uint8_t(r.chance(192) ? r.below(cfg.Warps) : r.below(256));
        in.result_warps_i =
            uint8_t(r.chance(192) ? 1 + r.below(cfg.Warps) : r.below(bits_mask(bits_index(cfg.Warps + 1)) + 1));
    }
    void traffic(Random &r, In &in)
    {
        in.inst_count_i = uint8_t(r.below(bits_mask(cfg.CountW) + 1));
        in.miss_count_i = uint8_t(r.below(4));
        in.inst_valid_i = in.miss_valid_i = storm_;
        if (storm_) {
            in.inst_count_i = uint8_t(bits_mask(cfg.CountW));
            return;
        }
        if (sampling_ && dense_) {
            in.inst_count_i = uint8_t(bits_mask(cfg.CountW));
            in.inst_valid_i = true;
        } else if (insts_ && r.chance(192)) {
            if (in.inst_count_i > insts_) in.inst_count_i = uint8_t(insts_);
            in.inst_valid_i = true;
            insts_ -= in.inst_count_i;
        }
        if (misses_ && r.chance(192)) {
            if (in.miss_count_i > misses_) in.miss_count_i = uint8_t(misses_);
            in.miss_valid_i = true;
            misses_ -= in.miss_count_i;
        }
    }
    void disturb(Random &r, In &in)
    {
        in.start_valid_i |= r.chance(8);
        in.sample_valid_i |= r.chance(16);
        in.collect_valid_i |= r.chance(16);
        in.result_valid_i |= r.chance(16);
        in.period_valid_i |= r.chance(16);
        in.inst_valid_i |= r.chance(128);
        in.miss_valid_i |= r.chance(128);
    }
    void follow(const In &in)
    {
        sampling_ = in.sample_valid_i || (sampling_ && !in.collect_valid_i && !in.start_valid_i);
        fixed_ = (in.result_valid_i || fixed_) && !in.start_valid_i;
    }
    uint64_t kernel_ = 0; // identities of kernels differ from it in five bits, from shift_ on
    uint32_t insts_ = 0, misses_ = 0, left_ = 0, quick_ = 0, shift_ = 0;
    bool rude_ = false, storm_ = false, thrash_ = false, dense_ = false, sampling_ = false, fixed_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const one = cfg.Warps == 1 ? "there is one warp" : nullptr;
        const char *const single = cfg.Kernels == 1 ? "the table has one entry" : nullptr;
        const char *const all =
            bits_mask(bits_index(cfg.Warps + 1)) == cfg.Warps ? "every number but 0 is in range" : nullptr;
        const char *const once = cfg.Periods == 1 ? "one period is enough" : nullptr;
        const char *const wide = cfg.InstW > 16 ? "it takes too long" : nullptr;
        const char *const slow = cfg.MissW > 12 ? "it takes too long" : nullptr;
        const uint64_t left = uint64_t(m.miss_q) * 1000, right = uint64_t(m.inst_q) * cfg.Mpki;
        const bool quiet = !in.start_valid_i && !in.result_valid_i && !in.sample_valid_i && !in.collect_valid_i;
        const bool ends = m.state_q == DWT_WATCH && in.period_valid_i && quiet, above = left > right;
        const bool last = m.streak_q + 1u >= cfg.Periods, full = m.valid_q == bits_mask(cfg.Kernels);
        uint32_t place = cfg.Kernels;
        for (uint32_t i = cfg.Kernels; i-- > 0;)
            if ((m.valid_q >> i & 1) && m.key_q[i] == (in.start_valid_i ? in.start_kernel_i : m.kernel_q)) place = i;

        cover("a period without anything", ends && !m.miss_q && !m.inst_q);
        cover("misses without an instruction", ends && m.miss_q && !m.inst_q);
        cover("below the threshold", ends && m.miss_q && left < right);
        cover("at the threshold", ends && m.miss_q && left == right, kExact ? nullptr : "the counters are too narrow");
        cover("just above it", ends && above && left - 1000 <= right && m.inst_q);
        cover("far above it", ends && left > 2 * right);
        cover("a thrashing period, not the last of a row", ends && above && !last && !m.known_q, once);
        cover("a row breaks", ends && !above && m.streak_q, once);
        cover("the last of a row: the SM asks", ends && above && last && !m.known_q);
        cover("a kernel that comes again thrashes: its number", out.reuse_o);
        cover("it comes again with the number that it is without", out.reuse_o && m.best_q == cfg.Warps);
        cover("a number below that", out.reuse_o && m.best_q < cfg.Warps, one);
        cover("it asks and nobody answers", m.state_q == DWT_ASK && quiet);
        cover("a round starts for an SM that asked", m.state_q == DWT_ASK && in.sample_valid_i && !in.start_valid_i);
        cover("a round starts for one that did not", m.state_q == DWT_WATCH && in.sample_valid_i);
        cover("a second round starts", m.state_q == DWT_WAIT && in.sample_valid_i);
        cover("a number of its own above all", in.sample_valid_i && in.number_i + in.sample_first_i + 1u > cfg.Warps);
        cover("a number of its own within", in.sample_valid_i && in.number_i + in.sample_first_i + 1u < cfg.Warps, one);
        cover("a round counts", m.state_q == DWT_SAMPLE && in.inst_valid_i);
        cover("a period passes in a round", m.state_q == DWT_SAMPLE && in.period_valid_i);
        cover("the cycle that ends a round counts", m.state_q == DWT_SAMPLE && in.inst_valid_i && in.collect_valid_i);
        cover("a report waits", out.report_valid_o && !in.report_ready_i);
        cover("a report is taken", out.report_valid_o && in.report_ready_i && quiet);
        cover("a report of nothing", out.report_valid_o && !out.report_count_o);
        cover("a result", m.state_q == DWT_WAIT && in.result_valid_i);
        cover("a result of 0", in.result_valid_i && !in.start_valid_i && !in.result_warps_i);
        cover("a result above Warps", in.result_valid_i && !in.start_valid_i && in.result_warps_i > cfg.Warps, all);
        cover("a limit in force", m.state_q == DWT_FIXED && out.limit_o < cfg.Warps, one);
        cover("the instruction counter at its end, and more",
              in.inst_valid_i && in.inst_count_i && m.inst_q == bits_mask(cfg.InstW) && m.state_q == DWT_WATCH, wide);
        cover("the miss counter at its end, and more",
              in.miss_valid_i && in.miss_count_i && m.miss_q == bits_mask(cfg.MissW) && m.state_q == DWT_WATCH, slow);
        cover("a kernel that is not in the table starts", in.start_valid_i && place == cfg.Kernels);
        cover("the first of the table starts", in.start_valid_i && place == 0);
        cover("another one of the table starts", in.start_valid_i && place > 0 && place < cfg.Kernels, single);
        cover("the last of the table starts", in.start_valid_i && full && place == cfg.Kernels - 1);
        cover("a result into a full table", in.result_valid_i && !in.start_valid_i && full && place == cfg.Kernels);
        cover("a result where there is room", in.result_valid_i && !in.start_valid_i && !full && place == cfg.Kernels);
        cover("a result for a kernel of the table", in.result_valid_i && !in.start_valid_i && place < cfg.Kernels);
        cover("a kernel starts with a result", in.start_valid_i && in.result_valid_i);
        cover("a kernel starts with a round", in.start_valid_i && in.sample_valid_i);
        cover("a kernel starts as the SM would ask",
              in.start_valid_i && in.period_valid_i && m.state_q == DWT_WATCH && above && last);
        cover("a kernel starts and leaves a report", in.start_valid_i && out.report_valid_o);
        cover("everything at once",
              in.start_valid_i && in.result_valid_i && in.sample_valid_i && in.collect_valid_i && in.period_valid_i);
        cover("everything but a start",
              !in.start_valid_i && in.result_valid_i && in.sample_valid_i && in.collect_valid_i && in.period_valid_i);
    }
};

COSIM_MAIN
