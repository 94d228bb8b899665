/* SPDX-License-Identifier: Apache-2.0 */
/* qbmi: quota-based memory instruction issue, and its round-robin variant RBMI (Dai17, section 4.3.2).  The only list
 * of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/qbmi/mt_qbmi.sv; decisions in
 * rtl/qbmi/README.md. */
#ifndef MEMTWIN_QBMI_H
#define MEMTWIN_QBMI_H
#include "bits.h"
#include "ports.h"

#define QBMI_MAX_KERNELS 4
#define QBMI_RATIO_W 6 /* Req/Minst: 1 to 32 */

/* A quota is at most the least common multiple of the other kernels' numbers, each at most 32: 32, 32 * 31 or 32 *
 * 31 * 29. */
#define QBMI_SET_W(kernels) ((kernels) == 2 ? 6u : (kernels) == 3 ? 10u : 15u)

/* clang-format off */
#define QBMI_ERROR(X) \
    X(QBMI_OK,            0, "no error") \
    X(QBMI_ERROR_ISSUE,   1, "an issue of a kernel that is not present") \
    X(QBMI_ERROR_REQUEST, 2, "a request of a kernel that does not exist (3 of 3)")

#define QBMI_STEP(X) \
    X(QBMI_FIRST_STEP, 0, "first step of the prime powers") \
    X(QBMI_LAST_STEP,  17, "last step of the prime powers")

#define QBMI_CODES(X) X(qbmi_error, QBMI_ERROR) X(qbmi_step, QBMI_STEP)
enum qbmi_error { QBMI_ERROR(ENUM_CODE) };
enum qbmi_step { QBMI_STEP(ENUM_CODE) };

#define QBMI_PARAM(X) \
    X(Kernels,  2, 2, QBMI_MAX_KERNELS, "kernels that share the SM") \
    X(ReqW,    10, 2, 16, "bits of a request counter: Req/Minst is measured over 2^ReqW requests of a kernel") \
    X(QuotaW,   7, 1, 16, "bits of a quota; a quota saturates") \
    X(Carry,    1, 1, 31, "an unused quota carries over, up to Carry sets, when a new set is added") \
    X(Rbmi,     0, 0, 1,  "1: RBMI, loose round robin without quotas")

#define QBMI_IN(X) \
    X(U8,  ask_i,           p->Kernels,             "kernels with a memory instruction ready to issue, one bit each") \
    X(BIT, issue_valid_i,   1,                      "a memory instruction issues") \
    X(U8,  issue_kernel_i,  bits_index(p->Kernels), "its kernel") \
    X(BIT, req_valid_i,     1,                      "the L1D accepts a request") \
    X(U8,  req_kernel_i,    bits_index(p->Kernels), "its kernel; ignored if that kernel is not present") \
    X(BIT, kernels_valid_i, 1,                      "the set of present kernels changes") \
    X(U8,  kernels_i,       p->Kernels,             "present kernels from the next cycle on")

#define QBMI_VALID(X) X(ask_i, always)

#define QBMI_OUT(X) \
    X(BIT, grant_valid_o,  1,                      "a present kernel requests") \
    X(U8,  grant_kernel_o, bits_index(p->Kernels), "the kernel with priority; 0 if none requests") \
    X(BIT, refill_o,       1,                      "a new set of quotas is added at this clock edge") \
    X(U64, quota_o,        p->Kernels * p->QuotaW, "quotas, kernel 0 lowest; 0 for one that is not present") \
    X(U32, ratio_o,        p->Kernels * QBMI_RATIO_W, "Req/Minst, kernel 0 lowest; 1 until first measured") \
    X(U8,  error_o,        2,                      "enum qbmi_error, the first one, until reset")

#define QBMI_REG(X) \
    X(U8,  present_q, p->Kernels,             "present kernels") \
    X(U8,  last_q,    bits_index(p->Kernels), "the kernel that issued last") \
    X(BIT, busy_q,    p->Rbmi ? 0u : 1u,      "a quota set is being computed") \
    X(U8,  step_q,    p->Rbmi ? 0u : 5u,      "the next prime power") \
    X(U8,  error_q,   2,                      "enum qbmi_error")

#define QBMI_MEM(X) \
    X(U32, req_q,   p->ReqW,                QBMI_MAX_KERNELS, p->Rbmi ? 0 : p->Kernels, "requests in this interval") \
    X(U32, minst_q, p->ReqW,                QBMI_MAX_KERNELS, p->Rbmi ? 0 : p->Kernels, "memory instructions in it; saturates") \
    X(U8,  ratio_q, QBMI_RATIO_W,           QBMI_MAX_KERNELS, p->Rbmi ? 0 : p->Kernels, "Req/Minst of the last interval, 1 to 32") \
    X(U16, quota_q, p->QuotaW,              QBMI_MAX_KERNELS, p->Rbmi ? 0 : p->Kernels, "remaining quota") \
    X(U16, acc_q,   QBMI_SET_W(p->Kernels), QBMI_MAX_KERNELS, p->Rbmi ? 0 : p->Kernels, "the quota set being computed") \
    X(U16, set_q,   QBMI_SET_W(p->Kernels), QBMI_MAX_KERNELS, p->Rbmi ? 0 : p->Kernels, "the set to add when a quota reaches 0")
/* clang-format on */

struct qbmi_cfg {
    QBMI_PARAM(PARAM_FIELD)
};
struct qbmi_in {
    QBMI_IN(PORT_FIELD)
};
struct qbmi_out {
    QBMI_OUT(PORT_FIELD)
};
struct qbmi {
    struct qbmi_cfg p;
    QBMI_REG(PORT_FIELD)
    QBMI_MEM(MEM_FIELD)
};

void qbmi_init(struct qbmi *m, const struct qbmi_cfg *cfg); /* cfg must be legal; resets */
void qbmi_reset(struct qbmi *m);
void qbmi_eval(const struct qbmi *m, const struct qbmi_in *in, struct qbmi_out *out);
void qbmi_tick(struct qbmi *m, const struct qbmi_in *in);
bool qbmi_idle(const struct qbmi *m);            /* ticks without valid inputs change nothing */
void qbmi_skip(struct qbmi *m, uint64_t cycles); /* as many such ticks */
#endif
