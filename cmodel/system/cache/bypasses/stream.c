/* SPDX-License-Identifier: Apache-2.0 */
/* Bypasses all reads while the block stream_bypass selects bypass (cache/stream.h). */
#include "system/config/bypass_kind.h"

static bool stream_none(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    (void)c, (void)learner, (void)decider, (void)owner;
    return false;
}

static const struct bypass_kind stream = {
    .policy = {"stream", "all reads, while the block stream_bypass selects bypass"},
    .decide = stream_none,
    .streams = true};
BYPASS_KIND_REGISTER(stream);
