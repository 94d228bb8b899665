/* SPDX-License-Identifier: Apache-2.0 */
/* Bypasses reads of owners from L_max of the block bpg on (Dai17, section 2.6).  With l1d.bypass.scope = global only SM
 * 0 has a bpg; its decision takes effect in all SMs in the same cycle. */
#include "bpg.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "system/block/block_socket.h"
#include "system/config/bypass_kind.h"
#include "system/stats/law.h"

enum { TAG_BITS = 32, OWNER_BITS = 7 };

struct learner {
    struct stats *stats;
    struct block_socket bpg; /* not open: SM 0 decides */
    struct bpg_cfg cfg;
    struct bpg_in in;
    struct bpg_in second; /* a second access of this cycle, presented in the next */
    uint32_t accesses;    /* in this interval */
    bool sampled;         /* one of them accessed a sampled set */
    bool several;         /* the L1D looks up several accesses a cycle: a clock edge for each */
    uint32_t settle;      /* clock edges until the decision in progress is visible */
    uint32_t l_max;       /* as visible to the other SMs */
    struct error fault;
};

static struct bpg_cfg bpg_learner_configure(const struct config *c)
{
    return (struct bpg_cfg){.Calcs = c->l1d_bpg_calcs,
                            .Sets = c->l1d_sets,
                            .SampledSets = c->l1d_bpg_sampled_sets,
                            .Ways = c->l1d_ways,
                            .TagW = TAG_BITS,
                            .OwnerW = OWNER_BITS,
                            .Interval = c->l1d_bpg_interval,
                            .HitW = c->l1d_bpg_hit_bits,
                            .RfW = c->l1d_bpg_rf_bits,
                            .HitShift = log2_floor(c->l1d_sets / c->l1d_bpg_sampled_sets),
                            .EShift = c->l1d_bpg_e_shift,
                            .Rebase = c->l1d_bpg_rebase,
                            .LastAll = c->l1d_bpg_last_all};
}

static bool bpg_learner_check(const struct config *c, struct error *err)
{
    if (!is_power_of_two(c->l1d_bpg_sampled_sets))
        return error_set(err, "l1d.bpg.sampled_sets: found %u, allowed: a power of two", c->l1d_bpg_sampled_sets);
    /* mutant: 128 + 1: both numbers are powers of two: none lies between 128 and 129 times the other */
    if (c->l1d_bpg_sampled_sets > c->l1d_sets || c->l1d_bpg_sampled_sets * 128 < c->l1d_sets)
        return error_set(err, "l1d.bpg.sampled_sets: found %u with l1d.sets = %u, allowed: %u to %u",
                         c->l1d_bpg_sampled_sets, c->l1d_sets, max_u32(1, c->l1d_sets / 128),
                         min_u32(c->l1d_sets, BPG_MAX_SAMPLEDSETS));
    return c->l1d_ways <= 16 ||
           error_set(err, "l1d.bypass.mode: found bpg with l1d.ways = %u, allowed with it: 1 to 16", c->l1d_ways);
}

static void bpg_learner_destroy(void *learner)
{
    struct learner *l = learner;
    /* mutant: left out: a leak: the sanitized run of `make test` finds it */
    block_socket_close(&l->bpg);
    free(l);
}

static void *bpg_learner_create(struct env *env, uint32_t sm, struct error *err)
{
    const struct config *c = env->config;
    char unit[32];
    snprintf(unit, sizeof unit, "l1d.%u.bpg", sm);
    struct learner *l = calloc(1, sizeof *l);
    if (!l) return error_set(err, "%s: out of memory", unit), NULL;
    *l = (struct learner){
        .stats = env->stats, .cfg = bpg_learner_configure(c), .l_max = c->l1d_bpg_calcs, .several = c->l1d_banks};
    const bool elsewhere = c->l1d_bypass_scope == BYPASS_GLOBAL && sm;
    if (elsewhere || block_socket_open(&l->bpg, env, "bpg", &l->cfg, unit, err)) return l;
    bpg_learner_destroy(l);
    return NULL;
}

/* The deciding SM queries its bpg; the others compare with the L_max that it published. */
static bool bpg_learner_decide(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    const struct learner *l = learner, *d = decider;
    if (l != d) return d->l_max < c->l1d_bpg_calcs && owner >= d->l_max;
    const struct bpg_in in = {.ask_owner_i = (uint16_t)owner};
    struct bpg_out out;
    block_socket_eval(&l->bpg, &in, &out);
    return out.ask_bypass_o;
}

static void failure(void *learner)
{
    struct learner *l = learner;
    l->in.rf_valid_i = true;
}

static void bpg_learner_count(struct learner *l, const struct bpg_out *out)
{
    l->stats->bpg_sampled += out->acc_sampled_o;
    l->stats->bpg_sampled_hits += out->acc_hits_o >> (l->cfg.Calcs - 1) & 1;
    if (!out->strobe_o) return;
    l->stats->bpg_decisions++;
    l->stats->bpg_l_max_sum += out->l_max_o;
    l->stats->bpg_l_max_changes += out->l_max_o != l->l_max;
    l->l_max = out->l_max_o;
}

/* A decision takes one lookup cycle and Calcs evaluation cycles; it is visible one cycle later. */
static void bpg_learner_tick(struct learner *l)
{
    struct bpg_out out;
    block_socket_eval(&l->bpg, &l->in, &out);
    if (out.error_o != BPG_OK) error_set(&l->fault, "%s: error_o: found %u, expected 0", l->bpg.unit, out.error_o);
    bpg_learner_count(l, &out);
    block_socket_tick(&l->bpg, &l->in);
    /* mutant: 0 + 1: the block is ticked in every cycle and the SM does not sleep: slower, and the same */
    l->settle -= l->settle > 0;
    l->sampled |= out.acc_sampled_o;
    if (l->in.acc_valid_i && ++l->accesses == l->cfg.Interval) {
        l->stats->bpg_blind += !l->sampled;
        l->accesses = 0;
        l->sampled = false;
        l->settle = l->cfg.Calcs + 2;
    }
    l->in = l->second;
    l->second = (struct bpg_in){0};
}

static void bpg_learner_access(void *learner, uint64_t line, uint32_t set, uint32_t owner, uint32_t owners)
{
    struct learner *l = learner;
    if (!l->bpg.block) return;
    if (l->several && l->in.acc_valid_i) bpg_learner_tick(l);
    struct bpg_in *in = l->in.acc_valid_i ? &l->second : &l->in;
    if (in->acc_valid_i) error_set(&l->fault, "%s: three accesses wait for it, at most two can", l->bpg.unit);
    in->acc_valid_i = true;
    in->acc_set_i = (uint16_t)set;
    in->acc_tag_i = line & bits_mask(TAG_BITS);
    in->acc_owner_i = (uint16_t)owner;
    in->acc_owners_i = (uint16_t)owners;
    l->stats->bpg_accesses++;
}

static bool bpg_learner_edge(void *learner, struct error *err)
{
    struct learner *l = learner;
    if (l->bpg.block && (l->settle || l->in.acc_valid_i || l->in.rf_valid_i)) bpg_learner_tick(l);
    return !l->fault.text[0] || error_set(err, "%s", l->fault.text);
}

static bool bpg_learner_settling(const void *learner)
{
    const struct learner *l = learner;
    return l->settle || l->in.acc_valid_i;
}

/* The failure counter saturates, so failures beyond its maximum have no effect. */
static void bpg_learner_idle(void *learner, uint64_t failures)
{
    struct learner *l = learner;
    const uint64_t most = bits_mask(l->cfg.RfW);
    for (uint64_t i = 0; l->bpg.block && i < failures && i < most; i++) {
        l->in.rf_valid_i = true;
        bpg_learner_tick(l);
    }
}

static void bpg_learner_flush(void *learner)
{
    struct learner *l = learner;
    if (!l->bpg.block) return;
    /* mutant: left out: the block takes an access and a flush in one edge as one after the other; two accesses do not
     * wait when a kernel has ended */
    if (l->in.acc_valid_i) bpg_learner_tick(l);
    l->in.flush_valid_i = true;
    /* mutant: left out: the block takes an access and a flush in one edge as one after the other; two accesses do not
     * wait when a kernel has ended */
    bpg_learner_tick(l);
}

static bool bpg_learner_laws(const struct config *c, const struct stats *s, struct error *err)
{
    const bool chosen = bypass_kind_of(c)->policy.laws == bpg_learner_laws;
    const struct law laws[] = {
        {"bpg.accesses = l1d hits + misses + merged + bypassed", !chosen || c->l1d_bypass_scope == BYPASS_LOCAL,
         s->bpg_accesses, c->l1d_banks ? LAW_AT_MOST : LAW_EQUAL, chosen ? s->l1d_accesses - s->l1d_writes : 0},
    };
    return laws_hold("", LAWS(laws), err);
}

static const struct bypass_kind bpg = {
    .policy = {"bpg", "reads of owners from L_max of the block bpg on", bpg_learner_laws},
    .decide = bpg_learner_decide,
    .check = bpg_learner_check,
    .create = bpg_learner_create,
    .destroy = bpg_learner_destroy,
    .access = bpg_learner_access,
    .failure = failure,
    .edge = bpg_learner_edge,
    .settling = bpg_learner_settling,
    .idle = bpg_learner_idle,
    .flush = bpg_learner_flush};
BYPASS_KIND_REGISTER(bpg, .blocks = {"bpg"}, .when = "l1d.bypass.mode=bpg");
