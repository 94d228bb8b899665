/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that shared memory and L1D of an SM divide: split.md.  An SM without thread blocks takes the division of
 * the kernel whose thread block starts, and keeps it until it has none again. */
#ifndef MEMTWIN_SPLIT_H
#define MEMTWIN_SPLIT_H
#include "system/sm/sm_state.h"

/* False and an error: several workloads, which an SM is not split for. */
bool split_create(struct sm_array *a, struct error *err);
/* The division for a kernel that starts; its shared memory is k->shared_room. */
void split_choose(const struct sm_array *a, struct workload *k);
/* The SM has no thread block, and gets one of this kernel. */
void split_sm(struct sm *sm, const struct workload *k);
/* Bytes of shared memory that the SM has for thread blocks of this kernel and others. */
static inline uint32_t split_room(const struct sm *sm, const struct workload *k)
{
    return sm->blocks_used ? sm->shared_room : k->shared_room;
}
#endif
