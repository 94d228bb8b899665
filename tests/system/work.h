/* SPDX-License-Identifier: Apache-2.0 */
/* A workload for tests of block partitions: each thread block can be recognised by the line that it writes. */
#ifndef TESTS_WORK_H
#define TESTS_WORK_H
#include "system/bench.h"

/* A thread block stores to a line that names it, then each warp issues `length` SPs, 10 cycles each. */
struct work {
    uint32_t id, length;
};

static inline struct inst works(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct work *k = p->context;
    struct inst chain = inst_of(INST_SP, 1, 1);
    chain.count = (uint16_t)k->length;
    if (n == 0 && warp == 0) return inst_line(INST_STORE, INST_NO_REG, k->id << 16 | block);
    return n < 2 ? chain : inst_exit();
}

static inline struct program work_of(const struct work *k, uint32_t blocks, uint32_t warps)
{
    struct program p = program_of(blocks, warps, works);
    p.context = k;
    return p;
}
#endif
