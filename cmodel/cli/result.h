/* SPDX-License-Identifier: Apache-2.0 */
/* What one run gave, and the two ways to show it: a table for eyes, JSON for programs. */
#ifndef MEMTWIN_RESULT_H
#define MEMTWIN_RESULT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/rtl.h"
#include "system/config/config.h"
#include "system/stats/stats.h"
#include "system/stats/workload_stats.h"

/* One of the workloads that shared the SMs in a run. */
struct part {
    char workload[256], identity[65];
    struct workload_stats stats;
    const struct result *alone; /* the run in which it had the machine to itself; NULL: there was none */
};

/* Of the numeric results: does each that was complete equal plain C's?  A wrong one is an error of the run. */
enum verdict {
    VERDICT_CUT,      /* cke.cycles were over before every workload had completed once */
    VERDICT_VERIFIED, /* of every workload one was complete */
    VERDICT_TRACE     /* a workload is a trace, which has no numeric result */
};

struct result {
    char workload[256], identity[65]; /* of several workloads: joined by " + ", of the first */
    struct part part[MAX_WORKLOADS];
    uint32_t parts;
    const char *case_name; /* NULL: the only one */
    const char *rtl;       /* blocks that are to run as RTL; "" for none */
    struct rtl_uses uses;  /* those that did */
    uint64_t seed;
    struct config config;
    struct stats stats;
    enum verdict verdict;
    double seconds;
    struct error err; /* empty: it ended well */
};

/* Metrics down, runs across, a few at a time.  Depends on nothing but the results, the times of which it leaves out. */
void result_table(FILE *to, const struct result *results, uint32_t count);

/* One result gives an object, several an array.  The file appears whole or not at all; "-" is standard output. */
bool result_json(const char *path, const struct result *results, uint32_t count, uint32_t threads, struct error *err);
/* Could result_json() write there?  Asked before the work, not after it. */
bool result_json_possible(const char *path, struct error *err);
#endif
