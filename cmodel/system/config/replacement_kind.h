/* SPDX-License-Identifier: Apache-2.0 */
/* Replacement: a file of cache/replacements/ each (policy.h), whose name is a value of l1d.replacement and
 * l2.replacement.  Each way has a word, which is the policy's own: 0 if the way is invalid, else at least 1.  The way
 * with the smallest word is replaced, the lowest of several; a reserved way never is.
 *
 * A learning policy selects the way itself.  In a cycle of its cache at most one line gets a way and one read is
 * accepted, then the clock edge; a second read can be accepted when a dl_mshr answers late, at most once more than
 * there were cycles.  In some L1Ds a cycle has several lines (replacement_sees_several()): the policy sees them one
 * after the other, each in its way and as an access, and its blocks have a clock edge for each. */
#ifndef MEMTWIN_REPLACEMENT_KIND_H
#define MEMTWIN_REPLACEMENT_KIND_H
#include <stdint.h>

#include "system/config/config.h"
#include "system/config/miss_kind.h"
#include "system/config/policy.h"

struct env;

enum way_use { WAY_TAKEN, WAY_USED }; /* a line is allocated the way; an access hits its line, valid or being fetched */

/* Of a set, a bit for each way: those without a line, and those with a reserved block; and the words of its ways. */
struct way_masks {
    uint16_t free, held;
    const uint64_t *words;
};

struct replacement {
    struct policy policy;
    /* The way's word after that.  `uses`: uses of the whole array, this one included. */
    uint64_t (*use)(uint64_t word, enum way_use use, uint64_t uses);
    /* Way `victim` of the set is about to be replaced: the words of the others may change.  NULL: they do not. */
    void (*replaced)(uint64_t *words, uint32_t ways, uint32_t victim);
    bool (*check)(const struct config *c, enum miss_cache cache, struct error *err); /* for config_check(); or NULL */

    /* A policy that learns has all of these, and a learner in each cache; the others have none of what follows. */
    void *(*create)(const struct env *env, const char *unit, struct error *err); /* NULL and an error if it fails */
    void (*destroy)(void *learner);
    /* The way to replace; *bypass: the miss should bypass the cache instead. */
    uint32_t (*victim)(void *learner, uint32_t set, struct way_masks ways, bool *bypass);
    void (*taken)(void *learner, uint32_t set, uint32_t way); /* a line gets the way */
    /* A read is accepted, or a write that takes a way if its line has none.  `hit`: its line had this way. */
    void (*access)(void *learner, uint64_t line, uint32_t set, bool hit, uint32_t way);

    /* Optional. */
    void (*bypassed)(void *learner, uint64_t line, uint32_t set); /* a miss has, as victim() asked */
    bool (*edge)(void *learner, struct error *err); /* false: the block broke a rule, or raised its error */
    bool (*settling)(const void *learner);          /* the next edges change state without an input */
    void (*flush)(void *learner);                   /* the cache was invalidated */

    /* Optional, for learning policies that distinguish the workload of a line. */
    void (*whose)(void *learner, uint32_t workload);                     /* workload of the lines in the next calls */
    bool (*has_way)(void *learner, uint32_t set, struct way_masks ways); /* false: its line has to wait */
    /* The workload's lines were invalidated; true: there is work for the next edge. */
    bool (*flush_workload)(void *learner, uint32_t workload);
    uint64_t (*wake)(const void *learner); /* the next SM cycle that has an edge, without an input; NEVER: none */
};

#define REPLACEMENT_REGISTER(...) POLICY_REGISTER("replacement", __VA_ARGS__)

/* Several banks, or a write that takes a way in the cycle of a late answer. */
static inline bool replacement_sees_several(const struct config *c)
{
    return c->l1d_banks || config_writes_allocate(c);
}

static inline const struct replacement *replacement_of(const struct config *c, enum miss_cache cache)
{
    return (const struct replacement *)policy_at("replacement", MISS_OPTION(c, cache, replacement));
}
#endif
