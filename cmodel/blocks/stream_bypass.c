/* SPDX-License-Identifier: Apache-2.0 */
#include "stream_bypass.h"

struct wires {
    uint32_t accesses, misses;
    bool ends, decide, bypass;
};

/* Misses stay at most accesses, so a full access counter stops both: the rate stays that of the accesses counted. */
static void count(const struct stream_bypass *m, const struct stream_bypass_in *in, struct wires *w)
{
    const bool counted = in->acc_valid_i && m->accesses_q != bits_mask(m->p.CountW);
    const bool hit = in->acc_hit_i || (in->acc_merge_i && m->p.MergeIsHit);
    w->accesses = m->accesses_q + (uint32_t)counted;
    w->misses = (m->misses_q + (uint32_t)(counted && !hit)) & (uint32_t)bits_mask(m->p.CountW);
}

/* Khairy15, section 4.1: misses / accesses > ThreshNum / ThreshDen. */
static void decide(const struct stream_bypass *m, struct wires *w)
{
    const bool over = (uint64_t)w->misses * m->p.ThreshDen > (uint64_t)w->accesses * m->p.ThreshNum;
    w->ends = m->cycle_q == m->p.Period - 1;
    w->decide = w->ends && w->accesses >= m->p.MinAccesses;
    w->bypass = w->decide ? over : m->bypass_q;
}

void stream_bypass_init(struct stream_bypass *m, const struct stream_bypass_cfg *cfg)
{
    m->p = *cfg;
    stream_bypass_reset(m);
}

void stream_bypass_reset(struct stream_bypass *m)
{
    m->cycle_q = 0;
    m->accesses_q = 0;
    m->misses_q = 0;
    m->bypass_q = false;
}

void stream_bypass_eval(const struct stream_bypass *m, const struct stream_bypass_in *in, struct stream_bypass_out *out)
{
    struct wires w;
    count(m, in, &w);
    decide(m, &w);
    out->bypass_o = m->bypass_q;
    out->decide_o = w.decide;
    out->next_o = w.decide && w.bypass;
}

void stream_bypass_tick(struct stream_bypass *m, const struct stream_bypass_in *in)
{
    struct wires w;
    count(m, in, &w);
    decide(m, &w);
    m->cycle_q = w.ends ? 0 : (m->cycle_q + 1) & bits_index_mask(m->p.Period);
    m->accesses_q = w.ends ? 0 : w.accesses;
    m->misses_q = w.ends ? 0 : w.misses;
    m->bypass_q = w.bypass;
}

bool stream_bypass_idle(const struct stream_bypass *m)
{
    (void)m;
    return true;
}

/* The period under way may decide; the periods after it have no access and decide nothing. */
void stream_bypass_skip(struct stream_bypass *m, uint64_t cycles)
{
    const struct stream_bypass_in quiet = {0};
    const uint32_t sum = m->cycle_q + (uint32_t)(cycles % m->p.Period);
    if (cycles >= m->p.Period - m->cycle_q) {
        m->cycle_q = m->p.Period - 1;
        stream_bypass_tick(m, &quiet);
    }
    m->cycle_q = sum >= m->p.Period ? sum - m->p.Period : sum;
}
