/* SPDX-License-Identifier: Apache-2.0 */
/* Spelling suggestions: the known name nearest to an unknown one. */
#ifndef MEMTWIN_NEAREST_H
#define MEMTWIN_NEAREST_H
#include <stddef.h>
#include <stdint.h>

/* Levenshtein distance; swapping two neighbours counts as one edit.  Only the first 127 characters count. */
uint32_t nearest_distance(const char *a, const char *b);

/* Index of the nearest of `count` names: the shortest that begins with the word, else the one with the fewest edits;
 * ties: lowest index.  SIZE_MAX if none is near: more than half of the longer one's characters differ.  name(context,
 * i) returns the i-th name. */
size_t nearest_index(const char *word, size_t count, const char *(*name)(const void *context, size_t i),
                     const void *context);

enum { NEAREST_TEXT = 192 };
/* "; the nearest is NAME", or nothing if none is near.  Returns `text`. */
const char *nearest_text(char text[NEAREST_TEXT], const char *word, size_t count,
                         const char *(*name)(const void *context, size_t i), const void *context);
#endif
