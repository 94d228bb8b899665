/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/cache.h"

#include <inttypes.h>
#include <stdio.h>

bool cache_init(struct cache *c, struct env *env, const struct cache_setup *setup, struct error *err)
{
    struct tags_setup tags = setup->tags;
    *c = (struct cache){.n = setup->n,
                        .on_miss = setup->on_miss,
                        .fills_outlive = setup->fills_outlive,
                        .at_once = setup->at_once,
                        .filled = setup->filled,
                        .stall_around = stall_bypass_of(env->config, setup->cache)->around,
                        .port_bytes = setup->port_bytes};
    c->sectors = sectors_of(setup->tags.sector_bytes);
    snprintf(c->unit, sizeof c->unit, "%s", setup->unit);
    tags.unit = c->unit;
    tags.only = setup->gate;
    c->file = miss_file_create(env, setup->cache, c->unit, err);
    c->tags = c->file ? tags_create(env, &tags, err) : NULL;
    c->learns = c->tags && tags_learn(c->tags);
    c->hooked = setup->gate || c->learns;
    if (!ring_init_growing(&c->undrained, sizeof(uint64_t), 64)) return error_set(err, "%s: out of memory", c->unit);
    return c->tags && gate_open(&c->gate, setup->gate, env, setup->cache, c->unit, err);
}

void cache_free(struct cache *c)
{
    gate_close(&c->gate);
    tags_destroy(c->tags);
    miss_file_destroy(c->file);
    pool_free(&c->places);
    ring_free(&c->undrained);
}

bool cache_present(struct cache *c, uint64_t block, enum tag_state state, bool write, struct miss_answer *answer)
{
    c->place = pool_next(&c->places);
    c->state = state;
    /* mutant: false -> true: no file refuses to be asked: an mshr is always ready, a dl_mshr unless it walks, when the
     * request before still waits for its answer */
    if (!miss_file_request(c->file, block, c->place, write, answer)) return false;
    pool_take(&c->places); /* slots that drain before the answer return their places */
    c->presented = true;
    return true;
}

struct victim cache_take(struct cache *c, uint64_t block, enum tag_state state, enum tag_state as)
{
    struct victim v = {0};
    if (state == TAG_INVALID)
        v = tags_take(c->tags, block, as);
    else
        tags_take_sector(c->tags, block, as);
    *c->n.evictions += v.valid;
    return v;
}

struct victim cache_enter(struct cache *c, uint64_t block, enum tag_state state)
{
    const struct victim none = {0};
    if (state != TAG_INVALID && state != TAG_NO_SECTOR) return tags_touch(c->tags, block), none;
    if (state == TAG_INVALID && !tags_can_enter(c->tags, block)) return none;
    gate_entered(&c->gate);
    return cache_take(c, block, state, TAG_ONLY);
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

/* For a gate and learning policies.  Out of line: few caches have either, and inlining slows cache_answer(). */
static void __attribute__((noinline)) note_answer(struct cache *c, uint64_t block, bool primary)
{
    const bool only = primary && c->state == TAG_ONLY;
    if (only) gate_no_data(&c->gate);
    gate_access(&c->gate, only, !primary);
    cache_accept(c, block, !primary || c->state != TAG_INVALID);
}

uint64_t *cache_answer(struct cache *c, uint64_t block, enum mshr_result result, struct victim *victim)
{
    uint64_t *refused = refused_for(c, result);
    *victim = (struct victim){0};
    c->presented = false;
    if (refused) {
        pool_give(&c->places, c->place);
        return refused;
    }
    const bool primary = result == MSHR_PRIMARY;
    *c->n.sector_misses += primary && c->state != TAG_INVALID;
    if (c->on_miss && primary)
        *victim = cache_take(c, block, c->state, TAG_RESERVED);
    else if (c->on_miss)
        tags_touch(c->tags, block); /* allocate-on-fill: no way yet */
    if (c->hooked) note_answer(c, block, primary);
    return NULL;
}

void cache_lacks_data(const struct cache *c, uint64_t block, struct error *err)
{
    error_set(err, "%s: line 0x%" PRIx64 " is answered, but its data never came", c->unit,
              block_line(&c->sectors, block));
}

/* The MSHR file takes the block, or it waits for its turn. */
static bool give_file(struct cache *c, uint64_t block)
{
    if (!c->at_once) return miss_file_fill(c->file, block);
    uint64_t *place = ring_push(&c->undrained);
    if (place) *place = block;
    return place;
}

bool cache_fill(struct cache *c, uint64_t block, enum tag_state state, uint64_t now, struct victim *victim)
{
    *victim = (struct victim){0};
    if (c->fill_free > now || !give_file(c, block)) return false;
    cache_hold(c, &c->fill_free, c->sectors.bytes, now);
    if (state == TAG_INVALID || state == TAG_NO_SECTOR || state == TAG_ONLY)
        *victim = cache_take(c, block, state, c->filled);
    else if (c->on_miss && c->filled == TAG_VALID)
        tags_fill(c->tags, block);
    if (c->gate.kind) tags_data_comes(c->tags, block, block_words(&c->sectors, block));
    ++*c->n.fills;
    return true;
}

static bool drop_block(struct cache *c, uint64_t block, struct error *err)
{
    const enum tag_state state = tags_probe(c->tags, block);
    if (state == TAG_RESERVED && c->fills_outlive)
        tags_leave(c->tags, block);
    else if (state == TAG_RESERVED)
        error_set(err, "%s: line 0x%" PRIx64 " is dropped, but a request to it is in flight", c->unit,
                  block_line(&c->sectors, block));
    if (state == TAG_ONLY) tags_invalidate(c->tags, block);
    if (state != TAG_VALID && state != TAG_WRITTEN) return false;
    ++*c->n.dropped;
    return tags_invalidate(c->tags, block);
}

bool cache_drop_copy(struct cache *c, uint64_t block)
{
    const enum tag_state state = tags_probe(c->tags, block);
    if (state == TAG_RESERVED)
        tags_leave(c->tags, block);
    else if (state == TAG_VALID)
        tags_invalidate(c->tags, block);
    return state == TAG_RESERVED || state == TAG_VALID;
}

uint32_t cache_copied(struct cache *c, uint64_t block, struct error *err)
{
    enum tag_state state = tags_probe(c->tags, block);
    uint32_t lost = 0;
    if (state == TAG_RESERVED || (state == TAG_VALID && !tags_is_dirty(c->tags, block))) return 0;
    if (state != TAG_INVALID && state != TAG_NO_SECTOR) {
        lost = drop_block(c, block, err);
        state = tags_probe(c->tags, block);
    }
    if (state == TAG_NO_SECTOR)
        tags_take_sector(c->tags, block, TAG_VALID);
    else if (tags_can_reserve(c->tags, block))
        lost += (uint32_t)__builtin_popcount(tags_take(c->tags, block, TAG_VALID).dirty);
    else
        return lost;
    if (c->gate.kind) tags_data_comes(c->tags, block, block_words(&c->sectors, block));
    return lost;
}

uint32_t cache_drop(struct cache *c, uint64_t line, struct error *err)
{
    uint32_t dirty = 0;
    for (uint32_t i = 0; i <= c->sectors.last; i++) dirty += drop_block(c, block_of(&c->sectors, line, i), err);
    return dirty;
}
