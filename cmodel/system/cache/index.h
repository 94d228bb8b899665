/* SPDX-License-Identifier: Apache-2.0 */
/* Index functions: sets of a cache (Dai17, section 3.4; Khairy15, section 4.3) and memory partitions (Dai17,
 * section 3.7).  The functions are policies (config/policy.h), files of indexes/: those of block set_hash, twin or RTL,
 * behind its socket, or a function of C. */
#ifndef MEMTWIN_INDEX_H
#define MEMTWIN_INDEX_H
#include <stddef.h>

#include "set_hash.h"
#include "system/block/block_socket.h"
#include "system/config/index_kind.h"

/* Caches the last lookup: a refused request looks up the same line again in every cycle. */
struct line_index {
    uint64_t last; /* address; NO_ADDRESS: none yet */
    uint32_t index;
    uint32_t count;                                   /* sets or partitions */
    uint32_t (*of)(uint64_t address, uint32_t count); /* NULL: the block */
    struct block_socket socket;                       /* not open with one set or partition */
    struct set_hash_cfg cfg;
    /* index_local(): the address of a unit inside its partition is unit / divisor * folds + unit % divisor / count. */
    uint32_t divisor, folds;
};

/* Of a cache of `sets`, a power of two up to 65536; or of `count` partitions, for addresses in units of
 * partition.interleave.  `x` must not move while it is open.  False and an error if the face is not available.
 */
bool index_open_sets(struct line_index *x, const struct env *env, uint32_t index, uint32_t sets, const char *unit,
                     struct error *err);
/* Maps serve a power of two, or any number (partition_map.any); prime uses the first p partitions only, p the largest
 * prime not above `count` (13 of 16, as in the paper). */
bool index_open_partitions(struct line_index *x, const struct env *env, uint32_t map, uint32_t count, const char *unit,
                           struct error *err);
void index_close(struct line_index *x);

void index_look(struct line_index *x, uint64_t address);

/* Set or partition of an address. */
static inline uint32_t index_of(struct line_index *x, uint64_t address)
{
    if (x->last != address) index_look(x, address);
    return x->index;
}

/* Address of a unit inside its partition; (partition, local address) identifies the unit. */
uint64_t index_local(const struct line_index *x, uint64_t unit);
#endif
