/* SPDX-License-Identifier: Apache-2.0 */
/* FR-FCFS: the oldest request to the open row, else the oldest. */
#include "system/dram/dram_scheduler.h"

static uint16_t fr_fcfs_choose(const struct dram_window *w)
{
    for (uint16_t i = w->first; w->open && i != DRAM_NO_ENTRY; i = w->entries[i].next)
        if (w->entries[i].row == w->row) return i;
    return w->first;
}

static const struct dram_scheduler fr_fcfs = {
    .policy = {"fr_fcfs", "first-ready first-come first-served: the oldest request to the open row, else the oldest"},
    .choose = fr_fcfs_choose};
DRAM_SCHEDULER_REGISTER(fr_fcfs);
