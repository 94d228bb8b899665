/* SPDX-License-Identifier: Apache-2.0 */
#include "lease_sampler.h"
#include "onehot.h"

struct wires {
    bool sampling, forget, count, full;
    uint64_t valid, hit, place, pick; /* entries, one bit each: in use after a clear; matching the access; allocated
                                       * to it; current */
    uint64_t block;
    uint32_t at; /* index of the current entry */
};

static uint64_t entry_mask(const struct lease_sampler *m)
{
    return bits_mask(m->p.Entries);
}

static uint64_t divide_mask(const struct lease_sampler *m)
{
    return bits_mask(LEASE_SAMPLER_DIVIDE_W(&m->p));
}

static uint32_t divisor_mask(const struct lease_sampler *m)
{
    return (uint32_t)bits_mask(LEASE_SAMPLER_DIVISOR_W(&m->p));
}

static uint32_t longest_lease(const struct lease_sampler *m)
{
    return (uint32_t)bits_mask(m->p.LeaseW);
}

static uint32_t initial_lease(const struct lease_sampler *m)
{
    return m->p.InitLease < longest_lease(m) ? m->p.InitLease : longest_lease(m);
}

static uint32_t pages_of(uint32_t tag)
{
    uint32_t pages = 0;
    for (uint32_t i = 0; i < 16; i++) pages += tag >> i & 1;
    return pages;
}

static uint64_t entries_of(const struct lease_sampler *m, uint32_t group)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) entries |= (uint64_t)(m->group_q[i] == group) << i;
    return entries;
}

/* The current group is cleared in this cycle. */
static bool dropped(const struct lease_sampler *m, const struct lease_sampler_in *in)
{
    return in->forget_valid_i && in->forget_group_i < m->p.Groups && in->forget_group_i == m->work_q;
}

static void port_wires(const struct lease_sampler *m, const struct lease_sampler_in *in, struct wires *w)
{
    w->sampling = m->cycle_q < m->p.Duty;
    w->forget = in->forget_valid_i && in->forget_group_i < m->p.Groups;
    w->valid = m->valid_q;
    if (w->forget) w->valid &= ~entries_of(m, in->forget_group_i);
}

/* An access in the cycle that clears its group is cleared, too. */
static void access_wires(const struct lease_sampler *m, const struct lease_sampler_in *in, struct wires *w)
{
    const bool gone = w->forget && in->forget_group_i == in->acc_group_i;
    w->count = in->acc_valid_i && w->sampling && in->acc_group_i < m->p.Groups && !gone;
    w->block = in->acc_page_i >> 4 & bits_mask(LEASE_SAMPLER_BLOCK_W(&m->p));
    w->hit = 0;
    if (w->count)
        for (uint32_t i = 0; i < m->p.Entries; i++)
            w->hit |= (uint64_t)(m->group_q[i] == in->acc_group_i && m->block_q[i] == w->block) << i;
    w->hit &= w->valid;
    w->place = w->count && !w->hit ? first_one(~w->valid & entry_mask(m)) : 0;
    w->full = w->count && !w->hit && !w->place;
}

/* When idle, the entry of the group that comes next; else the next entry of the current group. */
static void entry_wires(const struct lease_sampler *m, struct wires *w)
{
    const bool rest = m->state_q == LEASE_SAMPLER_REST && !w->sampling, entry = m->state_q == LEASE_SAMPLER_ENTRY;
    w->pick = rest ? first_one(w->valid) : entry ? first_one(w->valid & entries_of(m, m->work_q)) : 0;
    w->at = onehot_index(w->pick);
}

/* The lease of the current group: from the sample, and the old one. */
static uint32_t weighted(const struct lease_sampler *m)
{
    const uint32_t most = longest_lease(m), at = m->work_q < m->p.Groups ? m->work_q : 0;
    const uint32_t got = m->sum_q > most ? most : m->sum_q == 0 ? 1 : (uint32_t)m->sum_q;
    const uint32_t old = m->lease_q[at], shift = m->p.OldShift;
    return m->known_q >> at & 1 ? (((old << shift) - old + got) >> shift) & most : got;
}

void lease_sampler_init(struct lease_sampler *m, const struct lease_sampler_cfg *cfg)
{
    m->p = *cfg;
    m->phase_q = LEASE_SAMPLER_PAGES;
    m->work_q = 0;
    m->n_q = 0;
    m->sum_q = 0;
    m->quot_q = 0;
    m->rest_q = 0;
    m->divisor_q = 0;
    m->step_q = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->group_q[i] = 0;
        m->block_q[i] = 0;
        m->count_q[i] = 0;
        m->tag_q[i] = 0;
    }
    for (uint32_t i = 0; i < m->p.Groups; i++) m->lease_q[i] = 0;
    lease_sampler_reset(m);
}

/* Registers that are don't-care when idle, without entries or without samples have no reset in the RTL, and none
 * here. */
void lease_sampler_reset(struct lease_sampler *m)
{
    m->cycle_q = 0;
    m->state_q = LEASE_SAMPLER_REST;
    m->valid_q = 0;
    m->known_q = 0;
    m->ignored_q = 0;
    m->samples_q = 0;
    m->error_q = LEASE_SAMPLER_OK;
}

void lease_sampler_eval(const struct lease_sampler *m, const struct lease_sampler_in *in, struct lease_sampler_out *out)
{
    const bool there = in->look_group_i < m->p.Groups;
    const uint32_t look = there ? in->look_group_i : 0;
    const bool update = m->state_q == LEASE_SAMPLER_UPDATE && !dropped(m, in);
    out->look_known_o = there && (m->known_q >> look & 1);
    out->look_lease_o = (uint16_t)(out->look_known_o ? m->lease_q[look] : initial_lease(m));
    out->upd_valid_o = update;
    out->upd_group_o = update ? m->work_q : 0;
    out->upd_lease_o = (uint16_t)(update ? weighted(m) : 0);
    out->sampling_o = m->cycle_q < m->p.Duty;
    out->ignored_o = m->ignored_q;
    out->samples_o = m->samples_q;
    out->error_o = m->error_q;
}

static void tick_access(struct lease_sampler *m, const struct lease_sampler_in *in, const struct wires *w)
{
    const uint32_t page = 1u << (in->acc_page_i & 15);
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        if (w->hit >> i & 1) {
            m->count_q[i] = (uint16_t)(m->count_q[i] + (m->count_q[i] != bits_mask(m->p.CountW)));
            m->tag_q[i] |= (uint16_t)page;
        }
        if (w->place >> i & 1) {
            m->group_q[i] = (uint8_t)(in->acc_group_i & bits_index_mask(m->p.Groups));
            m->block_q[i] = w->block;
            m->count_q[i] = 1;
            m->tag_q[i] = (uint16_t)page;
        }
    }
    m->ignored_q += w->full && m->ignored_q != UINT32_MAX;
}

static void divide(struct lease_sampler *m, uint64_t dividend, uint32_t divisor, uint32_t phase)
{
    m->quot_q = dividend & divide_mask(m);
    m->rest_q = 0;
    m->divisor_q = divisor & divisor_mask(m);
    m->step_q = (uint8_t)(LEASE_SAMPLER_DIVIDE_W(&m->p) - 1);
    m->phase_q = (uint8_t)phase;
    m->state_q = LEASE_SAMPLER_DIVIDE;
}

static void tick_rest(struct lease_sampler *m, const struct wires *w)
{
    m->work_q = m->group_q[w->at];
    m->n_q = 0;
    m->sum_q = 0;
    m->state_q = LEASE_SAMPLER_ENTRY;
}

/* Divides N/P of the next entry; after the last one, their sum by n. */
static void tick_entry(struct lease_sampler *m, const struct wires *w)
{
    if (w->pick) {
        divide(m, (uint64_t)m->count_q[w->at] << m->p.FracW, pages_of(m->tag_q[w->at]), LEASE_SAMPLER_PAGES);
        m->n_q = (uint8_t)((m->n_q + 1u) & bits_index_mask(m->p.Entries + 1));
    } else {
        divide(m, m->sum_q, m->n_q, LEASE_SAMPLER_AVERAGE);
    }
}

/* Restoring division, one quotient bit per cycle, highest first.  The quotient bit replaces the dividend bit shifted
 * out. */
static void tick_divide(struct lease_sampler *m)
{
    const uint64_t top = m->quot_q >> (LEASE_SAMPLER_DIVIDE_W(&m->p) - 1) & 1;
    const uint32_t row = m->rest_q << 1 | (uint32_t)top;
    const bool fits = row >= m->divisor_q;
    m->rest_q = (row - (fits ? m->divisor_q : 0)) & divisor_mask(m);
    m->quot_q = (m->quot_q << 1 | fits) & divide_mask(m);
    m->state_q = m->step_q ? LEASE_SAMPLER_DIVIDE : LEASE_SAMPLER_ROUND;
    m->step_q = (uint8_t)((m->step_q - 1u) & bits_index_mask(LEASE_SAMPLER_DIVIDE_W(&m->p)));
}

/* Rounds to nearest; half rounds up. */
static void tick_round(struct lease_sampler *m)
{
    const bool up = m->rest_q << 1 >= m->divisor_q, pages = m->phase_q == LEASE_SAMPLER_PAGES;
    m->sum_q = ((pages ? m->sum_q : 0) + m->quot_q + up) & divide_mask(m);
    m->state_q = pages                                 ? LEASE_SAMPLER_ENTRY
                 : m->phase_q == LEASE_SAMPLER_AVERAGE ? LEASE_SAMPLER_SCALE
                                                       : LEASE_SAMPLER_UPDATE;
}

static void tick_update(struct lease_sampler *m)
{
    const uint32_t lease = weighted(m);
    if (m->work_q < m->p.Groups) {
        m->lease_q[m->work_q] = (uint16_t)lease;
        m->known_q |= (uint64_t)1 << m->work_q;
    }
    m->samples_q += m->samples_q != UINT32_MAX;
    m->state_q = LEASE_SAMPLER_REST;
}

static void tick_work(struct lease_sampler *m, const struct wires *w)
{
    const uint8_t state = m->state_q;
    if (state == LEASE_SAMPLER_ENTRY) tick_entry(m, w);
    if (state == LEASE_SAMPLER_SCALE)
        divide(m, m->sum_q * m->p.ScaleNum, m->p.ScaleDen << m->p.FracW, LEASE_SAMPLER_LEASE);
    if (state == LEASE_SAMPLER_DIVIDE) tick_divide(m);
    if (state == LEASE_SAMPLER_ROUND) tick_round(m);
    if (state == LEASE_SAMPLER_UPDATE) tick_update(m);
}

void lease_sampler_tick(struct lease_sampler *m, const struct lease_sampler_in *in)
{
    struct wires w;
    const bool rest = m->state_q == LEASE_SAMPLER_REST, entry = m->state_q == LEASE_SAMPLER_ENTRY;
    const bool drop = dropped(m, in);
    port_wires(m, in, &w);
    access_wires(m, in, &w);
    entry_wires(m, &w);
    if (rest && w.pick) tick_rest(m, &w);
    if (!rest && drop) m->state_q = LEASE_SAMPLER_REST;
    if (!rest && !drop) tick_work(m, &w);
    if (w.forget) m->known_q &= ~((uint64_t)1 << in->forget_group_i);
    m->valid_q = (w.valid & ~(entry ? w.pick : 0)) | w.place;
    tick_access(m, in, &w);
    m->cycle_q = m->cycle_q == m->p.Period - 1 ? 0 : (m->cycle_q + 1) & bits_index_mask(m->p.Period);
    if ((in->acc_valid_i && in->acc_group_i >= m->p.Groups) || (in->forget_valid_i && !w.forget))
        m->error_q = LEASE_SAMPLER_ERROR_GROUP;
}

bool lease_sampler_idle(const struct lease_sampler *m)
{
    return m->state_q == LEASE_SAMPLER_REST && m->valid_q == 0;
}

void lease_sampler_skip(struct lease_sampler *m, uint64_t cycles)
{
    const uint32_t sum = m->cycle_q + (uint32_t)(cycles % m->p.Period);
    m->cycle_q = sum >= m->p.Period ? sum - m->p.Period : sum;
}

/* One division per entry and two per group.  A division takes a cycle to start, one per bit, and one to round.  A
 * group takes one more cycle to choose it and one to set its lease. */
uint32_t lease_sampler_longest(const struct lease_sampler_cfg *cfg)
{
    const uint32_t groups = cfg->Groups < cfg->Entries ? cfg->Groups : cfg->Entries;
    return (cfg->Entries + 2 * groups) * (LEASE_SAMPLER_DIVIDE_W(cfg) + 2) + 2 * groups;
}

const char *lease_sampler_illegal(const struct lease_sampler_cfg *cfg)
{
    if (cfg->Period < cfg->Duty || cfg->Period - cfg->Duty < lease_sampler_longest(cfg))
        return "Period: allowed: Duty and the cycles of the divisions (lease_sampler_longest) or more";
    return NULL;
}
