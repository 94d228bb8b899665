// SPDX-License-Identifier: Apache-2.0
// qbmi in lockstep: Dai17, section 4.3.2.
#include "lockstep.hpp"
#include "scenarios.cpp"

struct Stimulus {
    static inline const uint32_t kResetOneIn = cfg.ReqW > 8 ? 8 : 2; // whole intervals between resets
    void begin(Random &r)
    {
        if (stretches_ == 0) mode(r);
        stretches_--;
        turn(r);
    }
    void reset()
    {
        present_ = 0;
        for (uint32_t k = 0; k < kKernels; k++) owed_[k] = 0;
    }
    void next(Random &r, In &in, const In &last_in, const Out &)
    {
        if (last_in.kernels_valid_i) present_ = last_in.kernels_i;
        if (--left_ == 0) turn(r);
        come_and_go(r, in);
        for (uint32_t k = 0; k < kKernels; k++) in.ask_i = uint8_t(in.ask_i | uint32_t(r.chance(asks_[k])) << k);
        issue(r, in);
        request(r, in);
    }

  private:
    // Of one stretch; a steady one continues until each kernel has had some intervals.
    void mode(Random &r)
    {
        steady_ = r.chance(64);
        stretches_ = steady_ ? 1 + kInterval / 256 : 1;
        for (uint32_t k = 0; k < kKernels; k++) {
            ratio_[k] = 1 + uint32_t(r.below(!steady_ && r.chance(128) ? 4 : 32));
            if (steady_) owed_[k] = 0;
        }
    }
    // Kernels with memory instructions; fixed for a stretch.
    void turn(Random &r)
    {
        static constexpr uint32_t rates[] = {0, 4, 32, 128, 240, 256, 256, 256};
        for (uint32_t k = 0; k < kKernels; k++) asks_[k] = rates[steady_ ? 4 + r.below(4) : r.below(8)];
        issue_ = rates[2 + r.below(6)];
        request_ = rates[4 + r.below(4)];
        rude_ = r.chance(24);
        changes_ = r.chance(64) ? 8 : 0;
        left_ = uint32_t(64 + r.below(512));
    }
    void come_and_go(Random &r, In &in)
    {
        if (steady_) {
            in.kernels_valid_i = present_ != kAll;
            in.kernels_i = kAll;
            return;
        }
        in.kernels_i = uint8_t(r.below(kAll + 1));
        in.kernels_valid_i = present_ == 0 || r.below(4096) < 1 + changes_;
        if (in.kernels_valid_i && r.chance(128)) in.kernels_i = uint8_t(present_ | in.kernels_i);
        if (present_ && r.chance(24)) in.kernels_i = 0; // the last one goes
    }
    // Mostly a present kernel that requests.  The grant is combinational and not known here, so every kernel is chosen.
    void issue(Random &r, In &in)
    {
        in.issue_kernel_i = uint8_t(r.below(rude_ && r.chance(16) ? 4 : kKernels));
        const bool busy = steady_ && in.issue_kernel_i < kKernels && owed_[in.issue_kernel_i];
        const bool able = !busy && (in.ask_i & present_ & 1u << in.issue_kernel_i);
        in.issue_valid_i = r.chance(issue_) && (able || (rude_ && r.chance(16)));
        if (in.issue_valid_i && in.issue_kernel_i < kKernels) owed_[in.issue_kernel_i] += ratio_[in.issue_kernel_i];
    }
    // Each instruction sends requests at its kernel's ratio; in a steady stretch, before the kernel's next instruction
    // issues, so that the ratio is measured.
    void request(Random &r, In &in)
    {
        in.req_kernel_i = uint8_t(r.below(rude_ && r.chance(16) ? 4 : kKernels));
        if (steady_ && in.req_kernel_i < kKernels && !owed_[in.req_kernel_i])
            in.req_kernel_i = uint8_t((in.req_kernel_i + 1u) % kKernels);
        const bool owes = in.req_kernel_i < kKernels && owed_[in.req_kernel_i];
        in.req_valid_i = r.chance(request_) && (owes || r.chance(rude_ ? 32 : 1));
        if (in.req_valid_i && owes) owed_[in.req_kernel_i]--;
    }
    uint32_t ratio_[4] = {}, owed_[4] = {}, asks_[4] = {};
    uint32_t present_ = 0, issue_ = 0, request_ = 0, changes_ = 0, left_ = 0, stretches_ = 0;
    bool rude_ = false, steady_ = false; // steady: all kernels stay
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const rbmi = cfg.Rbmi ? "RBMI has no quotas" : nullptr;
        const char *const two = kKernels == 2 ? "there are two kernels" : nullptr;
        const char *const bit = cfg.Rbmi ? rbmi : cfg.QuotaW == 1 ? "every quota is 1" : nullptr;
        const uint32_t asks = in.ask_i & m.present_q, k = out.grant_kernel_o;
        uint32_t equals = 0, smaller = 0, fresh = 0, odd = 0, large = 0, full = 0, drops = 0, keeps = 0;
        for (uint32_t i = 0; i < kKernels; i++) {
            if (!(asks >> i & 1) || i == k) continue;
            equals += m.quota_q[i] == m.quota_q[k];
            smaller += m.quota_q[i] < m.quota_q[k];
        }
        for (uint32_t i = 0; i < kKernels; i++) {
            fresh += m.ratio_q[i] == 1;
            odd += m.ratio_q[i] > 1 && m.ratio_q[i] % 2;
            large += m.set_q[i] > 31;
            full += m.quota_q[i] == bits_mask(cfg.QuotaW) && m.set_q[i] > 1;
            const bool spends = in.issue_valid_i && in.issue_kernel_i == i;
            drops += out.refill_o && m.quota_q[i] > uint32_t(spends) + cfg.Carry * m.set_q[i];
            keeps += m.quota_q[i] > uint32_t(spends) + 1 && m.quota_q[i] <= uint32_t(spends) + cfg.Carry * m.set_q[i];
        }
        const bool there = m.present_q >> in.issue_kernel_i & 1;
        const bool issues = in.issue_valid_i && there;
        const bool mine = in.req_valid_i && (m.present_q >> in.req_kernel_i & 1);
        const uint32_t minst = mine ? m.minst_q[in.req_kernel_i] : 0;
        const bool ends = mine && !cfg.Rbmi && m.req_q[in.req_kernel_i] == kInterval - 1;

        cover("no kernel requests", !in.ask_i);
        cover("only kernels that are not there ask", in.ask_i && !asks);
        cover("one asks", asks && !(asks & (asks - 1)));
        cover("all ask and are there", asks == kAll);
        cover("the larger quota goes first", smaller && k, bit);
        cover("it goes first though its turn is later", smaller && m.last_q == k, bit);
        cover("equals: the next one behind", equals && k == (m.last_q + 1u) % kKernels);
        cover("equals: the next one behind does not ask", equals && k != (m.last_q + 1u) % kKernels, two);
        cover("equals and a smaller one", equals && smaller, two ? two : bit);
        cover("the granted kernel issues", issues && out.grant_valid_o && in.issue_kernel_i == k);
        cover("another one issues", issues && out.grant_valid_o && in.issue_kernel_i != k);
        cover("an issue brings a new set", issues && out.refill_o, rbmi);
        cover("an issue does not", issues && !out.refill_o);
        cover("a kernel comes and brings a new set", in.kernels_valid_i && out.refill_o, rbmi);
        cover("kernels come or go, and none needs a new set", in.kernels_valid_i && in.kernels_i && !out.refill_o);
        cover("the last one goes", in.kernels_valid_i && m.present_q && !in.kernels_i);
        cover("one goes as it issues", in.kernels_valid_i && issues && !(in.kernels_i >> in.issue_kernel_i & 1));
        cover("one goes as its interval ends", in.kernels_valid_i && ends && !(in.kernels_i >> in.req_kernel_i & 1),
              rbmi);
        const char *const narrow = cfg.Rbmi ? rbmi : kSaturates ? nullptr : "so many sets fit a quota";
        cover("a quota at its end", full, narrow);
        cover("a new set while a quota is at its end", out.refill_o && full, narrow);
        cover("a new set, and more is left than is kept", drops, bit);
        cover("a new set, and all that is left is kept", out.refill_o && keeps, bit);
        cover("an interval ends", ends, rbmi);
        cover("an interval ends with an issue of its kernel", ends && issues && in.issue_kernel_i == in.req_kernel_i,
              rbmi);
        cover("an interval without an instruction", ends && !minst && !issues, rbmi);
        cover("the instruction counter at its maximum, and one more",
              issues && !cfg.Rbmi && m.minst_q[in.issue_kernel_i] == bits_mask(cfg.ReqW), rbmi);
        cover("all numbers are 1", fresh == kKernels, rbmi);
        cover("an odd number", odd, cfg.Rbmi ? rbmi : cfg.ReqW < 3 ? "numbers are 1, 2, 4 and 32" : nullptr);
        cover("a quota above 31 in a set", large, rbmi);
        cover("a set is ready", m.busy_q && m.step_q == 17, rbmi);
        cover("a Req/Minst changes while a set is computed", m.busy_q && m.step_q == 0 && was_busy_, rbmi);
        cover("a new set while the next is worked out", m.busy_q && out.refill_o, rbmi);
        cover("an issue of a kernel that is not there", in.issue_valid_i && !there);
        cover("a request of one that is not there", in.req_valid_i && !mine);
        cover("a request of a kernel that cannot be", in.req_valid_i && in.req_kernel_i >= kKernels,
              kKernels == 3 ? nullptr : "every number is a kernel's");
        cover("error: issue", out.error_o == QBMI_ERROR_ISSUE);
        cover("error: request", out.error_o == QBMI_ERROR_REQUEST,
              kKernels == 3 ? nullptr : "every number is a kernel's");
        cover("everything at once", issues && ends && in.kernels_valid_i && out.refill_o, rbmi);
        was_busy_ = m.busy_q;
    }

  private:
    bool was_busy_ = false;
};

COSIM_MAIN
