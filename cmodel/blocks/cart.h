/* SPDX-License-Identifier: Apache-2.0 */
/* cart: the Cache Access Reordering Tree (Gu20, sections 2.4.1 to 2.4.4).  Same ports as bank_reorder.  The only list
 * of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/cart/mt_cart.sv; decisions in
 * rtl/cart/README.md. */
#ifndef MEMTWIN_CART_H
#define MEMTWIN_CART_H
#include "bits.h"
#include "ports.h"

#ifndef CART_MAX_BANKS
#define CART_MAX_BANKS 64
#endif
#ifndef CART_MAX_ROWS
#define CART_MAX_ROWS 8
#endif
#ifndef CART_MAX_COLS
#define CART_MAX_COLS 8
#endif
#ifndef CART_MAX_ENTRIES
#define CART_MAX_ENTRIES 16
#endif

/* clang-format off */
#define CART_CODES(X)

#define CART_PARAM(X) \
    X(Banks,    16, 2, CART_MAX_BANKS,   "branches, one per DRAM bank; a power of two") \
    X(Rows,      4, 1, CART_MAX_ROWS,    "row groups per branch: different rows that it can hold at a time") \
    X(Cols,      2, 1, CART_MAX_COLS,    "leaf queues per row group") \
    X(Entries,   2, 1, CART_MAX_ENTRIES, "entries per leaf queue") \
    X(AddrW,    41, 2, 64,   "bits of a line address") \
    X(BankLsb,   1, 0, 62,   "position of the lowest bank bit in the line address") \
    X(BankMsb,   5, 1, 63,   "position of the remaining, contiguous bank bits, above the lowest") \
    X(RowLsb,    8, 1, 63,   "position of the lowest row bit; lower bits that are not bank bits: the column") \
    X(InfoW,    24, 1, 64,   "bits of a request's payload") \
    X(Rotate,    0, 0, 1,    "after a refused request; 0: HOLD, offer it until it is taken; 1: ROTATE, offer the next branch's") \
    X(Patience, 64, 0, 1024, "every Patience-th request of a branch comes from its leaf queues in round robin; 0: never")

#define CART_IN(X) \
    X(BIT, in_valid_i,    1,        "an incoming request is valid") \
    X(U64, in_addr_i,     p->AddrW, "its line address") \
    X(U64, in_info_i,     p->InfoW, "its payload") \
    X(BIT, out_ready_i,   1,        "the offered request is taken") \
    X(BIT, out_refused_i, 1,        "the offered request is refused in this cycle: ROTATE offers another one; ignored with out_ready_i")

#define CART_VALID(X) X(out_refused_i, always)

#define CART_OUT(X) \
    X(BIT, in_ready_o,  1,                    "the incoming request fits and is accepted at this clock edge; 0 without in_valid_i") \
    X(BIT, out_valid_o, 1,                    "a queued request is offered") \
    X(U64, out_addr_o,  p->AddrW,             "its line address") \
    X(U64, out_info_o,  p->InfoW,             "its payload") \
    X(U8,  out_bank_o,  bits_index(p->Banks), "its branch") \
    X(U8,  out_queue_o, bits_index(p->Rows * p->Cols), "its leaf queue: row group * Cols + queue of the group") \
    X(U32, used_o,      bits_index(p->Banks * p->Rows * p->Cols * p->Entries + 1), "requests held") \
    X(U32, stalls_o,    32,                   "cycles in which an incoming request did not fit; saturates")

#define CART_REG(X) \
    X(U64, busy_q,       p->Banks,             "number of branches that hold a request") \
    X(U8,  bank_q,       bits_index(p->Banks), "branch that is offered, if any holds a request") \
    X(BIT, hold_q,       1,                    "the request offered in the last cycle is held: neither taken nor refused") \
    X(U8,  hold_queue_q, bits_index(p->Rows * p->Cols), "its leaf queue") \
    X(U32, used_q,       bits_index(p->Banks * p->Rows * p->Cols * p->Entries + 1), "requests held") \
    X(U32, stalls_q,     32,                   "cycles in which an incoming request did not fit")

/* Tables per branch, per row group (branch * Rows + group), per leaf queue (branch * Rows * Cols + queue), and per
 * entry (leaf queue * Entries + slot). */
#define CART_MAX_GROUP (CART_MAX_BANKS * CART_MAX_ROWS)
#define CART_MAX_QUEUE (CART_MAX_GROUP * CART_MAX_COLS)
#define CART_MAX_ENTRY (CART_MAX_QUEUE * CART_MAX_ENTRIES)
#define CART_MEM(X) \
    X(U64, valid_q,   p->Rows * p->Cols,             CART_MAX_BANKS, p->Banks, "non-empty leaf queues, one bit each") \
    X(U64, linked_q,  p->Rows * p->Cols,             CART_MAX_BANKS, p->Banks, "full leaf queues with a link to a newer queue of the same tag") \
    X(U64, blocked_q, p->Rows * p->Cols,             CART_MAX_BANKS, p->Banks, "leaf queues blocked by an older one with the same tag") \
    X(U8,  last_q,    bits_index(p->Rows * p->Cols), CART_MAX_BANKS, p->Banks, "leaf queue drained last") \
    X(BIT, same_q,    1,                             CART_MAX_BANKS, p->Banks, "that queue has not become empty since") \
    X(BIT, stay_q,    1,                             CART_MAX_BANKS, p->Banks, "its row group has not become empty since") \
    X(U16, served_q,  bits_index(p->Patience),       CART_MAX_BANKS, p->Patience ? p->Banks : 0, "requests drained since the last round-robin turn") \
    X(U8,  turn_q,    bits_index(p->Rows * p->Cols), CART_MAX_BANKS, p->Patience ? p->Banks : 0, "leaf queue with the next round-robin turn") \
    X(U64, row_q,     p->AddrW - p->RowLsb,          CART_MAX_GROUP, p->Banks * p->Rows, "tag of a row group: the row") \
    X(U64, col_q,     p->RowLsb,                     CART_MAX_QUEUE, p->Banks * p->Rows * p->Cols, "tag of a leaf queue: the column, bank bits 0") \
    X(U8,  count_q,   bits_index(p->Entries + 1),    CART_MAX_QUEUE, p->Banks * p->Rows * p->Cols, "number of requests in it") \
    X(U8,  head_q,    bits_index(p->Entries),        CART_MAX_QUEUE, p->Entries > 1 ? p->Banks * p->Rows * p->Cols : 0, "slot of its oldest request") \
    X(U8,  next_q,    bits_index(p->Cols),           CART_MAX_QUEUE, p->Cols > 1 ? p->Banks * p->Rows * p->Cols : 0, "link of a full queue: the newer queue in the same row group") \
    X(U64, info_q,    p->InfoW,                      CART_MAX_ENTRY, p->Banks * p->Rows * p->Cols * p->Entries, "payload")

/* Index bounds for the prover (tb/prove/README.md): the count need not be a power of two. */
#define CART_INVARIANT(X) \
    X(hold_queue_q, p->Rows * p->Cols) \
    X(last_q,       p->Rows * p->Cols) \
    X(turn_q,       p->Rows * p->Cols) \
    X(head_q,       p->Entries) \
    X(next_q,       p->Cols)
/* clang-format on */

struct cart_cfg {
    CART_PARAM(PARAM_FIELD)
};
struct cart_in {
    CART_IN(PORT_FIELD)
};
struct cart_out {
    CART_OUT(PORT_FIELD)
};
struct cart {
    struct cart_cfg p;
    CART_REG(PORT_FIELD)
    CART_MEM(MEM_FIELD)
};

void cart_init(struct cart *m, const struct cart_cfg *cfg); /* cfg must be legal; resets */
void cart_reset(struct cart *m);
void cart_eval(const struct cart *m, const struct cart_in *in, struct cart_out *out);
void cart_tick(struct cart *m, const struct cart_in *in);
bool cart_idle(const struct cart *m);            /* ticks without valid inputs change nothing */
void cart_skip(struct cart *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states; the prover shows them (tb/prove/README.md).  With powers of two every index is in
 * range, and the proof needs none. */
BITS_FUNCTION bool cart_any_state(const struct cart *m)
{
    return bits_power_of_two(m->p.Rows * m->p.Cols) && bits_power_of_two(m->p.Entries);
}

BITS_FUNCTION bool cart_in(uint64_t queues, uint32_t queue)
{
    return queues >> queue & 1;
}

/* Leaf queues of row group g of a branch that hold requests. */
BITS_FUNCTION uint64_t cart_held(const struct cart *m, uint32_t bank, uint32_t g)
{
    return m->valid_q[bank] >> (g * m->p.Cols) & bits_mask(m->p.Cols);
}

/* Those of them whose oldest request may leave. */
BITS_FUNCTION uint64_t cart_eligible(const struct cart *m, uint32_t bank)
{
    return m->valid_q[bank] & ~m->blocked_q[bank];
}

/* Successor of a linked queue, in the same row group. */
BITS_FUNCTION uint32_t cart_next(const struct cart *m, uint32_t bank, uint32_t g, uint32_t queue)
{
    return g * m->p.Cols + m->next_q[bank * m->p.Rows * m->p.Cols + queue];
}

/* Whether a queue is reached from an unblocked one by following links. */
BITS_FUNCTION bool cart_reached(const struct cart *m, uint32_t bank, uint32_t g, uint32_t queue)
{
    bool reached = false;
    for (uint32_t first = g * m->p.Cols; first < (g + 1) * m->p.Cols; first++) {
        uint32_t at = first;
        for (uint32_t k = 1; k < m->p.Cols && m->p.Cols > 1; k++)
            if (cart_in(m->linked_q[bank], at)) {
                at = cart_next(m, bank, g, at);
                reached |= cart_in(cart_eligible(m, bank), first) && at == queue;
            }
    }
    return reached;
}

BITS_FUNCTION bool cart_invariant_one_group_a_row(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    bool one = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        for (uint32_t g = 0; g < m->p.Rows; g++)
            for (uint32_t h = 0; h < g; h++)
                one &= !cart_held(m, b, g) || !cart_held(m, b, h) ||
                       m->row_q[b * m->p.Rows + g] != m->row_q[b * m->p.Rows + h];
    return one;
}

BITS_FUNCTION bool cart_invariant_one_queue_a_line(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    const uint32_t queues = m->p.Rows * m->p.Cols;
    bool one = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        for (uint32_t i = 0; i < queues; i++)
            for (uint32_t j = i / m->p.Cols * m->p.Cols; j < i; j++) {
                const uint64_t open = m->valid_q[b] & ~m->linked_q[b];
                one &= !cart_in(open, i) || !cart_in(open, j) || m->col_q[b * queues + i] != m->col_q[b * queues + j];
            }
    return one;
}

BITS_FUNCTION bool cart_invariant_counts(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    const uint32_t queues = m->p.Rows * m->p.Cols;
    bool fits = true;
    for (uint32_t b = 0; b < m->p.Banks; b++)
        for (uint32_t i = 0; i < queues; i++)
            fits &= !cart_in(m->valid_q[b], i) ||
                    (m->count_q[b * queues + i] >= 1 && m->count_q[b * queues + i] <= m->p.Entries);
    return fits;
}

/* The branch that is offered holds requests.  The queue that is held, and the one that a branch drains again, hold
 * requests and are not blocked. */
BITS_FUNCTION bool cart_invariant_offered(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    bool held = !m->busy_q || (m->busy_q >> m->bank_q & 1);
    held &= !m->hold_q || ((m->busy_q >> m->bank_q & 1) && cart_in(cart_eligible(m, m->bank_q), m->hold_queue_q));
    for (uint32_t b = 0; b < m->p.Banks; b++) {
        held &= (m->busy_q >> b & 1) == (m->valid_q[b] != 0);
        held &= !m->same_q[b] || cart_in(cart_eligible(m, b), m->last_q[b]);
        for (uint32_t g = 0; g < m->p.Rows; g++)
            held &= !m->stay_q[b] || m->last_q[b] / m->p.Cols != g || cart_held(m, b, g);
    }
    return held;
}

/* The successor of a linked queue is blocked.  No two linked queues have the same successor.  Each blocked queue is
 * reached from an unblocked one by following links. */
BITS_FUNCTION bool cart_invariant_links(const struct cart *m)
{
    if (cart_any_state(m)) return true;
    bool chained = true;
    for (uint32_t b = 0; b < m->p.Banks; b++) {
        const uint64_t linked = m->linked_q[b], blocked = m->blocked_q[b];
        chained &= !((linked | blocked) & ~m->valid_q[b]) && (m->p.Cols > 1 || !(linked | blocked));
        for (uint32_t g = 0; g < m->p.Rows; g++)
            for (uint32_t i = g * m->p.Cols; i < (g + 1) * m->p.Cols; i++) {
                chained &= !cart_in(linked, i) || cart_in(blocked, cart_next(m, b, g, i));
                chained &= !cart_in(blocked, i) || cart_reached(m, b, g, i);
                for (uint32_t j = g * m->p.Cols; j < i; j++)
                    chained &=
                        !cart_in(linked, i) || !cart_in(linked, j) || cart_next(m, b, g, i) != cart_next(m, b, g, j);
            }
    }
    return chained;
}
#endif
