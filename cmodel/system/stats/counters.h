/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a run by name: those of stats.def, then those computed by derived.def. */
#ifndef MEMTWIN_COUNTERS_H
#define MEMTWIN_COUNTERS_H
#include <stdbool.h>
#include <stdint.h>

#include "system/config/config.h"
#include "system/stats/stats.h"
#include "system/stats/workload_stats.h"

struct counter {
    const char *name; /* "l1d.rf.line" */
    const char *text;
    bool is_ratio; /* a real number; else an integer */
};

struct counter_value {
    uint64_t whole;
    double ratio; /* NaN: its denominator is 0 */
};

const struct counter *counter_list(uint32_t *count);
/* All counters in list order; `values` has room for all. */
void counter_values(const struct stats *s, const struct config *c, struct counter_value *values);
/* Differences of the counters at two points of a run.  A LEVEL of stats.def keeps its later value. */
struct stats stats_between(const struct stats *earlier, const struct stats *later);
void stats_add(struct stats *sum, const struct stats *later); /* levels: those of `later` */
struct workload_stats workload_stats_between(const struct workload_stats *earlier, const struct workload_stats *later);
#endif
