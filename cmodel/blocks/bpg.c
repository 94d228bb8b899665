/* SPDX-License-Identifier: Apache-2.0 */
#include "bpg.h"

/* (L/N)^3 in fixed point.  RF_base has at most 13 bits, so the rounding error is below half a failure.  With Rebase
 * the ratio can reach 8^3. */
enum { FRACTION = 13, ONE = 1 << FRACTION, MOST = 512 << FRACTION, BIAS = 1 << 23 };

struct wires {
    bool acc_ok, acc_bad, sampled, ends;
    uint32_t set;                     /* index of the sampled set */
    uint8_t match[BPG_MAX_CALCS];     /* the calculator counts a hit */
    uint32_t chosen[BPG_MAX_CALCS];   /* matching ways, else the oldest; 0: the access is not for this calculator */
    uint32_t hits[BPG_MAX_CALCS], rf; /* including this cycle's access */
};

static uint32_t sample_shift(const struct bpg_cfg *p)
{
    uint32_t shift = 0;
    for (uint32_t i = 0; i < 12; i++)
        if ((p->SampledSets << i) < p->Sets) shift = i + 1;
    return shift;
}

/* A set is sampled if the XOR of its index's fields of `shift` bits is zero.  That samples one set in 2^shift for
 * any `shift` adjacent index bits that an access pattern varies. */
static bool is_sampled(uint32_t set, uint32_t shift)
{
    uint32_t fold = 0;
    for (uint32_t i = 0; i < 12; i++)
        if (i * shift < 12) fold ^= set >> (i * shift);
    return (fold & (uint32_t)bits_mask(shift)) == 0;
}

static uint32_t entry(const struct bpg *m, uint32_t calc, uint32_t set, uint32_t way)
{
    return (calc * m->p.SampledSets + set) * m->p.Ways + way;
}

/* Whether calculator `i` observes accesses of this owner. */
static bool counts(const struct bpg *m, uint32_t calc, uint32_t owner)
{
    return owner <= calc || (m->p.LastAll && calc == m->p.Calcs - 1);
}

static void look_up(const struct bpg *m, const struct bpg_in *in, uint32_t calc, struct wires *w)
{
    uint32_t match = 0, oldest = 0;
    for (uint32_t k = 0; k < m->p.Ways; k++) {
        const uint32_t e = entry(m, calc, w->set, k);
        match |= (uint32_t)(m->valid_q[e] && m->tag_q[e] == in->acc_tag_i) << k;
        oldest |= (uint32_t)(m->age_q[e] == m->p.Ways - 1) << k;
    }
    w->match[calc] = match != 0;
    w->chosen[calc] = match ? match : oldest;
}

static uint32_t saturated(uint32_t value, uint32_t width)
{
    const uint32_t most = (uint32_t)bits_mask(width);
    return value > most ? most : value;
}

static void access_wires(const struct bpg *m, const struct bpg_in *in, struct wires *w)
{
    const uint32_t shift = sample_shift(&m->p);
    w->acc_ok = in->acc_valid_i && in->acc_owner_i < in->acc_owners_i;
    w->acc_bad = in->acc_valid_i && !w->acc_ok;
    w->sampled = w->acc_ok && is_sampled(in->acc_set_i, shift);
    w->set = ((uint32_t)in->acc_set_i >> shift) & (m->p.SampledSets - 1);
    for (uint32_t i = 0; i < m->p.Calcs; i++) {
        w->match[i] = 0;
        w->chosen[i] = 0;
        if (w->sampled && counts(m, i, in->acc_owner_i)) look_up(m, in, i, w);
    }
}

static void count_wires(const struct bpg *m, const struct bpg_in *in, struct wires *w)
{
    for (uint32_t i = 0; i < m->p.Calcs; i++) w->hits[i] = saturated((uint32_t)m->hits_q[i] + w->match[i], m->p.HitW);
    w->rf = saturated((uint32_t)m->rf_q + in->rf_valid_i, m->p.RfW);
    w->ends = w->acc_ok && m->count_q == m->p.Interval - 1;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* (p/q)^3 rounded to nearest. */
static uint32_t rounded(uint64_t p, uint64_t q)
{
    return (uint32_t)((p * p * p * (2 << FRACTION) + q * q * q) / (2 * q * q * q));
}

/* The ROM of ratios p/q: p < q for every L that bypasses some owner; with Rebase also p > q, clamped at 8^3. */
static uint32_t cube(const struct bpg_cfg *c, uint32_t p, uint32_t q)
{
    const uint32_t owners = 1u << c->OwnerW;
    uint32_t ratio = p == q ? ONE : c->Rebase && p >= 8 * q ? MOST : 0;
    for (uint32_t i = 1; i <= c->Calcs - c->LastAll; i++)
        for (uint32_t k = i + 1; k <= owners; k++) ratio |= p == i && q == k ? rounded(i, k) : 0;
    for (uint32_t k = 1; c->Rebase && k < c->Calcs; k++)
        for (uint32_t i = k + 1; i < 8 * k && i <= owners; i++) ratio |= p == i && q == k ? rounded(i, k) : 0;
    return ratio;
}

/* L = Calcs admits all N owners.  So did L_max = Calcs, if the failures were counted under it. */
static uint32_t cube_ratio(const struct bpg *m, uint32_t l)
{
    const bool all = m->p.LastAll && l == m->p.Calcs, all_before = !m->p.Rebase || m->l_max_q == m->p.Calcs;
    return cube(&m->p, all ? m->n_q : smaller(l, m->n_q), all_before ? m->n_q : smaller(m->l_max_q, m->n_q));
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return (a - b) & (uint32_t)bits_mask(BPG_ADJUSTED_W);
}

/* Adjusted Hits with `l` owners in the cache, plus BIAS: the value of the hits less the cost of the failures (Dai17,
 * section 2.6). */
static uint32_t worth(const struct bpg *m, uint32_t hits)
{
    return (hits << m->p.HitShift) + BIAS;
}

static uint32_t cost(const struct bpg *m, uint32_t ratio)
{
    return (uint32_t)((uint64_t)m->base_q * ratio >> (FRACTION + m->p.EShift));
}

void bpg_init(struct bpg *m, const struct bpg_cfg *cfg)
{
    m->p = *cfg;
    m->base_q = 0;
    m->n_q = 0;
    m->ratio_q = 0;
    for (uint32_t i = 0; i < m->p.Calcs; i++) m->snap_q[i] = 0;
    for (uint32_t e = 0; e < m->p.Calcs * m->p.SampledSets * m->p.Ways; e++) m->tag_q[e] = 0;
    bpg_reset(m);
}

/* Registers that are don't-care without valid_q or busy_q have no reset in the RTL, and keep their value here too. */
void bpg_reset(struct bpg *m)
{
    m->count_q = 0;
    m->rf_q = 0;
    m->busy_q = false;
    m->l_q = 0;
    m->best_q = 0;
    m->best_l_q = 0;
    m->l_max_q = (uint8_t)m->p.Calcs;
    m->strobe_q = false;
    m->error_q = BPG_OK;
    for (uint32_t i = 0; i < m->p.Calcs; i++) m->hits_q[i] = 0;
    for (uint32_t i = 0; i < m->p.Calcs * m->p.SampledSets; i++) {
        for (uint32_t k = 0; k < m->p.Ways; k++) {
            m->valid_q[i * m->p.Ways + k] = 0;
            m->age_q[i * m->p.Ways + k] = (uint8_t)k;
        }
    }
}

void bpg_eval(const struct bpg *m, const struct bpg_in *in, struct bpg_out *out)
{
    struct wires w;
    access_wires(m, in, &w);
    out->ask_bypass_o = m->l_max_q != m->p.Calcs && in->ask_owner_i >= m->l_max_q;
    out->l_max_o = m->l_max_q;
    out->strobe_o = m->strobe_q;
    out->acc_sampled_o = w.sampled;
    out->acc_hits_o = 0;
    for (uint32_t i = 0; i < m->p.Calcs; i++) out->acc_hits_o |= (uint8_t)(w.match[i] << i);
    out->error_o = m->error_q;
}

/* True LRU: ways used more recently than the chosen one age by one. */
static void touch(struct bpg *m, const struct bpg_in *in, uint32_t calc, const struct wires *w)
{
    uint32_t age = 0;
    for (uint32_t k = 0; k < m->p.Ways; k++) age |= w->chosen[calc] >> k & 1 ? m->age_q[entry(m, calc, w->set, k)] : 0;
    for (uint32_t k = 0; k < m->p.Ways; k++) {
        const uint32_t e = entry(m, calc, w->set, k);
        const bool chosen = (w->chosen[calc] >> k & 1) != 0;
        const uint32_t older = (m->age_q[e] + 1u) & bits_index_mask(m->p.Ways);
        m->tag_q[e] = chosen ? in->acc_tag_i & bits_mask(m->p.TagW) : m->tag_q[e];
        m->valid_q[e] = chosen ? 1 : m->valid_q[e];
        m->age_q[e] = chosen ? 0 : m->age_q[e] < age ? (uint8_t)older : m->age_q[e];
    }
}

static void tick_tags(struct bpg *m, const struct bpg_in *in, const struct wires *w)
{
    for (uint32_t i = 0; i < m->p.Calcs; i++)
        if (w->sampled && counts(m, i, in->acc_owner_i)) touch(m, in, i, w);
    for (uint32_t e = 0; in->flush_valid_i && e < m->p.Calcs * m->p.SampledSets * m->p.Ways; e++) m->valid_q[e] = 0;
}

/* End of an interval: the decision works on a snapshot; the counters continue with half their value. */
static void tick_counters(struct bpg *m, const struct bpg_in *in, const struct wires *w)
{
    for (uint32_t i = 0; i < m->p.Calcs; i++) m->hits_q[i] = (uint16_t)(w->hits[i] >> w->ends);
    m->rf_q = (uint16_t)(w->rf >> w->ends);
    if (w->ends) {
        for (uint32_t i = 0; i < m->p.Calcs; i++) m->snap_q[i] = (uint16_t)w->hits[i];
        m->base_q = (uint16_t)w->rf;
        m->n_q = (uint16_t)smaller(in->acc_owners_i, 1u << m->p.OwnerW);
        m->count_q = 0;
    } else {
        m->count_q = (uint16_t)((m->count_q + (uint32_t)w->acc_ok) & bits_index_mask(m->p.Interval));
    }
}

/* One calculator per cycle.  The ROM is read one cycle ahead; the snapshot shifts so that the next calculator's hits
 * are at index 0.  Ties go to the larger L.  The comparison is written as gain - costs >= best_q, as in the RTL,
 * which merges compare and subtract. */
static void tick_in_turn(struct bpg *m, const struct wires *w)
{
    const uint32_t ahead = (m->l_q + 1u) & bits_index_mask(m->p.Calcs + 1);
    const uint32_t gain = worth(m, m->snap_q[0]), costs = cost(m, m->ratio_q);
    const bool better = gain >= m->best_q && less(gain, m->best_q) >= costs;
    const bool step = m->busy_q && !w->ends, turn = step && m->l_q != 0, last = step && m->l_q == m->p.Calcs;
    const uint8_t best_l = better ? m->l_q : m->best_l_q;
    if (step) m->ratio_q = cube_ratio(m, ahead);
    m->l_max_q = last ? best_l : m->l_max_q;
    m->strobe_q = last;
    m->busy_q = w->ends || (m->busy_q && !last);
    if (turn) {
        m->best_q = better ? less(gain, costs) : m->best_q;
        m->best_l_q = best_l;
        for (uint32_t i = 0; i < m->p.Calcs; i++) m->snap_q[i] = i + 1 < m->p.Calcs ? m->snap_q[i + 1] : 0;
    }
    if (step) m->l_q = (uint8_t)ahead;
    if (w->ends) {
        m->l_q = 0;
        m->best_q = 0;
        m->best_l_q = 0;
    }
}

static void tick_at_once(struct bpg *m, const struct wires *w)
{
    uint32_t best = 0, best_l = 0;
    for (uint32_t i = 0; i < m->p.Calcs; i++) {
        const uint32_t now = less(worth(m, m->snap_q[i]), cost(m, cube_ratio(m, i + 1)));
        best_l = now >= best ? i + 1 : best_l;
        best = now >= best ? now : best;
    }
    m->strobe_q = m->busy_q && !w->ends;
    m->l_max_q = m->strobe_q ? (uint8_t)best_l : m->l_max_q;
    m->busy_q = w->ends;
}

void bpg_tick(struct bpg *m, const struct bpg_in *in)
{
    struct wires w;
    access_wires(m, in, &w);
    count_wires(m, in, &w);
    tick_tags(m, in, &w);
    if (m->p.Parallel)
        tick_at_once(m, &w);
    else
        tick_in_turn(m, &w);
    tick_counters(m, in, &w);
    m->error_q = w.acc_bad ? BPG_ERROR_OWNER : m->error_q;
}

bool bpg_idle(const struct bpg *m)
{
    return !m->busy_q && !m->strobe_q;
}

/* Without a decision in progress, no register changes without a valid input. */
void bpg_skip(struct bpg *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
