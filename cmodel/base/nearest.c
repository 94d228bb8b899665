/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 127

static uint32_t min2(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t nearest_distance(const char *a, const char *b)
{
    size_t n = strnlen(a, LONGEST), m = strnlen(b, LONGEST);
    uint32_t rows[3][LONGEST + 1]; /* distances of a[0..i-2], a[0..i-1] and a[0..i] to every start of b */
    for (size_t j = 0; j <= m; j++) rows[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = min2(min2(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min2(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

/* Edits to a name that the word begins are fewer than any others, and a name too far away has none. */
static uint32_t edits(const char *word, const char *name)
{
    const size_t n = strlen(word), m = strlen(name);
    if (n > 1 && !strncmp(word, name, n)) return 0;
    const uint32_t d = nearest_distance(word, name);
    return 2 * d <= (n > m ? n : m) + 1 ? d : UINT32_MAX;
}

size_t nearest_index(const char *word, size_t count, const char *(*name)(const void *context, size_t i),
                     const void *context)
{
    size_t best = SIZE_MAX;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *other = name(context, i);
        const uint32_t d = edits(word, other);
        const bool shorter = !d && !least && strlen(other) < strlen(name(context, best));
        if (d < least || shorter) least = d, best = i;
    }
    return best;
}

const char *nearest_text(char text[NEAREST_TEXT], const char *word, size_t count,
                         const char *(*name)(const void *context, size_t i), const void *context)
{
    const size_t i = nearest_index(word, count, name, context);
    text[0] = 0;
    if (i != SIZE_MAX) snprintf(text, NEAREST_TEXT, "; the nearest is %s", name(context, i));
    return text;
}
