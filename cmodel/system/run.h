/* SPDX-License-Identifier: Apache-2.0 */
/* A full-system run: a workload through the whole machine. */
#ifndef MEMTWIN_RUN_H
#define MEMTWIN_RUN_H
#include "base/error.h"
#include "system/config/config.h"
#include "system/stats/observe.h"
#include "system/memory.h"
#include "system/stats/stats.h"
#include "system/stats/workload_stats.h"
#include "trace/ranges.h"
#include "trace/source.h"
#include "trace/warp_ranges.h"

struct run_setup {
    struct config config;
    struct source *source;                    /* stays the caller's, like those beside it */
    struct source *beside[MAX_WORKLOADS - 1]; /* workloads that share every SM with it, up to the first NULL */
    /* Access ranges of each workload, `source` first; required if run_needs_ranges(); owned by the caller. */
    const struct ranges *ranges[MAX_WORKLOADS];
    /* As in sm_array.h; with launches, `beside` is empty. */
    const struct launches *launches;
    uint32_t lanes;
    struct source *(*kernel)(void *context, uint32_t lane, uint32_t kernel, struct error *err);
    struct source *(*restart)(void *context, uint32_t workload, struct error *err);
    void *context;                         /* of kernel() and restart() */
    struct workload_stats *workload_stats; /* of each workload; NULL: not wanted */
    const char *rtl_blocks; /* blocks whose Verilated RTL replaces the twin (block_in_list()); "" or NULL: none */
    const char *rtl_folder; /* where the sets of RTL are: folder/BLOCK/SET.so */
    const struct observer *observer; /* NULL: none */
};

/* Runs to the end, or for cke.cycles, and checks the conservation laws; false and an error if anything fails, `stats`
 * then holds the counts so far. No state outlives the call, so any number of runs may go on in parallel threads. */
bool run_workload(const struct run_setup *setup, struct stats *stats, struct error *err);

/* Builds the machine and takes it down again: its observer sees the blocks. */
bool run_build(const struct run_setup *setup, struct error *err);

/* Whether a policy of this machine reads the workloads' access ranges. */
bool run_needs_ranges(const struct config *c);
/* Whether one reads those of each warp (ranges.warps), and how they are to be collected. */
bool run_warp_rules(const struct config *c, struct warp_range_rules *rules);

/* The same with the caller's memory: functions of memory.h under these names.  Tests use it to replace the memory below
 * the SMs. */
struct memory_ops {
    void *(*create)(void *argument, struct env *env, const struct memory_client *client, struct error *err);
    void (*destroy)(void *memory);
    bool (*room)(void *memory, uint32_t sm, const struct request *r);
    void (*send)(void *memory, uint32_t sm, const struct request *r);
    void (*tick)(void *memory);
    uint64_t (*wake)(const void *memory);
    bool (*empty)(const void *memory);
    void (*sync)(void *memory, uint64_t cycles); /* with an observer of counters only */
    bool (*finish)(void *memory, struct error *err);
    bool (*drop)(void *memory, uint64_t line);                     /* with uvm.enable only */
    void (*copied)(void *memory, const struct host_copy *copy);    /* with l2.host_copies only */
    void (*describe)(const void *memory, char *text, size_t size); /* text of its busy units; NULL: none */
    void *argument;                                                /* of create */
};
bool run_workload_on(const struct run_setup *setup, const struct memory_ops *ops, struct stats *stats,
                     struct error *err);
#endif
