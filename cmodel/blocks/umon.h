/* SPDX-License-Identifier: Apache-2.0 */
/* umon: utility monitor and way allocation of utility-based cache partitioning (UCP, Qureshi06).  The only list of its
 * parameters, ports and registers; format: ports.h.  Bit-accurate twin of rtl/umon/mt_umon.sv; decisions in
 * rtl/umon/README.md. */
#ifndef MEMTWIN_UMON_H
#define MEMTWIN_UMON_H
#include "bits.h"
#include "ports.h"

#define UMON_MAX_KERNELS 4
#define UMON_MAX_WAYS 16
#define UMON_MAX_SETS 256
#define UMON_MAX_SAMPLED 32
#define UMON_MAX_ROWS (UMON_MAX_KERNELS * UMON_MAX_SAMPLED)
#define UMON_MAX_COUNTERS (UMON_MAX_KERNELS * UMON_MAX_WAYS)

/* Bits of a number of ways, 0 to Ways; and of the hits of as many stack positions. */
#define UMON_WAYS_W(p) bits_index((p)->Ways + 1)
#define UMON_SUM_W(p) ((p)->CountW + bits_index((p)->Ways))

/* clang-format off */
#define UMON_ERROR(X) \
    X(UMON_OK,           0, "no error") \
    X(UMON_ERROR_KERNEL, 1, "an access or a flush of a kernel that does not exist (3 of 3)")

#define UMON_CODES(X) X(umon_error, UMON_ERROR)
enum umon_error { UMON_ERROR(ENUM_CODE) };

#define UMON_PARAM(X) \
    X(Kernels,      2, 2, UMON_MAX_KERNELS, "kernels that share the cache") \
    X(Ways,         4, 2, UMON_MAX_WAYS,    "ways of a set; at least Kernels") \
    X(Sets,        32, 1, UMON_MAX_SETS,    "sets of the cache, a power of two") \
    X(SampledSets,  4, 1, UMON_MAX_SAMPLED, "sampled sets, a power of two up to Sets") \
    X(TagW,        16, 1, 16,               "bits of the partial tag of a line") \
    X(CountW,      16, 2, 16,               "bits of a hit counter; all counters halve when one is full")

#define UMON_IN(X) \
    X(BIT, acc_valid_i,    1,                      "the cache accepts a read") \
    X(U8,  acc_kernel_i,   bits_index(p->Kernels), "its kernel") \
    X(U8,  acc_set_i,      bits_index(p->Sets),    "its set") \
    X(U16, acc_tag_i,      p->TagW,                "its partial tag") \
    X(BIT, flush_valid_i,  1,                      "the cache invalidates the lines of a kernel") \
    X(U8,  flush_kernel_i, bits_index(p->Kernels), "that kernel") \
    X(BIT, part_valid_i,   1,                      "a new allocation is computed; ignored while busy_o is 1")

#define UMON_OUT(X) \
    X(BIT, acc_sampled_o, 1,                           "the access is to a sampled set") \
    X(BIT, acc_hit_o,     1,                           "the kernel alone in the cache would hit") \
    X(U8,  acc_depth_o,   bits_index(p->Ways),         "how many lines of the set it has used since; 0 without a hit") \
    X(U32, alloc_o,       p->Kernels * UMON_WAYS_W(p), "ways of each kernel, kernel 0 lowest; their sum is Ways") \
    X(BIT, busy_o,        1,                           "an allocation is being computed; hits are not counted") \
    X(BIT, strobe_o,      1,                           "a new allocation is in force, from this cycle on") \
    X(U8,  error_o,       1,                           "enum umon_error, sticky until reset")

#define UMON_REG(X) \
    X(BIT, busy_q,        1,                      "an allocation is being computed") \
    X(U8,  kernel_q,      bits_index(p->Kernels), "the kernel looked at") \
    X(U8,  more_q,        UMON_WAYS_W(p),         "ways beyond its own whose hits are in sum_q") \
    X(U32, sum_q,         UMON_SUM_W(p),          "hits that they would add") \
    X(U8,  best_kernel_q, bits_index(p->Kernels), "the kernel with the most hits per way in this round") \
    X(U8,  best_ways_q,   UMON_WAYS_W(p),         "for so many ways; 0: none yet") \
    X(U32, best_sum_q,    UMON_SUM_W(p),          "its hits") \
    X(U8,  left_q,        UMON_WAYS_W(p),         "ways that no kernel has yet") \
    X(BIT, strobe_q,      1,                      "a new allocation is in force") \
    X(U8,  error_q,       1,                      "enum umon_error")

#define UMON_MEM(X) \
    X(U8,    alloc_q, UMON_WAYS_W(p),    UMON_MAX_KERNELS,  p->Kernels,                  "ways of a kernel") \
    X(U8,    next_q,  UMON_WAYS_W(p),    UMON_MAX_KERNELS,  p->Kernels,                  "the same in the allocation being computed") \
    X(U16,   hits_q,  p->CountW,         UMON_MAX_COUNTERS, p->Kernels * p->Ways,        "hits by stack position, kernel 0 first, most recent position first") \
    X(U16,   valid_q, p->Ways,           UMON_MAX_ROWS,     p->Kernels * p->SampledSets, "stack positions with a tag, one bit each") \
    X(W1024, tags_q,  p->Ways * p->TagW, UMON_MAX_ROWS,     p->Kernels * p->SampledSets, "tags of a kernel in a sampled set, the most recent lowest")
/* clang-format on */

struct umon_cfg {
    UMON_PARAM(PARAM_FIELD)
};
struct umon_in {
    UMON_IN(PORT_FIELD)
};
struct umon_out {
    UMON_OUT(PORT_FIELD)
};
struct umon {
    struct umon_cfg p;
    UMON_REG(PORT_FIELD)
    UMON_MEM(MEM_FIELD)
};

void umon_init(struct umon *m, const struct umon_cfg *cfg); /* cfg must be legal; resets */
void umon_reset(struct umon *m);
void umon_eval(const struct umon *m, const struct umon_in *in, struct umon_out *out);
void umon_tick(struct umon *m, const struct umon_in *in);
bool umon_idle(const struct umon *m);            /* ticks without valid inputs change nothing */
void umon_skip(struct umon *m, uint64_t cycles); /* as many such ticks */
#endif
