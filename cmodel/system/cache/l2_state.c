/* SPDX-License-Identifier: Apache-2.0 */
/* An L2 slice: its start and its end, and changes of its lines from outside a cycle. */
#include <stdio.h>
#include <stdlib.h>

#include "system/cache/l2_core.h"

static bool init_far(struct l2 *s, const struct config *c)
{
    if (c->l2_halves == 1) return true;
    s->far = host_calloc(1, sizeof *s->far);
    return s->far && l2_far_init(s->far, c);
}

static bool init(struct l2 *s, const struct config *c, struct dram *channel, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "l2.%u", s->slice);
    struct cache_setup setup = CACHE_SETUP(c, s->env->stats, l2);
    setup.unit = unit;
    setup.cache = MISS_L2;
    setup.filled = TAG_RESERVED;
    setup.tags.written = c->l2_write_miss == WRITE_MISS_LAZY;
    setup.gate = l2_bypass_of(c)->gate;
    setup.fills_outlive =
        c->l2_write_miss == WRITE_MISS_THROUGH; /* DRAM acknowledges the write before the line arrives */
    if (!cache_init(&s->cache, s->env, &setup, err)) return false;
    const struct miss_shape file = miss_kind_of(c, MISS_L2)->shape(c, MISS_L2);
    const uint32_t places = file.slots + 1; /* one more is being presented */
    const uint32_t writes =                 /* as many as there are places on the way to DRAM */
        c->l2_write_miss == WRITE_MISS_THROUGH ? c->l2_miss_queue + c->dram_front_queue + c->dram_queue + c->dram_banks
                                               /* mutant: 1 + 1: more memory than is needed */
                                               : 1;
    const bool bypasses = setup.gate || s->cache.stall_around;
    const uint32_t around = writes + (bypasses ? c->l2_bypass_slots : 0);
    s->waits = host_malloc(places * sizeof *s->waits);
    s->around = host_malloc(around * sizeof *s->around);
    bool ok = s->waits && pool_grow(&s->cache.places, places) && s->around && pool_grow(&s->passing, around) &&
              ring_init(&s->responses, sizeof(struct packet), c->l2_response_queue + c->l2_latency) &&
              l2_output_init(&s->output, s->env, s->slice, channel, file.lines + 1 + around) && init_far(s, c);
    if (!ok) return error_set(err, "%s: out of memory", unit);
    ok = l2_input_init(&s->input, s->env, s->slice, err);
    s->offered_room = max_u32(c->l2_input_free, s->cache.sectors.last + 1);
    s->hooked = s->input.block || s->cache.hooked || s->far;
    s->queues = c->l2_write_miss != WRITE_MISS_THROUGH && !s->cache.stall_around;
    return ok;
}

struct l2 *l2_create(struct env *env, uint32_t slice, struct dram *channel, const struct l2_client *client,
                     struct error *err)
{
    const struct config *c = env->config;
    struct l2 *s = host_calloc(1, sizeof *s);
    if (!s) return error_set(err, "l2.%u: out of memory", slice), NULL;
    *s = (struct l2){
        .env = env, .client = *client, .slice = slice, .latency = c->l2_latency, .now = {.wake = NEVER, .send = NEVER}};
    s->write_miss = (uint8_t)c->l2_write_miss;
    if (init(s, c, channel, err)) {
        s->now.response_limit = s->responses.limit;
        l2_show(s);
        return s;
    }
    l2_destroy(s);
    return NULL;
}

void l2_destroy(struct l2 *s)
{
    if (!s) return;
    l2_input_free(&s->input);
    ring_free(&s->responses);
    l2_output_free(&s->output);
    pool_free(&s->passing);
    if (s->far) l2_far_free(s->far);
    free(s->far);
    cache_free(&s->cache);
    free(s->waits);
    free(s->around);
    free(s);
}

/* No wake-up of a sleeping slice: no refusal depends on a valid line. */
bool l2_drop(struct l2 *s, uint64_t local)
{
    const uint32_t dirty = cache_drop(&s->cache, local, &s->error);
    /* mutant: left out: a refused head is refused again: the line leaves a free way, and neither the file nor a queue
     * changes */
    s->held = NULL;
    s->env->stats->l2_dropped_dirty += dirty;
    return dirty;
}

void l2_copied(struct l2 *s, uint64_t local, uint32_t sector)
{
    s->env->stats->l2_dropped_dirty += cache_copied(&s->cache, block_of(&s->cache.sectors, local, sector), &s->error);
    s->held = NULL;
}

bool l2_finish(struct l2 *s, uint64_t cycles, struct error *err)
{
    l2_sync(s, cycles);
    s->env->stats->l2_dirty_at_end += tags_count_dirty(s->cache.tags);
    if (s->error.text[0]) return error_set(err, "%s", s->error.text);
    if (s->env->cut) return true;
    if (pool_used(&s->cache.places))
        return error_set(err, "l2.%u: %u requests still in the MSHR file at the end, expected 0", s->slice,
                         pool_used(&s->cache.places));
    if (l2_busy(s) || s->responses.count) return error_set(err, "l2.%u: queues not empty at the end", s->slice);
    return true;
}
