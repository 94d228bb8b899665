/* SPDX-License-Identifier: Apache-2.0 */
/* One SM: its cycle, its sleep, its end. */
#include "system/sm/sm_core.h"

void sm_destroy(struct sm *sm)
{
    for (uint32_t b = 0; sm->blocks && b < sm->array->c->sm_blocks; b++)
        if (sm->blocks[b].stream) sm->blocks[b].workload->source->ops->close_block(sm->blocks[b].stream);
    l1d_destroy(sm->l1d);
    sm_translate_destroy(sm->translate);
    arbiter_destroy(sm->arbiter);
    reorder_destroy(sm->reorder);
    free(sm->warps);
    free(sm->blocks);
    ring_free(&sm->queue);
    ring_free(&sm->stages);
    free(sm->loads);
    pool_free(&sm->load_places);
}

bool sm_init(struct sm_array *a, uint32_t number, struct error *err)
{
    struct sm *sm = &a->sms[number];
    sm->array = a;
    sm->number = number;
    a->memory.wake[number] = a->issue.wake[number] = NEVER;
    for (uint32_t w = 0; w < a->c->sm_warps; w++) sm->scheduler[w % a->c->sm_schedulers].mine |= warp_bit(w);
    for (uint32_t s = 0; s < a->c->sm_schedulers; s++) {
        sm->stalls |= (uint32_t)STALL_IDLE << s * STALL_BITS;
        sm->scheduler[s].active = &sm->active_of[s];
    }
    sm->usable = (uint64_t *)host_align(a->usable) + number * a->c->sm_warps * GROUP;
    sm->warps = host_calloc(a->c->sm_warps, sizeof *sm->warps);
    sm->blocks = calloc(a->c->sm_blocks, sizeof *sm->blocks);
    if (!sm->warps || !sm->blocks || !lsu_init(sm)) return error_set(err, "sm.%u: out of memory", number);
    for (uint32_t i = 0; i < WARP_WORDS; i++) sm->word[i].lsu_allowed = UINT64_MAX;
    sm->arbiter = arbiter_create(a->env, number, a->workloads, err);
    sm->reorder = reorder_create(a->env, number, err);
    if (err->text[0]) return false;
    sm->l1d = l1d_create(a->env, number, err);
    if (sm->l1d) throttle_listen(sm);
    return sm->l1d;
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
    return !sm->queue.count && !sm->stages.count && !(sm->reorder && reorder_held(sm->reorder)) && l1d_quiet(sm->l1d) &&
           (!sm->translate || !sm_translate_parked(sm->translate));
}

static void count_stalls(struct sm *sm, uint64_t cycles)
{
    sm->array->stall_cycles[sm->stalls] += cycles;
    pair_cycles(sm, cycles);
}

/* The cycles slept were like the last one. */
void sm_catch_up(struct sm *sm, uint64_t until)
{
    if (until <= sm->counted) return;
    uint64_t cycles = until - sm->counted;
    sm->counted = until;
    count_stalls(sm, cycles);
    lsu_catch_up(sm, until);
    if (sm->arbiter) arbiter_idle(sm->arbiter, cycles);
    throttle_idle(sm, cycles);
    scheduler_idle(sm, cycles);
}

void sm_sync(struct sm *sm, uint64_t until)
{
    sm_catch_up(sm, until);
    lsu_catch_up(sm, until);
    if (sm->resident && until > sm->active_from) sm_count_active(sm, until);
}

/* The clock edge of policies that read both halves; the SM sleeps until `wake` if they allow it. */
static uint64_t policies_tick(struct sm *sm, uint64_t wake)
{
    bool awake = sm->arbiter && arbiter_tick(sm->arbiter, sm->array->error);
    awake |= throttle_tick(sm);
    awake |= scheduler_tick(sm);
    return awake ? sm->counted : min_u64(wake, throttle_wake(sm));
}

uint64_t sm_tick(struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle;
    sm_catch_up(sm, now);
    const uint64_t memory = lsu_tick(sm), issue = schedulers_tick(sm);
    sm->counted = now + 1;
    const uint64_t next = policies_tick(sm, min_u64(memory, issue));
    count_stalls(sm, 1);
    return next;
}

/* This cycle is counted together with the cycles slept. */
uint64_t sm_issue_tick(struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle;
    sm->array->stall_cycles[sm->stalls] += now - sm->counted;
    sm->counted = now;
    return schedulers_tick(sm);
}
