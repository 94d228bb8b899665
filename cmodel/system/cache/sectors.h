/* SPDX-License-Identifier: Apache-2.0 */
/* A block is the unit of lookup, fetch and MSHR entries: a whole line, or a sector of one (l1d.sector_bytes,
 * l2.sector_bytes).  Its number is line << shift | sector.  With whole lines the shift is 0. */
#ifndef MEMTWIN_SECTORS_H
#define MEMTWIN_SECTORS_H
#include "system/unit/request.h"

enum { SECTORS = LINE_BYTES / SECTOR_BYTES }; /* of a line */

struct sectors {
    uint32_t shift, last; /* log2 of the sectors of a line; the highest sector */
    uint32_t bytes;       /* of a block */
};

/* From the option value; 0: whole lines. */
static inline struct sectors sectors_of(uint32_t sector_bytes)
{
    const uint32_t count = sector_bytes ? LINE_BYTES / sector_bytes : 1;
    return (struct sectors){log2_floor(count), count - 1, LINE_BYTES / count};
}

static inline uint64_t block_of(const struct sectors *s, uint64_t line, uint32_t sector)
{
    return line << s->shift | (sector & s->last);
}

static inline uint64_t block_line(const struct sectors *s, uint64_t block)
{
    return block >> s->shift;
}

static inline uint32_t block_sector(const struct sectors *s, uint64_t block)
{
    return (uint32_t)block & s->last;
}

static inline uint64_t block_address(const struct sectors *s, uint64_t block)
{
    return block << (LINE_SHIFT - s->shift);
}

static inline uint64_t block_at(const struct sectors *s, uint64_t address)
{
    return address >> (LINE_SHIFT - s->shift);
}

/* Number of blocks covered by a request of `bytes` bytes. */
static inline uint32_t blocks_in(const struct sectors *s, uint32_t bytes)
{
    return bytes > s->bytes ? bytes / s->bytes : 1;
}

/* Words of the line that belong to the block, as in request.written. */
static inline uint32_t block_words(const struct sectors *s, uint64_t block)
{
    const uint32_t words = (LINE_BYTES / WORD_BYTES) >> s->shift;
    return UINT32_MAX >> (32 - words) << block_sector(s, block) * words;
}

/* Whether these words include all words of the block. */
static inline bool words_cover(const struct sectors *s, uint64_t block, uint32_t words)
{
    return !(block_words(s, block) & ~words);
}
#endif
