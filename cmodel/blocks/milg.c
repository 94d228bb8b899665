/* SPDX-License-Identifier: Apache-2.0 */
#include "milg.h"

struct wires {
    bool retire_bad, issue_bad, ends;
    uint32_t inflight, max, rf, new_limit;
};

/* All ones: the maximum of the in-flight counter; as a limit, no limit. */
static uint32_t top(const struct milg *m)
{
    return (uint32_t)bits_mask(m->p.InflightW);
}

static uint32_t limit(const struct milg *m, const struct milg_in *in)
{
    return in->static_limit_i ? in->static_limit_i : m->limit_q;
}

/* Completions are counted before the issue of the same cycle.  max >= inflight always, so max grows by at most one,
 * and only on an issue. */
static void count_inflight(const struct milg *m, const struct milg_in *in, struct wires *w)
{
    const uint32_t count = in->retire_valid_i ? in->retire_count_i : 0;
    w->retire_bad = count > m->inflight_q;
    const uint32_t left = w->retire_bad ? m->inflight_q : m->inflight_q - count;
    w->issue_bad = in->issue_valid_i && left == top(m);
    const bool issue = in->issue_valid_i && !w->issue_bad;
    w->inflight = left + issue;
    w->max = issue && left == m->max_q ? w->inflight : m->max_q;
}

/* a / b, b not 0; restoring division, highest bit first. */
static uint32_t quotient(const struct milg *m, uint32_t a, uint32_t b)
{
    uint32_t rest = 0, q = 0;
    for (uint32_t i = 0; i < m->p.InflightW; i++) {
        rest = rest << 1 | (a >> (m->p.InflightW - 1 - i) & 1);
        const bool fits = rest >= b;
        rest -= fits ? b : 0;
        q = q << 1 | fits;
    }
    return q;
}

static uint32_t relaxed(const struct milg *m, uint32_t max)
{
    if (m->p.Relax == MILG_LIFT) return top(m);
    if (m->p.Relax == MILG_HOLD) return m->limit_q;
    const uint32_t above = max == top(m) ? max : max + 1;
    return m->limit_q > max ? m->limit_q : above;
}

/* Dai17, figure 36: the maximum in flight, divided by the failures per request.  More in flight than the limit is from
 * before the limit fell, and does not count. */
static uint32_t next_limit(const struct milg *m, const struct wires *w)
{
    const uint32_t fails = w->rf >> m->p.ReqW, max = w->max < m->limit_q ? w->max : m->limit_q;
    const uint32_t q = quotient(m, max, fails);
    const uint32_t n = fails ? q : relaxed(m, max);
    return n ? n : 1;
}

static void all_wires(const struct milg *m, const struct milg_in *in, struct wires *w)
{
    count_inflight(m, in, w);
    w->rf = m->rf_q + (in->fail_valid_i && m->rf_q != bits_mask(m->p.RfW));
    w->ends = in->req_valid_i && m->req_q == bits_mask(m->p.ReqW) && !in->start_valid_i;
    w->new_limit = next_limit(m, w);
}

void milg_init(struct milg *m, const struct milg_cfg *cfg)
{
    m->p = *cfg;
    milg_reset(m);
}

void milg_reset(struct milg *m)
{
    m->inflight_q = 0;
    m->max_q = 0;
    m->rf_q = 0;
    m->req_q = 0;
    m->limit_q = (uint16_t)top(m);
    m->error_q = MILG_OK;
}

void milg_eval(const struct milg *m, const struct milg_in *in, struct milg_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->issue_ok_o = m->inflight_q < limit(m, in);
    out->limit_o = (uint16_t)limit(m, in);
    out->inflight_o = m->inflight_q;
    out->update_o = w.ends;
    out->new_limit_o = w.ends ? (uint16_t)w.new_limit : 0;
    out->error_o = m->error_q;
}

void milg_tick(struct milg *m, const struct milg_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    const bool fresh = w.ends || in->start_valid_i;
    const uint8_t error = w.retire_bad ? MILG_ERROR_RETIRE : w.issue_bad ? MILG_ERROR_ISSUE : MILG_OK;
    const uint32_t requests = (m->req_q + (uint32_t)in->req_valid_i) & (uint32_t)bits_mask(m->p.ReqW);
    m->limit_q = (uint16_t)(in->start_valid_i ? top(m) : w.ends ? w.new_limit : m->limit_q);
    m->inflight_q = (uint16_t)w.inflight;
    m->max_q = (uint16_t)(fresh ? w.inflight : w.max);
    m->rf_q = fresh ? 0 : w.rf;
    m->req_q = fresh ? 0 : requests;
    m->error_q = m->error_q ? m->error_q : error;
}

bool milg_idle(const struct milg *m)
{
    (void)m;
    return true;
}

/* No register changes without a valid input. */
void milg_skip(struct milg *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
