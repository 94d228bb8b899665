/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the linker section where the twins register (blocks.mk); RTL is loaded at run time. */
#include <stdio.h>
#include <string.h>

#include "system/block/block_model.h"
#include "system/block/rtl_set.h"

extern const struct block_ops *const __start_memtwin_blocks[], *const __stop_memtwin_blocks[];

const struct block_ops *const *block_list(uint32_t *count)
{
    *count = (uint32_t)(__stop_memtwin_blocks - __start_memtwin_blocks);
    return __start_memtwin_blocks;
}

const struct block_ops *block_find(const char *name)
{
    uint32_t count;
    const struct block_ops *const *list = block_list(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i]->name, name)) return list[i];
    return NULL;
}

/* A static program loads nothing, so build/memtwin is linked without lib/rtl_load.c. */
#pragma weak rtl_find
#pragma weak rtl_find_own

bool block_loads_rtl(void)
{
    return rtl_find;
}

static const struct block_ops *only_twins(const char *name, struct error *err)
{
    error_set(err, "%s: found no RTL in this program, which has only twins; build/memtwin-rtl loads RTL", name);
    return NULL;
}

const struct block_ops *block_face(const char *name, const char *rtl_folder, const void *cfg, struct error *err)
{
    if (!rtl_folder) return block_find(name);
    if (block_loads_rtl()) return rtl_find(rtl_folder, name, cfg, err);
    return only_twins(name, err);
}

const struct block_ops *block_own_face(const char *name, const char *path, const void *cfg, struct error *err)
{
    return block_loads_rtl() ? rtl_find_own(path, name, cfg, err) : only_twins(name, err);
}

bool block_in_list(const char *list, const char *block, char path[BLOCK_PATH])
{
    const size_t n = strlen(block);
    for (; list && *list; list += strcspn(list, ","), list += *list == ',') {
        if (strcspn(list, "=,") != n || memcmp(list, block, n)) continue;
        const char *at = list + n + (list[n] == '=');
        snprintf(path, BLOCK_PATH, "%.*s", (int)strcspn(at, ","), at);
        return true;
    }
    return false;
}

void block_parameters(const struct block_ops *ops, const void *cfg, char text[BLOCK_PARAMETERS])
{
    struct param_desc d[64];
    const uint32_t count = ops->params(NULL) <= 64 ? ops->params(d) : 0;
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count && n < BLOCK_PARAMETERS; i++) {
        uint32_t value;
        memcpy(&value, (const char *)cfg + d[i].offset, sizeof value);
        n += (size_t)snprintf(text + n, BLOCK_PARAMETERS - n, "%s%s=%u", i ? " " : "", d[i].name, value);
    }
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
