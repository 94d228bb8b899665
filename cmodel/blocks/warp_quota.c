/* SPDX-License-Identifier: Apache-2.0 */
#include "warp_quota.h"

struct wires {
    uint32_t present;
    bool issue_bad, count_bad, set_ok, refill;
};

static bool may(const struct warp_quota *m, uint32_t i)
{
    return (m->present_q >> i & 1) != 0 && m->left_q[i] != 0;
}

static uint32_t issued(const struct warp_quota_in *in, uint32_t i)
{
    const uint32_t count = in->issue_counts_i >> (i * WARP_QUOTA_COUNT_W) & (uint32_t)bits_mask(WARP_QUOTA_COUNT_W);
    return in->issue_valid_i ? count : 0;
}

/* Instructions of a kernel that may issue are taken from its quota, those of others are ignored. */
static uint32_t spent(const struct warp_quota *m, const struct warp_quota_in *in, uint32_t i)
{
    return may(m, i) ? issued(in, i) : 0;
}

static uint32_t left(const struct warp_quota *m, const struct warp_quota_in *in, uint32_t i)
{
    const uint32_t n = spent(m, in, i);
    return n > m->left_q[i] ? 0 : m->left_q[i] - n;
}

static uint32_t above(const struct warp_quota *m, const struct warp_quota_in *in, uint32_t i)
{
    const uint32_t n = spent(m, in, i);
    return n > m->left_q[i] ? n - m->left_q[i] : 0;
}

static void all_wires(const struct warp_quota *m, const struct warp_quota_in *in, struct wires *w)
{
    uint32_t remain = 0, total = 0;
    w->issue_bad = false;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        w->issue_bad = w->issue_bad || (issued(in, i) != 0 && !may(m, i));
        total += issued(in, i);
        remain |= (uint32_t)(left(m, in, i) != 0) << i;
    }
    w->count_bad = total > m->p.Issues;
    w->present = in->kernels_valid_i ? in->kernels_i : m->present_q;
    w->refill = w->present != 0 && (w->present & remain) == 0;
    w->set_ok = in->set_valid_i && in->set_quota_i != 0 && in->set_kernel_i < m->p.Kernels;
}

void warp_quota_init(struct warp_quota *m, const struct warp_quota_cfg *cfg)
{
    m->p = *cfg;
    warp_quota_reset(m);
}

void warp_quota_reset(struct warp_quota *m)
{
    m->present_q = 0;
    m->error_q = WARP_QUOTA_OK;
    for (uint32_t i = 0; i < WARP_QUOTA_MAX_KERNELS; i++) {
        m->set_q[i] = i < m->p.Kernels;
        m->left_q[i] = 0;
        m->debt_q[i] = 0;
    }
}

void warp_quota_eval(const struct warp_quota *m, const struct warp_quota_in *in, struct warp_quota_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->may_issue_o = 0;
    out->left_o = 0;
    for (uint32_t i = 0; i < m->p.Kernels; i++) {
        out->may_issue_o |= (uint8_t)((uint32_t)may(m, i) << i);
        out->left_o |= (uint64_t)m->left_q[i] << (i * m->p.QuotaW);
    }
    out->refill_o = w.refill;
    out->error_o = m->error_q;
}

/* A quota less the debt, at least 1. */
static uint32_t next_quota(uint32_t set, uint32_t debt)
{
    return set > debt ? set - debt : 1;
}

static void tick_kernel(struct warp_quota *m, const struct warp_quota_in *in, const struct wires *w, uint32_t i)
{
    const uint32_t debt = m->p.Debt ? m->debt_q[i] | above(m, in, i) : 0;
    const bool set = w->set_ok && in->set_kernel_i == i;
    m->left_q[i] = (uint16_t)(w->refill ? next_quota(m->set_q[i], debt) : left(m, in, i));
    m->debt_q[i] = (uint8_t)(w->refill ? 0 : debt);
    m->set_q[i] = set ? in->set_quota_i : m->set_q[i];
}

void warp_quota_tick(struct warp_quota *m, const struct warp_quota_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    const uint8_t found = w.issue_bad                    ? WARP_QUOTA_ERROR_ISSUE
                          : w.count_bad                  ? WARP_QUOTA_ERROR_COUNT
                          : in->set_valid_i && !w.set_ok ? WARP_QUOTA_ERROR_SET
                                                         : WARP_QUOTA_OK;
    for (uint32_t i = 0; i < m->p.Kernels; i++) tick_kernel(m, in, &w, i);
    m->present_q = (uint8_t)w.present;
    m->error_q = m->error_q ? m->error_q : found;
}

/* A refill needs an instruction or a change of the kernels: with a kernel present, one of them has quota left. */
bool warp_quota_idle(const struct warp_quota *m)
{
    bool one = m->present_q == 0;
    for (uint32_t i = 0; i < m->p.Kernels; i++) one = one || may(m, i);
    return one;
}

void warp_quota_skip(struct warp_quota *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
