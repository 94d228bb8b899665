/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/qbmi/mt_qbmi.sv.  Dai17, section 4.3.2; decisions in rtl/qbmi/README.md. */
#ifndef MEMTWIN_QBMI_H
#define MEMTWIN_QBMI_H
#include "qbmi_ports.h"

struct qbmi_cfg {
    QBMI_PARAM(PARAM_FIELD)
};
struct qbmi_in {
    QBMI_IN(PORT_FIELD)
};
struct qbmi_out {
    QBMI_OUT(PORT_FIELD)
};
struct qbmi {
    struct qbmi_cfg p;
    QBMI_REG(PORT_FIELD)
    QBMI_MEM(MEM_FIELD)
};

void qbmi_init(struct qbmi *m, const struct qbmi_cfg *cfg); /* cfg must be legal; resets */
void qbmi_reset(struct qbmi *m);
void qbmi_eval(const struct qbmi *m, const struct qbmi_in *in, struct qbmi_out *out);
void qbmi_tick(struct qbmi *m, const struct qbmi_in *in);
bool qbmi_idle(const struct qbmi *m);            /* ticks without valid inputs change nothing */
void qbmi_skip(struct qbmi *m, uint64_t cycles); /* as many such ticks */
#endif
