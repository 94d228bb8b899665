// SPDX-License-Identifier: Apache-2.0
// What cart is given, in scenarios of lockstep and of SystemC.
#pragma once
#include "bank_reorder_inputs.hpp"

inline constexpr uint32_t kColBits = cfg.RowLsb - bits_index(cfg.Banks);

// The line of a bank, row and column.
inline uint64_t line(uint64_t bank, uint64_t row, uint64_t col)
{
    return line_of(bank, row << kColBits | col);
}
