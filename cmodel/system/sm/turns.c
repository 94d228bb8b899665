/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of a pool, cke.concurrent at a time (Liang17, section 4.6).  The next one is the first waiting workload of
 * a kind (compute- or memory-intensive) that is not running; if there is none, the first waiting one.
 */
#include "system/sm/turns.h"

uint32_t turns_at_once(const struct sm_array *a)
{
    const uint32_t most = a->c->cke_concurrent;
    return most && most < a->workloads ? most : a->workloads;
}

static bool is_memory_intensive(const struct sm_array *a, uint32_t workload)
{
    return a->c->cke_memory_intensive >> workload & 1;
}

static bool has_kind(const struct sm_array *a, bool memory_intensive)
{
    for (uint32_t w = 0; w < a->workloads; w++)
        if (workload_is_here(&a->workload[w]) && is_memory_intensive(a, w) == memory_intensive) return true;
    return false;
}

/* The workload that starts next; MAX_WORKLOADS: none waits. */
static uint32_t choose_workload(const struct sm_array *a)
{
    uint32_t first = MAX_WORKLOADS;
    for (uint32_t w = 0; w < a->workloads; w++) {
        if (!a->workload[w].waits) continue;
        if (!has_kind(a, is_memory_intensive(a, w))) return w;
        if (first == MAX_WORKLOADS) first = w;
    }
    return first;
}

void turns_next(struct sm_array *a)
{
    uint32_t here = 0, next;
    for (uint32_t w = 0; w < a->workloads; w++) here += workload_is_here(&a->workload[w]);
    for (; here < turns_at_once(a) && (next = choose_workload(a)) != MAX_WORKLOADS; here++)
        a->workload[next].waits = false;
}

void turns_start(struct sm_array *a)
{
    for (uint32_t w = 0; w < a->workloads; w++) a->workload[w].waits = true;
    turns_next(a);
}
