/* SPDX-License-Identifier: Apache-2.0 */
#include "qbmi.h"

/* Least common multiple by prime-power steps.  The LCM is the product of the steps that divide any of the numbers.
 * LCM / number is the product of the steps that divide another number but not this one.  Numbers up to 32 have 18
 * steps: 2, 4, 8, 16, 32, 3, 9, 27, 5, 25, 7, 11, 13, 17, 19, 23, 29, 31.  Each step multiplies by its prime. */
enum { STEPS = 32 };
static const uint8_t PRIME[STEPS] = {2, 2, 2, 2, 2, 3, 3, 3, 5, 5, 7, 11, 13, 17, 19, 23, 29, 31};
/* Bit r - 1: the step divides r. */
static const uint32_t DIVIDES[STEPS] = {0xaaaaaaaa, 0x88888888, 0x80808080, 0x80008000, 0x80000000, 0x24924924,
                                        0x04020100, 0x04000000, 0x21084210, 0x01000000, 0x08102040, 0x00200400,
                                        0x02001000, 0x00010000, 0x00040000, 0x00400000, 0x10000000, 0x40000000};

struct wires {
    bool issue_ok, issue_bad, req_ok, req_bad, ends, refill, changed;
    uint8_t present;
    uint8_t ratio[QBMI_MAX_KERNELS];
    uint32_t minst[QBMI_MAX_KERNELS], quota[QBMI_MAX_KERNELS];
};

static bool in_mask(uint32_t mask, uint32_t kernel)
{
    return (mask >> kernel & 1) != 0;
}

/* Round robin after the kernel that issued last: later kernels first, then lower numbers. */
static bool before(const struct qbmi *m, uint32_t i, uint32_t j)
{
    const bool i_behind = i > m->last_q, j_behind = j > m->last_q;
    return i_behind == j_behind ? i < j : i_behind;
}

static bool beats(const struct qbmi *m, uint32_t i, uint32_t j)
{
    if (m->p.Rbmi) return before(m, i, j);
    return m->quota_q[i] > m->quota_q[j] || (m->quota_q[i] == m->quota_q[j] && before(m, i, j));
}

/* All-pairs compare: the requesting kernel with no other of higher priority; one bit, if any requests. */
static uint32_t grant(const struct qbmi *m, uint32_t asks)
{
    uint32_t winners = 0;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        bool wins = in_mask(asks, i);
        for (uint32_t j = 0; j < m->p.Kernels; j++) wins = wins && (j == i || !in_mask(asks, j) || beats(m, i, j));
        winners |= (uint32_t)wins << i;
    }
    return winners;
}

/* 2^ReqW / minst to nearest, 1 to 32: at least r where minst * (2r - 1) <= 2 * 2^ReqW. */
static uint8_t ratio(const struct qbmi *m, uint32_t minst)
{
    uint8_t r = 1;
    for (uint32_t k = 2; k <= 32; k++)
        if (minst <= ((uint32_t)2 << m->p.ReqW) / (2 * k - 1)) r = (uint8_t)k;
    return r;
}

static void event_wires(const struct qbmi *m, const struct qbmi_in *in, struct wires *w)
{
    w->issue_ok = in->issue_valid_i && in_mask(m->present_q, in->issue_kernel_i);
    w->issue_bad = in->issue_valid_i && !w->issue_ok;
    w->req_ok = in->req_valid_i && in_mask(m->present_q, in->req_kernel_i);
    w->req_bad = in->req_valid_i && in->req_kernel_i >= m->p.Kernels;
    w->present = in->kernels_valid_i ? in->kernels_i : m->present_q;
}

/* An instruction that issues in the cycle of the interval's last request counts in that interval. */
static void ratio_wires(const struct qbmi *m, const struct qbmi_in *in, struct wires *w)
{
    uint32_t req = 0, minst = 0;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        const bool more = w->issue_ok && in->issue_kernel_i == i && m->minst_q[i] != bits_mask(m->p.ReqW);
        w->minst[i] = m->minst_q[i] + more;
        req |= in->req_kernel_i == i ? m->req_q[i] : 0;
        minst |= in->req_kernel_i == i ? w->minst[i] : 0;
    }
    w->ends = w->req_ok && req == bits_mask(m->p.ReqW);
    const uint8_t now = w->ends ? ratio(m, minst) : 1;
    w->changed = false;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        const bool gone = in->kernels_valid_i && !in_mask(w->present, i);
        const uint8_t next = w->ends && in->req_kernel_i == i ? now : m->ratio_q[i];
        w->ratio[i] = gone ? 1 : next;
        w->changed = w->changed || w->ratio[i] != m->ratio_q[i];
    }
}

static void quota_wires(const struct qbmi *m, const struct qbmi_in *in, struct wires *w)
{
    bool empty = false;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        const bool less = w->issue_ok && in->issue_kernel_i == i && m->quota_q[i] != 0;
        w->quota[i] = m->quota_q[i] - (uint32_t)less;
        empty = empty || (in_mask(w->present, i) && w->quota[i] == 0);
    }
    w->refill = empty && (w->issue_ok || in->kernels_valid_i) && !m->p.Rbmi;
}

static void all_wires(const struct qbmi *m, const struct qbmi_in *in, struct wires *w)
{
    event_wires(m, in, w);
    ratio_wires(m, in, w);
    quota_wires(m, in, w);
}

void qbmi_init(struct qbmi *m, const struct qbmi_cfg *cfg)
{
    m->p = *cfg;
    qbmi_reset(m);
}

void qbmi_reset(struct qbmi *m)
{
    m->present_q = 0;
    m->last_q = 0;
    m->busy_q = false;
    m->step_q = 0;
    m->error_q = QBMI_OK;
    for (uint32_t i = 0; i < QBMI_MAX_KERNELS; i++) {
        const uint8_t one = !m->p.Rbmi && i < m->p.Kernels;
        m->req_q[i] = 0;
        m->minst_q[i] = 0;
        m->ratio_q[i] = one;
        m->quota_q[i] = 0;
        m->acc_q[i] = one;
        m->set_q[i] = one;
    }
}

void qbmi_eval(const struct qbmi *m, const struct qbmi_in *in, struct qbmi_out *out)
{
    struct wires w;
    const uint32_t winners = grant(m, in->ask_i & m->present_q);
    all_wires(m, in, &w);
    out->grant_valid_o = winners != 0;
    out->grant_kernel_o = 0;
    out->refill_o = w.refill;
    out->quota_o = 0;
    out->ratio_o = 0;
    out->error_o = m->error_q;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        if (in_mask(winners, i)) out->grant_kernel_o |= (uint8_t)i;
        out->quota_o |= (uint64_t)m->quota_q[i] << (i * m->p.QuotaW);
        out->ratio_o |= (uint32_t)m->ratio_q[i] << (i * QBMI_RATIO_W);
    }
}

static void tick_ratios(struct qbmi *m, const struct qbmi_in *in, const struct wires *w)
{
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        const bool gone = in->kernels_valid_i && !in_mask(w->present, i), mine = w->req_ok && in->req_kernel_i == i;
        const uint32_t requests = (m->req_q[i] + (uint32_t)mine) & (uint32_t)bits_mask(m->p.ReqW);
        m->req_q[i] = gone ? 0 : requests;
        m->minst_q[i] = gone || (mine && w->ends) ? 0 : w->minst[i];
        m->ratio_q[i] = w->ratio[i];
    }
}

/* Adds a new set of quotas to the remainder, capped at Carry sets. */
static uint32_t refilled(const struct qbmi *m, uint32_t left, uint32_t set)
{
    const uint32_t most = set * m->p.Carry, kept = left > most ? most : left;
    const uint32_t sum = kept + set, end = (uint32_t)bits_mask(m->p.QuotaW);
    return sum > end ? end : sum;
}

static void tick_quotas(struct qbmi *m, const struct qbmi_in *in, const struct wires *w)
{
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        const bool gone = in->kernels_valid_i && !in_mask(w->present, i);
        const bool more = w->refill && in_mask(w->present, i);
        const uint32_t left = w->quota[i], with_set = refilled(m, left, m->set_q[i]);
        m->quota_q[i] = (uint16_t)(gone ? 0 : more ? with_set : left);
    }
}

/* The set follows a change of Req/Minst after eighteen cycles; until then the previous set is used. */
static void tick_set(struct qbmi *m, const struct wires *w)
{
    const uint32_t prime = PRIME[m->step_q], divides = DIVIDES[m->step_q];
    const bool done = m->busy_q && m->step_q == QBMI_LAST_STEP && !w->changed;
    const uint32_t mask = (uint32_t)bits_mask(QBMI_SET_W(m->p.Kernels));
    uint32_t any = 0;
    for (uint32_t i = 0; i < m->p.Kernels; i++) any |= divides >> ((m->ratio_q[i] - 1u) & 31) & 1;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        const uint32_t own = divides >> ((m->ratio_q[i] - 1u) & 31) & 1;
        const uint32_t grown = (any & ~own ? m->acc_q[i] * prime : m->acc_q[i]) & mask;
        m->set_q[i] = done ? (uint16_t)grown : m->set_q[i];
        m->acc_q[i] = w->changed ? 1 : m->busy_q ? (uint16_t)grown : m->acc_q[i];
    }
    m->step_q = w->changed ? 0 : (uint8_t)((m->step_q + (uint32_t)m->busy_q) & 31);
    m->busy_q = w->changed || (m->busy_q && !done);
}

void qbmi_tick(struct qbmi *m, const struct qbmi_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    if (!m->p.Rbmi) {
        tick_quotas(m, in, &w);
        tick_set(m, &w);
        tick_ratios(m, in, &w);
    }
    m->present_q = w.present;
    m->last_q = w.issue_ok ? in->issue_kernel_i : m->last_q;
    m->error_q = m->error_q ? m->error_q : w.issue_bad ? QBMI_ERROR_ISSUE : w.req_bad ? QBMI_ERROR_REQUEST : QBMI_OK;
}

bool qbmi_idle(const struct qbmi *m)
{
    return !m->busy_q;
}

/* Without a computation in progress, no register changes without a valid input. */
void qbmi_skip(struct qbmi *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
