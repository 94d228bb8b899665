/* SPDX-License-Identifier: Apache-2.0 */
/* One SM: its cycle, its sleep, its end. */
#include "system/sm/sm.h"

#include <stdlib.h>

#include "system/cache/constant.h"
#include "system/sm/collectors.h"
#include "system/sm/lsu.h"
#include "system/sm/mbarrier.h"
#include "system/sm/scheduler.h"
#include "system/sm/scoreboard.h"
#include "system/sm/sub_cores.h"

void sm_destroy(struct sm *sm)
{
    for (uint32_t b = 0; sm->blocks && b < sm->array->c->sm_blocks; b++)
        if (sm->blocks[b].stream) sm->blocks[b].workload->source->ops->close_block(sm->blocks[b].stream);
    l1d_front_free(&sm->front);
    constant_destroy(sm->constant);
    sm_translate_destroy(sm->translate);
    arbiter_destroy(sm->arbiter);
    reorder_destroy(sm->reorder);
    collectors_destroy(sm->collectors);
    free(sm->sub_cores);
    free(sm->warps);
    free(sm->blocks);
    ring_free(&sm->queue);
    free(sm->loads);
    pool_free(&sm->load_places);
    mbarriers_destroy(sm->mbarriers);
}

bool sm_init(struct sm_array *a, uint32_t number, struct error *err)
{
    struct sm *sm = &a->sms[number];
    sm->array = a;
    sm->number = (uint16_t)number;
    a->memory.wake[number] = a->issue.wake[number] = NEVER;
    /* mutant: < -> <=: a bit of a warp that no SM has; behind the 128th the sanitizers object to the shift */
    for (uint32_t w = 0; w < a->c->sm_warps; w++) sm->scheduler[w % a->c->sm_schedulers].mine |= warp_bit(w);
    for (uint32_t s = 0; s < a->c->sm_schedulers; s++) {
        sm->stalls |= (uint16_t)STALL_IDLE << s * STALL_BITS;
        sm->scheduler[s].active = &sm->active_of[s];
    }
    sm->usable = (uint64_t *)host_align(a->usable) + number * a->c->sm_warps * GROUP;
    sm->warps = host_calloc(a->c->sm_warps, sizeof *sm->warps);
    sm->blocks = calloc(a->c->sm_blocks, sizeof *sm->blocks);
    if (!sm->warps || !sm->blocks || !lsu_init(sm)) return error_set(err, "sm.%u: out of memory", number);
    for (uint32_t i = 0; i < WARP_WORDS; i++) sm->word[i].lsu_allowed = UINT64_MAX;
    sm->arbiter = arbiter_create(a->env, number, a->workloads, err);
    sm->reorder = reorder_create(a->env, number, err);
    sm->constant = constant_create(a->env, number, err);
    sm->collectors = collectors_create(a->c, err);
    sm->sub_cores = sub_cores_create(a->c, err);
    sm->bank_writes = collectors_writes(sm->collectors);
    sm->collected = collectors_memory(sm->collectors);
    if (err->text[0]) return false;
    sm->front.l1d = l1d_create(a->env, number, err);
    return sm->front.l1d;
}

static void pass_read(void *context, const struct access *access, enum place how)
{
    const struct sm *sm = context;
    SM_EACH (l, &sm->array->events, read) l->hooks->read(l->state, sm, access, how);
}

static void pass_replaced(void *context, uint64_t line, uint32_t warp)
{
    const struct sm *sm = context;
    SM_EACH (l, &sm->array->events, replaced) l->hooks->replaced(l->state, sm, line, warp);
}

void sm_listen(struct sm *sm)
{
    const struct sm_events *e = &sm->array->events;
    if (!SM_HEARD(e, read) && !SM_HEARD(e, replaced)) return;
    sm->listener = (struct l1d_listener){.read = pass_read, .replaced = pass_replaced, .context = sm};
    l1d_listen(sm->front.l1d, &sm->listener);
}

void sm_wake_memory(struct sm *sm)
{
    sm->array->wake = 0;
    sleepers_wake(&sm->array->memory, sm->number);
}

void sm_wake(struct sm *sm)
{
    sm_wake_memory(sm);
    sm_wake_issue(sm);
}

bool sm_quiet(const struct sm *sm)
{
    return !sm->queue.count && l1d_front_empty(&sm->front) && !(sm->reorder && reorder_held(sm->reorder)) &&
           !(sm->collectors && !collectors_empty(sm->collectors)) && l1d_quiet(sm->front.l1d) &&
           constant_quiet(sm->constant) && (!sm->translate || !sm_translate_parked(sm->translate));
}

/* The cycles slept were like the last one. */
void sm_catch_up(struct sm *sm, uint64_t until)
{
    if (until <= sm->counted) return;
    uint64_t cycles = until - sm->counted;
    sm->counted = until;
    sm->array->stall_cycles[sm->stalls] += cycles;
    lsu_catch_up(sm, until);
    if (sm->arbiter) arbiter_idle(sm->arbiter, cycles);
    SM_EACH (l, &sm->array->events, idle) l->hooks->idle(l->state, sm, cycles);
}

void sm_sync(struct sm *sm, uint64_t until)
{
    sm_catch_up(sm, until);
    lsu_catch_up(sm, until);
    if (sm->resident && until > sm->active_from) sm_count_active(sm, until);
}

/* The clock edge of listeners; the SM sleeps until `wake` if they allow it. */
static uint64_t tick_listeners(struct sm *sm, uint64_t wake)
{
    struct sm_array *a = sm->array;
    bool awake = sm->arbiter && arbiter_tick(sm->arbiter, a->error);
    SM_EACH (l, &a->events, tick) awake |= l->hooks->tick(l->state, sm, a->error);
    SM_EACH (l, &a->events, wake) wake = min_u64(wake, l->hooks->wake(l->state, sm));
    return awake ? sm->counted : wake;
}

uint64_t sm_tick(struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle;
    sm_catch_up(sm, now);
    const uint64_t memory = lsu_tick(sm), issue = schedulers_tick(sm);
    sm->counted = now + 1;
    sm->array->stall_cycles[sm->stalls]++;
    return tick_listeners(sm, min_u64(memory, issue));
}

/* This cycle is counted together with the cycles slept. */
uint64_t sm_issue_tick(struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle;
    sm->array->stall_cycles[sm->stalls] += now - sm->counted;
    sm->counted = now;
    return schedulers_tick(sm);
}
