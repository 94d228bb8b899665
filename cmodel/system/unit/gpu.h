/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of one run, and how its parts reach each other: SMs above, memory below, the crossbar between.
 * Only run.c sees inside other units; a unit calls its neighbours through the functions here. */
#ifndef MEMTWIN_GPU_H
#define MEMTWIN_GPU_H
#include <stdbool.h>
#include <stdint.h>

#include "system/config/config.h"
#include "system/stats/observe.h"
#include "system/unit/request.h"
#include "system/stats/stats.h"

struct memory; /* memory.h: crossbar, L2 slices, DRAM channels */
struct uvm;    /* uvm.h: the driver of unified memory */

/* Common to all units of a run. */
struct env {
    const struct config *config;
    struct stats *stats;
    const struct observer *observer;     /* may be NULL; set by env_observe() */
    const char *rtl_blocks, *rtl_folder; /* as in run_setup */
    uint64_t sm_cycle;                   /* now, in SM cycles */
    uint32_t workloads;                  /* that share the SMs */
    bool traces;                         /* the observer follows requests: trace_requests is not 0 */
    bool watched;                        /* counters or request positions are observed before the end of the run */
    bool cut;                            /* the run ends at cke.cycles: requests may be in flight */
    struct uvm *uvm;                     /* NULL: uvm.enable is off */
};

static inline void env_observe(struct env *env, const struct observer *observer)
{
    env->observer = observer;
    env->traces = observer && observer->trace_requests;
}

/* Reports where a request is, if it is one of the first trace_requests.  With trace_requests = 0 it reads no request.
 */
static inline void env_at(const struct env *env, const struct request *r, enum place place, uint32_t unit)
{
    const struct observer *o = env->observer;
    if (env->traces && r->id < o->trace_requests) o->request_at(o->context, r, place, unit, env->sm_cycle);
}
#endif
