/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/bank_reorder/mt_bank_reorder.sv.  Gu20, section 2.3.3; decisions in
 * rtl/bank_reorder/README.md. */
#ifndef MEMTWIN_BANK_REORDER_H
#define MEMTWIN_BANK_REORDER_H
#include "bank_reorder_ports.h"

struct bank_reorder_cfg {
    BANK_REORDER_PARAM(PARAM_FIELD)
};
struct bank_reorder_in {
    BANK_REORDER_IN(PORT_FIELD)
};
struct bank_reorder_out {
    BANK_REORDER_OUT(PORT_FIELD)
};
struct bank_reorder {
    struct bank_reorder_cfg p;
    BANK_REORDER_REG(PORT_FIELD)
    BANK_REORDER_MEM(MEM_FIELD)
};

void bank_reorder_init(struct bank_reorder *m, const struct bank_reorder_cfg *cfg); /* cfg must be legal; resets */
void bank_reorder_reset(struct bank_reorder *m);
void bank_reorder_eval(const struct bank_reorder *m, const struct bank_reorder_in *in, struct bank_reorder_out *out);
void bank_reorder_tick(struct bank_reorder *m, const struct bank_reorder_in *in);
bool bank_reorder_idle(const struct bank_reorder *m);            /* ticks without valid inputs change nothing */
void bank_reorder_skip(struct bank_reorder *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
BITS_FUNCTION bool bank_reorder_invariant_count(const struct bank_reorder *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    bool fits = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        fits &= !(m->busy_q >> b & 1) || (m->count_q[b] >= 1 && m->count_q[b] <= m->p.Entries);
    return fits;
}

BITS_FUNCTION bool bank_reorder_invariant_hold(const struct bank_reorder *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    return !m->hold_q || (m->busy_q >> m->hold_bank_q & 1);
}
#endif
