/* SPDX-License-Identifier: Apache-2.0 */
/* The block stream_bypass of a cache, an L1D or an L2 slice (Khairy15, section 4.1): while it closes the cache,
 * accesses bypass the cache, and the tags are updated as if it were open.
 *
 * A line that enters the tags while the cache is closed has no data: TAG_ONLY (tags.h).  It is a hit for the block, and
 * a miss for an access when the cache is open.  With `drop` there is no such bit: clean lines of a closed cache count
 * as lines without data, and all are dropped when it opens.
 *
 * A cycle of the owner, in its clock: stream_begin(); accesses, at most one more than there were cycles; stream_end().
 * Cycles between are skipped: the block is ticked when it is next needed.  The end of a period may change the mode, so
 * the owner wakes after it.  Without stream_open() the cache is open, and these functions do nothing. */
#ifndef MEMTWIN_STREAM_H
#define MEMTWIN_STREAM_H
#include "base/arith.h"
#include "stream_bypass.h"
#include "system/block/block_socket.h"
#include "system/cache/tags.h"
#include "system/unit/unit.h"

struct stream_counters {
    uint64_t *accesses, *misses, *decisions, *changes, *cycles;
};

struct stream_setup {
    struct stream_bypass_cfg cfg;
    bool drop;
    struct stream_counters n;
};

/* Setup from the options and counters of `x`: l1d or l2. */
#define STREAM_SETUP(c, s, x)                                                                                          \
    {                                                                                                                  \
        .cfg = {.Period = (c)->x##_stream_period,                                                                      \
                .ThreshNum = (c)->x##_stream_num,                                                                      \
                .ThreshDen = (c)->x##_stream_den,                                                                      \
                .MinAccesses = (c)->x##_stream_min_accesses,                                                           \
                .CountW = (c)->x##_stream_count_bits,                                                                  \
                .MergeIsHit = (c)->x##_stream_merge_is_hit},                                                           \
        .drop = (c)->x##_stream_tags == STREAM_DROP, .n = {                                                            \
            .accesses = &(s)->x##_stream_accesses,                                                                     \
            .misses = &(s)->x##_stream_misses,                                                                         \
            .decisions = &(s)->x##_stream_decisions,                                                                   \
            .changes = &(s)->x##_stream_changes,                                                                       \
            .cycles = &(s)->x##_stream_cycles                                                                          \
        }                                                                                                              \
    }

struct stream {
    bool on, drop;
    bool closed;   /* in the owner's cycle */
    bool decided;  /* the block's last decision: the mode from the next cycle on */
    bool sampled;  /* an access in the period of cycle `next` */
    uint64_t next; /* cycles below it are ticked */
    struct block_socket socket;
    struct stream_bypass_cfg cfg;
    struct stream_counters n;
    struct stream_bypass_in in, another; /* another: a second access of this cycle, presented in the next */
    struct error fault;
};

/* Unit "<unit>.stream". */
bool stream_open(struct stream *s, struct env *env, const struct stream_setup *setup, const char *unit,
                 struct error *err);
void stream_close(struct stream *s);
bool stream_on_begin(struct stream *s, uint64_t now);
void stream_on_access(struct stream *s, bool hit, bool merge);
bool stream_on_end(struct stream *s, uint64_t now, struct error *err);

/* Sets `closed` for cycle `now`; true: the cache has been opened. */
static inline bool stream_begin(struct stream *s, uint64_t now)
{
    return s->on && stream_on_begin(s, now);
}

/* An access is accepted.  `hit`: the tags have its line, with data or without; `merge`: it is being fetched. */
static inline void stream_access(struct stream *s, bool hit, bool merge)
{
    if (s->on) stream_on_access(s, hit, merge);
}

/* A read that bypasses the closed cache: the result of its tag lookup. */
static inline enum place stream_look_up(struct stream *s, enum tag_state state)
{
    const bool hit = state == TAG_VALID || state == TAG_ONLY, merge = state == TAG_RESERVED;
    stream_access(s, hit, merge);
    return hit ? AT_L1D_HIT : merge ? AT_L1D_MERGE : AT_L1D_MISS;
}

/* The clock edge of cycle `now`. */
static inline bool stream_end(struct stream *s, uint64_t now, struct error *err)
{
    return !s->on || stream_on_end(s, now, err);
}

/* Counts `cycles` more cycles like the last one. */
static inline void stream_idle(const struct stream *s, uint64_t cycles)
{
    if (s->closed) *s->n.cycles += cycles;
}

/* The sooner of `wake` and the cycle in which the mode may change. */
static inline uint64_t stream_wake(const struct stream *s, uint64_t wake)
{
    if (!s->on) return wake;
    if (s->in.acc_valid_i || s->decided != s->closed) return min_u64(wake, s->next);
    return s->sampled ? min_u64(wake, s->next - s->next % s->cfg.Period + s->cfg.Period) : wake;
}
#endif
