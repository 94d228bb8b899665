/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/mshr/mt_mshr.sv.  Gu20, section 3.2; decisions in rtl/mshr/README.md. */
#ifndef MEMTWIN_MSHR_H
#define MEMTWIN_MSHR_H
#include "mshr_ports.h"

struct mshr_cfg {
    MSHR_PARAM(PARAM_FIELD)
};
struct mshr_in {
    MSHR_IN(PORT_FIELD)
};
struct mshr_out {
    MSHR_OUT(PORT_FIELD)
};
struct mshr {
    struct mshr_cfg p;
    MSHR_REG(PORT_FIELD)
    uint16_t mark[MSHR_MAX_ENTRIES]; /* hash of addr_q of a live entry, else 0; a search compares it first */
    MSHR_MEM(MEM_FIELD)
};

void mshr_init(struct mshr *m, const struct mshr_cfg *cfg); /* cfg must be legal; resets */
void mshr_reset(struct mshr *m);
void mshr_derive(struct mshr *m); /* recomputes mark[] from live_q and addr_q */
void mshr_eval(const struct mshr *m, const struct mshr_in *in, struct mshr_out *out);
void mshr_tick(struct mshr *m, const struct mshr_in *in);
void mshr_step(struct mshr *m, const struct mshr_in *in, struct mshr_out *out); /* eval, then tick: one search */
bool mshr_idle(const struct mshr *m);            /* ticks without valid inputs change nothing */
void mshr_skip(struct mshr *m, uint64_t cycles); /* as many such ticks */
#endif
