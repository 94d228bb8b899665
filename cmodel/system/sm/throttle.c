/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/throttle.h"

bool throttle_create(struct sm_array *a, struct error *err)
{
    if (!a->throttle->create) return true;
    a->throttle_state = a->throttle->create(a, err);
    return a->throttle_state;
}

void throttle_destroy(struct sm_array *a)
{
    if (a->throttle_state) a->throttle->destroy(a->throttle_state);
}

static void read(void *context, const struct access *a, enum place how)
{
    const struct sm *sm = context;
    if (sm->array->throttle->read) sm->array->throttle->read(sm->array->throttle_state, sm, a, how);
}

static void replaced(void *context, uint64_t line, uint32_t warp)
{
    const struct sm *sm = context;
    if (sm->array->throttle->replaced) sm->array->throttle->replaced(sm->array->throttle_state, sm, line, warp);
}

void throttle_listen(struct sm *sm)
{
    if (!sm->array->throttle->read && !sm->array->throttle->replaced) return;
    sm->listener = (struct l1d_listener){.read = read, .replaced = replaced, .context = sm};
    l1d_listen(sm->l1d, &sm->listener);
}

warp_set throttle_ready_loads(const struct sm *sm)
{
    return warps_ready(sm, PORT_LSU) & sm->load_next;
}

warp_set throttle_now_held(const struct sm *sm)
{
    const struct throttle *policy = sm->array->throttle;
    const void *state = sm->array->throttle_state;
    warp_set held = 0;
    if (policy->may_issue) held |= ~policy->may_issue(state, sm);
    if (policy->may_load) held |= throttle_ready_loads(sm) & ~policy->may_load(state, sm);
    return held;
}

void throttle_now_issued(struct sm *sm, uint32_t w)
{
    const struct throttle *policy = sm->array->throttle;
    if (policy->issued) policy->issued(sm->array->throttle_state, sm, w, &sm->warps[w].inst);
}

void throttle_warp_started(struct sm *sm, uint32_t w)
{
    const struct throttle *policy = sm->array->throttle;
    if (policy->warp_started) policy->warp_started(sm->array->throttle_state, sm, w);
}

void throttle_warp_ended(struct sm *sm, uint32_t w)
{
    const struct throttle *policy = sm->array->throttle;
    if (policy->warp_ended) policy->warp_ended(sm->array->throttle_state, sm, w);
}

void throttle_kernel_started(struct sm_array *a, const struct workload *k)
{
    if (a->throttle->kernel_started) a->throttle->kernel_started(a->throttle_state, k);
}

void throttle_kernel_ended(struct sm_array *a, const struct workload *k)
{
    if (a->throttle->kernel_ended) a->throttle->kernel_ended(a->throttle_state, k);
}

bool throttle_now_tick(struct sm *sm)
{
    const struct throttle *policy = sm->array->throttle;
    return policy->tick && policy->tick(sm->array->throttle_state, sm, sm->array->error);
}

uint64_t throttle_now_wake(const struct sm *sm)
{
    const struct throttle *policy = sm->array->throttle;
    return policy->wake ? policy->wake(sm->array->throttle_state, sm) : NEVER;
}

void throttle_now_idle(struct sm *sm, uint64_t cycles)
{
    const struct throttle *policy = sm->array->throttle;
    if (policy->idle) policy->idle(sm->array->throttle_state, sm, cycles);
}

void throttle_now_begin(struct sm_array *a)
{
    if (a->throttle->begin) a->throttle->begin(a->throttle_state, a);
}

uint64_t throttle_now_next(const struct sm_array *a)
{
    return a->throttle->next ? a->throttle->next(a->throttle_state) : NEVER;
}
