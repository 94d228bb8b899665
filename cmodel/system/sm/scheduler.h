/* SPDX-License-Identifier: Apache-2.0 */
/* The issuing half of an SM: all its warp schedulers (warp_scheduler.h). */
#ifndef MEMTWIN_SCHEDULER_H
#define MEMTWIN_SCHEDULER_H
#include "system/sm/sm_state.h"

uint64_t schedulers_tick(struct sm *sm); /* a cycle; its next cycle with work */
#endif
