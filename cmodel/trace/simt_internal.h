/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the SIMT layer: warps, thread blocks and their workload. */
#ifndef MEMTWIN_SIMT_INTERNAL_H
#define MEMTWIN_SIMT_INTERNAL_H
#include <stddef.h>

#include "trace/coroutine.h"
#include "trace/kernels.h"
#include "trace/simt.h"

#define SIMT_DEPTH 32     /* nested SIMT_IF and SIMT_WHILE */
#define SIMT_MAX_REGS 248 /* of a thread; predicates follow */
#define SIMT_PREDICATES 7
#define SIMT_MIN_TEMPS 3 /* registers left for temporaries after variables */
#define SIMT_BATCH 2048  /* bytes of instructions that a warp records before it pauses: 12 to 85 instructions */

/* A recorded instruction: struct inst up to its addresses; a memory access adds a base and 32 offsets. */
struct record_head {
    uint8_t op, dst, src[INST_MAX_SRC];
    uint16_t count;
    uint8_t size;
    uint32_t pc, mask;
};
#define RECORD_HEAD sizeof(struct record_head)
_Static_assert(RECORD_HEAD <= offsetof(struct inst, addr) &&
                   offsetof(struct record_head, mask) == offsetof(struct inst, mask),
               "it is copied to an instruction as bytes");
struct record_addr {
    uint64_t base;
    uint32_t offset[WARP_SIZE];
};

enum warp_state { WARP_NEW, WARP_READY, WARP_AT_BARRIER, WARP_DONE, WARP_FAILED };
enum frame_kind { FRAME_IF, FRAME_ELSE, FRAME_LOOP };

struct frame {
    uint32_t saved; /* mask after the end of the statement */
    uint32_t lanes; /* IF: lanes of the ELSE; LOOP: lanes that still iterate */
    uint8_t kind, variables;
    bool entered;
};

struct warp {
    uint8_t *data; /* recorded and unread: [head, tail) */
    uint32_t head, tail, capacity, pause_at;
    enum warp_state state;
    bool record;
    struct block_stream *block;
    const struct launch *launch;
    uint32_t index;              /* in its thread block */
    uint32_t mask, alive, lanes; /* active now; not returned; of the launch */
    uint32_t depth, else_depth, else_mask;
    struct frame frames[SIMT_DEPTH];

    int variables, next_temp, next_predicate;
    struct simt_reg fresh; /* destination of the last instruction, which vvar and vset may redirect */
    struct record_head *fresh_record;
    uint16_t generation[256];
    uint32_t shared_next;
    struct coroutine co;
};

struct block_stream {
    struct host *host;
    struct block_stream *next_free;
    uint32_t at[3];
    uint32_t warps, waiting, done; /* waiting: at the barrier */
    uint8_t *shared;
    struct warp warp[];
};

/* Memory with the lifetime of the source. */
struct host_memory {
    struct host_memory *next;
    uint64_t bytes;
    _Alignas(16) uint8_t data[];
};

/* The workload: the reader's source and the host program's state. */
struct host {
    struct source source;
    const struct kernel_def *def;
    int values[KERNEL_MAX_OPTIONS];
    struct kernel_common common;
    uint32_t wanted; /* launches so far of the kernel common.only, or of all */
    struct rng rng;
    struct error error;

    void *state;
    struct host_memory *memory;
    struct simt_array *arrays[64];
    uint32_t array_count;
    uint64_t next_addr, next_constant;

    struct coroutine co;
    struct stack_pool stacks, host_stacks;
    bool launched_before, ahead, finished, verified; /* ahead: a launch is pending that next_kernel has not returned */
    bool left; /* the host program ended at the first launch beyond common.launches */
    struct launch launch;
    struct kernel_info info;
    bool record;
    uint32_t open_blocks;
    struct block_stream *free_blocks;
    uint32_t free_warps; /* warps of each of the free blocks */
};

/* Warps. */
void warp_run(struct warp *w, uint32_t pause_at);
void warp_reset(struct warp *w);
void warp_fail(struct warp *w, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Registers and recording; no-ops if no lane is active. */
struct simt_reg reg_temp(struct warp *w);
struct simt_reg reg_predicate(struct warp *w);
void emit(struct warp *w, uint32_t pc, uint8_t op, struct simt_reg dst, const struct simt_reg *src, int count);
struct record_addr *emit_memory(struct warp *w, uint32_t pc, uint8_t op, uint32_t size, struct simt_reg dst,
                                const struct simt_reg *src, int count);
struct simt_reg emit_value(struct warp *w, uint32_t pc, uint8_t op, const struct simt_reg *src, int count);
void repeat_last(struct warp *w, uint16_t count); /* the last arithmetic instruction stands for a run of `count` */

/* The workload. */
struct host *host_open(const struct kernel_def *def, const int *values, const struct kernel_common *common,
                       uint64_t seed, struct error *err);
bool host_resume(struct host *h);
#endif
