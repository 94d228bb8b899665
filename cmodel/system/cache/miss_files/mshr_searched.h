/* SPDX-License-Identifier: Apache-2.0 */
/* The twin of mshr with a table of hashes in the place of its comparators, for speed: a search costs the same in a file
 * of 32 entries and of 256.  Every other part of a cycle is the twin's own code.  Equal to it after reset, cycle by
 * cycle: tests/system/mshr_searched.c, which visits every state of small files. */
#ifndef MEMTWIN_MSHR_SEARCHED_H
#define MEMTWIN_MSHR_SEARCHED_H
#include "mshr.h"
#include "system/block/block_ops.h"

struct mshr_searched {
    uint32_t bucket_mask;
    /* The live entries of each bucket as a list.  An entry's number is one more here; 0: none.  Most buckets are empty,
     * which the host predicts. */
    uint16_t first[4 * MSHR_MAX_ENTRIES], next[MSHR_MAX_ENTRIES + 1];
    struct mshr m; /* last: its memories are large, and those that every cycle reads come first */
};

extern const struct block_ops mshr_searched;
#endif
