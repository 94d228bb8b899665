/* SPDX-License-Identifier: Apache-2.0 */
/* cap: the capacity-aware prefetcher of CAPTURE (Gu20, section 4.3.1).  The only list of its parameters, ports and
 * registers; format: ports.h.  Bit-accurate twin of rtl/cap/mt_cap.sv; decisions in rtl/cap/README.md. */
#ifndef MEMTWIN_CAP_H
#define MEMTWIN_CAP_H
#include "bits.h"
#include "ports.h"

#ifndef CAP_MAX_ALLOCS
#define CAP_MAX_ALLOCS 64
#endif

/* A chunk is 64 KiB: 16 pages of 4 KiB.  Widths of a chunk number, of Mavail * Mreq * CDen, and of the largest g *
 * Magg * CNum. */
#define CAP_CHUNK_W(p) ((p)->PageW - 4)
#define CAP_PRODUCT_W(p) (2 * (p)->CountW + 4)
#define CAP_LIMIT_W(p) ((p)->CountW + 8 + (p)->MaxLog)

/* clang-format off */
#define CAP_ERROR(X) \
    X(CAP_OK,          0, "no error") \
    X(CAP_ERROR_ALLOC, 1, "an illegal allocation") \
    X(CAP_ERROR_FAULT, 2, "a far-fault outside its allocation")

#define CAP_STATE(X) \
    X(CAP_IDLE,     0, "idle") \
    X(CAP_SCALE,    1, "loads the multiplier") \
    X(CAP_MULTIPLY, 2, "multiplies Mavail by Mreq, one bit per cycle") \
    X(CAP_CHOOSE,   3, "halves the window until the product is below its limit") \
    X(CAP_WINDOW,   4, "checks the page, sets first and last chunk") \
    X(CAP_WALK,     5, "looks up the chunks, requests migrations")

#define CAP_CODES(X) X(cap_error, CAP_ERROR) X(cap_state, CAP_STATE)
enum cap_error { CAP_ERROR(ENUM_CODE) };
enum cap_state { CAP_STATE(ENUM_CODE) };

#define CAP_PARAM(X) \
    X(Allocs,    16, 1, CAP_MAX_ALLOCS, "allocations in the table") \
    X(PageW,     36, 5, 48, "bits of a page number: 4 KiB pages of 48-bit addresses") \
    X(CountW,    22, 5, 28, "bits of a page count; at most PageW: 22 for up to 16 GiB") \
    X(MaxLog,     4, 0, 5,  "the largest window is 2^MaxLog chunks of 64 KiB: 1 MiB") \
    X(OverLog,    3, 0, 5,  "the window when memory is over-subscribed is 2^OverLog chunks: 512 KiB") \
    X(CNum,      11, 1, 15, "c = CNum/CDen of equation 4.1, its numerator") \
    X(CDen,      10, 1, 15, "its denominator") \
    X(FirstPage,  1, 0, 1,  "1: a chunk counts as present if its first page is; 0: if all of its pages are")

#define CAP_IN(X) \
    X(BIT, alloc_valid_i,    1,                     "an entry of the allocation table is written") \
    X(U8,  alloc_index_i,    bits_index(p->Allocs), "which") \
    X(U64, alloc_base_i,     p->PageW,              "first page of the allocation; a multiple of 16") \
    X(U32, alloc_pages_i,    p->CountW,             "Mreq: its pages; 0: the allocation is freed") \
    X(BIT, fault_valid_i,    1,                     "a far-fault") \
    X(U8,  fault_alloc_i,    bits_index(p->Allocs), "its allocation") \
    X(U64, fault_page_i,     p->PageW,              "its page") \
    X(U32, avail_pages_i,    p->CountW,             "Mavail: free pages of the device memory; sampled when a fault is accepted") \
    X(BIT, oversubscribed_i, 1,                     "memory is over-subscribed; sampled when a fault is accepted") \
    X(BIT, look_ready_i,     1,                     "the residency of the requested chunk is available") \
    X(U16, look_resident_i,  16,                    "its pages in device memory, one bit each") \
    X(BIT, req_ready_i,      1,                     "the requested migration is taken")

#define CAP_VALID(X) X(avail_pages_i, fault_valid_i) X(oversubscribed_i, fault_valid_i) X(look_resident_i, look_ready_i)

#define CAP_OUT(X) \
    X(BIT, alloc_ready_o, 1,                     "the entry is written at this clock edge, if it is legal") \
    X(BIT, alloc_done_o,  1,                     "the written entry is legal; it is in the table from the next cycle on") \
    X(BIT, fault_ready_o, 1,                     "a fault is accepted at this clock edge") \
    X(BIT, win_valid_o,   1,                     "the window of the fault is decided, for one cycle") \
    X(U8,  win_log_o,     3,                     "log2 of its granularity in chunks; else 0") \
    X(U64, win_first_o,   CAP_CHUNK_W(p),        "its first chunk; else 0") \
    X(U64, win_last_o,    CAP_CHUNK_W(p),        "its last chunk; else 0") \
    X(BIT, look_valid_o,  1,                     "the residency of a chunk is requested") \
    X(U64, look_chunk_o,  CAP_CHUNK_W(p),        "the chunk; else 0") \
    X(BIT, req_valid_o,   1,                     "a migration is requested") \
    X(U64, req_chunk_o,   CAP_CHUNK_W(p),        "its chunk; else 0") \
    X(U16, req_pages_o,   16,                    "its absent pages; else 0") \
    X(U8,  req_alloc_o,   bits_index(p->Allocs), "its allocation; else 0") \
    X(BIT, req_demand_o,  1,                     "the faulting page is in it") \
    X(U32, total_o,       p->CountW,             "Magg: pages of all allocations") \
    X(U32, faults_o,      32,                    "faults with a decided window; saturates") \
    X(U32, asked_o,       32,                    "requested chunks; saturates") \
    X(U8,  error_o,       2,                     "enum cap_error: the first one, sticky until reset")

#define CAP_REG(X) \
    X(U8,  state_q,  3,                     "enum cap_state") \
    X(U32, total_q,  p->CountW,             "Magg") \
    X(U8,  alloc_q,  bits_index(p->Allocs), "allocation of the fault") \
    X(U64, fault_q,  p->PageW,              "its page") \
    X(BIT, over_q,   1,                     "memory was over-subscribed") \
    X(U64, base_q,   CAP_CHUNK_W(p),        "first chunk of the allocation") \
    X(U32, pages_q,  p->CountW,             "Mreq") \
    X(U64, last_q,   CAP_CHUNK_W(p),        "last chunk of the allocation") \
    X(U32, left_q,   p->CountW,             "bits of Mavail still to be multiplied") \
    X(U64, term_q,   CAP_PRODUCT_W(p),      "Mreq * CDen, shifted left each cycle") \
    X(U64, sum_q,    CAP_PRODUCT_W(p),      "partial product of Mavail * Mreq * CDen") \
    X(U64, limit_q,  CAP_LIMIT_W(p),        "g * Magg * CNum") \
    X(U8,  log_q,    3,                     "log2 of g in chunks") \
    X(U64, chunk_q,  CAP_CHUNK_W(p),        "current chunk of the window") \
    X(U64, end_q,    CAP_CHUNK_W(p),        "last chunk of the window") \
    X(U8,  count_q,  2,                     "pending migrations") \
    X(U32, faults_q, 32,                    "faults with a decided window") \
    X(U32, asked_q,  32,                    "requested chunks") \
    X(U8,  error_q,  2,                     "enum cap_error")

#define CAP_MEM(X) \
    X(U64, alloc_base_q,  CAP_CHUNK_W(p),        CAP_MAX_ALLOCS, p->Allocs, "first chunk of an allocation") \
    X(U32, alloc_pages_q, p->CountW,             CAP_MAX_ALLOCS, p->Allocs, "its pages; 0: free entry") \
    X(U64, req_chunk_q,   CAP_CHUNK_W(p),        2, 2, "chunk of a pending migration, the oldest first") \
    X(U16, req_pages_q,   16,                    2, 2, "its absent pages") \
    X(U8,  req_alloc_q,   bits_index(p->Allocs), 2, 2, "its allocation") \
    X(BIT, req_demand_q,  1,                     2, 2, "the faulting page is in it")
/* clang-format on */

struct cap_cfg {
    CAP_PARAM(PARAM_FIELD)
};
struct cap_in {
    CAP_IN(PORT_FIELD)
};
struct cap_out {
    CAP_OUT(PORT_FIELD)
};
struct cap {
    struct cap_cfg p;
    CAP_REG(PORT_FIELD)
    CAP_MEM(MEM_FIELD)
};

void cap_init(struct cap *m, const struct cap_cfg *cfg); /* cfg must be legal; resets */
void cap_reset(struct cap *m);
void cap_eval(const struct cap *m, const struct cap_in *in, struct cap_out *out);
void cap_tick(struct cap *m, const struct cap_in *in);
bool cap_idle(const struct cap *m);            /* ticks without valid inputs change nothing */
void cap_skip(struct cap *m, uint64_t cycles); /* as many such ticks */
#endif
