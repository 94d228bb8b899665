// SPDX-License-Identifier: Apache-2.0
// What evict_coalescer is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "evict_coalescer.h"
}

inline uint64_t page(uint64_t block, uint32_t n = 0)
{
    return (block << 4 | n) & bits_mask(cfg.PageW);
}

inline In expire(uint64_t block, uint32_t n = 0)
{
    In in{};
    in.exp_valid_i = true;
    in.exp_page_i = page(block, n);
    return in;
}

inline In touch(uint64_t block, uint32_t n = 0)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_page_i = page(block, n);
    return in;
}

// An access to a page whose lease has run out: in an entry, or its expiry still on its way.
inline In late(uint64_t block, uint32_t n = 0)
{
    In in = touch(block, n);
    in.acc_expired_i = true;
    return in;
}

inline In clear(uint64_t block, uint32_t n = 0)
{
    In in{};
    in.clear_valid_i = true;
    in.clear_page_i = page(block, n);
    return in;
}

inline In take(bool evict = true, bool press = false)
{
    In in{};
    in.evict_ready_i = evict;
    in.press_valid_i = press;
    return in;
}
