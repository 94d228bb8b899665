/* SPDX-License-Identifier: Apache-2.0 */
/* pdp: protecting-distance replacement and bypass (Duong12).  The only list of its parameters, ports and registers;
 * format: ports.h.  Bit-accurate twin of rtl/pdp/mt_pdp.sv; decisions in rtl/pdp/README.md. */
#ifndef MEMTWIN_PDP_H
#define MEMTWIN_PDP_H
#include "bits.h"
#include "ports.h"

#ifndef PDP_MAX_SETS
#define PDP_MAX_SETS 256
#endif
#ifndef PDP_MAX_WAYS
#define PDP_MAX_WAYS 16
#endif
#ifndef PDP_MAX_SAMPLEDSETS
#define PDP_MAX_SAMPLEDSETS 32
#endif
#ifndef PDP_MAX_DEPTH
#define PDP_MAX_DEPTH 64
#endif
#ifndef PDP_MAX_INSERTSHIFT
#define PDP_MAX_INSERTSHIFT 3
#endif
/* Way w of set s is s * Ways + w; sample i of sampled set s is s * Depth + i. */
#define PDP_MAX_LINE (PDP_MAX_SETS * PDP_MAX_WAYS)
#define PDP_MAX_SAMPLE (PDP_MAX_SAMPLEDSETS * PDP_MAX_DEPTH)
#define PDP_MAX_COUNTER (PDP_MAX_DEPTH << PDP_MAX_INSERTSHIFT)

/* The longest distance, bits of a distance, distance counters, bits of an occupancy. */
#define PDP_FARTHEST(p) ((p)->Depth << (p)->InsertShift)
#define PDP_DIST_W(p) bits_index(PDP_FARTHEST(p) + 1)
#define PDP_COUNTERS(p) (PDP_FARTHEST(p) >> (p)->CountShift)
#define PDP_COST_W(p) ((p)->CountW + bits_index(PDP_FARTHEST(p) + (p)->Ways + 1))

/* clang-format off */
#define PDP_ERROR(X) \
    X(PDP_OK,        0, "no error") \
    X(PDP_ERROR_WAY, 1, "a hit or a fill in a way that the set does not have")

#define PDP_CODES(X) X(pdp_error, PDP_ERROR)
enum pdp_error { PDP_ERROR(ENUM_CODE) };

#define PDP_PARAM(X) \
    X(Sets,       32, 1, PDP_MAX_SETS,        "sets of the cache, a power of two") \
    X(Ways,        4, 1, PDP_MAX_WAYS,        "ways of a set; also d_e, the accesses from the end of protection to the eviction") \
    X(SampledSets, 4, 1, PDP_MAX_SAMPLEDSETS, "sampled sets, a power of two; spread over the index (Decisions)") \
    X(TagW,       16, 1, 32,                  "bits of the partial tag of a sample") \
    X(Depth,      32, 1, PDP_MAX_DEPTH,       "samples per sampled set, a power of two") \
    X(InsertShift, 2, 0, PDP_MAX_INSERTSHIFT, "every 2^InsertShift-th access of a sampled set becomes a sample (M)") \
    X(CountShift,  2, 0, 8,                   "distances per counter: 2^CountShift (S_c)") \
    X(CountW,     12, 2, 16,                  "bits of a distance counter and of the number of samples") \
    X(RpdW,        7, 1, 9,                   "bits of a line's remaining protecting distance") \
    X(AgeShift,    0, 0, 8,                   "a set ages every 2^AgeShift-th access (S_d)") \
    X(Interval, 8192, 16, 65536,              "accesses per interval; each interval ends with a search")

#define PDP_IN(X) \
    X(BIT, acc_valid_i,   1,                   "the cache accepts a read") \
    X(U8,  acc_set_i,     bits_index(p->Sets), "its set") \
    X(U32, acc_tag_i,     p->TagW,             "its partial tag") \
    X(BIT, acc_hit_i,     1,                   "its line has a way, valid or reserved") \
    X(U8,  acc_way_i,     bits_index(p->Ways), "that way; else ignored") \
    X(BIT, fill_valid_i,  1,                   "a line gets a way") \
    X(U8,  fill_set_i,    bits_index(p->Sets), "its set") \
    X(U8,  fill_way_i,    bits_index(p->Ways), "the way") \
    X(BIT, flush_valid_i, 1,                   "the cache is invalidated") \
    X(U8,  ask_set_i,     bits_index(p->Sets), "set in which a line needs a way") \
    X(U16, ask_free_i,    p->Ways,             "its ways without a line, one bit each") \
    X(U16, ask_held_i,    p->Ways,             "its ways with an outstanding miss") \
    X(U16, fixed_pd_i,    PDP_DIST_W(p),       "protecting distance; 0: the computed one")

#define PDP_VALID(X) \
    X(ask_set_i,  always) \
    X(ask_free_i, always) \
    X(ask_held_i, always) \
    X(fixed_pd_i, always)

#define PDP_OUT(X) \
    X(BIT, ask_bypass_o,  1,                   "no way is free or unprotected: the line should bypass") \
    X(U8,  ask_way_o,     bits_index(p->Ways), "the way to replace; 0 if all are held") \
    X(BIT, acc_sampled_o, 1,                   "the access is to a sampled set") \
    X(BIT, acc_found_o,   1,                   "a sample holds its tag") \
    X(U16, pd_o,          PDP_DIST_W(p),       "the computed protecting distance") \
    X(BIT, strobe_o,      1,                   "a search ended at the last clock edge") \
    X(U8,  error_o,       1,                   "enum pdp_error, sticky until reset")

#define PDP_REG(X) \
    X(U16, seen_q,      bits_index(p->Interval),       "accesses in this interval") \
    X(U16, total_q,     p->CountW,                     "N_t: samples that were reused or shifted out") \
    X(BIT, busy_q,      1,                             "a search is in progress") \
    X(U16, at_q,        bits_index(PDP_COUNTERS(p)),   "counter of the candidate distance") \
    X(U8,  turn_q,      bits_index(p->CountW + 1),     "0: add the counter; else a bit of the products, from the highest") \
    X(U16, hits_q,      p->CountW,                     "samples reused within the candidate distance") \
    X(U32, cost_q,      PDP_COST_W(p),                 "their occupancy with it") \
    X(U64, lead_q,      p->CountW + PDP_COST_W(p) + 1, "hits_q * best_cost_q - best_hits_q * cost_q, the higher bits first") \
    X(U16, best_hits_q, p->CountW,                     "hits_q of the best candidate; 0: none") \
    X(U32, best_cost_q, PDP_COST_W(p),                 "its cost_q") \
    X(U16, best_q,      bits_index(PDP_COUNTERS(p)),   "its counter") \
    X(U16, pd_q,        PDP_DIST_W(p),                 "the computed protecting distance") \
    X(BIT, strobe_q,    1,                             "a search ended at the last clock edge") \
    X(U8,  error_q,     1,                             "enum pdp_error")

#define PDP_MEM(X) \
    X(U16, rpd_q,    p->RpdW,                PDP_MAX_LINE, p->Sets * p->Ways, "remaining protecting distance of the way's line, in steps of 2^AgeShift accesses") \
    X(U8,  reused_q, 1,                      PDP_MAX_LINE, p->Sets * p->Ways, "the line was hit since its fill") \
    X(U8,  next_q,   bits_index(p->Ways),    PDP_MAX_SETS, p->Sets, "way behind the one filled last: first of the unprotected to be replaced") \
    X(U16, phase_q,  p->AgeShift,            PDP_MAX_SETS, p->Sets, "accesses since the set aged") \
    X(U8,  live_q,   1,                      PDP_MAX_SAMPLE, p->SampledSets * p->Depth, "the sample waits for its reuse; sample 0 is the youngest") \
    X(U32, tag_q,    p->TagW,                PDP_MAX_SAMPLE, p->SampledSets * p->Depth, "its partial tag") \
    X(U8,  step_q,   p->InsertShift,         PDP_MAX_SAMPLEDSETS, p->SampledSets, "accesses of the sampled set since its last sample") \
    X(U16, reuse_q,  p->CountW,              PDP_MAX_COUNTER, PDP_COUNTERS(p), "N_i: samples by reuse distance")
/* clang-format on */

struct pdp_cfg {
    PDP_PARAM(PARAM_FIELD)
};
struct pdp_in {
    PDP_IN(PORT_FIELD)
};
struct pdp_out {
    PDP_OUT(PORT_FIELD)
};
struct pdp {
    struct pdp_cfg p;
    PDP_REG(PORT_FIELD)
    PDP_MEM(MEM_FIELD)
};

void pdp_init(struct pdp *m, const struct pdp_cfg *cfg); /* cfg must be legal; resets */
void pdp_reset(struct pdp *m);
void pdp_eval(const struct pdp *m, const struct pdp_in *in, struct pdp_out *out);
void pdp_tick(struct pdp *m, const struct pdp_in *in);
bool pdp_idle(const struct pdp *m);            /* ticks without valid inputs change nothing */
void pdp_skip(struct pdp *m, uint64_t cycles); /* as many such ticks */
#endif
