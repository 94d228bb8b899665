/* SPDX-License-Identifier: Apache-2.0 */
/* Disjoint sets of SMs of given sizes: cke.sms for workload 0, the others for workload 1.  cke.blocks limit the
 * thread blocks on an SM.  So every choice that smart_even and smc can make is a run of its own. */
#include <stdlib.h>

#include "system/sm/sm_owners.h"

static bool sets_can_be(const struct sm_array *a, struct error *err)
{
    return a->c->cke_sms < a->c->sm_count ||
           error_set(err, "cke.sms: found %u with cke.partition = sets and sm.count = %u, allowed with it: 0 to %u",
                     a->c->cke_sms, a->c->sm_count, a->c->sm_count - 1);
}

static void sets_divide(struct sm_owners *o, struct sm_array *a)
{
    uint32_t sms[MAX_WORKLOADS] = {0};
    owners_even(a, sms);
    if (a->c->cke_sms) sms[0] = a->c->cke_sms, sms[1] = a->c->sm_count - a->c->cke_sms;
    for (uint32_t w = 0; w < 2; w++)
        if (a->c->cke_blocks[w]) o->limit[w] = a->c->cke_blocks[w];
    owners_give(o, a, sms);
}

static void *sets_create(struct sm_array *a, struct error *err)
{
    struct sm_owners *o = owners_create(a, err);
    if (o && sets_can_be(a, err)) return sets_divide(o, a), o;
    free(o);
    return NULL;
}

static void sets_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    struct sm_owners *o = state;
    uint32_t sms[MAX_WORKLOADS] = {0};
    if (!k->done) return;
    memset(o->limit, 0xff, sizeof o->limit); /* the other takes over all SMs */
    owners_even(a, sms);
    owners_give(o, a, sms);
}

static const struct block_partition sets = {
    .policy = {"sets", "disjoint sets of SMs, of sizes cke.sms, with cke.blocks thread blocks on each SM"},
    .most = 2,
    .keeps_room = true,
    .hooks = {.create = sets_create, .destroy = free, .kernel_ended = sets_kernel_ended}};
BLOCK_PARTITION_REGISTER(sets);
