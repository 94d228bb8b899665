/* SPDX-License-Identifier: Apache-2.0 */
#include "system/unit/pool.h"

#include <stdlib.h>

bool pool_grow(struct pool *p, uint32_t size)
{
    uint32_t *list = realloc(p->free, size * sizeof *list);
    if (!list) return false;
    p->free = list;
    for (uint32_t i = size; i-- > p->size;) p->free[p->left++] = i;
    p->size = size;
    return true;
}

void pool_free(struct pool *p)
{
    free(p->free);
}
