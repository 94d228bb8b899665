/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the SMs, and the hooks of those that listen: throttles, warp schedulers, block partitions, dispatchers, the
 * counters of workloads (share.c), and the learning hardware of a pair (pair.c).
 *
 * A listener has a struct of hooks and a state.  sm_events_add() registers each hook that is not NULL under its event.
 * SM_EACH() calls the listeners of an event, in the order of their registration: throttle, warp scheduler, block
 * partition, pair, dispatcher, counters.  An event without a listener costs one comparison.
 *
 * A cycle: begin(); due() and edge(); kernel_ended() and kernel_started() of each workload; warp_started() of all warps
 * of a thread block, then block_started(); dispatched().  Then for each SM that is awake: read(), replaced(),
 * occupied(); may_issue() and issued() for each instruction; warp_ended() and block_finished(); tick() and wake().
 *
 * An SM sleeps after a cycle that changed nothing (unit.h): idle() counts the cycles slept before its next tick().  A
 * listener whose answers change with time alone either keeps the SM awake (tick() returns true) or wakes it (wake()).
 *
 * With sim.skip a cycle without events is not simulated: begin() may change state only in cycles from next() on. */
#ifndef MEMTWIN_SM_EVENTS_H
#define MEMTWIN_SM_EVENTS_H
#include "base/error.h"
#include "system/cache/l1d.h"
#include "system/sm/warp_set.h"

struct inst; /* trace/inst.h */
struct sm;   /* sm_state.h, as the next one */
struct sm_array;
struct thread_block; /* workload.h, as the next one */
struct workload;

/* Each may be NULL. */
struct sm_hooks {
    /* The state of all SMs; NULL and an error in *err if it fails.  Both or none. */
    void *(*create)(struct sm_array *a, struct error *err);
    void (*destroy)(void *state);

    /* Between the cycles of the SMs. */

    void (*begin)(void *state, struct sm_array *a); /* of a cycle of all SMs, before kernels start */
    /* edge() reads counts of the SM at the beginning of a cycle: all cycles before are counted.  It is called in cycles
     * in which due() returns true for the SM.  Both or none. */
    bool (*due)(const void *state, const struct sm *sm);
    void (*edge)(void *state, struct sm *sm);
    /* A kernel of the workload has started.  False: an error in a->error. */
    bool (*kernel_started)(void *state, struct sm_array *a, struct workload *k);
    /* All thread blocks of a kernel have finished.  k->done: the workload has no other, and will not start again. */
    void (*kernel_ended)(void *state, struct sm_array *a, struct workload *k);
    void (*block_started)(void *state, struct sm *sm, struct thread_block *b);
    void (*warp_started)(void *state, const struct sm *sm, uint32_t w);
    /* For hardware that the SMs share: kernels and thread blocks of this cycle have started, and no SM has ticked.  It
     * wakes (sm_wake()) the SMs whose inputs it changes. */
    void (*dispatched)(void *state, struct sm_array *a);
    uint64_t (*next)(const void *state); /* the next cycle that must not be skipped */

    /* In the cycle of an SM. */

    void (*warp_ended)(void *state, const struct sm *sm, uint32_t w);           /* its loads are complete */
    void (*block_finished)(void *state, struct sm *sm, struct thread_block *b); /* the SM has its resources back */
    /* The warps of the SM that may issue their next instruction.  A pure function of the state and the SM: it is called
     * several times per cycle. */
    warp_set (*may_issue)(const void *state, const struct sm *sm);
    void (*issued)(void *state, const struct sm *sm, uint32_t w, const struct inst *i);
    /* A memory instruction of the thread block enters the LSU and will occupy it for so many cycles. */
    void (*occupied)(void *state, const struct sm *sm, const struct thread_block *b, uint32_t cycles);
    /* As in struct l1d_listener: `a` has line and warp. */
    void (*read)(void *state, const struct sm *sm, const struct access *a, enum place how);
    void (*replaced)(void *state, const struct sm *sm, uint64_t line, uint32_t warp);
    bool (*tick)(void *state, const struct sm *sm, struct error *err); /* the clock edge; true: the SM stays awake */
    uint64_t (*wake)(const void *state, const struct sm *sm);          /* cycle in which time alone changes an answer */
    void (*idle)(void *state, const struct sm *sm, uint64_t cycles);
};

/* The events, which have the names of their hooks: those between the cycles of SMs, and those in the cycle of an SM. */
#define SM_EVENTS_BETWEEN(X)                                                                                           \
    X(begin) X(edge) X(kernel_started) X(kernel_ended) X(block_started) X(warp_started) X(dispatched) X(next)
#define SM_EVENTS_WITHIN(X)                                                                                            \
    X(warp_ended)                                                                                                      \
    X(block_finished) X(may_issue) X(issued) X(occupied) X(read) X(replaced) X(tick) X(wake) X(idle)

#define SM_EVENT(name) SM_ON_##name,
enum sm_event { SM_EVENTS_BETWEEN(SM_EVENT) SM_EVENTS_WITHIN(SM_EVENT) SM_EVENTS };
#undef SM_EVENT

enum { SM_LISTENERS = 6 };

struct sm_listener {
    const struct sm_hooks *hooks;
    void *state;
};

struct sm_events {
    struct sm_listener of[SM_EVENTS][SM_LISTENERS + 1]; /* with the hook of the event; then one without hooks */
    struct sm_listener all[SM_LISTENERS];
    uint32_t count; /* of all */
};

/* for (each listener `l` of the event): l->hooks->EVENT(l->state, ...).  Compiled for events without a listener. */
#define SM_EACH(l, events, event)                                                                                      \
    for (const struct sm_listener *l = (events)->of[SM_ON_##event]; __builtin_expect(l->hooks != NULL, false); l++)

/* Whether an event has a listener. */
#define SM_HEARD(events, event) ((events)->of[SM_ON_##event][0].hooks != NULL)

/* Creates the state of a listener, which is returned in *state (NULL: not wanted), and registers its hooks.  False: an
 * error in *err. */
bool sm_events_add(struct sm_array *a, const struct sm_hooks *hooks, void **state, struct error *err);
void sm_events_destroy(struct sm_events *e);
/* Whether anything listens in the cycles of SMs. */
bool sm_events_within(const struct sm_events *e);
#endif
