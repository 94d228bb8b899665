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

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
/* Leaf queues of row group g of a branch that hold requests. */
BITS_FUNCTION uint64_t cart_held(const struct cart *m, uint32_t bank, uint32_t g)
{
    return m->valid_q[bank] >> (g * m->p.Cols) & bits_mask(m->p.Cols);
}

BITS_FUNCTION bool cart_invariant_one_group_a_row(const struct cart *m)
{
    if (bits_power_of_two(m->p.Rows * m->p.Cols)) return true;
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
    if (bits_power_of_two(m->p.Rows * m->p.Cols)) return true;
    const uint32_t queues = m->p.Rows * m->p.Cols;
    bool one = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        for (uint32_t i = 0; i < queues; i++)
            for (uint32_t j = i / m->p.Cols * m->p.Cols; j < i; j++) {
                const uint64_t open = m->valid_q[b] & ~m->linked_q[b];
                one &= !(open >> i & 1) || !(open >> j & 1) || m->col_q[b * queues + i] != m->col_q[b * queues + j];
            }
    return one;
}
#endif
