/* SPDX-License-Identifier: Apache-2.0 */
/* One run of workloads by their names: opens them, collects the access ranges that the machine reads, runs them, and
 * verifies the results of the kernels that were executed to their end. */
#ifndef MEMTWIN_WORKLOADS_H
#define MEMTWIN_WORKLOADS_H
#include "system/run.h"

struct workloads {
    /* The caller's, and unchanged: */
    const struct config *config;
    const char *name[MAX_WORKLOADS]; /* up to the first NULL; they share the SMs */
    uint64_t seed;                   /* of the inputs of kernels */
    const char *rtl, *rtl_folder;    /* as rtl_blocks and rtl_folder in run_setup */
    const struct observer *observer; /* NULL: none */
    /* Filled by the calls below: */
    struct source *source[MAX_WORKLOADS];
    uint32_t count;                   /* sources opened */
    uint32_t complete[MAX_WORKLOADS]; /* verified executions of each kernel */
    struct ranges ranges[MAX_WORKLOADS];
    struct workload_stats stats[MAX_WORKLOADS];
    /* If a run has the kernels of several streams at once (cke.kernels); `list` NULL: it has not. */
    struct launches launches;
    uint32_t streams;                   /* of the launches */
    struct source *lane[MAX_WORKLOADS]; /* the first is source[0] */
};

/* Opens the sources.  Call workloads_close() after any outcome. */
bool workloads_open(struct workloads *w, struct error *err);
/* Collects the access ranges of workload `i`; call it for each if run_needs_ranges(). */
bool workloads_collect(struct workloads *w, uint32_t i, struct error *err);
/* Builds the machine alone (run_build()). */
bool workloads_build(struct workloads *w, struct error *err);
bool workloads_run(struct workloads *w, struct stats *stats, struct error *err);
/* After a run that was not cut by cke.cycles: verifies the last execution of each kernel. */
bool workloads_verify(struct workloads *w, struct error *err);
/* A kernel has a result to verify; a trace has none. */
bool workloads_is_kernel(const struct workloads *w, uint32_t i);
void workloads_close(struct workloads *w);
#endif
