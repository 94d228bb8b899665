/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"
#include <string.h>

static void ring_reset(struct ring *m)
{
    m->head_q = 0;
    m->u_fill_count_q = 0;
}

static void ring_init(struct ring *m, const struct ring_cfg *cfg)
{
    memset(m, 0, sizeof *m);
    m->p = *cfg;
    ring_reset(m);
}

static bool has_room(const struct ring *m)
{
    return m->u_fill_count_q < m->p.Depth;
}

static void copy(uint32_t *to, const uint32_t *from)
{
    for (int k = 0; k < 32; k++) to[k] = from[k];
}

static void ring_eval(const struct ring *m, const struct ring_in *in, struct ring_out *out)
{
    (void)in;
    out->put_ready_o = has_room(m);
    out->get_valid_o = m->u_fill_count_q > 0;
    copy(out->get_data_o, m->data_q[m->head_q]);
}

static void ring_tick(struct ring *m, const struct ring_in *in)
{
    const bool put = in->put_valid_i && has_room(m);
    const bool get = in->get_ready_i && m->u_fill_count_q;
    uint8_t tail = (uint8_t)(m->head_q + m->u_fill_count_q);
    if (tail >= m->p.Depth) tail = (uint8_t)(tail - m->p.Depth);
    if (put) copy(m->data_q[tail], in->put_data_i);
    if (get) m->head_q = (uint8_t)(m->head_q + 1u == m->p.Depth ? 0 : m->head_q + 1);
    m->u_fill_count_q = (uint8_t)(m->u_fill_count_q + put - get);
}

static bool ring_idle(const struct ring *m)
{
    return m->u_fill_count_q == 0;
}

static void ring_skip(struct ring *m, uint64_t cycles)
{
    (void)m, (void)cycles;
}
