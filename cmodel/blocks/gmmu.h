/* SPDX-License-Identifier: Apache-2.0 */
/* gmmu: the additions of CAPTURE to the GPU's memory management unit (Gu20, sections 4.2.1 and 4.3, figure 4.5).  The
 * only list of its parameters, ports, registers and parts; format: ports.h.  Bit-accurate twin of rtl/gmmu/mt_gmmu.sv:
 * five blocks and their interconnection; decisions in rtl/gmmu/README.md. */
#ifndef MEMTWIN_GMMU_H
#define MEMTWIN_GMMU_H
#include "cap.h"
#include "evict_coalescer.h"
#include "far_fault_mshr.h"
#include "lease_sampler.h"
#include "lease_table.h"

/* A chunk, also called block, is 64 KiB: 16 pages of 4 KiB. */
#define GMMU_PAGE_W(p) bits_index((p)->Pages)
#define GMMU_CHUNK_W(p) (bits_index((p)->Pages) - 4)
#define GMMU_COUNT_W(p) (bits_index((p)->Pages) + 1) /* of a page count, which can equal the number of all pages */

/* clang-format off */
#define GMMU_RESULT(X) \
    X(GMMU_RESIDENT,  0, "the page is resident: proceed") \
    X(GMMU_PRIMARY,   1, "a new far-fault: a response will come") \
    X(GMMU_SECONDARY, 2, "merged with an outstanding far-fault: a response will come") \
    X(GMMU_FULL,      3, "refused: no far-fault entry is free") \
    X(GMMU_DRAINING,  4, "refused: the page arrives in this cycle, or its responses are being sent; it is resident")

#define GMMU_PART(X) \
    X(GMMU_NONE,            0, "no error") \
    X(GMMU_SELF,            1, "of gmmu itself") \
    X(GMMU_CAP,             2, "of u_cap") \
    X(GMMU_LEASE_SAMPLER,   3, "of u_lease_sampler") \
    X(GMMU_LEASE_TABLE,     4, "of u_lease_table") \
    X(GMMU_EVICT_COALESCER, 5, "of u_evict_coalescer") \
    X(GMMU_FAR_FAULT_MSHR,  6, "of u_far_fault_mshr")

#define GMMU_ERROR(X) \
    X(GMMU_OK,            0, "no error") \
    X(GMMU_ERROR_REQUEST, 1, "a request for an illegal page or allocation") \
    X(GMMU_ERROR_ARRIVE,  2, "an arrival of an illegal page or in an illegal allocation") \
    X(GMMU_ERROR_ALLOC,   3, "an allocation that ends beyond the last page")

#define GMMU_CODES(X) X(gmmu_result, GMMU_RESULT) X(gmmu_part, GMMU_PART) X(gmmu_error, GMMU_ERROR) X(lease_table_op, LEASE_TABLE_OP)
enum gmmu_result { GMMU_RESULT(ENUM_CODE) };
enum gmmu_part { GMMU_PART(ENUM_CODE) };
enum gmmu_error { GMMU_ERROR(ENUM_CODE) };

/* The parts: each is an instance u_<part> in the RTL, and a member of the same name in the twin. */
#define GMMU_PARTS(X) \
    X(cap, CAP) \
    X(lease_sampler, LEASE_SAMPLER) \
    X(lease_table, LEASE_TABLE) \
    X(evict_coalescer, EVICT_COALESCER) \
    X(far_fault_mshr, FAR_FAULT_MSHR)

#define GMMU_PARAM(X) \
    X(Pages,   65536, 32, LEASE_TABLE_MAX_PAGES,      "entries of the page table: 4 KiB pages of all allocations, 256 MiB") \
    X(Allocs,     16,  1, CAP_MAX_ALLOCS,             "allocations in the table") \
    X(Requesters, 28,  1, 64,                         "requesters: streaming multiprocessors") \
    X(Faults,     64,  1, FAR_FAULT_MSHR_MAX_ENTRIES, "far-faults outstanding at a time") \
    X(Coalesce,  256,  1, EVICT_COALESCER_MAX_ENTRIES, "64 KiB blocks with expired pages") \
    X(Samples,    16,  1, LEASE_SAMPLER_MAX_ENTRIES,  "64 KiB blocks sampled at a time") \
    X(LeaseW,     10,  1, 15,                         "bits of a lease, in accesses") \
    X(Events,      4,  1, LEASE_TABLE_MAX_EVENTS,     "expiries queued for the coalescer") \
    X(Batch,       4,  1, 16,                         "blocks evicted per batch under memory pressure") \
    X(Duty,     1000,  1, 1048575,                    "D: cycles of a period in which accesses are sampled") \
    X(Period,   6000,  2, 16777215,                   "S: cycles of a period; the divisions must fit in its rest after Duty") \
    X(ScaleNum,    6,  1, 63,                         "LEASE_SCALE = ScaleNum/ScaleDen, its numerator: S/D") \
    X(ScaleDen,    1,  1, 63,                         "its denominator") \
    X(OldShift,    2,  0, 7,                          "a lease is ((2^OldShift - 1) * old + new) / 2^OldShift; 0: new alone") \
    X(MaxLog,      4,  0, 5,                          "the largest window is 2^MaxLog chunks of 64 KiB: 1 MiB") \
    X(OverLog,     3,  0, 5,                          "the window when memory is over-subscribed is 2^OverLog chunks: 512 KiB") \
    X(CNum,       11,  1, 15,                         "c = CNum/CDen of equation 4.1, its numerator") \
    X(CDen,       10,  1, 15,                         "its denominator") \
    X(FirstPage,   1,  0, 1,                          "1: a chunk counts as present if its first page is; 0: if all of its pages are") \
    X(InitLease, 32767, 1, 32767,                     "the lease of an allocation without a sample; at most all ones of LeaseW")

#define GMMU_IN(X) \
    X(BIT, alloc_valid_i,    1,                         "an entry of the allocation table is written") \
    X(U8,  alloc_index_i,    bits_index(p->Allocs),     "which") \
    X(U32, alloc_base_i,     GMMU_PAGE_W(p),            "first page of the allocation; a multiple of 16") \
    X(U32, alloc_pages_i,    GMMU_COUNT_W(p),           "its pages; 0: the allocation is freed") \
    X(BIT, lease_enable_i,   1,                         "leases are on: sampled, counted and expired") \
    X(BIT, req_valid_i,      1,                         "a page request, its page table entry already read") \
    X(U32, req_page_i,       GMMU_PAGE_W(p),            "its page") \
    X(U8,  req_alloc_i,      bits_index(p->Allocs),     "its allocation") \
    X(U8,  req_id_i,         bits_index(p->Requesters), "who asks") \
    X(BIT, req_resident_i,   1,                         "the page is in device memory") \
    X(BIT, fault_ready_i,    1,                         "the driver takes the offered fault") \
    X(BIT, serve_valid_i,    1,                         "the driver starts servicing a far-fault: decide its prefetches") \
    X(U8,  serve_alloc_i,    bits_index(p->Allocs),     "its allocation") \
    X(U32, serve_page_i,     GMMU_PAGE_W(p),            "its page") \
    X(U32, avail_pages_i,    GMMU_COUNT_W(p),           "free pages of the device memory, saturated; read with serve_*") \
    X(BIT, oversubscribed_i, 1,                         "memory is over-subscribed; read with serve_*") \
    X(BIT, look_ready_i,     1,                         "the residency of the requested chunk is available") \
    X(U16, look_resident_i,  16,                        "its pages in device memory or on their way to it, one bit each") \
    X(BIT, mig_ready_i,      1,                         "the requested migration is taken") \
    X(BIT, arrive_valid_i,   1,                         "a page has arrived in device memory") \
    X(U32, arrive_page_i,    GMMU_PAGE_W(p),            "its number") \
    X(U8,  arrive_alloc_i,   bits_index(p->Allocs),     "its allocation") \
    X(BIT, gone_valid_i,     1,                         "a page has left device memory") \
    X(U32, gone_page_i,      GMMU_PAGE_W(p),            "its number") \
    X(BIT, press_valid_i,    1,                         "memory is over-subscribed: evict up to Batch blocks") \
    X(BIT, evict_ready_i,    1,                         "the block offered for eviction is taken") \
    X(BIT, rsp_ready_i,      1,                         "the response is taken")

#define GMMU_VALID(X) X(lease_enable_i, always) X(avail_pages_i, serve_valid_i) X(oversubscribed_i, serve_valid_i) X(look_resident_i, look_ready_i)

#define GMMU_OUT(X) \
    X(BIT, ready_o,        1,                         "the lease table has been cleared; until then no request, arrival or departure is accepted") \
    X(BIT, alloc_ready_o,  1,                         "the entry is written at this clock edge, if it is legal") \
    X(BIT, req_ready_o,    1,                         "the request is answered at this clock edge") \
    X(U8,  req_result_o,   3,                         "enum gmmu_result, while req_valid_i and req_ready_o; else 0") \
    X(BIT, fault_valid_o,  1,                         "the oldest primary fault not yet taken by the driver is offered") \
    X(U32, fault_page_o,   GMMU_PAGE_W(p),            "its page; else 0") \
    X(BIT, serve_ready_o,  1,                         "the far-fault is accepted at this clock edge") \
    X(BIT, win_valid_o,    1,                         "the window of the far-fault is decided, for one cycle") \
    X(U8,  win_log_o,      3,                         "log2 of its granularity in chunks; else 0") \
    X(U32, win_first_o,    GMMU_CHUNK_W(p),           "its first chunk; else 0") \
    X(U32, win_last_o,     GMMU_CHUNK_W(p),           "its last chunk; else 0") \
    X(BIT, look_valid_o,   1,                         "the residency of a chunk is requested") \
    X(U32, look_chunk_o,   GMMU_CHUNK_W(p),           "the chunk; else 0") \
    X(BIT, mig_valid_o,    1,                         "a migration is requested") \
    X(U32, mig_chunk_o,    GMMU_CHUNK_W(p),           "its chunk; else 0") \
    X(U16, mig_pages_o,    16,                        "its absent pages; else 0") \
    X(U8,  mig_alloc_o,    bits_index(p->Allocs),     "its allocation; else 0") \
    X(BIT, mig_demand_o,   1,                         "the faulting page is in it") \
    X(BIT, arrive_ready_o, 1,                         "the arrival is taken at this clock edge") \
    X(BIT, gone_ready_o,   1,                         "the departure is taken at this clock edge") \
    X(BIT, press_ready_o,  1,                         "the pressure is taken at this clock edge") \
    X(BIT, press_done_o,   1,                         "all blocks of the batch have been taken, for one cycle") \
    X(U8,  press_count_o,  bits_index(p->Batch + 1),  "blocks of the batch; else 0") \
    X(BIT, evict_valid_o,  1,                         "a block of expired pages is offered for eviction") \
    X(U32, evict_block_o,  GMMU_CHUNK_W(p),           "the block; else 0") \
    X(U16, evict_pages_o,  16,                        "its expired pages; else 0") \
    X(BIT, evict_why_o,    1,                         "0: another block needs its entry; 1: memory is over-subscribed") \
    X(BIT, rsp_valid_o,    1,                         "a response: the page has arrived") \
    X(U32, rsp_page_o,     GMMU_PAGE_W(p),            "the page; else 0") \
    X(U8,  rsp_id_o,       bits_index(p->Requesters), "the requester; else 0") \
    X(BIT, rsp_last_o,     1,                         "the last response for this page") \
    X(U32, resident_o,     GMMU_COUNT_W(p),           "resident pages") \
    X(U32, expired_o,      32,                        "expired leases; saturates") \
    X(U32, recalled_o,     32,                        "blocks revoked by an access to one of their expired pages; saturates") \
    X(U32, evicted_o,      32,                        "blocks evicted; saturates") \
    X(U32, faults_o,       32,                        "primary far-faults; saturates") \
    X(U32, merged_o,       32,                        "secondary far-faults; saturates") \
    X(U32, asked_o,        32,                        "requested chunks; saturates") \
    X(U32, samples_o,      32,                        "leases set by samples; saturates") \
    X(U32, ignored_o,      32,                        "requests not sampled, as there was no free entry; saturates") \
    X(U8,  error_o,        3,                         "enum gmmu_part: source of the error; of several, the first of that list") \
    X(U8,  error_code_o,   3,                         "its error code; else 0")

#define GMMU_REG(X) \
    X(U16, recall_pages_q, 16,              "pages of a revoked block still to get half a lease") \
    X(U32, recall_block_q, GMMU_CHUNK_W(p), "that block") \
    X(U16, recall_lease_q, p->LeaseW,       "the lease of the allocation whose access revoked it") \
    X(U8,  error_q,        2,               "enum gmmu_error: the first one")

#define GMMU_MEM(X)
/* clang-format on */

struct gmmu_cfg {
    GMMU_PARAM(PARAM_FIELD)
};
struct gmmu_in {
    GMMU_IN(PORT_FIELD)
};
struct gmmu_out {
    GMMU_OUT(PORT_FIELD)
};
struct gmmu {
    struct gmmu_cfg p;
    GMMU_REG(PORT_FIELD)
    GMMU_MEM(MEM_FIELD)
    GMMU_PARTS(PART_FIELD)
};

/* Parameters of the parts, as mt_gmmu.sv sets them.  The prefetcher's page counts have one bit more than page numbers,
 * because a count can equal the number of all pages. */
BITS_FUNCTION struct cap_cfg gmmu_cap_cfg(const struct gmmu_cfg *p)
{
    const struct cap_cfg c = {.Allocs = p->Allocs,
                              .PageW = GMMU_COUNT_W(p),
                              .CountW = GMMU_COUNT_W(p),
                              .MaxLog = p->MaxLog,
                              .OverLog = p->OverLog,
                              .CNum = p->CNum,
                              .CDen = p->CDen,
                              .FirstPage = p->FirstPage};
    return c;
}
BITS_FUNCTION struct lease_sampler_cfg gmmu_lease_sampler_cfg(const struct gmmu_cfg *p)
{
    const struct lease_sampler_cfg c = {.Groups = p->Allocs,
                                        .Entries = p->Samples,
                                        .PageW = GMMU_PAGE_W(p),
                                        .CountW = 10,
                                        .LeaseW = p->LeaseW,
                                        .Duty = p->Duty,
                                        .Period = p->Period,
                                        .ScaleNum = p->ScaleNum,
                                        .ScaleDen = p->ScaleDen,
                                        .OldShift = p->OldShift,
                                        .FracW = 8,
                                        .InitLease = p->InitLease};
    return c;
}
BITS_FUNCTION struct lease_table_cfg gmmu_lease_table_cfg(const struct gmmu_cfg *p)
{
    const struct lease_table_cfg c = {.Pages = p->Pages, .LeaseW = p->LeaseW, .Events = p->Events};
    return c;
}
BITS_FUNCTION struct evict_coalescer_cfg gmmu_evict_coalescer_cfg(const struct gmmu_cfg *p)
{
    const struct evict_coalescer_cfg c = {.Entries = p->Coalesce, .PageW = GMMU_PAGE_W(p), .Batch = p->Batch};
    return c;
}
BITS_FUNCTION struct far_fault_mshr_cfg gmmu_far_fault_mshr_cfg(const struct gmmu_cfg *p)
{
    const struct far_fault_mshr_cfg c = {.Entries = p->Faults, .Requesters = p->Requesters, .PageW = GMMU_PAGE_W(p)};
    return c;
}

void gmmu_init(struct gmmu *m, const struct gmmu_cfg *cfg); /* cfg must be legal; resets */
void gmmu_reset(struct gmmu *m);
void gmmu_eval(const struct gmmu *m, const struct gmmu_in *in, struct gmmu_out *out);
void gmmu_tick(struct gmmu *m, const struct gmmu_in *in);
bool gmmu_idle(const struct gmmu *m);            /* equivalent to skip without valid inputs */
void gmmu_skip(struct gmmu *m, uint64_t cycles); /* as many such ticks */

/* Checks combinations of parameters that are each in range.  Returns an error text; NULL: legal. */
const char *gmmu_illegal(const struct gmmu_cfg *cfg);
#endif
