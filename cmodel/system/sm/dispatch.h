/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in order, and their thread blocks to SMs (block_dispatch.h).  Called by the array. */
#ifndef MEMTWIN_DISPATCH_H
#define MEMTWIN_DISPATCH_H
#include "system/sm/sm_state.h"

bool dispatch_tick(struct sm_array *a);           /* false: an error in a->error */
bool dispatch_all_run(const struct sm_array *a);  /* no kernel starts or ends, and no thread block finds room */
uint64_t dispatch_wake(const struct sm_array *a); /* the next cycle in which a thread block may start; NEVER: none */
#endif
