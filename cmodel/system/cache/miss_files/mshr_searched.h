/* SPDX-License-Identifier: Apache-2.0 */
/* The twin of mshr with a table of hashes in the place of its comparators, for speed: a search costs the same in a file
 * of 32 entries and of 256.  Every other part of a cycle is the twin's own code.  Equal to it after reset, cycle by
 * cycle: tests/system/mshr_searched.c, which visits every state of small files. */
#ifndef MEMTWIN_MSHR_SEARCHED_H
#define MEMTWIN_MSHR_SEARCHED_H
#include "mshr.h"
#include "system/block/block_ops.h"

struct mshr_searched {
    struct mshr m;
    uint32_t bucket_mask;
    /* The live entries of each bucket as a list.  An entry's number is one more here; 0: none. */
    uint16_t first[MSHR_MAX_ENTRIES], next[MSHR_MAX_ENTRIES + 1];
};

extern const struct block_ops mshr_searched;
#endif
