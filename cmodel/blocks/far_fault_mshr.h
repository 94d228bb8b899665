/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/far_fault_mshr/mt_far_fault_mshr.sv.  Gu20, sections 4.2.1 and 4.3; decisions in
 * rtl/far_fault_mshr/README.md. */
#ifndef MEMTWIN_FAR_FAULT_MSHR_H
#define MEMTWIN_FAR_FAULT_MSHR_H
#include "far_fault_mshr_ports.h"

struct far_fault_mshr_cfg {
    FAR_FAULT_MSHR_PARAM(PARAM_FIELD)
};
struct far_fault_mshr_in {
    FAR_FAULT_MSHR_IN(PORT_FIELD)
};
struct far_fault_mshr_out {
    FAR_FAULT_MSHR_OUT(PORT_FIELD)
};
struct far_fault_mshr {
    struct far_fault_mshr_cfg p;
    FAR_FAULT_MSHR_REG(PORT_FIELD)
    FAR_FAULT_MSHR_MEM(MEM_FIELD)
};

void far_fault_mshr_init(struct far_fault_mshr *m,
                         const struct far_fault_mshr_cfg *cfg); /* cfg must be legal; resets */
void far_fault_mshr_reset(struct far_fault_mshr *m);
void far_fault_mshr_eval(const struct far_fault_mshr *m, const struct far_fault_mshr_in *in,
                         struct far_fault_mshr_out *out);
void far_fault_mshr_tick(struct far_fault_mshr *m, const struct far_fault_mshr_in *in);
bool far_fault_mshr_idle(const struct far_fault_mshr *m);            /* ticks without valid inputs change nothing */
void far_fault_mshr_skip(struct far_fault_mshr *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
BITS_FUNCTION bool far_fault_mshr_invariant_one_entry_a_page(const struct far_fault_mshr *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Entries; i++)
        for (uint32_t j = 0; j < i; j++) one &= !m->busy_q[i] || !m->busy_q[j] || m->page_q[i] != m->page_q[j];
    return one;
}
#endif
