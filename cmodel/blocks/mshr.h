/* SPDX-License-Identifier: Apache-2.0 */
/* mshr: the conventional, explicitly addressed MSHR file (Gu20, section 3.2).  The only list of its parameters and
 * registers; its ports are those of mshr_file.h; format: ports.h.  Bit-accurate twin of rtl/mshr/mt_mshr.sv; decisions
 * in rtl/mshr/README.md. */
#ifndef MEMTWIN_MSHR_H
#define MEMTWIN_MSHR_H
#include "bits.h"
#include "mshr_file.h"
#include "ports.h"

#ifndef MSHR_MAX_ENTRIES
#define MSHR_MAX_ENTRIES 512
#endif
#ifndef MSHR_MAX_SLOTS
#define MSHR_MAX_SLOTS 64
#endif

/* clang-format off */
#define MSHR_CODES(X) X(mshr_result, MSHR_RESULT) X(mshr_error, MSHR_ERROR)

#define MSHR_PARAM(X) \
    X(Entries,  32, 2, MSHR_MAX_ENTRIES, "entries; one comparator per entry and search port") \
    X(Slots,     8, 1, MSHR_MAX_SLOTS,   "slots per entry: the primary miss and its secondary misses") \
    X(AddrW,    41, 1, 64,   "bits of a line address") \
    X(InfoW,    24, 1, 32,   "bits of requester information per slot (offset and requester)") \
    X(DataW,     0, 0, 1024, "bits of write data per slot; 0: no write data buffer")

/* An answer comes in the cycle of its request. */
#define MSHR_IN(X) MSHR_FILE_IN(X)
#define MSHR_OUT(X) MSHR_FILE_OUT(X, Entries, 1)

#define MSHR_REG(X) \
    X(BIT,   drain_valid_q, 1,                          "an entry is draining") \
    X(U16,   drain_set_q,   bits_index(p->Entries),     "the draining entry") \
    X(U8,    drain_slot_q,  p->Slots > 1 ? bits_index(p->Slots) : 0, "its draining slot") \
    X(U16,   n_free_q,      bits_index(p->Entries + 1), "free entries") \
    X(U16,   used_slots_q,  bits_index(p->Entries * p->Slots + 1), "occupied slots") \
    X(U8,    error_q,       2,                          "enum mshr_error")

/* Bytes, not bool: compilers do not vectorise over bool. */
#define MSHR_MAX_SLOT (MSHR_MAX_ENTRIES * MSHR_MAX_SLOTS)
#define MSHR_MEM(X) \
    X(U8,    busy_q,  1,                    MSHR_MAX_ENTRIES, p->Entries, "the entry is in use") \
    X(U8,    live_q,  1,                    MSHR_MAX_ENTRIES, p->Entries, "its data has not returned: it takes secondary misses") \
    X(U64,   addr_q,  p->AddrW,             MSHR_MAX_ENTRIES, p->Entries, "line address") \
    X(U8,    last_q,  bits_index(p->Slots), MSHR_MAX_ENTRIES, p->Slots > 1 ? p->Entries : 0, "last allocated slot") \
    X(U32,   info_q,  p->InfoW,             MSHR_MAX_SLOT, p->Entries * p->Slots, "requester, at entry * Slots + slot") \
    X(BIT,   write_q, 1,                    MSHR_MAX_SLOT, p->Entries * p->Slots, "the request is a write") \
    X(W1024, data_q,  p->DataW,             MSHR_MAX_SLOT, p->DataW ? p->Entries * p->Slots : 0, "its write data")

/* Index bounds for the prover (tb/prove/README.md). */
#define MSHR_INVARIANT(X) \
    X(drain_set_q,  p->Entries) \
    X(drain_slot_q, p->Slots) \
    X(last_q,       p->Slots)
/* clang-format on */

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

/* Outputs of the address comparators, for the request and for the fill: a live entry matches, and its number.  Both are
 * 0 without a match, and without a valid input. */
struct mshr_matches {
    bool req, fill;
    uint32_t req_set, fill_set;
};

/* tick and step with these answers, for a user that finds them in another way. */
void mshr_tick_matched(struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x);
void mshr_step_matched(struct mshr *m, const struct mshr_in *in, const struct mshr_matches *x, struct mshr_out *out);

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
