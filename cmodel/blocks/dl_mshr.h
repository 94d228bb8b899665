/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/dl_mshr/mt_dl_mshr.sv.  Gu20, sections 3.4.1 to 3.4.6; decisions in its README.md. */
#ifndef MEMTWIN_DL_MSHR_H
#define MEMTWIN_DL_MSHR_H
#include "dl_mshr_ports.h"

struct dl_mshr_cfg {
    DL_MSHR_PARAM(PARAM_FIELD)
};
struct dl_mshr_in {
    DL_MSHR_IN(PORT_FIELD)
};
struct dl_mshr_out {
    DL_MSHR_OUT(PORT_FIELD)
};
struct dl_mshr {
    struct dl_mshr_cfg p;
    DL_MSHR_REG(PORT_FIELD)
    DL_MSHR_MEM(MEM_FIELD)
};

void dl_mshr_init(struct dl_mshr *m, const struct dl_mshr_cfg *cfg); /* cfg must be legal; resets */
void dl_mshr_reset(struct dl_mshr *m);
void dl_mshr_eval(const struct dl_mshr *m, const struct dl_mshr_in *in, struct dl_mshr_out *out);
void dl_mshr_tick(struct dl_mshr *m, const struct dl_mshr_in *in);
bool dl_mshr_idle(const struct dl_mshr *m);            /* ticks without valid inputs change nothing */
void dl_mshr_skip(struct dl_mshr *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
BITS_FUNCTION bool dl_mshr_head(const struct dl_mshr *m, uint32_t i)
{
    return m->state_q[i] >= DL_MSHR_S1 && m->state_q[i] <= DL_MSHR_S4;
}

BITS_FUNCTION bool dl_mshr_invariant_one_head_a_line(const struct dl_mshr *m)
{
    if (bits_power_of_two(m->p.Sets)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Sets; i++)
        for (uint32_t j = 0; j < i; j++)
            one &= !dl_mshr_head(m, i) || !dl_mshr_head(m, j) || m->addr_q[i] != m->addr_q[j];
    return one;
}

/* A request in stage 2 that found no head. */
BITS_FUNCTION bool dl_mshr_invariant_miss(const struct dl_mshr *m)
{
    if (bits_power_of_two(m->p.Sets)) return true;
    bool none = true;
    for (uint32_t i = 0; i < m->p.Sets; i++) none &= !dl_mshr_head(m, i) || m->addr_q[i] != m->s2_addr_q;
    return none || !m->s2_valid_q || m->s2_hit_q || m->s2_drain_q;
}
#endif
