/* SPDX-License-Identifier: Apache-2.0 */
/* Mbarriers of the thread blocks on an SM: arrivals of copies, and what warps need of them.  A table is allocated when
 * a warp of the SM first uses one; without memory the array has an error, and the run ends. */
#ifndef MEMTWIN_MBARRIER_H
#define MEMTWIN_MBARRIER_H
#include "system/sm/sm_state.h"

void mbarriers_destroy(struct mbarriers *m);

/* The warp's INST_ARRIVE issues.  True: no copy of the warp is in flight, so that it arrives now. */
bool mbarrier_arrive(struct sm *sm, uint32_t w);
/* A copy with an arrival is complete.  True: it was the last one of them. */
bool mbarrier_copied(struct sm *sm, const struct load *l);
/* The warp's INST_AWAIT issues.  False: it waits. */
bool mbarrier_passes(struct sm *sm, uint32_t w);
/* Whether a warp that waits may go on. */
bool mbarrier_is_open(const struct sm *sm, uint32_t w);
/* A warp that waits needs no more than there is. */
void mbarrier_give_up(struct sm *sm, uint32_t w);

/* If the SM has mbarriers. */
void mbarrier_warp_starts(struct sm *sm, uint32_t w);
void mbarrier_block_ends(struct sm *sm, const struct thread_block *b);
#endif
