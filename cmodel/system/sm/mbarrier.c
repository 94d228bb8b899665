/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/mbarrier.h"

#include <stdlib.h>
#include <string.h>

/* Copies of a warp that arrive at an mbarrier together. */
struct arrival {
    uint32_t copies; /* in flight */
    uint8_t number;  /* of the mbarrier */
};

typedef uint32_t counts[INST_MBARRIERS];

struct mbarriers {
    counts *arrived; /* by place of the thread block */
    counts *needed;  /* by warp slot */
    struct arrival *arrival;
    struct pool places; /* of `arrival` */
};

void mbarriers_destroy(struct mbarriers *m)
{
    if (!m) return;
    free(m->arrived);
    free(m->needed);
    free(m->arrival);
    pool_free(&m->places);
    free(m);
}

static struct mbarriers *create(const struct config *c)
{
    struct mbarriers *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->arrived = calloc(c->sm_blocks, sizeof *m->arrived);
    m->needed = calloc(c->sm_warps, sizeof *m->needed);
    if (m->arrived && m->needed) return m;
    mbarriers_destroy(m);
    return NULL;
}

/* NULL and an error: no memory. */
static struct mbarriers *table_of(struct sm *sm)
{
    if (!sm->mbarriers) sm->mbarriers = create(sm->array->c);
    if (!sm->mbarriers) error_set(sm->array->error, "sm.%u: out of memory", sm->number);
    return sm->mbarriers;
}

static uint32_t *arrived_at(const struct sm *sm, const struct thread_block *b, uint8_t number)
{
    return &sm->mbarriers->arrived[b - sm->blocks][number];
}

static uint32_t *needed_by(const struct sm *sm, uint32_t w)
{
    return &sm->mbarriers->needed[w][sm->warps[w].inst.size];
}

static bool grow(struct mbarriers *m)
{
    const uint32_t n = m->places.size ? 2 * m->places.size : 64;
    struct arrival *arrival = realloc(m->arrival, n * sizeof *arrival);
    if (!arrival) return false;
    m->arrival = arrival;
    return pool_grow(&m->places, n);
}

/* Marks the warp's copies in flight that arrive nowhere yet; how many there are. */
static uint32_t mark_copies(struct sm *sm, uint32_t w, uint32_t arrival)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sm->load_places.size; i++) {
        struct load *l = &sm->loads[i];
        if (!l->remaining || !l->copy || l->warp != w || l->arrival) continue;
        l->arrival = arrival;
        n++;
    }
    return n;
}

bool mbarrier_arrive(struct sm *sm, uint32_t w)
{
    struct mbarriers *m = table_of(sm);
    struct warp *p = &sm->warps[w];
    /* mutant: false -> true: differs only when memory runs out */
    if (!m) return false;
    if (!m->places.left && !grow(m)) {
        error_set(sm->array->error, "sm.%u: out of memory", sm->number);
        return false;
    }
    const uint32_t place = pool_next(&m->places), copies = mark_copies(sm, w, place + 1);
    if (!copies) {
        ++*arrived_at(sm, p->block, p->inst.size);
        return true;
    }
    m->arrival[pool_take(&m->places)] = (struct arrival){copies, p->inst.size};
    p->block->arrivals++;
    return false;
}

bool mbarrier_copied(struct sm *sm, const struct load *l)
{
    struct mbarriers *m = sm->mbarriers;
    struct thread_block *b = sm->warps[l->warp].block;
    struct arrival *a = &m->arrival[l->arrival - 1];
    if (--a->copies) return false;
    ++*arrived_at(sm, b, a->number);
    b->arrivals--;
    pool_give(&m->places, l->arrival - 1);
    return true;
}

bool mbarrier_is_open(const struct sm *sm, uint32_t w)
{
    return *arrived_at(sm, sm->warps[w].block, sm->warps[w].inst.size) >= *needed_by(sm, w);
}

bool mbarrier_passes(struct sm *sm, uint32_t w)
{
    if (!table_of(sm)) return true;
    *needed_by(sm, w) += sm->warps[w].inst.count;
    return mbarrier_is_open(sm, w);
}

void mbarrier_give_up(struct sm *sm, uint32_t w)
{
    *needed_by(sm, w) = *arrived_at(sm, sm->warps[w].block, sm->warps[w].inst.size);
}

void mbarrier_warp_starts(struct sm *sm, uint32_t w)
{
    memset(sm->mbarriers->needed[w], 0, sizeof *sm->mbarriers->needed);
}

void mbarrier_block_ends(struct sm *sm, const struct thread_block *b)
{
    memset(sm->mbarriers->arrived[b - sm->blocks], 0, sizeof *sm->mbarriers->arrived);
}
