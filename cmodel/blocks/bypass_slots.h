/* SPDX-License-Identifier: Apache-2.0 */
/* bypass_slots: table of the bypassed requests in flight (Dai17, section 3.8).  The only list of its parameters,
 * ports and registers; format: ports.h.  Bit-accurate twin of rtl/bypass_slots/mt_bypass_slots.sv; decisions in its
 * README. */
#ifndef MEMTWIN_BYPASS_SLOTS_H
#define MEMTWIN_BYPASS_SLOTS_H
#include "bits.h"
#include "ports.h"

#ifndef BYPASS_SLOTS_MAX_SLOTS
#define BYPASS_SLOTS_MAX_SLOTS 4096
#endif

/* clang-format off */
#define BYPASS_SLOTS_ERROR(X) \
    X(BYPASS_SLOTS_OK,           0, "no error") \
    X(BYPASS_SLOTS_ERROR_RETURN, 1, "data for a free or non-existent slot")

#define BYPASS_SLOTS_CODES(X) X(bypass_slots_error, BYPASS_SLOTS_ERROR)
enum bypass_slots_error { BYPASS_SLOTS_ERROR(ENUM_CODE) };

#define BYPASS_SLOTS_PARAM(X) \
    X(Slots, 32, 1, BYPASS_SLOTS_MAX_SLOTS, "maximum number of bypassed requests in flight") \
    X(InfoW, 24, 1, 32, "bits of requester information per slot (threads, destination register)")

#define BYPASS_SLOTS_IN(X) \
    X(BIT, req_valid_i, 1,                    "a request bypasses the cache") \
    X(U32, req_info_i,  p->InfoW,             "its requester; returned with its data") \
    X(BIT, ret_valid_i, 1,                    "the data of a bypassed request returns") \
    X(U16, ret_slot_i,  bits_index(p->Slots), "slot of the returning request")

#define BYPASS_SLOTS_OUT(X) \
    X(BIT, req_ready_o, 1,                        "a slot is free: the request is taken at this clock edge") \
    X(U16, req_slot_o,  bits_index(p->Slots),     "slot allocated to the request, sent with it to memory; else 0") \
    X(BIT, ret_valid_o, 1,                        "the returning slot was in use: it is released at this clock edge") \
    X(U32, ret_info_o,  p->InfoW,                 "requester of the returning slot; else 0") \
    X(U16, used_o,      bits_index(p->Slots + 1), "slots in use") \
    X(U8,  error_o,     1,                        "enum bypass_slots_error, sticky until reset")

#define BYPASS_SLOTS_REG(X) \
    X(U16, used_q,  bits_index(p->Slots + 1), "slots in use") \
    X(U8,  error_q, 1,                        "enum bypass_slots_error")

/* Bytes, not bool: compilers do not vectorise over bool. */
#define BYPASS_SLOTS_MEM(X) \
    X(U8,  busy_q, 1,        BYPASS_SLOTS_MAX_SLOTS, p->Slots, "the slot is in use") \
    X(U32, info_q, p->InfoW, BYPASS_SLOTS_MAX_SLOTS, p->Slots, "its requester")
/* clang-format on */

struct bypass_slots_cfg {
    BYPASS_SLOTS_PARAM(PARAM_FIELD)
};
struct bypass_slots_in {
    BYPASS_SLOTS_IN(PORT_FIELD)
};
struct bypass_slots_out {
    BYPASS_SLOTS_OUT(PORT_FIELD)
};
struct bypass_slots {
    struct bypass_slots_cfg p;
    BYPASS_SLOTS_REG(PORT_FIELD)
    BYPASS_SLOTS_MEM(MEM_FIELD)
};

void bypass_slots_init(struct bypass_slots *m, const struct bypass_slots_cfg *cfg); /* cfg must be legal; resets */
void bypass_slots_reset(struct bypass_slots *m);
void bypass_slots_eval(const struct bypass_slots *m, const struct bypass_slots_in *in, struct bypass_slots_out *out);
void bypass_slots_tick(struct bypass_slots *m, const struct bypass_slots_in *in);
bool bypass_slots_idle(const struct bypass_slots *m);            /* ticks without valid inputs change nothing */
void bypass_slots_skip(struct bypass_slots *m, uint64_t cycles); /* as many such ticks */
#endif
