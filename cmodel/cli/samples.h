/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of parts of a run: of each kernel, or of each interval. */
#ifndef MEMTWIN_SAMPLES_H
#define MEMTWIN_SAMPLES_H
#include <stdint.h>

#include "base/error.h"
#include "system/stats/stats.h"
#include "system/stats/workload_stats.h"

struct sample {
    char name[256];     /* the kernel; empty: an interval */
    uint64_t stream;    /* of the kernel */
    uint32_t launch;    /* its number among the launches, from 1 */
    uint64_t from, to;  /* SM cycles, `to` not included */
    struct stats stats; /* counted in them */
    struct workload_stats part[MAX_WORKLOADS];
};

enum { SAMPLES_MAX = 100000 };

struct samples {
    struct sample *list;
    uint32_t count, room;
    bool open, lost;   /* lost: there was no room for all */
    bool over;         /* samples_over() began the last one */
    struct sample now; /* the open one: counters so far at its begin */
};

/* Ends the open sample, if there is one, and begins the next.  `parts`: of each workload; NULL: none. */
void samples_next(struct samples *s, const char *name, uint64_t cycle, const struct stats *so_far,
                  const struct workload_stats *parts);
/* A kernel is over that ran beside others: a sample from the end of the one before. */
void samples_over(struct samples *s, const struct kernel_run *run, const struct stats *so_far);
/* Ends the last one with the counters of the whole run.  False and an error if there were too many. */
bool samples_end(struct samples *s, const char *option, const struct stats *whole, const struct workload_stats *parts,
                 struct error *err);
void samples_free(struct samples *s);
#endif
