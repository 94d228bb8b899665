/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/cap/mt_cap.sv.  Gu20, section 4.3.1; decisions in rtl/cap/README.md. */
#ifndef MEMTWIN_CAP_H
#define MEMTWIN_CAP_H
#include "cap_ports.h"

struct cap_cfg {
    CAP_PARAM(PARAM_FIELD)
};
struct cap_in {
    CAP_IN(PORT_FIELD)
};
struct cap_out {
    CAP_OUT(PORT_FIELD)
};
struct cap {
    struct cap_cfg p;
    CAP_REG(PORT_FIELD)
    CAP_MEM(MEM_FIELD)
};

void cap_init(struct cap *m, const struct cap_cfg *cfg); /* cfg must be legal; resets */
void cap_reset(struct cap *m);
void cap_eval(const struct cap *m, const struct cap_in *in, struct cap_out *out);
void cap_tick(struct cap *m, const struct cap_in *in);
bool cap_idle(const struct cap *m);            /* ticks without valid inputs change nothing */
void cap_skip(struct cap *m, uint64_t cycles); /* as many such ticks */
#endif
