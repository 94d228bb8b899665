/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of L1D bypassing: a file of cache/bypasses/ each (policy.h), whose name is a value of l1d.bypass.mode.  A kind
 * decides by owner (l1d.bypass.level) which reads bypass the L1D; it may learn from the L1D's traffic.
 *
 * Per L1D cycle: at most one call of each, then the clock edge.  A late dl_mshr answer may add a second access(): at
 * most one more call than cycles in total. */
#ifndef MEMTWIN_BYPASS_KIND_H
#define MEMTWIN_BYPASS_KIND_H
#include "system/config/config.h"
#include "system/config/policy.h"

struct env;
struct stats;

struct bypass_kind {
    struct policy policy;
    /* Whether reads of this owner bypass.  `learner`: of this L1D; `decider`: of the deciding L1D (l1d.bypass.scope).
     */
    bool (*decide)(const struct config *c, const void *learner, const void *decider, uint32_t owner);
    bool (*check)(const struct config *c, struct error *err);                       /* for config_check(); or NULL */
    bool (*laws)(const struct config *c, const struct stats *s, struct error *err); /* hold at a run's end; or NULL */
    bool of_blocks; /* an SM's bypass_learner decides for each thread block (sm/pair.c) */
    /* Number of thread blocks of a workload per SM whose reads all bypass; or NULL. */
    uint32_t (*blocks)(const struct config *c, uint32_t workload);
    bool streams; /* the L1D has a stream_bypass, which decides when a read is looked up, for all owners */

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

#define BYPASS_KIND_REGISTER(p) POLICY_REGISTER("L1D bypass", p)

static inline const struct bypass_kind *bypass_kind_of(const struct config *c)
{
    return (const struct bypass_kind *)policy_at("L1D bypass", c->l1d_bypass_mode);
}
#endif
