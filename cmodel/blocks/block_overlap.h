/* SPDX-License-Identifier: Apache-2.0 */
/* block_overlap: locality-aware thread-block dispatch (Chen16, section 3.3).  The one list of its parameters, ports
 * and registers; ports.h says how to read it.  Bit-accurate twin of rtl/block_overlap/mt_block_overlap.sv; decisions
 * in rtl/block_overlap/README.md. */
#ifndef MEMTWIN_BLOCK_OVERLAP_H
#define MEMTWIN_BLOCK_OVERLAP_H
#include "bits.h"
#include "ports.h"

#ifndef BLOCK_OVERLAP_MAX_DEPTH
#define BLOCK_OVERLAP_MAX_DEPTH 8192
#endif
#ifndef BLOCK_OVERLAP_MAX_SMS
#define BLOCK_OVERLAP_MAX_SMS 256
#endif
#ifndef BLOCK_OVERLAP_MAX_SLOTS
#define BLOCK_OVERLAP_MAX_SLOTS 32
#endif

/* clang-format off */
#define BLOCK_OVERLAP_STATE(X) \
    X(BLOCK_OVERLAP_IDLE,  0, "waits for a request") \
    X(BLOCK_OVERLAP_MOST,  1, "looks for the candidate with the largest overlap with the SM's thread blocks") \
    X(BLOCK_OVERLAP_TURN,  2, "none overlaps with them: from the first of the other SMs on") \
    X(BLOCK_OVERLAP_LEAST, 3, "looks for the candidate with the least overlap with the other SMs'") \
    X(BLOCK_OVERLAP_GRANT, 4, "offers the candidate that was found") \
    X(BLOCK_OVERLAP_CLOSE, 5, "older candidates move up to the place of the granted one")

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
    X(Depth,  1024, 1, BLOCK_OVERLAP_MAX_DEPTH, "waiting thread blocks that are candidates") \
    X(Arrays, 3,    1, 4,                       "rectangles of a thread block, one for each array") \
    X(FieldW, 8,    1, 16,                      "bits of each of a rectangle's four fields") \
    X(Sms,    15,   1, BLOCK_OVERLAP_MAX_SMS,   "SMs") \
    X(Slots,  8,    1, BLOCK_OVERLAP_MAX_SLOTS, "thread blocks that run on an SM") \
    X(IdW,    24,   1, 32,                      "bits of a thread block's number")

#define BLOCK_OVERLAP_SIDE_W(p) ((p)->Arrays * (p)->FieldW)
#define BLOCK_OVERLAP_RECTS(p) ((p)->Slots * (p)->Arrays)
#define BLOCK_OVERLAP_ROW_W(p) (BLOCK_OVERLAP_RECTS(p) * (p)->FieldW) /* at most 1024 */
#define BLOCK_OVERLAP_AREA_W(p) (2 * (p)->FieldW)
#define BLOCK_OVERLAP_PART_W(p) (BLOCK_OVERLAP_AREA_W(p) + bits_index((p)->Arrays))
#define BLOCK_OVERLAP_STAGES 5
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
    X(BIT, push_ready_o,   1,                       "there is room for a candidate; 0 while a decision is in progress or the queue closes up") \
    X(BIT, req_ready_o,    1,                       "the request starts a decision; 0 without req_valid_i, without candidates, or without a free slot") \
    X(BIT, finish_ready_o, 1,                       "no decision is in progress, and the queue does not close up") \
    X(BIT, grant_valid_o,  1,                       "the decision is over") \
    X(U32, grant_id_o,     p->IdW,                  "the thread block that was chosen; else 0") \
    X(U8,  grant_sm_o,     bits_index(p->Sms),      "its SM; else 0") \
    X(U8,  grant_slot_o,   bits_index(p->Slots),    "its slot, the lowest that is free; else 0") \
    X(U64, grant_sum_o,    BLOCK_OVERLAP_SUM_W(p),  "its overlap, with its SM's thread blocks, or with those of the others if grant_least_o; else 0") \
    X(BIT, grant_least_o,  1,                       "no candidate overlapped with its SM's thread blocks; else 0") \
    X(U8,  error_o,        2,                       "enum block_overlap_error, the first one, until reset")

#define BLOCK_OVERLAP_REG(X) \
    X(U8,    state_q,       3,                        "enum block_overlap_state") \
    X(U16,   count_q,       bits_index(p->Depth + 1), "candidates") \
    X(U16,   head_q,        bits_index(p->Depth),     "place of the oldest") \
    X(U16,   tail_q,        bits_index(p->Depth),     "place behind the youngest") \
    X(U16,   place_q,       bits_index(p->Depth),     "place of the candidate that is read; close: that is filled") \
    X(U8,    look_q,        bits_index(p->Sms),       "SM whose thread blocks are read") \
    X(BIT,   issue_q,       1,                        "candidates are left to read") \
    X(U8,    valid_q,       BLOCK_OVERLAP_STAGES,     "stages of the comparison that hold one, the last in the highest bit") \
    X(U8,    ends_q,        BLOCK_OVERLAP_STAGES,     "of these, with the last of the other SMs") \
    X(U64,   cand_x_q,      BLOCK_OVERLAP_SIDE_W(p),  "stage 0: the candidate's left sides") \
    X(U64,   cand_y_q,      BLOCK_OVERLAP_SIDE_W(p),  "its upper sides") \
    X(U64,   cand_width_q,  BLOCK_OVERLAP_SIDE_W(p),  "its widths") \
    X(U64,   cand_height_q, BLOCK_OVERLAP_SIDE_W(p),  "its heights") \
    X(U32,   row_running_q, p->Slots,                 "the SM's slots whose thread block runs") \
    X(W1024, row_x_q,       BLOCK_OVERLAP_ROW_W(p),   "left sides of its thread blocks") \
    X(W1024, row_y_q,       BLOCK_OVERLAP_ROW_W(p),   "upper sides") \
    X(W1024, row_width_q,   BLOCK_OVERLAP_ROW_W(p),   "widths") \
    X(W1024, row_height_q,  BLOCK_OVERLAP_ROW_W(p),   "heights") \
    X(U64,   sum_q,         BLOCK_OVERLAP_SUM_W(p),   "stage 4: the overlap") \
    X(U16,   at_q,          bits_index(p->Depth),     "place of its candidate") \
    X(U16,   winner_q,      bits_index(p->Depth),     "place of the best candidate before it") \
    X(U64,   best_q,        BLOCK_OVERLAP_SUM_W(p),   "overlap of that") \
    X(U64,   total_q,       BLOCK_OVERLAP_SUM_W(p),   "least: overlap of candidate at_q with the SMs before") \
    X(U8,    sm_q,          bits_index(p->Sms),       "the SM of the request") \
    X(U8,    slot_q,        bits_index(p->Slots),     "its lowest free slot") \
    X(BIT,   least_q,       1,                        "no candidate overlaps with its thread blocks") \
    X(U8,    error_q,       2,                        "enum block_overlap_error")

#define BLOCK_OVERLAP_MAX_RECTS (BLOCK_OVERLAP_MAX_SLOTS * 4)
#define BLOCK_OVERLAP_MEM(X) \
    X(U16,   across_q,     p->FieldW,               BLOCK_OVERLAP_MAX_RECTS, BLOCK_OVERLAP_RECTS(p), "stage 1: width of the intersection, at slot * Arrays + array") \
    X(U16,   down_q,       p->FieldW,               BLOCK_OVERLAP_MAX_RECTS, BLOCK_OVERLAP_RECTS(p), "its height") \
    X(U32,   area_q,       BLOCK_OVERLAP_AREA_W(p), BLOCK_OVERLAP_MAX_RECTS, BLOCK_OVERLAP_RECTS(p), "stage 2: its lines") \
    X(U64,   part_q,       BLOCK_OVERLAP_PART_W(p), BLOCK_OVERLAP_MAX_SLOTS, p->Slots, "stage 3: lines shared with the thread block of a slot") \
    X(U32,   running_q,    p->Slots,                BLOCK_OVERLAP_MAX_SMS,   p->Sms,   "slots of an SM whose thread block runs, one bit each") \
    X(U32,   id_q,         p->IdW,                  BLOCK_OVERLAP_MAX_DEPTH, p->Depth, "number of a candidate") \
    X(U64,   x_q,          BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH, p->Depth, "left sides of its rectangles") \
    X(U64,   y_q,          BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH, p->Depth, "upper sides") \
    X(U64,   width_q,      BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH, p->Depth, "widths") \
    X(U64,   height_q,     BLOCK_OVERLAP_SIDE_W(p), BLOCK_OVERLAP_MAX_DEPTH, p->Depth, "heights") \
    X(W1024, run_x_q,      BLOCK_OVERLAP_ROW_W(p),  BLOCK_OVERLAP_MAX_SMS,   p->Sms,   "left sides of the rectangles of an SM's thread blocks, slot 0 lowest, array 0 lowest in it") \
    X(W1024, run_y_q,      BLOCK_OVERLAP_ROW_W(p),  BLOCK_OVERLAP_MAX_SMS,   p->Sms,   "upper sides") \
    X(W1024, run_width_q,  BLOCK_OVERLAP_ROW_W(p),  BLOCK_OVERLAP_MAX_SMS,   p->Sms,   "widths") \
    X(W1024, run_height_q, BLOCK_OVERLAP_ROW_W(p),  BLOCK_OVERLAP_MAX_SMS,   p->Sms,   "heights")

/* Index bounds for the prover. */
#define BLOCK_OVERLAP_INVARIANT(X) \
    X(state_q,  6)             \
    X(count_q,  p->Depth + 1) \
    X(head_q,   p->Depth) \
    X(tail_q,   p->Depth) \
    X(place_q,  p->Depth) \
    X(at_q,     p->Depth) \
    X(winner_q, p->Depth) \
    X(look_q,   p->Sms) \
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
