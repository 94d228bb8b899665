/* SPDX-License-Identifier: Apache-2.0 */
/* Spelling suggestions: the known name nearest to an unknown one. */
#ifndef MEMTWIN_NEAREST_H
#define MEMTWIN_NEAREST_H
#include <stddef.h>
#include <stdint.h>

/* Levenshtein distance; swapping two neighbours counts as one edit.  Only the first 127 characters count. */
uint32_t nearest_distance(const char *a, const char *b);

/* Index of the nearest of `count` names; ties: lowest index; SIZE_MAX if count is 0.  name(context, i) returns the
 * i-th name. */
size_t nearest_index(const char *word, size_t count, const char *(*name)(const void *context, size_t i),
                     const void *context);
#endif
