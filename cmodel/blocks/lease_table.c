/* SPDX-License-Identifier: Apache-2.0 */
#include "lease_table.h"

struct wires {
    bool migrate, evict, recall, done, access, expire, pop, expired, bad, bad_resident, bad_absent, cmd, acc_ready,
        offer;
    uint32_t page, live, kept, lease; /* queued expiries, one bit each: after this command, after this access; the
                                       * new lease */
};

static uint32_t top(const struct lease_table *m)
{
    return 1u << m->p.LeaseW;
}

static uint32_t at_least_one(uint32_t lease)
{
    return lease ? lease : 1;
}

/* A command has priority over an access.  Only an access needs room for an expiry: a command may be the one that
 * makes room, and must not wait for it. */
static void port_wires(const struct lease_table *m, const struct lease_table_in *in, struct wires *w)
{
    const uint32_t page = in->cmd_valid_i ? in->cmd_page_i : in->acc_page_i;
    const bool there = page < m->p.Pages;
    w->page = there ? page : 0;
    const bool resident = there && (m->page_q[w->page] & top(m)) != 0;
    w->cmd = in->cmd_valid_i && m->ready_q;
    w->acc_ready = m->ready_q && !in->cmd_valid_i && m->count_q != m->p.Events;
    const bool acc = in->acc_valid_i && w->acc_ready;
    w->migrate = w->cmd && in->cmd_op_i == LEASE_TABLE_MIGRATE && there && !resident;
    w->evict = w->cmd && in->cmd_op_i == LEASE_TABLE_EVICT && resident;
    w->recall = w->cmd && in->cmd_op_i == LEASE_TABLE_RECALL && resident;
    w->done = acc && resident;
    w->access = w->done && m->page_q[w->page] != top(m);
    w->expired = w->done && m->page_q[w->page] == top(m);
    w->expire = w->access && m->page_q[w->page] == (top(m) | 1);
    w->bad = (w->cmd && (in->cmd_op_i > LEASE_TABLE_RECALL || !there)) || (acc && !there);
    w->bad_resident = w->cmd && in->cmd_op_i == LEASE_TABLE_MIGRATE && resident;
    w->bad_absent = !w->bad && !resident && ((w->cmd && in->cmd_op_i != LEASE_TABLE_MIGRATE) || acc);
    w->lease = at_least_one(in->cmd_op_i == LEASE_TABLE_RECALL ? (uint32_t)in->cmd_lease_i >> 1 : in->cmd_lease_i);
}

/* An expiry whose page is evicted or recalled in this cycle is withdrawn in the same cycle.  An accessed page's
 * expiry is still offered. */
static void event_wires(const struct lease_table *m, const struct lease_table_in *in, struct wires *w)
{
    w->live = m->live_q;
    for (uint32_t i = 0; i < m->p.Events; i++)
        if ((w->evict || w->recall) && m->exp_q[i] == w->page) w->live &= ~(1u << i);
    w->kept = w->live;
    for (uint32_t i = 0; i < m->p.Events; i++)
        if (w->expired && m->exp_q[i] == w->page) w->kept &= ~(1u << i);
    w->offer = m->count_q != 0 && (w->live & 1) != 0;
    w->pop = m->count_q != 0 && (!(w->live & 1) || in->exp_ready_i);
}

void lease_table_init(struct lease_table *m, const struct lease_table_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < m->p.Pages; i++) m->page_q[i] = 0;
    for (uint32_t i = 0; i < m->p.Events; i++) m->exp_q[i] = 0;
    lease_table_reset(m);
}

/* The table is a RAM: after reset it is cleared one page per cycle, and no input is accepted until then. */
void lease_table_reset(struct lease_table *m)
{
    m->ready_q = false;
    m->sweep_q = 0;
    m->resident_q = 0;
    m->expired_q = 0;
    m->count_q = 0;
    m->live_q = 0;
    m->error_q = LEASE_TABLE_OK;
}

void lease_table_eval(const struct lease_table *m, const struct lease_table_in *in, struct lease_table_out *out)
{
    struct wires w;
    port_wires(m, in, &w);
    event_wires(m, in, &w);
    out->cmd_ready_o = m->ready_q;
    out->cmd_done_o = w.migrate || w.evict || w.recall;
    out->acc_ready_o = w.acc_ready;
    out->acc_done_o = w.done;
    out->acc_expired_o = w.expired;
    out->exp_valid_o = w.offer;
    out->exp_page_o = w.offer ? m->exp_q[0] : 0;
    out->resident_o = m->resident_q;
    out->expired_o = m->expired_q;
    out->error_o = m->error_q;
}

static void tick_page(struct lease_table *m, const struct wires *w)
{
    const uint32_t mask = (uint32_t)bits_mask(m->p.LeaseW + 1), count = bits_index_mask(m->p.Pages + 1);
    if (w->migrate || w->recall) m->page_q[w->page] = (uint16_t)((top(m) | w->lease) & mask);
    if (w->evict) m->page_q[w->page] = 0;
    if (w->access) m->page_q[w->page] = (uint16_t)((m->page_q[w->page] - 1u) & mask);
    m->resident_q = (m->resident_q + (uint32_t)w->migrate - (uint32_t)w->evict) & count;
    m->expired_q += w->expire && m->expired_q != UINT32_MAX;
}

static void tick_sweep(struct lease_table *m)
{
    m->page_q[m->sweep_q] = 0;
    m->ready_q = m->sweep_q == m->p.Pages - 1;
    m->sweep_q = m->ready_q ? 0 : (m->sweep_q + 1) & bits_index_mask(m->p.Pages);
}

/* The queue shifts when its oldest expiry leaves; a new one is appended. */
static void tick_events(struct lease_table *m, const struct wires *w)
{
    const uint32_t left = (m->count_q - (uint32_t)w->pop) & bits_index_mask(m->p.Events + 1);
    uint32_t live = w->pop ? w->kept >> 1 : w->kept;
    for (uint32_t i = 0; i + 1 < m->p.Events; i++) m->exp_q[i] = w->pop ? m->exp_q[i + 1] : m->exp_q[i];
    for (uint32_t i = 0; i < m->p.Events; i++) {
        const bool here = w->expire && left == i;
        m->exp_q[i] = here ? w->page : m->exp_q[i];
        live |= here ? 1u << i : 0;
    }
    m->live_q = (uint16_t)(live & bits_mask(m->p.Events));
    m->count_q = (uint8_t)((left + (uint32_t)w->expire) & bits_index_mask(m->p.Events + 1));
}

void lease_table_tick(struct lease_table *m, const struct lease_table_in *in)
{
    struct wires w;
    const bool sweep = !m->ready_q;
    port_wires(m, in, &w);
    event_wires(m, in, &w);
    tick_events(m, &w);
    tick_page(m, &w);
    if (sweep) tick_sweep(m);
    if (m->error_q == LEASE_TABLE_OK) {
        m->error_q = w.bad            ? LEASE_TABLE_ERROR_COMMAND
                     : w.bad_resident ? LEASE_TABLE_ERROR_RESIDENT
                     : w.bad_absent   ? LEASE_TABLE_ERROR_ABSENT
                                      : LEASE_TABLE_OK;
    }
}

bool lease_table_idle(const struct lease_table *m)
{
    return m->ready_q && m->count_q == 0;
}

/* After the initial clear, no register changes without a valid input. */
void lease_table_skip(struct lease_table *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
