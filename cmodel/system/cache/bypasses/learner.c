/* SPDX-License-Identifier: Apache-2.0 */
/* Bypasses reads of thread blocks that the block bypass_learner tags at their start (sm/pair.c). */
#include "system/config/bypass_kind.h"

static bool learner_none(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    (void)c, (void)learner, (void)decider, (void)owner;
    return false;
}

static const struct bypass_kind by_learner = {
    .policy = {"learner", "reads of the thread blocks tagged by the block bypass_learner, of one of two workloads"},
    .decide = learner_none,
    .of_blocks = true};
BYPASS_KIND_REGISTER(by_learner, .blocks = {"tlp_modulator", "bypass_learner"},
                     .when = "workloads!=1; l1d.bypass.mode=learner");
