/* SPDX-License-Identifier: Apache-2.0 */
/* Input stage of an L2 slice, behind the crossbar (Gu20, chapter 2): a pipeline of l2.rop_latency cycles for any number
 * of requests, the incoming queue, then an optional reordering block.  l2.input selects the kind (input_kind.h).  A
 * block runs as twin or RTL, driven by its ports.
 *
 * The slice peeks at the offered request, tries it, and pops it if accepted, or reports its refusal.  A fifo offers the
 * next request in the same cycle; a block offers one request per cycle: after a pop, and with l2.input_refused = rotate
 * after a refusal, nothing is offered until the next cycle.
 *
 * A cycle of the slice: l2_input_advance(); l2_reorder_begin(), which offers and moves a request from the queue into
 * the block; peeks, pops and refusals; l2_input_end(), the clock edge.  A block that holds nothing and is offered
 * nothing is not ticked.  Its ports are checked: each request that leaves against those that entered, the block's
 * counters against the model's. */
#ifndef MEMTWIN_L2_INPUT_H
#define MEMTWIN_L2_INPUT_H
#include "system/block/block_socket.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

struct l2_reorder;

struct l2_input {
    uint32_t entered, limit;  /* requests in the incoming queue */
    uint32_t whole, coming;   /* packets with all requests in the queue; requests of the next packet in the pipeline */
    uint64_t leaves;          /* cycle in which the next request may leave the pipeline; NEVER: it is empty */
    uint32_t latency;         /* of the pipeline */
    struct l2_reorder *block; /* NULL: fifo */
    const struct packet *offered;
    struct ring queue; /* struct packet: the incoming queue, then the pipeline */
};

bool l2_input_init(struct l2_input *q, struct env *env, uint32_t slice, struct error *err);
void l2_input_free(struct l2_input *q);

void l2_reorder_begin(struct l2_input *q);
void l2_reorder_pop(struct l2_input *q);
void l2_reorder_refused(struct l2_input *q);
bool l2_reorder_end(struct l2_input *q, struct error *err);
uint32_t l2_reorder_held(const struct l2_input *q);
/* Last cycle: whether anything moved; whether a request waited for room in the block. */
bool l2_reorder_changed(const struct l2_input *q);
bool l2_reorder_stalled(const struct l2_input *q);

/* Room in the queue for this many requests at once. */
static inline bool l2_input_room(const struct l2_input *q, uint32_t requests)
{
    return q->entered + requests <= q->limit;
}

/* Sets the oldest packet that has a request in the pipeline; NULL: none has. */
static inline void l2_input_expect(struct l2_input *q, const struct packet *p)
{
    q->coming = p ? p->parts : 0;
    q->leaves = p ? p->ready : NEVER;
}

/* A packet of `parts` requests, which comes in SM cycle `cycle`; without a pipeline, room for them is required. Returns
 * the cycle in which the first may enter the queue; NEVER without memory. */
static inline uint64_t l2_input_push(struct l2_input *q, const struct packet *p, uint32_t parts, uint64_t next,
                                     uint64_t cycle)
{
    struct packet *last = ring_push(&q->queue);
    if (!last) return NEVER;
    *last = *p;
    last->parts = (uint8_t)parts;
    if (parts > 1) {
        last->r.bytes = SECTOR_BYTES;
        last->r.born = cycle;
    }
    last->ready = next + q->latency;
    if (!q->latency) {
        q->entered += parts;
        q->whole++;
    } else if (q->leaves == NEVER) {
        l2_input_expect(q, last);
    }
    return last->ready;
}

/* One request a cycle leaves the pipeline; true if one did. */
static inline bool l2_input_advance(struct l2_input *q, uint64_t now)
{
    if (q->leaves > now || !l2_input_room(q, 1)) return false;
    q->entered++;
    if (--q->coming == 0) {
        q->whole++;
        l2_input_expect(q, q->whole < q->queue.count ? ring_at(&q->queue, q->whole) : NULL);
    }
    return true;
}

/* The oldest in the queue, or NULL. */
static inline const struct packet *l2_input_head(const struct l2_input *q)
{
    return q->entered ? ring_peek(&q->queue) : NULL;
}

static inline void l2_input_drop_head(struct l2_input *q)
{
    struct packet *head = ring_peek(&q->queue);
    q->entered--;
    if (--head->parts) {
        head->r.sector++;
    } else {
        ring_pop(&q->queue);
        q->whole--;
    }
}

static inline const struct packet *l2_input_peek(const struct l2_input *q)
{
    return q->block ? q->offered : l2_input_head(q);
}

static inline void l2_input_pop(struct l2_input *q)
{
    if (q->block)
        l2_reorder_pop(q);
    else
        l2_input_drop_head(q);
}

static inline void l2_input_refused(struct l2_input *q)
{
    if (q->block) l2_reorder_refused(q);
}

static inline bool l2_input_end(struct l2_input *q, struct error *err)
{
    return !q->block || l2_reorder_end(q, err);
}

/* Requests in the queue and in the block. */
static inline uint32_t l2_input_waiting(const struct l2_input *q)
{
    return q->entered + (q->block ? l2_reorder_held(q) : 0);
}

static inline bool l2_input_changed(const struct l2_input *q)
{
    return q->block && l2_reorder_changed(q);
}

static inline bool l2_input_stalled(const struct l2_input *q)
{
    return q->block && l2_reorder_stalled(q);
}
#endif
