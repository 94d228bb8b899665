/* SPDX-License-Identifier: Apache-2.0 */
/* bpg: Bypassing Parameter Generator (Dai17, section 2.6, figure 5).
 * The one list of its parameters, ports and registers; ports.h says how to read it. */
#ifndef MEMTWIN_BPG_PORTS_H
#define MEMTWIN_BPG_PORTS_H
#include "bits.h"
#include "ports.h"

#ifndef BPG_MAX_CALCS
#define BPG_MAX_CALCS 8
#endif
#ifndef BPG_MAX_SAMPLEDSETS
#define BPG_MAX_SAMPLEDSETS 32
#endif
#ifndef BPG_MAX_WAYS
#define BPG_MAX_WAYS 16
#endif
/* Entries of all shadow tag arrays: way w of sampled set s of calculator i is (i * SampledSets + s) * Ways + w. */
#define BPG_MAX_ENTRY (BPG_MAX_CALCS * BPG_MAX_SAMPLEDSETS * BPG_MAX_WAYS)

/* Adjusted Hits in offset binary: 2^23 more than it is, which keeps it positive. */
#define BPG_ADJUSTED_W 25u

/* clang-format off */
#define BPG_ERROR(X) \
    X(BPG_OK,          0, "no error") \
    X(BPG_ERROR_OWNER, 1, "an access of an owner that is not below the number of owners")

#define BPG_CODES(X) X(bpg_error, BPG_ERROR)
enum bpg_error { BPG_ERROR(ENUM_CODE) };

#define BPG_PARAM(X) \
    X(Calcs,       8, 2, BPG_MAX_CALCS,       "Adjusted Hits calculators; calculator i is for owners 0..i") \
    X(Sets,       32, 1, 4096,                "sets of the cache, a power of two") \
    X(SampledSets, 4, 1, BPG_MAX_SAMPLEDSETS, "of these, sampled: a power of two; spread over the index (Decisions)") \
    X(Ways,        4, 1, BPG_MAX_WAYS,        "ways of a shadow tag array") \
    X(TagW,       32, 1, 64,    "bits of a tag; the line's number will do") \
    X(OwnerW,      7, 2, 8,     "bits of the number of a warp or thread block; Calcs must fit") \
    X(Interval, 1000, 16, 65536, "accesses between two decisions") \
    X(HitW,       10, 1, 16,    "bits of a hit counter; it saturates") \
    X(RfW,        12, 1, 13,    "bits of the reservation failure counter; it saturates") \
    X(HitShift,    3, 0, 7,     "sampled hits are worth 2^HitShift: log2 of the sampling ratio") \
    X(EShift,      1, 0, 7,     "E = 2^-EShift: what a reservation failure costs, in hits") \
    X(Rebase,      0, 0, 1,     "1: failures were measured with L_max owners in the cache, not with N") \
    X(LastAll,     1, 0, 1,     "1: the last calculator is for every owner, as L_max = Calcs lets all in; 0: for 0..Calcs-1") \
    X(Parallel,    0, 0, 1,     "0: one multiplier, used in turn; 1: one for each calculator")

#define BPG_IN(X) \
    X(BIT, acc_valid_i,   1,                   "the L1D accepts a read, through its tags or around them") \
    X(U16, acc_set_i,     bits_index(p->Sets), "its set, by the index function in use") \
    X(U64, acc_tag_i,     p->TagW,             "its tag") \
    X(U16, acc_owner_i,   p->OwnerW,           "its warp or thread block") \
    X(U16, acc_owners_i,  p->OwnerW + 1,       "N: numbers of owners present are below it") \
    X(BIT, rf_valid_i,    1,                   "a reservation failure of the L1D") \
    X(BIT, flush_valid_i, 1,                   "the L1D is invalidated") \
    X(U16, ask_owner_i,   p->OwnerW,           "whose next access is to be decided")

#define BPG_VALID(X) X(ask_owner_i, always)

#define BPG_OUT(X) \
    X(BIT, ask_bypass_o,  1,                        "it goes around the cache") \
    X(U8,  l_max_o,       bits_index(p->Calcs + 1), "so many owners access the cache; Calcs: all") \
    X(BIT, strobe_o,      1,                        "l_max_o was decided at the last clock edge") \
    X(BIT, acc_sampled_o, 1,                        "the access falls into a sampled set") \
    X(U8,  acc_hits_o,    p->Calcs,                 "calculators that count a hit") \
    X(U8,  error_o,       1,                        "enum bpg_error, sticky until reset")

#define BPG_REG(X) \
    X(U16, count_q,  bits_index(p->Interval),   "accesses in this interval") \
    X(U16, rf_q,     p->RfW,                    "reservation failures, older ones halved") \
    X(BIT, busy_q,   1,                         "a decision is being worked out") \
    X(U8,  l_q,      p->Parallel == 0 ? bits_index(p->Calcs + 1) : 0, "the L whose turn it is; 0: the ratio of the first is looked up") \
    X(U32, ratio_q,  p->Parallel == 0 ? (p->Rebase ? 23u : 14u) : 0u, "its (L/N)^3, 13 bits behind the point") \
    X(U16, base_q,   p->RfW,                    "rf_q when the interval ended: RF_base") \
    X(U16, n_q,      p->OwnerW + 1,             "N then") \
    X(U32, best_q,   p->Parallel == 0 ? BPG_ADJUSTED_W : 0u, "the most Adjusted Hits so far") \
    X(U8,  best_l_q, p->Parallel == 0 ? bits_index(p->Calcs + 1) : 0, "their L") \
    X(U8,  l_max_q,  bits_index(p->Calcs + 1),  "L_max") \
    X(BIT, strobe_q, 1,                         "it has just been decided") \
    X(U8,  error_q,  1,                         "enum bpg_error")

/* valid_q are bits in bytes: compilers do not vectorise over bool. */
#define BPG_MEM(X) \
    X(U16, hits_q,  p->HitW, BPG_MAX_CALCS, p->Calcs, "hits of a calculator, older ones halved") \
    X(U16, snap_q,  p->HitW, BPG_MAX_CALCS, p->Calcs, "hits_q when the interval ended; with one multiplier, shifted down each turn") \
    X(U8,  valid_q, 1, BPG_MAX_ENTRY, p->Calcs * p->SampledSets * p->Ways, "the shadow entry holds a tag") \
    X(U64, tag_q,   p->TagW, BPG_MAX_ENTRY, p->Calcs * p->SampledSets * p->Ways, "its tag") \
    X(U8,  age_q,   bits_index(p->Ways), BPG_MAX_ENTRY, p->Calcs * p->SampledSets * p->Ways, "how many ways of its set were used later (LRU)")
/* clang-format on */
#endif
