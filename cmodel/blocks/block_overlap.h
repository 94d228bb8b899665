/* SPDX-License-Identifier: Apache-2.0 */
/* block_overlap: locality-aware thread-block dispatch (Chen16, section 3.3).  The one list of its parameters, ports
 * and registers; ports.h says how to read it.  Bit-accurate twin of rtl/block_overlap/mt_block_overlap.sv; decisions
 * in rtl/block_overlap/README.md. */
#ifndef MEMTWIN_BLOCK_OVERLAP_H
#define MEMTWIN_BLOCK_OVERLAP_H
#include "bits.h"
#include "ports.h"

#ifndef BLOCK_OVERLAP_MAX_DEPTH
#define BLOCK_OVERLAP_MAX_DEPTH 64
#endif
#ifndef BLOCK_OVERLAP_MAX_SMS
#define BLOCK_OVERLAP_MAX_SMS 64
#endif
#ifndef BLOCK_OVERLAP_MAX_SLOTS
#define BLOCK_OVERLAP_MAX_SLOTS 32
#endif

/* clang-format off */
#define BLOCK_OVERLAP_STATE(X) \
    X(BLOCK_OVERLAP_IDLE,  0, "waits for a request") \
    X(BLOCK_OVERLAP_MOST,  1, "looks for the candidate with the largest overlap with the SM's thread blocks") \
    X(BLOCK_OVERLAP_LEAST, 2, "none overlaps with them: looks for the one with the least overlap with the other SMs'") \
    X(BLOCK_OVERLAP_GRANT, 3, "offers the candidate that was found")

#define BLOCK_OVERLAP_ERROR(X) \
    X(BLOCK_OVERLAP_OK,           0, "no error") \
    X(BLOCK_OVERLAP_ERROR_FINISH, 1, "a thread block finished where none ran") \
    X(BLOCK_OVERLAP_ERROR_SM,     2, "a request for an SM that does not exist; it is not accepted")

#define BLOCK_OVERLAP_CODES(X) \
    X(block_overlap_state, BLOCK_OVERLAP_STATE) \
    X(block_overlap_error, BLOCK_OVERLAP_ERROR)
enum block_overlap_state { BLOCK_OVERLAP_STATE(ENUM_CODE) };
enum block_overlap_error { BLOCK_OVERLAP_ERROR(ENUM_CODE) };

#define BLOCK_OVERLAP_PARAM(X) \
    X(Depth,  16, 1, BLOCK_OVERLAP_MAX_DEPTH, "waiting thread blocks that are candidates") \
    X(Arrays, 3,  1, 4,                       "rectangles of a thread block, one for each array") \
    X(FieldW, 8,  1, 16,                      "bits of each of a rectangle's four fields") \
    X(Sms,    15, 1, BLOCK_OVERLAP_MAX_SMS,   "SMs") \
    X(Slots,  8,  1, BLOCK_OVERLAP_MAX_SLOTS, "thread blocks that run on an SM") \
    X(IdW,    24, 1, 32,                      "bits of a thread block's number")

#define BLOCK_OVERLAP_SIDE_W(p) ((p)->Arrays * (p)->FieldW)
#define BLOCK_OVERLAP_SUM_W(p) (2 * (p)->FieldW + bits_index((p)->Slots * (p)->Arrays) + bits_index((p)->Sms))

#define BLOCK_OVERLAP_IN(X) \
    X(BIT, clear_valid_i,  1,                       "the kernel is over: no candidates, nothing runs; a decision in progress is dropped") \
    X(BIT, push_valid_i,   1,                       "a waiting thread block is offered as candidate, behind the others") \
    X(U32, push_id_i,      p->IdW,                  "its number") \
    X(U64, push_x_i,       BLOCK_OVERLAP_SIDE_W(p), "the left side of its rectangle of each array, array 0 in the low bits") \
    X(U64, push_y_i,       BLOCK_OVERLAP_SIDE_W(p), "the upper side of each") \
    X(U64, push_width_i,   BLOCK_OVERLAP_SIDE_W(p), "the width of each; 0: it does not access the array") \
    X(U64, push_height_i,  BLOCK_OVERLAP_SIDE_W(p), "the height of each; 0: as width 0") \
    X(BIT, req_valid_i,    1,                       "an SM has room for a thread block") \
    X(U8,  req_sm_i,       bits_index(p->Sms),      "its number") \
    X(BIT, finish_valid_i, 1,                       "a thread block is finished") \
    X(U8,  finish_sm_i,    bits_index(p->Sms),      "its SM") \
    X(U8,  finish_slot_i,  bits_index(p->Slots),    "its slot, as granted") \
    X(BIT, grant_ready_i,  1,                       "the granted thread block starts")

#define BLOCK_OVERLAP_OUT(X) \
    X(BIT, push_ready_o,   1,                       "there is room for a candidate and no decision in progress") \
    X(BIT, req_ready_o,    1,                       "the request starts a decision; 0 without req_valid_i, without candidates, or without a free slot") \
    X(BIT, finish_ready_o, 1,                       "no decision is in progress") \
    X(BIT, grant_valid_o,  1,                       "the decision is over") \
    X(U32, grant_id_o,     p->IdW,                  "the thread block that was chosen; else 0") \
    X(U8,  grant_sm_o,     bits_index(p->Sms),      "its SM; else 0") \
    X(U8,  grant_slot_o,   bits_index(p->Slots),    "its slot, the lowest that is free; else 0") \
    X(U64, grant_sum_o,    BLOCK_OVERLAP_SUM_W(p),  "its overlap, with its SM's thread blocks, or with those of the others if grant_least_o; else 0") \
    X(BIT, grant_least_o,  1,                       "no candidate overlapped with its SM's thread blocks; else 0") \
    X(U8,  error_o,        2,                       "enum block_overlap_error, the first one, until reset")

#define BLOCK_OVERLAP_REG(X) \
    X(U8,  state_q,  2,                        "enum block_overlap_state") \
    X(U8,  count_q,  bits_index(p->Depth + 1), "candidates") \
    X(U8,  index_q,  bits_index(p->Depth),     "the candidate whose overlap is computed") \
    X(U8,  winner_q, bits_index(p->Depth),     "the best of those before it") \
    X(U64, best_q,   BLOCK_OVERLAP_SUM_W(p),   "its overlap") \
    X(U64, total_q,  BLOCK_OVERLAP_SUM_W(p),   "least: overlap of candidate index_q with the SMs that are no longer in todo_q") \
    X(U64, todo_q,   p->Sms,                   "least: SMs left, one bit each") \
    X(U8,  sm_q,     bits_index(p->Sms),       "the SM of the request") \
    X(U8,  slot_q,   bits_index(p->Slots),     "its lowest free slot") \
    X(BIT, least_q,  1,                        "no candidate overlaps with its thread blocks") \
    X(U8,  error_q,  2,                        "enum block_overlap_error")

#define BLOCK_OVERLAP_PLACES (p->Sms * p->Slots)
#define BLOCK_OVERLAP_MAX_PLACES (BLOCK_OVERLAP_MAX_SMS * BLOCK_OVERLAP_MAX_SLOTS)
#define BLOCK_OVERLAP_MEM(X) \
    X(U32, id_q,         p->IdW,                  BLOCK_OVERLAP_MAX_DEPTH,  p->Depth, "number of a candidate, the oldest first") \
    X(U64, x_q,          BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH,  p->Depth, "left sides of its rectangles") \
    X(U64, y_q,          BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH,  p->Depth, "upper sides") \
    X(U64, width_q,      BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH,  p->Depth, "widths") \
    X(U64, height_q,     BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH,  p->Depth, "heights") \
    X(U32, running_q,    p->Slots,                BLOCK_OVERLAP_MAX_SMS,    p->Sms,   "slots of an SM whose thread block runs, one bit each") \
    X(U64, run_x_q,      BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_PLACES, BLOCK_OVERLAP_PLACES, "left sides of the rectangles of a running thread block, at SM * Slots + slot") \
    X(U64, run_y_q,      BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_PLACES, BLOCK_OVERLAP_PLACES, "upper sides") \
    X(U64, run_width_q,  BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_PLACES, BLOCK_OVERLAP_PLACES, "widths") \
    X(U64, run_height_q, BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_PLACES, BLOCK_OVERLAP_PLACES, "heights")

/* Index bounds for the prover. */
#define BLOCK_OVERLAP_INVARIANT(X) \
    X(count_q,  p->Depth + 1) \
    X(index_q,  p->Depth) \
    X(winner_q, p->Depth) \
    X(sm_q,     p->Sms) \
    X(slot_q,   p->Slots)
/* clang-format on */

struct block_overlap_cfg {
    BLOCK_OVERLAP_PARAM(PARAM_FIELD)
};
struct block_overlap_in {
    BLOCK_OVERLAP_IN(PORT_FIELD)
};
struct block_overlap_out {
    BLOCK_OVERLAP_OUT(PORT_FIELD)
};
struct block_overlap {
    struct block_overlap_cfg p;
    BLOCK_OVERLAP_REG(PORT_FIELD)
    BLOCK_OVERLAP_MEM(MEM_FIELD)
};

void block_overlap_init(struct block_overlap *m, const struct block_overlap_cfg *cfg); /* cfg must be legal; resets */
void block_overlap_reset(struct block_overlap *m);
void block_overlap_eval(const struct block_overlap *m, const struct block_overlap_in *in,
                        struct block_overlap_out *out);
void block_overlap_tick(struct block_overlap *m, const struct block_overlap_in *in);
bool block_overlap_idle(const struct block_overlap *m);            /* ticks without valid inputs change nothing */
void block_overlap_skip(struct block_overlap *m, uint64_t cycles); /* as many such ticks */
#endif
