/* SPDX-License-Identifier: Apache-2.0 */
/* GTO: greedy, then oldest. */
#include "system/sm/warp_scheduler.h"

static const struct warp_scheduler gto = {
    .policy = {"gto", "greedy then oldest: the warp that issued last, else the oldest warp"}, .choose = warp_greedy};
WARP_SCHEDULER_REGISTER(gto);
