// SPDX-License-Identifier: Apache-2.0
// Random traffic for the L2 reordering blocks: `cart` and `bank_reorder` have the same ports and share it. Addresses
// differ in few bits, as those of a kernel do, and recur; sender and cache break the protocol in some stretches only.
#pragma once
#include "lockstep.hpp"
#include "blocks/reorder_scenarios.hpp"

class ReorderTraffic
{
  public:
    // A new stretch: address bits that vary; rates of repeated lines, requests, takes and refusals.
    void begin(Random &r)
    {
        static constexpr uint16_t rates[] = {16, 64, 128, 192, 240, 256, 256, 256};
        offer_ = rates[r.below(8)];
        take_ = rates[r.below(8)] >> r.below(4);
        refuse_ = rates[r.below(8)];
        again_ = uint32_t(64 * r.below(4));
        base_ = r.u64();
        moving_ = r.u64();
        for (uint64_t n = r.below(4); n > 0; n--) moving_ &= r.u64();
        moving_ |= uint64_t(1) << r.below(cfg.AddrW);
        if (r.chance(96)) moving_ |= line_of(cfg.Banks - 1, 0); // all banks
        polite_ = r.chance(192);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (polite_ && last_in.in_valid_i && !last.in_ready_o) {
            in = last_in;
        } else {
            in.in_valid_i = r.chance(offer_);
            in.in_addr_i = address(r);
            in.in_info_i = r.u64();
        }
        in.out_ready_i = r.chance(take_);
        in.out_refused_i = r.chance(refuse_) && (!polite_ || (last.out_valid_o && !in.out_ready_i));
    }

  private:
    static constexpr uint32_t kRecent = 8;
    uint64_t recent_[kRecent] = {}, base_ = 0, moving_ = 0;
    uint32_t offer_ = 0, take_ = 0, refuse_ = 0, again_ = 0, turn_ = 0;
    bool polite_ = true;

    uint64_t address(Random &r)
    {
        if (r.chance(again_)) return recent_[r.below(kRecent)];
        return recent_[turn_++ % kRecent] = base_ ^ (r.u64() & moving_);
    }
};
using Stimulus = ReorderTraffic;
