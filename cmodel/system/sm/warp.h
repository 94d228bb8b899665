/* SPDX-License-Identifier: Apache-2.0 */
/* A warp: its start, its instructions, its wait state.  Called by the dispatch, the schedulers and the LSU. */
#ifndef MEMTWIN_WARP_H
#define MEMTWIN_WARP_H
#include "system/sm/scoreboard.h"

bool warp_start(struct sm *sm, uint32_t w, struct thread_block *block, uint32_t number);
void warp_issue(struct sm *sm, uint32_t w);       /* its registers and port are ready; the caller occupies the port */
void warp_issue_quick(struct sm *sm, uint32_t w); /* the same if sm_array.quick_issue */
void warp_loaded(struct sm *sm, uint32_t w, uint8_t dst, uint64_t usable); /* all data of a load have arrived */
void warps_arrived(struct sm *sm, struct thread_block *b); /* copies of the block have, at an mbarrier */
bool warp_stored(struct sm *sm, uint32_t w); /* an access of a store is acknowledged; true: warp_finish() is due */
void warp_finish(struct sm *sm, uint32_t w); /* it has exited, and nothing of it is pending */
/* Updates the wait state of each of these warps, which were in `far`. */
void warps_due_each(struct sm *sm, uint32_t word, uint64_t due);
uint64_t warps_next_due(const struct sm *sm); /* no warp is due between this cycle and that one */

/* Warps whose registers become ready now leave FOR_TIME; an SM wakes for each.  `words`: warp_words(). */
static inline void warps_due(struct sm *sm, uint32_t words)
{
    const uint64_t now = sm->array->env->sm_cycle;
    sm->due_at &= ~((uint64_t)1 << now % DUE);
    for (uint32_t i = 0; i < words; i++) {
        struct warp_word *w = &sm->word[i];
        const uint64_t due = sm->due[i][now % DUE], each = due & w->far;
        sm->due[i][now % DUE] = 0;
        w->wait[FOR_TIME] &= ~due;
        w->wait[FOR_PORT] |= due ^ each;
        if (each) warps_due_each(sm, i, each);
    }
}
#endif
