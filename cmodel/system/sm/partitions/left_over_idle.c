/* SPDX-License-Identifier: Apache-2.0 */
/* The left-over policy by SM (Liang17, section 2.2; GPGPU-Sim 3.2): thread blocks are dispatched in order as with
 * left_over, but an SM holds those of one workload at a time.  The next workload gets SMs that are idle. */
#include "system/sm/block_partition.h"

static void only(struct sm *sm, uint32_t workload)
{
    for (uint32_t w = 0; w < sm->array->workloads; w++)
        if (w != workload) partition_limit(sm, w, 0);
}

static void left_over_idle_divide(struct sm_array *a)
{
    partition_in_turn(a);
    for (uint32_t i = 0; i < a->c->sm_count; i++)
        for (uint32_t w = 0; w < a->workloads; w++)
            if (a->sms[i].blocks_of[w]) only(&a->sms[i], w);
}

static bool left_over_idle_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    left_over_idle_divide(a);
    return true;
}

static void left_over_idle_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    left_over_idle_divide(a);
}

static void left_over_idle_block_started(void *state, struct sm *sm, struct thread_block *b)
{
    (void)state;
    only(sm, b->workload->number);
    if (b->workload->next_block == b->workload->blocks) left_over_idle_divide(sm->array);
}

static void left_over_idle_block_finished(void *state, struct sm *sm, struct thread_block *b)
{
    (void)state, (void)b;
    if (!sm->blocks_used) left_over_idle_divide(sm->array);
}

static const struct block_partition left_over_idle = {
    .policy = {"left_over_idle", "as left_over, but an SM holds thread blocks of one workload at a time"},
    .hooks = {.kernel_started = left_over_idle_kernel_started,
              .kernel_ended = left_over_idle_kernel_ended,
              .block_started = left_over_idle_block_started,
              .block_finished = left_over_idle_block_finished}};
BLOCK_PARTITION_REGISTER(left_over_idle);
