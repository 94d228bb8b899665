/* SPDX-License-Identifier: Apache-2.0 */
#include "mrpb.h"

enum { NONE = 0x8000 }; /* beyond every queue and every entry */

struct wires {
    bool known, filled, push, valid, pop, emptied;
    uint32_t in_queue, in_slot, queue, slot;
};

/* The lowest element with this flag; NONE if there is none. */
static uint32_t first(const uint8_t *flags, uint32_t n, uint8_t flag)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t candidate = i | (flags[i] == flag ? 0 : NONE);
        best = candidate < best ? candidate : best;
    }
    return best;
}

static uint32_t ring_next(const struct mrpb *m, uint32_t slot)
{
    return slot + 1 == m->p.Entries ? 0 : slot + 1;
}

static uint32_t places(const struct mrpb *m)
{
    return m->p.Shared ? m->p.Entries : m->p.Queues * m->p.Entries;
}

static uint32_t place(const struct mrpb *m, uint32_t queue, uint32_t slot)
{
    return m->p.Shared ? slot : queue * m->p.Entries + slot;
}

/* Where an incoming request goes; false: nowhere. */
static bool find_room(const struct mrpb *m, struct wires *w)
{
    const uint32_t behind = ring_next(m, m->tail_q[w->in_queue]);
    w->in_slot = w->filled ? behind : 0;
    if (!m->p.Shared) return !w->filled || behind != m->head_q[w->in_queue];
    const uint32_t free = first(m->busy_q, m->p.Entries, 0);
    w->in_slot = free < NONE ? free : 0;
    return free < NONE;
}

/* No combinational path from out_ready_i to in_ready_o: an entry freed in this cycle can be used in the next one. */
static void make_wires(const struct mrpb *m, const struct mrpb_in *in, struct wires *w)
{
    w->known = in->in_queue_i < m->p.Queues;
    w->in_queue = w->known ? in->in_queue_i : 0;
    w->filled = m->valid_q[w->in_queue] != 0;
    const bool room = find_room(m, w);
    w->push = in->in_valid_i && w->known && room;
    const uint32_t lowest = first(m->valid_q, m->p.Queues, 1);
    w->valid = m->hold_q || lowest < NONE;
    w->queue = m->hold_q ? m->hold_queue_q : lowest < NONE ? lowest : 0;
    w->slot = m->head_q[w->queue];
    w->pop = w->valid && in->out_ready_i;
    w->emptied = w->pop && w->slot == m->tail_q[w->queue];
}

void mrpb_init(struct mrpb *m, const struct mrpb_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < m->p.Queues; i++) m->head_q[i] = m->tail_q[i] = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) m->busy_q[i] = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) m->next_q[i] = 0;
    for (uint32_t i = 0; i < places(m); i++) m->info_q[i] = 0;
    mrpb_reset(m);
}

/* Tables of an empty queue and of a free entry are don't-care: no reset in the RTL, and none here. */
void mrpb_reset(struct mrpb *m)
{
    m->hold_q = false;
    m->hold_queue_q = 0;
    m->used_q = 0;
    m->stalls_q = 0;
    m->error_q = MRPB_OK;
    for (uint32_t i = 0; i < m->p.Queues; i++) m->valid_q[i] = 0;
    for (uint32_t i = 0; m->p.Shared && i < m->p.Entries; i++) m->busy_q[i] = 0;
}

void mrpb_eval(const struct mrpb *m, const struct mrpb_in *in, struct mrpb_out *out)
{
    struct wires w;
    make_wires(m, in, &w);
    out->in_ready_o = w.push;
    out->out_valid_o = w.valid;
    out->out_queue_o = w.valid ? (uint8_t)w.queue : 0;
    out->out_info_o = w.valid ? m->info_q[place(m, w.queue, w.slot)] : 0;
    out->used_o = m->used_q;
    out->stalls_o = m->stalls_q;
    out->error_o = m->error_q;
}

static void tick_pop(struct mrpb *m, const struct wires *w)
{
    if (w->emptied) m->valid_q[w->queue] = 0;
    if (!w->emptied) m->head_q[w->queue] = m->p.Shared ? m->next_q[w->slot] : (uint16_t)ring_next(m, w->slot);
    if (m->p.Shared) m->busy_q[w->slot] = 0;
}

/* Behind a pop of the same queue: an emptied queue starts again. */
static void tick_push(struct mrpb *m, const struct mrpb_in *in, const struct wires *w)
{
    if (m->p.Shared) m->busy_q[w->in_slot] = 1;
    if (m->p.Shared && w->filled) m->next_q[m->tail_q[w->in_queue]] = (uint16_t)w->in_slot;
    if (!m->valid_q[w->in_queue]) m->head_q[w->in_queue] = (uint16_t)w->in_slot;
    m->tail_q[w->in_queue] = (uint16_t)w->in_slot;
    m->valid_q[w->in_queue] = 1;
    m->info_q[place(m, w->in_queue, w->in_slot)] = in->in_info_i & bits_mask(m->p.InfoW);
}

void mrpb_tick(struct mrpb *m, const struct mrpb_in *in)
{
    struct wires w;
    make_wires(m, in, &w);
    m->hold_q = w.valid && !w.pop && !in->out_refused_i;
    m->hold_queue_q = m->hold_q ? (uint8_t)w.queue : m->hold_queue_q;
    m->used_q = (uint16_t)((m->used_q + (uint32_t)w.push - (uint32_t)w.pop) & bits_index_mask(places(m) + 1));
    if (in->in_valid_i && !w.push && m->stalls_q != UINT32_MAX) m->stalls_q = m->stalls_q + 1;
    if (in->in_valid_i && !w.known) m->error_q = MRPB_ERROR_QUEUE;
    if (w.pop) tick_pop(m, &w);
    if (w.push) tick_push(m, in, &w);
}

bool mrpb_idle(const struct mrpb *m)
{
    return !m->hold_q && first(m->valid_q, m->p.Queues, 1) == NONE;
}

/* No register changes without a valid input. */
void mrpb_skip(struct mrpb *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
