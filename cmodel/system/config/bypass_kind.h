/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of bypassing.  Of an L1D: a file of cache/bypasses/ each (policy.h), whose name is a value of l1d.bypass.mode.
 * A kind decides by owner (l1d.bypass.level) which reads bypass the L1D; it may learn from the L1D's traffic.
 *
 * Per L1D cycle: at most one call of each, then the clock edge.  A late dl_mshr answer may add a second access(): at
 * most one more call than cycles in total. */
#ifndef MEMTWIN_BYPASS_KIND_H
#define MEMTWIN_BYPASS_KIND_H
#include "system/config/config.h"
#include "system/config/gate_kind.h"
#include "system/config/miss_kind.h"
#include "system/config/policy.h"

struct env;

struct bypass_kind {
    struct policy policy;
    /* Whether reads of this owner bypass.  `learner`: of this L1D; `decider`: of the deciding L1D (l1d.bypass.scope).
     */
    bool (*decide)(const struct config *c, const void *learner, const void *decider, uint32_t owner);
    bool (*check)(const struct config *c, struct error *err); /* for config_check(); or NULL */
    bool of_blocks; /* an SM's bypass_learner decides for each thread block (sm/pair.c) */
    /* Number of thread blocks of a workload per SM whose reads all bypass; or NULL. */
    uint32_t (*blocks)(const struct config *c, uint32_t workload);
    const struct gate_kind *gate; /* of the L1D, which decides when a read is looked up, for all owners; or NULL */

    /* A kind with a learner in each L1D has all of these; the others have none. */
    void *(*create)(struct env *env, uint32_t sm, struct error *err); /* NULL and an error if it fails */
    void (*destroy)(void *learner);
    /* A read is accepted, by the tags or as a bypass; `owners`: one more than the highest owner present. */
    void (*access)(void *learner, uint64_t line, uint32_t set, uint32_t owner, uint32_t owners);
    void (*failure)(void *learner);                 /* an access to the tags was refused in this cycle */
    bool (*edge)(void *learner, struct error *err); /* false: the block broke a rule, or raised its error */
    bool (*settling)(const void *learner);          /* the next edges change state without an input */
    void (*idle)(void *learner, uint64_t failures); /* that many cycles with a failure and no other event */
    void (*flush)(void *learner);                   /* the L1D was invalidated */
};

#define BYPASS_KIND_REGISTER(...) POLICY_REGISTER("L1D bypass", __VA_ARGS__)

static inline const struct bypass_kind *bypass_kind_of(const struct config *c)
{
    return (const struct bypass_kind *)policy_at("L1D bypass", c->l1d_bypass_mode);
}

/* Of an L2 slice: a value of l2.bypass.mode. */
struct l2_bypass {
    struct policy policy;
    const struct gate_kind *gate;                             /* NULL: no request bypasses */
    bool (*check)(const struct config *c, struct error *err); /* for config_check(); or NULL */
};

#define L2_BYPASS_REGISTER(...) POLICY_REGISTER("L2 bypass", __VA_ARGS__)

static inline const struct l2_bypass *l2_bypass_of(const struct config *c)
{
    return (const struct l2_bypass *)policy_at("L2 bypass", c->l2_bypass_mode);
}

/* Of a read miss that a cache refuses: a value of l1d.bypass.on_stall and l2.bypass.on_stall. */
struct stall_bypass {
    struct policy policy;
    bool (*around)(
        bool no_way); /* whether it bypasses; no_way: it lacks a way that can be reserved.  NULL: none does */
};

#define STALL_BYPASS_REGISTER(...) POLICY_REGISTER("bypass on stall", __VA_ARGS__)

static inline const struct stall_bypass *stall_bypass_of(const struct config *c, enum miss_cache cache)
{
    return (const struct stall_bypass *)policy_at("bypass on stall", MISS_OPTION(c, cache, bypass_on_stall));
}
#endif
