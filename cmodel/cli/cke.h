/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of concurrent kernels (Dai17, section 4.2.3): normalized progress, system throughput, turnaround time.
 * Each compares a shared run with a run of each kernel alone. */
#ifndef MEMTWIN_CKE_H
#define MEMTWIN_CKE_H
#include "cli/result.h"

/* Warp instructions per cycle, up to its end. */
double cke_ipc(const struct result *r, uint32_t workload);       /* in the shared run */
double cke_ipc_alone(const struct result *r, uint32_t workload); /* alone on the whole machine */
double cke_progress(const struct result *r, uint32_t workload);  /* shared / alone */
double cke_stp(const struct result *r);                          /* STP: sum of the progress of all */
double cke_antt(const struct result *r);                         /* ANTT: mean of 1 / progress */

/* Calls `number` for every metric of the run with its counter name: "cke.stp", "cke.k0.ipc" and so on. */
struct cke_sink {
    void (*whole)(void *context, const char *name, uint64_t value);
    void (*ratio)(void *context, const char *name, double value);
    void *context;
};
/* The counters of workload `i` alone. */
void cke_counts(const struct workload_stats *s, uint32_t i, const struct cke_sink *to);
void cke_numbers(const struct result *r, const struct cke_sink *to);

void cke_table(FILE *to, const struct result *results, uint32_t count);
#endif
