/* SPDX-License-Identifier: Apache-2.0 */
/* State reports of an L1D: counts, and requests in flight. */
#include <stdio.h>

#include "system/cache/l1d_core.h"
#include "system/config/bypass_kind.h"
#include "system/config/replacement_kind.h"
#include "system/stats/law.h"

void l1d_holds(const struct l1d *l, struct l1d_held *h)
{
    *h = (struct l1d_held){
        .reads = pool_used(&l->cache.places) - l->cache.presented, .writes = l->writes, .to_send = l->misses.count};
}

bool l1d_quiet(const struct l1d *l)
{
    return !pool_used(&l->cache.places) && !l->writes && !l->misses.count && !l->responses.count && !l->cache.presented;
}

uint64_t l1d_sent(const struct l1d *l)
{
    return l->sent;
}

uint64_t l1d_received(const struct l1d *l)
{
    return l->received;
}

void l1d_describe(const struct l1d *l, char *text, size_t size)
{
    snprintf(text, size, "%u reads and atomics and %u writes in flight, %u in the miss queue, %u MSHR slots in use",
             pool_used(&l->cache.places), l->writes, l->misses.count, miss_file_used_slots(l->cache.file));
}

bool l1d_laws_hold(const struct env *env, struct error *err)
{
    const struct config *c = env->config;
    const struct stats *s = env->stats;
    const struct law laws[] = {
        {"l1d.accesses = hits + misses + merged + bypassed + writes", true, s->l1d_accesses, LAW_EQUAL,
         s->l1d_hits + s->l1d_misses + s->l1d_merged + s->l1d_bypassed + s->l1d_writes},
        {"l1d.sector_misses <= l1d.misses", true, s->l1d_sector_misses, LAW_AT_MOST, s->l1d_misses},
        {"l1d.evictions = 0 with l1d.unbounded", c->l1d_unbounded, s->l1d_evictions, LAW_EQUAL, 0},
    };
    return laws_hold("", LAWS(laws), err) && policy_laws_hold("replacement", c, s, err) &&
           policy_laws_hold("L1D bypass", c, s, err);
}
