/* SPDX-License-Identifier: Apache-2.0 */
/* An L1D from start to end, what others do to its lines, and state reports: counts, and requests in flight. */
#include <stdio.h>
#include <stdlib.h>

#include "system/cache/l1d_core.h"
#include "system/config/bypass_kind.h"
#include "system/config/replacement_kind.h"
#include "system/stats/law.h"

bool l1d_more_flights(struct l1d *l)
{
    const uint32_t old = l->cache.places.size, n = old ? 2 * old : 64;
    struct flight *flights = realloc(l->flights, n * sizeof *flights);
    if (flights) l->flights = flights;
    /* mutant: > -> >=: sixteen million requests in flight, which no run can have */
    if (!flights || n > 1u << MISS_INFO_BITS || !pool_grow(&l->cache.places, n))
        return error_set(&l->fault, "l1d.%u: too many in flight", l->sm);
    for (uint32_t i = old; i < n; i++) flights[i].used = false;
    return true;
}

void l1d_destroy(struct l1d *l)
{
    if (!l) return;
    cache_free(&l->cache);
    bypass_destroy(l->bypass);
    free(l->flights);
    ring_free(&l->misses);
    ring_free(&l->responses);
    /* mutant: left out: a leak: the sanitized run of `make test` finds it */
    ring_free(&l->hits);
    free(l);
}

struct l1d *l1d_create(struct env *env, uint32_t sm, struct error *err)
{
    const struct config *c = env->config;
    struct l1d *l = host_calloc(1, sizeof *l);
    if (!l) return error_set(err, "l1d.%u: out of memory", sm), NULL;
    *l = (struct l1d){.env = env, .c = c, .sm = sm, .refused_id = L1D_NO_ACCESS};
    for (uint32_t i = 0; i < L1D_WIDTH; i++) l->refused[i].id = L1D_NO_ACCESS;
    l->allocates = config_writes_allocate(c);
    char unit[32];
    snprintf(unit, sizeof unit, "l1d.%u", sm);
    struct cache_setup setup = CACHE_SETUP(c, env->stats, l1d);
    setup.unit = unit;
    setup.cache = MISS_L1D;
    setup.filled = TAG_VALID;
    setup.tags.written = l->allocates;
    setup.gate = bypass_kind_of(c)->gate;
    setup.at_once = c->l1d_fill == FILL_AT_ONCE;
    l->bypass = bypass_create(env, sm, err);
    const bool ok = cache_init(&l->cache, env, &setup, err) && l->bypass &&
                    ring_init(&l->misses, sizeof(struct request), c->l1d_miss_queue) &&
                    ring_init_growing(&l->responses, sizeof(struct request), 64) &&
                    ring_init(&l->hits, sizeof(struct hit), (l1d_latency(c) + 1) * l1d_width(c)) && l1d_more_flights(l);
    l->timed = l->cache.hooked || l->cache.stall_around;
    l->around = ok && bypass_learns(l->bypass);
    l->restless = l->timed || l->around;
    if (ok) return l;
    error_set(err, "%s: out of memory", unit);
    l1d_destroy(l);
    return NULL;
}

void l1d_listen(struct l1d *l, const struct l1d_listener *listener)
{
    l->listener = listener;
}

void l1d_flush(struct l1d *l)
{
    l->stuck = 0;
    tags_flush(l->cache.tags);
    bypass_flush(l->bypass);
}

void l1d_resize(struct l1d *l, uint32_t ways)
{
    if (pool_used(&l->cache.places))
        error_set(&l->fault, "l1d.%u: gets %u ways with %u reads in flight, expected none", l->sm, ways,
                  pool_used(&l->cache.places));
    else
        tags_resize(l->cache.tags, ways);
    l1d_flush(l);
}

void l1d_flush_where(struct l1d *l, uint64_t mask, uint64_t bits)
{
    l->stuck = 0;
    tags_flush_where(l->cache.tags, mask, bits);
}

bool l1d_flush_workload(struct l1d *l, uint32_t workload)
{
    l->stuck = 0;
    return tags_flush_workload(l->cache.tags, workload);
}

void l1d_forget(struct l1d *l, uint8_t warp)
{
    tags_forget(l->cache.tags, warp);
}

void l1d_drop(struct l1d *l, uint64_t line)
{
    l->stuck = 0;
    cache_drop(&l->cache, line, &l->fault);
}

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
