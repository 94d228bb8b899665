/* SPDX-License-Identifier: Apache-2.0 */
/* DRAM clocks derived from the options dram.t.* (dram.h, "Commands"). */
#ifndef MEMTWIN_DRAM_TIMING_H
#define MEMTWIN_DRAM_TIMING_H
#include "system/config/config.h"

/* Index 0: read, 1: write; turn[]: until the opposite direction. */
struct dram_timing {
    uint32_t burst, ccd, ccdl, rcd[2], data[2], turn[2], precharge[2], group_precharge[2];
};

struct dram_timing dram_timing_of(const struct config *c);

/* The least dram.t.refi with which a request that waits has a column command between two refreshes, whatever was
 * issued before the first of them.  A refresh closes every row, so with less a request could wait forever. */
uint64_t dram_least_refi(const struct config *c);
#endif
