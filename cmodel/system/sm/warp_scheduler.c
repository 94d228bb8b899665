/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/warp_scheduler.h"

bool scheduler_create(struct sm_array *a, struct error *err)
{
    if (!a->scheduler->create) return true;
    a->scheduler_state = a->scheduler->create(a, err);
    return a->scheduler_state;
}

void scheduler_destroy(struct sm_array *a)
{
    if (a->scheduler_state) a->scheduler->destroy(a->scheduler_state);
}

void scheduler_warp_started(struct sm *sm, uint32_t w)
{
    const struct warp_scheduler *policy = sm->array->scheduler;
    if (policy->warp_started) policy->warp_started(sm->array->scheduler_state, sm, w);
}

void scheduler_warp_ended(struct sm *sm, uint32_t w)
{
    const struct warp_scheduler *policy = sm->array->scheduler;
    if (policy->warp_ended) policy->warp_ended(sm->array->scheduler_state, sm, w);
}

bool scheduler_now_tick(struct sm *sm)
{
    return sm->array->scheduler->tick(sm->array->scheduler_state, sm, sm->array->error);
}

void scheduler_now_idle(struct sm *sm, uint64_t cycles)
{
    sm->array->scheduler->idle(sm->array->scheduler_state, sm, cycles);
}
