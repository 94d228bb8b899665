/* SPDX-License-Identifier: Apache-2.0 */
/* SWL: static warp limit. */
#include "system/sm/warp_scheduler.h"

/* True if the warp is among the oldest sm.swl_warps of its scheduler.  Warps at a barrier do not count: otherwise the
 * limit could block the warps that the barrier waits for. */
static bool within_limit(const struct sm *sm, const struct scheduler *s, uint32_t w)
{
    uint32_t older = 0;
    for (warp_set o = s->mine & sm->resident & ~sm->at_barrier; o; o &= o - 1)
        older += sm->age[warp_first(o)] < sm->age[w];
    return older < sm->array->c->sm_swl_warps;
}

static warp_set limited(const struct sm *sm, struct scheduler *s, warp_set candidates)
{
    warp_set in = 0;
    for (; candidates; candidates &= candidates - 1) {
        uint32_t w = warp_first(candidates);
        if (within_limit(sm, s, w)) in |= warp_bit(w);
    }
    return in;
}

static const struct warp_scheduler swl = {
    .policy = {"swl", "static warp limit: greedy then oldest, of the sm.swl_warps oldest only"},
    .allow = limited,
    .choose = warp_greedy};
WARP_SCHEDULER_REGISTER(swl);
