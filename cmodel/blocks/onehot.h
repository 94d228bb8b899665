/* SPDX-License-Identifier: Apache-2.0 */
/* Bit sets of up to 64 elements: the C side of mt_first_one.sv, mt_first_from.sv, mt_onehot_index.sv and mt_popcount.sv
 * of rtl/lib. */
#ifndef MEMTWIN_ONEHOT_H
#define MEMTWIN_ONEHOT_H
#include <stdint.h>

/* Isolates the lowest set bit; 0 if none is set. */
static inline uint64_t first_one(uint64_t vector)
{
    return vector & (0 - vector);
}

/* Isolates the lowest set bit at or above index `from` (0..63); wraps around to the lowest of all. */
static inline uint64_t first_from(uint64_t vector, uint32_t from)
{
    const uint64_t upper = vector >> from << from;
    return first_one(upper ? upper : vector);
}

/* Index of the set bit; the OR of the indices if several are set, as in the RTL; 0 if none is. */
static inline uint32_t onehot_index(uint64_t onehot)
{
    return (uint32_t)((onehot & 0xaaaaaaaaaaaaaaaau) != 0) | (uint32_t)((onehot & 0xccccccccccccccccu) != 0) << 1 |
           (uint32_t)((onehot & 0xf0f0f0f0f0f0f0f0u) != 0) << 2 | (uint32_t)((onehot & 0xff00ff00ff00ff00u) != 0) << 3 |
           (uint32_t)((onehot & 0xffff0000ffff0000u) != 0) << 4 | (uint32_t)((onehot & 0xffffffff00000000u) != 0) << 5;
}

/* Elements of a set: sums of neighbours. */
static inline uint32_t count_ones(uint64_t v)
{
    v = (v & 0x5555555555555555u) + (v >> 1 & 0x5555555555555555u);
    v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
    v = (v & 0x0f0f0f0f0f0f0f0fu) + (v >> 4 & 0x0f0f0f0f0f0f0f0fu);
    v = (v & 0x00ff00ff00ff00ffu) + (v >> 8 & 0x00ff00ff00ff00ffu);
    v = (v & 0x0000ffff0000ffffu) + (v >> 16 & 0x0000ffff0000ffffu);
    return (uint32_t)((v & 0x7f) + (v >> 32 & 0x7f));
}
#endif
