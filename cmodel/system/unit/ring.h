/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of things of one size, which grows when it must: what the SM side keeps in flight. */
#ifndef MEMTWIN_RING_H
#define MEMTWIN_RING_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ring {
    char *slots;
    uint32_t size, mask, head, count;
};

static inline bool ring_init(struct ring *r, uint32_t size, uint32_t room)
{
    uint32_t n = 1;
    while (n < room) n *= 2;
    *r = (struct ring){.slots = malloc((size_t)n * size), .size = size, .mask = n - 1};
    return r->slots;
}

static inline void *ring_at(const struct ring *r, uint32_t i)
{
    return r->slots + (size_t)((r->head + i) & r->mask) * r->size;
}

static inline bool ring_grow(struct ring *r)
{
    struct ring g;
    if (!ring_init(&g, r->size, 2 * (r->mask + 1))) return false;
    for (; g.count < r->count; g.count++) memcpy(ring_at(&g, g.count), ring_at(r, g.count), r->size);
    free(r->slots);
    *r = g;
    return true;
}

/* Room at the tail; NULL without memory. */
static inline void *ring_push(struct ring *r)
{
    if (r->count > r->mask && !ring_grow(r)) return NULL;
    return ring_at(r, r->count++);
}

/* The oldest, or NULL. */
static inline void *ring_peek(const struct ring *r)
{
    return r->count ? ring_at(r, 0) : NULL;
}

static inline void ring_pop(struct ring *r)
{
    r->head = (r->head + 1) & r->mask;
    r->count--;
}
#endif
