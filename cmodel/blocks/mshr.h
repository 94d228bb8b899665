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
    uint32_t free_mask, used_mask, slot_mask; /* of n_free_q, of used_slots_q, of a slot's number */
    uint32_t info_mask;                       /* InfoW ones */
    uint64_t addr_mask;                       /* AddrW ones */
    MSHR_REG(PORT_FIELD)
    MSHR_MEM(MEM_FIELD)
};

void mshr_init(struct mshr *m, const struct mshr_cfg *cfg); /* cfg must be legal; resets */
void mshr_reset(struct mshr *m);
void mshr_eval(const struct mshr *m, const struct mshr_in *in, struct mshr_out *out);
void mshr_tick(struct mshr *m, const struct mshr_in *in);
void mshr_step(struct mshr *m, const struct mshr_in *in, struct mshr_out *out); /* eval, then tick: one search */
bool mshr_idle(const struct mshr *m);            /* ticks without valid inputs change nothing */
void mshr_skip(struct mshr *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
BITS_FUNCTION bool mshr_invariant_one_entry_a_line(const struct mshr *m)
{
    if (bits_power_of_two(m->p.Entries) && bits_power_of_two(m->p.Slots)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Entries; i++)
        for (uint32_t j = 0; j < i; j++) one &= !m->live_q[i] || !m->live_q[j] || m->addr_q[i] != m->addr_q[j];
    return one;
}

BITS_FUNCTION bool mshr_invariant_live_is_busy(const struct mshr *m)
{
    if (bits_power_of_two(m->p.Entries) && bits_power_of_two(m->p.Slots)) return true;
    bool busy = true;
    for (uint32_t i = 0; i < m->p.Entries; i++) busy &= !m->live_q[i] || m->busy_q[i];
    return busy;
}

BITS_FUNCTION bool mshr_invariant_free(const struct mshr *m)
{
    if (bits_power_of_two(m->p.Entries) && bits_power_of_two(m->p.Slots)) return true;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) n += !m->busy_q[i];
    return m->n_free_q == n;
}

BITS_FUNCTION bool mshr_invariant_drain(const struct mshr *m)
{
    if (bits_power_of_two(m->p.Entries) && bits_power_of_two(m->p.Slots)) return true;
    const uint32_t i = m->drain_set_q;
    if (!m->drain_valid_q) return m->drain_slot_q == 0;
    return m->busy_q[i] && !m->live_q[i] && m->drain_slot_q <= m->last_q[i];
}
#endif
