/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/cart/mt_cart.sv.  Gu20, sections 2.4.1 to 2.4.4; decisions in rtl/cart/README.md. */
#ifndef MEMTWIN_CART_H
#define MEMTWIN_CART_H
#include "cart_ports.h"

struct cart_cfg {
    CART_PARAM(PARAM_FIELD)
};
struct cart_in {
    CART_IN(PORT_FIELD)
};
struct cart_out {
    CART_OUT(PORT_FIELD)
};
struct cart {
    struct cart_cfg p;
    CART_REG(PORT_FIELD)
    CART_MEM(MEM_FIELD)
};

void cart_init(struct cart *m, const struct cart_cfg *cfg); /* cfg must be legal; resets */
void cart_reset(struct cart *m);
void cart_eval(const struct cart *m, const struct cart_in *in, struct cart_out *out);
void cart_tick(struct cart *m, const struct cart_in *in);
bool cart_idle(const struct cart *m);            /* ticks without valid inputs change nothing */
void cart_skip(struct cart *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states; the prover shows them (tb/prove/README.md).  With powers of two every index is in
 * range, and the proof needs none. */
BITS_FUNCTION bool cart_any_state(const struct cart *m)
{
    return bits_power_of_two(m->p.Rows * m->p.Cols) && bits_power_of_two(m->p.Entries);
}

BITS_FUNCTION bool cart_in(uint64_t queues, uint32_t queue)
{
    return queues >> queue & 1;
}

/* Leaf queues of row group g of a branch that hold requests. */
BITS_FUNCTION uint64_t cart_held(const struct cart *m, uint32_t bank, uint32_t g)
{
    return m->valid_q[bank] >> (g * m->p.Cols) & bits_mask(m->p.Cols);
}

/* Those of them whose oldest request may leave. */
BITS_FUNCTION uint64_t cart_eligible(const struct cart *m, uint32_t bank)
{
    return m->valid_q[bank] & ~m->blocked_q[bank];
}

/* Successor of a linked queue, in the same row group. */
BITS_FUNCTION uint32_t cart_next(const struct cart *m, uint32_t bank, uint32_t g, uint32_t queue)
{
    return g * m->p.Cols + m->next_q[bank * m->p.Rows * m->p.Cols + queue];
}

/* Whether a queue is reached from an unblocked one by following links. */
BITS_FUNCTION bool cart_reached(const struct cart *m, uint32_t bank, uint32_t g, uint32_t queue)
{
    bool reached = false;
    for (uint32_t first = g * m->p.Cols; first < (g + 1) * m->p.Cols; first++) {
        uint32_t at = first;
        for (uint32_t k = 1; k < m->p.Cols && m->p.Cols > 1; k++)
            if (cart_in(m->linked_q[bank], at)) {
                at = cart_next(m, bank, g, at);
                reached |= cart_in(cart_eligible(m, bank), first) && at == queue;
            }
    }
    return reached;
}

BITS_FUNCTION bool cart_invariant_one_group_a_row(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    bool one = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        for (uint32_t g = 0; g < m->p.Rows; g++)
            for (uint32_t h = 0; h < g; h++)
                one &= !cart_held(m, b, g) || !cart_held(m, b, h) ||
                       m->row_q[b * m->p.Rows + g] != m->row_q[b * m->p.Rows + h];
    return one;
}

BITS_FUNCTION bool cart_invariant_one_queue_a_line(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    const uint32_t queues = m->p.Rows * m->p.Cols;
    bool one = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        for (uint32_t i = 0; i < queues; i++)
            for (uint32_t j = i / m->p.Cols * m->p.Cols; j < i; j++) {
                const uint64_t open = m->valid_q[b] & ~m->linked_q[b];
                one &= !cart_in(open, i) || !cart_in(open, j) || m->col_q[b * queues + i] != m->col_q[b * queues + j];
            }
    return one;
}

BITS_FUNCTION bool cart_invariant_counts(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    const uint32_t queues = m->p.Rows * m->p.Cols;
    bool fits = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        for (uint32_t i = 0; i < queues; i++)
            fits &= !cart_in(m->valid_q[b], i) ||
                    (m->count_q[b * queues + i] >= 1 && m->count_q[b * queues + i] <= m->p.Entries);
    return fits;
}

/* The branch that is offered holds requests.  The queue that is held, and the one that a branch drains again, hold
 * requests and are not blocked. */
BITS_FUNCTION bool cart_invariant_offered(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    bool held = !m->busy_q || (m->busy_q >> m->bank_q & 1);
    held &= !m->hold_q || ((m->busy_q >> m->bank_q & 1) && cart_in(cart_eligible(m, m->bank_q), m->hold_queue_q));
    for (uint32_t b = 0; b < m->p.Banks; b++) {
        held &= (m->busy_q >> b & 1) == (m->valid_q[b] != 0);
        held &= !m->same_q[b] || cart_in(cart_eligible(m, b), m->last_q[b]);
        for (uint32_t g = 0; g < m->p.Rows; g++)
            held &= !m->stay_q[b] || m->last_q[b] / m->p.Cols != g || cart_held(m, b, g);
    }
    return held;
}

/* The successor of a linked queue is blocked.  No two linked queues have the same successor.  Each blocked queue is
 * reached from an unblocked one by following links. */
BITS_FUNCTION bool cart_invariant_links(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    bool chained = true;
    for (uint32_t b = 0; b < m->p.Banks; b++) {
        const uint64_t linked = m->linked_q[b], blocked = m->blocked_q[b];
        chained &= !((linked | blocked) & ~m->valid_q[b]) && (m->p.Cols > 1 || !(linked | blocked));
        for (uint32_t g = 0; g < m->p.Rows; g++)
            for (uint32_t i = g * m->p.Cols; i < (g + 1) * m->p.Cols; i++) {
                chained &= !cart_in(linked, i) || cart_in(blocked, cart_next(m, b, g, i));
                chained &= !cart_in(blocked, i) || cart_reached(m, b, g, i);
                for (uint32_t j = g * m->p.Cols; j < i; j++)
                    chained &=
                        !cart_in(linked, i) || !cart_in(linked, j) || cart_next(m, b, g, i) != cart_next(m, b, g, j);
            }
    }
    return chained;
}
#endif
