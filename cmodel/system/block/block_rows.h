/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a machine as a list: units whose blocks have the same parameters share a row. */
#ifndef MEMTWIN_BLOCK_ROWS_H
#define MEMTWIN_BLOCK_ROWS_H
#include "system/block/block_ops.h"

enum { BLOCK_ROWS = 64, BLOCK_UNIT = 32 };

struct block_rows {
    struct block_row {
        const char *block;
        char parameters[BLOCK_PARAMETERS];
        char unit[BLOCK_UNIT]; /* the first one, "l1d.0" */
        uint32_t units;
    } row[BLOCK_ROWS];
    uint32_t count;
};

/* Adds a block of a unit; the arguments are those of observer.block. */
void block_rows_add(struct block_rows *r, const struct block_ops *face, const void *cfg, const char *unit);
#endif
