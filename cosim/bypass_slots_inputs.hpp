// SPDX-License-Identifier: Apache-2.0
// What bypass_slots is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "bypass_slots.h"
}

inline In ask(uint32_t info)
{
    In in{};
    in.req_valid_i = true;
    in.req_info_i = info & uint32_t(bits_mask(cfg.InfoW));
    return in;
}

inline In back(uint32_t slot, In in = In{})
{
    in.ret_valid_i = true;
    in.ret_slot_i = uint16_t(slot);
    return in;
}
