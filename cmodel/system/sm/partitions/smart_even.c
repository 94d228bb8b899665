/* SPDX-License-Identifier: Apache-2.0 */
/* Smart-Even (Adriaens12, after Liang17, section 5.2): equal numbers of SMs per workload; SMs that a kernel's grid
 * cannot fill go to the others.  Recomputed at every kernel start. */
#include <stdlib.h>

#include "system/sm/sm_owners.h"

/* Number of SMs that the grid fills, the last one possibly in part. */
static uint32_t useful(const struct sm_array *a, const struct workload *k)
{
    if (!k->running) return 0;
    const uint32_t most = partition_most(a, k);
    return k->blocks / most + (k->blocks % most != 0);
}

/* Workload that gets the next SM: the one with the fewest SMs among those that can use it, else among all. */
static uint32_t poorest(const struct sm_array *a, const uint32_t sms[MAX_WORKLOADS])
{
    uint32_t found = MAX_WORKLOADS;
    for (int any = 0; found == MAX_WORKLOADS && any < 2; any++)
        for (uint32_t w = 0; w < a->workloads; w++) {
            const struct workload *k = &a->workload[w];
            if (!workload_is_here(k) || (!any && sms[w] >= useful(a, k))) continue;
            if (found == MAX_WORKLOADS || sms[w] < sms[found]) found = w;
        }
    return found;
}

static void smart_even_divide(struct sm_owners *o, struct sm_array *a)
{
    uint32_t sms[MAX_WORKLOADS] = {0};
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        const uint32_t w = poorest(a, sms);
        if (w == MAX_WORKLOADS) return; /* all are done */
        sms[w]++;
    }
    owners_give(o, a, sms);
}

static void *smart_even_create(struct sm_array *a, struct error *err)
{
    return owners_create(a, err);
}

/* In the first cycle the kernels of all workloads start before a thread block is dispatched. */
static bool smart_even_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)k;
    smart_even_divide(state, a);
    return true;
}

static void smart_even_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    if (k->done) smart_even_divide(state, a);
}

static void smart_even_block_finished(void *state, struct sm *sm, struct thread_block *b)
{
    (void)b;
    owners_apply(state, sm);
}

static const struct block_partition smart_even = {
    .policy = {"smart_even",
               "disjoint sets of SMs, of equal size; SMs that the grid of a kernel cannot fill go to the others"},
    .hooks = {.create = smart_even_create,
              .destroy = free,
              .kernel_started = smart_even_kernel_started,
              .kernel_ended = smart_even_kernel_ended,
              .block_finished = smart_even_block_finished}};
BLOCK_PARTITION_REGISTER(smart_even);
