/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/mrpb/mt_mrpb.sv.  Khairy15, table 4; decisions in rtl/mrpb/README.md. */
#ifndef MEMTWIN_MRPB_H
#define MEMTWIN_MRPB_H
#include "mrpb_ports.h"

struct mrpb_cfg {
    MRPB_PARAM(PARAM_FIELD)
};
struct mrpb_in {
    MRPB_IN(PORT_FIELD)
};
struct mrpb_out {
    MRPB_OUT(PORT_FIELD)
};
struct mrpb {
    struct mrpb_cfg p;
    MRPB_REG(PORT_FIELD)
    MRPB_MEM(MEM_FIELD)
};

void mrpb_init(struct mrpb *m, const struct mrpb_cfg *cfg); /* cfg must be legal; resets */
void mrpb_reset(struct mrpb *m);
void mrpb_eval(const struct mrpb *m, const struct mrpb_in *in, struct mrpb_out *out);
void mrpb_tick(struct mrpb *m, const struct mrpb_in *in);
bool mrpb_idle(const struct mrpb *m);            /* ticks without valid inputs change nothing */
void mrpb_skip(struct mrpb *m, uint64_t cycles); /* as many such ticks */
#endif
