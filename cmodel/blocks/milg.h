/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/milg/mt_milg.sv.  Dai17, section 4.3.3; decisions in rtl/milg/README.md. */
#ifndef MEMTWIN_MILG_H
#define MEMTWIN_MILG_H
#include "milg_ports.h"

struct milg_cfg {
    MILG_PARAM(PARAM_FIELD)
};
struct milg_in {
    MILG_IN(PORT_FIELD)
};
struct milg_out {
    MILG_OUT(PORT_FIELD)
};
struct milg {
    struct milg_cfg p;
    MILG_REG(PORT_FIELD)
    MILG_MEM(MEM_FIELD)
};

void milg_init(struct milg *m, const struct milg_cfg *cfg); /* cfg must be legal; resets */
void milg_reset(struct milg *m);
void milg_eval(const struct milg *m, const struct milg_in *in, struct milg_out *out);
void milg_tick(struct milg *m, const struct milg_in *in);
bool milg_idle(const struct milg *m);            /* ticks without valid inputs change nothing */
void milg_skip(struct milg *m, uint64_t cycles); /* as many such ticks */
#endif
