/* SPDX-License-Identifier: Apache-2.0 */
#include "dwt_coordinator.h"

struct wires {
    bool period, first, second, collect, takes, result; /* first, second: a round starts */
};

/* The last SM had the most warps of the first round, and there are numbers above. */
static bool last_won(const struct dwt_coordinator *m)
{
    return !m->second_q && m->p.Sms < m->p.Warps && m->warps_q == m->p.Sms;
}

static void all_wires(const struct dwt_coordinator *m, const struct dwt_coordinator_in *in, struct wires *w)
{
    const bool ends = m->cycle_q == m->p.Period - 1;
    w->period = m->state_q == DWT_PERIODS && ends;
    w->first = m->state_q == DWT_PERIODS && in->ask_valid_i;
    w->collect = m->state_q == DWT_ROUND && ends && m->period_q == m->p.Samples - 1;
    w->takes = m->state_q == DWT_COLLECT && in->report_valid_i;
    w->second = m->state_q == DWT_DECIDE && last_won(m);
    w->result = m->state_q == DWT_DECIDE && !last_won(m);
}

void dwt_coordinator_init(struct dwt_coordinator *m, const struct dwt_coordinator_cfg *cfg)
{
    m->p = *cfg;
    dwt_coordinator_reset(m);
}

void dwt_coordinator_reset(struct dwt_coordinator *m)
{
    m->state_q = DWT_PERIODS;
    m->cycle_q = 0;
    m->period_q = 0;
    m->second_q = false;
    m->reports_q = 0;
    m->best_q = 0;
    m->warps_q = (uint8_t)m->p.Warps;
}

void dwt_coordinator_eval(const struct dwt_coordinator *m, const struct dwt_coordinator_in *in,
                          struct dwt_coordinator_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->period_valid_o = w.period;
    out->sample_valid_o = w.first || w.second;
    out->sample_second_o = w.second;
    out->collect_valid_o = w.collect;
    out->report_ready_o = m->state_q == DWT_COLLECT;
    out->result_valid_o = w.result;
    out->result_warps_o = w.result ? m->warps_q : 0;
}

static uint8_t next_state(const struct dwt_coordinator *m, const struct dwt_coordinator_in *in, const struct wires *w)
{
    if (in->start_valid_i) return DWT_PERIODS;
    if (w->first || w->second) return DWT_ROUND;
    if (w->collect) return DWT_COLLECT;
    if (w->takes && m->reports_q == m->p.Sms - 1) return DWT_DECIDE;
    return w->result ? DWT_DONE : m->state_q;
}

/* The time in a period, and periods in a round. */
static void keep_time(struct dwt_coordinator *m, const struct wires *w, bool fresh)
{
    const bool runs = m->state_q == DWT_PERIODS || m->state_q == DWT_ROUND, ends = m->cycle_q == m->p.Period - 1;
    const uint32_t next = ends ? 0 : m->cycle_q + 1;
    const uint32_t period = w->collect ? 0 : (m->period_q + 1u) & bits_index_mask(m->p.Samples);
    m->period_q = fresh ? 0 : m->state_q == DWT_ROUND && ends ? (uint8_t)period : m->period_q;
    m->cycle_q = fresh ? 0 : runs ? next & bits_index_mask(m->p.Period) : m->cycle_q;
}

/* The most instructions win, and of equals the lower number of warps. */
static void compare(struct dwt_coordinator *m, const struct dwt_coordinator_in *in, const struct wires *w, bool anew)
{
    const uint32_t count = in->report_count_i, warps = in->report_warps_i;
    const bool better = w->takes && (count > m->best_q || (count == m->best_q && warps < m->warps_q));
    m->best_q = anew ? 0 : better ? count : m->best_q;
    m->warps_q = (uint8_t)(anew ? m->p.Warps : better ? warps : m->warps_q);
}

void dwt_coordinator_tick(struct dwt_coordinator *m, const struct dwt_coordinator_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    const bool anew = in->start_valid_i || w.first, fresh = anew || w.second;
    const uint8_t state = next_state(m, in, &w);
    const uint32_t reports = (m->reports_q + (uint32_t)w.takes) & bits_index_mask(m->p.Sms);
    compare(m, in, &w, anew);
    keep_time(m, &w, fresh);
    m->reports_q = fresh ? 0 : (uint16_t)reports;
    m->second_q = !anew && (w.second || m->second_q);
    m->state_q = state;
}

/* Time runs in the other states. */
bool dwt_coordinator_idle(const struct dwt_coordinator *m)
{
    return m->state_q == DWT_COLLECT || m->state_q == DWT_DONE;
}

void dwt_coordinator_skip(struct dwt_coordinator *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
