/* SPDX-License-Identifier: Apache-2.0 */
/* gmmu: what CAPTURE adds to the memory management unit of the GPU (Gu20, sections 4.2.1 and 4.3, figure 4.5).
 * The one list of its parameters, ports, registers and parts; ports.h says how to read it. */
#ifndef MEMTWIN_GMMU_PORTS_H
#define MEMTWIN_GMMU_PORTS_H
#include "cap_ports.h"
#include "evict_coalescer_ports.h"
#include "far_fault_mshr_ports.h"
#include "lease_sampler_ports.h"
#include "lease_table_ports.h"

/* A chunk, also called block, is 64 KiB: 16 pages of 4 KiB. */
#define GMMU_PAGE_W(p) bits_index((p)->Pages)
#define GMMU_CHUNK_W(p) (bits_index((p)->Pages) - 4)
#define GMMU_COUNT_W(p) (bits_index((p)->Pages) + 1) /* of a number of pages, all of them included */

/* clang-format off */
#define GMMU_RESULT(X) \
    X(GMMU_RESIDENT,  0, "the page is there: go on") \
    X(GMMU_PRIMARY,   1, "a new far-fault: a response will come") \
    X(GMMU_SECONDARY, 2, "merged with an outstanding far-fault: a response will come") \
    X(GMMU_FULL,      3, "refused: no far-fault more can be outstanding") \
    X(GMMU_DRAINING,  4, "refused: the page comes in this cycle, or responses for it are coming out; it is resident")

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
    X(GMMU_ERROR_REQUEST, 1, "a request for a page or an allocation that cannot be") \
    X(GMMU_ERROR_ARRIVE,  2, "an arrival of a page or in an allocation that cannot be") \
    X(GMMU_ERROR_ALLOC,   3, "an allocation that ends beyond the last page")

#define GMMU_CODES(X) X(gmmu_result, GMMU_RESULT) X(gmmu_part, GMMU_PART) X(gmmu_error, GMMU_ERROR) X(lease_table_op, LEASE_TABLE_OP)
enum gmmu_result { GMMU_RESULT(ENUM_CODE) };
enum gmmu_part { GMMU_PART(ENUM_CODE) };
enum gmmu_error { GMMU_ERROR(ENUM_CODE) };

/* The modules in it, each an instance u_<part> of the RTL, a member of the same name of the twin. */
#define GMMU_PARTS(X) \
    X(cap, CAP) \
    X(lease_sampler, LEASE_SAMPLER) \
    X(lease_table, LEASE_TABLE) \
    X(evict_coalescer, EVICT_COALESCER) \
    X(far_fault_mshr, FAR_FAULT_MSHR)

#define GMMU_PARAM(X) \
    X(Pages,   65536, 32, LEASE_TABLE_MAX_PAGES,      "entries of the page table: 4 KiB pages of all allocations, 256 MiB") \
    X(Allocs,     16,  1, CAP_MAX_ALLOCS,             "allocations that are known at a time") \
    X(Requesters, 28,  1, 64,                         "who asks for pages: streaming multiprocessors") \
    X(Faults,     64,  1, FAR_FAULT_MSHR_MAX_ENTRIES, "far-faults outstanding at a time") \
    X(Coalesce,  256,  1, EVICT_COALESCER_MAX_ENTRIES, "64 KiB blocks whose expired pages are collected") \
    X(Samples,    16,  1, LEASE_SAMPLER_MAX_ENTRIES,  "64 KiB blocks whose accesses are sampled at a time") \
    X(LeaseW,     10,  1, 15,                         "bits of a lease, in accesses") \
    X(Events,      4,  1, LEASE_TABLE_MAX_EVENTS,     "expiries that wait for the coalescer") \
    X(Batch,       4,  1, 16,                         "blocks that are handed out when memory is over-subscribed") \
    X(Duty,     1000,  1, 1048575,                    "D: cycles of a period in which accesses are sampled") \
    X(Period,   6000,  2, 16777215,                   "S: cycles of a period; what is left of it after Duty must hold the divisions") \
    X(ScaleNum,    6,  1, 63,                         "LEASE_SCALE = ScaleNum/ScaleDen, its numerator: S/D") \
    X(ScaleDen,    1,  1, 63,                         "its denominator") \
    X(OldShift,    2,  0, 7,                          "a lease is ((2^OldShift - 1) * old + new) / 2^OldShift; 0: new alone") \
    X(MaxLog,      4,  0, 5,                          "the largest window is 2^MaxLog chunks of 64 KiB: 1 MiB") \
    X(OverLog,     3,  0, 5,                          "the window when memory is over-subscribed is 2^OverLog chunks: 512 KiB") \
    X(CNum,       11,  1, 15,                         "c = CNum/CDen of equation 4.1, its numerator") \
    X(CDen,       10,  1, 15,                         "its denominator") \
    X(FirstPage,   1,  0, 1,                          "1: a chunk is taken as present if its first page is; 0: if all of its pages are") \
    X(InitLease, 32767, 1, 32767,                     "the lease of an allocation without a sample; at most all ones of LeaseW")

#define GMMU_IN(X) \
    X(BIT, alloc_valid_i,    1,                         "an entry of the table of allocations is written") \
    X(U8,  alloc_index_i,    bits_index(p->Allocs),     "which") \
    X(U32, alloc_base_i,     GMMU_PAGE_W(p),            "first page of the allocation; a multiple of 16") \
    X(U32, alloc_pages_i,    GMMU_COUNT_W(p),           "its pages; 0: the allocation is freed") \
    X(BIT, lease_enable_i,   1,                         "leases are sampled, counted and run out") \
    X(BIT, req_valid_i,      1,                         "a page request, its page table entry looked up") \
    X(U32, req_page_i,       GMMU_PAGE_W(p),            "its page") \
    X(U8,  req_alloc_i,      bits_index(p->Allocs),     "the allocation in which it lies") \
    X(U8,  req_id_i,         bits_index(p->Requesters), "who asks") \
    X(BIT, req_resident_i,   1,                         "the page is in device memory") \
    X(BIT, fault_ready_i,    1,                         "the driver takes the fault that is offered") \
    X(BIT, serve_valid_i,    1,                         "a far-fault begins to be serviced: what comes with it?") \
    X(U8,  serve_alloc_i,    bits_index(p->Allocs),     "the allocation in which it lies") \
    X(U32, serve_page_i,     GMMU_PAGE_W(p),            "its page") \
    X(U32, avail_pages_i,    GMMU_COUNT_W(p),           "free pages of the device memory, or the largest number that fits; read with serve_*") \
    X(BIT, oversubscribed_i, 1,                         "memory is over-subscribed; read with serve_*") \
    X(BIT, look_ready_i,     1,                         "the residency of the chunk that is looked up is there") \
    X(U16, look_resident_i,  16,                        "which of its pages are in device memory or on their way to it") \
    X(BIT, mig_ready_i,      1,                         "the migration that is asked for is taken") \
    X(BIT, arrive_valid_i,   1,                         "a page is now in device memory") \
    X(U32, arrive_page_i,    GMMU_PAGE_W(p),            "its number") \
    X(U8,  arrive_alloc_i,   bits_index(p->Allocs),     "the allocation in which it lies") \
    X(BIT, gone_valid_i,     1,                         "a page is not in device memory any more") \
    X(U32, gone_page_i,      GMMU_PAGE_W(p),            "its number") \
    X(BIT, press_valid_i,    1,                         "memory is over-subscribed: up to Batch blocks are to be handed out") \
    X(BIT, evict_ready_i,    1,                         "the block that is handed out is taken") \
    X(BIT, rsp_ready_i,      1,                         "the response is taken")

#define GMMU_VALID(X) X(lease_enable_i, always) X(avail_pages_i, serve_valid_i) X(oversubscribed_i, serve_valid_i) X(look_resident_i, look_ready_i)

#define GMMU_OUT(X) \
    X(BIT, ready_o,        1,                         "the lease table has been cleared; until then no request, arrival or departure is accepted") \
    X(BIT, alloc_ready_o,  1,                         "the entry is written at this clock edge, if it is legal") \
    X(BIT, req_ready_o,    1,                         "the request is answered at this clock edge") \
    X(U8,  req_result_o,   3,                         "enum gmmu_result, while req_valid_i and req_ready_o; else 0") \
    X(BIT, fault_valid_o,  1,                         "a far-fault, the oldest that the driver has not taken") \
    X(U32, fault_page_o,   GMMU_PAGE_W(p),            "its page; else 0") \
    X(BIT, serve_ready_o,  1,                         "the far-fault is accepted at this clock edge") \
    X(BIT, win_valid_o,    1,                         "the window of the far-fault is decided, for one cycle") \
    X(U8,  win_log_o,      3,                         "log2 of its granularity in chunks; else 0") \
    X(U32, win_first_o,    GMMU_CHUNK_W(p),           "its first chunk; else 0") \
    X(U32, win_last_o,     GMMU_CHUNK_W(p),           "its last chunk; else 0") \
    X(BIT, look_valid_o,   1,                         "the residency of a chunk is asked for") \
    X(U32, look_chunk_o,   GMMU_CHUNK_W(p),           "the chunk; else 0") \
    X(BIT, mig_valid_o,    1,                         "a migration is asked for") \
    X(U32, mig_chunk_o,    GMMU_CHUNK_W(p),           "its chunk; else 0") \
    X(U16, mig_pages_o,    16,                        "the pages of it that are absent; else 0") \
    X(U8,  mig_alloc_o,    bits_index(p->Allocs),     "its allocation; else 0") \
    X(BIT, mig_demand_o,   1,                         "the page of the far-fault is in it") \
    X(BIT, arrive_ready_o, 1,                         "the arrival is taken at this clock edge") \
    X(BIT, gone_ready_o,   1,                         "the departure is taken at this clock edge") \
    X(BIT, press_ready_o,  1,                         "the pressure is taken at this clock edge") \
    X(BIT, press_done_o,   1,                         "the blocks that it hands out have been taken, for one cycle") \
    X(U8,  press_count_o,  bits_index(p->Batch + 1),  "how many they were; else 0") \
    X(BIT, evict_valid_o,  1,                         "a block of expired pages is handed out") \
    X(U32, evict_block_o,  GMMU_CHUNK_W(p),           "the block; else 0") \
    X(U16, evict_pages_o,  16,                        "its expired pages; else 0") \
    X(BIT, evict_why_o,    1,                         "0: its place is needed; 1: memory is over-subscribed") \
    X(BIT, rsp_valid_o,    1,                         "somebody who waited is told that the page is there") \
    X(U32, rsp_page_o,     GMMU_PAGE_W(p),            "the page; else 0") \
    X(U8,  rsp_id_o,       bits_index(p->Requesters), "who waited; else 0") \
    X(BIT, rsp_last_o,     1,                         "nobody else waits for it") \
    X(U32, resident_o,     GMMU_COUNT_W(p),           "pages that have arrived and are not gone") \
    X(U32, expired_o,      32,                        "leases that have run out; saturates") \
    X(U32, recalled_o,     32,                        "blocks that were revoked as a page of theirs was accessed whose lease had run out; saturates") \
    X(U32, evicted_o,      32,                        "blocks that were handed out; saturates") \
    X(U32, faults_o,       32,                        "primary far-faults; saturates") \
    X(U32, merged_o,       32,                        "secondary far-faults; saturates") \
    X(U32, asked_o,        32,                        "chunks whose migration was asked for; saturates") \
    X(U32, samples_o,      32,                        "leases that samples have set; saturates") \
    X(U32, ignored_o,      32,                        "requests that were sampled in no entry: others had them all; saturates") \
    X(U8,  error_o,        3,                         "enum gmmu_part: who has found an error; of several, the first of that list") \
    X(U8,  error_code_o,   3,                         "its code there; else 0")

#define GMMU_REG(X) \
    X(U16, recall_pages_q, 16,              "pages of a revoked block that still have to get half a lease") \
    X(U32, recall_block_q, GMMU_CHUNK_W(p), "that block") \
    X(U16, recall_lease_q, p->LeaseW,       "the lease of the allocation of the access that has revoked it") \
    X(U8,  error_q,        2,               "enum gmmu_error: the first one")

#define GMMU_MEM(X)
/* clang-format on */
#endif
