/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/lost_locality/mt_lost_locality.sv; decisions in rtl/lost_locality/README.md. */
#ifndef MEMTWIN_LOST_LOCALITY_H
#define MEMTWIN_LOST_LOCALITY_H
#include "lost_locality_ports.h"

struct lost_locality_cfg {
    LOST_LOCALITY_PARAM(PARAM_FIELD)
};
struct lost_locality_in {
    LOST_LOCALITY_IN(PORT_FIELD)
};
struct lost_locality_out {
    LOST_LOCALITY_OUT(PORT_FIELD)
};
struct lost_locality {
    struct lost_locality_cfg p;
    LOST_LOCALITY_REG(PORT_FIELD)
    LOST_LOCALITY_MEM(MEM_FIELD)
};

void lost_locality_init(struct lost_locality *m, const struct lost_locality_cfg *cfg); /* cfg must be legal; resets */
void lost_locality_reset(struct lost_locality *m);
void lost_locality_eval(const struct lost_locality *m, const struct lost_locality_in *in,
                        struct lost_locality_out *out);
void lost_locality_tick(struct lost_locality *m, const struct lost_locality_in *in);
void lost_locality_step(struct lost_locality *m, const struct lost_locality_in *in,
                        struct lost_locality_out *out);            /* eval, then tick: one evaluation of the wires */
bool lost_locality_idle(const struct lost_locality *m);            /* ticks without valid inputs change nothing */
void lost_locality_skip(struct lost_locality *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states; the prover shows them (tb/prove/README.md). */
BITS_FUNCTION bool lost_locality_invariant_scores(const struct lost_locality *m)
{
    bool above = true;
    for (uint32_t i = 0; i < m->p.Warps; i++) above &= m->score_q[i] >= m->p.BaseScore;
    return above;
}

/* Without warps nothing is counted. */
BITS_FUNCTION bool lost_locality_invariant_counts(const struct lost_locality *m)
{
    return m->count_q != 0 || (m->lost_q == 0 && m->issued_q == 0);
}
#endif
