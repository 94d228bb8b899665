/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers: each issues at most one instruction a cycle, of a warp whose registers and port are there. */
#include <string.h>

#include "system/sm/sm_core.h"

enum { NO_WARP = MAX_WARPS };

static uint32_t oldest(const struct sm *sm, warp_set s)
{
    uint32_t best = warp_first(s);
    for (s &= s - 1; s; s &= s - 1) {
        uint32_t w = warp_first(s);
        if (sm->age[w] < sm->age[best]) best = w;
    }
    return best;
}

static uint32_t next_after(warp_set s, uint32_t last)
{
    warp_set above = last + 1 < MAX_WARPS ? s >> (last + 1) << (last + 1) : 0;
    return warp_first(above ? above : s);
}

static uint32_t greedy_then_oldest(const struct sm *sm, const struct scheduler *s, warp_set candidates)
{
    bool greedy = (candidates & warp_bit(s->last)) && sm->age[s->last] == s->last_age;
    return greedy ? s->last : oldest(sm, candidates);
}

/* Is the warp among the oldest sm.swl_warps of its scheduler?  Who waits at a barrier does not count, or the limit
 * could keep those away for whom it waits. */
static bool within_limit(const struct sm *sm, const struct scheduler *s, uint32_t w)
{
    uint32_t older = 0;
    for (warp_set o = s->mine & sm->resident & ~sm->at_barrier; o; o &= o - 1)
        older += sm->age[warp_first(o)] < sm->age[w];
    return older < sm->array->c->sm_swl_warps;
}

static warp_set limited(const struct sm *sm, const struct scheduler *s, warp_set candidates)
{
    warp_set in = 0;
    for (; candidates; candidates &= candidates - 1) {
        uint32_t w = warp_first(candidates);
        if (within_limit(sm, s, w)) in |= warp_bit(w);
    }
    return in;
}

static uint32_t count(warp_set s)
{
    return (uint32_t)(__builtin_popcountll((uint64_t)s) + __builtin_popcountll((uint64_t)(s >> 64)));
}

/* Two-level: a warp that waits for a load or at a barrier leaves the active group; the next one that does not, in the
 * order of warp slots, takes its place. */
static void refill_group(const struct sm *sm, struct scheduler *s)
{
    warp_set able = s->mine & sm->timed;
    for (uint32_t i = 0; i < PORTS; i++) able |= s->mine & sm->ready[i];
    s->active &= able;
    warp_set pending = able & ~s->active;
    for (uint32_t n = count(s->active); pending && n < sm->array->c->sm_two_level_group; n++) {
        uint32_t w = next_after(pending, s->last);
        s->active |= warp_bit(w);
        pending &= ~warp_bit(w);
    }
}

static bool sfu_port(const struct sm *sm, uint32_t *port)
{
    for (uint32_t i = 0; i < sm->array->c->sm_sfu_units; i++) {
        *port = i;
        if (sm->sfu_free[i] <= sm->array->env->sm_cycle) return true;
    }
    return false;
}

/* Whose registers and port are there. */
static warp_set able_to_issue(const struct sm *sm)
{
    uint32_t port;
    warp_set c = sm->ready[PORT_NONE];
    if (sm->sp_left) c |= sm->ready[PORT_SP];
    if (sm->ready[PORT_SFU] && sfu_port(sm, &port)) c |= sm->ready[PORT_SFU];
    if (lsu_room(sm)) c |= sm->ready[PORT_LSU] & (sm->lsu_allowed | sm->shared_next);
    return c;
}

static warp_set candidates(const struct sm *sm, struct scheduler *s, warp_set able)
{
    warp_set c = able & s->mine;
    switch (sm->array->c->sm_scheduler) {
    case SCHED_TWO_LEVEL:
        refill_group(sm, s);
        return c & s->active;
    case SCHED_SWL:
        return limited(sm, s, c);
    default:
        return c;
    }
}

static uint32_t choose(const struct sm *sm, const struct scheduler *s, warp_set c)
{
    uint32_t policy = sm->array->c->sm_scheduler;
    return policy == SCHED_LRR || policy == SCHED_TWO_LEVEL ? next_after(c, s->last) : greedy_then_oldest(sm, s, c);
}

static void take_port(struct sm *sm, uint32_t w)
{
    uint32_t port;
    if (sm->warps[w].inst.op == INST_SP) sm->sp_left--;
    if (sm->warps[w].inst.op == INST_SFU && sfu_port(sm, &port))
        sm->sfu_free[port] = sm->array->env->sm_cycle + sm->array->c->sm_sfu_interval;
    if (sm->port[w] == PORT_LSU) sm->lsu_taken = true;
}

static enum stall why_not(const struct sm *sm, const struct scheduler *s, warp_set able)
{
    if (sm->ready[PORT_LSU] & s->mine & ~able) return STALL_LSU;
    return sm->for_load & s->mine ? STALL_MEMORY : STALL_OTHER;
}

/* The warp that issues next takes its port; NO_WARP: none does. */
static uint32_t pick(struct sm *sm, struct scheduler *s, warp_set able)
{
    warp_set c = candidates(sm, s, able);
    s->stall = (uint8_t)(c ? STALL_NONE : why_not(sm, s, able));
    if (!c) return NO_WARP;
    uint32_t w = choose(sm, s, c);
    take_port(sm, w);
    return w;
}

static void issue(struct sm *sm, struct scheduler *s, uint32_t w)
{
    s->last = w;
    s->last_age = sm->age[w];
    if (sm->port[w] == PORT_LSU) lsu_push(sm, w);
    warp_issue(sm, w);
    sm->changed = true;
}

/* The schedulers share the ports; who comes first changes from cycle to cycle. */
static uint32_t first_in_turn(const struct sm *sm)
{
    return (uint32_t)(sm->array->env->sm_cycle % sm->array->c->sm_schedulers);
}

static void pick_all(struct sm *sm, uint32_t picked[MAX_SCHEDULERS])
{
    uint32_t n = sm->array->c->sm_schedulers, s = first_in_turn(sm);
    sm->sp_left = sm->array->c->sm_sp_units;
    sm->lsu_taken = false;
    for (uint32_t i = 0; i < n; i++, s = s + 1 < n ? s + 1 : 0)
        picked[s] = pick(sm, &sm->scheduler[s], able_to_issue(sm));
}

/* If only these warps' global memory instructions were allowed: would a scheduler pick one? */
static bool would_pick(struct sm *sm, warp_set allowed)
{
    uint32_t picked[MAX_SCHEDULERS];
    uint64_t sfu_free[MAX_SFU];
    warp_set global = sm->ready[PORT_LSU] & ~sm->shared_next & allowed, all = 0;
    if (!global) return false;
    memcpy(sfu_free, sm->sfu_free, sizeof sfu_free);
    sm->lsu_allowed = allowed;
    pick_all(sm, picked);
    memcpy(sm->sfu_free, sfu_free, sizeof sfu_free);
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++) all |= picked[i] == NO_WARP ? 0 : warp_bit(picked[i]);
    return global & all;
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

static void issue_in_turn(struct sm *sm)
{
    uint32_t n = sm->array->c->sm_schedulers, s = first_in_turn(sm);
    warp_set able = able_to_issue(sm);
    for (uint32_t i = 0; i < n; i++, s = s + 1 < n ? s + 1 : 0) {
        uint32_t w = pick(sm, &sm->scheduler[s], able);
        if (w == NO_WARP) continue;
        issue(sm, &sm->scheduler[s], w);
        able = able_to_issue(sm);
    }
}

void schedulers_tick(struct sm *sm)
{
    warps_time(sm);
    sm->sp_left = sm->array->c->sm_sp_units;
    sm->lsu_taken = false;
    if (sm->arbiter) ask_arbiter(sm);
    if (sm->arbiter && arbiter_ranks(sm->arbiter))
        issue_ranked(sm);
    else
        issue_in_turn(sm);
    sm->lsu_taken = false;
}

uint64_t schedulers_wake(const struct sm *sm)
{
    uint64_t wake = sm->timed_min;
    for (uint32_t i = 0; sm->ready[PORT_SFU] && i < sm->array->c->sm_sfu_units; i++)
        if (sm->sfu_free[i] > sm->array->env->sm_cycle && sm->sfu_free[i] < wake) wake = sm->sfu_free[i];
    return wake;
}
