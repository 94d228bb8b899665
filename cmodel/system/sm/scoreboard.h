/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard of an SM: the cycle from which each register is usable, and the wait state of each warp. */
#ifndef MEMTWIN_SCOREBOARD_H
#define MEMTWIN_SCOREBOARD_H
#include "system/sm/sm_state.h"

/* The scoreboard: a group is eight registers of a warp, one cache line of the host.  The table is ordered by group,
 * then by SM and warp slot, so groups that no kernel uses take no memory.  INST_NO_REG is the first register of group
 * 0; only 0 is written to it, so it is always usable. */
enum { GROUP = HOST_LINE / sizeof(uint64_t) };

static inline uint32_t group_of(uint32_t reg)
{
    return (reg + 1) % REGISTERS / GROUP;
}

static inline uint32_t group_place(const struct sm_array *a, uint32_t group)
{
    return group * a->c->sm_count * a->c->sm_warps * GROUP;
}

static inline uint64_t *warp_register(const struct sm *sm, uint32_t w, uint8_t reg)
{
    return &sm->usable[sm->array->register_place[reg] + w * GROUP];
}

static inline void warp_write(struct sm *sm, uint32_t w, uint8_t reg, uint64_t usable)
{
    *warp_register(sm, w, reg) = usable;
    sm->warps[w].written |= 1u << group_of(reg);
}

/* The warps in the SM that started before this one. */
static inline warp_set warps_older(const struct sm *sm, uint32_t w)
{
    return (warp_set)sm->older[1][w] << 64 | sm->older[0][w];
}

static inline uint32_t warp_words(const struct sm *sm) /* that have warp slots */
{
    return sm->array->c->sm_warps > 64 ? 2 : 1;
}

/* Warps with ready registers that wait for this port. */
static inline warp_set warps_ready(const struct sm *sm, enum port port)
{
    const struct warp_word *w = sm->word;
    return (warp_set)(w[1].wait[FOR_PORT] & w[1].need[port]) << 64 | (w[0].wait[FOR_PORT] & w[0].need[port]);
}

static inline warp_set warps_timed(const struct sm *sm)
{
    return (warp_set)sm->word[1].wait[FOR_TIME] << 64 | sm->word[0].wait[FOR_TIME];
}

#endif
