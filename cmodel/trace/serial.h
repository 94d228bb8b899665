/* SPDX-License-Identifier: Apache-2.0 */
/* A thread block warp by warp, for formats that write each warp in one piece.  A source delivers the warps interleaved
 * at barriers, so the block is encoded first and read back. */
#ifndef MEMTWIN_SERIAL_H
#define MEMTWIN_SERIAL_H
#include "trace/encoded.h"
#include "trace/walk.h"

struct serial {
    struct source *source;
    const struct kernel_info *kernel;
    uint32_t number;         /* of the kernel, from 0: for errors */
    struct encoder *encoder; /* serial_begin() makes it */
    uint64_t *insts;         /* of each warp, a run of n counted as n */
};

struct serial_visitor {
    void (*block)(void *context, uint32_t block);
    void (*warp)(void *context, uint32_t warp, uint64_t insts);
    void (*inst)(void *context, uint32_t warp, const struct inst *inst);
    void *context;
};

bool serial_begin(struct serial *s, struct source *source, const struct kernel_info *kernel, struct error *err);
/* Block `index` of the source's current kernel, which `kernel` describes. */
bool serial_block(struct serial *s, uint32_t index, const struct serial_visitor *visitor, struct error *err);
void serial_end(struct serial *s);
#endif
