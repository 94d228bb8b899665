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
#endif
