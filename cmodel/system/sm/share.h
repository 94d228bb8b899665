/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing of an SM between workloads: thread blocks, addresses, counters. */
#ifndef MEMTWIN_SHARE_H
#define MEMTWIN_SHARE_H
#include "system/sm/sm_state.h"

/* Listens to count the instructions of each workload, if sm_array.apart. */
bool share_create(struct sm_array *a, struct error *err);
/* Thread blocks dispatched to the SM at once: fewer at the end of the grid, or by its limit. */
static inline uint32_t share_group(const struct sm *sm, const struct workload *k)
{
    return min_u32(min_u32(k->blocks - k->next_block, k->together), sm->may_hold[k->number]);
}
bool share_fits(const struct sm *sm, const struct workload *k, uint32_t blocks); /* room for `blocks` more */
void share_take(struct sm *sm, const struct workload *k);                        /* a thread block takes it */
void share_block_done(struct sm *sm, struct thread_block *b);
uint64_t share_line(struct sm_array *a, struct workload *k, uint64_t line); /* in its own address space */
void share_flush(struct sm_array *a, const struct workload *k);             /* drops its lines from every L1D */
void share_access(struct sm *sm, uint32_t workload); /* the L1D has counted for an access of this workload */
void share_sync(struct sm_array *a);
bool share_laws_hold(const struct sm_array *a, struct error *err);
#endif
