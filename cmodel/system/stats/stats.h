/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of one run.  Units increment them through the run's single struct; ratios are computed on printing. */
#ifndef MEMTWIN_STATS_H
#define MEMTWIN_STATS_H
#include <stdint.h>

struct stats {
#define STAT(field, name, text) uint64_t field;
#include "system/stats/stats.def"
#undef STAT
    uint64_t l2_write_hits; /* of l2_hits; only for --format accelsim */
};
#endif
