/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a run in which those of several streams ran at once: counters of each kernel and of each stream. */
#ifndef MEMTWIN_KERNEL_RUNS_H
#define MEMTWIN_KERNEL_RUNS_H
#include <stdbool.h>

#include "system/stats/workload_stats.h"

struct kernel_runs {
    struct kernel_run *list; /* in the order in which they ended; their names are copies */
    uint32_t count;
    bool lost; /* there was no memory for all */
};

void kernel_runs_add(struct kernel_runs *r, const struct kernel_run *run);
void kernel_runs_free(struct kernel_runs *r);
uint32_t kernel_runs_at_once(const struct kernel_runs *r); /* most kernels in one cycle */
/* Streams in the order in which they began: from the begin of the first kernel to the end of the last one.  They have
 * no name. */
struct kernel_runs kernel_runs_by_stream(const struct kernel_runs *r);

/* The counters of a kernel or a stream, under their names in the whole run. */
typedef void kernel_run_put(void *to, const char *name, uint64_t value);
void kernel_run_counters(const struct kernel_run *run, kernel_run_put *put, void *to);
#endif
