/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the linker section in which the linked faces of blocks register themselves (twins: blocks.mk). */
#include <string.h>

#include "system/block/block_model.h"

extern const struct block_ops *const __start_memtwin_blocks[], *const __stop_memtwin_blocks[];

const struct block_ops *const *block_list(uint32_t *count)
{
    *count = (uint32_t)(__stop_memtwin_blocks - __start_memtwin_blocks);
    return __start_memtwin_blocks;
}

const struct block_ops *block_find(const char *name, const char *face)
{
    uint32_t count;
    const struct block_ops *const *list = block_list(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i]->name, name) && !strcmp(list[i]->face, face)) return list[i];
    return NULL;
}

bool block_check(const char *block, const struct param_desc *params, uint32_t count, const void *cfg, struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value;
        memcpy(&value, (const char *)cfg + params[i].offset, sizeof value);
        if (value < params[i].min || value > params[i].max)
            return error_set(err, "%s: parameter %s (%s) is %u, expected %u to %u", block, params[i].name,
                             params[i].text, value, params[i].min, params[i].max);
    }
    return true;
}
