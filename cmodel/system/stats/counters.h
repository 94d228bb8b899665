/* SPDX-License-Identifier: Apache-2.0 */
/* What a run counted, by name: the counters of stats.def, then what derived.def makes of them. */
#ifndef MEMTWIN_COUNTERS_H
#define MEMTWIN_COUNTERS_H
#include <stdbool.h>
#include <stdint.h>

#include "system/config/config.h"
#include "system/stats/stats.h"

struct counter {
    const char *name; /* "l1d.rf.line" */
    const char *text;
    bool is_ratio; /* a real number; else a whole one */
};

struct counter_value {
    uint64_t whole;
    double ratio;
};

const struct counter *counter_list(uint32_t *count);
/* All of them, in the order of the list; `values` has room for as many. */
void counter_values(const struct stats *s, const struct config *c, struct counter_value *values);
#endif
