/* SPDX-License-Identifier: Apache-2.0 */
/* bank_reorder: reordering by bank alone (Gu20, section 2.3.3, figure 2.3); with one queue, the FIFO of figure 2.2.
 * Same ports as cart.  The only list of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of
 * rtl/bank_reorder/mt_bank_reorder.sv; decisions in rtl/bank_reorder/README.md. */
#ifndef MEMTWIN_BANK_REORDER_H
#define MEMTWIN_BANK_REORDER_H
#include "bits.h"
#include "ports.h"

#ifndef BANK_REORDER_MAX_BANKS
#define BANK_REORDER_MAX_BANKS 64
#endif
#ifndef BANK_REORDER_MAX_ENTRIES
#define BANK_REORDER_MAX_ENTRIES 512
#endif

/* clang-format off */
#define BANK_REORDER_CODES(X)

#define BANK_REORDER_PARAM(X) \
    X(Banks,    16, 1, BANK_REORDER_MAX_BANKS,   "number of queues, the paper's B; a power of two; 1: a FIFO") \
    X(Entries,  16, 1, BANK_REORDER_MAX_ENTRIES, "entries per queue") \
    X(AddrW,    41, 2, 64, "bits of a line address") \
    X(BankLsb,   1, 0, 62, "position of the lowest bank bit in the line address") \
    X(BankMsb,   5, 1, 63, "position of the remaining, contiguous bank bits, above the lowest; with fewer queues than banks the low ones are used") \
    X(InfoW,    24, 1, 64, "bits of a request's payload") \
    X(Rotate,    0, 0, 1,  "after a refused request; 0: HOLD, offer it until it is taken; 1: ROTATE, offer the next queue's head")

#define BANK_REORDER_IN(X) \
    X(BIT, in_valid_i,    1,        "an incoming request is valid") \
    X(U64, in_addr_i,     p->AddrW, "its line address") \
    X(U64, in_info_i,     p->InfoW, "its payload") \
    X(BIT, out_ready_i,   1,        "the offered request is taken") \
    X(BIT, out_refused_i, 1,        "the offered request is refused in this cycle: ROTATE offers another one; ignored with out_ready_i")

#define BANK_REORDER_VALID(X) X(out_refused_i, always)

#define BANK_REORDER_OUT(X) \
    X(BIT, in_ready_o,  1,                    "the incoming request fits and is accepted at this clock edge; 0 without in_valid_i") \
    X(BIT, out_valid_o, 1,                    "a queued request is offered") \
    X(U64, out_addr_o,  p->AddrW,             "its line address") \
    X(U64, out_info_o,  p->InfoW,             "its payload") \
    X(U8,  out_bank_o,  bits_index(p->Banks), "its queue") \
    X(U8,  out_queue_o, 1,                    "0: a branch has one queue") \
    X(U32, used_o,      bits_index(p->Banks * p->Entries + 1), "requests held") \
    X(U32, stalls_o,    32,                   "cycles in which an incoming request did not fit; saturates")

#define BANK_REORDER_REG(X) \
    X(U64, busy_q,      p->Banks,             "number of queues that hold a request") \
    X(U8,  turn_bank_q, bits_index(p->Banks), "first queue of the round-robin search") \
    X(BIT, hold_q,      1,                    "the request offered in the last cycle is held: neither taken nor refused") \
    X(U8,  hold_bank_q, bits_index(p->Banks), "its queue") \
    X(U32, used_q,      bits_index(p->Banks * p->Entries + 1), "requests held") \
    X(U32, stalls_q,    32,                   "cycles in which an incoming request did not fit")

#define BANK_REORDER_MAX_ENTRY (BANK_REORDER_MAX_BANKS * BANK_REORDER_MAX_ENTRIES)
#define BANK_REORDER_MEM(X) \
    X(U16, count_q, bits_index(p->Entries + 1), BANK_REORDER_MAX_BANKS, p->Banks, "requests in a queue") \
    X(U16, head_q,  bits_index(p->Entries),     BANK_REORDER_MAX_BANKS, p->Entries > 1 ? p->Banks : 0, "slot of the queue's oldest request") \
    X(U64, addr_q,  p->AddrW,                   BANK_REORDER_MAX_ENTRY, p->Banks * p->Entries, "line address, at queue * Entries + slot") \
    X(U64, info_q,  p->InfoW,                   BANK_REORDER_MAX_ENTRY, p->Banks * p->Entries, "payload")

/* Index bounds for the prover (tb/prove/README.md): with one queue the index is always 0. */
#define BANK_REORDER_INVARIANT(X) \
    X(turn_bank_q, p->Banks) \
    X(hold_bank_q, p->Banks) \
    X(head_q,      p->Entries)
/* clang-format on */

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
