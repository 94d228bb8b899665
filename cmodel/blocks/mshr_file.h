/* SPDX-License-Identifier: Apache-2.0 */
/* Ports and results of an MSHR file, common to `mshr` and `dl_mshr` (Gu20, sections 3.2 and 3.4.4).  Both obey one
 * protocol, so a cache, its testbench and its scenarios serve either. */
#ifndef MEMTWIN_MSHR_FILE_H
#define MEMTWIN_MSHR_FILE_H
#include "ports.h"

/* clang-format off */
#define MSHR_RESULT(X) \
    X(MSHR_PRIMARY,   0, "a new entry or super-entry: send the miss to memory") \
    X(MSHR_SECONDARY, 1, "merged with an outstanding miss: send nothing") \
    X(MSHR_RF_ENTRY,  2, "refused, entry-full: no free entry or set for a new head") \
    X(MSHR_RF_MERGE,  3, "refused, merge-full: the line's slots are full and no set can be linked") \
    X(MSHR_RF_DRAIN,  4, "refused: the line's data has returned and its slots are draining; the retry will hit")

#define MSHR_ERROR(X) \
    X(MSHR_OK,         0, "no error") \
    X(MSHR_ERROR_FILL, 1, "a fill for a line without an outstanding miss, or one that is already draining")

enum mshr_result { MSHR_RESULT(ENUM_CODE) };
enum mshr_error { MSHR_ERROR(ENUM_CODE) };

#define MSHR_FILE_IN(X) \
    X(BIT,   req_valid_i,   1,                       "a miss requests a slot") \
    X(U64,   req_addr_i,    p->AddrW,                "its line address") \
    X(U32,   req_info_i,    p->InfoW,                "its requester; returned on the drain port") \
    X(BIT,   req_write_i,   1,                       "the request is a write") \
    X(W1024, req_data_i,    bits_max(p->DataW, 1),   "its write data") \
    X(BIT,   fill_valid_i,  1,                       "the data of a line returns (RET)") \
    X(U64,   fill_addr_i,   p->AddrW,                "its line address") \
    X(BIT,   drain_ready_i, 1,                       "the drained slot is taken")

/* Units: the parameter that counts entries, or sets of slots.  reserved_width: of free_reserved_o. */
#define MSHR_FILE_OUT(X, Units, reserved_width) \
    X(BIT,   req_ready_o,     1,                        "the request is taken at this clock edge") \
    X(BIT,   rsp_valid_o,     1,                        "result of the oldest unanswered request") \
    X(U8,    rsp_result_o,    3,                        "enum mshr_result") \
    X(U16,   rsp_set_o,       bits_index(p->Units),     "entry or set that took the request; 0 when refused") \
    X(BIT,   fill_ready_o,    1,                        "the fill is taken at this clock edge") \
    X(BIT,   drain_valid_o,   1,                        "a drained slot is offered") \
    X(U64,   drain_addr_o,    p->AddrW,                 "its line address") \
    X(U32,   drain_info_o,    p->InfoW,                 "its requester") \
    X(BIT,   drain_write_o,   1,                        "the drained request was a write") \
    X(W1024, drain_data_o,    bits_max(p->DataW, 1),    "its write data") \
    X(BIT,   drain_last_o,    1,                        "the last slot of this line") \
    X(U16,   free_o,          bits_index(p->Units + 1), "free entries, or sets that are not reserved (nFreeSet)") \
    X(U16,   free_reserved_o, reserved_width,           "free reserved sets; 0 if none are reserved") \
    X(U16,   used_slots_o,    bits_index(p->Units * p->Slots + 1), "occupied slots") \
    X(U8,    error_o,         2,                        "enum mshr_error, sticky until reset")
/* clang-format on */
#endif
