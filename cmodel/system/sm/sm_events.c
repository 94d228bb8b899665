/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/sm_events.h"

#include "system/sm/sm_state.h"

static void append(struct sm_listener *to, struct sm_listener l)
{
    while (to->hooks) to++;
    *to = l;
}

bool sm_events_add(struct sm_array *a, const struct sm_hooks *hooks, void **state, struct error *err)
{
    struct sm_events *e = &a->events;
    const struct sm_listener l = {hooks, hooks->create ? hooks->create(a, err) : NULL};
    if (hooks->create && !l.state) return false;
    if (state) *state = l.state;
    e->all[e->count++] = l;
#define SM_EVENT(name)                                                                                                 \
    if (hooks->name) append(e->of[SM_ON_##name], l);
    SM_EVENTS_BETWEEN(SM_EVENT)
    SM_EVENTS_WITHIN(SM_EVENT)
#undef SM_EVENT
    return true;
}

void sm_events_destroy(struct sm_events *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->all[i].state) e->all[i].hooks->destroy(e->all[i].state);
}

bool sm_events_within(const struct sm_events *e)
{
    bool any = false;
#define SM_EVENT(name) any |= SM_HEARD(e, name);
    SM_EVENTS_WITHIN(SM_EVENT)
#undef SM_EVENT
    return any;
}
