/* SPDX-License-Identifier: Apache-2.0 */
/* Utility-based cache partitioning (UCP, Qureshi06) between the workloads that share an L1D: the block umon computes
 * the ways of each, the block way_partition chooses the way of a line by them.
 *
 * Each line has an owner, the workload of the access that brought it.  At the end of a period in which the L1D accepted
 * an access the umon computes a new allocation. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "system/block/block_socket.h"
#include "system/config/replacement_kind.h"
#include "system/unit/unit.h"
#include "umon.h"
#include "way_partition.h"

enum { TAG_BITS = 16, COUNT_BITS = 16 };

struct learner {
    const struct env *env;
    struct block_socket umon, ways;
    struct umon_cfg umon_cfg;
    struct way_partition_cfg ways_cfg;
    struct umon_in in;
    struct umon_in second; /* a second access of this cycle, presented in the next */
    struct umon_out out;   /* after the last clock edge */
    struct way_partition_in ask;
    uint32_t alloc;    /* allocation at the first cycle of the query, because a dl_mshr answers in a later cycle */
    bool several;      /* replacement_sees_several(): a clock edge for each line */
    bool asked;        /* a way was found for a line, and is not taken yet */
    uint32_t workload; /* workload of the next calls */
    uint32_t flushes;  /* bit w: workload w's lines were invalidated; one reaches the block in a cycle */
    bool seen;         /* an access since the last allocation was due */
    uint64_t due;      /* cycle of the next allocation, if `seen` */
    struct error fault;
    uint8_t owner[UMON_MAX_SETS][UMON_MAX_WAYS];
};

static bool ucp_check(const struct config *c, enum miss_cache cache, struct error *err)
{
    if (cache == MISS_L2)
        return error_set(err, "l2.replacement: found ucp, which is for the L1D: a request to an L2 has no workload");
    if (c->l1d_unbounded)
        return error_set(
            err,
            "l1d.unbounded: found true with l1d.replacement = ucp, allowed with it: false, as nothing is replaced");
    if (c->l1d_sets > UMON_MAX_SETS)
        return error_set(err, "l1d.replacement: found ucp with l1d.sets = %u, allowed with it: 1 to %u", c->l1d_sets,
                         UMON_MAX_SETS);
    if (c->l1d_ways < 2 || c->l1d_ways > UMON_MAX_WAYS)
        return error_set(err, "l1d.replacement: found ucp with l1d.ways = %u, allowed with it: 2 to %u", c->l1d_ways,
                         UMON_MAX_WAYS);
    if (c->l1d_ucp_sampled_sets > c->l1d_sets)
        return error_set(err, "l1d.ucp.sampled_sets: found %u, allowed: up to l1d.sets = %u", c->l1d_ucp_sampled_sets,
                         c->l1d_sets);
    return is_power_of_two(c->l1d_ucp_sampled_sets) ||
           error_set(err, "l1d.ucp.sampled_sets: found %u, allowed: a power of two", c->l1d_ucp_sampled_sets);
}

static bool ucp_can_be(const struct env *env, struct error *err)
{
    const uint32_t ways = env->config->l1d_ways;
    if (env->workloads < 2)
        return error_set(err,
                         "l1d.replacement: found ucp with one workload, allowed with it: 2 to %u that share an L1D",
                         UMON_MAX_KERNELS);
    return ways >= env->workloads ||
           error_set(err, "l1d.replacement: found ucp with l1d.ways = %u and %u workloads, allowed with it: a way each",
                     ways, env->workloads);
}

static void ucp_destroy(void *learner)
{
    struct learner *l = learner;
    block_socket_close(&l->umon);
    block_socket_close(&l->ways);
    free(l);
}

static void ucp_look(struct learner *l)
{
    const struct umon_in nothing = {0};
    block_socket_eval(&l->umon, &nothing, &l->out);
}

static bool open_blocks(struct learner *l, const char *unit, struct error *err)
{
    char umon[32], ways[32];
    snprintf(umon, sizeof umon, "%.20s.umon", unit);
    snprintf(ways, sizeof ways, "%.20s.ways", unit);
    return block_socket_open(&l->umon, l->env, "umon", &l->umon_cfg, umon, err) &&
           block_socket_open(&l->ways, l->env, "way_partition", &l->ways_cfg, ways, err);
}

static void *ucp_create(const struct env *env, const char *unit, struct error *err)
{
    const struct config *c = env->config;
    if (!ucp_can_be(env, err)) return NULL;
    struct learner *l = calloc(1, sizeof *l);
    if (!l) return error_set(err, "%s: out of memory", unit), NULL;
    l->env = env;
    l->several = replacement_sees_several(c);
    l->umon_cfg = (struct umon_cfg){.Kernels = env->workloads,
                                    .Ways = c->l1d_ways,
                                    .Sets = c->l1d_sets,
                                    .SampledSets = c->l1d_ucp_sampled_sets,
                                    .TagW = TAG_BITS,
                                    .CountW = COUNT_BITS};
    l->ways_cfg = (struct way_partition_cfg){.Kernels = env->workloads, .Ways = c->l1d_ways};
    if (open_blocks(l, unit, err)) return ucp_look(l), l;
    ucp_destroy(l);
    return NULL;
}

/* The time of the last use, as in lru. */
static uint64_t ucp_use(uint64_t word, enum way_use use, uint64_t uses)
{
    (void)word, (void)use;
    return uses;
}

/* Number of lines in the set that were used less recently than this way's. */
static uint32_t recency(const struct learner *l, const uint64_t *words, uint32_t way)
{
    uint32_t older = 0;
    for (uint32_t i = 0; i < l->ways_cfg.Ways; i++) older += words[i] < words[way];
    return older;
}

/* The query stays in the inputs of the cycle, so captures contain it. */
static struct way_partition_out ask(struct learner *l, uint32_t set, struct way_masks ways)
{
    const uint32_t owner_bits = bits_index(l->ways_cfg.Kernels), way_bits = bits_index(l->ways_cfg.Ways);
    struct way_partition_out out;
    l->ask = (struct way_partition_in){.ask_valid_i = true,
                                       .ask_kernel_i = (uint8_t)l->workload,
                                       .ask_alloc_i = l->alloc,
                                       .ask_filled_i = (uint16_t)(~ways.free & bits_mask(l->ways_cfg.Ways)),
                                       .ask_held_i = ways.held};
    for (uint32_t i = 0; i < l->ways_cfg.Ways; i++) {
        l->ask.ask_owners_i |= (uint32_t)l->owner[set][i] << (i * owner_bits);
        l->ask.ask_order_i |= (uint64_t)recency(l, ways.words, i) << (i * way_bits);
    }
    block_socket_eval(&l->ways, &l->ask, &out);
    return out;
}

static void whose(void *learner, uint32_t workload)
{
    ((struct learner *)learner)->workload = workload;
}

static bool has_way(void *learner, uint32_t set, struct way_masks ways)
{
    struct learner *l = learner;
    l->alloc = l->out.alloc_o;
    l->asked = ask(l, set, ways).ask_ok_o;
    return l->asked;
}

static uint32_t ucp_victim(void *learner, uint32_t set, struct way_masks ways, bool *bypass)
{
    struct learner *l = learner;
    *bypass = false;
    if (!l->asked) l->alloc = l->out.alloc_o;
    return ask(l, set, ways).ask_way_o;
}

static uint32_t ways_of(const struct learner *l, uint32_t alloc, uint32_t workload)
{
    const uint32_t bits = UMON_WAYS_W(&l->umon_cfg);
    return alloc >> (workload * bits) & (uint32_t)bits_mask(bits);
}

static void ucp_count(const struct learner *l, const struct umon_out *out)
{
    struct stats *s = l->env->stats;
    s->ucp_sampled += out->acc_sampled_o;
    s->ucp_found += out->acc_hit_o;
    if (!out->strobe_o) return;
    s->ucp_allocations++;
    uint64_t *const ways[UMON_MAX_KERNELS] = {&s->ucp_ways0, &s->ucp_ways1, &s->ucp_ways2, &s->ucp_ways3};
    for (uint32_t w = 0; w < l->umon_cfg.Kernels; w++) *ways[w] = ways_of(l, out->alloc_o, w);
}

static void tick_umon(struct learner *l)
{
    const uint32_t before = l->out.alloc_o;
    struct umon_out out;
    block_socket_step(&l->umon, &l->in, &out);
    if (out.error_o != UMON_OK) error_set(&l->fault, "%s: error_o: found %u, expected 0", l->umon.unit, out.error_o);
    ucp_count(l, &out);
    ucp_look(l);
    l->env->stats->ucp_changes += l->out.alloc_o != before;
    l->in = l->second;
    l->second = (struct umon_in){0};
}

static void tick_ways(struct learner *l)
{
    struct way_partition_out out;
    block_socket_step(&l->ways, &l->ask, &out);
    if (out.error_o != WAY_PARTITION_OK)
        error_set(&l->fault, "%s: error_o: found %u, expected 0", l->ways.unit, out.error_o);
    l->ask = (struct way_partition_in){0};
}

/* After ucp_victim(): the query is for this line. */
static void ucp_taken(void *learner, uint32_t set, uint32_t way)
{
    struct learner *l = learner;
    struct way_partition_out out;
    block_socket_eval(&l->ways, &l->ask, &out);
    if (!out.ask_ok_o || out.ask_way_o != way)
        error_set(&l->fault, "%s: a line gets way %u, which the block did not choose", l->ways.unit, way);
    l->asked = false;
    l->env->stats->ucp_taken_over += out.ask_others_o;
    l->owner[set][way] = (uint8_t)l->workload;
    /* mutant: left out: way_partition has no state, so only captures lack a query */
    if (l->several) tick_ways(l);
}

static uint16_t ucp_partial_tag(uint64_t line)
{
    return (uint16_t)(line ^ line >> TAG_BITS ^ line >> 2 * TAG_BITS);
}

static void ucp_access(void *learner, uint64_t line, uint32_t set, bool hit, uint32_t way)
{
    struct learner *l = learner;
    const uint32_t period = l->env->config->l1d_ucp_period;
    (void)hit, (void)way;
    if (l->several && l->in.acc_valid_i) tick_umon(l);
    struct umon_in *in = l->in.acc_valid_i ? &l->second : &l->in;
    if (in->acc_valid_i) error_set(&l->fault, "%s: three accesses wait for it, at most two can", l->umon.unit);
    in->acc_valid_i = true;
    in->acc_kernel_i = (uint8_t)l->workload;
    in->acc_set_i = (uint8_t)set;
    in->acc_tag_i = ucp_partial_tag(line);
    if (!l->seen) l->due = (l->env->sm_cycle / period + 1) * period;
    l->seen = true;
}

static bool ucp_has_event(const struct umon_in *in)
{
    return in->acc_valid_i || in->flush_valid_i || in->part_valid_i;
}

static bool computes(const struct learner *l)
{
    return l->out.busy_o || l->out.strobe_o;
}

static bool ucp_edge(void *learner, struct error *err)
{
    struct learner *l = learner;
    if (l->seen && l->env->sm_cycle >= l->due) {
        l->in.part_valid_i = true;
        l->seen = false;
    }
    if (l->flushes) {
        l->in.flush_valid_i = true;
        l->in.flush_kernel_i = (uint8_t)log2_floor(l->flushes & -l->flushes);
        l->flushes &= l->flushes - 1;
    }
    if (computes(l) || ucp_has_event(&l->in)) tick_umon(l);
    if (l->ask.ask_valid_i) tick_ways(l);
    return !l->fault.text[0] || error_set(err, "%s", l->fault.text);
}

static bool ucp_settling(const void *learner)
{
    const struct learner *l = learner;
    return computes(l) || ucp_has_event(&l->in) || l->flushes;
}

static uint64_t wake(const void *learner)
{
    const struct learner *l = learner;
    return l->seen ? l->due : NEVER;
}

/* stream_bypass closed the cache and its lines were dropped.  The monitor's stacks stay, since they record accesses. */
static void ucp_flush(void *learner)
{
    (void)learner;
}

static bool flush_workload(void *learner, uint32_t workload)
{
    ((struct learner *)learner)->flushes |= 1u << workload;
    return true;
}

static const struct replacement ucp = {
    .policy = {"ucp", "LRU, ways divided between workloads by utility (blocks umon and way_partition; L1D only)"},
    .use = ucp_use,
    .check = ucp_check,
    .create = ucp_create,
    .destroy = ucp_destroy,
    .victim = ucp_victim,
    .taken = ucp_taken,
    .access = ucp_access,
    .edge = ucp_edge,
    .settling = ucp_settling,
    .flush = ucp_flush,
    .whose = whose,
    .has_way = has_way,
    .flush_workload = flush_workload,
    .wake = wake};
REPLACEMENT_REGISTER(ucp, .blocks = {"umon", "way_partition"}, .when = "l1d.replacement=ucp");
