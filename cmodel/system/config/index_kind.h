/* SPDX-License-Identifier: Apache-2.0 */
/* Set index functions: a value of l1d.index and l2.index each (policy.h), a function of block set_hash or of C; and
 * partition maps. */
#ifndef MEMTWIN_INDEX_KIND_H
#define MEMTWIN_INDEX_KIND_H
#include "system/config/policy.h"

struct set_index {
    struct policy policy;
    uint32_t function; /* enum set_hash_function of the block, if `of` is NULL */
    uint32_t (*of)(uint64_t line, uint32_t sets);
    uint32_t sets; /* the only number of sets that it serves; 0: any power of two */
};

#define SET_INDEX_REGISTER(...) POLICY_REGISTER("set index", __VA_ARGS__)

struct line_index; /* cache/index.h */

/* Partition maps: a value of partition.map each. */
struct partition_map {
    struct policy policy;
    bool any;                                            /* serves any number of partitions, not powers of two alone */
    uint32_t function;                                   /* of set_hash, or `of` */
    void (*shape)(struct line_index *x, uint32_t count); /* adjusts x->cfg, divisor and folds; or NULL */
    uint32_t (*of)(uint64_t unit, uint32_t count);       /* (unit / count, result) must identify the unit uniquely */
};

#define PARTITION_MAP_REGISTER(...) POLICY_REGISTER("partition map", __VA_ARGS__)

static inline const struct set_index *set_index_at(uint32_t i)
{
    return (const struct set_index *)policy_at("set index", i);
}

static inline const struct partition_map *partition_map_at(uint32_t i)
{
    return (const struct partition_map *)policy_at("partition map", i);
}
#endif
