/* SPDX-License-Identifier: Apache-2.0 */
#include "far_fault_mshr.h"

#include "first_zero.h"
#include "onehot.h"

struct found {
    bool hit;
    uint16_t entry;
};

struct wires {
    bool pop, last, fill_ready, fill_hit, fill;
    uint64_t told; /* requesters answered in this cycle */
    uint16_t fill_entry;
    bool withdraw, offer, take, remove;
    bool draining, merge, alloc, new_found, bad_id, bad_twice;
    uint16_t entry, new_entry;
    uint64_t who;
};

/* Like the RTL's one-hot encoder, returns entry 0 without a match.  Branch-free so that it vectorises. */
static void search(const struct far_fault_mshr *m, uint64_t page, struct found *f)
{
    uint16_t hit = 0, entry = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        const uint16_t match = (uint16_t)((m->page_q[i] == page) & (m->busy_q[i] != 0));
        hit = (uint16_t)(hit | match);
        entry = (uint16_t)(entry | (match ? i : 0));
    }
    f->hit = hit != 0;
    f->entry = entry;
}

static void first_free(const struct far_fault_mshr *m, struct found *f)
{
    const uint32_t entry = first_zero(m->busy_q, m->p.Entries);
    f->hit = entry < m->p.Entries;
    f->entry = (uint16_t)(f->hit ? entry : 0);
}

/* Whether the arriving page's entry is at this place of the queue of faults not yet taken by the driver. */
static bool arrives_at(const struct far_fault_mshr *m, const struct wires *w, uint32_t place)
{
    return w->fill_hit && place < m->waiting_q && m->order_q[place] == w->fill_entry;
}

/* An arriving page frees its entry at once: its waiting requesters move to the response registers. */
static void fill_wires(const struct far_fault_mshr *m, const struct far_fault_mshr_in *in, struct wires *w)
{
    struct found entry;
    entry.hit = false;
    entry.entry = 0;
    w->told = first_one(m->drain_wait_q);
    w->last = m->drain_wait_q == w->told;
    w->pop = m->drain_wait_q != 0 && in->rsp_ready_i;
    w->fill_ready = m->drain_wait_q == 0 || (w->pop && w->last);
    w->fill = in->fill_valid_i && w->fill_ready;
    if (in->fill_valid_i) search(m, in->fill_page_i, &entry);
    w->fill_hit = w->fill && entry.hit;
    w->fill_entry = entry.entry;
}

/* One fault leaves the queue per cycle: that of the arriving page, else the one taken by the driver. */
static void fault_wires(const struct far_fault_mshr *m, const struct far_fault_mshr_in *in, struct wires *w)
{
    w->withdraw = false;
    for (uint32_t i = 0; w->fill_hit && i < m->p.Entries; i++) w->withdraw |= arrives_at(m, w, i);
    w->offer = m->waiting_q != 0 && !w->withdraw;
    w->take = w->offer && in->fault_ready_i;
    w->remove = w->withdraw || w->take;
}

/* A request sees the page that arrives in this cycle, but its entry is not free until the next cycle. */
static void request_wires(const struct far_fault_mshr *m, const struct far_fault_mshr_in *in, struct wires *w)
{
    const bool there = in->req_id_i < m->p.Requesters;
    struct found entry, spare;
    entry.hit = false;
    entry.entry = 0;
    spare.hit = false;
    spare.entry = 0;
    if (in->req_valid_i) search(m, in->req_page_i, &entry);
    w->who = there ? (uint64_t)1 << (in->req_id_i & 63) : 0;
    w->draining =
        (m->drain_wait_q != 0 && in->req_page_i == m->drain_page_q) || (w->fill && in->req_page_i == in->fill_page_i);
    w->bad_id = in->req_valid_i && !there;
    w->bad_twice = in->req_valid_i && !w->draining && entry.hit && (m->wait_q[entry.entry] & w->who) != 0;
    w->merge = in->req_valid_i && there && !w->draining && entry.hit && !w->bad_twice;
    w->alloc = in->req_valid_i && there && !w->draining && !entry.hit && m->used_q != m->p.Entries;
    if (w->alloc) first_free(m, &spare);
    w->new_found = spare.hit;
    w->new_entry = spare.entry;
    w->entry = entry.entry;
}

static void all_wires(const struct far_fault_mshr *m, const struct far_fault_mshr_in *in, struct wires *w)
{
    fill_wires(m, in, w);
    fault_wires(m, in, w);
    request_wires(m, in, w);
}

void far_fault_mshr_init(struct far_fault_mshr *m, const struct far_fault_mshr_cfg *cfg)
{
    m->p = *cfg;
    m->drain_page_q = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->page_q[i] = 0;
        m->wait_q[i] = 0;
    }
    far_fault_mshr_reset(m);
}

/* Registers that are don't-care while their entry is free have no reset in the RTL, and keep their value here too. */
void far_fault_mshr_reset(struct far_fault_mshr *m)
{
    m->used_q = 0;
    m->waiting_q = 0;
    m->drain_wait_q = 0;
    m->faults_q = 0;
    m->merged_q = 0;
    m->error_q = FAR_FAULT_MSHR_OK;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->busy_q[i] = 0;
        m->order_q[i] = 0;
    }
}

/* An illegal request gets the result SECONDARY; it changes no entry and gets no response. */
static uint8_t result(const struct far_fault_mshr_in *in, const struct wires *w)
{
    if (!in->req_valid_i || w->alloc) return FAR_FAULT_PRIMARY;
    if (w->merge || w->bad_id || w->bad_twice) return FAR_FAULT_SECONDARY;
    return w->draining ? FAR_FAULT_DRAINING : FAR_FAULT_FULL;
}

void far_fault_mshr_eval(const struct far_fault_mshr *m, const struct far_fault_mshr_in *in,
                         struct far_fault_mshr_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    const bool drain = m->drain_wait_q != 0;
    out->req_ready_o = true;
    out->req_done_o = w.alloc || w.merge;
    out->req_result_o = result(in, &w);
    out->fault_valid_o = w.offer;
    out->fault_page_o = w.offer ? m->page_q[m->order_q[0]] : 0;
    out->fill_ready_o = w.fill_ready;
    out->fill_hit_o = w.fill_hit;
    out->rsp_valid_o = drain;
    out->rsp_page_o = drain ? m->drain_page_q : 0;
    out->rsp_id_o = (uint8_t)onehot_index(w.told);
    out->rsp_last_o = drain && w.last;
    out->used_o = m->used_q;
    out->waiting_o = m->waiting_q;
    out->faults_o = m->faults_q;
    out->merged_o = m->merged_q;
    out->error_o = m->error_q;
}

static void tick_drain(struct far_fault_mshr *m, const struct far_fault_mshr_in *in, const struct wires *w)
{
    if (w->pop) m->drain_wait_q &= ~w->told;
    if (w->fill_hit) {
        m->drain_wait_q = m->wait_q[w->fill_entry];
        m->drain_page_q = in->fill_page_i & bits_mask(m->p.PageW);
    }
}

static void tick_entries(struct far_fault_mshr *m, const struct far_fault_mshr_in *in, const struct wires *w)
{
    if (w->fill_hit) m->busy_q[w->fill_entry] = 0;
    if (w->merge) m->wait_q[w->entry] |= w->who;
    if (w->alloc && w->new_found) {
        m->busy_q[w->new_entry] = 1;
        m->page_q[w->new_entry] = in->req_page_i & bits_mask(m->p.PageW);
        m->wait_q[w->new_entry] = w->who;
    }
}

/* Removes the departing fault from the queue, then appends a new one. */
static void tick_order(struct far_fault_mshr *m, const struct wires *w)
{
    const uint32_t left = (m->waiting_q - (uint32_t)w->remove) & bits_index_mask(m->p.Entries + 1);
    bool behind = w->take;
    for (uint32_t i = 0; w->remove && i < m->p.Entries; i++) {
        behind |= arrives_at(m, w, i);
        if (behind) m->order_q[i] = i + 1 < m->p.Entries ? m->order_q[i + 1] : 0;
    }
    for (uint32_t i = 0; w->alloc && i < m->p.Entries; i++) m->order_q[i] = i == left ? w->new_entry : m->order_q[i];
    m->waiting_q = (uint16_t)((left + (uint32_t)w->alloc) & bits_index_mask(m->p.Entries + 1));
}

static void tick_counters(struct far_fault_mshr *m, const struct wires *w)
{
    const uint32_t used = m->used_q + (uint32_t)w->alloc - (uint32_t)w->fill_hit;
    m->used_q = (uint16_t)(used & bits_index_mask(m->p.Entries + 1));
    m->faults_q += w->alloc && m->faults_q != UINT32_MAX;
    m->merged_q += w->merge && m->merged_q != UINT32_MAX;
    if (m->error_q == FAR_FAULT_MSHR_OK)
        m->error_q = w->bad_id      ? FAR_FAULT_MSHR_ERROR_REQUESTER
                     : w->bad_twice ? FAR_FAULT_MSHR_ERROR_TWICE
                                    : FAR_FAULT_MSHR_OK;
}

void far_fault_mshr_tick(struct far_fault_mshr *m, const struct far_fault_mshr_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    tick_order(m, &w);
    tick_drain(m, in, &w);
    tick_entries(m, in, &w);
    tick_counters(m, &w);
}

/* An offered fault leaves when the driver is ready, a response when its requester is ready. */
bool far_fault_mshr_idle(const struct far_fault_mshr *m)
{
    return m->drain_wait_q == 0 && m->waiting_q == 0;
}

/* No register changes without a valid input. */
void far_fault_mshr_skip(struct far_fault_mshr *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
