/* SPDX-License-Identifier: Apache-2.0 */
/* DRRIP: dynamic re-reference interval prediction (Jaleel10, section 4).  A line has a prediction of two bits: 0 an
 * early reuse, 3 a late one.  The first way with 3 is replaced; if there is none, all age until there is.  A hit sets
 * 0.
 *
 * A new line gets 2 (SRRIP), or 3 and every 32nd time 2 (BRRIP), which keeps a part of a working set that does not fit.
 * Of eight sets one always does the former and one the latter; the misses of these sets decide for the others. */
#include <stdlib.h>

#include "base/arith.h"
#include "system/config/replacement_kind.h"
#include "system/unit/gpu.h"

enum { EARLY = 0, LONG = 2, LATE = 3 }; /* predictions */
enum { DUELS = 8, SELECT_BITS = 10, SELECT_HALF = 1 << (SELECT_BITS - 1), EVERY = 32, MOST_WAYS = 16 };

struct learner {
    uint32_t ways, new_lines; /* new_lines: with BRRIP */
    uint32_t select;          /* at least SELECT_HALF: SRRIP misses more often */
    uint16_t free;            /* ways without a line, of the last victim(): the way taken next is of that set */
    uint8_t prediction[];     /* of each way */
};

static bool drrip_check(const struct config *c, enum miss_cache cache, struct error *err)
{
    if (cache == MISS_L2) return error_set(err, "l2.replacement: found drrip, which is for the L1D");
    if (c->l1d_unbounded)
        return error_set(
            err,
            "l1d.unbounded: found true with l1d.replacement = drrip, allowed with it: false, as nothing is replaced");
    return c->l1d_ways <= MOST_WAYS ||
           error_set(err, "l1d.replacement: found drrip with l1d.ways = %u, allowed with it: 1 to %d", c->l1d_ways,
                     MOST_WAYS);
}

static void *drrip_create(const struct env *env, const char *unit, struct error *err)
{
    const struct config *c = env->config;
    struct learner *l = calloc(1, sizeof *l + c->l1d_sets * c->l1d_ways * sizeof *l->prediction);
    if (!l) return error_set(err, "%s: out of memory", unit), NULL;
    l->ways = c->l1d_ways;
    l->select = SELECT_HALF - 1;
    return l;
}

static void drrip_destroy(void *learner)
{
    free(learner);
}

static uint8_t *predictions(struct learner *l, uint32_t set)
{
    return &l->prediction[set * l->ways];
}

/* A way without a line; else the first with the latest prediction, of those that may be replaced. */
static uint32_t drrip_victim(void *learner, uint32_t set, struct way_masks ways, bool *bypass)
{
    struct learner *l = learner;
    const uint8_t *of = predictions(learner, set);
    uint32_t best = l->ways;
    *bypass = false;
    l->free = ways.free;
    if (ways.free) return (uint32_t)__builtin_ctz(ways.free);
    for (uint32_t i = 0; i < l->ways; i++)
        if (!(ways.held >> i & 1) && (best == l->ways || of[i] > of[best])) best = i;
    return best;
}

static bool inserts_late(struct learner *l, uint32_t set)
{
    const uint32_t duel = set % DUELS;
    const bool bimodal = duel == 1 || (duel && l->select >= SELECT_HALF);
    return bimodal && ++l->new_lines % EVERY;
}

/* All age as much as a line that is replaced must to be late. */
static void drrip_taken(void *learner, uint32_t set, uint32_t way)
{
    struct learner *l = learner;
    uint8_t *of = predictions(l, set);
    const uint32_t age = l->free >> way & 1 ? 0 : LATE - of[way];
    for (uint32_t i = 0; i < l->ways; i++) of[i] = (uint8_t)min_u32(of[i] + age, LATE);
    of[way] = inserts_late(l, set) ? LATE : LONG;
}

static void drrip_access(void *learner, uint64_t line, uint32_t set, bool hit, uint32_t way)
{
    struct learner *l = learner;
    (void)line;
    if (hit)
        predictions(l, set)[way] = EARLY;
    else if (set % DUELS == 0)
        l->select = min_u32(l->select + 1, 2 * SELECT_HALF - 1);
    else if (set % DUELS == 1)
        l->select -= l->select > 0;
}

static uint64_t drrip_use(uint64_t word, enum way_use use, uint64_t uses)
{
    (void)word, (void)use, (void)uses;
    return 1;
}

static const struct replacement drrip = {
    .policy = {"drrip",
               "re-reference interval prediction, two bits; set dueling selects how new lines start (L1D only)"},
    .use = drrip_use,
    .check = drrip_check,
    .create = drrip_create,
    .destroy = drrip_destroy,
    .victim = drrip_victim,
    .taken = drrip_taken,
    .access = drrip_access};
REPLACEMENT_REGISTER(drrip);
