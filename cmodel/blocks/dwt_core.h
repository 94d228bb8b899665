/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/dwt_core/mt_dwt_core.sv.  Khairy15, section 4.2; decisions in rtl/dwt_core/README.md. */
#ifndef MEMTWIN_DWT_CORE_H
#define MEMTWIN_DWT_CORE_H
#include "dwt_core_ports.h"

struct dwt_core_cfg {
    DWT_CORE_PARAM(PARAM_FIELD)
};
struct dwt_core_in {
    DWT_CORE_IN(PORT_FIELD)
};
struct dwt_core_out {
    DWT_CORE_OUT(PORT_FIELD)
};
struct dwt_core {
    struct dwt_core_cfg p;
    DWT_CORE_REG(PORT_FIELD)
    DWT_CORE_MEM(MEM_FIELD)
};

void dwt_core_init(struct dwt_core *m, const struct dwt_core_cfg *cfg); /* cfg must be legal; resets */
void dwt_core_reset(struct dwt_core *m);
void dwt_core_eval(const struct dwt_core *m, const struct dwt_core_in *in, struct dwt_core_out *out);
void dwt_core_tick(struct dwt_core *m, const struct dwt_core_in *in);
bool dwt_core_idle(const struct dwt_core *m);            /* ticks without valid inputs change nothing */
void dwt_core_skip(struct dwt_core *m, uint64_t cycles); /* as many such ticks */
#endif
