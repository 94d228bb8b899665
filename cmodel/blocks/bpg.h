/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/bpg/mt_bpg.sv.  Dai17, section 2.6; decisions in rtl/bpg/README.md. */
#ifndef MEMTWIN_BPG_H
#define MEMTWIN_BPG_H
#include "bpg_ports.h"

struct bpg_cfg {
    BPG_PARAM(PARAM_FIELD)
};
struct bpg_in {
    BPG_IN(PORT_FIELD)
};
struct bpg_out {
    BPG_OUT(PORT_FIELD)
};
struct bpg {
    struct bpg_cfg p;
    BPG_REG(PORT_FIELD)
    BPG_MEM(MEM_FIELD)
};

void bpg_init(struct bpg *m, const struct bpg_cfg *cfg); /* cfg must be legal; resets */
void bpg_reset(struct bpg *m);
void bpg_eval(const struct bpg *m, const struct bpg_in *in, struct bpg_out *out);
void bpg_tick(struct bpg *m, const struct bpg_in *in);
bool bpg_idle(const struct bpg *m);            /* ticks without valid inputs change nothing */
void bpg_skip(struct bpg *m, uint64_t cycles); /* as many such ticks */
#endif
