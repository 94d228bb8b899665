/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/sm_owners.h"

#include <stdlib.h>
#include <string.h>

#include "system/sm/turns.h"

bool owners_init(struct sm_owners *o, const struct sm_array *a, struct error *err)
{
    memset(o->owner, MAX_WORKLOADS, sizeof o->owner);
    memset(o->limit, 0xff, sizeof o->limit);
    memset(o->sms, 0, sizeof o->sms);
    return turns_at_once(a) <= a->c->sm_count ||
           error_set(err, "cke.partition: found %s with sm.count = %u and %u workloads, expected an SM for each",
                     a->partition->policy.name, a->c->sm_count, turns_at_once(a));
}

struct sm_owners *owners_create(const struct sm_array *a, struct error *err)
{
    struct sm_owners *o = malloc(sizeof *o);
    if (!o) return error_set(err, "cke.partition: out of memory"), NULL;
    if (owners_init(o, a, err)) return o;
    free(o);
    return NULL;
}

void owners_even(const struct sm_array *a, uint32_t sms[MAX_WORKLOADS])
{
    uint32_t left = a->c->sm_count, parts = 0;
    for (uint32_t w = 0; w < a->workloads; w++) parts += workload_is_here(&a->workload[w]);
    for (uint32_t w = 0; w < a->workloads; w++) {
        const bool here = workload_is_here(&a->workload[w]);
        sms[w] = here ? (left + parts - 1) / parts : 0;
        left -= sms[w];
        parts -= here;
    }
}

void owners_give(struct sm_owners *o, struct sm_array *a, const uint32_t sms[MAX_WORKLOADS])
{
    uint32_t left[MAX_WORKLOADS + 1] = {0}, w = 0;
    memcpy(o->sms, sms, sizeof o->sms);
    memcpy(left, sms, sizeof o->sms);
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        if (left[o->owner[i]])
            left[o->owner[i]]--;
        else
            o->owner[i] = MAX_WORKLOADS;
    }
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        if (o->owner[i] != MAX_WORKLOADS) continue;
        while (w < a->workloads && !left[w]) w++;
        if (w == a->workloads) break; /* all are done */
        o->owner[i] = (uint8_t)w;
        left[w]--;
    }
    owners_apply_all(o, a);
}

void owners_apply(const struct sm_owners *o, struct sm *sm)
{
    const uint32_t owner = o->owner[sm->number];
    for (uint32_t w = 0; w < sm->array->workloads; w++) {
        const bool alone = w == owner && sm->blocks_used == sm->blocks_of[w];
        partition_limit(sm, w, alone ? o->limit[w] : 0);
    }
}

void owners_apply_all(const struct sm_owners *o, struct sm_array *a)
{
    for (uint32_t i = 0; i < a->c->sm_count; i++) owners_apply(o, &a->sms[i]);
}
