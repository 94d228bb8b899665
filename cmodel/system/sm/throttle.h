/* SPDX-License-Identifier: Apache-2.0 */
/* Throttles: a file of throttles/ each (config/policy.h), whose name is a value of sm.throttle.  A throttle masks warps
 * before the warp scheduler selects: all their instructions, or their global loads.  Warps of a thread block wait for
 * each other at barriers: a throttle that limits warps must not count those that wait there (warps_oldest() in
 * warp_scheduler.h).
 *
 * A cycle: begin(), then for each SM that is awake: read() and replaced(); may_issue(), may_load() and issued() for
 * each instruction; tick().  A kernel starts or ends before begin().  may_issue() and may_load() are pure functions of
 * the state and the SM: they are called several times per cycle.
 *
 * An SM sleeps after a cycle that changed nothing (unit.h): idle() counts the cycles slept before its next tick().  A
 * throttle whose answers change with time alone either keeps the SM awake (tick() returns true) or wakes it (wake()).
 */
#ifndef MEMTWIN_THROTTLE_H
#define MEMTWIN_THROTTLE_H
#include "system/config/policy.h"
#include "system/sm/sm_core.h"

struct throttle {
    struct policy policy;

    /* The state of all SMs; NULL and an error if it fails.  A throttle without these two has no other hooks. */
    void *(*create)(struct sm_array *a, struct error *err);
    void (*destroy)(void *state);

    /* Each of these may be NULL: every warp may, nothing happens, never. */

    /* The warps of the SM that may issue, and those that may issue a global load. */
    warp_set (*may_issue)(const void *state, const struct sm *sm);
    warp_set (*may_load)(const void *state, const struct sm *sm);

    void (*issued)(void *state, const struct sm *sm, uint32_t w, const struct inst *i);
    /* As in struct l1d_listener: `a` has line and warp. */
    void (*read)(void *state, const struct sm *sm, const struct access *a, enum place how);
    void (*replaced)(void *state, const struct sm *sm, uint64_t line, uint32_t warp);
    void (*warp_started)(void *state, const struct sm *sm, uint32_t w);
    void (*warp_ended)(void *state, const struct sm *sm, uint32_t w); /* its loads are complete */
    void (*kernel_started)(void *state, const struct workload *k);
    void (*kernel_ended)(void *state, const struct workload *k);

    bool (*tick)(void *state, const struct sm *sm, struct error *err); /* the clock edge; true: the SM stays awake */
    uint64_t (*wake)(const void *state,
                     const struct sm *sm); /* of the SM: cycle in which time alone changes an answer */
    void (*idle)(void *state, const struct sm *sm, uint64_t cycles);

    /* For hardware that the SMs share.  begin() runs at the start of each cycle, and wakes (sm_wake()) the SMs whose
     * inputs it changes.  next() is the next cycle that must not be skipped. */
    void (*begin)(void *state, struct sm_array *a);
    uint64_t (*next)(const void *state);
};

warp_set throttle_ready_loads(const struct sm *sm); /* warps whose next instruction is a global load, and ready */

#define THROTTLE_REGISTER(...) POLICY_REGISTER("throttle", __VA_ARGS__)
#endif
