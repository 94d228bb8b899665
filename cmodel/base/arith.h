/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of whole numbers that C leaves to its user. */
#ifndef MEMTWIN_ARITH_H
#define MEMTWIN_ARITH_H
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Keeps the largest value so far. */
static inline void raise_to(uint64_t *most, uint64_t value)
{
    if (value > *most) *most = value;
}

static inline uint64_t ceil_div(uint64_t n, uint64_t d)
{
    return (n + d - 1) / d;
}

/* True for 0, too. */
static inline bool is_power_of_two(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

/* n is not 0. */
static inline uint32_t log2_floor(uint64_t n)
{
    return 63 - (uint32_t)__builtin_clzll(n);
}

static inline uint32_t log2_ceil(uint64_t n)
{
    return n > 1 ? log2_floor(n - 1) + 1 : 0;
}
#endif
