/* SPDX-License-Identifier: Apache-2.0 */
/* A workload in execution, and its thread blocks on the SMs. */
#ifndef MEMTWIN_WORKLOAD_H
#define MEMTWIN_WORKLOAD_H
#include "system/stats/workload_stats.h"
#include "trace/ranges.h"
#include "trace/source.h"

/* Concurrent workloads must not share lines: three address bits distinguish them.  Addresses of one workload may differ
 * in these bits, too (0x10000000, 0x7f0000000000): each pattern gets its own space (share.c). */
enum { ADDRESS_SPACES = 8, NO_SPACE = 255 };

/* A workload in execution: its kernels one after the other. */
struct workload {
    struct source *source;
    uint32_t number;
    struct workload_stats stats; /* these, the writes and the spaces: kept only if sm_array.apart */
    uint64_t writes;             /* line accesses of stores issued and not acknowledged */
    uint8_t space[ADDRESS_SPACES];
    struct kernel_info kernel;
    uint32_t copied;             /* copies from the host that have been made */
    uint32_t kernels_started;    /* since the workload's start, or its last restart */
    const struct ranges *ranges; /* NULL: no policy reads them */
    bool waits;                  /* until it is scheduled: cke.concurrent */
    bool running, done;
    bool dispatch; /* state changed since the last failed dispatch */
    uint32_t blocks, next_block, finished_blocks, block_warps, block_registers;
    uint64_t launched; /* first cycle in which its thread blocks may start: sm.launch_cycles */
    uint32_t at_once;  /* thread blocks on an SM, for its split (split.h) */
    uint32_t together; /* consecutive thread blocks dispatched to one SM at once, within its limit */
    uint32_t next_sm;  /* SM at which dispatch continues */
};

/* Scheduled now (cke.concurrent) and not finished. */
static inline bool workload_is_here(const struct workload *k)
{
    return !k->waits && !k->done;
}

/* The current kernel's number in the access ranges.  False: they have none.  A host program that depends on results may
 * launch other kernels than in the pass that collected them. */
static inline bool workload_in_ranges(const struct workload *k, uint32_t *kernel)
{
    const struct ranges *r = k->ranges;
    *kernel = k->kernels_started - 1;
    return r && *kernel < r->kernel_count && kernel_blocks(&r->kernels[*kernel].info) == k->blocks;
}

struct thread_block {
    struct workload *workload;
    struct block_stream *stream; /* NULL: a free slot */
    uint32_t number;             /* in its grid */
    uint32_t unfinished;         /* warps that have not exited or still wait for loads */
    uint32_t running;            /* warps that have not exited */
    uint32_t arrived;            /* warps at the barrier */
    uint32_t awaiting;           /* warps that wait at an mbarrier */
    uint32_t arrivals;           /* at mbarriers, whose copies are in flight */
    uint32_t slot;               /* slot number on the SM, used by the dispatcher */
    bool around;                 /* its reads bypass the L1D: l1d.bypass.mode = learner, blocks */
};

#endif
