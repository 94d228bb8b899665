/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of every unit: first in, first out, elements of one size.  A bounded one allocates once: nothing below the
 * SMs allocates while a run goes on. */
#ifndef MEMTWIN_RING_H
#define MEMTWIN_RING_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ring {
    char *slots;
    uint32_t size, mask, head, count, limit;
};

bool ring_init(struct ring *r, size_t size, uint32_t limit);
/* Without a limit; it doubles when it is full. */
bool ring_init_growing(struct ring *r, size_t size, uint32_t room);
void ring_free(struct ring *r);
bool ring_grow(struct ring *r);

/* The i-th oldest; i up to `count`. */
static inline void *ring_at(const struct ring *r, uint32_t i)
{
    return r->slots + (size_t)((r->head + i) & r->mask) * r->size;
}

static inline bool ring_room(const struct ring *r)
{
    return r->count < r->limit;
}

/* Room at the tail; NULL without memory, where ring_room() does not hold or the ring grows. */
static inline void *ring_push(struct ring *r)
{
    if (r->count > r->mask && !ring_grow(r)) return NULL;
    return ring_at(r, r->count++);
}

/* Pushes a copy; false without memory. */
static inline bool ring_put(struct ring *r, const void *x)
{
    void *slot = ring_push(r);
    if (slot) memcpy(slot, x, r->size);
    return slot;
}

/* The oldest, or NULL. */
static inline void *ring_peek(const struct ring *r)
{
    return r->count ? r->slots + (size_t)r->head * r->size : NULL;
}

static inline void ring_pop(struct ring *r)
{
    r->head = (r->head + 1) & r->mask;
    r->count--;
}
#endif
