/* SPDX-License-Identifier: Apache-2.0 */
/* What an MSHR file answers, the same for `mshr` and `dl_mshr` (Gu20, sections 3.2 and 3.4.4). */
#ifndef MEMTWIN_MSHR_RESULT_H
#define MEMTWIN_MSHR_RESULT_H
#include "ports.h"

/* clang-format off */
#define MSHR_RESULT(X) \
    X(MSHR_PRIMARY,   0, "a new entry or super-entry: send the miss on") \
    X(MSHR_SECONDARY, 1, "merged with an outstanding miss: send nothing") \
    X(MSHR_RF_ENTRY,  2, "refused, entry-full: nothing free for a new head") \
    X(MSHR_RF_MERGE,  3, "refused, merge-full: the line's last slot is taken and nothing can be linked") \
    X(MSHR_RF_DRAIN,  4, "refused: the line's data is back and its slots are coming out; retry, it will hit")

#define MSHR_ERROR(X) \
    X(MSHR_OK,         0, "no error") \
    X(MSHR_ERROR_FILL, 1, "a fill for a line that nobody asked for, or that is draining already")

enum mshr_result { MSHR_RESULT(ENUM_CODE) };
enum mshr_error { MSHR_ERROR(ENUM_CODE) };
/* clang-format on */
#endif
