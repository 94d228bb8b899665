/* SPDX-License-Identifier: Apache-2.0 */
/* LRR: loose round-robin. */
#include "system/sm/warp_scheduler.h"

static uint32_t lrr_choose(const struct sm *sm, const struct scheduler *s, warp_set candidates)
{
    (void)sm;
    return warp_next(candidates, s->last);
}

static const struct warp_scheduler lrr = {.policy = {"lrr", "loose round-robin over warp slots"}, .choose = lrr_choose};
WARP_SCHEDULER_REGISTER(lrr);
