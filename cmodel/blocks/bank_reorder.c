/* SPDX-License-Identifier: Apache-2.0 */
#include "bank_reorder.h"

#include "onehot.h"

struct wires {
    bool filled, push, valid, pop, emptied;
    uint32_t in_bank, bank, slot;
};

static uint32_t bank_of(const struct bank_reorder *m, uint64_t addr)
{
    return (uint32_t)((addr >> m->p.BankMsb << 1 | (addr >> m->p.BankLsb & 1)) & (m->p.Banks - 1));
}

static uint16_t slot_after(const struct bank_reorder *m, uint32_t slot)
{
    return (uint16_t)((slot >= m->p.Entries ? slot - m->p.Entries : slot) & bits_index_mask(m->p.Entries));
}

/* No combinational path from out_ready_i to in_ready_o: a place freed in this cycle can be used in the next one. */
static void make_wires(const struct bank_reorder *m, const struct bank_reorder_in *in, struct wires *w)
{
    w->in_bank = bank_of(m, in->in_addr_i);
    w->filled = (m->busy_q >> w->in_bank & 1) != 0;
    w->push = in->in_valid_i && !(w->filled && m->count_q[w->in_bank] == m->p.Entries);
    w->slot =
        w->filled && m->p.Entries > 1 ? slot_after(m, (uint32_t)m->head_q[w->in_bank] + m->count_q[w->in_bank]) : 0;
    w->valid = m->hold_q || m->busy_q != 0;
    w->bank = m->hold_q ? m->hold_bank_q : onehot_index(first_from(m->busy_q, m->turn_bank_q));
    w->pop = w->valid && in->out_ready_i;
    w->emptied = w->pop && m->count_q[w->bank] == 1;
}

void bank_reorder_init(struct bank_reorder *m, const struct bank_reorder_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < m->p.Banks; i++) {
        m->count_q[i] = 0;
        m->head_q[i] = 0;
    }
    for (uint32_t i = 0; i < m->p.Banks * m->p.Entries; i++) {
        m->addr_q[i] = 0;
        m->info_q[i] = 0;
    }
    bank_reorder_reset(m);
}

/* Tables of an empty queue are don't-care: no reset in the RTL, and none here. */
void bank_reorder_reset(struct bank_reorder *m)
{
    m->busy_q = 0;
    m->turn_bank_q = 0;
    m->hold_q = false;
    m->hold_bank_q = 0;
    m->used_q = 0;
    m->stalls_q = 0;
}

void bank_reorder_eval(const struct bank_reorder *m, const struct bank_reorder_in *in, struct bank_reorder_out *out)
{
    struct wires w;
    make_wires(m, in, &w);
    const uint32_t entry = w.bank * m->p.Entries + m->head_q[w.bank];
    out->in_ready_o = w.push;
    out->out_valid_o = w.valid;
    out->out_addr_o = w.valid ? m->addr_q[entry] : 0;
    out->out_info_o = w.valid ? m->info_q[entry] : 0;
    out->out_bank_o = w.valid ? (uint8_t)w.bank : 0;
    out->out_queue_o = 0;
    out->used_o = m->used_q;
    out->stalls_o = m->stalls_q;
}

static void tick_offer(struct bank_reorder *m, const struct bank_reorder_in *in, const struct wires *w)
{
    const bool stuck = w->valid && !w->pop && !(m->p.Rotate && in->out_refused_i);
    if (w->valid && !stuck) m->turn_bank_q = (uint8_t)((w->bank + 1) & (m->p.Banks - 1));
    m->hold_q = stuck;
    m->hold_bank_q = stuck ? (uint8_t)w->bank : m->hold_bank_q;
}

void bank_reorder_tick(struct bank_reorder *m, const struct bank_reorder_in *in)
{
    const uint32_t used_mask = bits_index_mask(m->p.Banks * m->p.Entries + 1);
    const uint32_t count_mask = bits_index_mask(m->p.Entries + 1);
    struct wires w;
    make_wires(m, in, &w);
    tick_offer(m, in, &w);
    m->used_q = (m->used_q + (uint32_t)w.push - (uint32_t)w.pop) & used_mask;
    if (in->in_valid_i && !w.push && m->stalls_q != UINT32_MAX) m->stalls_q = m->stalls_q + 1;
    if (w.pop) {
        m->count_q[w.bank] = (uint16_t)((m->count_q[w.bank] - 1u) & count_mask);
        if (m->p.Entries > 1) m->head_q[w.bank] = slot_after(m, m->head_q[w.bank] + 1u);
        m->busy_q = w.emptied ? m->busy_q & ~((uint64_t)1 << w.bank) : m->busy_q;
    }
    if (w.push) {
        const uint32_t entry = w.in_bank * m->p.Entries + w.slot;
        m->count_q[w.in_bank] = (uint16_t)(w.filled ? (m->count_q[w.in_bank] + 1u) & count_mask : 1);
        if (m->p.Entries > 1 && !w.filled) m->head_q[w.in_bank] = 0;
        m->addr_q[entry] = in->in_addr_i & bits_mask(m->p.AddrW);
        m->info_q[entry] = in->in_info_i & bits_mask(m->p.InfoW);
        m->busy_q |= (uint64_t)1 << w.in_bank;
    }
}

bool bank_reorder_idle(const struct bank_reorder *m)
{
    return !m->hold_q && m->busy_q == 0;
}

/* No register changes without a valid input. */
void bank_reorder_skip(struct bank_reorder *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
