// SPDX-License-Identifier: Apache-2.0
// What far_fault_mshr is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "far_fault_mshr.h"
}

inline In request(uint64_t page, uint32_t id)
{
    In in{};
    in.req_valid_i = true;
    in.req_page_i = page;
    in.req_id_i = uint8_t(id);
    return in;
}

inline In fill(uint64_t page)
{
    In in{};
    in.fill_valid_i = true;
    in.fill_page_i = page;
    return in;
}

inline In ready(bool driver, bool requesters)
{
    In in{};
    in.fault_ready_i = driver;
    in.rsp_ready_i = requesters;
    return in;
}
