/* SPDX-License-Identifier: Apache-2.0 */
/* Between an L2 slice and its DRAM channel: reads and writes of blocks on their way there (l2.miss_queue), and
 * completed ones.  With dram.latency_at = front, they pass a FIFO of dram.front_queue entries, dram.extra_latency
 * cycles long, behind that queue.  A write-back does not come back. */
#ifndef MEMTWIN_L2_OUTPUT_H
#define MEMTWIN_L2_OUTPUT_H
#include "system/cache/sectors.h"
#include "system/dram/dram.h"
#include "system/unit/ring.h"

/* Tag of a transfer that no single request waits for: a write-back, or a fetch for the MSHR file. */
#define NO_REQUEST UINT32_MAX

struct transfer {
    uint64_t block; /* of several, the first */
    uint64_t ready;
    const struct request *who;
    uint32_t tag; /* the slice's tag of the request, or NO_REQUEST */
    uint16_t bytes;
    bool write;
};

struct l2_output {
    struct dram *channel;
    bool front, taken;          /* taken: dram.intake = channel */
    uint64_t passes;            /* cycle in which the oldest transfer leaves the FIFO; NEVER: it is empty */
    uint64_t comes;             /* cycle in which the oldest of `fills` is visible; NEVER: there is none */
    uint32_t delayed;           /* oldest transfers of `to_dram`: those in the FIFO */
    uint32_t misses;            /* the others: those in the miss queue */
    uint32_t limit, stages;     /* capacity of the miss queue, of the FIFO */
    struct ring to_dram, fills; /* struct transfer */
    struct env *env;
    struct sectors sectors;
    uint32_t latency;                        /* of the FIFO */
    uint32_t slice, slice_shift, unit_shift; /* log2 of the slices of a partition, of the consecutive lines in one */
};

/* `back`: transfers that may have come back and not been popped.  False without memory. */
bool l2_output_init(struct l2_output *o, struct env *env, uint32_t slice, struct dram *channel, uint32_t back);
void l2_output_free(struct l2_output *o);

static inline bool l2_output_empty(const struct l2_output *o)
{
    return !o->to_dram.count && !o->fills.count;
}

static inline bool l2_output_room(const struct l2_output *o, uint32_t places)
{
    return o->misses + places <= o->limit;
}

/* Whether there is room; a write-back also has room if the read that evicts its line took the last entry. */
void l2_output_read(struct l2_output *o, uint64_t block, uint32_t tag, const struct request *who);
void l2_output_write(struct l2_output *o, uint64_t block, uint32_t bytes, uint32_t tag, const struct request *who);
/* Sends the oldest transfer to DRAM. */
void l2_output_to_dram(struct l2_output *o);

static inline void l2_output_enter_front(struct l2_output *o, uint64_t now)
{
    struct transfer *t = ring_at(&o->to_dram, o->delayed++);
    t->ready = now + o->latency;
    o->passes = min_u64(o->passes, t->ready);
    o->misses--;
}

static inline void l2_output_leave_front(struct l2_output *o)
{
    l2_output_to_dram(o);
    const struct transfer *t = ring_peek(&o->to_dram);
    o->passes = --o->delayed ? t->ready : NEVER;
}

/* Whether a transfer of the miss queue finds room behind it: in the FIFO, or in DRAM. */
static inline bool l2_output_offers(const struct l2_output *o)
{
    return o->misses && (o->front ? o->delayed < o->stages : dram_room(o->channel));
}

/* Requires l2_output_offers(). */
static inline void l2_output_move(struct l2_output *o, uint64_t now)
{
    if (o->front) {
        l2_output_enter_front(o, now);
        return;
    }
    l2_output_to_dram(o);
    o->misses--;
}

/* Moves one transfer out of the FIFO and one out of the miss queue; true if any moved.  With dram.intake = channel, the
 * channel takes those of the miss queue. */
static inline bool l2_output_send(struct l2_output *o, uint64_t now)
{
    const bool leaves = o->passes <= now && dram_room(o->channel);
    if (leaves) l2_output_leave_front(o);
    const bool moves = !o->taken && l2_output_offers(o);
    if (moves) l2_output_move(o, now);
    return leaves || moves;
}

/* DRAM completed it; visible to the slice from cycle `ready` on.  False: it does not return to the slice. */
bool l2_output_done(struct l2_output *o, const struct dram_request *r, uint64_t ready);

/* The oldest returned transfer, or NULL. */
static inline const struct transfer *l2_output_peek(const struct l2_output *o, uint64_t now)
{
    return o->comes <= now ? ring_peek(&o->fills) : NULL;
}

static inline void l2_output_pop(struct l2_output *o)
{
    ring_pop(&o->fills);
    const struct transfer *t = ring_peek(&o->fills);
    o->comes = t ? t->ready : NEVER;
}

/* The earlier of `wake` and the cycle in which the next transfer leaves the FIFO or returns. */
static inline uint64_t l2_output_wake(const struct l2_output *o, uint64_t now, uint64_t wake)
{
    if (o->comes > now) wake = min_u64(wake, o->comes);
    return o->passes > now ? min_u64(wake, o->passes) : wake;
}
#endif
