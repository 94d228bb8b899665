/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers: each issues at most one instruction a cycle, of a warp with registers and port ready. */
#include <string.h>

#include "system/sm/warp_scheduler.h"

enum { NO_WARP = MAX_WARPS };

static bool sfu_port(const struct sm *sm, uint32_t *port)
{
    for (uint32_t i = 0; i < sm->array->c->sm_sfu_units; i++) {
        *port = i;
        if (sm->sfu_free[i] <= sm->array->env->sm_cycle) return true;
    }
    return false;
}

/* Whose registers and port are there.  A warp arrives at a barrier, or exits, when its accesses can be overtaken no
 * more. */
static inline warp_set prepared(const struct sm *sm)
{
    uint32_t port;
    warp_set c = sm->ready[PORT_NONE] & ~sm->unordered;
    if (sm->sp_left) c |= sm->ready[PORT_SP];
    if (sm->ready[PORT_SFU] && sfu_port(sm, &port)) c |= sm->ready[PORT_SFU];
    if (lsu_room(sm)) c |= sm->ready[PORT_LSU] & (sm->lsu_allowed | sm->shared_next);
    return c;
}

/* Of these, the warps that the throttle lets. */
static inline warp_set able_to_issue(const struct sm *sm)
{
    return prepared(sm) & ~throttle_held(sm);
}

static void take_port(struct sm *sm, uint32_t w)
{
    uint32_t port;
    switch (sm->port[w]) {
    case PORT_SP:
        sm->sp_left--;
        break;
    case PORT_SFU:
        if (sfu_port(sm, &port)) sm->sfu_free[port] = sm->array->env->sm_cycle + sm->array->c->sm_sfu_interval;
        break;
    case PORT_LSU:
        sm->lsu_taken = true;
        break;
    default:
        break;
    }
}

/* `held`: by the throttle, none of whose warps is the reason. */
static enum stall why_not(const struct sm *sm, const struct scheduler *s, warp_set able, warp_set held)
{
    const warp_set refused = (sm->ready[PORT_SP] | sm->ready[PORT_SFU] | sm->ready[PORT_LSU]) & s->mine & ~able;
    const bool loads = sm->for_load & s->mine;
    if (refused & sm->ready[PORT_LSU] & ~held) return STALL_LSU;
    if (refused) return loads ? STALL_MEMORY_PORT : STALL_PORT;
    if (loads) return STALL_MEMORY;
    return sm->timed & s->mine ? STALL_DEPENDENCE : STALL_IDLE;
}

static bool throttled(const struct sm *sm, const struct scheduler *s, warp_set held)
{
    return held && (prepared(sm) & held & s->mine);
}

/* The warp that issues next takes its port; NO_WARP: none does.  `able`: able_to_issue(). */
static inline uint32_t pick(struct sm *sm, uint32_t number, warp_set able)
{
    struct scheduler *s = &sm->scheduler[number];
    const struct warp_scheduler *policy = sm->array->scheduler;
    warp_set c = able & s->mine;
    if (policy->allow) c = policy->allow(sm, s, c);
    sm->stall[number] = STALL_NONE;
    if (!c) {
        const warp_set held = throttle_held(sm);
        sm->stall[number] = (uint8_t)(throttled(sm, s, held) ? STALL_THROTTLE : why_not(sm, s, able, held));
        return NO_WARP;
    }
    const uint32_t w = c & (c - 1) ? policy->choose(sm, s, c) : warp_first(c);
    take_port(sm, w);
    return w;
}

static void issue(struct sm *sm, struct scheduler *s, uint32_t w)
{
    s->last = w;
    s->last_age = sm->age[w];
    throttle_issued(sm, w);
    if (sm->port[w] == PORT_LSU) lsu_push(sm, w);
    warp_issue(sm, w);
    sm->changed = true;
}

/* The schedulers share the ports; the first one rotates from cycle to cycle. */
static uint32_t first_in_turn(const struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle;
    const uint32_t n = sm->array->c->sm_schedulers;
    return (uint32_t)(is_power_of_two(n) ? now & (n - 1) : now % n); /* spares a division */
}

static void pick_all(struct sm *sm, uint32_t picked[MAX_SCHEDULERS])
{
    uint32_t n = sm->array->c->sm_schedulers, s = first_in_turn(sm);
    sm->sp_left = sm->array->c->sm_sp_units;
    sm->lsu_taken = false;
    for (uint32_t i = 0; i < n; i++, s = s + 1 < n ? s + 1 : 0) picked[s] = pick(sm, s, able_to_issue(sm));
}

/* If the memory instructions that take turns were allowed to these warps only: would a scheduler pick one? */
static bool would_pick(struct sm *sm, warp_set allowed)
{
    uint32_t picked[MAX_SCHEDULERS];
    uint64_t sfu_free[MAX_SFU];
    warp_set asking = sm->ready[PORT_LSU] & ~sm->shared_next & allowed, all = 0;
    if (!asking) return false;
    memcpy(sfu_free, sm->sfu_free, sizeof sfu_free);
    sm->lsu_allowed = allowed;
    pick_all(sm, picked);
    memcpy(sm->sfu_free, sfu_free, sizeof sfu_free);
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++) all |= picked[i] == NO_WARP ? 0 : warp_bit(picked[i]);
    return asking & all;
}

static void ask_arbiter(struct sm *sm)
{
    uint32_t asks = 0, workloads = sm->array->workloads;
    for (uint32_t w = 0; arbiter_ranks(sm->arbiter) && w < workloads; w++)
        asks |= (uint32_t)would_pick(sm, sm->of[w]) << w;
    uint32_t allowed = arbiter_choose(sm->arbiter, asks);
    sm->lsu_allowed = 0;
    for (uint32_t w = 0; w < workloads; w++)
        if (allowed >> w & 1) sm->lsu_allowed |= sm->of[w];
}

/* As the arbiter was promised: nothing issues before all have picked, or a barrier that opens, or a warp that exits,
 * would change the picks of those behind. */
static void issue_ranked(struct sm *sm)
{
    uint32_t picked[MAX_SCHEDULERS];
    pick_all(sm, picked);
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++)
        if (picked[i] != NO_WARP) issue(sm, &sm->scheduler[i], picked[i]);
}

/* An arithmetic instruction that leaves a port changes nothing for the warps of the other schedulers. */
static bool concerns_others(const struct sm *sm, uint32_t w)
{
    return sm->port[w] != PORT_SP || !sm->sp_left || sm->array->throttle_state;
}

static void issue_in_turn(struct sm *sm)
{
    const uint32_t n = sm->array->c->sm_schedulers;
    warp_set able = able_to_issue(sm);
    uint32_t s = first_in_turn(sm);
    for (uint32_t left = n; left; left--, s = s + 1 < n ? s + 1 : 0) {
        const uint32_t w = pick(sm, s, able);
        if (w != NO_WARP) {
            const bool again = left > 1 && concerns_others(sm, w);
            issue(sm, &sm->scheduler[s], w);
            if (again) able = able_to_issue(sm);
        }
    }
}

/* When time alone will make a difference. */
static uint64_t next_wake(const struct sm *sm)
{
    uint64_t wake = warps_next_due(sm);
    for (uint32_t i = 0; sm->ready[PORT_SFU] && i < sm->array->c->sm_sfu_units; i++)
        if (sm->sfu_free[i] > sm->array->env->sm_cycle && sm->sfu_free[i] < wake) wake = sm->sfu_free[i];
    return wake;
}

void schedulers_tick(struct sm *sm)
{
    sm->changed = false;
    warps_due(sm);
    sm->sp_left = sm->array->c->sm_sp_units;
    sm->lsu_taken = false;
    if (sm->arbiter) ask_arbiter(sm);
    if (sm->arbiter && arbiter_ranks(sm->arbiter))
        issue_ranked(sm);
    else
        issue_in_turn(sm);
    sm->lsu_taken = false;
    sm->issue_wake = sm->changed ? sm->array->env->sm_cycle + 1 : next_wake(sm);
}
