/* SPDX-License-Identifier: Apache-2.0 */
/* dwt_core: detects thrashing in one SM and limits its warps (Khairy15, section 4.2).  The only list of its
 * parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/dwt_core/mt_dwt_core.sv; decisions in
 * rtl/dwt_core/README.md. */
#ifndef MEMTWIN_DWT_CORE_H
#define MEMTWIN_DWT_CORE_H
#include "bits.h"
#include "ports.h"

#ifndef DWT_CORE_MAX_KERNELS
#define DWT_CORE_MAX_KERNELS 16
#endif

/* clang-format off */
#define DWT_CORE_STATE(X) \
    X(DWT_WATCH,  0, "counts instructions and misses of a period") \
    X(DWT_ASK,    1, "thrashing: asks the coordinator for a sampling") \
    X(DWT_SAMPLE, 2, "counts instructions under the SM's own number of warps") \
    X(DWT_REPORT, 3, "offers the count to the coordinator") \
    X(DWT_WAIT,   4, "waits for the result, or for a second round") \
    X(DWT_FIXED,  5, "keeps its limit until the next kernel starts")

#define DWT_CORE_CODES(X) X(dwt_core_state, DWT_CORE_STATE)
enum dwt_core_state { DWT_CORE_STATE(ENUM_CODE) };

#define DWT_CORE_PARAM(X) \
    X(Warps,   24, 1, 128, "warps per scheduler; as a limit: none") \
    X(Mpki,    10, 1, 1000, "misses per 1000 instructions above which a period thrashes") \
    X(Periods,  3, 1, 15,  "thrashing periods in a row before the SM asks for a sampling") \
    X(InstW,   24, 8, 32,  "bits of the instruction counter; it saturates") \
    X(MissW,   16, 2, 24,  "bits of the miss counter; it saturates") \
    X(CountW,   8, 1, 8,   "bits of the number of instructions in a cycle") \
    X(Kernels,  8, 1, DWT_CORE_MAX_KERNELS, "kernels whose number of warps is remembered") \
    X(KernelW,  8, 1, 16,  "bits of a kernel's identity")

#define DWT_CORE_IN(X) \
    X(BIT, inst_valid_i,   1,          "the SM issues instructions in this cycle") \
    X(U8,  inst_count_i,   p->CountW,  "how many") \
    X(BIT, miss_valid_i,   1,          "reads miss in the L1D in this cycle") \
    X(U8,  miss_count_i,   2,          "how many") \
    X(BIT, period_valid_i, 1,          "a new period starts with this cycle") \
    X(BIT, start_valid_i,  1,          "a kernel starts") \
    X(U16, start_kernel_i, p->KernelW, "its identity") \
    X(BIT, sample_valid_i, 1,          "a round of sampling starts with the next cycle") \
    X(U8,  sample_first_i, bits_index(p->Warps + 1), "SM i runs as many warps more than i + 1") \
    X(U8,  number_i,       8,          "i, the number of this SM; constant") \
    X(BIT, collect_valid_i, 1,         "the round ends with this cycle") \
    X(BIT, report_ready_i, 1,          "the coordinator takes the report") \
    X(BIT, result_valid_i, 1,          "the sampling is over") \
    X(U8,  result_warps_i, bits_index(p->Warps + 1), "the best number of warps; out of 1..Warps: no limit")

#define DWT_CORE_VALID(X) X(number_i, always)

#define DWT_CORE_OUT(X) \
    X(U8,  limit_o,        bits_index(p->Warps + 1), "oldest warps of each scheduler that may issue, 1..Warps") \
    X(BIT, ask_o,          1,        "asks for a sampling") \
    X(BIT, report_valid_o, 1,        "a report is offered, and stays until it is taken") \
    X(U32, report_count_o, p->InstW, "with it: instructions of the round; else 0") \
    X(BIT, reuse_o,        1,        "the limit of an earlier launch of the kernel is in force from the next cycle on")

#define DWT_CORE_REG(X) \
    X(U8,  state_q,  3,          "enum dwt_core_state") \
    X(U32, inst_q,   p->InstW,   "instructions of this period or round") \
    X(U32, miss_q,   p->MissW,   "misses of this period") \
    X(U8,  streak_q, bits_index(p->Periods), "thrashing periods in a row") \
    X(U8,  limit_q,  bits_index(p->Warps + 1), "the limit in force") \
    X(BIT, known_q,  1,          "the kernel was in the table when it started") \
    X(U8,  best_q,   bits_index(p->Warps + 1), "its number of warps there") \
    X(U16, kernel_q, p->KernelW, "the kernel that runs") \
    X(U16, valid_q,  p->Kernels, "entries of the table that hold a kernel")

/* Most recently used first. */
#define DWT_CORE_MEM(X) \
    X(U16, key_q,   p->KernelW, DWT_CORE_MAX_KERNELS, p->Kernels, "identity of an entry's kernel") \
    X(U8,  warps_q, bits_index(p->Warps + 1), DWT_CORE_MAX_KERNELS, p->Kernels, "its best number of warps")
/* clang-format on */

struct dwt_core_cfg {
    DWT_CORE_PARAM(PARAM_FIELD)
};
struct dwt_core_in {
    DWT_CORE_IN(PORT_FIELD)
};
struct dwt_core_out {
    DWT_CORE_OUT(PORT_FIELD)
};
struct dwt_core {
    struct dwt_core_cfg p;
    DWT_CORE_REG(PORT_FIELD)
    DWT_CORE_MEM(MEM_FIELD)
};

void dwt_core_init(struct dwt_core *m, const struct dwt_core_cfg *cfg); /* cfg must be legal; resets */
void dwt_core_reset(struct dwt_core *m);
void dwt_core_eval(const struct dwt_core *m, const struct dwt_core_in *in, struct dwt_core_out *out);
void dwt_core_tick(struct dwt_core *m, const struct dwt_core_in *in);
bool dwt_core_idle(const struct dwt_core *m);            /* ticks without valid inputs change nothing */
void dwt_core_skip(struct dwt_core *m, uint64_t cycles); /* as many such ticks */
#endif
