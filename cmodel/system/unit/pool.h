/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a table, by number: the one given back last is taken first. */
#ifndef MEMTWIN_POOL_H
#define MEMTWIN_POOL_H
#include <stdbool.h>
#include <stdint.h>

struct pool {
    uint32_t *free;
    uint32_t size, left;
};

/* To `size` places, from as many as there are; the new ones are taken lowest first.  False without memory. */
bool pool_grow(struct pool *p, uint32_t size);
void pool_free(struct pool *p);

/* The one that is taken next; there is one left. */
static inline uint32_t pool_next(const struct pool *p)
{
    return p->free[p->left - 1];
}

static inline uint32_t pool_take(struct pool *p)
{
    return p->free[--p->left];
}

static inline void pool_give(struct pool *p, uint32_t place)
{
    p->free[p->left++] = place;
}

static inline uint32_t pool_used(const struct pool *p)
{
    return p->size - p->left;
}
#endif
