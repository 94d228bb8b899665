/* SPDX-License-Identifier: Apache-2.0 */
/* bypass_slots: table of the bypassed requests in flight (Dai17, section 3.8).
 * The one list of its parameters, ports and registers; ports.h says how to read it. */
#ifndef MEMTWIN_BYPASS_SLOTS_PORTS_H
#define MEMTWIN_BYPASS_SLOTS_PORTS_H
#include "bits.h"
#include "ports.h"

#ifndef BYPASS_SLOTS_MAX_SLOTS
#define BYPASS_SLOTS_MAX_SLOTS 4096
#endif

/* clang-format off */
#define BYPASS_SLOTS_ERROR(X) \
    X(BYPASS_SLOTS_OK,           0, "no error") \
    X(BYPASS_SLOTS_ERROR_RETURN, 1, "data for a slot that is free or that does not exist")

#define BYPASS_SLOTS_CODES(X) X(bypass_slots_error, BYPASS_SLOTS_ERROR)
enum bypass_slots_error { BYPASS_SLOTS_ERROR(ENUM_CODE) };

#define BYPASS_SLOTS_PARAM(X) \
    X(Slots, 32, 1, BYPASS_SLOTS_MAX_SLOTS, "bypassed requests that may be in flight") \
    X(InfoW, 24, 1, 32, "bits of requester information per slot (threads, destination register)")

#define BYPASS_SLOTS_IN(X) \
    X(BIT, req_valid_i, 1,                    "a request goes around the cache") \
    X(U32, req_info_i,  p->InfoW,             "its requester; comes back with its data") \
    X(BIT, ret_valid_i, 1,                    "the data of a bypassed request has come back") \
    X(U16, ret_slot_i,  bits_index(p->Slots), "the slot that it carries")

#define BYPASS_SLOTS_OUT(X) \
    X(BIT, req_ready_o, 1,                        "there is a slot: the request is taken at this clock edge") \
    X(U16, req_slot_o,  bits_index(p->Slots),     "the slot that a taken request gets, and carries to the memory; else 0") \
    X(BIT, ret_valid_o, 1,                        "the slot that came back was taken: it is free from here on") \
    X(U32, ret_info_o,  p->InfoW,                 "its requester; else 0") \
    X(U16, used_o,      bits_index(p->Slots + 1), "slots in use") \
    X(U8,  error_o,     1,                        "enum bypass_slots_error, sticky until reset")

#define BYPASS_SLOTS_REG(X) \
    X(U16, used_q,  bits_index(p->Slots + 1), "slots in use") \
    X(U8,  error_q, 1,                        "enum bypass_slots_error")

/* busy_q are bits in bytes: compilers do not vectorise over bool. */
#define BYPASS_SLOTS_MEM(X) \
    X(U8,  busy_q, 1,        BYPASS_SLOTS_MAX_SLOTS, p->Slots, "the slot is taken") \
    X(U32, info_q, p->InfoW, BYPASS_SLOTS_MAX_SLOTS, p->Slots, "its requester")
/* clang-format on */
#endif
