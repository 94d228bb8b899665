/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit widths: masks and index widths for the twins' registers. */
#ifndef MEMTWIN_BITS_H
#define MEMTWIN_BITS_H
#include <stdbool.h>
#include <stdint.h>

/* C++ (cosim, tb) needs widths at compile time for the types of a Verilated block's ports. */
#ifdef __cplusplus
#define BITS_FUNCTION static constexpr
#else
#define BITS_FUNCTION static inline
#endif

/* True for 0, too. */
BITS_FUNCTION bool bits_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* Value of the low `width` bits; width 0..64. */
BITS_FUNCTION uint64_t bits_mask(uint32_t width)
{
    return width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
}

/* Bits of an index into n elements, at least 1 (SystemVerilog: n > 1 ? $clog2(n) : 1); n up to 2^31. */
BITS_FUNCTION uint32_t bits_index(uint32_t n)
{
    uint32_t width = 1, last = n > 2 ? n - 1 : 1;
    for (uint32_t half = 16; half; half /= 2) {
        const uint32_t upper = last >> half ? half : 0;
        width += upper;
        last >>= upper;
    }
    return width;
}

/* Mask of the low bits_index(n) bits: used at the twin's clock edge. */
BITS_FUNCTION uint32_t bits_index_mask(uint32_t n)
{
    return UINT32_MAX >> __builtin_clz(n > 2 ? n - 1 : 1);
}

BITS_FUNCTION uint32_t bits_max(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}
#endif
