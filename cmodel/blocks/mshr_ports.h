/* SPDX-License-Identifier: Apache-2.0 */
/* mshr: the conventional, explicitly addressed MSHR file (Gu20, section 3.2).  The only list of its parameters and
 * registers; its ports are those of mshr_file.h; format: ports.h. */
#ifndef MEMTWIN_MSHR_PORTS_H
#define MEMTWIN_MSHR_PORTS_H
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
#endif
