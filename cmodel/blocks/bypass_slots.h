/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/bypass_slots/mt_bypass_slots.sv.  Dai17, section 3.8; decisions in its README. */
#ifndef MEMTWIN_BYPASS_SLOTS_H
#define MEMTWIN_BYPASS_SLOTS_H
#include "bypass_slots_ports.h"

struct bypass_slots_cfg {
    BYPASS_SLOTS_PARAM(PARAM_FIELD)
};
struct bypass_slots_in {
    BYPASS_SLOTS_IN(PORT_FIELD)
};
struct bypass_slots_out {
    BYPASS_SLOTS_OUT(PORT_FIELD)
};
struct bypass_slots {
    struct bypass_slots_cfg p;
    BYPASS_SLOTS_REG(PORT_FIELD)
    BYPASS_SLOTS_MEM(MEM_FIELD)
};

void bypass_slots_init(struct bypass_slots *m, const struct bypass_slots_cfg *cfg); /* cfg must be legal; resets */
void bypass_slots_reset(struct bypass_slots *m);
void bypass_slots_eval(const struct bypass_slots *m, const struct bypass_slots_in *in, struct bypass_slots_out *out);
void bypass_slots_tick(struct bypass_slots *m, const struct bypass_slots_in *in);
bool bypass_slots_idle(const struct bypass_slots *m);            /* ticks without valid inputs change nothing */
void bypass_slots_skip(struct bypass_slots *m, uint64_t cycles); /* as many such ticks */
#endif
