/* SPDX-License-Identifier: Apache-2.0 */
/* tlp_modulator: how many thread blocks of each of two kernels an SM holds, learnt at run time (Liang17, section 4.3).
 * The only list of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of
 * rtl/tlp_modulator/mt_tlp_modulator.sv; decisions in rtl/tlp_modulator/README.md. */
#ifndef MEMTWIN_TLP_MODULATOR_H
#define MEMTWIN_TLP_MODULATOR_H
#include "bits.h"
#include "ports.h"

#define TLP_RESOURCES 3 /* warps, registers, shared memory; the slots of thread blocks are counted */

/* clang-format off */
#define TLP_MODULATOR_STATE(X) \
    X(TLP_OFF,    0, "at most one kernel runs") \
    X(TLP_WAIT,   1, "until exactly as many thread blocks of each kernel run as its limit says") \
    X(TLP_SAMPLE, 2, "a sampling period: until all thread blocks that ran at its start are finished") \
    X(TLP_JUDGE,  3, "compares the period with the history, a bit of a product in a cycle") \
    X(TLP_PLACE,  4, "fills an empty SM with the new numbers of thread blocks, one in a cycle")

#define TLP_MODULATOR_TEST(X) \
    X(TLP_SP_FALLS,    0, "PUCT of SP is at most 1") \
    X(TLP_LDST_FALLS,  1, "PUCT of LD/ST is at most 1") \
    X(TLP_SP_CRITICAL, 2, "PUCT of SP is at most that of LD/ST: SP is the critical pipeline") \
    X(TLP_A_PREFERS,   3, "PUHP of kernel A is at least that of B: A prefers SP")

#define TLP_MODULATOR_ERROR(X) \
    X(TLP_OK,           0, "no error") \
    X(TLP_ERROR_LAUNCH, 1, "a launch into a slot that is in use, or of both kernels into one") \
    X(TLP_ERROR_FINISH, 2, "the end of a thread block in a free slot")

#define TLP_MODULATOR_CODES(X) \
    X(tlp_modulator_state, TLP_MODULATOR_STATE) X(tlp_modulator_test, TLP_MODULATOR_TEST) X(tlp_modulator_error, TLP_MODULATOR_ERROR)
enum tlp_modulator_state { TLP_MODULATOR_STATE(ENUM_CODE) };
enum tlp_modulator_test { TLP_MODULATOR_TEST(ENUM_CODE) };
enum tlp_modulator_error { TLP_MODULATOR_ERROR(ENUM_CODE) };

#define TLP_MODULATOR_PARAM(X) \
    X(Blocks, 16, 2, 64, "slots of the SM for thread blocks; as a limit: none") \
    X(CountW, 32, 2, 32, "bits of the counts of a period") \
    X(ResW,   21, 1, 21, "bits of an amount of a resource") \
    X(Shift,   1, 1, 4,  "the newest period's weight in the history is 2^-Shift")

#define TLP_MODULATOR_IN(X) \
    X(BIT, start_valid_i,  1, "both kernels run from now on: a new pair") \
    X(U8,  start_a_i,      bits_index(p->Blocks + 1), "its initial limit of kernel A") \
    X(U8,  start_b_i,      bits_index(p->Blocks + 1), "and of kernel B") \
    X(BIT, stop_valid_i,   1, "a kernel has ended: the other one may take the whole SM") \
    X(BIT, stop_kernel_i,  1, "which has: 0: A, 1: B") \
    X(BIT, launch_valid_i, 1, "thread blocks start in this cycle") \
    X(U64, launch_a_i,     p->Blocks, "slots of those of kernel A, one bit each") \
    X(U64, launch_b_i,     p->Blocks, "slots of those of kernel B") \
    X(BIT, finish_valid_i, 1, "thread blocks finish in this cycle") \
    X(U64, finish_i,       p->Blocks, "their slots") \
    X(U64, need_a_i,       TLP_RESOURCES * p->ResW, "demand of a thread block of kernel A: warps (lowest), registers, shared memory") \
    X(U64, need_b_i,       TLP_RESOURCES * p->ResW, "the same of kernel B") \
    X(U64, have_i,         TLP_RESOURCES * p->ResW, "capacity of the SM, in the same order") \
    X(BIT, hold_i,         1, "periods pass, but the limits and the history stay") \
    X(BIT, defer_i,        1, "no period starts: the thread blocks that run are not yet as it is to have them") \
    X(U32, cycles_i,       p->CountW, "cycles since open_o; these counts stay from close_o to the next open_o") \
    X(U32, sp_a_i,         p->CountW, "of the SP pipelines since open_o: busy cycles with kernel A") \
    X(U32, sp_b_i,         p->CountW, "with kernel B") \
    X(U32, ldst_a_i,       p->CountW, "of the LD/ST pipeline: busy cycles with kernel A") \
    X(U32, ldst_b_i,       p->CountW, "with kernel B")

#define TLP_MODULATOR_VALID(X) \
    X(need_a_i, always) X(need_b_i, always) X(have_i, always) X(hold_i, always) X(defer_i, always) X(cycles_i, always) \
    X(sp_a_i, always) X(sp_b_i, always) X(ldst_a_i, always) X(ldst_b_i, always)

#define TLP_MODULATOR_OUT(X) \
    X(U8,  limit_a_o,     bits_index(p->Blocks + 1), "thread blocks of kernel A that the SM may hold") \
    X(U8,  limit_b_o,     bits_index(p->Blocks + 1), "likewise kernel B") \
    X(BIT, open_o,        1, "a period starts: counts are from the next cycle on") \
    X(BIT, close_o,       1, "a period ends with this cycle") \
    X(BIT, step_valid_o,  1, "the limits change at this clock edge") \
    X(BIT, step_kernel_o, 1, "with it: the kernel that gets one thread block more; else 0") \
    X(U8,  error_o,       2, "enum tlp_modulator_error, the first one, until reset")

#define TLP_MODULATOR_REG(X) \
    X(U8,  state_q,   3, "enum tlp_modulator_state") \
    X(U8,  limit_a_q, bits_index(p->Blocks + 1), "Tb_A") \
    X(U8,  limit_b_q, bits_index(p->Blocks + 1), "Tb_B") \
    X(U64, used_a_q,  p->Blocks, "slots with a thread block of kernel A") \
    X(U64, used_b_q,  p->Blocks, "of kernel B") \
    X(U64, mark_q,    p->Blocks, "slots whose thread block the period waits for") \
    X(BIT, primed_q,  1, "there is a history") \
    X(U32, cycles_q,  p->CountW, "history: cycles") \
    X(U32, sp_a_q,    p->CountW, "busy cycles of SP with kernel A") \
    X(U32, sp_b_q,    p->CountW, "with kernel B") \
    X(U32, ldst_a_q,  p->CountW, "busy cycles of LD/ST with kernel A") \
    X(U32, ldst_b_q,  p->CountW, "with kernel B") \
    X(U8,  test_q,    2, "enum tlp_modulator_test: the comparison in progress") \
    X(U8,  bit_q,     bits_index(p->CountW + 1), "its next bit, the lowest first") \
    X(U64, sum_q,     p->CountW + 2, "difference of its products so far, shifted right by as many bits; two's complement") \
    X(U8,  holds_q,   3, "whether the first three comparisons hold") \
    X(BIT, winner_q,  1, "the kernel that is to get one thread block more") \
    X(U8,  own_q,     bits_index(p->Blocks + 1), "its thread blocks that are placed") \
    X(U8,  other_q,   bits_index(p->Blocks + 1), "those of the other kernel") \
    X(U64, left_q,    TLP_RESOURCES * p->ResW, "what is left of the resources") \
    X(U8,  error_q,   2, "enum tlp_modulator_error")

#define TLP_MODULATOR_MEM(X)
/* clang-format on */

struct tlp_modulator_cfg {
    TLP_MODULATOR_PARAM(PARAM_FIELD)
};
struct tlp_modulator_in {
    TLP_MODULATOR_IN(PORT_FIELD)
};
struct tlp_modulator_out {
    TLP_MODULATOR_OUT(PORT_FIELD)
};
struct tlp_modulator {
    struct tlp_modulator_cfg p;
    TLP_MODULATOR_REG(PORT_FIELD)
    TLP_MODULATOR_MEM(MEM_FIELD)
};

void tlp_modulator_init(struct tlp_modulator *m, const struct tlp_modulator_cfg *cfg); /* cfg must be legal; resets */
void tlp_modulator_reset(struct tlp_modulator *m);
void tlp_modulator_eval(const struct tlp_modulator *m, const struct tlp_modulator_in *in,
                        struct tlp_modulator_out *out);
void tlp_modulator_tick(struct tlp_modulator *m, const struct tlp_modulator_in *in);
bool tlp_modulator_idle(const struct tlp_modulator *m);            /* ticks without valid inputs change nothing */
void tlp_modulator_skip(struct tlp_modulator *m, uint64_t cycles); /* as many such ticks */
#endif
