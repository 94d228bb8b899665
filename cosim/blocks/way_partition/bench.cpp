// SPDX-License-Identifier: Apache-2.0
// way_partition in lockstep: Qureshi06.
#include "lockstep.hpp"
#include "scenarios.cpp"

struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {0, 8, 64, 128, 240, 256};
        filled_ = rates[3 + r.below(3)];
        held_ = rates[r.below(5)];
        full_ = r.chance(160);
        rude_ = r.chance(32);
        wild_ = r.chance(32);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &, const Out &)
    {
        in.ask_valid_i = !r.chance(16);
        in.ask_kernel_i = uint8_t(r.below(rude_ ? 1u << kKernelW : kKernels));
        allocate(r, in);
        for (uint32_t i = 0; i < kWays; i++) {
            in.ask_filled_i = uint16_t(in.ask_filled_i | uint32_t(full_ || r.chance(filled_)) << i);
            in.ask_held_i = uint16_t(in.ask_held_i | uint32_t(r.chance(held_)) << i);
            in.ask_owners_i |= uint32_t(r.below(rude_ && r.chance(16) ? 1u << kKernelW : kKernels)) << (i * kKernelW);
        }
        if (!wild_ && !r.chance(8)) in.ask_held_i = uint16_t(in.ask_held_i & in.ask_filled_i);
        order(r, in);
    }

  private:
    void allocate(Random &r, In &in)
    {
        uint32_t left = kWays;
        for (uint32_t k = 0; k < kKernels; k++) {
            const uint32_t ways = wild_               ? uint32_t(r.below(kWays + 1))
                                  : k == kKernels - 1 ? left
                                                      : uint32_t(r.below(left + 1));
            in.ask_alloc_i |= ways << (k * kWaysW);
            left -= wild_ ? 0 : ways;
        }
    }
    void order(Random &r, In &in)
    {
        uint32_t rank[16];
        for (uint32_t i = 0; i < kWays; i++) {
            const uint32_t j = uint32_t(r.below(i + 1));
            rank[i] = rank[j];
            rank[j] = i;
        }
        for (uint32_t i = 0; i < kWays; i++)
            in.ask_order_i |= uint64_t(wild_ ? r.below(kWays) : rank[i]) << (i * kWayW);
    }
    uint32_t filled_ = 256, held_ = 0;
    bool full_ = false, rude_ = false, wild_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &, const In &in, const Out &out, bool)
    {
        const char *const three = kKernels != 3 ? "every number is a kernel's" : nullptr;
        const bool ask = in.ask_valid_i, free = kAll & ~in.ask_filled_i & ~in.ask_held_i;
        uint32_t above = 0, lines[4] = {}, mine = 0, alloc[4] = {}, unknown = 0;
        for (uint32_t i = 0; i < kWays; i++) {
            const uint32_t k = in.ask_owners_i >> (i * kKernelW) & uint32_t(bits_mask(kKernelW));
            if (!(in.ask_filled_i >> i & 1)) continue;
            lines[k & 3]++;
            unknown += k >= kKernels;
            mine += k == in.ask_kernel_i && !(in.ask_held_i >> i & 1);
        }
        for (uint32_t k = 0; k < kKernels; k++) {
            alloc[k] = in.ask_alloc_i >> (k * kWaysW) & uint32_t(bits_mask(kWaysW));
            above += lines[k] > alloc[k];
        }
        const uint32_t k = in.ask_kernel_i & 3;
        const bool below = k < kKernels && lines[k] < alloc[k];
        cover("no question", !ask);
        cover("a free way", ask && free);
        cover("a free way, and the kernel is above its allocation", ask && free && lines[k] > alloc[k]);
        cover("a line of another kernel", out.ask_others_o);
        cover("two kernels are above their allocations", out.ask_others_o && above > 1,
              kKernels == 2 ? "the one that asks is below"
              : kWays < 3   ? "two ways"
                            : nullptr);
        cover("its own line, at its allocation", ask && !free && out.ask_ok_o && lines[k] == alloc[k]);
        cover("its own line, above it", ask && !free && out.ask_ok_o && lines[k] > alloc[k]);
        cover("its own line, below it: those above are locked",
              ask && !free && out.ask_ok_o && below && !out.ask_others_o);
        cover("it waits: its own lines are locked", ask && !out.ask_ok_o && lines[k] && !mine);
        cover("it waits without a line in the set", ask && !out.ask_ok_o && !lines[k]);
        cover("the last way", out.ask_ok_o && out.ask_way_o == kWays - 1);
        cover("a kernel without a way in the allocation", ask && k < kKernels && !alloc[k]);
        cover("a locked way without a line", ask && (in.ask_held_i & ~in.ask_filled_i));
        cover("a kernel that does not exist", ask && in.ask_kernel_i >= kKernels, three);
        cover("an owner that does not exist", ask && unknown, three);
        cover("error: kernel", out.error_o == WAY_PARTITION_ERROR_KERNEL, three);
    }
};

COSIM_MAIN
