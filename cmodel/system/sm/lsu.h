/* SPDX-License-Identifier: Apache-2.0 */
/* The memory half of an SM: the LSU and its L1D. */
#ifndef MEMTWIN_LSU_H
#define MEMTWIN_LSU_H
#include "system/sm/sm_state.h"

/* The mark of a store's requests (request.tag). */
static inline uint32_t store_mark(uint32_t workload, uint32_t warp)
{
    return workload | warp << 8;
}
static inline uint32_t mark_workload(uint32_t mark)
{
    return mark & 0xff;
}
static inline uint32_t mark_warp(uint32_t mark)
{
    return mark >> 8;
}

bool lsu_init(struct sm *sm);             /* false: out of memory */
void lsu_push(struct sm *sm, uint32_t w); /* the next instruction of warp `w`, a memory instruction */
/* The same in two steps: from the warp to `m`, and later, with room in the queue, from there. */
void lsu_fill(struct sm *sm, uint32_t w, struct memory_inst *m);
void lsu_enter(struct sm *sm, const struct memory_inst *m);
uint64_t lsu_tick(struct sm *sm);                 /* a cycle; its next cycle with work */
void lsu_catch_up(struct sm *sm, uint64_t until); /* counts the cycles slept, up to `until` */
#endif
