/* SPDX-License-Identifier: Apache-2.0 */
/* dl_mshr: dynamically linked MSHRs with the Dynamic Allocation Unit (Gu20, sections 3.4.1 to 3.4.6).  The only list
 * of its parameters and registers; its ports are those of mshr_file.h; format: ports.h.  Bit-accurate twin of
 * rtl/dl_mshr/mt_dl_mshr.sv; decisions in its README.md. */
#ifndef MEMTWIN_DL_MSHR_H
#define MEMTWIN_DL_MSHR_H
#include "bits.h"
#include "mshr_file.h"
#include "ports.h"

#ifndef DL_MSHR_MAX_SETS
#define DL_MSHR_MAX_SETS 512
#endif
#ifndef DL_MSHR_MAX_SLOTS
#define DL_MSHR_MAX_SLOTS 8
#endif

/* clang-format off */
#define DL_MSHR_STATE(X) \
    X(DL_MSHR_S0,  0, "free") \
    X(DL_MSHR_S1,  1, "head, not full") \
    X(DL_MSHR_S2,  2, "head, full") \
    X(DL_MSHR_S3,  3, "head, linked") \
    X(DL_MSHR_S4,  4, "head, full, and a merge was refused (RF)") \
    X(DL_MSHR_S5,  5, "head, releasing its slots") \
    X(DL_MSHR_S6,  6, "attached, not full") \
    X(DL_MSHR_S7,  7, "attached, full") \
    X(DL_MSHR_S8,  8, "attached, linked") \
    X(DL_MSHR_S9,  9, "attached, full, and a merge was refused (RF)") \
    X(DL_MSHR_S10, 10, "attached, releasing its slots")

#define DL_MSHR_CODES(X) X(mshr_result, MSHR_RESULT) X(mshr_error, MSHR_ERROR) X(dl_mshr_state, DL_MSHR_STATE)
enum dl_mshr_state { DL_MSHR_STATE(ENUM_CODE) };

#define DL_MSHR_PARAM(X) \
    X(Sets,     128, 2, DL_MSHR_MAX_SETS, "slot sets; one comparator per set and search port") \
    X(Slots,      2, 1, DL_MSHR_MAX_SLOTS, "slots per set (optimization 1: grouping)") \
    X(AddrW,     41, 1, 64,   "bits of a line address") \
    X(InfoW,     24, 1, 32,   "bits of requester information per slot (offset and requester)") \
    X(DataW,      0, 0, 1024, "bits of write data per slot; 0: no write data buffer") \
    X(GateCmp,    1, 0, 1,    "optimization 2: comparators of sets that are not heads see a constant address") \
    X(TailPtr,    1, 0, 1,    "optimization 3: the head stores the tail's set number; 0: the tail is found by walking the chain") \
    X(Reserved,  64, 0, DL_MSHR_MAX_SETS - 1, "optimization 4: sets 0..Reserved-1 may only become heads")

/* An answer comes a cycle after its request is accepted, or later. */
#define DL_MSHR_IN(X) MSHR_FILE_IN(X)
#define DL_MSHR_OUT(X) MSHR_FILE_OUT(X, Sets, bits_index(p->Sets + 1))

#define DL_MSHR_REG(X) \
    X(BIT,   s2_valid_q,        1,                       "stage 2 holds a request") \
    X(BIT,   s2_hit_q,          1,                       "its line has a head") \
    X(BIT,   s2_drain_q,        1,                       "its line is draining: refuse it") \
    X(U16,   s2_set_q,          bits_index(p->Sets),     "that head; without TailPtr, current position of the walk") \
    X(U64,   s2_addr_q,         p->AddrW,                "its line address") \
    X(U32,   s2_info_q,         p->InfoW,                "its requester") \
    X(BIT,   s2_write_q,        1,                       "the request is a write") \
    X(W1024, s2_data_q,         p->DataW,                "its write data") \
    X(BIT,   drain_valid_q,     1,                       "a super-entry is draining") \
    X(BIT,   drain_linked_q,    1,                       "another set follows the draining one") \
    X(U16,   drain_set_q,       bits_index(p->Sets),     "the draining set") \
    X(U8,    drain_slot_q,      p->Slots > 1 ? bits_index(p->Slots) : 0, "its draining slot") \
    X(U64,   drain_addr_q,      p->AddrW,                "its line address") \
    X(U16,   n_free_set_q,      bits_index(p->Sets + 1), "nFreeSet: free sets that are not reserved") \
    X(U16,   n_free_reserved_q, p->Reserved ? bits_index(p->Sets + 1) : 0, "nFreeSet of the reserved sets") \
    X(U16,   used_slots_q,      bits_index(p->Sets * p->Slots + 1), "occupied slots") \
    X(U8,    error_q,           2,                       "enum mshr_error")

#define DL_MSHR_MAX_SLOT (DL_MSHR_MAX_SETS * DL_MSHR_MAX_SLOTS)
#define DL_MSHR_MEM(X) \
    X(U8,    state_q, 4,                    DL_MSHR_MAX_SETS, p->Sets, "enum dl_mshr_state: DAU state S0 to S10 of each set (figure 3.8)") \
    X(U64,   addr_q,  p->AddrW,             DL_MSHR_MAX_SETS, p->Sets, "line address, of a head") \
    X(U16,   next_q,  bits_index(p->Sets),  DL_MSHR_MAX_SETS, p->Sets, "P: the next set of the chain") \
    X(U16,   tail_q,  bits_index(p->Sets),  DL_MSHR_MAX_SETS, p->TailPtr ? p->Sets : 0, "last set of the chain, of a head") \
    X(U8,    last_q,  bits_index(p->Slots), DL_MSHR_MAX_SETS, p->Slots > 1 ? p->Sets : 0, "last allocated slot") \
    X(U32,   info_q,  p->InfoW,             DL_MSHR_MAX_SLOT, p->Sets * p->Slots, "requester, at set * Slots + slot") \
    X(BIT,   write_q, 1,                    DL_MSHR_MAX_SLOT, p->Sets * p->Slots, "the request is a write") \
    X(W1024, data_q,  p->DataW,             DL_MSHR_MAX_SLOT, p->DataW ? p->Sets * p->Slots : 0, "its write data")

/* Index bounds for the prover (tb/prove/README.md). */
#define DL_MSHR_INVARIANT(X) \
    X(s2_set_q,    p->Sets) \
    X(drain_set_q, p->Sets) \
    X(next_q,      p->Sets) \
    X(tail_q,      p->Sets) \
    X(last_q,      p->Slots)
/* clang-format on */

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
