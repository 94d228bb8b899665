/* SPDX-License-Identifier: Apache-2.0 */
/* Spatial multitasking (Adriaens12; Liang17, section 2.2): equal numbers of SMs per workload.  SMs of a finished
 * workload go to the others. */
#include <stdlib.h>

#include "system/sm/sm_owners.h"

static void spatial_divide(struct sm_owners *o, struct sm_array *a)
{
    uint32_t sms[MAX_WORKLOADS] = {0};
    owners_even(a, sms);
    owners_give(o, a, sms);
}

static void *spatial_create(struct sm_array *a, struct error *err)
{
    struct sm_owners *o = owners_create(a, err);
    if (o) spatial_divide(o, a);
    return o;
}

static void spatial_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    if (k->done) spatial_divide(state, a);
}

static const struct block_partition spatial = {
    .policy = {"spatial", "disjoint sets of SMs, of equal size"},
    .keeps_room = true,
    .hooks = {.create = spatial_create, .destroy = free, .kernel_ended = spatial_kernel_ended}};
BLOCK_PARTITION_REGISTER(spatial);
