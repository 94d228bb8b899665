/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of one workload of a run: one field per line of workload_stats.def. */
#ifndef MEMTWIN_WORKLOAD_STATS_H
#define MEMTWIN_WORKLOAD_STATS_H
#include <stdint.h>

enum { MAX_WORKLOADS = 8 }; /* that share the SMs, or wait for their turn */

struct workload_stats {
#define WORKLOAD_STAT(field, name, text) uint64_t field;
#include "system/stats/workload_stats.def"
#undef WORKLOAD_STAT
};

/* A kernel of a run whose kernels are of several streams. */
struct kernel_run {
    const char *name;
    uint64_t stream;
    uint32_t kernel;   /* its number in the trace, from 0 */
    uint64_t from, to; /* SM cycles, `to` not included */
    struct workload_stats stats;
};
#endif
