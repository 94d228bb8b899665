/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/split.h"

#include "system/config/options.h"
#include "system/sm/block_dispatch.h"
#include "system/sm/block_partition.h"

enum { KIB = 1024 };

bool split_create(struct sm_array *a, struct error *err)
{
    char choices[OPTION_TEXT];
    a->splits = config_splits(a->c);
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        a->sms[i].l1d_ways = a->c->l1d_ways;
        split_end(&a->sms[i]);
    }
    if (!a->splits || a->workloads == 1 || !a->dispatch_state) return true;
    option_text(a->c, option_find("sm.shared_choices"), choices);
    return error_set(
        err,
        "sm.shared_choices: found %s with sm.dispatch = %s and %u workloads, allowed with them: 0; the room "
        "that a decision finds on an SM must stay",
        choices, a->dispatch->policy.name, a->workloads);
}

/* Of its thread blocks, as many as fit an SM at once, or as many as there are if they are dealt out to all SMs. */
void split_kernel(const struct sm_array *a, struct workload *k)
{
    const uint32_t dealt = (uint32_t)ceil_div(k->blocks, a->c->sm_count);
    k->at_once = min_u32(partition_most(a, k), max_u32(dealt, k->together));
}

/* Shared memory on the SM of all kernels that have thread blocks left, bytes. */
static uint64_t wanted(const struct sm *sm)
{
    const struct sm_array *a = sm->array;
    uint64_t bytes = 0;
    for (uint32_t w = 0; w < a->workloads; w++) {
        const struct workload *k = &a->workload[w];
        if (k->running && k->next_block < k->blocks)
            bytes += (uint64_t)min_u32(k->at_once, sm->may_hold[w]) * k->kernel.shared_bytes;
    }
    return min_u64(bytes, a->c->sm_shared_bytes);
}

/* The smallest choice of so many bytes, KiB.  The largest one has all of sm.shared_bytes. */
static uint32_t choice(const struct config *c, uint64_t bytes)
{
    uint32_t i = 0;
    while (c->sm_shared_choices[i] * KIB < bytes) i++;
    return c->sm_shared_choices[i];
}

static void resize(struct sm *sm, uint32_t ways)
{
    struct stats *s = sm->array->env->stats;
    s->l1d_split_ways = ways;
    if (sm->l1d_ways == ways) return;
    sm->l1d_ways = ways;
    s->l1d_splits++;
    l1d_resize(sm->front.l1d, ways);
}

void split_sm(struct sm *sm)
{
    const struct config *c = sm->array->c;
    if (!sm->array->splits) return;
    const uint32_t kib = choice(c, wanted(sm));
    sm->shared_room = min_u32(kib * KIB, c->sm_shared_bytes);
    resize(sm, config_ways_beside(c, kib));
}
