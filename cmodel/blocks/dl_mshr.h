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

/* Invariants of reachable states; the prover shows them (tb/prove/README.md).  With powers of two every index is in
 * range, and the proof needs none. */
BITS_FUNCTION bool dl_mshr_any_state(const struct dl_mshr *m)
{
    return bits_power_of_two(m->p.Sets) && bits_power_of_two(m->p.Slots);
}

BITS_FUNCTION bool dl_mshr_head(const struct dl_mshr *m, uint32_t i)
{
    return m->state_q[i] >= DL_MSHR_S1 && m->state_q[i] <= DL_MSHR_S4;
}

BITS_FUNCTION bool dl_mshr_attached(const struct dl_mshr *m, uint32_t i)
{
    return m->state_q[i] >= DL_MSHR_S6 && m->state_q[i] <= DL_MSHR_S9;
}

BITS_FUNCTION bool dl_mshr_linked(const struct dl_mshr *m, uint32_t i)
{
    return m->state_q[i] == DL_MSHR_S3 || m->state_q[i] == DL_MSHR_S8;
}

BITS_FUNCTION bool dl_mshr_releasing(const struct dl_mshr *m, uint32_t i)
{
    return m->state_q[i] == DL_MSHR_S5 || m->state_q[i] == DL_MSHR_S10;
}

BITS_FUNCTION bool dl_mshr_has_next(const struct dl_mshr *m, uint32_t i)
{
    return dl_mshr_linked(m, i) || (m->drain_valid_q && m->drain_linked_q && m->drain_set_q == i);
}

BITS_FUNCTION uint32_t dl_mshr_count_free(const struct dl_mshr *m, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) n += m->state_q[i] == DL_MSHR_S0;
    return n;
}

BITS_FUNCTION bool dl_mshr_invariant_one_head_a_line(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Sets; i++)
        for (uint32_t j = 0; j < i; j++)
            one &= !dl_mshr_head(m, i) || !dl_mshr_head(m, j) || m->addr_q[i] != m->addr_q[j];
    return one;
}

/* If the request in stage 2 has found no head, no head holds its line. */
BITS_FUNCTION bool dl_mshr_invariant_miss(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m)) return true;
    bool none = true;
    for (uint32_t i = 0; i < m->p.Sets; i++) none &= !dl_mshr_head(m, i) || m->addr_q[i] != m->s2_addr_q;
    return none || !m->s2_valid_q || m->s2_hit_q || m->s2_drain_q;
}

BITS_FUNCTION bool dl_mshr_invariant_free(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m)) return true;
    return m->n_free_reserved_q == dl_mshr_count_free(m, 0, m->p.Reserved) &&
           m->n_free_set_q == dl_mshr_count_free(m, m->p.Reserved, m->p.Sets);
}

/* The last slot is allocated in full sets, and free in open ones. */
BITS_FUNCTION bool dl_mshr_invariant_slots(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m) || m->p.Slots == 1) return true;
    bool fits = true;
    for (uint32_t i = 0; i < m->p.Sets; i++) {
        const bool open = m->state_q[i] == DL_MSHR_S1 || m->state_q[i] == DL_MSHR_S6;
        const bool full = (dl_mshr_head(m, i) || dl_mshr_attached(m, i)) && !open;
        fits &= !open || m->last_q[i] + 1u < m->p.Slots;
        fits &= !full || m->last_q[i] + 1u == m->p.Slots;
    }
    return fits;
}

BITS_FUNCTION bool dl_mshr_invariant_releasing(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Sets; i++)
        one &= dl_mshr_releasing(m, i) == (m->drain_valid_q && m->drain_set_q == i) && m->state_q[i] <= DL_MSHR_S10;
    return one && m->drain_slot_q <= (m->drain_valid_q && m->p.Slots > 1 ? m->last_q[m->drain_set_q] : 0);
}

/* The successor of a set is attached.  No two sets have the same successor. */
BITS_FUNCTION bool dl_mshr_invariant_chains(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Sets; i++) {
        one &= !dl_mshr_has_next(m, i) || dl_mshr_attached(m, m->next_q[i]);
        for (uint32_t j = 0; j < i; j++)
            one &= !dl_mshr_has_next(m, i) || !dl_mshr_has_next(m, j) || m->next_q[i] != m->next_q[j];
    }
    return one;
}

/* Every chain ends.  The tail that its head stores is the last set. */
BITS_FUNCTION bool dl_mshr_invariant_tails(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m)) return true;
    bool ends = true;
    for (uint32_t i = 0; i < m->p.Sets; i++) {
        uint32_t at = i;
        for (uint32_t k = 1; k < m->p.Sets; k++)
            if (dl_mshr_linked(m, at)) at = m->next_q[at];
        ends &= !dl_mshr_head(m, i) || (!dl_mshr_linked(m, at) && (!m->p.TailPtr || m->tail_q[i] == at));
    }
    return ends;
}

/* If the request in stage 2 has found a head, its set is a head.  Without TailPtr it may be any set of a chain. */
BITS_FUNCTION bool dl_mshr_invariant_hit(const struct dl_mshr *m)
{
    if (dl_mshr_any_state(m) || !m->s2_valid_q || !m->s2_hit_q || m->s2_drain_q) return true;
    bool found = false;
    for (uint32_t i = 0; i < m->p.Sets; i++) {
        uint32_t at = i;
        bool here = at == m->s2_set_q;
        for (uint32_t k = 1; k < m->p.Sets && !m->p.TailPtr; k++)
            if (dl_mshr_linked(m, at)) {
                at = m->next_q[at];
                here |= at == m->s2_set_q;
            }
        found |= dl_mshr_head(m, i) && here;
    }
    return found;
}
#endif
