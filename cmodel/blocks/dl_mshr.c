/* SPDX-License-Identifier: Apache-2.0 */
#include "dl_mshr.h"

enum { NONE = 0x8000 }; /* beyond every set number */

struct found {
    bool hit;
    uint16_t set;
};

struct wires {
    bool walk, answer, req_tail, merge, link, rf, alloc, take, accept, use_reserved, fills, new_found;
    uint16_t tail, new_set, set, walk_next;
    uint8_t slot;
    bool pop, set_done, done, follower_linked, fill_ready, fill_ok, fill_bad, fill_linked;
    uint16_t follower, fill_set;
    bool look_hit, look_drain;
    uint16_t look_set;
};

static bool dau_h(uint8_t s)
{
    return s >= DL_MSHR_S1 && s <= DL_MSHR_S4;
}

static bool dau_l(uint8_t s)
{
    return s == DL_MSHR_S3 || s == DL_MSHR_S8;
}

static bool dau_s_full(uint8_t s)
{
    return (s >= DL_MSHR_S2 && s <= DL_MSHR_S4) || (s >= DL_MSHR_S7 && s <= DL_MSHR_S9);
}

/* Like the RTL's one-hot encoder, returns set 0 without a match.  Branch-free so that it vectorises. */
static void search(const struct dl_mshr *m, uint64_t addr, struct found *f)
{
    uint16_t hit = 0, set = 0;
    for (uint32_t i = 0; i < m->p.Sets; i++) {
        const uint16_t match =
            (uint16_t)((m->addr_q[i] == addr) & ((uint8_t)(m->state_q[i] - DL_MSHR_S1) < DL_MSHR_S5 - DL_MSHR_S1));
        hit = (uint16_t)(hit | match);
        set = (uint16_t)(set | (match ? i : 0));
    }
    f->hit = hit != 0;
    f->set = set;
}

static void first_free(const struct dl_mshr *m, uint32_t from, uint32_t to, struct found *f)
{
    uint16_t best = NONE;
    for (uint32_t i = from; i < to; i++) {
        const uint16_t candidate = (uint16_t)(i | (m->state_q[i] != DL_MSHR_S0 ? NONE : 0));
        best = candidate < best ? candidate : best;
    }
    f->hit = best < NONE;
    f->set = f->hit ? best : 0;
}

/* Stage 2: allocates, merges, links or refuses the request looked up in the previous cycle. */
static void stage2_wires(const struct dl_mshr *m, struct wires *w)
{
    const bool known = m->s2_valid_q && m->s2_hit_q && !m->s2_drain_q;
    w->tail = m->p.TailPtr ? m->tail_q[m->s2_set_q] : m->s2_set_q;
    const uint8_t tail_state = m->state_q[w->tail];
    const bool full = dau_s_full(tail_state);
    w->walk = known && !m->p.TailPtr && dau_l(tail_state);
    w->walk_next = m->next_q[m->s2_set_q];
    w->answer = m->s2_valid_q && !w->walk;
    w->req_tail = known && !w->walk;
    w->merge = w->req_tail && !full;
    w->link = w->req_tail && full && m->n_free_set_q != 0;
    w->rf = w->req_tail && full && m->n_free_set_q == 0;
    w->use_reserved = !m->s2_hit_q && m->n_free_reserved_q != 0;
    w->alloc = m->s2_valid_q && !m->s2_drain_q && !m->s2_hit_q && (w->use_reserved || m->n_free_set_q != 0);
    w->take = w->alloc || w->link;
    w->accept = w->merge || w->take;
    struct found spare;
    spare.hit = false;
    spare.set = 0;
    if (w->take)
        first_free(m, w->use_reserved ? 0 : m->p.Reserved, w->use_reserved ? m->p.Reserved : m->p.Sets, &spare);
    w->new_found = spare.hit;
    w->new_set = spare.set;
    w->set = w->take ? w->new_set : w->tail;
    w->slot = w->take || m->p.Slots == 1 ? 0 : (uint8_t)((m->last_q[w->tail] + 1u) & bits_index_mask(m->p.Slots));
    w->fills = w->slot == m->p.Slots - 1;
}

static void drain_wires(const struct dl_mshr *m, const struct dl_mshr_in *in, struct wires *w)
{
    w->pop = m->drain_valid_q && in->drain_ready_i;
    w->set_done = w->pop && m->drain_slot_q == m->last_q[m->drain_set_q];
    w->done = w->set_done && !m->drain_linked_q;
    w->follower = m->next_q[m->drain_set_q];
    w->follower_linked = dau_l(m->state_q[w->follower]);
    w->fill_ready = (!m->drain_valid_q || w->done) && !w->walk;
}

/* Stage 2 comes before the fill: a fill finds a head allocated in the same cycle. */
static void fill_wires(const struct dl_mshr *m, const struct dl_mshr_in *in, struct wires *w)
{
    struct found head;
    head.hit = false;
    head.set = 0;
    if (in->fill_valid_i && w->fill_ready) search(m, in->fill_addr_i, &head);
    const bool fresh = w->alloc && in->fill_addr_i == m->s2_addr_q;
    w->fill_ok = in->fill_valid_i && w->fill_ready && (head.hit || fresh);
    w->fill_bad = in->fill_valid_i && w->fill_ready && !w->fill_ok;
    w->fill_set = (uint16_t)(head.set | (fresh ? w->new_set : 0));
    w->fill_linked = dau_l(m->state_q[w->fill_set]) || (w->link && w->tail == w->fill_set);
}

/* Stage 1: the search sees the results of this cycle's stage 2, drain and fill. */
static void stage1_wires(const struct dl_mshr *m, const struct dl_mshr_in *in, struct wires *w)
{
    const bool draining = m->drain_valid_q && !w->done && in->req_addr_i == m->drain_addr_q;
    const bool filled = w->fill_ok && in->req_addr_i == in->fill_addr_i;
    const bool fresh = w->alloc && in->req_addr_i == m->s2_addr_q;
    struct found head;
    head.hit = false;
    head.set = 0;
    if (in->req_valid_i && !w->walk) search(m, in->req_addr_i, &head);
    w->look_hit = head.hit || fresh;
    w->look_set = (uint16_t)(head.set | (fresh ? w->new_set : 0));
    w->look_drain = draining || filled;
}

void dl_mshr_init(struct dl_mshr *m, const struct dl_mshr_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < m->p.Sets; i++) {
        m->addr_q[i] = 0;
        m->next_q[i] = 0;
        m->tail_q[i] = 0;
        m->last_q[i] = 0;
    }
    for (uint32_t i = 0; i < m->p.Sets * m->p.Slots; i++) {
        m->info_q[i] = 0;
        m->write_q[i] = false;
        for (uint32_t k = 0; m->p.DataW && k < 32; k++) m->data_q[i][k] = 0;
    }
    m->s2_set_q = 0;
    m->s2_addr_q = 0;
    m->s2_info_q = 0;
    m->s2_write_q = false;
    for (uint32_t k = 0; k < 32; k++) m->s2_data_q[k] = 0;
    m->drain_addr_q = 0;
    dl_mshr_reset(m);
}

/* Registers that are don't-care without a valid bit or a state have no reset in the RTL, and keep their value here
 * too. */
void dl_mshr_reset(struct dl_mshr *m)
{
    m->s2_valid_q = false;
    m->s2_hit_q = false;
    m->s2_drain_q = false;
    m->s2_set_q = 0;
    m->drain_valid_q = false;
    m->drain_linked_q = false;
    m->drain_set_q = 0;
    m->drain_slot_q = 0;
    m->n_free_set_q = (uint16_t)(m->p.Sets - m->p.Reserved);
    m->n_free_reserved_q = (uint16_t)m->p.Reserved;
    m->used_slots_q = 0;
    m->error_q = MSHR_OK;
    for (uint32_t i = 0; i < m->p.Sets; i++) m->state_q[i] = DL_MSHR_S0;
}

static uint8_t result(const struct dl_mshr *m, const struct wires *w)
{
    if (!w->answer) return 0;
    if (m->s2_drain_q) return MSHR_RF_DRAIN;
    if (m->s2_hit_q) return w->rf ? MSHR_RF_MERGE : MSHR_SECONDARY;
    return w->alloc ? MSHR_PRIMARY : MSHR_RF_ENTRY;
}

void dl_mshr_eval(const struct dl_mshr *m, const struct dl_mshr_in *in, struct dl_mshr_out *out)
{
    struct wires w;
    stage2_wires(m, &w);
    drain_wires(m, in, &w);
    const uint32_t slot = m->drain_set_q * m->p.Slots + m->drain_slot_q;
    const bool data = m->p.DataW != 0 && m->drain_valid_q;
    out->req_ready_o = !w.walk;
    out->rsp_valid_o = w.answer;
    out->rsp_result_o = result(m, &w);
    out->rsp_set_o = w.accept ? w.set : 0;
    out->fill_ready_o = w.fill_ready;
    out->drain_valid_o = m->drain_valid_q;
    out->drain_addr_o = m->drain_valid_q ? m->drain_addr_q : 0;
    out->drain_info_o = m->drain_valid_q ? m->info_q[slot] : 0;
    out->drain_write_o = m->drain_valid_q && m->write_q[slot];
    for (uint32_t k = 0; k < 32; k++) out->drain_data_o[k] = data ? m->data_q[slot][k] : 0;
    out->drain_last_o = m->drain_valid_q && !m->drain_linked_q && m->drain_slot_q == m->last_q[m->drain_set_q];
    out->free_o = m->n_free_set_q;
    out->free_reserved_o = m->n_free_reserved_q;
    out->used_slots_o = m->used_slots_q;
    out->error_o = m->error_q;
}

/* State machine of a set; rtl/dl_mshr/mt_dl_mshr_dau.sv.  In a cycle, RET is applied after ReqH. */
static uint8_t dau_next(const struct dl_mshr *m, const struct wires *w, uint16_t i)
{
    const uint8_t s = m->state_q[i];
    const bool asked = w->req_tail && i == w->tail, fresh = w->new_found && i == w->new_set;
    const bool req_h = (asked && dau_h(s)) || (fresh && w->alloc);
    const bool req_a = (asked && !dau_h(s)) || (fresh && w->link);
    const bool n_free = m->n_free_set_q != 0;
    const bool ret = w->fill_ok && i == w->fill_set;
    const bool s_free_ext = w->set_done && m->drain_linked_q && i == w->follower;
    const bool released = w->set_done && i == m->drain_set_q;
    uint8_t n = s;
    if ((s == DL_MSHR_S0 || s == DL_MSHR_S1) && req_h) n = w->fills ? DL_MSHR_S2 : DL_MSHR_S1;
    if ((s == DL_MSHR_S2 || s == DL_MSHR_S4) && req_h) n = n_free ? DL_MSHR_S3 : DL_MSHR_S4;
    if ((s == DL_MSHR_S0 || s == DL_MSHR_S6) && req_a) n = w->fills ? DL_MSHR_S7 : DL_MSHR_S6;
    if ((s == DL_MSHR_S7 || s == DL_MSHR_S9) && req_a) n = n_free ? DL_MSHR_S8 : DL_MSHR_S9;
    if (s <= DL_MSHR_S4 && ret) n = DL_MSHR_S5;
    if (s >= DL_MSHR_S6 && s <= DL_MSHR_S9 && s_free_ext) n = DL_MSHR_S10;
    if ((s == DL_MSHR_S5 || s == DL_MSHR_S10) && released) n = DL_MSHR_S0;
    return n;
}

/* A cycle updates at most five sets.  Two of the five may be the same set; both updates then write the same state. */
static void tick_states(struct dl_mshr *m, const struct wires *w)
{
    uint8_t at_tail = 0, at_new = 0, at_drain = 0, at_follower = 0, at_fill = 0;
    if (w->req_tail) at_tail = dau_next(m, w, w->tail);
    if (w->new_found) at_new = dau_next(m, w, w->new_set);
    if (w->set_done) at_drain = dau_next(m, w, m->drain_set_q);
    if (w->set_done) at_follower = dau_next(m, w, w->follower);
    if (w->fill_ok) at_fill = dau_next(m, w, w->fill_set);
    if (w->req_tail) m->state_q[w->tail] = at_tail;
    if (w->new_found) m->state_q[w->new_set] = at_new;
    if (w->set_done) m->state_q[m->drain_set_q] = at_drain;
    if (w->set_done) m->state_q[w->follower] = at_follower;
    if (w->fill_ok) m->state_q[w->fill_set] = at_fill;
}

static void tick_counters(struct dl_mshr *m, const struct wires *w)
{
    const bool freed_reserved = m->drain_set_q < m->p.Reserved;
    const uint32_t took = w->take && !w->use_reserved, took_reserved = w->take && w->use_reserved;
    const uint32_t freed = w->set_done && !freed_reserved, freed_r = w->set_done && freed_reserved;
    const uint32_t mask = bits_index_mask(m->p.Sets + 1);
    const uint32_t slots = bits_index_mask(m->p.Sets * m->p.Slots + 1);
    m->n_free_set_q = (uint16_t)((m->n_free_set_q + freed - took) & mask);
    m->n_free_reserved_q = (uint16_t)((m->n_free_reserved_q + freed_r - took_reserved) & mask);
    m->used_slots_q = (uint16_t)((m->used_slots_q + (uint32_t)w->accept - (uint32_t)w->pop) & slots);
    m->error_q = w->fill_bad ? MSHR_ERROR_FILL : m->error_q;
}

/* Write ports of the tables. */
static void tick_tables(struct dl_mshr *m, const struct wires *w)
{
    const uint32_t slot = w->set * m->p.Slots + w->slot;
    if (w->alloc) m->addr_q[w->new_set] = m->s2_addr_q;
    if (w->link) m->next_q[w->tail] = w->new_set;
    if (w->take && m->p.TailPtr) m->tail_q[w->link ? m->s2_set_q : w->new_set] = w->new_set;
    if (w->accept) {
        m->last_q[w->set] = w->slot;
        m->info_q[slot] = m->s2_info_q;
        m->write_q[slot] = m->s2_write_q;
    }
    if (w->accept && m->p.DataW)
        for (uint32_t k = 0; k < 32; k++) m->data_q[slot][k] = m->s2_data_q[k];
}

static void tick_drain(struct dl_mshr *m, const struct dl_mshr_in *in, const struct wires *w)
{
    const uint32_t mask = bits_index_mask(m->p.Slots);
    if (w->fill_ok) {
        m->drain_set_q = w->fill_set;
        m->drain_linked_q = w->fill_linked;
        m->drain_addr_q = in->fill_addr_i & bits_mask(m->p.AddrW);
    } else if (w->set_done && m->drain_linked_q) {
        m->drain_set_q = w->follower;
        m->drain_linked_q = w->follower_linked;
    }
    m->drain_valid_q = w->fill_ok || (m->drain_valid_q && !w->done);
    if (w->fill_ok || w->set_done)
        m->drain_slot_q = 0;
    else if (w->pop)
        m->drain_slot_q = (uint8_t)((m->drain_slot_q + 1u) & mask);
}

static void tick_stage2(struct dl_mshr *m, const struct dl_mshr_in *in, const struct wires *w)
{
    m->s2_valid_q = w->walk || in->req_valid_i;
    if (w->walk) {
        m->s2_set_q = w->walk_next;
    } else if (in->req_valid_i) {
        m->s2_hit_q = w->look_hit;
        m->s2_drain_q = w->look_drain;
        m->s2_set_q = w->look_set;
        m->s2_addr_q = in->req_addr_i & bits_mask(m->p.AddrW);
        m->s2_info_q = (uint32_t)(in->req_info_i & bits_mask(m->p.InfoW));
        m->s2_write_q = in->req_write_i;
        for (uint32_t k = 0; m->p.DataW && k < 32; k++) m->s2_data_q[k] = in->req_data_i[k];
    }
}

void dl_mshr_tick(struct dl_mshr *m, const struct dl_mshr_in *in)
{
    struct wires w;
    stage2_wires(m, &w);
    drain_wires(m, in, &w);
    fill_wires(m, in, &w);
    stage1_wires(m, in, &w);
    tick_tables(m, &w);
    tick_states(m, &w);
    tick_counters(m, &w);
    tick_drain(m, in, &w);
    tick_stage2(m, in, &w);
}

bool dl_mshr_idle(const struct dl_mshr *m)
{
    return !m->s2_valid_q && !m->drain_valid_q;
}

/* No register changes without a valid input. */
void dl_mshr_skip(struct dl_mshr *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
