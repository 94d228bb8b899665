/* SPDX-License-Identifier: Apache-2.0 */
/* bypass_learner: which of two kernels' thread blocks bypass the L1D of an SM, and how many (Liang17, section 4.4).
 * The only list of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of
 * rtl/bypass_learner/mt_bypass_learner.sv; decisions in rtl/bypass_learner/README.md. */
#ifndef MEMTWIN_BYPASS_LEARNER_H
#define MEMTWIN_BYPASS_LEARNER_H
#include "bits.h"
#include "ports.h"

/* clang-format off */
#define BYPASS_LEARNER_STATE(X) \
    X(LEARN_OFF,  0, "at most one kernel runs: no thread block bypasses") \
    X(LEARN_NONE, 1, "step 1: a period without bypassing") \
    X(LEARN_A,    2, "step 2: a period with one thread block of kernel A") \
    X(LEARN_B,    3, "step 3: a period with one thread block of kernel B") \
    X(LEARN_MORE, 4, "step 4: a period with one thread block more of the kernel chosen") \
    X(LEARN_DONE, 5, "step 5: the number stays")

#define BYPASS_LEARNER_ERROR(X) \
    X(LEARN_OK,           0, "no error") \
    X(LEARN_ERROR_FINISH, 1, "the end of a thread block with a tag where none runs")

#define BYPASS_LEARNER_CODES(X) X(bypass_learner_state, BYPASS_LEARNER_STATE) X(bypass_learner_error, BYPASS_LEARNER_ERROR)
enum bypass_learner_state { BYPASS_LEARNER_STATE(ENUM_CODE) };
enum bypass_learner_error { BYPASS_LEARNER_ERROR(ENUM_CODE) };

#define BYPASS_LEARNER_PARAM(X) \
    X(Blocks, 16, 2, 64, "slots of the SM for thread blocks") \
    X(StallW, 32, 1, 32, "bits of a period's stalls")

#define BYPASS_LEARNER_IN(X) \
    X(BIT, start_valid_i,   1, "both kernels run from now on: learning starts") \
    X(BIT, stop_valid_i,    1, "a kernel has ended: no new thread block bypasses") \
    X(U8,  limit_a_i,       bits_index(p->Blocks + 1), "thread blocks of kernel A that the SM may hold") \
    X(U8,  limit_b_i,       bits_index(p->Blocks + 1), "likewise kernel B") \
    X(BIT, period_valid_i,  1, "a sampling period ends with this cycle") \
    X(U32, period_stalls_i, p->StallW, "its stalls, structural and of memory") \
    X(BIT, launch_valid_i,  1, "a thread block starts") \
    X(BIT, launch_kernel_i, 1, "of kernel A: 0, B: 1") \
    X(BIT, finish_valid_i,  1, "a thread block is finished") \
    X(BIT, finish_kernel_i, 1, "of kernel A: 0, B: 1") \
    X(BIT, finish_tag_i,    1, "its tag")

#define BYPASS_LEARNER_VALID(X) X(limit_a_i, always) X(limit_b_i, always)

#define BYPASS_LEARNER_OUT(X) \
    X(BIT, launch_tag_o, 1, "tag of the thread block that starts: it bypasses the L1D") \
    X(U8,  by_a_o,       bits_index(p->Blocks + 1), "thread blocks of kernel A that are to bypass") \
    X(U8,  by_b_o,       bits_index(p->Blocks + 1), "likewise kernel B; one of them is 0") \
    X(U8,  cur_a_o,      bits_index(p->Blocks + 1), "thread blocks of kernel A that run with a tag") \
    X(U8,  cur_b_o,      bits_index(p->Blocks + 1), "likewise kernel B") \
    X(BIT, defer_o,      1, "these are other numbers: a sampling period is not to start") \
    X(BIT, done_o,       1, "the number is learnt") \
    X(U8,  error_o,      1, "enum bypass_learner_error, until reset")

#define BYPASS_LEARNER_REG(X) \
    X(U8,  state_q,  3, "enum bypass_learner_state") \
    X(BIT, kernel_q, 1, "the kernel whose thread blocks bypass") \
    X(U8,  by_q,     bits_index(p->Blocks + 1), "By of it; that of the other is 0") \
    X(U8,  cur_a_q,  bits_index(p->Blocks + 1), "By_cur of A") \
    X(U8,  cur_b_q,  bits_index(p->Blocks + 1), "By_cur of B") \
    X(U32, best_q,   p->StallW, "the fewest stalls of a period so far") \
    X(BIT, a_best_q, 1, "they are those of step 2") \
    X(U8,  error_q,  1, "enum bypass_learner_error")

#define BYPASS_LEARNER_MEM(X)
/* clang-format on */

struct bypass_learner_cfg {
    BYPASS_LEARNER_PARAM(PARAM_FIELD)
};
struct bypass_learner_in {
    BYPASS_LEARNER_IN(PORT_FIELD)
};
struct bypass_learner_out {
    BYPASS_LEARNER_OUT(PORT_FIELD)
};
struct bypass_learner {
    struct bypass_learner_cfg p;
    BYPASS_LEARNER_REG(PORT_FIELD)
    BYPASS_LEARNER_MEM(MEM_FIELD)
};

void bypass_learner_init(struct bypass_learner *m,
                         const struct bypass_learner_cfg *cfg); /* cfg must be legal; resets */
void bypass_learner_reset(struct bypass_learner *m);
void bypass_learner_eval(const struct bypass_learner *m, const struct bypass_learner_in *in,
                         struct bypass_learner_out *out);
void bypass_learner_tick(struct bypass_learner *m, const struct bypass_learner_in *in);
bool bypass_learner_idle(const struct bypass_learner *m);            /* ticks without valid inputs change nothing */
void bypass_learner_skip(struct bypass_learner *m, uint64_t cycles); /* as many such ticks */
#endif
