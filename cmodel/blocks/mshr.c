/* SPDX-License-Identifier: Apache-2.0 */
#include "mshr.h"

#include "first_zero.h"

struct wires {
    bool pop, done, fill_ready, fill_ok, fill_bad;
    bool drains, hit, full, merge, alloc, accept;
    bool found; /* an entry is free: new_set */
    uint32_t new_set, slot_set, slot;
};

/* The comparators of all entries and their one-hot encoder, which without a match gives entry 0. */
static inline bool match(const struct mshr *m, uint64_t addr, uint32_t *set)
{
    uint16_t any = 0, index = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        const uint16_t equal = m->live_q[i] & (m->addr_q[i] == addr);
        any |= equal;
        index |= equal ? (uint16_t)i : 0;
    }
    *set = index;
    return any;
}

static inline void compare(const struct mshr *m, const struct mshr_in *in, struct mshr_matches *x)
{
    x->req = x->fill = false;
    x->req_set = x->fill_set = 0;
    if (in->req_valid_i) x->req = match(m, in->req_addr_i, &x->req_set);
    if (in->fill_valid_i) x->fill = match(m, in->fill_addr_i, &x->fill_set);
}

/* The lowest free entry; entry 0 if none is free.  The one that the drain frees counts as free. */
static inline bool first_free(const struct mshr *m, bool done, uint32_t *set)
{
    uint32_t first = first_zero(m->busy_q, m->p.Entries);
    if (done && m->drain_set_q < first) first = m->drain_set_q;
    *set = first < m->p.Entries ? first : 0;
    return first < m->p.Entries;
}

/* ---- drain: one slot per cycle, oldest first */
static inline void drain_wires(const struct mshr *m, const struct mshr_in *in, struct wires *w)
{
    w->pop = m->drain_valid_q && in->drain_ready_i;
    w->done = w->pop && m->drain_slot_q == m->last_q[m->drain_set_q];
}

/* ---- fill */
static inline void fill_wires(const struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x,
                              struct wires *w)
{
    w->fill_ready = !m->drain_valid_q || w->done;
    w->fill_ok = in->fill_valid_i && w->fill_ready && x->fill;
    w->fill_bad = in->fill_valid_i && w->fill_ready && !x->fill;
}

/* ---- request: it sees the entry that the drain frees and the fill accepted in this cycle */
static inline void request_wires(const struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x,
                                 struct wires *w)
{
    const uint64_t addr = in->req_addr_i;
    w->drains = w->hit = w->full = w->merge = w->alloc = w->accept = w->found = false;
    w->new_set = w->slot_set = w->slot = 0;
    if (!in->req_valid_i) return;
    w->drains =
        (m->drain_valid_q && !w->done && addr == m->addr_q[m->drain_set_q]) || (w->fill_ok && addr == in->fill_addr_i);
    w->hit = !w->drains && x->req;
    w->full = m->last_q[x->req_set] == m->p.Slots - 1;
    w->merge = w->hit && !w->full;
    w->alloc = !w->drains && !x->req && (m->n_free_q != 0 || w->done);
    w->accept = w->merge || w->alloc;
    if (w->alloc) w->found = first_free(m, w->done, &w->new_set);
    w->slot_set = w->alloc ? w->new_set : x->req_set;
    w->slot = w->alloc ? 0 : (m->last_q[x->req_set] + 1u) & m->slot_mask;
}

static inline void all_wires(const struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x,
                             struct wires *w)
{
    drain_wires(m, in, w);
    fill_wires(m, in, x, w);
    request_wires(m, in, x, w);
}

static inline uint8_t result(const struct mshr_in *in, const struct wires *w)
{
    if (!in->req_valid_i) return MSHR_PRIMARY;
    if (w->drains) return MSHR_RF_DRAIN;
    if (w->hit) return w->full ? MSHR_RF_MERGE : MSHR_SECONDARY;
    return w->alloc ? MSHR_PRIMARY : MSHR_RF_ENTRY;
}

/* Four words at a time: compilers turn a simpler loop into a string instruction, which is slow for 128 bytes. */
static inline void no_data(uint32_t data[32])
{
    for (uint32_t k = 0; k < 32; k += 4) data[k] = data[k + 1] = data[k + 2] = data[k + 3] = 0;
}

static inline void drain_outputs(const struct mshr *m, struct mshr_out *out)
{
    const uint32_t index = m->drain_set_q * m->p.Slots + m->drain_slot_q;
    const bool valid = m->drain_valid_q;
    out->drain_valid_o = valid;
    out->drain_addr_o = valid ? m->addr_q[m->drain_set_q] : 0;
    out->drain_info_o = valid ? m->info_q[index] : 0;
    out->drain_write_o = valid && m->write_q[index];
    out->drain_last_o = valid && m->drain_slot_q == m->last_q[m->drain_set_q];
    if (valid && m->p.DataW)
        for (uint32_t k = 0; k < 32; k++) out->drain_data_o[k] = m->data_q[index][k];
    else
        no_data(out->drain_data_o);
}

static inline void outputs(const struct mshr *m, const struct mshr_in *in, const struct wires *w, struct mshr_out *out)
{
    out->req_ready_o = true;
    out->rsp_valid_o = in->req_valid_i;
    out->rsp_result_o = result(in, w);
    out->rsp_set_o = w->accept ? (uint16_t)w->slot_set : 0;
    out->fill_ready_o = w->fill_ready;
    drain_outputs(m, out);
    out->free_o = m->n_free_q;
    out->free_reserved_o = 0;
    out->used_slots_o = m->used_slots_q;
    out->error_o = m->error_q;
}

static inline void tick_entries(struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x,
                                const struct wires *w)
{
    if (w->done) m->busy_q[m->drain_set_q] = 0;
    if (w->fill_ok) m->live_q[x->fill_set] = 0;
    if (w->found) m->busy_q[w->new_set] = m->live_q[w->new_set] = 1;
    if (w->alloc) m->addr_q[w->new_set] = in->req_addr_i & m->addr_mask;
}

static inline void tick_slot(struct mshr *m, const struct mshr_in *in, const struct wires *w)
{
    const uint32_t index = w->slot_set * m->p.Slots + w->slot;
    if (!w->accept) return;
    m->last_q[w->slot_set] = (uint8_t)w->slot;
    m->info_q[index] = in->req_info_i & m->info_mask;
    m->write_q[index] = in->req_write_i;
    for (uint32_t k = 0; m->p.DataW && k < 32; k++) m->data_q[index][k] = in->req_data_i[k];
}

static inline void tick_drain(struct mshr *m, const struct mshr_matches *x, const struct wires *w)
{
    if (w->fill_ok || w->done)
        m->drain_slot_q = 0;
    else if (w->pop)
        m->drain_slot_q = (uint8_t)((m->drain_slot_q + 1u) & m->slot_mask);
    m->drain_set_q = w->fill_ok ? (uint16_t)x->fill_set : m->drain_set_q;
    m->drain_valid_q = w->fill_ok || (m->drain_valid_q && !w->done);
}

static inline void tick_counters(struct mshr *m, const struct wires *w)
{
    m->n_free_q = (uint16_t)((m->n_free_q + (uint32_t)w->done - (uint32_t)w->alloc) & m->free_mask);
    m->used_slots_q = (uint16_t)((m->used_slots_q + (uint32_t)w->accept - (uint32_t)w->pop) & m->used_mask);
    m->error_q = w->fill_bad ? MSHR_ERROR_FILL : m->error_q;
}

static inline void edge(struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x, const struct wires *w)
{
    tick_entries(m, in, x, w);
    tick_slot(m, in, w);
    tick_counters(m, w);
    tick_drain(m, x, w);
}

void mshr_init(struct mshr *m, const struct mshr_cfg *cfg)
{
    m->p = *cfg;
    m->free_mask = bits_index_mask(m->p.Entries + 1);
    m->used_mask = bits_index_mask(m->p.Entries * m->p.Slots + 1);
    m->slot_mask = bits_index_mask(m->p.Slots);
    m->addr_mask = bits_mask(m->p.AddrW);
    m->info_mask = (uint32_t)bits_mask(m->p.InfoW);
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->addr_q[i] = 0;
        m->last_q[i] = 0;
    }
    for (uint32_t i = 0; i < m->p.Entries * m->p.Slots; i++) {
        m->info_q[i] = 0;
        m->write_q[i] = false;
        for (uint32_t k = 0; m->p.DataW && k < 32; k++) m->data_q[i][k] = 0;
    }
    mshr_reset(m);
}

/* Registers that are don't-care while their entry is free have no reset in the RTL, and keep their value here too. */
void mshr_reset(struct mshr *m)
{
    m->drain_valid_q = false;
    m->drain_set_q = 0;
    m->drain_slot_q = 0;
    m->n_free_q = (uint16_t)m->p.Entries;
    m->used_slots_q = 0;
    m->error_q = MSHR_OK;
    for (uint32_t i = 0; i < m->p.Entries; i++) m->busy_q[i] = m->live_q[i] = 0;
}

void mshr_eval(const struct mshr *m, const struct mshr_in *in, struct mshr_out *out)
{
    struct mshr_matches x;
    struct wires w;
    compare(m, in, &x);
    all_wires(m, in, &x, &w);
    outputs(m, in, &w, out);
}

void mshr_tick_matched(struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x)
{
    struct wires w;
    all_wires(m, in, x, &w);
    edge(m, in, x, &w);
}

void mshr_step_matched(struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x, struct mshr_out *out)
{
    struct wires w;
    all_wires(m, in, x, &w);
    outputs(m, in, &w, out);
    edge(m, in, x, &w);
}

void mshr_tick(struct mshr *m, const struct mshr_in *in)
{
    struct mshr_matches x;
    compare(m, in, &x);
    mshr_tick_matched(m, in, &x);
}

void mshr_step(struct mshr *m, const struct mshr_in *in, struct mshr_out *out)
{
    struct mshr_matches x;
    compare(m, in, &x);
    mshr_step_matched(m, in, &x, out);
}

bool mshr_idle(const struct mshr *m)
{
    return !m->drain_valid_q;
}

/* No register changes without a valid input. */
void mshr_skip(struct mshr *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
