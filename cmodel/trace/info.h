/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a workload, counted instruction by instruction. */
#ifndef MEMTWIN_INFO_H
#define MEMTWIN_INFO_H
#include "trace/accelsim.h"
#include "trace/source.h"
#include "trace/walk.h"

#define INFO_LINE 128u                 /* bytes of a cache line */
#define INFO_MAX_LINES (2 * WARP_SIZE) /* maximum lines per instruction: two per lane */

struct trace_counts {
    uint64_t kernels, thread_blocks, warps;
    uint64_t warp_instructions;   /* a run of arithmetic counts its length */
    uint64_t memory_instructions; /* global: loads, stores and atomics */
    uint64_t lines;               /* 128 B lines that the lanes of each global instruction touch, summed */
    uint64_t bytes;               /* requested by the lanes of global instructions */
    uint64_t merged_lanes;    /* lanes of global atomics at a word of an earlier lane: of one access, all the same */
    uint64_t by_op[INST_OPS]; /* warp instructions */
};

struct trace_info {
    char name[256], identity[65], digest[65]; /* digest: of the contents, independent of the file format */
    struct allocation *allocations;
    uint32_t allocation_count;
    uint64_t allocated; /* bytes */
    struct trace_counts total;
    struct kernel_counts {
        struct kernel_info info;
        struct trace_counts counts;
    } * kernels;
    uint64_t distinct_lines; /* of global memory, over the whole workload */
    bool accelsim;           /* `unmapped` is valid */
    struct accelsim_counts unmapped;
};

/* Reads all of the source, which stays owned by the caller.  False and an error if it fails, or if a binary trace's
 * identity is not the digest of its contents.  info_free() in any case. */
bool info_collect(struct source *source, struct trace_info *info, const struct trace_progress *progress,
                  struct error *err);
void info_free(struct trace_info *info);

/* Distinct line numbers of the active lanes of a memory instruction; returns their count. */
uint32_t info_coalesce(const struct inst *inst, uint64_t lines[INFO_MAX_LINES]);
#endif
