/* SPDX-License-Identifier: Apache-2.0 */
#include "system/unit/pool.h"

#include <stdlib.h>

bool pool_grow(struct pool *p, uint32_t size)
{
    uint32_t *list = realloc(p->free, size * sizeof *list);
    if (!list) return false;
    p->free = list;
    const uint32_t more = size - p->size;
    list += p->left;
    for (uint32_t i = 0; i < more; i++) list[i] = size - 1 - i;
    p->left += more;
    p->size = size;
    return true;
}

void pool_free(struct pool *p)
{
    free(p->free);
}
