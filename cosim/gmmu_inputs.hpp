// SPDX-License-Identifier: Apache-2.0
// What gmmu is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "gmmu.h"
}

// The lease of a page that comes before the first sample.
inline constexpr uint32_t kLease = uint32_t(std::min<uint64_t>(cfg.InitLease, bits_mask(cfg.LeaseW)));

inline In leases()
{
    In in{};
    in.lease_enable_i = true;
    return in;
}

inline In request(uint32_t page, bool resident, uint32_t id = 0)
{
    In in = leases();
    in.req_valid_i = true;
    in.req_page_i = page;
    in.req_id_i = uint8_t(id);
    in.req_resident_i = resident;
    return in;
}

inline In arrival(uint32_t page)
{
    In in = leases();
    in.arrive_valid_i = true;
    in.arrive_page_i = page;
    return in;
}

inline In departure(uint32_t page)
{
    In in = leases();
    in.gone_valid_i = true;
    in.gone_page_i = page;
    return in;
}
