/* SPDX-License-Identifier: Apache-2.0 */
#include "system/unit/ring.h"

bool ring_init(struct ring *r, size_t size, uint32_t limit)
{
    *r = (struct ring){
        .slots = host_malloc(limit * size), .limit = limit, .size = (uint32_t)size, .end = limit * (uint32_t)size};
    return r->slots;
}

bool ring_init_growing(struct ring *r, size_t size, uint32_t room)
{
    const bool ok = ring_init(r, size, room);
    r->limit = UINT32_MAX;
    return ok;
}

void ring_free(struct ring *r)
{
    free(r->slots);
}

bool ring_grow(struct ring *r)
{
    struct ring g;
    if (!ring_init(&g, r->size, 2 * (r->end / r->size))) return false;
    for (uint32_t i = 0; i < r->count; i++) memcpy(ring_push(&g), ring_at(r, i), r->size);
    g.limit = r->limit;
    ring_free(r);
    *r = g;
    return true;
}
