/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of a pool: which ones run now (cke.concurrent).  Called by the dispatch and by partitions. */
#ifndef MEMTWIN_TURNS_H
#define MEMTWIN_TURNS_H
#include "system/sm/sm_state.h"

void turns_start(struct sm_array *a); /* the first ones */
void turns_next(struct sm_array *a);  /* a workload is done */
uint32_t turns_at_once(const struct sm_array *a);
#endif
