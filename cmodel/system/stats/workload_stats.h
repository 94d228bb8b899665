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
#endif
