/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of the warps of an SM.  Bit w: warp slot w. */
#ifndef MEMTWIN_WARP_SET_H
#define MEMTWIN_WARP_SET_H
#include <stdbool.h>
#include <stdint.h>

enum { MAX_WARPS = 128, WARP_WORDS = MAX_WARPS / 64 };

typedef unsigned __int128 warp_set;

static inline warp_set warp_bit(uint32_t w)
{
    return (warp_set)1 << w;
}

/* Warps 64 * i to 64 * i + 63, from bit 0 on. */
static inline uint64_t warp_set_word(warp_set s, uint32_t i)
{
    return (uint64_t)(s >> 64 * i);
}

static inline bool warp_in(warp_set s, uint32_t w)
{
    return warp_set_word(s, w / 64) >> w % 64 & 1;
}

static inline uint32_t warp_first(warp_set s) /* s is not empty */
{
    uint64_t low = (uint64_t)s;
    return low ? (uint32_t)__builtin_ctzll(low) : 64 + (uint32_t)__builtin_ctzll((uint64_t)(s >> 64));
}

static inline uint32_t warp_last(warp_set s) /* s is not empty */
{
    const uint64_t high = (uint64_t)(s >> 64);
    return 63 - (uint32_t)__builtin_clzll(high ? high : (uint64_t)s) + (high ? 64 : 0);
}

static inline uint32_t warp_count(warp_set s)
{
    return (uint32_t)(__builtin_popcountll((uint64_t)s) + __builtin_popcountll((uint64_t)(s >> 64)));
}
#endif
