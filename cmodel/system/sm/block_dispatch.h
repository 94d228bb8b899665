/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch of thread blocks: a file of dispatchers/ each (config/policy.h), whose name is a value of sm.dispatch.  An
 * SM gets at most one thread block of a workload in a cycle. */
#ifndef MEMTWIN_BLOCK_DISPATCH_H
#define MEMTWIN_BLOCK_DISPATCH_H
#include "system/config/policy.h"
#include "system/sm/sm_core.h"

struct sm_set {
    uint64_t bits[MAX_SMS / 64];
};

static inline bool sm_set_has(const struct sm_set *s, uint32_t sm)
{
    return s->bits[sm / 64] >> (sm % 64) & 1;
}

struct block_dispatch {
    struct policy policy;
    /* Returns the SM that gets the next thread block.  `able` has at least one SM: those with room for the block that
     * received none in this cycle.  k->next_sm is the SM after the one that received the last block. */
    uint32_t (*choose)(const struct sm_array *a, const struct workload *k, const struct sm_set *able);
};

#define BLOCK_DISPATCH_REGISTER(p) POLICY_REGISTER("block dispatch", p)
#endif
