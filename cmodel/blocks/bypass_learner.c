/* SPDX-License-Identifier: Apache-2.0 */
#include "bypass_learner.h"

struct wires {
    uint8_t by_a, by_b; /* at most the limits */
    bool tag_a, tag_b, less_a, less_b;
    bool smaller;            /* fewer stalls than in any period before */
    bool decides, choose, b; /* steps 1 to 3 are over; a kernel is chosen; which */
    uint8_t limit;           /* of the kernel chosen */
};

static uint8_t at_most(uint8_t number, uint8_t limit)
{
    return number < limit ? number : limit;
}

static void tag_wires(const struct bypass_learner *m, const struct bypass_learner_in *in, struct wires *w)
{
    w->by_a = m->kernel_q ? 0 : at_most(m->by_q, in->limit_a_i);
    w->by_b = m->kernel_q ? at_most(m->by_q, in->limit_b_i) : 0;
    w->tag_a = in->launch_valid_i && !in->launch_kernel_i && m->cur_a_q < w->by_a;
    w->tag_b = in->launch_valid_i && in->launch_kernel_i && m->cur_b_q < w->by_b;
    w->less_a = in->finish_valid_i && in->finish_tag_i && !in->finish_kernel_i;
    w->less_b = in->finish_valid_i && in->finish_tag_i && in->finish_kernel_i;
}

/* A kernel without a thread block on the SM is not tried. */
static void step_wires(const struct bypass_learner *m, const struct bypass_learner_in *in, struct wires *w)
{
    const bool no_a = !in->limit_a_i, no_b = !in->limit_b_i;
    w->smaller = in->period_stalls_i < m->best_q;
    w->decides = m->state_q == LEARN_B || (m->state_q == LEARN_A && no_b) || (m->state_q == LEARN_NONE && no_a && no_b);
    w->choose = m->state_q != LEARN_NONE && (w->smaller || (m->state_q == LEARN_B && m->a_best_q));
    w->b = m->state_q == LEARN_B && w->smaller;
    w->limit = (m->state_q == LEARN_MORE ? m->kernel_q : w->b) ? in->limit_b_i : in->limit_a_i;
}

static void all_wires(const struct bypass_learner *m, const struct bypass_learner_in *in, struct wires *w)
{
    tag_wires(m, in, w);
    step_wires(m, in, w);
}

void bypass_learner_init(struct bypass_learner *m, const struct bypass_learner_cfg *cfg)
{
    m->p = *cfg;
    bypass_learner_reset(m);
}

void bypass_learner_reset(struct bypass_learner *m)
{
    m->state_q = LEARN_OFF;
    m->kernel_q = false;
    m->by_q = 0;
    m->cur_a_q = 0;
    m->cur_b_q = 0;
    m->best_q = 0;
    m->a_best_q = false;
    m->error_q = LEARN_OK;
}

void bypass_learner_eval(const struct bypass_learner *m, const struct bypass_learner_in *in,
                         struct bypass_learner_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->launch_tag_o = w.tag_a || w.tag_b;
    out->by_a_o = w.by_a;
    out->by_b_o = w.by_b;
    out->cur_a_o = m->cur_a_q;
    out->cur_b_o = m->cur_b_q;
    out->defer_o = m->cur_a_q != w.by_a || m->cur_b_q != w.by_b;
    out->done_o = m->state_q == LEARN_DONE;
    out->error_o = m->error_q;
}

/* The number to try after a period, or to stay with. */
static void try_number(struct bypass_learner *m, uint8_t state, bool kernel, uint32_t by)
{
    m->state_q = state;
    m->kernel_q = kernel;
    m->by_q = (uint8_t)by;
}

static void tick_more(struct bypass_learner *m, const struct wires *w)
{
    const bool room = m->by_q < w->limit;
    if (w->smaller)
        try_number(m, room ? LEARN_MORE : LEARN_DONE, m->kernel_q, m->by_q + (uint32_t)room);
    else
        try_number(m, LEARN_DONE, m->kernel_q, m->by_q ? m->by_q - 1u : 0);
}

static void tick_period(struct bypass_learner *m, const struct bypass_learner_in *in, const struct wires *w)
{
    const bool more = w->limit > 1, first = m->state_q == LEARN_NONE;
    if (m->state_q == LEARN_OFF || m->state_q == LEARN_DONE) return;
    m->a_best_q = m->state_q == LEARN_A && w->smaller;
    m->best_q = first || w->smaller ? in->period_stalls_i : m->best_q;
    if (m->state_q == LEARN_MORE)
        tick_more(m, w);
    else if (w->decides && w->choose)
        try_number(m, more ? LEARN_MORE : LEARN_DONE, w->b, more ? 2 : 1);
    else if (w->decides)
        try_number(m, LEARN_DONE, false, 0);
    else
        try_number(m, first && in->limit_a_i ? LEARN_A : LEARN_B, !first || !in->limit_a_i, 1);
}

static uint8_t next_error(const struct bypass_learner *m, const struct wires *w)
{
    if (m->error_q) return m->error_q;
    return (w->less_a && !m->cur_a_q) || (w->less_b && !m->cur_b_q) ? LEARN_ERROR_FINISH : LEARN_OK;
}

/* A tag is given below a number of its width, so that the sum fits. */
static uint8_t count(uint8_t cur, bool more, bool less)
{
    return (uint8_t)(cur + (uint32_t)more - (uint32_t)(less && cur));
}

void bypass_learner_tick(struct bypass_learner *m, const struct bypass_learner_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    m->error_q = next_error(m, &w);
    m->cur_a_q = count(m->cur_a_q, w.tag_a, w.less_a);
    m->cur_b_q = count(m->cur_b_q, w.tag_b, w.less_b);
    if (in->start_valid_i)
        try_number(m, LEARN_NONE, false, 0);
    else if (in->stop_valid_i)
        try_number(m, LEARN_OFF, false, 0);
    else if (in->period_valid_i)
        tick_period(m, in, &w);
}

bool bypass_learner_idle(const struct bypass_learner *m)
{
    (void)m;
    return true;
}

void bypass_learner_skip(struct bypass_learner *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
