// SPDX-License-Identifier: Apache-2.0
// warp_quota in lockstep: Dai17, section 4.4.
#include "lockstep.hpp"
#include "scenarios.cpp"

struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {8, 64, 128, 256, 256, 256};
        for (uint32_t k = 0; k < kKernels; k++) ready_[k] = rates[r.below(6)];
        rude_ = r.chance(32);
        changes_ = r.chance(64) ? 24 : 2;
        large_ = r.chance(64);
    }
    void reset()
    {
        present_ = 0;
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.kernels_valid_i) present_ = last_in.kernels_i;
        set(r, in);
        come_and_go(r, in);
        issue(r, in, last_in, last);
    }

  private:
    void set(Random &r, In &in)
    {
        in.set_valid_i = r.chance(changes_);
        in.set_kernel_i = uint8_t(r.below(rude_ ? 4 : kKernels));
        const uint32_t most = large_ ? kTop : kTop < 12 ? kTop : 12;
        in.set_quota_i = uint16_t(r.below(most) + !(rude_ && r.chance(32)));
    }
    void come_and_go(Random &r, In &in)
    {
        in.kernels_valid_i = present_ == 0 ? r.chance(64) : r.below(2048) < changes_;
        in.kernels_i = uint8_t(r.below(kAll + 1));
    }
    // Kernels that had quota left before the last cycle's instructions: the answer of this cycle is not known here.
    void issue(Random &r, In &in, const In &last_in, const Out &last)
    {
        uint32_t room = 1 + uint32_t(r.below(cfg.Issues));
        for (uint32_t k = uint32_t(r.below(kKernels)), i = 0; i < kKernels; i++, k = (k + 1) % kKernels) {
            const uint32_t shift = k * WARP_QUOTA_COUNT_W;
            const uint32_t before = last_in.issue_valid_i ? last_in.issue_counts_i >> shift & 7 : 0;
            const bool able = (last.may_issue_o & present_) >> k & 1 && (left(last, k) > before || last.refill_o);
            if (!r.chance(ready_[k]) || !(able || (rude_ && r.chance(8)))) continue;
            const uint32_t count = rude_ && r.chance(8) ? uint32_t(r.below(8)) : uint32_t(r.below(room + 1));
            in.issue_counts_i = uint16_t(in.issue_counts_i | count << shift);
            room -= count < room ? count : room;
        }
        in.issue_valid_i = in.issue_counts_i != 0 || r.chance(8);
        if (!in.issue_valid_i && rude_) in.issue_counts_i = uint16_t(r.u64() & bits_mask(3 * kKernels));
    }
    uint32_t ready_[4] = {}, present_ = 0, changes_ = 0;
    bool rude_ = false, large_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const one =
            cfg.Issues == 1 ? "a cycle has one instruction, which is never above the quota" : nullptr;
        const char *const none = !cfg.Debt ? "nothing is kept" : nullptr;
        uint32_t over = 0, spent = 0, owes = 0, issues = 0, stray = 0, most = 0, kept = 0, total = 0, small = 0;
        for (uint32_t i = 0; i < kKernels; i++) {
            const uint32_t count = in.issue_valid_i ? in.issue_counts_i >> (i * 3) & 7 : 0;
            const bool may = out.may_issue_o >> i & 1, there = m.present_q >> i & 1;
            total += count;
            issues += count != 0;
            stray += count != 0 && !may;
            over += may && count > m.left_q[i];
            spent += may && count == m.left_q[i];
            owes += m.debt_q[i] != 0;
            small += m.debt_q[i] >= m.set_q[i];
            most += there && m.left_q[i] == kTop;
            kept += !there && m.left_q[i] != 0;
        }
        const bool legal = !stray && total <= cfg.Issues;
        cover("no kernel is present", !m.present_q);
        cover("every kernel may issue", out.may_issue_o == kAll);
        cover("one of all may issue", m.present_q == kAll && !(out.may_issue_o & (out.may_issue_o - 1)));
        cover("an instruction uses the last of a quota", spent);
        cover("instructions above a quota", over && legal, one);
        cover("two kernels issue in a cycle", issues >= 2 && legal, one);
        cover("a refill by an instruction", out.refill_o && issues && !in.kernels_valid_i);
        cover("a refill by one above the quota", out.refill_o && over && legal, one);
        cover("a refill by kernels that come", out.refill_o && in.kernels_valid_i && !m.present_q);
        cover("a refill by a kernel that leaves",
              out.refill_o && in.kernels_valid_i && (m.present_q & in.kernels_i) == in.kernels_i && m.present_q);
        cover("a refill while one is absent", out.refill_o && m.present_q != kAll);
        cover("a refill with a debt", out.refill_o && owes, none);
        cover("a debt of a whole quota or more", small, none);
        cover("an absent kernel has quota left", kept);
        cover("a kernel comes, and others have quota left",
              in.kernels_valid_i && out.may_issue_o && !out.refill_o && (in.kernels_i & ~m.present_q) != 0);
        cover("the last kernel leaves", in.kernels_valid_i && m.present_q && !in.kernels_i);
        cover("the largest quota", most);
        cover("a quota is written as all are refilled", out.refill_o && in.set_valid_i && in.set_quota_i);
        cover("as many instructions as a cycle can have", legal && total == cfg.Issues);
        cover("an instruction of a kernel that may not", stray);
        cover("more instructions than a cycle can have", total > cfg.Issues);
        cover("a quota of 0 is written", in.set_valid_i && !in.set_quota_i);
        cover("a quota of a kernel that does not exist", in.set_valid_i && in.set_kernel_i >= kKernels,
              kKernels == 3 ? nullptr : "every number is a kernel's");
        cover("error: issue", out.error_o == WARP_QUOTA_ERROR_ISSUE);
        cover("error: count", out.error_o == WARP_QUOTA_ERROR_COUNT);
        cover("error: set", out.error_o == WARP_QUOTA_ERROR_SET);
    }
};

COSIM_MAIN
