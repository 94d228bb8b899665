// SPDX-License-Identifier: Apache-2.0
// What milg is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "milg.h"
}

inline constexpr uint32_t kTop = bits_mask(cfg.InflightW), kInterval = 1u << cfg.ReqW;

inline In issue()
{
    In in{};
    in.issue_valid_i = true;
    return in;
}

inline In retire(uint32_t count)
{
    In in{};
    in.retire_valid_i = true;
    in.retire_count_i = uint8_t(count);
    return in;
}

inline In request()
{
    In in{};
    in.req_valid_i = true;
    return in;
}

inline In failure()
{
    In in{};
    in.fail_valid_i = true;
    return in;
}
