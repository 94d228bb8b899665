/* SPDX-License-Identifier: Apache-2.0 */
#include "system/block/block_rows.h"

#include <stdio.h>
#include <string.h>

void block_rows_add(struct block_rows *r, const struct block_ops *face, const void *cfg, const char *unit)
{
    struct block_row new = {.block = face->name, .units = 1};
    block_parameters(face, cfg, new.parameters);
    snprintf(new.unit, sizeof new.unit, "%s", unit);
    for (uint32_t i = 0; i < r->count; i++) {
        struct block_row *old = &r->row[i];
        if (strcmp(old->block, new.block) || strcmp(old->parameters, new.parameters)) continue;
        old->units++;
        return;
    }
    if (r->count < BLOCK_ROWS) r->row[r->count++] = new;
}
