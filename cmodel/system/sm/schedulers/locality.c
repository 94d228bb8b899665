/* SPDX-License-Identifier: Apache-2.0 */
/* Locality-aware two-level scheduling (Chen16, section 3.4): the block warp_locality of each SM ("sm.3.locality").
 *
 * The block takes a start or an end of a warp a cycle: those of an SM wait in a queue, and a warp whose start or end
 * waits there does not issue.  A scheduler query evaluates the block's outputs for the warps that could issue now; the
 * clock edge uses the last query of each scheduler. */
#include "warp_locality.h"

#include <stdio.h>
#include <stdlib.h>

#include "system/block/block_socket.h"
#include "system/sm/throttle.h"
#include "system/sm/warp_scheduler.h"

struct event {
    const struct warp_vectors *vectors; /* of a start; NULL: not known */
    uint8_t warp;
    bool start, first;
};

/* Of one SM. */
struct chooser {
    struct block_socket socket;
    struct ring events;
    warp_set queued; /* warps of events */
    warp_set waits;  /* as known to the block */
    uint64_t may;    /* the active group and the warps that starve */
    uint64_t starved;
    struct warp_locality_in asked; /* inputs of a scheduler query; all others are 0 */
    struct warp_locality_in in;    /* of the clock edge */
};

struct locality {
    struct warp_locality_cfg cfg;
    struct stats *stats;
    uint32_t sms;
    struct chooser choosers[];
};

static struct chooser *chooser_of(void *state, const struct sm *sm)
{
    return &((struct locality *)state)->choosers[sm->number];
}

static bool locality_can_be(const struct sm_array *a, struct error *err)
{
    const struct config *c = a->c;
    if (c->sm_warps < 2 || c->sm_warps > WARP_LOCALITY_MAX_WARPS)
        return error_set(err, "sm.scheduler: found locality with sm.warps = %u, allowed with it: 2 to %u", c->sm_warps,
                         WARP_LOCALITY_MAX_WARPS);
    if (c->sm_blocks > 32)
        return error_set(err, "sm.scheduler: found locality with sm.blocks = %u, allowed with it: 1 to 32",
                         c->sm_blocks);
    if (c->sm_locality_arrays * c->sm_locality_region_bits > 64)
        return error_set(err,
                         "sm.locality.region_bits: found %u with sm.locality.arrays = %u, allowed: up to %u, as the "
                         "region vectors of a warp have 64 bits",
                         c->sm_locality_region_bits, c->sm_locality_arrays, 64 / c->sm_locality_arrays);
    if (a->workloads > 1)
        return error_set(err,
                         "sm.scheduler: found locality with %u concurrent workloads, allowed with it: one, as "
                         "regions are of the arrays of one kernel",
                         a->workloads);
    return true;
}

static void locality_destroy(void *state)
{
    struct locality *l = state;
    for (uint32_t i = 0; i < l->sms; i++) {
        block_socket_close(&l->choosers[i].socket);
        ring_free(&l->choosers[i].events);
    }
    free(l);
}

static struct warp_locality_cfg locality_configure(const struct config *c)
{
    return (struct warp_locality_cfg){.Warps = c->sm_warps,
                                      .Schedulers = c->sm_schedulers,
                                      .Group = c->sm_locality_group,
                                      .Arrays = c->sm_locality_arrays,
                                      .RegionW = c->sm_locality_region_bits,
                                      .SubW = c->sm_locality_sub_bits,
                                      .DegreeW = 8, /* Chen16, section 5.4 */
                                      .Blocks = c->sm_blocks,
                                      .Wait = c->sm_locality_wait};
}

static bool open_chooser(struct locality *l, const struct env *env, uint32_t sm, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "sm.%u.locality", sm);
    if (!ring_init_growing(&l->choosers[sm].events, sizeof(struct event), 64))
        return error_set(err, "%s: out of memory", unit);
    return block_socket_open(&l->choosers[sm].socket, env, "warp_locality", &l->cfg, unit, err);
}

static void *locality_create(struct sm_array *a, struct error *err)
{
    if (!locality_can_be(a, err)) return NULL;
    struct locality *l = calloc(1, sizeof *l + a->c->sm_count * sizeof l->choosers[0]);
    if (!l) return error_set(err, "sm.scheduler: out of memory"), NULL;
    *l = (struct locality){.cfg = locality_configure(a->c), .stats = a->env->stats, .sms = a->c->sm_count};
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->sms; i++) ok = open_chooser(l, a->env, i, err);
    if (ok) return l;
    locality_destroy(l);
    return NULL;
}

static void locality_push(void *state, const struct sm *sm, struct event e)
{
    struct chooser *c = chooser_of(state, sm);
    c->queued |= warp_bit(e.warp);
    if (!ring_put(&c->events, &e)) error_set(sm->array->error, "%s: out of memory", c->socket.unit);
}

static const struct warp_vectors *vectors_of(const struct warp *p)
{
    const struct workload *k = p->block->workload;
    uint32_t kernel;
    if (!workload_in_ranges(k, &kernel)) return NULL;
    return warp_ranges_of(k->ranges->warps, kernel, p->block->number, p->number);
}

static void locality_warp_started(void *state, const struct sm *sm, uint32_t w)
{
    const struct warp *p = &sm->warps[w];
    locality_push(state, sm, (struct event){vectors_of(p), (uint8_t)w, true, p->number == 0});
}

static void locality_warp_ended(void *state, const struct sm *sm, uint32_t w)
{
    locality_push(state, sm, (struct event){NULL, (uint8_t)w, false, false});
}

/* Candidates passed to the block; 0: none. */
static uint64_t locality_candidates(const struct chooser *c, warp_set able)
{
    const uint64_t set = (uint64_t)(able & ~c->queued);
    return set & c->may ? set : 0;
}

/* The one that issues, if any. */
static warp_set locality_allow(const struct sm *sm, struct scheduler *s, warp_set able)
{
    struct chooser *c = chooser_of(sm->array->scheduler_state, sm);
    struct warp_locality_out out;
    *s->active = c->asked.issue_able_i = locality_candidates(c, able);
    if (!*s->active) return 0;
    c->asked.issue_valid_i = true;
    block_socket_eval(&c->socket, &c->asked, &out);
    return out.issue_pick_o;
}

static uint32_t locality_choose(const struct sm *sm, const struct scheduler *s, warp_set candidates)
{
    (void)sm, (void)s;
    return warp_first(candidates);
}

static void put_field(uint32_t words[32], uint32_t at, uint32_t value)
{
    words[at / 32] |= value << (at % 32);
    if (at % 32) words[at / 32 + 1] |= (uint32_t)((uint64_t)value >> (32 - at % 32));
}

static void put_vectors(const struct warp_locality_cfg *cfg, const struct warp_vectors *v, struct warp_locality_in *in)
{
    in->warp_ranged_i = true;
    for (uint32_t a = 0; a < cfg->Arrays; a++) {
        in->warp_regions_i |= (uint64_t)v->region[a] << (a * cfg->RegionW);
        put_field(in->warp_subs_i, a * cfg->SubW, v->subs[a]);
    }
}

static void locality_next_event(const struct locality *l, struct chooser *c, struct warp_locality_in *in)
{
    const struct event *e = ring_peek(&c->events);
    if (!e) return;
    in->warp_valid_i = true;
    in->warp_start_i = e->start;
    in->warp_number_i = e->warp;
    in->warp_first_i = e->first;
    if (e->vectors) put_vectors(&l->cfg, e->vectors, in);
    ring_pop(&c->events);
    c->queued = 0;
    for (uint32_t i = 0; i < c->events.count; i++)
        c->queued |= warp_bit(((const struct event *)ring_at(&c->events, i))->warp);
}

/* Warps that wait for a load or at a barrier, or that the throttle holds back, as with two_level. */
static warp_set waiting(const struct sm *sm)
{
    warp_set able = warps_timed(sm);
    for (uint32_t i = 0; i < PORTS; i++) able |= warps_ready(sm, i);
    return ~(able & ~throttle_held(sm)) & (warp_bit(sm->array->c->sm_warps) - 1);
}

static void set_inputs(const struct locality *l, struct chooser *c, const struct sm *sm)
{
    const warp_set waits = waiting(sm);
    struct warp_locality_in *in = &c->in;
    if (in->warp_valid_i) *in = (struct warp_locality_in){0};
    in->wait_valid_i = waits != c->waits;
    in->wait_warps_i = (uint64_t)waits;
    c->waits = waits;
    in->issue_able_i = 0;
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++) in->issue_able_i |= (uint64_t)sm->active_of[i];
    in->issue_valid_i = in->issue_able_i != 0;
    locality_next_event(l, c, in);
}

static void locality_count(struct stats *s, const struct warp_locality_out *out)
{
    s->locality_promotions += out->promote_valid_o;
    s->locality_promotions_shared += out->promote_degree_o > 0;
    s->locality_degrees += out->promote_degree_o;
    s->locality_issues += warp_count(out->issue_local_o);
    s->locality_starved_issues += warp_count(out->issue_starved_o);
}

/* Reads the outputs after the clock edge; true: the block is busy, or its set of allowed warps changed. */
static bool locality_look(struct chooser *c, struct stats *s)
{
    static const struct warp_locality_in nothing;
    struct warp_locality_out out;
    block_socket_eval(&c->socket, &nothing, &out);
    s->locality_starved += warp_count(out.starved_o & ~c->starved);
    const uint64_t may = out.active_o | out.starved_o;
    const bool changed = may != c->may;
    c->starved = out.starved_o;
    c->may = may;
    return out.busy_o || changed;
}

/* A search for a waiting scheduler also continues while warps of the group could issue. */
static bool locality_tick(void *state, const struct sm *sm, struct error *err)
{
    struct locality *l = state;
    struct chooser *c = chooser_of(state, sm);
    struct warp_locality_out out;
    set_inputs(l, c, sm);
    block_socket_step(&c->socket, &c->in, &out);
    if (out.error_o) error_set(err, "%s: error_o: found %u, expected 0", c->socket.unit, out.error_o);
    locality_count(l->stats, &out);
    return locality_look(c, l->stats) || c->events.count || c->in.issue_valid_i;
}

static void locality_idle(void *state, const struct sm *sm, uint64_t cycles)
{
    block_socket_skip(&chooser_of(state, sm)->socket, cycles);
}

static const struct warp_scheduler locality = {
    .policy = {"locality", "two-level, by shared subregions of arrays (block warp_locality)"},
    .needs_ranges = true,
    .needs_warps = true,
    .allow = locality_allow,
    .choose = locality_choose,
    .hooks = {.create = locality_create,
              .destroy = locality_destroy,
              .warp_started = locality_warp_started,
              .warp_ended = locality_warp_ended,
              .tick = locality_tick,
              .idle = locality_idle}};
WARP_SCHEDULER_REGISTER(locality, .blocks = {"warp_locality"}, .when = "sm.scheduler=locality");
