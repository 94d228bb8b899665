/* SPDX-License-Identifier: Apache-2.0 */
/* milg: Memory Instruction Limiting number Generator (Dai17, section 4.3.3.2, figure 36).  The only list of its
 * parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/milg/mt_milg.sv; decisions in
 * rtl/milg/README.md. */
#ifndef MEMTWIN_MILG_H
#define MEMTWIN_MILG_H
#include "bits.h"
#include "ports.h"

/* clang-format off */
#define MILG_RELAX(X) \
    X(MILG_LIFT, 0, "no limit") \
    X(MILG_GROW, 1, "limit = maximum + 1, but never lower than before") \
    X(MILG_HOLD, 2, "the limit is kept")

#define MILG_ERROR(X) \
    X(MILG_OK,           0, "no error") \
    X(MILG_ERROR_RETIRE, 1, "more completions than instructions in flight: none of them is counted") \
    X(MILG_ERROR_ISSUE,  2, "the counter is at its maximum: the instruction is not counted")

#define MILG_CODES(X) X(milg_relax, MILG_RELAX) X(milg_error, MILG_ERROR)
enum milg_relax { MILG_RELAX(ENUM_CODE) };
enum milg_error { MILG_ERROR(ENUM_CODE) };

#define MILG_PARAM(X) \
    X(InflightW,  7, 1, 10, "bits of the in-flight counter and of the limit") \
    X(RfW,       12, 1, 24, "bits of the reservation failure counter") \
    X(ReqW,      10, 1, 16, "bits of the request counter: an interval is 2^ReqW requests") \
    X(Relax,      1, 0, 2,  "enum milg_relax: below one failure per request: 0 LIFT the limit, 1 GROW to the maximum + 1, never down, 2 HOLD the limit")

#define MILG_IN(X) \
    X(BIT, issue_valid_i,  1,            "a memory instruction of the kernel issues") \
    X(BIT, retire_valid_i, 1,            "number of memory instructions of the kernel that complete") \
    X(U8,  retire_count_i, 3,            "how many") \
    X(BIT, req_valid_i,    1,            "the L1D accepts a request of the kernel") \
    X(BIT, fail_valid_i,   1,            "a request of the kernel gets a reservation failure") \
    X(BIT, start_valid_i,  1,            "a new kernel: starts an interval without a limit; the in-flight count is kept") \
    X(U16, static_limit_i, p->InflightW, "SMIL: the limit; 0: the limit is the dynamic one (DMIL)")

#define MILG_VALID(X) X(static_limit_i, always)

#define MILG_OUT(X) \
    X(BIT, issue_ok_o,  1,            "in flight < limit: a memory instruction may issue") \
    X(U16, limit_o,     p->InflightW, "the limit in force, at least 1; all ones: limited by the counter width only") \
    X(U16, inflight_o,  p->InflightW, "memory instructions in flight") \
    X(BIT, update_o,    1,            "the interval ends in this cycle") \
    X(U16, new_limit_o, p->InflightW, "with update_o: the dynamic limit from the next cycle on; else 0") \
    X(U8,  error_o,     2,            "enum milg_error, the first one, until reset")

#define MILG_REG(X) \
    X(U16, inflight_q, p->InflightW, "memory instructions in flight") \
    X(U16, max_q,      p->InflightW, "maximum of inflight_q in this interval") \
    X(U32, rf_q,       p->RfW,       "reservation failures in this interval; saturates") \
    X(U32, req_q,      p->ReqW,      "requests in this interval") \
    X(U16, limit_q,    p->InflightW, "the dynamic limit") \
    X(U8,  error_q,    2,            "enum milg_error")

#define MILG_MEM(X)
/* clang-format on */

struct milg_cfg {
    MILG_PARAM(PARAM_FIELD)
};
struct milg_in {
    MILG_IN(PORT_FIELD)
};
struct milg_out {
    MILG_OUT(PORT_FIELD)
};
struct milg {
    struct milg_cfg p;
    MILG_REG(PORT_FIELD)
    MILG_MEM(MEM_FIELD)
};

void milg_init(struct milg *m, const struct milg_cfg *cfg); /* cfg must be legal; resets */
void milg_reset(struct milg *m);
void milg_eval(const struct milg *m, const struct milg_in *in, struct milg_out *out);
void milg_tick(struct milg *m, const struct milg_in *in);
bool milg_idle(const struct milg *m);            /* ticks without valid inputs change nothing */
void milg_skip(struct milg *m, uint64_t cycles); /* as many such ticks */
#endif
