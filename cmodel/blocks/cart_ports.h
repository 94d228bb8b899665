/* SPDX-License-Identifier: Apache-2.0 */
/* cart: the Cache Access Reordering Tree (Gu20, sections 2.4.1 to 2.4.4).  Same ports as bank_reorder.
 * The one list of its parameters, ports and registers; ports.h says how to read it. */
#ifndef MEMTWIN_CART_PORTS_H
#define MEMTWIN_CART_PORTS_H
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
    X(Banks,    16, 2, CART_MAX_BANKS,   "branches, one for each DRAM bank; a power of two") \
    X(Rows,      4, 1, CART_MAX_ROWS,    "row groups of a branch: different rows that it can hold at a time") \
    X(Cols,      2, 1, CART_MAX_COLS,    "leaf queues of a row group") \
    X(Entries,   2, 1, CART_MAX_ENTRIES, "requests of a leaf queue") \
    X(AddrW,    41, 2, 64,   "bits of a line address") \
    X(BankLsb,   1, 0, 62,   "position of the lowest bank bit in it") \
    X(BankMsb,   5, 1, 63,   "position of the other bank bits, side by side, above the lowest") \
    X(RowLsb,    8, 1, 63,   "position of the row, the bits from here on; bits below it that are no bank bits: the column") \
    X(InfoW,    24, 1, 64,   "bits of a request's payload") \
    X(Rotate,    0, 0, 1,    "when the offered request is refused; 0: HOLD, offer it until it is taken; 1: ROTATE, offer the next branch's") \
    X(Patience, 64, 0, 1024, "every Patience-th request of a branch is that of its leaf queues in turn; 0: never")

#define CART_IN(X) \
    X(BIT, in_valid_i,    1,        "a request is offered to the tree") \
    X(U64, in_addr_i,     p->AddrW, "its line address") \
    X(U64, in_info_i,     p->InfoW, "its payload") \
    X(BIT, out_ready_i,   1,        "the request that the tree offers is taken") \
    X(BIT, out_refused_i, 1,        "it is refused in this cycle: ROTATE offers another one; counts only without out_ready_i")

#define CART_VALID(X) X(out_refused_i, always)

#define CART_OUT(X) \
    X(BIT, in_ready_o,  1,                    "the request offered to the tree fits, and is accepted at this clock edge; 0 without one") \
    X(BIT, out_valid_o, 1,                    "the tree offers a request") \
    X(U64, out_addr_o,  p->AddrW,             "its line address") \
    X(U64, out_info_o,  p->InfoW,             "its payload") \
    X(U8,  out_bank_o,  bits_index(p->Banks), "its branch") \
    X(U8,  out_queue_o, bits_index(p->Rows * p->Cols), "its leaf queue: row group * Cols + queue of the group") \
    X(U32, used_o,      bits_index(p->Banks * p->Rows * p->Cols * p->Entries + 1), "requests held") \
    X(U32, stalls_o,    32,                   "cycles in which an offered request did not fit; saturates")

#define CART_REG(X) \
    X(U64, busy_q,       p->Banks,             "branches that hold a request") \
    X(U8,  bank_q,       bits_index(p->Banks), "branch that is offered, if one holds a request") \
    X(BIT, hold_q,       1,                    "the request offered in the last cycle was neither taken nor given up") \
    X(U8,  hold_queue_q, bits_index(p->Rows * p->Cols), "its leaf queue") \
    X(U32, used_q,       bits_index(p->Banks * p->Rows * p->Cols * p->Entries + 1), "requests held") \
    X(U32, stalls_q,     32,                   "cycles in which an offered request did not fit")

/* Per branch, per row group (branch * Rows + group), per leaf queue (branch * Rows * Cols + queue), per entry (leaf queue
 * * Entries + slot). */
#define CART_MAX_GROUP (CART_MAX_BANKS * CART_MAX_ROWS)
#define CART_MAX_QUEUE (CART_MAX_GROUP * CART_MAX_COLS)
#define CART_MAX_ENTRY (CART_MAX_QUEUE * CART_MAX_ENTRIES)
#define CART_MEM(X) \
    X(U64, valid_q,   p->Rows * p->Cols,             CART_MAX_BANKS, p->Banks, "leaf queues that hold a request") \
    X(U64, linked_q,  p->Rows * p->Cols,             CART_MAX_BANKS, p->Banks, "of these, full ones behind which another with the same tag was begun") \
    X(U64, blocked_q, p->Rows * p->Cols,             CART_MAX_BANKS, p->Banks, "of these, those that wait for an older one with the same tag") \
    X(U8,  last_q,    bits_index(p->Rows * p->Cols), CART_MAX_BANKS, p->Banks, "leaf queue whose request was taken last") \
    X(BIT, same_q,    1,                             CART_MAX_BANKS, p->Banks, "it has not run empty since") \
    X(BIT, stay_q,    1,                             CART_MAX_BANKS, p->Banks, "its row group has not run empty since") \
    X(U16, served_q,  bits_index(p->Patience),       CART_MAX_BANKS, p->Patience ? p->Banks : 0, "requests taken since a leaf queue had its turn") \
    X(U8,  turn_q,    bits_index(p->Rows * p->Cols), CART_MAX_BANKS, p->Patience ? p->Banks : 0, "leaf queue whose turn is next") \
    X(U64, row_q,     p->AddrW - p->RowLsb,          CART_MAX_GROUP, p->Banks * p->Rows, "tag of a row group: the row") \
    X(U64, col_q,     p->RowLsb,                     CART_MAX_QUEUE, p->Banks * p->Rows * p->Cols, "tag of a leaf queue: the column, bank bits 0") \
    X(U8,  count_q,   bits_index(p->Entries + 1),    CART_MAX_QUEUE, p->Banks * p->Rows * p->Cols, "requests in it") \
    X(U8,  head_q,    bits_index(p->Entries),        CART_MAX_QUEUE, p->Entries > 1 ? p->Banks * p->Rows * p->Cols : 0, "slot of its oldest request") \
    X(U8,  next_q,    bits_index(p->Cols),           CART_MAX_QUEUE, p->Cols > 1 ? p->Banks * p->Rows * p->Cols : 0, "of a linked one: the queue, in its row group, begun behind it") \
    X(U64, info_q,    p->InfoW,                      CART_MAX_ENTRY, p->Banks * p->Rows * p->Cols * p->Entries, "payload")

/* Numbers of leaf queues where there are not a power of two of them. */
#define CART_INVARIANT(X) \
    X(hold_queue_q, p->Rows * p->Cols) \
    X(last_q,       p->Rows * p->Cols) \
    X(turn_q,       p->Rows * p->Cols)
/* clang-format on */
#endif
