/* SPDX-License-Identifier: Apache-2.0 */
#include "pdp.h"

struct wires {
    bool acc_ok, fill_ok, bad;
    bool ages;     /* the set of the access ages */
    uint32_t load; /* the remaining distance of a line that is hit or filled */
    bool sampled, inserts, leaves;
    uint32_t row;     /* first sample of the sampled set */
    uint32_t sampler; /* its number */
    uint64_t found;   /* the youngest sample with the tag, one-hot */
    uint32_t counter; /* of its distance */
    bool counts, ends;
};

static uint32_t sample_shift(const struct pdp_cfg *p)
{
    uint32_t shift = 0;
    for (uint32_t i = 0; i < 8; i++)
        if ((p->SampledSets << i) < p->Sets) shift = i + 1;
    return shift;
}

/* The XOR of the fields of `shift` bits of the set's number is zero: one set in 2^shift, for any adjacent index bits
 * that an access pattern varies. */
static bool is_sampled(uint32_t set, uint32_t shift)
{
    uint32_t fold = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (i * shift < 8) fold ^= set >> (i * shift);
    return (fold & (uint32_t)bits_mask(shift)) == 0;
}

static uint32_t line(const struct pdp *m, uint32_t set, uint32_t way)
{
    return (set & (m->p.Sets - 1)) * m->p.Ways + way;
}

/* The accesses before a reuse at distance PD: PD - 1, in steps of 2^AgeShift, rounded up. */
static uint32_t protection(const struct pdp *m, uint32_t fixed_pd)
{
    const uint32_t most = (uint32_t)bits_mask(m->p.RpdW);
    const uint32_t distance = fixed_pd ? fixed_pd : m->pd_q, between = distance - (distance != 0);
    const uint32_t steps = (between + (1u << m->p.AgeShift) - 1) >> m->p.AgeShift;
    return steps > most ? most : steps;
}

static void look_up(const struct pdp *m, const struct pdp_in *in, struct wires *w)
{
    const uint32_t last = m->p.Depth - 1;
    uint32_t age = 0;
    w->found = 0;
    for (uint32_t i = 0; i < m->p.Depth; i++) {
        const bool match = m->live_q[w->row + i] && m->tag_q[w->row + i] == in->acc_tag_i;
        age |= match && !w->found ? i : 0;
        w->found |= (uint64_t)(match && !w->found) << i;
    }
    w->counter = ((age << m->p.InsertShift) | m->step_q[w->sampler]) >> m->p.CountShift;
    w->inserts = m->step_q[w->sampler] == bits_mask(m->p.InsertShift);
    w->leaves = w->inserts && m->live_q[w->row + last] && !(w->found >> last & 1);
}

static void access_wires(const struct pdp *m, const struct pdp_in *in, struct wires *w)
{
    const uint32_t shift = sample_shift(&m->p);
    const bool acc_bad = in->acc_valid_i && in->acc_hit_i && in->acc_way_i >= m->p.Ways;
    w->acc_ok = in->acc_valid_i && !acc_bad;
    w->fill_ok = in->fill_valid_i && in->fill_way_i < m->p.Ways;
    w->bad = acc_bad || (in->fill_valid_i && !w->fill_ok);
    w->ages = w->acc_ok && m->phase_q[in->acc_set_i & (m->p.Sets - 1)] == bits_mask(m->p.AgeShift);
    w->load = protection(m, in->fixed_pd_i);
    w->sampled = w->acc_ok && is_sampled(in->acc_set_i, shift);
    w->sampler = ((uint32_t)in->acc_set_i >> shift) & (m->p.SampledSets - 1);
    w->row = w->sampler * m->p.Depth;
    w->found = 0;
    w->counter = 0;
    w->inserts = false;
    w->leaves = false;
    if (w->sampled) look_up(m, in, w);
    /* Room for the two samples that one access can end. */
    w->counts = !m->busy_q && m->total_q < bits_mask(m->p.CountW) - 1;
    w->ends = w->acc_ok && !m->busy_q && m->seen_q == m->p.Interval - 1;
}

/* The lowest way of the set's candidates from `from` on, else the lowest; 0 if there is none. */
static uint32_t first_from(const struct pdp *m, uint32_t ways, uint32_t from)
{
    uint32_t above = 0, any = 0;
    bool above_found = false, any_found = false;
    for (uint32_t k = 0; k < m->p.Ways; k++) {
        const bool here = (ways >> k & 1) != 0;
        above = here && k >= from && !above_found ? k : above;
        above_found = above_found || (here && k >= from);
        any = here && !any_found ? k : any;
        any_found = any_found || here;
    }
    return above_found ? above : any;
}

/* Of lines that are all protected: one that was never hit, else one that was; with the longest protection left. */
static uint32_t youngest(const struct pdp *m, uint32_t set, uint32_t held)
{
    uint32_t way = 0, most = 0;
    for (uint32_t k = 0; k < m->p.Ways; k++) {
        const uint32_t e = line(m, set, k);
        /* 0 is for a way that is held. */
        const uint32_t rank = (held >> k & 1) != 0 ? 0 : ((uint32_t)!m->reused_q[e] << m->p.RpdW | m->rpd_q[e]) + 1;
        way = rank > most ? k : way;
        most = rank > most ? rank : most;
    }
    return way;
}

static void eval_victim(const struct pdp *m, const struct pdp_in *in, struct pdp_out *out)
{
    const uint32_t set = in->ask_set_i & (m->p.Sets - 1), held = in->ask_held_i;
    const uint32_t empty = in->ask_free_i & ~held & (uint32_t)bits_mask(m->p.Ways);
    uint32_t bare = 0;
    for (uint32_t k = 0; k < m->p.Ways; k++)
        bare |= (uint32_t)(m->rpd_q[line(m, set, k)] == 0 && (held >> k & 1) == 0) << k;
    const uint32_t unprotected = first_from(m, bare, m->next_q[set]);
    out->ask_bypass_o = !empty && !bare;
    out->ask_way_o = (uint8_t)(empty ? first_from(m, empty, 0) : bare ? unprotected : youngest(m, set, held));
}

void pdp_eval(const struct pdp *m, const struct pdp_in *in, struct pdp_out *out)
{
    struct wires w;
    access_wires(m, in, &w);
    eval_victim(m, in, out);
    out->acc_sampled_o = w.sampled;
    out->acc_found_o = w.found != 0;
    out->pd_o = m->pd_q;
    out->strobe_o = m->strobe_q;
    out->error_o = m->error_q;
}

/* A fill comes after an access to the same way. */
static void tick_lines(struct pdp *m, const struct pdp_in *in, const struct wires *w)
{
    const uint32_t set = in->acc_set_i & (m->p.Sets - 1), fill_set = in->fill_set_i & (m->p.Sets - 1);
    for (uint32_t k = 0; w->acc_ok && k < m->p.Ways; k++) {
        const uint32_t e = line(m, set, k);
        const bool hit = in->acc_hit_i && in->acc_way_i == k;
        const bool older = w->ages && m->rpd_q[e] != 0;
        m->rpd_q[e] = hit ? (uint16_t)w->load : (uint16_t)((m->rpd_q[e] - older) & bits_mask(m->p.RpdW));
        m->reused_q[e] = hit ? 1 : m->reused_q[e];
    }
    if (w->acc_ok) m->phase_q[set] = (uint16_t)((m->phase_q[set] + 1u) & bits_mask(m->p.AgeShift));
    for (uint32_t k = 0; w->fill_ok && k < m->p.Ways; k++) {
        const uint32_t e = line(m, fill_set, k);
        const bool here = in->fill_way_i == k;
        m->rpd_q[e] = here ? (uint16_t)w->load : m->rpd_q[e];
        m->reused_q[e] = here ? 0 : m->reused_q[e];
        m->next_q[fill_set] = here ? (uint8_t)(k + 1 < m->p.Ways ? k + 1 : 0) : m->next_q[fill_set];
    }
}

static void tick_samples(struct pdp *m, const struct pdp_in *in, const struct wires *w)
{
    for (uint32_t k = m->p.Depth; w->sampled && k > 0; k--) {
        const uint32_t i = k - 1, e = w->row + i, from = w->inserts && i > 0 ? i - 1 : i;
        const bool waits = m->live_q[w->row + from] && !(w->found >> from & 1);
        m->live_q[e] = waits || (w->inserts && i == 0);
        if (w->inserts) m->tag_q[e] = i > 0 ? m->tag_q[e - 1] : in->acc_tag_i & (uint32_t)bits_mask(m->p.TagW);
    }
    if (w->sampled) m->step_q[w->sampler] = (uint8_t)((m->step_q[w->sampler] + 1u) & bits_mask(m->p.InsertShift));
    for (uint32_t e = 0; in->flush_valid_i && e < m->p.SampledSets * m->p.Depth; e++) m->live_q[e] = 0;
}

static void count(struct pdp *m, const struct wires *w)
{
    const uint32_t total = (uint32_t)m->total_q + (w->found != 0) + w->leaves;
    if (!w->counts) return;
    m->total_q = (uint16_t)(total & bits_mask(m->p.CountW));
    for (uint32_t i = 0; i < PDP_COUNTERS(&m->p); i++) {
        const bool here = w->found && w->counter == i;
        m->reuse_q[i] = (uint16_t)((m->reuse_q[i] + (uint32_t)here) & bits_mask(m->p.CountW));
    }
}

static uint32_t cost_mask(const struct pdp *m)
{
    return (uint32_t)bits_mask(PDP_COST_W(&m->p));
}

/* From one candidate to the next: its reuses hit, all others stay 2^CountShift accesses longer.  A reuse costs its
 * distance: what it cost before, with d_e, less d_e. */
static void add_counter(struct pdp *m)
{
    const bool first = m->at_q == 0;
    const uint32_t mask = (uint32_t)bits_mask(m->p.CountW), reuses = m->reuse_q[m->at_q];
    const uint32_t hits = first ? 0 : m->hits_q, misses = (m->total_q - hits) & mask;
    const uint32_t cost = first ? m->total_q * m->p.Ways : m->cost_q;
    m->hits_q = (uint16_t)((hits + reuses) & mask);
    m->cost_q = (cost + (misses << m->p.CountShift) - reuses * m->p.Ways) & cost_mask(m);
    m->lead_q = 0;
    m->best_hits_q = first ? 0 : m->best_hits_q;
    m->best_cost_q = first ? 1 : m->best_cost_q;
    m->best_q = first ? 0 : m->best_q;
}

/* The search ends: the best candidate, if there was a reuse at all; the counters keep half their value. */
static void finish(struct pdp *m)
{
    m->pd_q = m->best_hits_q ? (uint16_t)((m->best_q + 1u) << m->p.CountShift) : m->pd_q;
    m->total_q >>= 1;
    for (uint32_t i = 0; i < PDP_COUNTERS(&m->p); i++) m->reuse_q[i] >>= 1;
}

/* A bit of both products of the comparison hits_q / cost_q > best_hits_q / best_cost_q.  True: the last bit of the
 * last candidate. */
static bool multiply(struct pdp *m)
{
    const uint32_t bit = (m->p.CountW - m->turn_q) & 15;
    const uint32_t width = m->p.CountW + PDP_COST_W(&m->p) + 1;
    const bool last = m->turn_q == m->p.CountW;
    const uint64_t plus = m->hits_q >> bit & 1 ? m->best_cost_q : 0, minus = m->best_hits_q >> bit & 1 ? m->cost_q : 0;
    m->lead_q = (2 * m->lead_q + plus - minus) & bits_mask(width);
    const bool better = last && m->lead_q != 0 && (m->lead_q >> (width - 1)) == 0;
    m->best_hits_q = better ? m->hits_q : m->best_hits_q;
    m->best_cost_q = better ? m->cost_q : m->best_cost_q;
    m->best_q = better ? m->at_q : m->best_q;
    return last && m->at_q == PDP_COUNTERS(&m->p) - 1;
}

static void tick_search(struct pdp *m, const struct wires *w)
{
    const uint32_t counters = PDP_COUNTERS(&m->p);
    bool done = false;
    if (m->busy_q) {
        const bool add = m->turn_q == 0, last = m->turn_q == m->p.CountW;
        if (add)
            add_counter(m);
        else
            done = multiply(m);
        if (done) finish(m);
        m->turn_q = last ? 0 : (uint8_t)((m->turn_q + 1u) & bits_index_mask(m->p.CountW + 1));
        m->at_q = (uint16_t)((m->at_q + (uint32_t)last) & (counters - 1));
    }
    m->strobe_q = done;
    m->busy_q = w->ends || (m->busy_q && !done);
}

void pdp_tick(struct pdp *m, const struct pdp_in *in)
{
    struct wires w;
    access_wires(m, in, &w);
    const bool counted = w.acc_ok && !m->busy_q;
    tick_lines(m, in, &w);
    tick_samples(m, in, &w);
    count(m, &w);
    tick_search(m, &w);
    m->seen_q = w.ends ? 0 : (uint16_t)((m->seen_q + (uint32_t)counted) & bits_index_mask(m->p.Interval));
    m->error_q = w.bad ? PDP_ERROR_WAY : m->error_q;
}

void pdp_init(struct pdp *m, const struct pdp_cfg *cfg)
{
    m->p = *cfg;
    m->hits_q = 0;
    m->cost_q = 0;
    m->lead_q = 0;
    m->best_hits_q = 0;
    m->best_cost_q = 0;
    m->best_q = 0;
    for (uint32_t e = 0; e < m->p.SampledSets * m->p.Depth; e++) m->tag_q[e] = 0;
    pdp_reset(m);
}

/* Registers that are don't-care without live_q or busy_q have no reset in the RTL, and keep their value here too. */
void pdp_reset(struct pdp *m)
{
    const uint32_t farthest = PDP_FARTHEST(&m->p);
    m->seen_q = 0;
    m->total_q = 0;
    m->busy_q = false;
    m->at_q = 0;
    m->turn_q = 0;
    m->pd_q = (uint16_t)(m->p.Ways < farthest ? m->p.Ways : farthest);
    m->strobe_q = false;
    m->error_q = PDP_OK;
    for (uint32_t e = 0; e < m->p.Sets * m->p.Ways; e++) {
        m->rpd_q[e] = 0;
        m->reused_q[e] = 0;
    }
    for (uint32_t s = 0; s < m->p.Sets; s++) {
        m->next_q[s] = 0;
        m->phase_q[s] = 0;
    }
    for (uint32_t e = 0; e < m->p.SampledSets * m->p.Depth; e++) m->live_q[e] = 0;
    for (uint32_t s = 0; s < m->p.SampledSets; s++) m->step_q[s] = 0;
    for (uint32_t i = 0; i < PDP_COUNTERS(&m->p); i++) m->reuse_q[i] = 0;
}

bool pdp_idle(const struct pdp *m)
{
    return !m->busy_q && !m->strobe_q;
}

/* Without a search in progress, no register changes without a valid input. */
void pdp_skip(struct pdp *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
