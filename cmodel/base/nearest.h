/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest match to a name that does not exist: what an error message offers. */
#ifndef MEMTWIN_NEAREST_H
#define MEMTWIN_NEAREST_H
#include <stddef.h>
#include <stdint.h>

/* Levenshtein distance; a swap of two neighbours counts as one edit.  Only the first 127 characters count. */
uint32_t nearest_distance(const char *a, const char *b);

/* Index of the nearest of `count` names, the first among equals; SIZE_MAX if there is none at all.
 * name(context, i) gives the i-th name. */
size_t nearest_index(const char *word, size_t count, const char *(*name)(const void *context, size_t i),
                     const void *context);
#endif
