/* SPDX-License-Identifier: Apache-2.0 */
/* LRU order of numbered units (pages, 64 KiB blocks or 2 MiB trees), in constant time. */
#ifndef MEMTWIN_UVM_LRU_H
#define MEMTWIN_UVM_LRU_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LRU_NONE UINT32_MAX

struct lru {
    uint32_t *older, *newer; /* doubly linked list */
    bool *listed;
    uint32_t oldest, newest, count;
};

static inline bool lru_init(struct lru *l, uint32_t count)
{
    *l = (struct lru){.older = calloc(count, sizeof *l->older),
                      .newer = calloc(count, sizeof *l->newer),
                      .listed = calloc(count, sizeof *l->listed),
                      .oldest = LRU_NONE,
                      .newest = LRU_NONE};
    return l->older && l->newer && l->listed;
}

static inline void lru_free(struct lru *l)
{
    free(l->older);
    free(l->newer);
    free(l->listed);
}

static inline void lru_remove(struct lru *l, uint32_t i)
{
    if (!l->listed[i]) return;
    uint32_t older = l->older[i], newer = l->newer[i];
    *(older == LRU_NONE ? &l->oldest : &l->newer[older]) = newer;
    *(newer == LRU_NONE ? &l->newest : &l->older[newer]) = older;
    l->listed[i] = false;
    l->count--;
}

/* Makes it the most recent one; inserts it if absent. */
static inline void lru_touch(struct lru *l, uint32_t i)
{
    if (l->newest == i) return;
    lru_remove(l, i);
    l->older[i] = l->newest;
    l->newer[i] = LRU_NONE;
    *(l->newest == LRU_NONE ? &l->oldest : &l->newer[l->newest]) = i;
    l->newest = i;
    l->listed[i] = true;
    l->count++;
}
#endif
