/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of miss files: a file of cache/miss_files/ each (policy.h), whose name is a value of l1d.mshr.kind and
 * l2.mshr.kind.  A kind is a block, or a model without RTL, with the ports of mshr, and how it gets its parameters from
 * the options. */
#ifndef MEMTWIN_MISS_KIND_H
#define MEMTWIN_MISS_KIND_H
#include "system/config/config.h"
#include "system/config/policy.h"

struct block_ops;

enum { MISS_ADDR_BITS = 41, MISS_SECTOR_BITS = 2, MISS_INFO_BITS = 24, MISS_CFG_WORDS = 32 };

enum miss_cache { MISS_L1D, MISS_L2 }; /* the cache that the file is of */

/* An option that both caches have. */
#define MISS_OPTION(c, cache, option) ((cache) == MISS_L1D ? (c)->l1d_##option : (c)->l2_##option)

/* Address width of a miss file in bits.  Its addresses are numbers of lines, or of sectors. */
static inline uint32_t miss_addr_bits(const struct config *c, enum miss_cache cache)
{
    return MISS_ADDR_BITS + (MISS_OPTION(c, cache, sector_bytes) ? MISS_SECTOR_BITS : 0);
}

struct miss_shape {
    uint32_t lines, slots; /* in flight at most: lines, and the requests to them */
};

struct miss_kind {
    struct policy policy;
    const char *block;             /* NULL: `model`, which has no RTL */
    const struct block_ops *model; /* create, destroy, eval, tick */
    const struct block_ops *twin;  /* in the place of the block's, which it equals; NULL: none */
    bool registered;               /* answers a cycle after the request; else in the same */
    bool own_slots;                /* the slots of a line are those of its entry: no other line can exhaust them */
    struct miss_shape (*shape)(const struct config *c, enum miss_cache cache);
    /* Writes the block's struct of parameters, of at most MISS_CFG_WORDS; `data_bits`: of a slot's write data. */
    void (*configure)(void *cfg, const struct config *c, enum miss_cache cache, uint32_t data_bits);
    bool (*check)(const struct config *c, enum miss_cache cache, struct error *err); /* for config_check(); or NULL */
};

#define MISS_KIND_REGISTER(...) POLICY_REGISTER("miss file", __VA_ARGS__)

static inline const struct miss_kind *miss_kind_of(const struct config *c, enum miss_cache cache)
{
    return (const struct miss_kind *)policy_at("miss file", MISS_OPTION(c, cache, mshr_kind));
}
#endif
