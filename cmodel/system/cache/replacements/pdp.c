/* SPDX-License-Identifier: Apache-2.0 */
/* Protecting distance (Duong12): the block pdp chooses a line that is not protected, or the bypass.  For the L1D. */
#include "pdp.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "system/block/block_socket.h"
#include "system/config/replacement_kind.h"
#include "system/stats/law.h"

enum { TAG_BITS = 16, COUNT_BITS = 12, MOST_SETS = PDP_MAX_SETS, MOST_WAYS = PDP_MAX_WAYS };

struct learner {
    struct stats *stats;
    struct block_socket pdp;
    struct pdp_cfg cfg;
    struct pdp_in in;
    struct pdp_in second; /* a second access of this cycle, presented in the next */
    bool bypasses;
    bool several; /* replacement_sees_several(): a clock edge for each line */
    uint16_t fixed;
    uint32_t accesses; /* in this interval */
    uint32_t settle;   /* clock edges until the search in progress is visible */
    uint32_t distance; /* the computed one */
    struct error fault;
};

static uint32_t farthest(const struct config *c)
{
    return c->l1d_pdp_samples * c->l1d_pdp_sample_every;
}

/* The step S_d lets the bits of a line cover the longest distance. */
static struct pdp_cfg pdp_learner_configure(const struct config *c)
{
    const uint32_t bits = log2_floor(farthest(c));
    return (struct pdp_cfg){.Sets = c->l1d_sets,
                            .Ways = c->l1d_ways,
                            .SampledSets = c->l1d_pdp_sampled_sets,
                            .TagW = TAG_BITS,
                            .Depth = c->l1d_pdp_samples,
                            .InsertShift = log2_floor(c->l1d_pdp_sample_every),
                            .CountShift = log2_floor(c->l1d_pdp_step),
                            .CountW = COUNT_BITS,
                            .RpdW = c->l1d_pdp_rpd_bits,
                            .AgeShift = bits > c->l1d_pdp_rpd_bits ? bits - c->l1d_pdp_rpd_bits : 0,
                            .Interval = c->l1d_pdp_interval};
}

static bool power_of_two(const char *key, uint32_t value, struct error *err)
{
    return is_power_of_two(value) || error_set(err, "%s: found %u, allowed: a power of two", key, value);
}

static bool check_distances(const struct config *c, struct error *err)
{
    if (farthest(c) < 2)
        return error_set(err, "l1d.pdp.samples: found 1 with l1d.pdp.sample_every = 1, allowed with it: at least 2");
    if (farthest(c) < 2 * c->l1d_pdp_step)
        return error_set(err,
                         "l1d.pdp.step: found %u, allowed: up to %u, half of the longest distance, l1d.pdp.samples * "
                         "l1d.pdp.sample_every",
                         c->l1d_pdp_step, farthest(c) / 2);
    return c->l1d_pdp_distance <= farthest(c) ||
           error_set(err,
                     "l1d.pdp.distance: found %u, allowed: up to the longest distance, l1d.pdp.samples * "
                     "l1d.pdp.sample_every = %u",
                     c->l1d_pdp_distance, farthest(c));
}

static bool pdp_learner_check(const struct config *c, enum miss_cache cache, struct error *err)
{
    if (cache == MISS_L2) return error_set(err, "l2.replacement: found pdp, which is for the L1D: an L2 has no bypass");
    if (c->l1d_unbounded)
        return error_set(
            err,
            "l1d.unbounded: found true with l1d.replacement = pdp, allowed with it: false, as nothing is replaced");
    if (c->l1d_sets > MOST_SETS)
        return error_set(err, "l1d.replacement: found pdp with l1d.sets = %u, allowed with it: 1 to %u", c->l1d_sets,
                         MOST_SETS);
    if (c->l1d_ways > MOST_WAYS)
        return error_set(err, "l1d.replacement: found pdp with l1d.ways = %u, allowed with it: 1 to %u", c->l1d_ways,
                         MOST_WAYS);
    if (c->l1d_pdp_sampled_sets > c->l1d_sets)
        return error_set(err, "l1d.pdp.sampled_sets: found %u, allowed: up to l1d.sets = %u", c->l1d_pdp_sampled_sets,
                         c->l1d_sets);
    if (c->l1d_pdp_bypass && c->l1d_alloc == ALLOC_ON_FILL)
        return error_set(err, "l1d.pdp.bypass: allowed with l1d.alloc = on_fill: false, since with on_fill the tags do "
                              "not hold outstanding lines, and their reads would bypass again");
    return power_of_two("l1d.pdp.sampled_sets", c->l1d_pdp_sampled_sets, err) &&
           power_of_two("l1d.pdp.samples", c->l1d_pdp_samples, err) &&
           power_of_two("l1d.pdp.sample_every", c->l1d_pdp_sample_every, err) &&
           power_of_two("l1d.pdp.step", c->l1d_pdp_step, err) && check_distances(c, err);
}

static void pdp_learner_destroy(void *learner)
{
    struct learner *l = learner;
    block_socket_close(&l->pdp);
    free(l);
}

static void *pdp_learner_create(const struct env *env, const char *unit, struct error *err)
{
    const struct config *c = env->config;
    char name[32];
    snprintf(name, sizeof name, "%.20s.pdp", unit);
    struct learner *l = calloc(1, sizeof *l);
    if (!l) return error_set(err, "%s: out of memory", name), NULL;
    *l = (struct learner){.stats = env->stats,
                          .cfg = pdp_learner_configure(c),
                          .bypasses = c->l1d_pdp_bypass,
                          .several = replacement_sees_several(c),
                          .fixed = (uint16_t)c->l1d_pdp_distance};
    if (block_socket_open(&l->pdp, env, "pdp", &l->cfg, name, err)) return l;
    pdp_learner_destroy(l);
    return NULL;
}

static uint64_t pdp_learner_use(uint64_t word, enum way_use use, uint64_t uses)
{
    (void)word, (void)use, (void)uses;
    return 1;
}

static void pdp_learner_count(struct learner *l, const struct pdp_out *out)
{
    l->stats->pdp_sampled += out->acc_sampled_o;
    l->stats->pdp_found += out->acc_found_o;
    if (!out->strobe_o) return;
    l->stats->pdp_searches++;
    l->stats->pdp_distance_sum += out->pd_o;
    l->stats->pdp_distance_changes += out->pd_o != l->distance;
    l->distance = out->pd_o;
}

/* A search takes CountW + 1 cycles per counter; its result is visible one cycle later.  Accesses during a search are
 * not counted. */
static void pdp_learner_tick(struct learner *l)
{
    struct pdp_out out;
    l->in.fixed_pd_i = l->fixed;
    block_socket_eval(&l->pdp, &l->in, &out);
    if (out.error_o != PDP_OK) error_set(&l->fault, "%s: error_o: found %u, expected 0", l->pdp.unit, out.error_o);
    pdp_learner_count(l, &out);
    block_socket_tick(&l->pdp, &l->in);
    const bool searching = l->settle > 1;
    /* mutant: > -> <=: the block is ticked in every cycle: slower, and the same */
    l->settle -= l->settle > 0;
    if (l->in.acc_valid_i && !searching && ++l->accesses == l->cfg.Interval) {
        l->accesses = 0;
        l->settle = PDP_COUNTERS(&l->cfg) * (l->cfg.CountW + 1) + 1;
    }
    l->in = l->second;
    l->second = (struct pdp_in){0};
}

static bool pdp_learner_has_event(const struct pdp_in *in)
{
    return in->acc_valid_i || in->fill_valid_i;
}

/* The query stays in the inputs of the cycle, so captures contain it.  It comes behind the line before it. */
static uint32_t pdp_learner_victim(void *learner, uint32_t set, struct way_masks ways, bool *bypass)
{
    struct learner *l = learner;
    struct pdp_out out;
    if (l->several && pdp_learner_has_event(&l->in)) pdp_learner_tick(l);
    l->in.ask_set_i = (uint8_t)set;
    l->in.ask_free_i = ways.free;
    l->in.ask_held_i = ways.held;
    block_socket_eval(&l->pdp, &l->in, &out);
    *bypass = l->bypasses && out.ask_bypass_o;
    return out.ask_way_o;
}

static void pdp_learner_taken(void *learner, uint32_t set, uint32_t way)
{
    struct learner *l = learner;
    if (l->in.fill_valid_i) error_set(&l->fault, "%s: two lines get a way in a cycle, at most one can", l->pdp.unit);
    l->in.fill_valid_i = true;
    l->in.fill_set_i = (uint8_t)set;
    l->in.fill_way_i = (uint8_t)way;
}

static uint32_t pdp_learner_partial_tag(uint64_t line)
{
    return (line ^ line >> TAG_BITS ^ line >> 2 * TAG_BITS) & bits_mask(TAG_BITS);
}

static void pdp_learner_access(void *learner, uint64_t line, uint32_t set, bool hit, uint32_t way)
{
    struct learner *l = learner;
    if (l->several && l->in.acc_valid_i) pdp_learner_tick(l);
    struct pdp_in *in = l->in.acc_valid_i ? &l->second : &l->in;
    if (in->acc_valid_i) error_set(&l->fault, "%s: three accesses wait for it, at most two can", l->pdp.unit);
    in->acc_valid_i = true;
    in->acc_set_i = (uint8_t)set;
    in->acc_tag_i = pdp_learner_partial_tag(line);
    in->acc_hit_i = hit;
    in->acc_way_i = hit ? (uint8_t)way : 0;
    l->stats->pdp_accesses++;
}

/* It was looked up, so it counts as an access to the set. */
static void pdp_learner_bypassed(void *learner, uint64_t line, uint32_t set)
{
    pdp_learner_access(learner, line, set, false, 0);
    ((struct learner *)learner)->stats->pdp_bypassed++;
}

static bool pdp_learner_edge(void *learner, struct error *err)
{
    struct learner *l = learner;
    if (l->settle || pdp_learner_has_event(&l->in)) pdp_learner_tick(l);
    return !l->fault.text[0] || error_set(err, "%s", l->fault.text);
}

static bool pdp_learner_settling(const void *learner)
{
    const struct learner *l = learner;
    return l->settle || pdp_learner_has_event(&l->in);
}

static void pdp_learner_flush(void *learner)
{
    struct learner *l = learner;
    if (pdp_learner_has_event(&l->in)) pdp_learner_tick(l);
    l->in.flush_valid_i = true;
    pdp_learner_tick(l);
}

static bool pdp_learner_laws(const struct config *c, const struct stats *s, struct error *err)
{
    const bool chosen = replacement_of(c, MISS_L1D)->policy.laws == pdp_learner_laws;
    const uint64_t writes = config_writes_allocate(c) ? s->l1d_writes - s->l1d_atomics : 0;
    const struct law laws[] = {
        {"pdp.accesses = l1d hits + misses + merged + pdp.bypassed, and writes that allocate", true, s->pdp_accesses,
         c->l1d_banks ? LAW_AT_MOST : LAW_EQUAL,
         chosen ? s->l1d_hits + s->l1d_misses + s->l1d_merged + s->pdp_bypassed + writes : 0},
    };
    return laws_hold("", LAWS(laws), err);
}

static const struct replacement pdp = {
    .policy = {"pdp", "an unprotected line, by the block pdp; if all lines are protected, the read bypasses (L1D only)",
               pdp_learner_laws},
    .use = pdp_learner_use,
    .check = pdp_learner_check,
    .create = pdp_learner_create,
    .destroy = pdp_learner_destroy,
    .victim = pdp_learner_victim,
    .taken = pdp_learner_taken,
    .access = pdp_learner_access,
    .bypassed = pdp_learner_bypassed,
    .edge = pdp_learner_edge,
    .settling = pdp_learner_settling,
    .flush = pdp_learner_flush};
REPLACEMENT_REGISTER(pdp, .blocks = {"pdp"}, .when = "l1d.replacement=pdp");
