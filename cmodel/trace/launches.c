/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/launches.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t *launches_streams(const struct launches *l, uint32_t *count)
{
    uint64_t *list = malloc((l->count + 1u) * sizeof *list);
    *count = 0;
    if (!list) return NULL;
    for (uint32_t i = 0; i < l->count; i++) list[i] = l->list[i].stream;
    qsort(list, l->count, sizeof *list, by_number);
    for (uint32_t i = 0; i < l->count; i++)
        if (!*count || list[*count - 1] != list[i]) list[(*count)++] = list[i];
    return list;
}

bool launches_barrier(const struct launches *l, uint32_t kernel)
{
    const struct kernel_launch *before = &l->list[kernel - 1], *after = &l->list[kernel];
    return before->copies != after->copies || !before->stream || !after->stream;
}
