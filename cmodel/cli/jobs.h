/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of several workloads on several machines, side by side in threads.
 *
 * Why parallel over runs and not over SMs: the SMs of one machine share a crossbar and meet there every cycle, so
 * threads over SMs would have to meet every cycle too, some hundred nanoseconds apart; and every study wants several
 * runs anyway.  A run shares nothing with another one, so the counters cannot depend on the number of threads. */
#ifndef MEMTWIN_JOBS_H
#define MEMTWIN_JOBS_H
#include <stdbool.h>
#include <stdint.h>

#include "cli/capture.h"
#include "cli/result.h"

struct job {
    const char *workload;
    const char *beside[MAX_WORKLOADS - 1]; /* others that share the SMs with it, up to the first NULL */
    uint64_t trace_requests;
    struct capture *capture; /* NULL: none */
    struct result result;    /* given: case_name, rtl, seed, config (rtl_check() has been asked); the rest comes out */
    char *journal;           /* where the requests followed were, as text to print */
};

void job_free(struct job *j); /* what came out */

/* Runs them all, in the order given as far as threads are free.  With `progress`, shows how far it is on stderr. */
void jobs_run(struct job *jobs, uint32_t count, uint32_t threads, bool progress);
#endif
