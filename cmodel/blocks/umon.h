/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/umon/mt_umon.sv.  Qureshi06; decisions in rtl/umon/README.md. */
#ifndef MEMTWIN_UMON_H
#define MEMTWIN_UMON_H
#include "umon_ports.h"

struct umon_cfg {
    UMON_PARAM(PARAM_FIELD)
};
struct umon_in {
    UMON_IN(PORT_FIELD)
};
struct umon_out {
    UMON_OUT(PORT_FIELD)
};
struct umon {
    struct umon_cfg p;
    UMON_REG(PORT_FIELD)
    UMON_MEM(MEM_FIELD)
};

void umon_init(struct umon *m, const struct umon_cfg *cfg); /* cfg must be legal; resets */
void umon_reset(struct umon *m);
void umon_eval(const struct umon *m, const struct umon_in *in, struct umon_out *out);
void umon_tick(struct umon *m, const struct umon_in *in);
bool umon_idle(const struct umon *m);            /* ticks without valid inputs change nothing */
void umon_skip(struct umon *m, uint64_t cycles); /* as many such ticks */
#endif
