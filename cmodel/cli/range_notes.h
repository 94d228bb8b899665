/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that the ranges of a workload leave out, as a line for the user. */
#ifndef MEMTWIN_RANGE_NOTES_H
#define MEMTWIN_RANGE_NOTES_H
#include "trace/ranges.h"

/* The caller frees it; NULL: nothing is left out. */
char *range_note(const struct ranges *r, enum range_rule rule);
#endif
