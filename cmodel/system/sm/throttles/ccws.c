/* SPDX-License-Identifier: Apache-2.0 */
/* CCWS: the block lost_locality gates loads of warps (Khairy15, section 4.2).
 *
 * The block accepts one miss, one eviction, and one warp start or end per cycle, and processes them in this order.
 * Events of an SM are queued; each cycle takes as many from the head as this order allows, so the warps of a thread
 * block start one per cycle. */
#include "lost_locality.h"

#include <stdio.h>
#include <stdlib.h>

#include "system/block/block_socket.h"
#include "system/cache/tags.h"
#include "system/sm/throttle.h"

enum { TAG_BITS = 32, SCORE_BITS = 16, COUNT_BITS = 20 };

enum event_kind { EVENT_MISS, EVENT_EVICT, EVENT_START, EVENT_END };

struct event {
    uint64_t line;
    uint8_t kind, warp; /* enum event_kind */
};

/* Of one SM. */
struct gate {
    struct block_socket socket;
    struct ring events;
    uint32_t issued;   /* instructions in this cycle */
    uint32_t settling; /* clock edges until no division can be in progress */
    warp_set gated;
};

struct ccws {
    struct lost_locality_cfg cfg;
    struct stats *stats;
    uint32_t sms;
    struct gate gates[];
};

static struct gate *gate_of(void *state, const struct sm *sm)
{
    return &((struct ccws *)state)->gates[sm->number];
}

static bool ccws_can_be(const struct config *c, struct error *err)
{
    if (c->sm_warps > LOST_LOCALITY_MAX_WARPS)
        return error_set(err, "sm.throttle: found ccws with sm.warps = %u, allowed with it: 1 to %u", c->sm_warps,
                         LOST_LOCALITY_MAX_WARPS);
    const uint32_t sets = c->sm_ccws_entries / c->sm_ccws_ways;
    return (sets * c->sm_ccws_ways == c->sm_ccws_entries && is_power_of_two(sets) && sets <= 8) ||
           error_set(err,
                     "sm.ccws.entries: found %u with sm.ccws.ways = %u, allowed: 1, 2, 4 or 8 times as many, the sets "
                     "of a victim tag array",
                     c->sm_ccws_entries, c->sm_ccws_ways);
}

static void ccws_destroy(void *state)
{
    struct ccws *t = state;
    for (uint32_t i = 0; i < t->sms; i++) {
        block_socket_close(&t->gates[i].socket);
        ring_free(&t->gates[i].events);
    }
    free(t);
}

static struct lost_locality_cfg ccws_configure(const struct config *c)
{
    return (struct lost_locality_cfg){.Warps = c->sm_warps,
                                      .Ways = c->sm_ccws_ways,
                                      .Entries = c->sm_ccws_entries,
                                      .TagW = TAG_BITS,
                                      .KThrottle = c->sm_ccws_k_throttle,
                                      .BaseScore = c->sm_ccws_base_score,
                                      .ScoreW = SCORE_BITS,
                                      .CountW = COUNT_BITS};
}

static bool open_gate(struct ccws *t, const struct env *env, uint32_t sm, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "sm.%u.ccws", sm);
    /* mutant: 64 - 1: the ring grows when it is full */
    if (!ring_init_growing(&t->gates[sm].events, sizeof(struct event), 64))
        return error_set(err, "%s: out of memory", unit);
    return block_socket_open(&t->gates[sm].socket, env, "lost_locality", &t->cfg, unit, err);
}

static void *ccws_create(struct sm_array *a, struct error *err)
{
    if (!ccws_can_be(a->c, err)) return NULL;
    struct ccws *t = calloc(1, sizeof *t + a->c->sm_count * sizeof t->gates[0]);
    if (!t) return error_set(err, "sm.throttle: out of memory"), NULL;
    *t = (struct ccws){.cfg = ccws_configure(a->c), .stats = a->env->stats, .sms = a->c->sm_count};
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->sms; i++) ok = open_gate(t, a->env, i, err);
    if (ok) return t;
    ccws_destroy(t);
    return NULL;
}

static warp_set ccws_may_issue(const void *state, const struct sm *sm)
{
    return ~(throttle_ready_loads(sm) & ((const struct ccws *)state)->gates[sm->number].gated);
}

static void ccws_push(void *state, const struct sm *sm, struct event e)
{
    if (!ring_put(&gate_of(state, sm)->events, &e))
        error_set(sm->array->error, "sm.%u.ccws: out of memory", sm->number);
}

static void ccws_issued(void *state, const struct sm *sm, uint32_t w, const struct inst *i)
{
    (void)w, (void)i;
    gate_of(state, sm)->issued++;
}

static void ccws_read(void *state, const struct sm *sm, const struct access *a, enum place how)
{
    if (how == AT_L1D_MISS) ccws_push(state, sm, (struct event){a->line, EVENT_MISS, a->warp});
}

static void ccws_replaced(void *state, const struct sm *sm, uint64_t line, uint32_t warp)
{
    if (warp != TAGS_NO_MARK) ccws_push(state, sm, (struct event){line, EVENT_EVICT, (uint8_t)warp});
}

static void ccws_warp_started(void *state, const struct sm *sm, uint32_t w)
{
    ccws_push(state, sm, (struct event){0, EVENT_START, (uint8_t)w});
}

/* Its lines stay valid and lose their owner, since the next warp in the slot did not fetch them. */
static void ccws_warp_ended(void *state, const struct sm *sm, uint32_t w)
{
    ccws_push(state, sm, (struct event){0, EVENT_END, (uint8_t)w});
    l1d_forget(sm->front.l1d, (uint8_t)w);
}

/* False if the event is for a later cycle. */
static bool feed(struct lost_locality_in *in, const struct event *e)
{
    if (in->warp_valid_i || (in->evict_valid_i && e->kind <= EVENT_EVICT) ||
        (in->miss_valid_i && e->kind == EVENT_MISS))
        return false;
    switch (e->kind) {
    case EVENT_MISS:
        in->miss_valid_i = true;
        in->miss_warp_i = e->warp;
        in->miss_tag_i = (uint32_t)(e->line & bits_mask(TAG_BITS));
        return true;
    case EVENT_EVICT:
        in->evict_valid_i = true;
        in->evict_warp_i = e->warp;
        in->evict_tag_i = (uint32_t)(e->line & bits_mask(TAG_BITS));
        return true;
    default:
        in->warp_valid_i = true;
        in->warp_start_i = e->kind == EVENT_START;
        in->warp_number_i = e->warp;
        return true;
    }
}

static struct lost_locality_in next_inputs(struct gate *g)
{
    struct lost_locality_in in = {.issue_valid_i = g->issued != 0, .issue_count_i = (uint8_t)g->issued};
    const struct event *e = ring_peek(&g->events);
    while (e && feed(&in, e)) {
        ring_pop(&g->events);
        e = ring_peek(&g->events);
    }
    g->issued = 0;
    return in;
}

static void look_at_gates(struct gate *g)
{
    static const struct lost_locality_in nothing;
    struct lost_locality_out out;
    block_socket_eval(&g->socket, &nothing, &out);
    g->gated = out.gated_o;
}

/* The division in progress with its walk, then the division and walk of this hit. */
static uint32_t settling_time(const struct lost_locality_cfg *cfg)
{
    return 2 * (cfg->ScoreW + 3 + cfg->Warps);
}

/* A ready load keeps the SM awake: falling scores may gate or release its warp. */
static bool ccws_tick(void *state, const struct sm *sm, struct error *err)
{
    struct ccws *t = state;
    struct gate *g = gate_of(state, sm);
    const struct lost_locality_in in = next_inputs(g);
    const bool gated = throttle_held(sm);
    struct lost_locality_out out;
    block_socket_step(&g->socket, &in, &out);
    if (out.error_o) error_set(err, "%s: error_o: found %u, expected 0", g->socket.unit, out.error_o);
    t->stats->ccws_lost += out.lost_o;
    t->stats->ccws_raises += out.raise_valid_o;
    t->stats->ccws_gated_cycles += gated;
    g->settling = out.lost_o ? settling_time(&t->cfg) : g->settling - (g->settling > 0);
    look_at_gates(g);
    return g->settling || g->events.count || throttle_ready_loads(sm);
}

static void ccws_idle(void *state, const struct sm *sm, uint64_t cycles)
{
    struct gate *g = gate_of(state, sm);
    block_socket_skip(&g->socket, cycles);
    look_at_gates(g);
}

static const struct throttle ccws = {.policy = {"ccws", "gates loads of warps by lost locality (block lost_locality)"},
                                     .hooks = {.create = ccws_create,
                                               .destroy = ccws_destroy,
                                               .may_issue = ccws_may_issue,
                                               .issued = ccws_issued,
                                               .read = ccws_read,
                                               .replaced = ccws_replaced,
                                               .warp_started = ccws_warp_started,
                                               .warp_ended = ccws_warp_ended,
                                               .tick = ccws_tick,
                                               .idle = ccws_idle}};
THROTTLE_REGISTER(ccws, .blocks = {"lost_locality"}, .when = "sm.throttle=ccws");
