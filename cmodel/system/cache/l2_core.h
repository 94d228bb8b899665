/* SPDX-License-Identifier: Apache-2.0 */
/* Internal state of an L2 slice.  Included by the slice's own files only: l2.c (a cycle), l2_far.c (its partner in the
 * other half) and l2_state.c (start and end). */
#ifndef MEMTWIN_L2_CORE_H
#define MEMTWIN_L2_CORE_H
#include "system/cache/cache.h"
#include "system/cache/l2.h"
#include "system/cache/l2_far.h"
#include "system/cache/l2_input.h"
#include "system/cache/l2_output.h"
#include "system/unit/ring.h"

/* No block of a line. */
#define NO_BLOCK UINT64_MAX

struct l2 {
    struct l2_state now; /* first: l2_state() */
    uint64_t next;       /* cycles below it are counted */
    struct env *env;
    uint64_t *held;     /* counter of the head's refusal until tags or queues move; NULL: it is to be looked up */
    uint64_t *reported; /* refusal of this head already reported to request_at() */
    uint64_t block;     /* of the request that was looked up last */
    uint32_t waiting;   /* requests in front after the last cycle */
    uint32_t places;    /* miss queue entries that the head's miss needs */
    uint32_t slice, latency;
    uint32_t offered_room; /* places that the crossbar finds free in front, or does not send */
    uint8_t write_miss;    /* enum write_miss */
    bool hooked;         /* an input block, a gate, learning tags or a partner see every cycle, and may end a refusal */
    bool queues;         /* a miss queue refusal ends only with room: no write-through, no bypass */
    bool draining_dirty; /* a write or an atomic was among the slots drained so far */

    struct l2_input input;
    struct ring responses; /* struct packet */
    struct l2_output output;
    struct packet *waits;  /* in the MSHR file, by cache.places */
    struct packet *around; /* requests answered by DRAM: write-through misses and bypassed requests */
    struct cache cache;
    struct pool passing; /* places in `around` */
    struct l2_far *far;  /* NULL: the L2 has no halves */
    struct l2_client client;
    uint64_t accepted; /* accesses */
    struct error error;
};

/* The test of `hooked`, which is read anyway, comes first. */
static inline bool has_far(const struct l2 *s)
{
    return s->hooked && s->far;
}

/* True while the slice holds requests or DRAM transfers. */
static inline bool l2_busy(const struct l2 *s)
{
    return pool_used(&s->cache.places) || s->input.queue.count || l2_input_waiting(&s->input) ||
           !l2_output_empty(&s->output) || pool_used(&s->passing) || (has_far(s) && !l2_far_empty(s->far));
}

/* Publishes the state that its neighbours read. */
static inline void l2_show(struct l2 *s)
{
    s->now.room = l2_input_room(&s->input, s->offered_room);
    s->now.busy = l2_busy(s);
    s->now.responses = s->responses.count;
}

static inline bool changes_line(const struct request *r)
{
    return r->kind != REQUEST_READ;
}

static inline bool serves_far(const struct l2 *s)
{
    return has_far(s) && s->far->serves;
}

/* Whether the block is of a foreign line. */
static inline bool comes_from_far(const struct l2 *s, uint64_t block)
{
    return has_far(s) && is_foreign(block_line(&s->cache.sectors, block));
}

/* The state of this block changed.  The held request may now be accepted, unless it waits for the miss queue and is for
 * another line. */
static inline void l2_moved(struct l2 *s, uint64_t block)
{
    const bool waits = s->queues && s->held == s->cache.n.rf_miss_queue && !l2_output_room(&s->output, s->places);
    if (!waits || block_line(&s->cache.sectors, block) == block_line(&s->cache.sectors, s->block)) s->held = NULL;
    s->cache.changed = true;
}

/* l2_far.c; the slice has a partner. */

/* An answer to the partner.  False: the time of the next try is that at which the link is free. */
bool l2_send_answer(struct l2 *s, const struct packet *p, uint64_t now);
/* An access to a block whose home is here. */
void l2_note_far(struct l2 *s, const struct request *r);
/* Queues a request to the partner, which has room. */
void l2_ask_far(struct l2 *s, const struct packet *p);
/* Whether a request of the MSHR file counts in l2_far.held.  `whole`: the first of its block, or the last. */
bool l2_far_counts(const struct l2 *s, uint64_t block, bool whole);
/* A fetch from the other half also needs room on the way there, an entry of the MSHR file and a way of the set that are
 * not the last ones.  Returns the counter of its refusal, or NULL. */
uint64_t *l2_far_obstacle(const struct l2 *s, enum tag_state state);
/* The oldest request to the partner leaves. */
void l2_send_far(struct l2 *s, uint64_t now);
#endif
