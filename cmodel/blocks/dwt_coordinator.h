/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/dwt_coordinator/mt_dwt_coordinator.sv.  Khairy15, section 4.2; decisions in
 * rtl/dwt_coordinator/README.md. */
#ifndef MEMTWIN_DWT_COORDINATOR_H
#define MEMTWIN_DWT_COORDINATOR_H
#include "dwt_coordinator_ports.h"

struct dwt_coordinator_cfg {
    DWT_COORDINATOR_PARAM(PARAM_FIELD)
};
struct dwt_coordinator_in {
    DWT_COORDINATOR_IN(PORT_FIELD)
};
struct dwt_coordinator_out {
    DWT_COORDINATOR_OUT(PORT_FIELD)
};
struct dwt_coordinator {
    struct dwt_coordinator_cfg p;
    DWT_COORDINATOR_REG(PORT_FIELD)
    DWT_COORDINATOR_MEM(MEM_FIELD)
};

void dwt_coordinator_init(struct dwt_coordinator *m,
                          const struct dwt_coordinator_cfg *cfg); /* cfg must be legal; resets */
void dwt_coordinator_reset(struct dwt_coordinator *m);
void dwt_coordinator_eval(const struct dwt_coordinator *m, const struct dwt_coordinator_in *in,
                          struct dwt_coordinator_out *out);
void dwt_coordinator_tick(struct dwt_coordinator *m, const struct dwt_coordinator_in *in);
bool dwt_coordinator_idle(const struct dwt_coordinator *m);            /* ticks without valid inputs change nothing */
void dwt_coordinator_skip(struct dwt_coordinator *m, uint64_t cycles); /* as many such ticks */
#endif
