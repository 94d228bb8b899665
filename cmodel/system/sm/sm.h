/* SPDX-License-Identifier: Apache-2.0 */
/* One SM.  Called by the array, the dispatch, and hardware that the SMs share. */
#ifndef MEMTWIN_SM_H
#define MEMTWIN_SM_H
#include "system/sm/sm_state.h"

bool sm_init(struct sm_array *a, uint32_t number, struct error *err);
void sm_listen(struct sm *sm); /* passes events of the L1D on, once all listeners are registered */
void sm_destroy(struct sm *sm);
uint64_t sm_tick(struct sm *sm);       /* a whole SM; its next cycle with work */
uint64_t sm_issue_tick(struct sm *sm); /* its issuing half alone */
void sm_wake(struct sm *sm);           /* at the next tick */
void sm_wake_memory(struct sm *sm);    /* the memory half alone */
void sm_catch_up(struct sm *sm, uint64_t until);
void sm_sync(struct sm *sm, uint64_t until); /* counts all cycles before */
bool sm_quiet(const struct sm *sm);
#endif
