/* SPDX-License-Identifier: Apache-2.0 */
/* bpg: Bypassing Parameter Generator (Dai17, section 2.6, figure 5).  The only list of its parameters, ports and
 * registers; format: ports.h.  Bit-accurate twin of rtl/bpg/mt_bpg.sv; decisions in rtl/bpg/README.md. */
#ifndef MEMTWIN_BPG_H
#define MEMTWIN_BPG_H
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

/* Adjusted Hits in offset binary: plus 2^23, so that the value is never negative. */
#define BPG_ADJUSTED_W 25u

/* clang-format off */
#define BPG_ERROR(X) \
    X(BPG_OK,          0, "no error") \
    X(BPG_ERROR_OWNER, 1, "an access whose owner is not below the number of owners")

#define BPG_CODES(X) X(bpg_error, BPG_ERROR)
enum bpg_error { BPG_ERROR(ENUM_CODE) };

#define BPG_PARAM(X) \
    X(Calcs,       8, 2, BPG_MAX_CALCS,       "Adjusted Hits calculators; calculator i observes owners 0..i") \
    X(Sets,       32, 1, 4096,                "sets of the cache, a power of two") \
    X(SampledSets, 4, 1, BPG_MAX_SAMPLEDSETS, "sampled sets, a power of two; spread over the index (Decisions)") \
    X(Ways,        4, 1, BPG_MAX_WAYS,        "ways of a shadow tag array") \
    X(TagW,       32, 1, 64,    "bits of a tag; the line address may serve as tag") \
    X(OwnerW,      7, 2, 8,     "bits of an owner (warp or thread block); Calcs must fit") \
    X(Interval, 1000, 16, 65536, "accesses per interval; each interval ends with a decision") \
    X(HitW,       10, 1, 16,    "bits of a hit counter; it saturates") \
    X(RfW,        12, 1, 13,    "bits of the reservation failure counter; it saturates") \
    X(HitShift,    3, 0, 7,     "weight of a sampled hit is 2^HitShift: log2 of the sampling ratio") \
    X(EShift,      1, 0, 7,     "E = 2^-EShift: cost of a reservation failure, in hits") \
    X(Rebase,      0, 0, 1,     "1: failures count as measured with L_max owners in the cache; 0: with N") \
    X(LastAll,     1, 0, 1,     "1: the last calculator observes every owner, as L_max = Calcs admits all; 0: owners 0..Calcs-1") \
    X(Parallel,    0, 0, 1,     "0: one shared multiplier; 1: one per calculator")

#define BPG_IN(X) \
    X(BIT, acc_valid_i,   1,                   "the L1D accepts a read, cached or bypassed") \
    X(U16, acc_set_i,     bits_index(p->Sets), "its set, by the selected index function") \
    X(U64, acc_tag_i,     p->TagW,             "its tag") \
    X(U16, acc_owner_i,   p->OwnerW,           "its owner: warp or thread block") \
    X(U16, acc_owners_i,  p->OwnerW + 1,       "N: owner numbers are below it") \
    X(BIT, rf_valid_i,    1,                   "a reservation failure in the L1D") \
    X(BIT, flush_valid_i, 1,                   "the L1D is invalidated") \
    X(U16, ask_owner_i,   p->OwnerW,           "owner whose next access is to be decided")

#define BPG_VALID(X) X(ask_owner_i, always)

#define BPG_OUT(X) \
    X(BIT, ask_bypass_o,  1,                        "the owner bypasses the cache") \
    X(U8,  l_max_o,       bits_index(p->Calcs + 1), "number of owners that access the cache; Calcs: all") \
    X(BIT, strobe_o,      1,                        "l_max_o was updated at the last clock edge") \
    X(BIT, acc_sampled_o, 1,                        "the access is to a sampled set") \
    X(U8,  acc_hits_o,    p->Calcs,                 "calculators with a hit, one bit each") \
    X(U8,  error_o,       1,                        "enum bpg_error, sticky until reset")

#define BPG_REG(X) \
    X(U16, count_q,  bits_index(p->Interval),   "accesses in this interval") \
    X(U16, rf_q,     p->RfW,                    "reservation failures; halved at the end of an interval") \
    X(BIT, busy_q,   1,                         "a decision is in progress") \
    X(U8,  l_q,      p->Parallel == 0 ? bits_index(p->Calcs + 1) : 0, "the L evaluated in this cycle; 0: the first ROM read") \
    X(U32, ratio_q,  p->Parallel == 0 ? (p->Rebase ? 23u : 14u) : 0u, "its (L/N)^3, 13 fractional bits") \
    X(U16, base_q,   p->RfW,                    "RF_base: rf_q at the end of the interval") \
    X(U16, n_q,      p->OwnerW + 1,             "N then") \
    X(U32, best_q,   p->Parallel == 0 ? BPG_ADJUSTED_W : 0u, "largest Adjusted Hits so far") \
    X(U8,  best_l_q, p->Parallel == 0 ? bits_index(p->Calcs + 1) : 0, "their L") \
    X(U8,  l_max_q,  bits_index(p->Calcs + 1),  "L_max") \
    X(BIT, strobe_q, 1,                         "L_max was updated at the last clock edge") \
    X(U8,  error_q,  1,                         "enum bpg_error")

/* Bytes, not bool: compilers do not vectorise over bool. */
#define BPG_MEM(X) \
    X(U16, hits_q,  p->HitW, BPG_MAX_CALCS, p->Calcs, "hits per calculator; halved at the end of an interval") \
    X(U16, snap_q,  p->HitW, BPG_MAX_CALCS, p->Calcs, "hits_q at the end of the interval; with one multiplier, shifted down each cycle") \
    X(U8,  valid_q, 1, BPG_MAX_ENTRY, p->Calcs * p->SampledSets * p->Ways, "the shadow entry holds a tag") \
    X(U64, tag_q,   p->TagW, BPG_MAX_ENTRY, p->Calcs * p->SampledSets * p->Ways, "its tag") \
    X(U8,  age_q,   bits_index(p->Ways), BPG_MAX_ENTRY, p->Calcs * p->SampledSets * p->Ways, "LRU age: ways of its set used more recently")
/* clang-format on */

struct bpg_cfg {
    BPG_PARAM(PARAM_FIELD)
};
struct bpg_in {
    BPG_IN(PORT_FIELD)
};
struct bpg_out {
    BPG_OUT(PORT_FIELD)
};
struct bpg {
    struct bpg_cfg p;
    BPG_REG(PORT_FIELD)
    BPG_MEM(MEM_FIELD)
};

void bpg_init(struct bpg *m, const struct bpg_cfg *cfg); /* cfg must be legal; resets */
void bpg_reset(struct bpg *m);
void bpg_eval(const struct bpg *m, const struct bpg_in *in, struct bpg_out *out);
void bpg_tick(struct bpg *m, const struct bpg_in *in);
bool bpg_idle(const struct bpg *m);            /* ticks without valid inputs change nothing */
void bpg_skip(struct bpg *m, uint64_t cycles); /* as many such ticks */
#endif
