/* SPDX-License-Identifier: Apache-2.0 */
/* Two-level: an active group, in turn. */
#include "system/sm/warp_scheduler.h"

/* A warp that waits for a load or at a barrier, or that the throttle holds back, leaves the active group; the next one
 * that does not, in the order of warp slots, takes its place. */
static void refill_group(const struct sm *sm, struct scheduler *s)
{
    warp_set able = warps_timed(sm);
    for (uint32_t i = 0; i < PORTS; i++) able |= warps_ready(sm, i);
    able &= s->mine & ~throttle_held(sm);
    *s->active &= able;
    warp_set pending = able & ~*s->active;
    for (uint32_t n = warp_count(*s->active); pending && n < sm->array->c->sm_two_level_group; n++) {
        uint32_t w = warp_next(pending, s->last);
        *s->active |= warp_bit(w);
        pending &= ~warp_bit(w);
    }
}

static warp_set active(const struct sm *sm, struct scheduler *s, warp_set able)
{
    refill_group(sm, s);
    return able & *s->active;
}

static uint32_t two_level_choose(const struct sm *sm, const struct scheduler *s, warp_set candidates)
{
    (void)sm;
    return warp_next(candidates, s->last);
}

static const struct warp_scheduler two_level = {
    .policy = {"two_level",
               "loose round-robin within an active group of sm.two_level_group warps without an outstanding load"},
    .allow = active,
    .choose = two_level_choose};
WARP_SCHEDULER_REGISTER(two_level);
