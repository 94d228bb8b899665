/* SPDX-License-Identifier: Apache-2.0 */
/* warp_quota: quotas of warp instructions of the kernels on an SM (SMK's W, as Dai17, section 4.4, describes it).  The
 * only list of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of
 * rtl/warp_quota/mt_warp_quota.sv; decisions in rtl/warp_quota/README.md. */
#ifndef MEMTWIN_WARP_QUOTA_H
#define MEMTWIN_WARP_QUOTA_H
#include "bits.h"
#include "ports.h"

#define WARP_QUOTA_MAX_KERNELS 4
#define WARP_QUOTA_COUNT_W 3 /* instructions of a kernel in a cycle */

/* clang-format off */
#define WARP_QUOTA_ERROR(X) \
    X(WARP_QUOTA_OK,          0, "no error") \
    X(WARP_QUOTA_ERROR_ISSUE, 1, "an instruction of a kernel that may not issue") \
    X(WARP_QUOTA_ERROR_COUNT, 2, "more instructions in a cycle than Issues") \
    X(WARP_QUOTA_ERROR_SET,   3, "a quota of 0, or of a kernel that does not exist (3 of 3)")

#define WARP_QUOTA_CODES(X) X(warp_quota_error, WARP_QUOTA_ERROR)
enum warp_quota_error { WARP_QUOTA_ERROR(ENUM_CODE) };

#define WARP_QUOTA_PARAM(X) \
    X(Kernels,  2, 2, WARP_QUOTA_MAX_KERNELS, "kernels that share the SM") \
    X(QuotaW,  16, 2, 16, "bits of a quota") \
    X(Issues,   4, 1, 4,  "warp instructions that the SM issues in a cycle at most") \
    X(Debt,     1, 0, 1,  "1: what a kernel issues above its quota is taken from its next one; 0: it is forgotten")

#define WARP_QUOTA_IN(X) \
    X(BIT, set_valid_i,     1,                                "a quota is written") \
    X(U8,  set_kernel_i,    bits_index(p->Kernels),           "its kernel") \
    X(U16, set_quota_i,     p->QuotaW,                        "warp instructions of that kernel in a period, at least 1; for refills from the next cycle on") \
    X(BIT, issue_valid_i,   1,                                "warp instructions issue") \
    X(U16, issue_counts_i,  p->Kernels * WARP_QUOTA_COUNT_W,  "how many of each kernel, kernel 0 lowest") \
    X(BIT, kernels_valid_i, 1,                                "the set of present kernels changes") \
    X(U8,  kernels_i,       p->Kernels,                       "present kernels from the next cycle on")

#define WARP_QUOTA_OUT(X) \
    X(U8,  may_issue_o, p->Kernels,             "kernels that are present and have quota left, one bit each") \
    X(U64, left_o,      p->Kernels * p->QuotaW, "quota left, kernel 0 lowest") \
    X(BIT, refill_o,    1,                      "every kernel gets its quota at this clock edge") \
    X(U8,  error_o,     2,                      "enum warp_quota_error, the first one, until reset")

#define WARP_QUOTA_REG(X) \
    X(U8, present_q, p->Kernels, "present kernels") \
    X(U8, error_q,   2,          "enum warp_quota_error")

#define WARP_QUOTA_MEM(X) \
    X(U16, set_q,  p->QuotaW,                        WARP_QUOTA_MAX_KERNELS, p->Kernels,               "quota of a period") \
    X(U16, left_q, p->QuotaW,                        WARP_QUOTA_MAX_KERNELS, p->Kernels,               "of it, what is left in this period") \
    X(U8,  debt_q, WARP_QUOTA_COUNT_W,                    WARP_QUOTA_MAX_KERNELS, p->Debt ? p->Kernels : 0, "instructions above the quota of this period")
/* clang-format on */

struct warp_quota_cfg {
    WARP_QUOTA_PARAM(PARAM_FIELD)
};
struct warp_quota_in {
    WARP_QUOTA_IN(PORT_FIELD)
};
struct warp_quota_out {
    WARP_QUOTA_OUT(PORT_FIELD)
};
struct warp_quota {
    struct warp_quota_cfg p;
    WARP_QUOTA_REG(PORT_FIELD)
    WARP_QUOTA_MEM(MEM_FIELD)
};

void warp_quota_init(struct warp_quota *m, const struct warp_quota_cfg *cfg); /* cfg must be legal; resets */
void warp_quota_reset(struct warp_quota *m);
void warp_quota_eval(const struct warp_quota *m, const struct warp_quota_in *in, struct warp_quota_out *out);
void warp_quota_tick(struct warp_quota *m, const struct warp_quota_in *in);
bool warp_quota_idle(const struct warp_quota *m);            /* ticks without valid inputs change nothing */
void warp_quota_skip(struct warp_quota *m, uint64_t cycles); /* as many such ticks */
#endif
