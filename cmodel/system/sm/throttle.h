/* SPDX-License-Identifier: Apache-2.0 */
/* Throttles: a file of throttles/ each (config/policy.h), whose name is a value of sm.throttle.  A throttle masks warps
 * before the warp scheduler selects (may_issue()): all their instructions, or their global loads.  Warps of a thread
 * block wait for each other at barriers: a throttle that limits warps must not count those that wait there
 * (warps_oldest() in warp_scheduler.h). */
#ifndef MEMTWIN_THROTTLE_H
#define MEMTWIN_THROTTLE_H
#include "system/config/policy.h"
#include "system/sm/scoreboard.h"

struct throttle {
    struct policy policy;
    struct sm_hooks hooks;
};

/* Warps whose next instruction is a global load, and ready.  For throttles with may_issue(). */
static inline warp_set throttle_ready_loads(const struct sm *sm)
{
    return warps_ready(sm, PORT_LSU) & sm->load_next;
}

/* Warps that throttles prevent from issuing their next instruction. */
static inline warp_set throttle_held(const struct sm *sm)
{
    warp_set held = 0;
    SM_EACH (l, &sm->array->events, may_issue) held |= ~l->hooks->may_issue(l->state, sm);
    return held;
}

#define THROTTLE_REGISTER(...) POLICY_REGISTER("throttle", __VA_ARGS__)
#endif
