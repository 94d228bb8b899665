/* SPDX-License-Identifier: Apache-2.0 */
/* Results of an MSHR file, common to `mshr` and `dl_mshr` (Gu20, sections 3.2 and 3.4.4). */
#ifndef MEMTWIN_MSHR_RESULT_H
#define MEMTWIN_MSHR_RESULT_H
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
/* clang-format on */
#endif
