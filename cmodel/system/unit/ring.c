/* SPDX-License-Identifier: Apache-2.0 */
#include "system/unit/ring.h"

#include "base/arith.h"

bool ring_init_growing(struct ring *r, size_t size, uint32_t room)
{
    const uint32_t n = 1u << log2_ceil(room);
    *r = (struct ring){.slots = calloc(n, size), .size = (uint32_t)size, .mask = n - 1, .limit = UINT32_MAX};
    return r->slots;
}

bool ring_init(struct ring *r, size_t size, uint32_t limit)
{
    const bool ok = ring_init_growing(r, size, limit);
    r->limit = limit;
    return ok;
}

void ring_free(struct ring *r)
{
    free(r->slots);
}

bool ring_grow(struct ring *r)
{
    struct ring g;
    if (!ring_init_growing(&g, r->size, 2 * (r->mask + 1))) return false;
    for (; g.count < r->count; g.count++) memcpy(ring_at(&g, g.count), ring_at(r, g.count), r->size);
    g.limit = r->limit;
    ring_free(r);
    *r = g;
    return true;
}
