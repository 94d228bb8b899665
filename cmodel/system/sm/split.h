/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory and L1D of an SM divide a memory: split.md.  An SM is split when its first thread block starts, for the
 * kernels that run then, until it has none. */
#ifndef MEMTWIN_SPLIT_H
#define MEMTWIN_SPLIT_H
#include "system/sm/sm_state.h"

/* False and an error: a dispatch that needs room to stay. */
bool split_create(struct sm_array *a, struct error *err);
/* A kernel starts, whose partition and group are known. */
void split_kernel(const struct sm_array *a, struct workload *k);
/* The SM has no thread block, and gets one. */
void split_sm(struct sm *sm);
/* It has none any more: the next one may need any choice. */
static inline void split_end(struct sm *sm)
{
    sm->shared_room = sm->array->c->sm_shared_bytes;
}
#endif
