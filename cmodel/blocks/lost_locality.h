/* SPDX-License-Identifier: Apache-2.0 */
/* lost_locality: lost-locality detector and load gating of CCWS (Khairy15, section 4.2 and table 4).  The only list of
 * its parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/lost_locality/mt_lost_locality.sv;
 * decisions in rtl/lost_locality/README.md. */
#ifndef MEMTWIN_LOST_LOCALITY_H
#define MEMTWIN_LOST_LOCALITY_H
#include "bits.h"
#include "ports.h"

#ifndef LOST_LOCALITY_MAX_WARPS
#define LOST_LOCALITY_MAX_WARPS 64
#endif
#ifndef LOST_LOCALITY_MAX_WAYS
#define LOST_LOCALITY_MAX_WAYS 16
#endif
/* Sets of one warp's array are at most 8; set s of warp w is row w * sets + s. */
#define LOST_LOCALITY_MAX_ROWS (LOST_LOCALITY_MAX_WARPS * 8)

/* Bits of a number from 0 to n, n > 0. */
#define LOST_LOCALITY_UPTO(n) bits_index((n) + 1)
#define LOST_LOCALITY_ROWS(p) ((p)->Warps * ((p)->Entries / (p)->Ways))
#define LOST_LOCALITY_CUTOFF_W(p) LOST_LOCALITY_UPTO((p)->Warps *(p)->BaseScore)
#define LOST_LOCALITY_FACTOR_W(p) LOST_LOCALITY_UPTO((p)->Warps *(p)->KThrottle *(p)->BaseScore)
#define LOST_LOCALITY_PRODUCT_W(p) ((p)->CountW + LOST_LOCALITY_FACTOR_W(p))
#define LOST_LOCALITY_REST_W(p) (bits_max((p)->CountW + (p)->ScoreW, LOST_LOCALITY_PRODUCT_W(p)) - (p)->ScoreW)

/* clang-format off */
#define LOST_LOCALITY_ERROR(X) \
    X(LOST_LOCALITY_OK,           0, "no error") \
    X(LOST_LOCALITY_ERROR_START,  1, "a start of a warp that is present, or of none") \
    X(LOST_LOCALITY_ERROR_ABSENT, 2, "an end or a miss of a warp that is not present")

#define LOST_LOCALITY_CODES(X) X(lost_locality_error, LOST_LOCALITY_ERROR)
enum lost_locality_error { LOST_LOCALITY_ERROR(ENUM_CODE) };

#define LOST_LOCALITY_PARAM(X) \
    X(Warps,      48, 1, LOST_LOCALITY_MAX_WARPS, "warp slots of the SM") \
    X(Ways,        8, 1, LOST_LOCALITY_MAX_WAYS,  "ways of a victim tag array") \
    X(Entries,    16, 1, 128,  "tags of a victim tag array, one array a warp; Entries / Ways is a power of two up to 8") \
    X(TagW,       32, 3, 32,   "bits of a tag; the line address may serve as tag") \
    X(KThrottle,   8, 1, 64,   "throttling strength: factor of the lost-locality score") \
    X(BaseScore, 100, 1, 1023, "score of a warp without lost locality; the cutoff is this for each warp present") \
    X(ScoreW,     16, 2, 20,   "bits of a score; it saturates; BaseScore must fit") \
    X(CountW,     20, 3, 24,   "bits of the counters of lost locality and instructions; both halve when one is full")

#define LOST_LOCALITY_IN(X) \
    X(BIT, warp_valid_i,  1,                    "a warp starts or ends") \
    X(BIT, warp_start_i,  1,                    "it starts; else it ends") \
    X(U8,  warp_number_i, bits_index(p->Warps), "its slot") \
    X(BIT, issue_valid_i, 1,                    "warp instructions issue") \
    X(U8,  issue_count_i, 3,                    "how many") \
    X(BIT, miss_valid_i,  1,                    "a load misses in the L1D and is not merged") \
    X(U8,  miss_warp_i,   bits_index(p->Warps), "its warp") \
    X(U32, miss_tag_i,    p->TagW,              "its tag") \
    X(BIT, evict_valid_i, 1,                    "a line is evicted from the L1D") \
    X(U8,  evict_warp_i,  bits_index(p->Warps), "the warp that brought it; ignored if it is not present") \
    X(U32, evict_tag_i,   p->TagW,              "its tag")

#define LOST_LOCALITY_OUT(X) \
    X(BIT, lost_o,        1,         "the miss hits in the victim tags of its warp: lost locality") \
    X(U64, gated_o,       p->Warps,  "warps that may not issue loads, one bit each") \
    X(BIT, raise_valid_o, 1,         "scores rise at this clock edge") \
    X(U32, raise_score_o, p->ScoreW, "the score that they rise to, if it is above theirs; else 0") \
    X(U8,  error_o,       2,         "enum lost_locality_error, the first one, until reset")

#define LOST_LOCALITY_REG(X) \
    X(U64, present_q,  p->Warps,                       "warps present, one bit each") \
    X(U8,  count_q,    LOST_LOCALITY_UPTO(p->Warps),   "their number") \
    X(U32, lost_q,     p->CountW,                      "VtaHits: misses with lost locality") \
    X(U32, issued_q,   p->CountW,                      "instructions") \
    X(U64, pending_q,  p->Warps,                       "warps with lost locality since the last division started") \
    X(U64, raising_q,  p->Warps,                       "warps whose scores the division in progress is for") \
    X(U8,  step_q,     bits_index(p->ScoreW + 3),      "0: no division; 1: overflow check; then a bit of the quotient a step; last: done") \
    X(U64, rest_q,     LOST_LOCALITY_REST_W(p),        "remainder") \
    X(U32, divisor_q,  p->CountW,                      "instructions when the division started") \
    X(U32, quotient_q, p->ScoreW,                      "bits of the dividend left, then of the quotient") \
    X(BIT, walk_q,     1,                              "a walk over the warps is in progress") \
    X(U8,  turn_q,     bits_index(p->Warps),           "the warp whose score is added in this cycle") \
    X(U64, gated_q,    p->Warps,                       "warps beyond the cutoff in the last walk, one bit each") \
    X(U8,  error_q,    2,                              "enum lost_locality_error")

#define LOST_LOCALITY_MEM(X) \
    X(U32,   score_q, p->ScoreW,                 LOST_LOCALITY_MAX_WARPS, p->Warps, "lost-locality score") \
    X(U8,    rank_q,  bits_index(p->Warps),      LOST_LOCALITY_MAX_WARPS, p->Warps, "warps present that are older") \
    X(U32,   sum_q,   LOST_LOCALITY_CUTOFF_W(p), LOST_LOCALITY_MAX_WARPS, p->Warps, "in this walk: scores of the warps before this one; saturates") \
    X(U16,   valid_q, p->Ways,                   LOST_LOCALITY_MAX_ROWS,  LOST_LOCALITY_ROWS(p), "ways that hold a victim tag, one bit each") \
    X(U8,    next_q,  bits_index(p->Ways),       LOST_LOCALITY_MAX_ROWS,  LOST_LOCALITY_ROWS(p), "the way that the next tag replaces") \
    X(W1024, tags_q,  p->Ways * p->TagW,         LOST_LOCALITY_MAX_ROWS,  LOST_LOCALITY_ROWS(p), "victim tags, way 0 lowest")

/* Index bounds for the prover (tb/prove/README.md): Warps need not be a power of two. */
#define LOST_LOCALITY_INVARIANT(X) X(turn_q, p->Warps)
/* clang-format on */

struct lost_locality_cfg {
    LOST_LOCALITY_PARAM(PARAM_FIELD)
};
struct lost_locality_in {
    LOST_LOCALITY_IN(PORT_FIELD)
};
struct lost_locality_out {
    LOST_LOCALITY_OUT(PORT_FIELD)
};
struct lost_locality {
    struct lost_locality_cfg p;
    LOST_LOCALITY_REG(PORT_FIELD)
    LOST_LOCALITY_MEM(MEM_FIELD)
};

void lost_locality_init(struct lost_locality *m, const struct lost_locality_cfg *cfg); /* cfg must be legal; resets */
void lost_locality_reset(struct lost_locality *m);
void lost_locality_eval(const struct lost_locality *m, const struct lost_locality_in *in,
                        struct lost_locality_out *out);
void lost_locality_tick(struct lost_locality *m, const struct lost_locality_in *in);
void lost_locality_step(struct lost_locality *m, const struct lost_locality_in *in,
                        struct lost_locality_out *out);            /* eval, then tick: one evaluation of the wires */
bool lost_locality_idle(const struct lost_locality *m);            /* ticks without valid inputs change nothing */
void lost_locality_skip(struct lost_locality *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states; the prover shows them (tb/prove/README.md). */
BITS_FUNCTION bool lost_locality_invariant_scores(const struct lost_locality *m)
{
    bool above = true;
    for (uint32_t i = 0; i < m->p.Warps; i++) above &= m->score_q[i] >= m->p.BaseScore;
    return above;
}

/* Without warps nothing is counted. */
BITS_FUNCTION bool lost_locality_invariant_counts(const struct lost_locality *m)
{
    return m->count_q != 0 || (m->lost_q == 0 && m->issued_q == 0);
}
#endif
