/* SPDX-License-Identifier: Apache-2.0 */
#include "bypass_slots.h"

#include "first_zero.h"

struct wires {
    bool ret_ok, ret_bad, ready, take;
    uint16_t ret_slot, new_slot;
};

/* A slot released in this cycle can be allocated in the same cycle. */
static uint16_t first_free(const struct bypass_slots *m, const struct wires *w)
{
    const uint32_t best = first_zero(m->busy_q, m->p.Slots);
    if (w->ret_ok && w->ret_slot < best) return w->ret_slot;
    return (uint16_t)(best < m->p.Slots ? best : 0);
}

static void all_wires(const struct bypass_slots *m, const struct bypass_slots_in *in, struct wires *w)
{
    w->ret_slot = in->ret_slot_i < m->p.Slots ? in->ret_slot_i : 0;
    w->ret_ok = in->ret_valid_i && in->ret_slot_i < m->p.Slots && m->busy_q[w->ret_slot];
    w->ret_bad = in->ret_valid_i && !w->ret_ok;
    w->ready = m->used_q != m->p.Slots || w->ret_ok;
    w->take = in->req_valid_i && w->ready;
    w->new_slot = 0;
    if (w->take) w->new_slot = first_free(m, w);
}

void bypass_slots_init(struct bypass_slots *m, const struct bypass_slots_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < m->p.Slots; i++) m->info_q[i] = 0;
    bypass_slots_reset(m);
}

/* Requesters have no reset: they are don't-care while their slot is free. */
void bypass_slots_reset(struct bypass_slots *m)
{
    m->used_q = 0;
    m->error_q = BYPASS_SLOTS_OK;
    for (uint32_t i = 0; i < m->p.Slots; i++) m->busy_q[i] = 0;
}

void bypass_slots_eval(const struct bypass_slots *m, const struct bypass_slots_in *in, struct bypass_slots_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->req_ready_o = w.ready;
    out->req_slot_o = w.new_slot;
    out->ret_valid_o = w.ret_ok;
    out->ret_info_o = w.ret_ok ? m->info_q[w.ret_slot] : 0;
    out->used_o = m->used_q;
    out->error_o = m->error_q;
}

void bypass_slots_tick(struct bypass_slots *m, const struct bypass_slots_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    if (w.ret_ok) m->busy_q[w.ret_slot] = 0;
    if (w.take) {
        m->busy_q[w.new_slot] = 1;
        m->info_q[w.new_slot] = (uint32_t)(in->req_info_i & bits_mask(m->p.InfoW));
    }
    m->used_q = (uint16_t)((m->used_q + (uint32_t)w.take - (uint32_t)w.ret_ok) & bits_index_mask(m->p.Slots + 1));
    m->error_q = w.ret_bad ? BYPASS_SLOTS_ERROR_RETURN : m->error_q;
}

bool bypass_slots_idle(const struct bypass_slots *m)
{
    (void)m;
    return true;
}

/* No register changes without a valid input. */
void bypass_slots_skip(struct bypass_slots *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
