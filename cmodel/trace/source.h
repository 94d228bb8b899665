/* SPDX-License-Identifier: Apache-2.0 */
/* A workload from any origin: a built-in kernel, a binary trace, Accel-Sim traces, or text.  Kernels are read in
 * order.  Thread blocks of the current kernel may be opened in any order, several at a time.  Warps of an open block
 * may be read in any interleaving, except past a barrier that another warp of the block has not reached.  Memory is
 * bounded by the open blocks. */
#ifndef MEMTWIN_SOURCE_H
#define MEMTWIN_SOURCE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/inst.h"

struct kernel_info {
    char name[64];
    uint32_t grid[3], block[3]; /* thread blocks; threads */
    uint32_t regs_per_thread;
    uint32_t shared_bytes; /* per thread block */
    uint64_t stream;       /* 0: the default stream, also of a source without streams */
};

struct allocation {
    char name[32];
    uint64_t addr, bytes;
    uint64_t pitch; /* bytes from a row to the next of a two-dimensional array; 0: one-dimensional */
};

static inline uint32_t kernel_blocks(const struct kernel_info *k)
{
    return k->grid[0] * k->grid[1] * k->grid[2];
}

static inline uint32_t kernel_threads(const struct kernel_info *k)
{
    return k->block[0] * k->block[1] * k->block[2];
}

static inline uint32_t kernel_warps(const struct kernel_info *k) /* per thread block */
{
    return (kernel_threads(k) + WARP_SIZE - 1) / WARP_SIZE;
}

/* The kernels of a workload as its host program launches them. */
struct kernel_launch {
    uint64_t stream;
    uint32_t copies; /* between host and device, of the whole workload, in front of it */
};

/* Bytes that the host copies to the device in front of a kernel, which is numbered from 0. */
struct host_copy {
    uint64_t addr, bytes;
    uint32_t kernel;
};

struct launches {
    struct kernel_launch *list;
    uint32_t count;
};

enum source_status { SOURCE_ERROR = -1, SOURCE_END = 0, SOURCE_OK = 1 };

struct source;
struct ranges;
struct block_stream; /* one open thread block */

struct source_ops {
    /* Advances to the next kernel (the first, at the start).  All blocks of the previous one must be closed. */
    enum source_status (*next_kernel)(struct source *s, struct kernel_info *info, struct error *err);
    /* Opens thread block `index` (x fastest) of the current kernel; NULL and an error on failure. */
    struct block_stream *(*open_block)(struct source *s, uint32_t index, struct error *err);
    /* The next instruction of a warp, which may be strided (inst.h); SOURCE_END after INST_EXIT. */
    enum source_status (*next_inst)(struct block_stream *b, uint32_t warp, struct inst *inst, struct error *err);
    void (*close_block)(struct block_stream *b);
    void (*close)(struct source *s);
    /* Where the address of what next_inst() reads next for this warp is, for prefetches into the host's cache.
     * Optional. */
    const uint8_t *const *(*reader)(const struct block_stream *b, uint32_t warp);
    /* Reads a run of the warp's next instructions.  All are arithmetic with the same mask, which it sets.
     * Returns the length of the run, at most 255; 0: next_inst() reads the next instruction.  `heads` stays valid until
     * the thread block is closed.  Optional. */
    uint32_t (*next_heads)(struct block_stream *b, uint32_t warp, const struct inst_head **heads, uint32_t *mask);
};

/* Base of every source: the first member of its struct. */
struct source {
    const struct source_ops *ops;
    char name[256];                 /* workload, with its sizes */
    char identity[65];              /* hex digest, or name and parameters: the trace's identity in JSON */
    struct allocation *allocations; /* of the whole workload; owned by the source */
    uint32_t allocation_count;
    struct host_copy *copies; /* in order; owned by the source.  NULL: each allocation, in front of the first kernel */
    uint32_t copy_count;
    /* Access ranges that the file holds (ranges.h); NULL: it holds none.  Needs no kernel to be read before. */
    bool (*read_ranges)(struct source *s, struct ranges *r, struct error *err);
    /* Lists all kernels, before the first is read; the caller frees `list`.  NULL: all kernels are of one stream. */
    bool (*launches)(struct source *s, struct launches *launches, struct error *err);
    /* next_kernel() goes on with this one, from 0.  With launches(). */
    void (*skip_to)(struct source *s, uint32_t kernel);
};

/* The next instruction of a warp, with the addresses of all lanes. */
static inline enum source_status source_next_inst(const struct source *s, struct block_stream *b, uint32_t warp,
                                                  struct inst *inst, struct error *err)
{
    const enum source_status status = s->ops->next_inst(b, warp, inst, err);
    if (status == SOURCE_OK) inst_fill(inst);
    return status;
}
#endif
