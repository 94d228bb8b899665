/* SPDX-License-Identifier: Apache-2.0 */
/* SWL: static warp limit. */
#include "system/sm/warp_scheduler.h"

static warp_set limited(const struct sm *sm, struct scheduler *s, warp_set able)
{
    return able & warps_oldest(sm, s, sm->array->c->sm_swl_warps);
}

static const struct warp_scheduler swl = {
    .policy = {"swl", "static warp limit: greedy then oldest among the sm.swl_warps oldest warps"},
    .limits = true,
    .allow = limited,
    .choose = warp_greedy};
WARP_SCHEDULER_REGISTER(swl);
