/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/tlp_modulator/mt_tlp_modulator.sv.  Liang17, section 4.3; decisions in
 * rtl/tlp_modulator/README.md. */
#ifndef MEMTWIN_TLP_MODULATOR_H
#define MEMTWIN_TLP_MODULATOR_H
#include "tlp_modulator_ports.h"

struct tlp_modulator_cfg {
    TLP_MODULATOR_PARAM(PARAM_FIELD)
};
struct tlp_modulator_in {
    TLP_MODULATOR_IN(PORT_FIELD)
};
struct tlp_modulator_out {
    TLP_MODULATOR_OUT(PORT_FIELD)
};
struct tlp_modulator {
    struct tlp_modulator_cfg p;
    TLP_MODULATOR_REG(PORT_FIELD)
    TLP_MODULATOR_MEM(MEM_FIELD)
};

void tlp_modulator_init(struct tlp_modulator *m, const struct tlp_modulator_cfg *cfg); /* cfg must be legal; resets */
void tlp_modulator_reset(struct tlp_modulator *m);
void tlp_modulator_eval(const struct tlp_modulator *m, const struct tlp_modulator_in *in,
                        struct tlp_modulator_out *out);
void tlp_modulator_tick(struct tlp_modulator *m, const struct tlp_modulator_in *in);
bool tlp_modulator_idle(const struct tlp_modulator *m);            /* ticks without valid inputs change nothing */
void tlp_modulator_skip(struct tlp_modulator *m, uint64_t cycles); /* as many such ticks */
#endif
