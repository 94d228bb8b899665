/* SPDX-License-Identifier: Apache-2.0 */
/* The lowest free place of a table: the twins' priority encoder. */
#ifndef MEMTWIN_FIRST_ZERO_H
#define MEMTWIN_FIRST_ZERO_H
#include <stdbool.h>
#include <stdint.h>

enum { FIRST_ZERO_GROUP = 32 }; /* places that are tested together: more than gcc unrolls before it vectorises */

/* Branch-free, so that it vectorises. */
static inline bool group_is_ones(const uint8_t *byte, uint64_t first)
{
    uint8_t all = 1;
    for (uint32_t i = 0; i < FIRST_ZERO_GROUP; i++) all = (uint8_t)(all & byte[first + i]);
    return all != 0;
}

/* Place of the first 0 in a group, or FIRST_ZERO_GROUP: likewise. */
static inline uint32_t zero_in_group(const uint8_t *byte, uint64_t first)
{
    uint8_t place = FIRST_ZERO_GROUP;
    for (uint8_t i = 0; i < FIRST_ZERO_GROUP; i++) {
        const uint8_t here = byte[first + i] ? (uint8_t)FIRST_ZERO_GROUP : i;
        place = here < place ? here : place;
    }
    return place;
}

/* Place of the first 0 among `count` bytes, each 0 or 1; `count`: there is none. */
static inline uint32_t first_zero(const uint8_t *byte, uint32_t count)
{
    uint32_t i = 0;
    while (i + FIRST_ZERO_GROUP <= count && group_is_ones(byte, i)) i += FIRST_ZERO_GROUP;
    if (i + FIRST_ZERO_GROUP <= count) return i + zero_in_group(byte, i);
    while (i < count && byte[i]) i++;
    return i;
}
#endif
