/* SPDX-License-Identifier: Apache-2.0 */
/* GPU behaviour without a partition (Dai17, section 4.1): dispatch in order.  The thread blocks of
 * workload 1 are dispatched when all of workload 0 are, and so on, to any SM with room.  Kernels of several streams are
 * dispatched so, in the order of their launches. */
#include "system/sm/block_partition.h"

static bool left_over_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    partition_in_turn(a);
    return true;
}

static void left_over_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    partition_in_turn(a);
}

static void left_over_block_started(void *state, struct sm *sm, struct thread_block *b)
{
    (void)state;
    if (b->workload->next_block == b->workload->blocks) partition_in_turn(sm->array);
}

static const struct block_partition left_over = {
    .policy =
        {"left_over",
         "no limit: a workload gets the remaining room once the previous one has dispatched all its thread blocks"},
    .of_streams = true,
    .hooks = {.kernel_started = left_over_kernel_started,
              .kernel_ended = left_over_kernel_ended,
              .block_started = left_over_block_started}};
BLOCK_PARTITION_REGISTER(left_over);
