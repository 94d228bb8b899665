/* SPDX-License-Identifier: Apache-2.0 */
#include "tlp_modulator.h"

#include "onehot.h"

/* A test is whether x * y >= z * v. */
struct factors {
    uint64_t x, y, z, v;
};

struct wires {
    uint64_t used_a, used_b, mark;
    bool open, close;
    uint64_t sum;
    bool last_bit, holds; /* the test holds, with the last bit */
    bool judged, moves;   /* the tests are done; the limits are to change */
    bool winner;
    bool first, fits, placed, refused; /* the winner is being placed; the end of it */
    uint64_t left;
};

static void slot_wires(const struct tlp_modulator *m, const struct tlp_modulator_in *in, struct wires *w)
{
    const uint64_t gone = in->finish_valid_i ? in->finish_i : 0, used = m->used_a_q | m->used_b_q;
    const bool event = in->start_valid_i || in->stop_valid_i;
    const bool full = count_ones(m->used_a_q) == m->limit_a_q && count_ones(m->used_b_q) == m->limit_b_q;
    w->used_a = (m->used_a_q & ~gone) | (in->launch_valid_i ? in->launch_a_i : 0);
    w->used_b = (m->used_b_q & ~gone) | (in->launch_valid_i ? in->launch_b_i : 0);
    w->open = m->state_q == TLP_WAIT && full && used != 0 && !in->defer_i && !event;
    w->mark = (w->open ? used : m->mark_q) & ~gone;
    w->close = m->state_q == TLP_SAMPLE && w->mark == 0 && !event;
}

static struct factors factors_of(const struct tlp_modulator *m, const struct tlp_modulator_in *in)
{
    const uint64_t sp = (uint64_t)in->sp_a_i + in->sp_b_i, ldst = (uint64_t)in->ldst_a_i + in->ldst_b_i;
    const uint64_t sp_his = (uint64_t)m->sp_a_q + m->sp_b_q, ldst_his = (uint64_t)m->ldst_a_q + m->ldst_b_q;
    switch (m->test_q) {
    case TLP_SP_FALLS:
        return (struct factors){sp_his, in->cycles_i, sp, m->cycles_q};
    case TLP_LDST_FALLS:
        return (struct factors){ldst_his, in->cycles_i, ldst, m->cycles_q};
    case TLP_SP_CRITICAL:
        return (struct factors){ldst, sp_his, sp, ldst_his};
    default:
        return (struct factors){m->sp_a_q, m->ldst_b_q, m->sp_b_q, m->ldst_a_q};
    }
}

/* Adds a bit of both products, and drops the lowest bit of the sum: rounding down keeps the sign. */
static void test_wires(const struct tlp_modulator *m, const struct tlp_modulator_in *in, struct wires *w)
{
    const struct factors f = factors_of(m, in);
    const uint32_t width = m->p.CountW + 2;
    const uint64_t sign = (uint64_t)1 << (width - 1), wide = bits_mask(width + 1);
    const uint64_t sum = m->sum_q & sign ? m->sum_q | sign << 1 : m->sum_q;
    const uint64_t next = (sum + (f.y >> m->bit_q & 1 ? f.x : 0) - (f.v >> m->bit_q & 1 ? f.z : 0)) & wide;
    w->sum = next >> 1;
    w->holds = !(w->sum & sign);
    w->last_bit = m->bit_q == m->p.CountW;
    w->judged = m->state_q == TLP_JUDGE && w->last_bit && m->test_q == TLP_A_PREFERS;
    w->moves = m->primed_q && (m->holds_q & 3) != 0;
    w->winner = (m->holds_q >> TLP_SP_CRITICAL & 1) ? !w->holds : w->holds;
}

/* One more thread block, of the winner until it has all of its own. */
static void place_wires(const struct tlp_modulator *m, const struct tlp_modulator_in *in, struct wires *w)
{
    const uint32_t own = m->winner_q ? m->limit_b_q : m->limit_a_q, other = m->winner_q ? m->limit_a_q : m->limit_b_q;
    const uint64_t each = bits_mask(m->p.ResW);
    w->first = m->own_q <= own;
    const uint64_t need = w->first == m->winner_q ? in->need_b_i : in->need_a_i;
    w->fits = (uint32_t)m->own_q + m->other_q < m->p.Blocks && (w->first || m->other_q < other);
    w->left = 0;
    for (uint32_t r = 0; r < TLP_RESOURCES; r++) {
        const uint64_t have = m->left_q >> (r * m->p.ResW) & each, less = need >> (r * m->p.ResW) & each;
        w->fits = w->fits && have >= less;
        w->left |= ((have - less) & each) << (r * m->p.ResW);
    }
    w->refused = w->first || (m->other_q == 0 && other != 0);
    w->placed = m->state_q == TLP_PLACE && !w->fits && !w->refused && !in->start_valid_i && !in->stop_valid_i;
}

static void all_wires(const struct tlp_modulator *m, const struct tlp_modulator_in *in, struct wires *w)
{
    slot_wires(m, in, w);
    test_wires(m, in, w);
    place_wires(m, in, w);
}

void tlp_modulator_init(struct tlp_modulator *m, const struct tlp_modulator_cfg *cfg)
{
    m->p = *cfg;
    tlp_modulator_reset(m);
}

void tlp_modulator_reset(struct tlp_modulator *m)
{
    m->state_q = TLP_OFF;
    m->limit_a_q = (uint8_t)m->p.Blocks;
    m->limit_b_q = (uint8_t)m->p.Blocks;
    m->used_a_q = 0;
    m->used_b_q = 0;
    m->mark_q = 0;
    m->primed_q = false;
    m->cycles_q = 0;
    m->sp_a_q = 0;
    m->sp_b_q = 0;
    m->ldst_a_q = 0;
    m->ldst_b_q = 0;
    m->test_q = 0;
    m->bit_q = 0;
    m->sum_q = 0;
    m->holds_q = 0;
    m->winner_q = false;
    m->own_q = 0;
    m->other_q = 0;
    m->left_q = 0;
    m->error_q = TLP_OK;
}

void tlp_modulator_eval(const struct tlp_modulator *m, const struct tlp_modulator_in *in, struct tlp_modulator_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->limit_a_o = m->limit_a_q;
    out->limit_b_o = m->limit_b_q;
    out->open_o = w.open;
    out->close_o = w.close;
    out->step_valid_o = w.placed;
    out->step_kernel_o = w.placed && m->winner_q;
    out->error_o = m->error_q;
}

static uint8_t next_state(const struct tlp_modulator *m, const struct tlp_modulator_in *in, const struct wires *w)
{
    if (in->start_valid_i) return TLP_WAIT;
    if (in->stop_valid_i) return TLP_OFF;
    if (w->open) return TLP_SAMPLE;
    if (w->close) return in->hold_i ? TLP_WAIT : TLP_JUDGE;
    if (w->judged) return w->moves ? TLP_PLACE : TLP_WAIT;
    return m->state_q == TLP_PLACE && !w->fits ? TLP_WAIT : m->state_q;
}

static void tick_limits(struct tlp_modulator *m, const struct tlp_modulator_in *in, const struct wires *w)
{
    const uint8_t none = (uint8_t)m->p.Blocks, a = m->limit_a_q, b = m->limit_b_q;
    if (in->start_valid_i) {
        m->limit_a_q = in->start_a_i;
        m->limit_b_q = in->start_b_i;
    } else if (in->stop_valid_i) {
        m->limit_a_q = in->stop_kernel_i ? none : 0;
        m->limit_b_q = in->stop_kernel_i ? 0 : none;
    } else {
        m->limit_a_q = w->placed ? m->winner_q ? m->other_q : m->own_q : a;
        m->limit_b_q = w->placed ? m->winner_q ? m->own_q : m->other_q : b;
    }
}

/* A period and the history, or the first period alone. */
static uint32_t mixed(const struct tlp_modulator *m, uint32_t history, uint32_t period)
{
    const uint64_t old = history, sum = (old << m->p.Shift) - old + period;
    return m->primed_q ? (uint32_t)(sum >> m->p.Shift & bits_mask(m->p.CountW)) : period;
}

static void tick_history(struct tlp_modulator *m, const struct tlp_modulator_in *in, const struct wires *w)
{
    const bool start = in->start_valid_i, take = w->judged && !start && !in->stop_valid_i;
    m->cycles_q = take ? mixed(m, m->cycles_q, in->cycles_i) : m->cycles_q;
    m->sp_a_q = take ? mixed(m, m->sp_a_q, in->sp_a_i) : m->sp_a_q;
    m->sp_b_q = take ? mixed(m, m->sp_b_q, in->sp_b_i) : m->sp_b_q;
    m->ldst_a_q = take ? mixed(m, m->ldst_a_q, in->ldst_a_i) : m->ldst_a_q;
    m->ldst_b_q = take ? mixed(m, m->ldst_b_q, in->ldst_b_i) : m->ldst_b_q;
    m->primed_q = !start && (m->primed_q || take);
}

static void tick_test(struct tlp_modulator *m, const struct wires *w)
{
    const bool judges = m->state_q == TLP_JUDGE, clear = w->close || (judges && w->last_bit);
    const uint32_t hold = m->holds_q | (uint32_t)w->holds << m->test_q;
    m->holds_q = w->close ? 0 : judges && w->last_bit ? (uint8_t)(hold & 7) : m->holds_q;
    m->test_q = w->close ? 0 : judges ? (uint8_t)((m->test_q + (uint32_t)w->last_bit) & 3) : m->test_q;
    m->bit_q = clear ? 0 : judges ? (uint8_t)((m->bit_q + 1u) & bits_index_mask(m->p.CountW + 1)) : m->bit_q;
    m->sum_q = clear ? 0 : judges ? w->sum : m->sum_q;
}

static void tick_place(struct tlp_modulator *m, const struct tlp_modulator_in *in, const struct wires *w)
{
    const bool more = m->state_q == TLP_PLACE && w->fits;
    m->winner_q = w->judged ? w->winner : m->winner_q;
    m->own_q = w->judged ? 0 : (uint8_t)(m->own_q + (uint32_t)(more && w->first));
    m->other_q = w->judged ? 0 : (uint8_t)(m->other_q + (uint32_t)(more && !w->first));
    m->left_q = w->judged ? in->have_i : more ? w->left : m->left_q;
}

static uint8_t next_error(const struct tlp_modulator *m, const struct tlp_modulator_in *in)
{
    const uint64_t gone = in->finish_valid_i ? in->finish_i : 0, used = m->used_a_q | m->used_b_q;
    const uint64_t come = in->launch_a_i | in->launch_b_i;
    if (m->error_q) return m->error_q;
    if (in->launch_valid_i && ((come & used & ~gone) || (in->launch_a_i & in->launch_b_i))) return TLP_ERROR_LAUNCH;
    return gone & ~used ? TLP_ERROR_FINISH : TLP_OK;
}

void tlp_modulator_tick(struct tlp_modulator *m, const struct tlp_modulator_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    const uint8_t state = next_state(m, in, &w), error = next_error(m, in);
    tick_limits(m, in, &w);
    tick_history(m, in, &w);
    tick_place(m, in, &w);
    tick_test(m, &w);
    m->state_q = state;
    m->used_a_q = w.used_a;
    m->used_b_q = w.used_b;
    m->mark_q = w.mark;
    m->error_q = error;
}

/* A period may start, has ended, or is judged: the next tick changes something without an input. */
bool tlp_modulator_idle(const struct tlp_modulator *m)
{
    const bool full = count_ones(m->used_a_q) == m->limit_a_q && count_ones(m->used_b_q) == m->limit_b_q;
    if (m->state_q == TLP_WAIT) return !full || !(m->used_a_q | m->used_b_q);
    return m->state_q == TLP_OFF || (m->state_q == TLP_SAMPLE && m->mark_q != 0);
}

void tlp_modulator_skip(struct tlp_modulator *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
