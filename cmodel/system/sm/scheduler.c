/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers: each issues at most one instruction a cycle, of a warp with registers and port ready. */
#include "system/sm/scheduler.h"

#include <string.h>

#include "system/sm/collectors.h"
#include "system/sm/lsu.h"
#include "system/sm/sub_cores.h"
#include "system/sm/throttle.h"
#include "system/sm/warp.h"
#include "system/sm/warp_scheduler.h"

enum { NO_WARP = MAX_WARPS };

/* Mask of all warps or of none.  Branch-free, because the host cannot predict the condition. */
static inline uint64_t all_if(bool b)
{
    return -(uint64_t)b;
}

/* Of 64 warps of a scheduler, those whose unit is busy. */
static inline uint64_t held_by_unit(const struct sm *sm, uint32_t number, uint32_t word)
{
    return sm->sub_cores ? sub_cores_held(sm->sub_cores, number, word) : 0;
}

/* SP ports: with units of their own, no scheduler waits for another. */
static inline uint32_t sp_ports(const struct sm *sm)
{
    return sm->sub_cores ? MAX_SCHEDULERS : sm->array->c->sm_sp_units;
}

/* Warps of a scheduler, and others, whose operands and port are ready.  Barrier and exit wait until the reorder buffer
 * holds none of the warp's accesses. */
static warp_set prepared(const struct sm *sm, uint32_t number)
{
    const uint64_t sp = all_if(sm->sp_left), none = sp | all_if(!sm->collectors);
    const uint64_t sfu = all_if(sm->collectors ? sm->sfu_left : sm->sfu_next <= sm->array->env->sm_cycle);
    const uint64_t lsu = all_if(sm->collectors || ring_room(&sm->queue)) & all_if(!sm->lsu_taken);
    warp_set s = 0;
    for (uint32_t i = warp_words(sm); i--;) {
        const struct warp_word *w = &sm->word[i];
        s = s << 64 | (w->wait[FOR_PORT] & ~held_by_unit(sm, number, i) &
                       ((w->need[PORT_SP] & sp) | (w->need[PORT_SFU] & sfu) |
                        (w->need[PORT_LSU] & w->lsu_allowed & lsu) | (w->need[PORT_NONE] & ~w->unordered & none)));
    }
    return s;
}

/* Of these, the warps that the throttle allows. */
static warp_set able_to_issue(const struct sm *sm, uint32_t number)
{
    return prepared(sm, number) & ~throttle_held(sm);
}

static void take_sfu(struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle;
    uint32_t port = 0;
    while (sm->sfu_free[port] > now) port++;
    sm->sfu_free[port] = now + sm->array->c->sm_sfu_interval;
    sm->sfu_next = NEVER;
    for (uint32_t i = 0; i < sm->array->c->sm_sfu_units; i++) sm->sfu_next = min_u64(sm->sfu_next, sm->sfu_free[i]);
}

/* A place in the stage in front of the collectors. */
static void take_place(struct sm *sm, uint8_t port)
{
    sm->sp_left = (uint8_t)(sm->sp_left - (port == PORT_SP || port == PORT_NONE));
    sm->sfu_left = (uint8_t)(sm->sfu_left - (port == PORT_SFU));
    sm->lsu_taken |= port == PORT_LSU;
}

static void take_port(struct sm *sm, uint32_t number, uint32_t w)
{
    const uint8_t port = sm->port[w];
    if (sm->sub_cores) sub_cores_take(sm, number, w);
    if (sm->collectors) {
        take_place(sm, port);
        return;
    }
    sm->sp_left = (uint8_t)(sm->sp_left - (port == PORT_SP));
    sm->lsu_taken |= port == PORT_LSU;
    if (port == PORT_SFU) take_sfu(sm);
}

/* `held`: warps held back by the throttle; they do not count as refused by the LSU.  `words`: warp_words(). */
static inline enum stall why_not(const struct sm *sm, const struct scheduler *s, warp_set able, warp_set held,
                                 uint32_t words)
{
    enum { TIMED = 1, LOADS = 2, REFUSED = 4, LSU = 8 }; /* LSU has priority over the others */
    static const uint8_t reason[] = {STALL_IDLE, STALL_DEPENDENCE, STALL_MEMORY,      STALL_MEMORY,
                                     STALL_PORT, STALL_PORT,       STALL_MEMORY_PORT, STALL_MEMORY_PORT,
                                     STALL_LSU,  STALL_LSU,        STALL_LSU,         STALL_LSU,
                                     STALL_LSU,  STALL_LSU,        STALL_LSU,         STALL_LSU};
    uint32_t why = 0;
    for (uint32_t i = 0; i < words; i++) {
        const struct warp_word *w = &sm->word[i];
        const uint64_t mine = warp_set_word(s->mine, i), refused = mine & w->wait[FOR_PORT] & ~warp_set_word(able, i);
        why |= w->wait[FOR_TIME] & mine ? TIMED : 0u;
        why |= w->wait[FOR_LOAD] & mine ? LOADS : 0u;
        why |= refused & ~w->need[PORT_NONE] ? REFUSED : 0u;
        why |= refused & w->need[PORT_LSU] & ~warp_set_word(held, i) ? LSU : 0u;
    }
    return (enum stall)reason[why];
}

static enum stall stall(const struct sm *sm, uint32_t number, warp_set able)
{
    const struct scheduler *s = &sm->scheduler[number];
    const warp_set held = throttle_held(sm);
    if (held && (prepared(sm, number) & held & s->mine)) return STALL_THROTTLE;
    return why_not(sm, s, able, held, warp_words(sm));
}

/* Candidates of a scheduler for issue; if there is none, records the stall cause. */
static warp_set candidates(struct sm *sm, uint32_t number)
{
    struct scheduler *s = &sm->scheduler[number];
    const warp_set able = able_to_issue(sm, number);
    warp_set c = able & s->mine;
    if (sm->array->scheduler->allow) c = sm->array->scheduler->allow(sm, s, c);
    if (!c) sm->stalls |= stall(sm, number, able) << number * STALL_BITS;
    return c;
}

/* Selects the candidate that issues. */
static inline uint32_t choose_warp(const struct sm *sm, const struct scheduler *s, warp_set c)
{
    return c & (c - 1) ? sm->array->scheduler->choose(sm, s, c) : warp_first(c);
}

static inline void note_issue(struct sm *sm, struct scheduler *s, uint32_t w)
{
    s->last = w;
    s->last_stays = true;
    sm->changed = true;
}

static void issue(struct sm *sm, struct scheduler *s, uint32_t w)
{
    note_issue(sm, s, w);
    if (sm->collectors)
        collectors_take(sm, w);
    else if (sm->port[w] == PORT_LSU)
        lsu_push(sm, w);
    warp_issue(sm, w);
}

/* The schedulers share the ports; the first one rotates from cycle to cycle. */
static uint32_t first_in_turn(const struct sm *sm)
{
    const uint64_t now = sm->array->env->sm_cycle + sm->turn;
    const uint32_t n = sm->array->c->sm_schedulers;
    return (uint32_t)(is_power_of_two(n) ? now & (n - 1) : now % n); /* spares a division */
}

static inline uint32_t next_in_turn(uint32_t s, uint32_t n)
{
    return (s + 1) & (uint32_t)all_if(s + 1 < n);
}

static inline void free_ports(struct sm *sm)
{
    const struct collectors *s = sm->collectors;
    sm->sp_left = (uint8_t)(s ? collectors_room(s, PORT_SP) : sp_ports(sm));
    sm->sfu_left = (uint8_t)(s ? collectors_room(s, PORT_SFU) : 0);
    sm->lsu_taken = s && !collectors_room(s, PORT_LSU);
    sm->stalls = 0;
}

static void pick_all(struct sm *sm, uint32_t picked[MAX_SCHEDULERS])
{
    uint32_t n = sm->array->c->sm_schedulers, s = first_in_turn(sm);
    free_ports(sm);
    for (uint32_t i = 0; i < n; i++, s = next_in_turn(s, n)) {
        const warp_set c = candidates(sm, s);
        picked[s] = c ? choose_warp(sm, &sm->scheduler[s], c) : NO_WARP;
        if (c) take_port(sm, s, picked[s]);
    }
}

/* Warps allowed to issue memory instructions.  Instructions of shared memory outside the arbitration, and of
 * constant memory, may always issue. */
static void allow(struct sm *sm, warp_set warps)
{
    for (uint32_t i = 0; i < WARP_WORDS; i++) sm->word[i].lsu_allowed = warp_set_word(warps | sm->shared_next, i);
}

/* Whether a scheduler would pick an arbitrated memory instruction if only these warps were allowed to issue one. */
static bool would_pick(struct sm *sm, warp_set allowed)
{
    uint32_t picked[MAX_SCHEDULERS];
    uint64_t sfu_free[MAX_SFU], sfu_next = sm->sfu_next;
    struct busy_units busy;
    warp_set asking = warps_ready(sm, PORT_LSU) & ~sm->shared_next & allowed, all = 0;
    if (!asking) return false;
    memcpy(sfu_free, sm->sfu_free, sizeof sfu_free);
    if (sm->sub_cores) busy = sm->sub_cores->busy;
    allow(sm, allowed);
    pick_all(sm, picked);
    memcpy(sm->sfu_free, sfu_free, sizeof sfu_free);
    sm->sfu_next = sfu_next;
    if (sm->sub_cores) sm->sub_cores->busy = busy;
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++) all |= picked[i] == NO_WARP ? 0 : warp_bit(picked[i]);
    return asking & all;
}

static void ask_arbiter(struct sm *sm)
{
    uint32_t asks = 0, workloads = sm->array->workloads;
    for (uint32_t w = 0; arbiter_ranks(sm->arbiter) && w < workloads; w++)
        asks |= (uint32_t)would_pick(sm, sm->of[w]) << w;
    const uint32_t chosen = arbiter_choose(sm->arbiter, asks);
    warp_set allowed = 0;
    for (uint32_t w = 0; w < workloads; w++)
        if (chosen >> w & 1) allowed |= sm->of[w];
    allow(sm, allowed);
}

/* All schedulers pick before any issues: an issue may release a barrier or end a warp and so change later picks, and
 * the arbiter decided on these picks. */
static void issue_ranked(struct sm *sm)
{
    uint32_t picked[MAX_SCHEDULERS];
    pick_all(sm, picked);
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++)
        if (picked[i] != NO_WARP) issue(sm, &sm->scheduler[i], picked[i]);
}

static void scheduler_turn(struct sm *sm, uint32_t number)
{
    struct scheduler *s = &sm->scheduler[number];
    const warp_set c = candidates(sm, number);
    if (!c) return;
    const uint32_t w = choose_warp(sm, s, c);
    take_port(sm, number, w);
    issue(sm, s, w);
}

static void issue_in_turn(struct sm *sm)
{
    const uint32_t n = sm->array->c->sm_schedulers;
    uint32_t s = first_in_turn(sm);
    free_ports(sm);
    for (uint32_t i = 0; i < n; i++, s = next_in_turn(s, n)) scheduler_turn(sm, s);
}

/* sm_array.quick_issue, most runs: at most 64 warps, so one word per set. */

/* A mask per port: all ones if the port is free in this turn, else 0.  `none`: of barriers and exits, which take a
 * place of the SP units in front of the collectors. */
struct free_ports {
    uint64_t sp, sfu, lsu, none;
    uint32_t sp_left, sfu_left; /* sfu_left: with collectors */
};

static inline struct free_ports quick_ports(const struct sm *sm)
{
    const struct collectors *s = sm->collectors;
    if (!s)
        return (struct free_ports){.sp = UINT64_MAX,
                                   .sfu = all_if(sm->sfu_next <= sm->array->env->sm_cycle),
                                   .lsu = all_if(ring_room(&sm->queue)),
                                   .none = UINT64_MAX,
                                   .sp_left = sp_ports(sm)};
    const uint32_t sp = collectors_room(s, PORT_SP), sfu = collectors_room(s, PORT_SFU);
    return (struct free_ports){.sp = all_if(sp),
                               .sfu = all_if(sfu),
                               .lsu = all_if(collectors_room(s, PORT_LSU)),
                               .none = all_if(sp),
                               .sp_left = sp,
                               .sfu_left = sfu};
}

static inline void take_quick_place(struct free_ports *f, uint8_t port)
{
    f->sp_left -= port == PORT_SP || port == PORT_NONE;
    f->sfu_left -= port == PORT_SFU;
    f->sp = f->none = all_if(f->sp_left);
    f->sfu = all_if(f->sfu_left);
    f->lsu &= all_if(port != PORT_LSU);
}

static inline void take_quick_port(struct sm *sm, struct free_ports *f, uint8_t port)
{
    f->sp_left -= port == PORT_SP;
    f->sp = all_if(f->sp_left);
    f->lsu &= all_if(port != PORT_LSU);
    if (port != PORT_SFU) return;
    take_sfu(sm);
    f->sfu = all_if(sm->sfu_next <= sm->array->env->sm_cycle);
}

static inline void turn_quick(struct sm *sm, struct scheduler *s, uint32_t number, struct free_ports *f)
{
    const uint64_t *need = sm->word[0].need;
    const uint64_t able =
        sm->word[0].wait[FOR_PORT] & ~held_by_unit(sm, number, 0) &
        ((need[PORT_SP] & f->sp) | (need[PORT_SFU] & f->sfu) | (need[PORT_LSU] & f->lsu) | (need[PORT_NONE] & f->none));
    const uint64_t c = able & (uint64_t)s->mine;
    if (!c) {
        sm->stalls |= why_not(sm, s, able, 0, 1) << number * STALL_BITS;
        return;
    }
    const uint32_t w = c & (c - 1) ? sm->array->scheduler->choose(sm, s, c) : (uint32_t)__builtin_ctzll(c);
    if (sm->sub_cores) sub_cores_take(sm, number, w);
    note_issue(sm, s, w);
    if (sm->collectors) {
        take_quick_place(f, sm->port[w]);
        collectors_take(sm, w);
    } else {
        take_quick_port(sm, f, sm->port[w]);
        if (sm->port[w] == PORT_LSU) lsu_push(sm, w);
    }
    warp_issue_quick(sm, w);
}

/* Prefetches the struct of the scheduler's lowest warp with ready registers, which is likely to issue soon.  Without
 * one it prefetches warp 0: the host would mispredict a branch. */
static inline void prefetch_next(const struct sm *sm, const struct scheduler *s)
{
    const uint64_t ready = sm->word[0].wait[FOR_PORT] & (uint64_t)s->mine;
    __builtin_prefetch(&sm->warps[__builtin_ctzll(ready ? ready : 1)]);
}

/* The loop is unrolled, since the host cannot predict the end of a loop with so many calls. */
static void issue_quick(struct sm *sm)
{
    const uint32_t n = sm->array->c->sm_schedulers;
    struct free_ports f = quick_ports(sm);
    uint32_t s = first_in_turn(sm);
    warps_due(sm, 1);
    for (uint32_t i = 0; i < n; i++) prefetch_next(sm, &sm->scheduler[i]);
    sm->stalls = 0;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < MAX_SCHEDULERS; i++, s = next_in_turn(s, n)) {
        if (i == n) return;
        turn_quick(sm, &sm->scheduler[s], s, &f);
    }
}

static void __attribute__((noinline)) issue_other(struct sm *sm)
{
    warps_due(sm, warp_words(sm));
    if (sm->arbiter) ask_arbiter(sm);
    if (sm->arbiter && arbiter_ranks(sm->arbiter))
        issue_ranked(sm);
    else
        issue_in_turn(sm);
}

/* The cycle in which time alone changes the outcome. */
static uint64_t next_wake(const struct sm *sm)
{
    uint64_t wake = warps_next_due(sm);
    if (sm->sub_cores) wake = min_u64(wake, sub_cores_wake(sm));
    const bool for_sfu = !sm->collectors && warps_ready(sm, PORT_SFU) && sm->sfu_next > sm->array->env->sm_cycle;
    return for_sfu ? min_u64(wake, sm->sfu_next) : wake;
}

uint64_t schedulers_tick(struct sm *sm)
{
    sm->changed = sm->collectors && collectors_tick(sm);
    if (sm->sub_cores) sub_cores_tick(sm);
    if (sm->array->quick_issue)
        issue_quick(sm);
    else
        issue_other(sm);
    return sm->changed ? sm->array->env->sm_cycle + 1 : next_wake(sm);
}
