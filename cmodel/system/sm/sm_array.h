/* SPDX-License-Identifier: Apache-2.0 */
/* The SMs: warps, schedulers, scoreboard, LSU with coalescer and L1D, and the dispatch of thread blocks to them. */
#ifndef MEMTWIN_SM_ARRAY_H
#define MEMTWIN_SM_ARRAY_H
#include "system/unit/gpu.h"
#include "system/unit/port.h"
#include "system/stats/workload_stats.h"
#include "trace/ranges.h"
#include "trace/source.h"
#include "trace/warp_ranges.h"

struct sm_array;
struct translate;

/* The workloads, which share every SM. */
struct sm_workloads {
    struct source *source[MAX_WORKLOADS];
    uint32_t count;
    /* Of the one workload, whose kernels are of several streams: up to `lanes` run at once, at least two.  NULL: its
     * kernels run one after the other. */
    const struct launches *launches;
    uint32_t lanes;
    const struct ranges *ranges[MAX_WORKLOADS]; /* of each; NULL unless sm_array_needs_ranges() */
    /* With cke.cycles: a new source for a workload that has ended, or NULL and an error.  The previous source is no
     * longer used.  May be NULL: no restart. */
    struct source *(*restart)(void *context, uint32_t workload, struct error *err);
    /* With launches: a source whose next kernel is this one, for a lane.  Its previous source is no longer used. */
    struct source *(*kernel)(void *context, uint32_t lane, uint32_t kernel, struct error *err);
    void *context;
    struct workload_stats *stats; /* of each, written by sm_array_sync(); NULL: not wanted */
    /* A kernel of the first workload starts in this cycle.  May be NULL. */
    void (*kernel_starts)(void *machine, const struct kernel_info *kernel);
    void (*kernel_over)(void *machine, const struct kernel_run *run); /* with launches; may be NULL */
    void (*copied)(void *machine, const struct host_copy *copy); /* with l2.host_copies, from the host; else NULL */
    void *machine;
};

/* Whether the block dispatch or the warp scheduler reads access ranges. */
bool sm_array_needs_ranges(const struct config *c);
/* Whether the warp scheduler reads those of each warp, and as what. */
bool sm_array_warp_rules(const struct config *c, struct warp_range_rules *rules);
struct sm_array *sm_array_create(struct env *env, const struct sm_workloads *workloads, struct error *err);
void sm_array_destroy(struct sm_array *a);
/* Connects the memory; sm_array_client() returns the memory's callbacks. */
struct memory_client sm_array_client(struct sm_array *a);
void sm_array_connect(struct sm_array *a, const struct memory_port *port);
/* Unified memory: functions of translate.h that the SMs use, and its callbacks (as in struct translate_client). */
bool sm_array_translate(struct sm_array *a, struct translate *shared, struct error *err);
void sm_array_answer(struct sm_array *a, uint32_t sm, uint32_t page);
uint32_t sm_array_unmap(struct sm_array *a, uint32_t page);
void sm_array_drop(struct sm_array *a, uint64_t line); /* drops the line from every L1D */
/* One SM cycle (env->sm_cycle): the next kernel if the last is over, dispatch, then every SM that is awake (all of
 * them without sim.skip).  False and an error if the source fails or a rule is broken. */
bool sm_array_tick(struct sm_array *a, struct error *err);
uint64_t sm_array_wake(const struct sm_array *a);
/* No kernel left, nothing in flight in the SMs or below. */
bool sm_array_done(const struct sm_array *a);
/* Thread blocks finished of those in the current kernel, for progress: 0..1. */
double sm_array_share(const struct sm_array *a);
/* Counters of all cycles below `cycles`. */
void sm_array_sync(struct sm_array *a, uint64_t cycles);
/* Catches up counters to env->sm_cycle, and checks this side's conservation laws. */
bool sm_array_finish(struct sm_array *a, struct error *err);
/* Error message of a deadlocked run:  `what`, then the waiting units.  Returns false. */
bool sm_array_explain(const struct sm_array *a, const char *what, struct error *err);
#endif
