/* SPDX-License-Identifier: Apache-2.0 */
/* Runs several workloads on several machines in parallel threads.
 *
 * Why parallel over runs and not over SMs: the SMs of one machine share a crossbar.  Threads over SMs would have to
 * synchronize every cycle, some hundred nanoseconds apart.  Every study has several runs anyway.  Runs share nothing,
 * so the counters cannot depend on the number of threads. */
#ifndef MEMTWIN_JOBS_H
#define MEMTWIN_JOBS_H
#include <stdbool.h>
#include <stdint.h>

#include "cli/capture.h"
#include "cli/result.h"

struct job {
    const char *workload;
    const char *beside[MAX_WORKLOADS - 1]; /* workloads that share the SMs with it, up to the first NULL */
    uint64_t trace_requests;
    bool kernels;                     /* collect the counters of each kernel */
    uint64_t interval;                /* and of each so many cycles; 0: not */
    struct capture *capture;          /* NULL: none */
    struct result result;             /* in: case_name, rtl, seed, config (after rtl_check()); all else is output */
    char *journal;                    /* text of --trace-request */
    char *stream_note[MAX_WORKLOADS]; /* NULL: all kernels are of one stream */
    char *range_note[MAX_WORKLOADS];  /* arrays without access ranges, as text; NULL: none, or not collected */
};

void job_free(struct job *j); /* frees the outputs */

/* Runs all jobs; threads take them in order.  Then prints the notes to stderr.  `progress`: prints a progress line to
 * stderr. */
void jobs_run(struct job *jobs, uint32_t count, uint32_t threads, bool progress);
#endif
