/* SPDX-License-Identifier: Apache-2.0 */
/* Set index functions: a value of l1d.index and l2.index each (policy.h), a function of block set_hash or of C. */
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

static inline const struct set_index *set_index_at(uint32_t i)
{
    return (const struct set_index *)policy_at("set index", i);
}
#endif
