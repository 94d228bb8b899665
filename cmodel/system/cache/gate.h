/* SPDX-License-Identifier: Apache-2.0 */
/* The gate of a cache (gate_kind.h), if it has one; else the cache is always open, and these functions do nothing.
 *
 * A line that enters the tags while the cache is closed has no data: TAG_ONLY (tags.h).  It is a hit for the gate, and
 * a miss for an access when the cache is open.  With `drop` there is no such bit: clean lines of a closed cache count
 * as lines without data, and all are dropped when it opens. */
#ifndef MEMTWIN_GATE_H
#define MEMTWIN_GATE_H
#include "base/arith.h"
#include "system/cache/tags.h"
#include "system/config/gate_kind.h"
#include "system/unit/unit.h"

struct gate {
    const struct gate_kind *kind; /* NULL: none */
    void *state;
    bool closed, drop; /* closed: in the owner's cycle */
};

static inline bool gate_open(struct gate *g, const struct gate_kind *kind, struct env *env, enum miss_cache cache,
                             const char *unit, struct error *err)
{
    if (!kind) return true;
    *g = (struct gate){.kind = kind, .drop = kind->drops(env->config, cache)};
    g->state = kind->create(env, cache, unit, err);
    return g->state;
}

static inline void gate_close(struct gate *g)
{
    if (g->state) g->kind->destroy(g->state);
}

/* Sets `closed` for cycle `now`; true: the cache has been opened. */
static inline bool gate_begin(struct gate *g, uint64_t now)
{
    if (!g->kind) return false;
    const bool was = g->closed;
    g->closed = g->kind->begin(g->state, now);
    return was && !g->closed;
}

static inline void gate_access(const struct gate *g, bool hit, bool merge)
{
    if (g->kind) g->kind->access(g->state, hit, merge);
}

/* A read that bypasses the closed cache: the result of its tag lookup. */
static inline enum place gate_look_up(const struct gate *g, enum tag_state state)
{
    const bool hit = state == TAG_VALID || state == TAG_ONLY, merge = state == TAG_RESERVED;
    gate_access(g, hit, merge);
    return hit ? AT_L1D_HIT : merge ? AT_L1D_MERGE : AT_L1D_MISS;
}

static inline void gate_entered(const struct gate *g)
{
    if (g->kind) g->kind->entered(g->state);
}

static inline void gate_no_data(const struct gate *g)
{
    if (g->kind) g->kind->no_data(g->state);
}

/* The clock edge of cycle `now`. */
static inline bool gate_end(const struct gate *g, uint64_t now, struct error *err)
{
    return !g->kind || g->kind->end(g->state, now, err);
}

static inline void gate_idle(const struct gate *g, uint64_t cycles)
{
    if (g->closed) g->kind->idle(g->state, cycles);
}

/* The sooner of `wake` and the cycle in which the cache may open or close. */
static inline uint64_t gate_wake(const struct gate *g, uint64_t wake)
{
    return g->kind ? min_u64(wake, g->kind->wake(g->state)) : wake;
}
#endif
