/* SPDX-License-Identifier: Apache-2.0 */
/* Bypass on reservation failure (Gu20, section 2.6.2). */
#include "system/config/bypass_kind.h"

static bool if_no_way(bool no_way)
{
    return no_way;
}

static bool always(bool no_way)
{
    (void)no_way;
    return true;
}

static const struct stall_bypass off = {.policy = {"off", "a refused read retries"}};
static const struct stall_bypass way = {
    .policy = {"way", "a read without a reservable way bypasses, if a bypass slot is free"}, .around = if_no_way};
static const struct stall_bypass any = {.policy = {"any", "a refused read bypasses, if a bypass slot is free"},
                                        .around = always};
STALL_BYPASS_REGISTER(off, .plain = true);
STALL_BYPASS_REGISTER(way);
STALL_BYPASS_REGISTER(any);
