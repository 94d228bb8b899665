/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/pdp/mt_pdp.sv.  Duong12; decisions in rtl/pdp/README.md. */
#ifndef MEMTWIN_PDP_H
#define MEMTWIN_PDP_H
#include "pdp_ports.h"

struct pdp_cfg {
    PDP_PARAM(PARAM_FIELD)
};
struct pdp_in {
    PDP_IN(PORT_FIELD)
};
struct pdp_out {
    PDP_OUT(PORT_FIELD)
};
struct pdp {
    struct pdp_cfg p;
    PDP_REG(PORT_FIELD)
    PDP_MEM(MEM_FIELD)
};

void pdp_init(struct pdp *m, const struct pdp_cfg *cfg); /* cfg must be legal; resets */
void pdp_reset(struct pdp *m);
void pdp_eval(const struct pdp *m, const struct pdp_in *in, struct pdp_out *out);
void pdp_tick(struct pdp *m, const struct pdp_in *in);
bool pdp_idle(const struct pdp *m);            /* ticks without valid inputs change nothing */
void pdp_skip(struct pdp *m, uint64_t cycles); /* as many such ticks */
#endif
