/* SPDX-License-Identifier: Apache-2.0 */
/* warp_locality: locality-aware two-level warp scheduler (Chen16, section 3.4).  The only list of its parameters,
 * ports and registers; format: ports.h.  Bit-accurate twin of rtl/warp_locality/mt_warp_locality.sv; decisions in
 * rtl/warp_locality/README.md. */
#ifndef MEMTWIN_WARP_LOCALITY_H
#define MEMTWIN_WARP_LOCALITY_H
#include "bits.h"
#include "ports.h"

#ifndef WARP_LOCALITY_MAX_WARPS
#define WARP_LOCALITY_MAX_WARPS 64
#endif
#ifndef WARP_LOCALITY_MAX_SCHEDULERS
#define WARP_LOCALITY_MAX_SCHEDULERS 4
#endif
/* The degree of two warps i > j is entry i * (i - 1) / 2 + j. */
#define WARP_LOCALITY_MAX_PAIRS (WARP_LOCALITY_MAX_WARPS * (WARP_LOCALITY_MAX_WARPS - 1) / 2)
#define WARP_LOCALITY_PAIRS(p) ((p)->Warps * ((p)->Warps - 1) / 2)

/* A warp starves when this many thread blocks came after its own. */
#define WARP_LOCALITY_STARVES(p) (2 * (p)->Blocks + 1)
#define WARP_LOCALITY_NEWER_W(p) bits_index(WARP_LOCALITY_STARVES(p) + 1)
#define WARP_LOCALITY_SUM_W(p) ((p)->DegreeW + bits_index((p)->Group + 1))

/* clang-format off */
#define WARP_LOCALITY_ERROR(X) \
    X(WARP_LOCALITY_OK,           0, "no error") \
    X(WARP_LOCALITY_ERROR_START,  1, "a start of a warp that is present, or of none") \
    X(WARP_LOCALITY_ERROR_ABSENT, 2, "an end of a warp that is not present")

#define WARP_LOCALITY_CODES(X) X(warp_locality_error, WARP_LOCALITY_ERROR)
enum warp_locality_error { WARP_LOCALITY_ERROR(ENUM_CODE) };

#define WARP_LOCALITY_PARAM(X) \
    X(Warps,      48, 2, WARP_LOCALITY_MAX_WARPS, "warp slots of the SM") \
    X(Schedulers,  2, 1, WARP_LOCALITY_MAX_SCHEDULERS, "schedulers; warp w belongs to scheduler w mod Schedulers") \
    X(Group,      16, 1, 64, "warps of the active group, of all schedulers together") \
    X(Arrays,      5, 1, 8,  "arrays whose access ranges are compared; with RegionW up to 64 bits") \
    X(RegionW,    10, 1, 16, "bits of a region vector, one for each array") \
    X(SubW,       16, 1, 32, "bits of a subregion vector, one for each array") \
    X(DegreeW,     8, 1, 8,  "bits of a locality degree; it saturates") \
    X(Blocks,      8, 1, 32, "thread blocks of the SM: a warp starves when more than twice as many came after its own") \
    X(Wait,        0, 0, 1,  "when a search is not complete; 0: its best so far is taken; 1: nothing is, until it is complete")

#define WARP_LOCALITY_IN(X) \
    X(BIT,   warp_valid_i,   1,                      "a warp starts or ends") \
    X(BIT,   warp_start_i,   1,                      "it starts; else it ends") \
    X(U8,    warp_number_i,  bits_index(p->Warps),   "its slot") \
    X(BIT,   warp_first_i,   1,                      "of a start: it is the first warp of its thread block") \
    X(BIT,   warp_ranged_i,  1,                      "of a start: its access ranges are known; else it has no locality") \
    X(U64,   warp_regions_i, p->Arrays * p->RegionW, "region vectors of its thread block, array 0 lowest") \
    X(W1024, warp_subs_i,    p->Arrays * p->SubW,    "its subregion vectors, array 0 lowest") \
    X(BIT,   wait_valid_i,   1,                      "the set of waiting warps changes") \
    X(U64,   wait_warps_i,   p->Warps,               "warps that wait for memory or at a barrier, one bit each") \
    X(BIT,   issue_valid_i,  1,                      "the schedulers issue") \
    X(U64,   issue_able_i,   p->Warps,               "warps whose next instruction can issue, one bit each")

#define WARP_LOCALITY_OUT(X) \
    X(U64, issue_pick_o,     p->Warps,               "warps that issue, at most one of each scheduler, one bit each") \
    X(U64, issue_local_o,    p->Warps,               "of these, those chosen for a degree above 0") \
    X(U64, issue_starved_o,  p->Warps,               "of these, those that starve") \
    X(BIT, promote_valid_o,  1,                      "a warp enters the active group at this clock edge, unless it ends, starves or waits then") \
    X(U8,  promote_warp_o,   bits_index(p->Warps),   "its slot; else 0") \
    X(U16, promote_degree_o, WARP_LOCALITY_SUM_W(p), "its degrees with the active group when the search came to it; else 0") \
    X(U64, active_o,         p->Warps,               "the active group, one bit each") \
    X(U64, starved_o,        p->Warps,               "warps that starve, one bit each") \
    X(BIT, busy_o,           1,                      "the state may change at this clock edge without an input") \
    X(U8,  error_o,          2,                      "enum warp_locality_error, the first one, until reset")

#define WARP_LOCALITY_REG(X) \
    X(U64, present_q,     p->Warps,               "warps present, one bit each") \
    X(U64, ranged_q,      p->Warps,               "of these, those with access ranges") \
    X(U64, known_q,       p->Warps,               "of these, those whose degrees with each other are in the table") \
    X(U64, waits_q,       p->Warps,               "warps that wait for memory or at a barrier, one bit each") \
    X(U64, active_q,      p->Warps,               "the active group, one bit each") \
    X(U8,  lasts_q,       p->Schedulers,          "schedulers whose last warp is present, one bit each") \
    X(U8,  bests_q,       p->Schedulers,          "schedulers whose search has found a warp, one bit each") \
    X(U64, todo_q,        p->Warps,               "warps that the searches of their schedulers have not visited, one bit each") \
    X(BIT, seek_valid_q,  1,                      "the search for promotion has found a warp") \
    X(U8,  seek_warp_q,   bits_index(p->Warps),   "the best one so far") \
    X(U16, seek_degree_q, WARP_LOCALITY_SUM_W(p), "its degrees with the active group") \
    X(U64, seek_todo_q,   p->Warps,               "warps that it has not visited, one bit each") \
    X(BIT, fill_valid_q,  1,                      "the degrees of a warp are being computed") \
    X(U8,  fill_warp_q,   bits_index(p->Warps),   "this one") \
    X(U64, fill_todo_q,   p->Warps,               "warps with which its degree is not computed, one bit each") \
    X(U8,  error_q,       2,                      "enum warp_locality_error")

#define WARP_LOCALITY_MEM(X) \
    X(U8,    last_q,        bits_index(p->Warps),     WARP_LOCALITY_MAX_SCHEDULERS, p->Schedulers, "the warp that issued last") \
    X(U8,    best_q,        bits_index(p->Warps),     WARP_LOCALITY_MAX_SCHEDULERS, p->Schedulers, "of the warps visited, the one with the highest degree with it") \
    X(U8,    best_degree_q, p->DegreeW,               WARP_LOCALITY_MAX_SCHEDULERS, p->Schedulers, "that degree") \
    X(U8,    newer_q,       WARP_LOCALITY_NEWER_W(p), WARP_LOCALITY_MAX_WARPS, p->Warps, "thread blocks that came after the warp's own; saturates when it starves") \
    X(U64,   regions_q,     p->Arrays * p->RegionW,   WARP_LOCALITY_MAX_WARPS, p->Warps, "region vectors, array 0 lowest") \
    X(W1024, subs_q,        p->Arrays * p->SubW,      WARP_LOCALITY_MAX_WARPS, p->Warps, "subregion vectors, array 0 lowest") \
    X(U8,    degree_q,      p->DegreeW,               WARP_LOCALITY_MAX_PAIRS, WARP_LOCALITY_PAIRS(p), "locality degree table: of warps i > j at i * (i - 1) / 2 + j")

/* Index bounds for the prover (tb/prove/README.md): Warps need not be a power of two. */
#define WARP_LOCALITY_INVARIANT(X) \
    X(last_q,      p->Warps) \
    X(best_q,      p->Warps) \
    X(seek_warp_q, p->Warps) \
    X(fill_warp_q, p->Warps)
/* clang-format on */

struct warp_locality_cfg {
    WARP_LOCALITY_PARAM(PARAM_FIELD)
};
struct warp_locality_in {
    WARP_LOCALITY_IN(PORT_FIELD)
};
struct warp_locality_out {
    WARP_LOCALITY_OUT(PORT_FIELD)
};
struct warp_locality {
    struct warp_locality_cfg p;
    WARP_LOCALITY_REG(PORT_FIELD)
    WARP_LOCALITY_MEM(MEM_FIELD)
};

void warp_locality_init(struct warp_locality *m, const struct warp_locality_cfg *cfg); /* cfg must be legal; resets */
void warp_locality_reset(struct warp_locality *m);
void warp_locality_eval(const struct warp_locality *m, const struct warp_locality_in *in,
                        struct warp_locality_out *out);
void warp_locality_tick(struct warp_locality *m, const struct warp_locality_in *in);
void warp_locality_step(struct warp_locality *m, const struct warp_locality_in *in,
                        struct warp_locality_out *out);            /* eval, then tick: one evaluation of the wires */
bool warp_locality_idle(const struct warp_locality *m);            /* ticks without valid inputs change nothing */
void warp_locality_skip(struct warp_locality *m, uint64_t cycles); /* as many such ticks */
#endif
