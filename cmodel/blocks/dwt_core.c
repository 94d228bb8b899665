/* SPDX-License-Identifier: Apache-2.0 */
#include "dwt_core.h"

struct wires {
    uint16_t key;   /* looked up in the table */
    uint32_t place; /* of the key, or of the entry that it replaces */
    bool hit, uses;
    uint8_t found, warps; /* the number of warps there; the one that the entry gets */
    bool thrashes, asks, reuse;
};

/* A number out of range limits nothing: 0 would stop the SM for ever. */
static uint8_t in_range(const struct dwt_core *m, uint32_t warps)
{
    return (uint8_t)(warps >= 1 && warps <= m->p.Warps ? warps : m->p.Warps);
}

static void look_up(const struct dwt_core *m, const struct dwt_core_in *in, struct wires *w)
{
    w->key = in->start_valid_i ? in->start_kernel_i : m->kernel_q;
    w->place = m->p.Kernels - 1;
    w->hit = false;
    w->found = 0;
    for (uint32_t i = 0; i < DWT_CORE_MAX_KERNELS; i++)
        if (i < m->p.Kernels && !w->hit && (m->valid_q >> i & 1) && m->key_q[i] == w->key) {
            w->hit = true;
            w->place = i;
            w->found = m->warps_q[i];
        }
    w->uses = in->start_valid_i ? w->hit : in->result_valid_i;
    w->warps = in->start_valid_i ? w->found : in_range(m, in->result_warps_i);
}

/* Misses per 1000 instructions above Mpki, without a division. */
static void judge(const struct dwt_core *m, const struct dwt_core_in *in, struct wires *w)
{
    const bool ends = in->period_valid_i && m->state_q == DWT_WATCH && !in->start_valid_i && !in->result_valid_i &&
                      !in->sample_valid_i && !in->collect_valid_i;
    w->thrashes = (uint64_t)m->miss_q * 1000 > (uint64_t)m->inst_q * m->p.Mpki;
    w->reuse = ends && w->thrashes && m->known_q;
    w->asks = ends && w->thrashes && !m->known_q && m->streak_q + 1u >= m->p.Periods;
}

static void all_wires(const struct dwt_core *m, const struct dwt_core_in *in, struct wires *w)
{
    look_up(m, in, w);
    judge(m, in, w);
}

void dwt_core_init(struct dwt_core *m, const struct dwt_core_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < DWT_CORE_MAX_KERNELS; i++) {
        m->key_q[i] = 0;
        m->warps_q[i] = 0;
    }
    dwt_core_reset(m);
}

void dwt_core_reset(struct dwt_core *m)
{
    m->state_q = DWT_WATCH;
    m->inst_q = 0;
    m->miss_q = 0;
    m->streak_q = 0;
    m->limit_q = (uint8_t)m->p.Warps;
    m->known_q = false;
    m->best_q = 0;
    m->kernel_q = 0;
    m->valid_q = 0;
}

void dwt_core_eval(const struct dwt_core *m, const struct dwt_core_in *in, struct dwt_core_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->limit_o = m->limit_q;
    out->ask_o = m->state_q == DWT_ASK;
    out->report_valid_o = m->state_q == DWT_REPORT;
    out->report_count_o = m->state_q == DWT_REPORT ? m->inst_q : 0;
    out->reuse_o = w.reuse;
}

/* What happens in a cycle, the first one that applies: start, result, sample, collect, period. */
static uint8_t next_state(const struct dwt_core *m, const struct dwt_core_in *in, const struct wires *w)
{
    if (in->start_valid_i) return DWT_WATCH;
    if (in->result_valid_i) return DWT_FIXED;
    if (in->sample_valid_i) return DWT_SAMPLE;
    if (in->collect_valid_i) return DWT_REPORT;
    if (w->asks) return DWT_ASK;
    if (w->reuse) return DWT_FIXED;
    return m->state_q == DWT_REPORT && in->report_ready_i ? DWT_WAIT : m->state_q;
}

static uint8_t next_limit(const struct dwt_core *m, const struct dwt_core_in *in, const struct wires *w)
{
    const uint32_t own = (uint32_t)in->sample_first_i + in->number_i + 1;
    if (in->start_valid_i) return (uint8_t)m->p.Warps;
    if (in->result_valid_i) return w->warps;
    if (in->sample_valid_i) return in_range(m, own);
    return w->reuse ? m->best_q : m->limit_q;
}

static uint32_t add(uint32_t counter, uint32_t count, uint32_t width)
{
    const uint64_t sum = (uint64_t)counter + count, most = bits_mask(width);
    return (uint32_t)(sum > most ? most : sum);
}

/* A period counts from its first cycle on; a round from the cycle after sample_valid_i to that of collect_valid_i. */
static void count(struct dwt_core *m, const struct dwt_core_in *in)
{
    const bool clear = in->start_valid_i || in->sample_valid_i;
    const bool watch = m->state_q == DWT_WATCH, fresh = watch && in->period_valid_i;
    const uint32_t insts = in->inst_valid_i && (watch || m->state_q == DWT_SAMPLE) ? in->inst_count_i : 0;
    const uint32_t misses = in->miss_valid_i && watch ? in->miss_count_i : 0;
    m->inst_q = clear ? 0 : add(fresh ? 0 : m->inst_q, insts, m->p.InstW);
    m->miss_q = clear ? 0 : add(fresh ? 0 : m->miss_q, misses, m->p.MissW);
}

static uint8_t next_streak(const struct dwt_core *m, const struct dwt_core_in *in, const struct wires *w)
{
    const bool last = m->streak_q + 1u >= m->p.Periods;
    if (in->start_valid_i) return 0;
    if (!in->period_valid_i || m->state_q != DWT_WATCH) return m->streak_q;
    return (uint8_t)(w->thrashes && !last ? m->streak_q + 1u : 0);
}

/* The entry moves to the front, and those before it one place back. */
static void use_entry(struct dwt_core *m, const struct wires *w)
{
    const uint32_t moved = (2u << w->place) - 1;
    const uint32_t valid = (m->valid_q & ~moved) | (((uint32_t)m->valid_q << 1 | 1) & moved);
    m->valid_q = w->uses ? (uint16_t)(valid & (uint32_t)bits_mask(m->p.Kernels)) : m->valid_q;
    for (uint32_t k = 0; k < DWT_CORE_MAX_KERNELS; k++) {
        const uint32_t i = DWT_CORE_MAX_KERNELS - 1 - k;
        if (!w->uses || i >= m->p.Kernels || i > w->place) continue;
        m->key_q[i] = i ? m->key_q[i - 1] : w->key;
        m->warps_q[i] = i ? m->warps_q[i - 1] : w->warps;
    }
}

void dwt_core_tick(struct dwt_core *m, const struct dwt_core_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    const uint8_t state = next_state(m, in, &w), limit = next_limit(m, in, &w), streak = next_streak(m, in, &w);
    count(m, in);
    use_entry(m, &w);
    m->state_q = state;
    m->limit_q = limit;
    m->streak_q = streak;
    if (!in->start_valid_i) return;
    m->known_q = w.hit;
    m->best_q = w.found;
    m->kernel_q = in->start_kernel_i;
}

bool dwt_core_idle(const struct dwt_core *m)
{
    return m->state_q != DWT_REPORT;
}

/* A report that waits is not idle; nothing else changes without a valid input. */
void dwt_core_skip(struct dwt_core *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
