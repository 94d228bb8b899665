/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/cache.h"

#include <inttypes.h>
#include <stdio.h>

bool cache_init(struct cache *c, struct env *env, const struct cache_setup *setup, struct error *err)
{
    struct tags_setup tags = setup->tags;
    *c = (struct cache){.n = setup->n, .on_miss = setup->on_miss, .filled = setup->filled};
    snprintf(c->unit, sizeof c->unit, "%s", setup->unit);
    tags.unit = c->unit;
    c->file = miss_file_create(env, setup->cache, c->unit, err);
    c->tags = c->file ? tags_create(env, &tags, err) : NULL;
    return c->tags;
}

void cache_free(struct cache *c)
{
    tags_destroy(c->tags);
    miss_file_destroy(c->file);
    pool_free(&c->places);
}

bool cache_present(struct cache *c, uint64_t line, bool write, struct miss_answer *answer)
{
    c->place = pool_next(&c->places);
    if (!miss_file_request(c->file, line, c->place, write, answer)) return false;
    pool_take(&c->places); /* slots that drain before the answer return theirs */
    c->presented = true;
    return true;
}

struct victim cache_take_way(struct cache *c, uint64_t line, enum tag_state as)
{
    const struct victim v = tags_take(c->tags, line, as);
    *c->n.evictions += v.valid;
    return v;
}

static uint64_t *refused_for(const struct cache *c, enum mshr_result result)
{
    switch (result) {
    case MSHR_RF_ENTRY:
        return c->n.rf_mshr_entry;
    case MSHR_RF_MERGE:
        return c->n.rf_mshr_merge;
    case MSHR_RF_DRAIN:
        return c->n.rf_mshr_drain;
    case MSHR_PRIMARY:
    case MSHR_SECONDARY:
        break;
    }
    return NULL;
}

uint64_t *cache_answer(struct cache *c, uint64_t line, enum mshr_result result, struct victim *victim)
{
    uint64_t *refused = refused_for(c, result);
    *victim = (struct victim){0};
    c->presented = false;
    if (refused)
        pool_give(&c->places, c->place);
    else if (c->on_miss && result == MSHR_PRIMARY)
        *victim = cache_take_way(c, line, TAG_RESERVED);
    else if (c->on_miss)
        tags_touch(c->tags, line); /* on fill it has no way yet */
    return refused;
}

bool cache_fill(struct cache *c, uint64_t line, enum tag_state state, struct victim *victim)
{
    *victim = (struct victim){0};
    if (!miss_file_fill(c->file, line)) return false;
    if (state == TAG_INVALID)
        *victim = cache_take_way(c, line, c->filled);
    else if (c->on_miss && c->filled == TAG_VALID)
        tags_fill(c->tags, line);
    ++*c->n.fills;
    return true;
}

bool cache_drop(struct cache *c, uint64_t line, struct error *err)
{
    const enum tag_state state = tags_probe(c->tags, line);
    if (state == TAG_RESERVED)
        error_set(err, "%s: line 0x%" PRIx64 " is dropped, but a request to it is in flight", c->unit, line);
    if (state != TAG_VALID) return false;
    ++*c->n.dropped;
    return tags_invalidate(c->tags, line);
}
