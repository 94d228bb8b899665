/* SPDX-License-Identifier: Apache-2.0 */
/* Equal limits on every SM: cke.blocks, or as many thread blocks as fit an even share of the SM's resources. */
#include "system/sm/block_partition.h"
#include "system/sm/turns.h"

/* The workload's thread blocks; 0: an error in a->error. */
static uint32_t even_share(const struct sm_array *a, const struct workload *k)
{
    uint32_t have[PARTITION_RESOURCES], need[PARTITION_RESOURCES], scarce;
    const uint32_t blocks = partition_share(a, k, turns_at_once(a), &scarce);
    partition_has(a->c, have);
    partition_needs(k, need);
    if (!blocks)
        error_set(a->error,
                  "%s: kernel %s: one thread block needs %u %s, its even share of an SM is %u (%s = %u, %u "
                  "workloads); cke.blocks%u gives it more",
                  k->source->name, k->kernel.name, need[scarce], partition_resource(scarce),
                  have[scarce] / turns_at_once(a), partition_option(scarce), have[scarce], turns_at_once(a), k->number);
    return blocks;
}

static uint32_t blocks_of(const struct sm_array *a, const struct workload *k)
{
    const uint32_t blocks = a->c->cke_blocks[k->number];
    if (blocks) return blocks;
    return a->workloads > 1 ? even_share(a, k) : UINT32_MAX;
}

static bool even_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)state;
    const uint32_t blocks = blocks_of(a, k);
    if (!blocks) return false;
    partition_limit_all(a, k->number, blocks);
    return blocks == UINT32_MAX || partition_fits(a, a->sms[0].may_hold);
}

static const struct block_partition even = {
    .policy = {"even", "cke.blocks, or an even share of the resources of each SM"},
    .keeps_room = true,
    .hooks = {.kernel_started = even_kernel_started}};
BLOCK_PARTITION_REGISTER(even, .plain = true);
