/* SPDX-License-Identifier: Apache-2.0 */
/* The refused accesses of an L1D, the last one of each pipeline of its front (l1d_front.h): their counters, and whether
 * they are refused again, so that a machine may sleep. */
#include "system/cache/l1d_core.h"
#include "system/unit/unit.h"

/* Reports the first refusal of an access. */
static void note_refused(struct l1d *l, const struct access *a, struct refused *x)
{
    x->id = a->id;
    x->line = a->line;
    const struct request r = l1d_request(l, a);
    env_at(l->env, &r, AT_L1D_REFUSED, l->sm);
}

/* Counted once per cycle.  A request refused late by dl_mshr already passed the way and miss-queue checks; both still
 * hold at the retry. */
enum l1d_outcome l1d_refuse(struct l1d *l, const struct access *a, uint64_t *counter)
{
    struct refused *x = &l->refused[a->pipeline];
    const bool again = a->kind == REQUEST_READ && !a->bypass && !l->timed;
    cache_refuse(&l->cache, counter);
    x->counter = counter;
    x->inside = !a->bypass;
    l->refusals |= 1u << a->pipeline;
    l->stuck = (l->stuck & ~(1u << a->pipeline)) | (uint32_t)again << a->pipeline;
    l->refused_id = a->id;
    if (x->inside && bypass_learns(l->bypass)) bypass_failure(l->bypass);
    l->env->stats->l1d_rf_around += a->bypass;
    if (x->id != a->id) note_refused(l, a, x);
    return L1D_REFUSED;
}

/* A refusal of the MSHR file. */
static bool is_of_file(const struct l1d *l, const struct refused *x)
{
    return x->counter != l->cache.n.rf_line && x->counter != l->cache.n.rf_miss_queue;
}

/* An access refused last in its pipeline is refused again until the tag of its line or the cause of the refusal
 * changes. */
bool l1d_refuses_again(const struct l1d *l, uint32_t pipeline, uint64_t id)
{
    const struct refused *x = &l->refused[pipeline];
    /* mutant: 1 - 1: a refused access is then tried again in every cycle, with the same counters: slower */
    if (!(l->stuck >> pipeline & 1) || x->id != id) return false;
    if (is_of_file(l, x)) return miss_file_refuses_again(l->cache.file);
    return x->counter == l->cache.n.rf_line || !ring_room(&l->misses);
}

/* The MSHR file has changed. */
void l1d_unstick_file(struct l1d *l)
{
    for (uint32_t m = l->stuck; m; m &= m - 1)
        if (is_of_file(l, &l->refused[__builtin_ctz(m)])) l->stuck &= ~(m & -m);
}

/* A fill frees its line, and a way for others. */
void l1d_unstick(struct l1d *l, uint64_t line)
{
    for (uint32_t m = l->stuck; m; m &= m - 1) {
        const struct refused *x = &l->refused[__builtin_ctz(m)];
        if (x->counter == l->cache.n.rf_line || x->line == line) l->stuck &= ~(m & -m);
    }
}

uint32_t l1d_refusals(const struct l1d *l)
{
    return l->refusals;
}

void l1d_idle_refused(struct l1d *l, uint32_t pipeline, uint64_t cycles)
{
    const struct refused *x = &l->refused[pipeline];
    *x->counter += cycles;
    if (x->inside)
        bypass_idle(l->bypass, cycles);
    else
        l->env->stats->l1d_rf_around += cycles;
}
