// SPDX-License-Identifier: Apache-2.0
// umon in lockstep: Qureshi06.
#include "lockstep.hpp"
#include "scenarios.cpp"

struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {0, 32, 128, 240, 256, 256};
        rate_ = rates[r.below(6)];
        for (uint32_t k = 0; k < kKernels; k++) {
            lines_[k] = 1 + uint32_t(r.below(2 * kWays));
            weight_[k] = uint32_t(r.below(4));
            random_[k] = rates[r.below(6)];
        }
        spread_ = r.chance(128);
        rude_ = r.chance(32);
        parts_ = r.chance(128) ? 2 : r.chance(32) ? 300 : 16;
        base_ = r.chance(160) ? 0 : uint32_t(r.u64());
        apart_ = r.chance(64);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &, const Out &)
    {
        in.acc_valid_i = r.chance(rate_);
        in.acc_kernel_i = uint8_t(kernel(r));
        const uint32_t k = in.acc_kernel_i & 3;
        at_[k] = r.chance(random_[k]) ? uint32_t(r.below(lines_[k])) : (at_[k] + 1) % lines_[k];
        in.acc_tag_i = uint16_t(tag(at_[k]) & (kTags - 1));
        in.acc_set_i = uint8_t(spread_ ? r.below(cfg.Sets) : 0);
        in.flush_valid_i = r.below(1024) < (rude_ ? 48 : 2);
        in.flush_kernel_i = uint8_t(r.below(rude_ ? 4 : kKernels));
        in.part_valid_i = r.below(1024) < parts_;
    }

  private:
    // Neighbours, anywhere, or tags that differ in one bit: each bit of a comparator counts.
    uint32_t tag(uint32_t line) const
    {
        return base_ ^ (apart_ && line ? 1u << (line - 1) % cfg.TagW : line);
    }
    uint32_t kernel(Random &r)
    {
        if (rude_ && r.chance(8)) return uint32_t(r.below(4));
        uint32_t sum = 0;
        for (uint32_t k = 0; k < kKernels; k++) sum += weight_[k];
        if (!sum) return uint32_t(r.below(kKernels));
        uint32_t at = uint32_t(r.below(sum)), k = 0;
        while (at >= weight_[k]) at -= weight_[k++];
        return k;
    }
    uint32_t rate_ = 256, lines_[4] = {1, 1, 1, 1}, weight_[4] = {}, random_[4] = {}, at_[4] = {}, parts_ = 2;
    uint32_t base_ = 0;
    bool spread_ = false, rude_ = false, apart_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const all = cfg.Sets == cfg.SampledSets ? "every set is sampled" : nullptr;
        const char *const tight = kWays == kKernels ? "every kernel has one way" : nullptr;
        const char *const three = kKernels != 3 ? "every number is a kernel's" : nullptr;
        const bool exists = in.acc_kernel_i < kKernels;
        const uint32_t k = exists ? in.acc_kernel_i : 0;
        const bool hit = out.acc_hit_o;
        const bool full = hit && !m.busy_q && m.hits_q[k * kWays + out.acc_depth_o] == kTop;
        uint32_t most = 0, uneven = 0;
        for (uint32_t i = 0; i < kKernels; i++) {
            most += ways(out, i) == kWays - kKernels + 1;
            uneven += ways(out, i) != kWays / kKernels + (i < kWays % kKernels);
        }
        cover("an access to a set that is not sampled", in.acc_valid_i && exists && !out.acc_sampled_o, all);
        cover("a hit on the line used last", hit && out.acc_depth_o == 0);
        cover("a hit on the oldest line", hit && out.acc_depth_o == kWays - 1);
        cover("a miss in a sampled set", out.acc_sampled_o && !hit);
        cover("a full counter halves all", full);
        cover("a hit while an allocation is computed", hit && m.busy_q);
        cover("a request", in.part_valid_i && !m.busy_q);
        cover("a request while busy", in.part_valid_i && m.busy_q);
        cover("a request with a hit", in.part_valid_i && !m.busy_q && hit);
        cover("the last kernel gets a further way", out.strobe_o && ways(out, kKernels - 1) > kWays / kKernels, tight);
        cover("several ways at once", m.busy_q && m.best_ways_q > 1,
              tight                   ? tight
              : kWays == kKernels + 1 ? "one way is left"
                                      : nullptr);
        cover("a second round", m.busy_q && m.left_q && m.left_q < kWays - kKernels,
              tight                   ? tight
              : kWays == kKernels + 1 ? "one way is left"
                                      : nullptr);
        cover("one kernel gets all", out.strobe_o && most);
        cover("an uneven allocation", out.strobe_o && uneven, tight);
        cover("hits and no reuse beyond the allocation", out.strobe_o && !uneven);
        cover("a flush", in.flush_valid_i && in.flush_kernel_i < kKernels);
        cover("a flush of the kernel that accesses",
              in.flush_valid_i && out.acc_sampled_o && in.flush_kernel_i == in.acc_kernel_i);
        cover("a flush while busy", in.flush_valid_i && m.busy_q);
        cover("an access of a kernel that does not exist", in.acc_valid_i && !exists, three);
        cover("a flush of a kernel that does not exist", in.flush_valid_i && in.flush_kernel_i >= kKernels, three);
        cover("error: kernel", out.error_o == UMON_ERROR_KERNEL, three);
    }
};

COSIM_MAIN
