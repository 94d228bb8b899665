// SPDX-License-Identifier: Apache-2.0
// Inputs for bank_reorder and cart, which have the same ports.
#pragma once
#include "run.hpp"

// A line address from its bank; the bits of `rest` fill the other positions from the low end.
inline uint64_t line_of(uint64_t bank, uint64_t rest)
{
    uint64_t addr = 0;
    for (uint32_t i = 0; i < cfg.AddrW; i++) {
        const bool other = i >= cfg.BankMsb && (uint64_t(cfg.Banks) - 1) >> 1 >> (i - cfg.BankMsb);
        if (i == cfg.BankLsb && cfg.Banks > 1) {
            addr |= (bank & 1) << i;
        } else if (other) {
            addr |= (bank >> 1 >> (i - cfg.BankMsb) & 1) << i;
        } else {
            addr |= (rest & 1) << i;
            rest >>= 1;
        }
    }
    return addr;
}

inline In offer(uint64_t addr, uint64_t info, bool take = false)
{
    In in{};
    in.in_valid_i = true;
    in.in_addr_i = addr;
    in.in_info_i = info & bits_mask(cfg.InfoW);
    in.out_ready_i = take;
    return in;
}

inline In take()
{
    In in{};
    in.out_ready_i = true;
    return in;
}
