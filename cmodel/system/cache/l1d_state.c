/* SPDX-License-Identifier: Apache-2.0 */
/* State reports of an L1D: counts, and requests in flight. */
#include <stdio.h>

#include "system/cache/l1d_core.h"

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
