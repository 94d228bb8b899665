/* SPDX-License-Identifier: Apache-2.0 */
/* dwt_coordinator: finds the best number of warps of a GPU by sampling its SMs (Khairy15, section 4.2).  The only list
 * of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of
 * rtl/dwt_coordinator/mt_dwt_coordinator.sv; decisions in rtl/dwt_coordinator/README.md. */
#ifndef MEMTWIN_DWT_COORDINATOR_H
#define MEMTWIN_DWT_COORDINATOR_H
#include "bits.h"
#include "ports.h"

/* clang-format off */
#define DWT_COORDINATOR_STATE(X) \
    X(DWT_PERIODS, 0, "marks periods, and waits for an SM that asks") \
    X(DWT_ROUND,   1, "the SMs run their own numbers of warps") \
    X(DWT_COLLECT, 2, "takes their reports") \
    X(DWT_DECIDE,  3, "sends the result, or starts the second round") \
    X(DWT_DONE,    4, "waits for the next kernel")

#define DWT_COORDINATOR_CODES(X) X(dwt_coordinator_state, DWT_COORDINATOR_STATE)
enum dwt_coordinator_state { DWT_COORDINATOR_STATE(ENUM_CODE) };

#define DWT_COORDINATOR_PARAM(X) \
    X(Sms,       15, 1, 256,     "SMs, each of which sends a report in a round") \
    X(Warps,     24, 1, 128,     "warps per scheduler of an SM") \
    X(Period, 10000, 2, 1048576, "cycles of a period") \
    X(Samples,    3, 1, 15,      "periods of a round") \
    X(InstW,     24, 8, 32,      "bits of a report's count")

#define DWT_COORDINATOR_IN(X) \
    X(BIT, start_valid_i,  1,        "a kernel starts") \
    X(BIT, ask_valid_i,    1,        "an SM asks for a sampling") \
    X(BIT, report_valid_i, 1,        "an SM offers its report") \
    X(U32, report_count_i, p->InstW, "instructions that it issued in the round") \
    X(U8,  report_warps_i, bits_index(p->Warps + 1), "its number of warps in the round")

#define DWT_COORDINATOR_OUT(X) \
    X(BIT, period_valid_o,  1, "a new period starts with this cycle") \
    X(BIT, sample_valid_o,  1, "a round of sampling starts with the next cycle") \
    X(BIT, sample_second_o, 1, "with it: SM i runs Sms more warps than i + 1; else 0") \
    X(BIT, collect_valid_o, 1, "the round ends with this cycle") \
    X(BIT, report_ready_o,  1, "a report is taken in this cycle") \
    X(BIT, result_valid_o,  1, "the sampling is over") \
    X(U8,  result_warps_o,  bits_index(p->Warps + 1), "with it: the best number of warps; else 0")

#define DWT_COORDINATOR_REG(X) \
    X(U8,  state_q,   3,                       "enum dwt_coordinator_state") \
    X(U32, cycle_q,   bits_index(p->Period),   "cycles of this period that are over") \
    X(U8,  period_q,  bits_index(p->Samples),  "periods of this round that are over") \
    X(BIT, second_q,  1,                       "this is the second round") \
    X(U16, reports_q, bits_index(p->Sms),      "reports of this round") \
    X(U32, best_q,    p->InstW,                "the most instructions reported since the sampling started") \
    X(U8,  warps_q,   bits_index(p->Warps + 1), "the number of warps with them")

#define DWT_COORDINATOR_MEM(X)
/* clang-format on */

struct dwt_coordinator_cfg {
    DWT_COORDINATOR_PARAM(PARAM_FIELD)
};
struct dwt_coordinator_in {
    DWT_COORDINATOR_IN(PORT_FIELD)
};
struct dwt_coordinator_out {
    DWT_COORDINATOR_OUT(PORT_FIELD)
};
struct dwt_coordinator {
    struct dwt_coordinator_cfg p;
    DWT_COORDINATOR_REG(PORT_FIELD)
    DWT_COORDINATOR_MEM(MEM_FIELD)
};

void dwt_coordinator_init(struct dwt_coordinator *m,
                          const struct dwt_coordinator_cfg *cfg); /* cfg must be legal; resets */
void dwt_coordinator_reset(struct dwt_coordinator *m);
void dwt_coordinator_eval(const struct dwt_coordinator *m, const struct dwt_coordinator_in *in,
                          struct dwt_coordinator_out *out);
void dwt_coordinator_tick(struct dwt_coordinator *m, const struct dwt_coordinator_in *in);
bool dwt_coordinator_idle(const struct dwt_coordinator *m);            /* ticks without valid inputs change nothing */
void dwt_coordinator_skip(struct dwt_coordinator *m, uint64_t cycles); /* as many such ticks */
#endif
