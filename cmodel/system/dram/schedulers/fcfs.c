/* SPDX-License-Identifier: Apache-2.0 */
/* FCFS: the oldest request. */
#include "system/dram/dram_scheduler.h"

static uint16_t fcfs_choose(const struct dram_window *w)
{
    return w->first;
}

static const struct dram_scheduler fcfs = {.policy = {"fcfs", "first-come first-served"}, .choose = fcfs_choose};
DRAM_SCHEDULER_REGISTER(fcfs);
