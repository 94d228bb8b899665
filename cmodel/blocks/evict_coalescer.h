/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/evict_coalescer/mt_evict_coalescer.sv; decisions in rtl/evict_coalescer/README.md. */
#ifndef MEMTWIN_EVICT_COALESCER_H
#define MEMTWIN_EVICT_COALESCER_H
#include "evict_coalescer_ports.h"

struct evict_coalescer_cfg {
    EVICT_COALESCER_PARAM(PARAM_FIELD)
};
struct evict_coalescer_in {
    EVICT_COALESCER_IN(PORT_FIELD)
};
struct evict_coalescer_out {
    EVICT_COALESCER_OUT(PORT_FIELD)
};
struct evict_coalescer {
    struct evict_coalescer_cfg p;
    EVICT_COALESCER_REG(PORT_FIELD)
    EVICT_COALESCER_MEM(MEM_FIELD)
};

void evict_coalescer_init(struct evict_coalescer *m,
                          const struct evict_coalescer_cfg *cfg); /* cfg must be legal; resets */
void evict_coalescer_reset(struct evict_coalescer *m);
void evict_coalescer_eval(const struct evict_coalescer *m, const struct evict_coalescer_in *in,
                          struct evict_coalescer_out *out);
void evict_coalescer_tick(struct evict_coalescer *m, const struct evict_coalescer_in *in);
bool evict_coalescer_idle(const struct evict_coalescer *m);            /* ticks without valid inputs change nothing */
void evict_coalescer_skip(struct evict_coalescer *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
BITS_FUNCTION bool evict_coalescer_invariant_one_entry_a_block(const struct evict_coalescer *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Entries; i++)
        for (uint32_t j = 0; j < i; j++) one &= !m->pages_q[i] || !m->pages_q[j] || m->block_q[i] != m->block_q[j];
    return one;
}

BITS_FUNCTION bool evict_coalescer_invariant_pending(const struct evict_coalescer *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    bool none = true;
    for (uint32_t i = 0; i < m->p.Entries; i++)
        none &= !m->pages_q[i] || m->block_q[i] != (uint32_t)(m->pend_page_q >> 4);
    return none || !m->pend_q;
}
#endif
