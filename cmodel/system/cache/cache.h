/* SPDX-License-Identifier: Apache-2.0 */
/* Common part of an L1D and an L2 slice: tags, MSHR file, the table of requests waiting in it, the ports, and the
 * optional gate (gate.h).  The owner is the L1D or the slice.
 *
 * The unit is a block: a line, or a sector of one (sectors.h).  Victims and drops are whole lines.
 *
 * A hit is cache_hit().  A miss takes three steps.  cache_obstacle() checks for a way and a place in the miss queue.
 * cache_present() presents it to the MSHR file.  cache_answer() takes the answer, in the same cycle or in a later one.
 * An accepted request keeps its place in the table, which is the file's info for it, until its slot drains and the
 * owner returns the place.  cache_fill() presents data that came back.
 *
 * `on_miss` selects when a block gets its way: with the answer, or with the data.  `filled` selects when it becomes
 * valid: with the data (TAG_VALID), or when the owner calls tags_fill() after the last slot (TAG_RESERVED).
 *
 * A cycle: cache_begin(); hits, misses, answers, slots, fills; cache_end().  After a cycle that changed nothing but
 * counters, cache_idle() counts more cycles like it.
 *
 * The owner has the rest: queues to both sides, writes, bypasses, and its own refusals. */
#ifndef MEMTWIN_CACHE_H
#define MEMTWIN_CACHE_H
#include "base/arith.h"
#include "base/host.h"
#include "system/cache/gate.h"
#include "system/cache/miss_file.h"
#include "system/cache/tags.h"
#include "system/config/bypass_kind.h"
#include "system/unit/pool.h"
#include "system/unit/ring.h"

struct cache_counters {
    uint64_t *dropped;
    uint64_t *rf_line, *rf_miss_queue, *rf_mshr_entry, *rf_mshr_merge, *rf_mshr_drain;
    uint64_t *evictions, *fills, *sector_misses;
    uint64_t *slot_cycles, *slots_peak; /* both in every cycle */
};

struct cache_setup {
    const char *unit;             /* "l1d.3"; copied */
    struct tags_setup tags;       /* tags.only: with a gate */
    const struct gate_kind *gate; /* NULL: none */
    enum miss_cache cache;
    bool on_miss, fills_outlive; /* fills_outlive: a block may be dropped while it is fetched */
    bool at_once;                /* data are taken while the MSHR file drains another block */
    enum tag_state filled;
    uint32_t port_bytes;
    struct cache_counters n;
};

/* Setup from the options and counters of `x`: l1d or l2. */
#define CACHE_SETUP(c, s, x)                                                                                           \
    {                                                                                                                  \
        .tags = {(c)->x##_sets,         (c)->x##_ways, (c)->x##_index, (c)->x##_replacement, NULL,                     \
                 (c)->x##_sector_bytes, false,         false,          (c)->x##_unbounded},                            \
        .on_miss = (c)->x##_alloc == ALLOC_ON_MISS, .port_bytes = (c)->x##_port_bytes, .n = {                          \
            .evictions = &(s)->x##_evictions,                                                                          \
            .fills = &(s)->x##_fills,                                                                                  \
            .dropped = &(s)->x##_dropped,                                                                              \
            .rf_line = &(s)->x##_rf_line,                                                                              \
            .rf_miss_queue = &(s)->x##_rf_miss_queue,                                                                  \
            .rf_mshr_entry = &(s)->x##_rf_mshr_entry,                                                                  \
            .rf_mshr_merge = &(s)->x##_rf_mshr_merge,                                                                  \
            .rf_mshr_drain = &(s)->x##_rf_mshr_drain,                                                                  \
            .slot_cycles = &(s)->x##_mshr_slot_cycles,                                                                 \
            .slots_peak = &(s)->x##_mshr_slots_peak,                                                                   \
            .sector_misses = &(s)->x##_sector_misses                                                                   \
        }                                                                                                              \
    }

/* The fields from the last counters to the first ones of the gate are read in every cycle: two of the host's cache
 * lines. */
struct cache {
    _Alignas(HOST_LINE) struct cache_counters n;
    struct sectors sectors;
    uint32_t place;       /* of the request presented */
    enum tag_state state; /* state of its block when it was presented */
    enum tag_state filled;

    struct miss_file *file;
    struct tags *tags;
    uint64_t *refusal; /* counter of this cycle's refusal, or NULL */
    bool changed;      /* in this cycle: a change other than refusal counters */
    bool presented;    /* the MSHR file owes an answer */
    bool learns;       /* tags_learn() */
    bool again;        /* the policy has seen the line of the access: by a sector looked up with it */
    bool hooked;       /* a gate or learning tags see every cycle */
    bool on_miss, fills_outlive, at_once;
    uint32_t port_bytes;           /* bytes per cycle of a port; 0: unlimited */
    uint64_t data_free, fill_free; /* first cycles in which the ports are free */
    struct gate gate;
    bool (*stall_around)(bool no_way); /* stall_bypass.around */
    struct pool places;                /* of the owner's table of requests; the owner grows it */
    struct ring undrained;             /* uint64_t: with at_once, blocks to be drained */
    char unit[32];
};

bool cache_init(struct cache *c, struct env *env, const struct cache_setup *setup, struct error *err);
void cache_free(struct cache *c);

/* Cycle `now`.  True: the cache has opened, and the owner must drop all clean lines (gate.drop). */
static inline bool cache_begin(struct cache *c, uint64_t now)
{
    c->changed = false;
    c->refusal = NULL;
    return c->hooked && gate_begin(&c->gate, now) && c->gate.drop;
}

/* Occupies a port for `bytes` bytes from cycle `now` on. */
static inline void cache_hold(const struct cache *c, uint64_t *free, uint32_t bytes, uint64_t now)
{
    if (c->port_bytes) *free = now + ceil_div(bytes, c->port_bytes);
}

/* The sooner of `wake` and the next cycle in which a held port is free or the gate may open or close. */
static inline uint64_t cache_wake(const struct cache *c, uint64_t now, uint64_t wake)
{
    wake = gate_wake(&c->gate, wake);
    if (c->learns) wake = min_u64(wake, tags_wake(c->tags));
    if (!c->port_bytes) return wake;
    if (c->data_free > now) wake = min_u64(wake, c->data_free);
    return c->fill_free > now ? min_u64(wake, c->fill_free) : wake;
}

/* Counts a refusal, of the cache or of its owner. */
static inline void cache_refuse(struct cache *c, uint64_t *counter)
{
    ++*counter;
    c->refusal = counter;
}

/* Whether a read miss refused with this counter bypasses the cache (bypass.on_stall). */
static inline bool cache_stalls_around(const struct cache *c, const uint64_t *counter)
{
    return c->stall_around && c->stall_around(counter == c->n.rf_line);
}

/* Checks a miss of this block, in this state, before the MSHR file: the counter of its refusal, or NULL.  `room`: free
 * miss queue entries suffice. */
static inline uint64_t *cache_obstacle(const struct cache *c, uint64_t block, enum tag_state state, bool room)
{
    if (state == TAG_INVALID && c->on_miss && !tags_can_reserve(c->tags, block)) return c->n.rf_line;
    return room ? NULL : c->n.rf_miss_queue;
}

/* Presents the miss to the MSHR file; false if it is not ready.  The answer may be available at once.  Requires a free
 * place. */
bool cache_present(struct cache *c, uint64_t block, enum tag_state state, bool write, struct miss_answer *answer);

/* Takes a block of this state, in the way of its line or in a new one.  Returns the victim: the line that was in the
 * new way. */
struct victim cache_take(struct cache *c, uint64_t block, enum tag_state state, enum tag_state as);
/* Updates the tag for an access that bypasses the closed cache: touches it, or enters it without data (TAG_ONLY) if
 * tags_can_enter().  Returns the victim, if it was entered. */
struct victim cache_enter(struct cache *c, uint64_t block, enum tag_state state);
/* Takes the answer to the request presented.  Refused: the counter of the refusal, and the place is returned. Accepted:
 * NULL; a primary miss gets its way, if lines get theirs on a miss. */
uint64_t *cache_answer(struct cache *c, uint64_t block, enum mshr_result result, struct victim *victim);
/* Presents data that came back; false while the fill port is held or, without at_once, the MSHR file drains another
 * block.  `state`: the block's, before. */
bool cache_fill(struct cache *c, uint64_t block, enum tag_state state, uint64_t now, struct victim *victim);
/* With at_once, after the fills of a cycle: presents the oldest block to the MSHR file. */
static inline void cache_drain(struct cache *c)
{
    const uint64_t *block = c->at_once ? ring_peek(&c->undrained) : NULL;
    if (block && miss_file_fill(c->file, *block)) ring_pop(&c->undrained);
}
/* The line leaves without a write-back; no request to it may be in flight.  Returns how many of its blocks were dirty.
 */
uint32_t cache_drop(struct cache *c, uint64_t line, struct error *err);

/* A copy of a block of the other half leaves (l2_far.h); one that is being fetched, when it comes.  True: there was
 * one.
 */
bool cache_drop_copy(struct cache *c, uint64_t block);

/* A copy from the host leaves this block valid and clean, unless it is being fetched or no way can be taken.  Returns
 * how many dirty blocks were lost. */
uint32_t cache_copied(struct cache *c, uint64_t block, struct error *err);

/* tags_protect(), tags_accept() and tags_whose() of tags that learn; of others nothing. */
static inline bool cache_protects(const struct cache *c, uint64_t block)
{
    return c->learns && tags_protect(c->tags, block);
}

static inline void cache_accept(const struct cache *c, uint64_t block, bool hit)
{
    if (c->learns && !c->again) tags_accept(c->tags, block, hit);
}

static inline void cache_whose(const struct cache *c, uint32_t workload)
{
    if (c->learns) tags_whose(c->tags, workload);
}

void cache_lacks_data(const struct cache *c, uint64_t block, struct error *err);

/* A hit, which holds the data port for so many bytes.  `answers`: the access returns data of the block. */
static inline void cache_hit(struct cache *c, uint64_t block, uint32_t bytes, bool answers, uint64_t now,
                             struct error *err)
{
    if (answers && c->gate.kind && !tags_has_data(c->tags, block)) cache_lacks_data(c, block, err);
    gate_access(&c->gate, true, false);
    tags_touch(c->tags, block);
    cache_accept(c, block, true);
    cache_hold(c, &c->data_free, bytes, now);
}

/* The clock edge of cycle `now`; false: a rule was broken. */
static inline bool cache_end(struct cache *c, uint64_t now, struct error *err)
{
    const bool file = miss_file_end(c->file, err), gate = !c->hooked || gate_end(&c->gate, now, err), ok = file && gate;
    const uint32_t used = miss_file_used_slots(c->file);
    c->changed |= !ok || miss_file_changed(c->file);
    if (c->hooked && c->learns) {
        /* The next cycle has work, too: a second access waits for this edge (replacement_kind.h). */
        c->changed |= tags_settling(c->tags);
        tags_end(c->tags, err);
        c->changed |= tags_settling(c->tags);
    }
    *c->n.slot_cycles += used;
    raise_to(c->n.slots_peak, used);
    return ok;
}

/* Counts `cycles` more cycles like the last one, in which nothing changed. */
static inline void cache_idle(const struct cache *c, uint64_t cycles)
{
    *c->n.slot_cycles += miss_file_used_slots(c->file) * cycles;
    gate_idle(&c->gate, cycles);
}
#endif
