/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-cores (sm.sub_cores): each warp scheduler has a unit of each kind.  A unit takes an instruction every `interval`
 * cycles; until then the scheduler's warps that need it wait.  Nvidia17 and Khairy20. */
#ifndef MEMTWIN_SUB_CORES_H
#define MEMTWIN_SUB_CORES_H
#include "system/sm/sm_state.h"

/* Busy units of each scheduler. */
struct busy_units {
    uint8_t kinds[MAX_SCHEDULERS];              /* bit u: unit u is busy in this cycle */
    uint64_t until[MAX_SCHEDULERS][UNIT_KINDS]; /* the first cycle in which it takes an instruction */
};

struct sub_cores {
    struct busy_units busy;
    uint64_t needs[UNIT_KINDS + 1]
                  [WARP_WORDS]; /* warps by the unit of their next instruction; the last set: without one */
    uint8_t of_warp[MAX_WARPS]; /* the set that a warp is in */
    uint32_t interval[UNIT_KINDS];
};

struct sub_cores *sub_cores_create(const struct config *c,
                                   struct error *err); /* NULL: sm.sub_cores is off, or an error */
void sub_cores_tick(struct sm *sm);                    /* units become free; before the schedulers of a cycle */
uint64_t sub_cores_wake(const struct sm *sm); /* the next cycle in which a unit that a ready warp needs is free */

/* The warp's next instruction needs this unit. */
static inline void sub_cores_sort(struct sub_cores *s, uint32_t w, uint8_t unit)
{
    const uint64_t bit = (uint64_t)1 << w % 64;
    s->needs[s->of_warp[w]][w / 64] &= ~bit;
    s->needs[unit][w / 64] |= bit;
    s->of_warp[w] = unit;
}

/* Of 64 warps, those whose unit is busy. */
static inline uint64_t sub_cores_held(const struct sub_cores *s, uint32_t scheduler, uint32_t word)
{
    uint64_t held = 0;
    for (uint32_t rest = s->busy.kinds[scheduler]; rest; rest &= rest - 1) held |= s->needs[__builtin_ctz(rest)][word];
    return held;
}

/* An instruction of the warp enters its unit. */
static inline void sub_cores_take(struct sm *sm, uint32_t scheduler, uint32_t w)
{
    struct sub_cores *s = sm->sub_cores;
    const uint8_t unit = s->of_warp[w];
    if (unit == UNIT_KINDS || s->interval[unit] == 1) return;
    s->busy.kinds[scheduler] |= (uint8_t)(1u << unit);
    s->busy.until[scheduler][unit] = sm->array->env->sm_cycle + s->interval[unit];
}
#endif
