// SPDX-License-Identifier: Apache-2.0
// What lease_sampler is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "lease_sampler.h"
}

inline In request(uint32_t group, uint64_t page)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_group_i = uint8_t(group);
    in.acc_page_i = page;
    in.look_group_i = uint8_t(group);
    return in;
}

inline In forget(uint32_t group)
{
    In in{};
    in.forget_valid_i = true;
    in.forget_group_i = uint8_t(group);
    in.look_group_i = uint8_t(group);
    return in;
}

inline In look(uint32_t group)
{
    In in{};
    in.look_group_i = uint8_t(group);
    return in;
}
