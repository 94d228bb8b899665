/* SPDX-License-Identifier: Apache-2.0 */
/* One warp instruction, as every source delivers it. */
#ifndef MEMTWIN_INST_H
#define MEMTWIN_INST_H
#include <stdbool.h>
#include <stdint.h>

#define WARP_SIZE 32
#define INST_MAX_SRC 4
#define INST_NO_REG 255 /* absent register; real ones are 0..254 */

enum inst_op {
    INST_SP,           /* arithmetic on the SP units; `count` in sequence */
    INST_SFU,          /* transcendental or double-rate arithmetic; `count` in sequence */
    INST_LOAD,         /* global memory */
    INST_STORE,        /* global memory */
    INST_ATOMIC,       /* global memory, performed at the L2; dst receives the old value if present */
    INST_SHARED_LOAD,  /* shared memory: addresses are offsets into the block's shared memory */
    INST_SHARED_STORE, /* shared memory */
    INST_BARRIER,      /* thread-block barrier */
    INST_EXIT,         /* last instruction of a warp */
    INST_OPS
};

struct inst {
    uint8_t op;                /* enum inst_op */
    uint8_t size;              /* bytes per lane of a memory access: 1, 2, 4, 8 or 16 */
    uint8_t dst;               /* destination register or INST_NO_REG */
    uint8_t src[INST_MAX_SRC]; /* source registers or INST_NO_REG */
    uint16_t count;            /* 1, or the length of a run of SP or SFU instructions with these registers */
    uint32_t pc;
    uint32_t mask;            /* active lanes; 0 only for a barrier or an exit */
    uint64_t addr[WARP_SIZE]; /* byte address per lane (memory only; lanes outside the mask are 0) */
};

static inline bool inst_is_global(uint8_t op)
{
    return op == INST_LOAD || op == INST_STORE || op == INST_ATOMIC;
}

static inline bool inst_is_shared(uint8_t op)
{
    return op == INST_SHARED_LOAD || op == INST_SHARED_STORE;
}

static inline bool inst_is_memory(uint8_t op)
{
    return inst_is_global(op) || inst_is_shared(op);
}

/* Fills all addresses; `at` is that of the first active lane, of which there must be one.  Mostly all are active: the
 * first loop vectorises. */
static inline void inst_fill_strided(struct inst *i, uint64_t at, uint64_t stride)
{
    at -= (uint64_t)__builtin_ctz(i->mask) * stride;
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++, at += stride) i->addr[lane] = at;
    for (uint32_t rest = ~i->mask; rest; rest &= rest - 1) i->addr[__builtin_ctz(rest)] = 0;
}
#endif
