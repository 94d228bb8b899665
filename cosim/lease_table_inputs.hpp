// SPDX-License-Identifier: Apache-2.0
// What lease_table is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "block.hpp"

extern "C" {
#include "lease_table.h"
}

inline In command(lease_table_op op, uint32_t page, uint32_t lease = 0)
{
    In in{};
    in.cmd_valid_i = true;
    in.cmd_op_i = uint8_t(op);
    in.cmd_page_i = page;
    in.cmd_lease_i = uint16_t(lease);
    return in;
}

inline In access(uint32_t page)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_page_i = page;
    return in;
}
