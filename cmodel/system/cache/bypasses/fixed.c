/* SPDX-License-Identifier: Apache-2.0 */
/* Bypass decisions fixed by options. */
#include "system/config/bypass_kind.h"
#include "system/stats/workload_stats.h"

static bool fixed_none(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    (void)c, (void)learner, (void)decider, (void)owner;
    return false;
}

static bool from_warp(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    (void)learner, (void)decider;
    return owner >= c->l1d_bypass_from_warp;
}

static uint32_t so_many(const struct config *c, uint32_t workload)
{
    return workload < sizeof c->l1d_bypass_blocks / sizeof *c->l1d_bypass_blocks ? c->l1d_bypass_blocks[workload] : 0;
}

static const struct bypass_kind off = {.policy = {"off", "no read"}, .decide = fixed_none};
static const struct bypass_kind by_option = {.policy = {"static", "reads of owners from l1d.bypass.from_warp on"},
                                             .decide = from_warp};
static const struct bypass_kind by_number = {
    .policy = {"blocks", "reads of a fixed number of thread blocks per workload and SM (l1d.bypass.blocks)"},
    .decide = fixed_none,
    .blocks = so_many};
static const struct l2_bypass l2_off = {.policy = {"off", "no request"}};
L2_BYPASS_REGISTER(l2_off, .plain = true);
BYPASS_KIND_REGISTER(off, .plain = true);
BYPASS_KIND_REGISTER(by_option);
BYPASS_KIND_REGISTER(by_number);
