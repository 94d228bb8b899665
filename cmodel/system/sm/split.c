/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/split.h"

#include "system/config/options.h"
#include "system/sm/block_partition.h"

enum { KIB = 1024 };

/* Those of several workloads wait for an SM without thread blocks, which one that starts over and over never leaves. */
static bool one_kernel_at_least_ends(const struct sm_array *a)
{
    return a->workloads == 1 || a->streams;
}

bool split_create(struct sm_array *a, struct error *err)
{
    char choices[OPTION_TEXT];
    a->splits = config_splits(a->c);
    for (uint32_t i = 0; i < a->c->sm_count; i++) a->sms[i].l1d_ways = a->c->l1d_ways;
    if (!a->splits || one_kernel_at_least_ends(a)) return true;
    option_text(a->c, option_find("sm.shared_choices"), choices);
    return error_set(err,
                     "sm.shared_choices: found %s with %u workloads, allowed with several: 0; an SM is split for the "
                     "kernels of one",
                     choices, a->workloads);
}

/* Thread blocks of the kernel on an SM at once: those that fit, of a grid dealt out to all SMs. */
static uint32_t blocks_at_once(const struct sm_array *a, const struct workload *k)
{
    const uint32_t dealt = (uint32_t)ceil_div(k->blocks, a->c->sm_count);
    return min_u32(partition_most(a, k), max_u32(dealt, k->together));
}

/* The smallest choice of so many bytes.  The largest one has room for those of any kernel. */
static uint32_t choice(const struct config *c, uint32_t bytes)
{
    uint32_t i = 0;
    while (c->sm_shared_choices[i] * KIB < bytes) i++;
    return c->sm_shared_choices[i];
}

void split_choose(const struct sm_array *a, struct workload *k)
{
    k->shared_room = a->c->sm_shared_bytes;
    if (!a->splits) return;
    const uint32_t kib = choice(a->c, blocks_at_once(a, k) * k->kernel.shared_bytes);
    k->shared_room = min_u32(kib * KIB, a->c->sm_shared_bytes);
    k->l1d_ways = config_ways_beside(a->c, kib);
}

void split_sm(struct sm *sm, const struct workload *k)
{
    struct stats *s = sm->array->env->stats;
    sm->shared_room = k->shared_room;
    if (!sm->array->splits) return;
    s->l1d_split_ways = k->l1d_ways;
    if (sm->l1d_ways == k->l1d_ways) return;
    sm->l1d_ways = k->l1d_ways;
    s->l1d_splits++;
    l1d_resize(sm->front.l1d, k->l1d_ways);
}
