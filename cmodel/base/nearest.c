/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

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

size_t nearest_index(const char *word, size_t count, const char *(*name)(const void *context, size_t i),
                     const void *context)
{
    size_t best = SIZE_MAX;
    uint32_t distance = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        uint32_t d = nearest_distance(word, name(context, i));
        if (d < distance) distance = d, best = i;
    }
    return best;
}
