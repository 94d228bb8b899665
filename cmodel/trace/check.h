/* SPDX-License-Identifier: Apache-2.0 */
/* The guarantees of every source, checked by every reader.  The limits keep a hostile file from requesting more
 * memory or time than its size warrants.  Units need no further checks. */
#ifndef MEMTWIN_CHECK_H
#define MEMTWIN_CHECK_H
#include <stddef.h>

#include "trace/source.h"

#define TRACE_MAX_THREADS 2048u /* per thread block */
#define TRACE_MAX_WARPS (TRACE_MAX_THREADS / WARP_SIZE)
#define TRACE_MAX_BLOCKS 0x7fffffffu /* per kernel */
#define TRACE_MAX_SHARED (16u << 20) /* bytes per thread block */
#define TRACE_MAX_ALLOCATIONS 65536u

/* Versions of the binary and the text form.  A writer uses the first that can hold the workload. */
enum {
    TRACE_VERSION_FIRST = 1,
    TRACE_VERSION_PITCH = 2, /* allocations have a pitch */
    TRACE_VERSION_RANGES = 3 /* the access ranges are in the file: binary only */
};
uint32_t trace_version(const struct source *source);

/* Each returns NULL, or an error text that follows "found" in a message. */
const char *kernel_fault(const struct kernel_info *kernel);
const char *allocation_fault(const struct allocation *allocation);
const char *name_fault(const char *name);

static inline const char *inst_mask_fault(uint8_t op, uint32_t mask, uint32_t lanes)
{
    if (mask & ~lanes) return "an active lane without a thread";
    return mask || !inst_is_memory(op) ? NULL : "no active lane";
}

static inline const char *inst_fault(const struct inst *inst, uint32_t lanes)
{
    if (inst->op >= INST_OPS) return "an unknown operation";
    const char *mask_fault = inst_mask_fault(inst->op, inst->mask, lanes);
    if (mask_fault) return mask_fault;
    if (inst_is_arithmetic(inst->op)) return inst->count ? NULL : "a run of 0 instructions";
    if (inst->op == INST_WAIT) return inst->count ? NULL : "a wait for fewer than 0 groups";
    if (inst->count != 1 && inst->op != INST_AWAIT)
        return "a count other than 1 outside sp, sfu, int, dp, tensor, wait and await";
    if (!inst_is_memory(inst->op)) return NULL;
    bool power = inst->size && !(inst->size & (inst->size - 1));
    return power && inst->size <= INST_MAX_SIZE ? NULL : "an access size other than 1, 2, 4, 8, 16 or 32";
}

/* "load" for INST_LOAD and so on: the word of the text form and of the statistics. */
const char *inst_op_name(uint8_t op);

/* Mask of the lanes that hold a thread. */
uint32_t kernel_lanes(const struct kernel_info *kernel, uint32_t warp);

/* Copies a foreign name: truncated, every non-printable or non-ASCII character replaced by '_'. */
void name_copy(char *to, size_t size, const char *from, size_t length);
/* The same for a kernel's name.  One that is too long ends in '~' and 16 digits, a digest of the whole name: kernels of
 * different names have different ones. */
void kernel_name_copy(struct kernel_info *kernel, const char *from);
/* Name of a workload that is read from a path: the escaped path.  Of a path that is too long, the end is kept. */
void name_from_path(char *to, size_t size, const char *path);

/* Adds an allocation to the source.  False and an error: invalid, too many, or out of memory. */
bool source_allocate(struct source *source, const struct allocation *allocation, const char *place, struct error *err);
#endif
