/* SPDX-License-Identifier: Apache-2.0 */
/* One warp instruction, as every source delivers it. */
#ifndef MEMTWIN_INST_H
#define MEMTWIN_INST_H
#include <stdbool.h>
#include <stdint.h>

#define WARP_SIZE 32
#define INST_MAX_SRC 4
#define INST_MAX_SIZE 32   /* bytes per lane */
#define INST_NO_REG 255    /* absent register; real ones are 0..254 */
#define INST_MBARRIERS 256 /* of a thread block, for its warps' copies */

enum inst_op {
    INST_SP,           /* arithmetic of single and half precision; `count` in sequence */
    INST_SFU,          /* reciprocals, roots, exponentials, sines; `count` in sequence */
    INST_LOAD,         /* global memory */
    INST_STORE,        /* global memory */
    INST_ATOMIC,       /* global memory, performed at the L2; dst receives the old value if present */
    INST_SHARED_LOAD,  /* shared memory: addresses are offsets into the block's shared memory */
    INST_SHARED_STORE, /* shared memory */
    INST_BARRIER,      /* thread-block barrier */
    INST_EXIT,         /* last instruction of a warp */
    INST_LOAD_L2,      /* a load that bypasses the L1D */
    INST_COPY,         /* asynchronous copy from global to shared memory: INST_WAIT waits for it, no register does */
    INST_COPY_L2,      /* the same, bypasses the L1D */
    INST_COMMIT,       /* the warp's copies since the last one become a group */
    INST_WAIT,         /* until fewer than `count` groups of the warp have copies in flight, the latest ones */
    INST_ARRIVE,       /* at an mbarrier, as soon as the warp's copies so far that arrive at no other are complete */
    INST_AWAIT,        /* until `count` more arrivals at an mbarrier than the warp's awaits of it before have needed */
    INST_INT,          /* integers, logic, moves, branches and all else without a unit; `count` in sequence */
    INST_DP,           /* arithmetic of double precision; `count` in sequence */
    INST_TENSOR,       /* multiplies matrices; `count` in sequence */
    INST_CONST_LOAD,   /* constant memory: addresses in an address space of its own */
    INST_OPS
};

struct inst {
    uint8_t op;                /* enum inst_op */
    uint8_t dst;               /* destination register or INST_NO_REG */
    uint8_t src[INST_MAX_SRC]; /* source registers or INST_NO_REG */
    uint16_t count;            /* 1; the length of a run of arithmetic with these registers; or a wait's */
    uint8_t size; /* bytes per lane of a memory access: 1, 2, 4, 8, 16 or 32; or the number of the mbarrier */
    bool strided; /* lane l accesses base + l * stride, and `addr` is not filled: inst_fill() */
    uint32_t pc;
    uint32_t mask; /* active lanes; 0: none, not for a memory access */
    int32_t stride;
    uint64_t base;
    uint64_t addr[WARP_SIZE]; /* byte address per lane (memory only; lanes outside the mask are 0) */
};

/* The first fields of an instruction.  For arithmetic an SM reads only these and the mask. */
struct inst_head {
    uint8_t op, dst, src[INST_MAX_SRC];
    uint16_t count;
};

/* The bit of each lane in a mask.  A loop that tests them by this table becomes vector code; one that shifts does not.
 */
static const uint32_t lane_bit[WARP_SIZE] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* Arithmetic: a run of `count` instructions. */
static inline bool inst_is_arithmetic(uint8_t op)
{
    return op <= INST_SFU || (op >= INST_INT && op <= INST_TENSOR);
}

/* Issues to the SFUs where no scheduler has units of its own. */
static inline bool inst_is_sfu(uint8_t op)
{
    return op == INST_SFU || op == INST_DP;
}

/* Issues to the SP units there. */
static inline bool inst_is_sp(uint8_t op)
{
    return op == INST_SP || (op >= INST_COMMIT && op <= INST_TENSOR && op != INST_DP);
}

/* Names an mbarrier. */
static inline bool inst_has_mbarrier(uint8_t op)
{
    return op == INST_ARRIVE || op == INST_AWAIT;
}

/* A read of global memory that is no atomic. */
static inline bool inst_is_load(uint8_t op)
{
    return op == INST_LOAD || (op >= INST_LOAD_L2 && op <= INST_COPY_L2);
}

static inline bool inst_is_copy(uint8_t op)
{
    return op == INST_COPY || op == INST_COPY_L2;
}

static inline bool inst_is_global(uint8_t op)
{
    return op == INST_STORE || op == INST_ATOMIC || inst_is_load(op);
}

/* Warp instructions: the length of a run, else 1. */
static inline uint32_t inst_length(const struct inst *i)
{
    return inst_is_arithmetic(i->op) ? i->count : 1;
}

static inline bool inst_is_shared(uint8_t op)
{
    return op == INST_SHARED_LOAD || op == INST_SHARED_STORE;
}

static inline bool inst_is_memory(uint8_t op)
{
    /* Three comparisons, and no branch between them. */
    return ((unsigned)op - INST_LOAD <= INST_SHARED_STORE - INST_LOAD) |
           ((unsigned)op - INST_LOAD_L2 <= INST_COPY_L2 - INST_LOAD_L2) | (op == INST_CONST_LOAD);
}

static inline void inst_clear_inactive(struct inst *i)
{
    if (i->mask == UINT32_MAX) return;
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++) i->addr[lane] = i->mask & lane_bit[lane] ? i->addr[lane] : 0;
}

/* Fills all addresses; `at` is that of the first active lane, of which there must be one. */
static inline void inst_fill_strided(struct inst *i, uint64_t at, uint64_t stride)
{
    at -= (uint64_t)__builtin_ctz(i->mask) * stride;
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++, at += stride) i->addr[lane] = at;
    inst_clear_inactive(i);
}

/* The address of an active lane. */
static inline uint64_t inst_address(const struct inst *i, uint32_t lane)
{
    return i->strided ? i->base + lane * (uint64_t)i->stride : i->addr[lane];
}

static inline void inst_fill(struct inst *i)
{
    if (!i->strided) return;
    inst_fill_strided(i, inst_address(i, (uint32_t)__builtin_ctz(i->mask)), (uint64_t)i->stride);
    i->strided = false;
}
#endif
