/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/block_overlap/mt_block_overlap.sv; decisions in rtl/block_overlap/README.md. */
#ifndef MEMTWIN_BLOCK_OVERLAP_H
#define MEMTWIN_BLOCK_OVERLAP_H
#include "block_overlap_ports.h"

struct block_overlap_cfg {
    BLOCK_OVERLAP_PARAM(PARAM_FIELD)
};
struct block_overlap_in {
    BLOCK_OVERLAP_IN(PORT_FIELD)
};
struct block_overlap_out {
    BLOCK_OVERLAP_OUT(PORT_FIELD)
};
struct block_overlap {
    struct block_overlap_cfg p;
    BLOCK_OVERLAP_REG(PORT_FIELD)
    BLOCK_OVERLAP_MEM(MEM_FIELD)
};

void block_overlap_init(struct block_overlap *m, const struct block_overlap_cfg *cfg); /* cfg must be legal; resets */
void block_overlap_reset(struct block_overlap *m);
void block_overlap_eval(const struct block_overlap *m, const struct block_overlap_in *in,
                        struct block_overlap_out *out);
void block_overlap_tick(struct block_overlap *m, const struct block_overlap_in *in);
bool block_overlap_idle(const struct block_overlap *m);            /* ticks without valid inputs change nothing */
void block_overlap_skip(struct block_overlap *m, uint64_t cycles); /* as many such ticks */
#endif
