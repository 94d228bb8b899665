/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/bypass_learner/mt_bypass_learner.sv.  Liang17, section 4.4; decisions in
 * rtl/bypass_learner/README.md. */
#ifndef MEMTWIN_BYPASS_LEARNER_H
#define MEMTWIN_BYPASS_LEARNER_H
#include "bypass_learner_ports.h"

struct bypass_learner_cfg {
    BYPASS_LEARNER_PARAM(PARAM_FIELD)
};
struct bypass_learner_in {
    BYPASS_LEARNER_IN(PORT_FIELD)
};
struct bypass_learner_out {
    BYPASS_LEARNER_OUT(PORT_FIELD)
};
struct bypass_learner {
    struct bypass_learner_cfg p;
    BYPASS_LEARNER_REG(PORT_FIELD)
    BYPASS_LEARNER_MEM(MEM_FIELD)
};

void bypass_learner_init(struct bypass_learner *m,
                         const struct bypass_learner_cfg *cfg); /* cfg must be legal; resets */
void bypass_learner_reset(struct bypass_learner *m);
void bypass_learner_eval(const struct bypass_learner *m, const struct bypass_learner_in *in,
                         struct bypass_learner_out *out);
void bypass_learner_tick(struct bypass_learner *m, const struct bypass_learner_in *in);
bool bypass_learner_idle(const struct bypass_learner *m);            /* ticks without valid inputs change nothing */
void bypass_learner_skip(struct bypass_learner *m, uint64_t cycles); /* as many such ticks */
#endif
