/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of several streams of one workload, several at once (concurrent_kernels.md).  Each of the array's `workloads`
 * is then a lane, which holds one kernel at a time. */
#ifndef MEMTWIN_STREAMS_H
#define MEMTWIN_STREAMS_H
#include "system/sm/sm_state.h"

/* If the set-up has launches: makes the lanes, which wait.  False and an error without memory, or with an option that
 * tells workloads apart. */
bool streams_create(struct sm_array *a, struct error *err);
void streams_destroy(struct streams *s);
/* Gives waiting lanes the kernels that may start, in the order of their launches.  After the last kernel all lanes are
 * done.  False: an error in a->error. */
bool streams_launch(struct sm_array *a);
/* A kernel has ended since: others may start. */
bool streams_wait(const struct sm_array *a);
uint32_t streams_kernel(const struct sm_array *a, const struct workload *k); /* the number of its kernel */
void streams_started(struct sm_array *a, struct workload *k);                /* its kernel, in this cycle */
void streams_ended(struct sm_array *a, struct workload *k);  /* its kernel, before this cycle; its lane waits */
struct workload_stats streams_sum(const struct sm_array *a); /* of all lanes, without levels */
bool streams_laws_hold(const struct sm_array *a, struct error *err);
#endif
