/* SPDX-License-Identifier: Apache-2.0 */
/* FIFO of fixed-size elements, used by every unit.  A bounded one allocates once: nothing below the SMs allocates
 * during a run. */
#ifndef MEMTWIN_RING_H
#define MEMTWIN_RING_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/host.h"

/* Half a line of the host's cache; places are bytes from `slots` on. */
struct ring {
    char *slots;
    uint32_t head, tail;   /* the oldest element; where the next one goes */
    uint32_t count, limit; /* elements; of ring_room() */
    uint32_t size, end;    /* of an element; of the memory */
};

bool ring_init(struct ring *r, size_t size, uint32_t limit);
/* Without a limit; it doubles when it is full. */
bool ring_init_growing(struct ring *r, size_t size, uint32_t room);
void ring_free(struct ring *r);
bool ring_grow(struct ring *r);

static inline bool ring_room(const struct ring *r)
{
    return r->count < r->limit;
}

/* Without a branch, which the host could not predict.  Nor does ring_push() or ring_pop() have one that depends on how
 * many elements there are. */
static inline uint32_t ring_next(const struct ring *r, uint32_t place)
{
    place += r->size;
    return place & -(uint32_t)(place != r->end);
}

/* The i-th oldest; i below `count`. */
static inline void *ring_at(const struct ring *r, uint32_t i)
{
    const uint32_t place = r->head + i * r->size;
    return r->slots + (place < r->end ? place : place - r->end);
}

/* A new element at the tail, to be written; NULL without memory, which only a push without ring_room() or into a
 * growing ring needs.
 */
static inline void *ring_push(struct ring *r)
{
    if (r->count * r->size == r->end && !ring_grow(r)) return NULL;
    const uint32_t place = r->tail;
    r->tail = ring_next(r, place);
    r->count++;
    return r->slots + place;
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
    if (!r->count) return NULL;
    char *oldest = r->slots + r->head;
    if (!oldest) __builtin_unreachable(); /* saves callers a second test of the result */
    return oldest;
}

/* The place of the oldest may be the next one's, so nobody reads it from here on.  An empty queue begins again with its
 * first place: a short one stays in the host's cache, however many elements pass through it. */
static inline void ring_pop(struct ring *r)
{
    const uint32_t kept = -(uint32_t)(--r->count != 0);
    r->head = ring_next(r, r->head) & kept;
    r->tail &= kept;
}
#endif
