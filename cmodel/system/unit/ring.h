/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of every unit: first in, first out, elements of one size.  A bounded one allocates once: nothing below the
 * SMs allocates while a run goes on. */
#ifndef MEMTWIN_RING_H
#define MEMTWIN_RING_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/host.h"

struct ring {
    char *head;         /* the oldest element */
    uint32_t count;     /* elements */
    uint32_t limit;     /* of ring_room() */
    char *tail;         /* where the next element goes */
    uint32_t size;      /* bytes of an element */
    uint32_t allocated; /* elements for which there is memory */
    char *slots, *end;  /* the memory; behind it */
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

static inline char *ring_next(const struct ring *r, char *slot)
{
    slot += r->size;
    return slot == r->end ? r->slots : slot;
}

/* The i-th oldest; i below `count`. */
static inline void *ring_at(const struct ring *r, uint32_t i)
{
    char *slot = r->head + (size_t)i * r->size;
    return slot < r->end ? slot : slot - (r->end - r->slots);
}

/* A new element at the tail, to be written; NULL without memory, which only a push without ring_room() or into a
 * growing ring needs.
 */
static inline void *ring_push(struct ring *r)
{
    if (r->count == r->allocated && !ring_grow(r)) return NULL;
    char *slot = r->tail;
    r->tail = ring_next(r, slot);
    r->count++;
    return slot;
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
    return r->count ? r->head : NULL;
}

/* The place of the oldest may be the next one's, so nobody reads it from here on.  An empty queue begins again with its
 * first place: a short one stays in the host's cache, however many elements pass through it. */
static inline void ring_pop(struct ring *r)
{
    char *next = ring_next(r, r->head);
    if (--r->count == 0) next = r->tail = r->slots;
    r->head = next;
}
#endif
