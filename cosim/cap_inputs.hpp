// SPDX-License-Identifier: Apache-2.0
// What cap is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "cap.h"
}

inline In allocate(uint32_t index, uint64_t base, uint64_t pages)
{
    In in{};
    in.alloc_valid_i = true;
    in.alloc_index_i = uint8_t(index);
    in.alloc_base_i = base;
    in.alloc_pages_i = uint32_t(pages);
    return in;
}

inline In far_fault(uint32_t alloc, uint64_t page, uint64_t avail, bool over = false)
{
    In in{};
    in.fault_valid_i = true;
    in.fault_alloc_i = uint8_t(alloc);
    in.fault_page_i = page;
    in.avail_pages_i = uint32_t(avail);
    in.oversubscribed_i = over;
    return in;
}
