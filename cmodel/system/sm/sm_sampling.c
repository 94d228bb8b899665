/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/sm_sampling.h"

#include <stdio.h>

bool sampling_init(struct sm_sampling *s, const struct sm_array *a, const char *key, uint32_t window, struct error *err)
{
    s->window = window;
    sampling_stop(s);
    return window || error_set(err, "%s: found 0 with cke.partition = %s, expected the SM cycles of a sample", key,
                               a->partition->policy.name);
}

static bool settled(const struct sm_array *a)
{
    for (uint32_t i = 0; i < a->c->sm_count; i++)
        for (uint32_t w = 0; w < a->workloads; w++)
            if (a->sms[i].blocks_of[w] > a->sms[i].may_hold[w]) return false;
    return true;
}

static void open_window(struct sm_sampling *s, uint64_t from)
{
    s->waits = false;
    s->from = from;
    s->until = from + s->window;
}

void sampling_start(struct sm_sampling *s, const struct sm_array *a)
{
    sampling_stop(s);
    memset(s->issued, 0, sizeof s->issued);
    s->waits = true;
    if (settled(a)) open_window(s, a->env->sm_cycle);
}

void sampling_stop(struct sm_sampling *s)
{
    s->waits = false;
    s->from = s->until = NEVER;
}

bool sampling_over(const struct sm_sampling *s, const struct sm_array *a)
{
    return a->env->sm_cycle >= s->until;
}

void sampling_block_finished(struct sm_sampling *s, const struct sm_array *a)
{
    if (s->waits && settled(a)) open_window(s, a->env->sm_cycle + 1);
}

void sampling_issued(struct sm_sampling *s, const struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle;
    s->issued[sm->number] += now >= s->from && now < s->until;
}

uint64_t sampling_next(const struct sm_sampling *s)
{
    return s->until;
}

bool sampling_is_new(struct seen_kernel *seen, const struct workload *k)
{
    uint32_t needs[PARTITION_RESOURCES];
    partition_needs(k, needs);
    if (!strcmp(seen->name, k->kernel.name) && !memcmp(seen->needs, needs, sizeof needs)) return false;
    snprintf(seen->name, sizeof seen->name, "%s", k->kernel.name);
    memcpy(seen->needs, needs, sizeof needs);
    return true;
}
