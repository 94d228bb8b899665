/* SPDX-License-Identifier: Apache-2.0 */
/* Bypasses all reads while the block stream_bypass selects bypass (cache/stream.h). */
#include "system/config/bypass_kind.h"
#include "system/stats/law.h"
#include "system/stats/stats.h"

static bool stream_none(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    (void)c, (void)learner, (void)decider, (void)owner;
    return false;
}

static bool stream_laws(const struct config *c, const struct stats *s, struct error *err)
{
    (void)c;
    const struct law laws[] = {
        {"l1d.stream.accesses = l1d hits + misses + merged + bypassed", true, s->l1d_stream_accesses, LAW_EQUAL,
         s->l1d_accesses - s->l1d_writes},
    };
    return laws_hold("", LAWS(laws), err);
}

static const struct bypass_kind stream = {
    .policy = {"stream", "all reads, while the block stream_bypass selects bypass"},
    .decide = stream_none,
    .laws = stream_laws,
    .streams = true};
BYPASS_KIND_REGISTER(stream);
