/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch of thread blocks: a file of dispatchers/ each (config/policy.h), whose name is a value of sm.dispatch.  An
 * SM gets thread blocks of a workload at most once in a cycle: as many consecutive ones as `together`.
 *
 * A dispatcher with a state chooses thread blocks, too, in any order: place() starts them. */
#ifndef MEMTWIN_BLOCK_DISPATCH_H
#define MEMTWIN_BLOCK_DISPATCH_H
#include "system/config/policy.h"
#include "system/sm/sm_state.h"

struct sm_set {
    uint64_t bits[MAX_SMS / 64];
};

static inline bool sm_set_has(const struct sm_set *s, uint32_t sm)
{
    return s->bits[sm / 64] >> (sm % 64) & 1;
}

/* The first SM of a non-empty set, from `sm` on with wrap-around. */
static inline uint32_t sm_set_next(const struct sm_set *s, uint32_t sm, uint32_t sm_count)
{
    while (!sm_set_has(s, sm)) sm = sm + 1 < sm_count ? sm + 1 : 0;
    return sm;
}

struct block_dispatch {
    struct policy policy;
    uint32_t together; /* consecutive thread blocks for one SM, 0: one; the last of a grid, or an SM, may allow fewer */
    bool needs_ranges; /* reads the workloads' access ranges */
    /* Returns the SM that gets the next thread blocks.  `able` has at least one SM: those with room for all of them
     * that received none in this cycle.  k->next_sm is the SM after the one that received the last block. */
    uint32_t (*choose)(const struct sm_array *a, const struct workload *k, const struct sm_set *able);

    struct sm_hooks hooks;
    /* One cycle of a workload with waiting thread blocks; false: an error in a->error.  Sets k->dispatch to false if no
     * dispatch is possible until a thread block of the workload finishes.  NULL without a state. */
    bool (*place)(void *state, struct sm_array *a, struct workload *k);
};

/* Starts a thread block of the current kernel; the SM has room for it.  NULL: an error in a->error. */
struct thread_block *block_launch(struct sm_array *a, struct workload *k, struct sm *sm, uint32_t block);

#define BLOCK_DISPATCH_REGISTER(...) POLICY_REGISTER("block dispatch", __VA_ARGS__)
#endif
