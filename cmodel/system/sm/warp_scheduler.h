/* SPDX-License-Identifier: Apache-2.0 */
/* Warp schedulers: a file of schedulers/ each (config/policy.h), whose name is a value of sm.scheduler.
 *
 * A scheduler may be called several times in a cycle (cke.scheme); the last call counts.  So it changes only its own
 * field `active`; the array records the warp that issued last. */
#ifndef MEMTWIN_WARP_SCHEDULER_H
#define MEMTWIN_WARP_SCHEDULER_H
#include "system/config/policy.h"
#include "system/sm/scoreboard.h"

struct warp_scheduler {
    struct policy policy;
    bool needs_ranges; /* reads the workloads' access ranges */
    bool needs_warps;  /* also those of each warp */
    bool limits;       /* a fixed number of warps may issue, and the others wait for them */
    /* The warps that may issue, of those with registers and port ready; NULL: all. */
    warp_set (*allow)(const struct sm *sm, struct scheduler *s, warp_set able);
    /* Selects the warp that issues, from at least one candidate. */
    uint32_t (*choose)(const struct sm *sm, const struct scheduler *s, warp_set candidates);
    struct sm_hooks hooks; /* of a scheduler with a state, sm_array.scheduler_state */
};

#define WARP_SCHEDULER_REGISTER(...) POLICY_REGISTER("warp scheduler", __VA_ARGS__)

/* The warp that has been in the SM longest; `s` is not empty.  Warps of a thread block start in the order of their
 * slots, so most searches are short, and the host predicts their end. */
static inline uint32_t warp_oldest(const struct sm *sm, warp_set s)
{
    uint32_t w = warp_first(s);
    for (warp_set rest = s & warps_older(sm, w); rest; rest &= warps_older(sm, w)) w = warp_first(rest);
    return w;
}

/* The oldest `count` warps of a scheduler.  Warps at a barrier or an mbarrier do not count: otherwise a limit could
 * block the warps that it waits for. */
static inline warp_set warps_oldest(const struct sm *sm, const struct scheduler *s, uint32_t count)
{
    const warp_set all = s->mine & sm->resident & ~(sm->at_barrier | sm->awaiting);
    if (warp_count(all) <= count) return all;
    const uint64_t words[2] = {(uint64_t)all, (uint64_t)(all >> 64)};
    warp_set oldest = 0;
    for (const uint8_t *w = sm->by_age; count; w++) {
        if (!(words[*w / 64] >> *w % 64 & 1)) continue;
        oldest |= warp_bit(*w);
        count--;
    }
    return oldest;
}

/* The next warp slot after `last`, with wrap-around; `s` is not empty. */
static inline uint32_t warp_next(warp_set s, uint32_t last)
{
    warp_set above = last + 1 < MAX_WARPS ? s >> (last + 1) << (last + 1) : 0;
    return warp_first(above ? above : s);
}

/* The warp that issued last, else the oldest. */
static inline uint32_t warp_greedy(const struct sm *sm, const struct scheduler *s, warp_set candidates)
{
    return s->last_stays && warp_in(candidates, s->last) ? s->last : warp_oldest(sm, candidates);
}
#endif
