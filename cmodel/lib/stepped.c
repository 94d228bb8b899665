/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/stepped.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/span.h"
#include "system/cache/l1d_front.h"
#include "system/config/policy.h"
#include "system/memory.h"
#include "system/stats/law.h"
#include "system/unit/pool.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

/* An access of the caller, from its offer to its last part. */
struct offer {
    uint64_t tag, offered;
    uint32_t parts; /* not done */
    uint16_t sm;
    uint8_t kind;
};

/* The way in of one SM. */
struct lane {
    struct stepped *machine;
    struct l1d_front front; /* its l1d: NULL with "enter=memory" */
    struct ring queue;      /* struct staged: parts of offers; `load`: the place of the offer */
    uint64_t wake;          /* next cycle with work */
    uint32_t owners;        /* one more than the highest warp seen */
};

struct stepped {
    struct env env;
    const struct config *c;
    struct memory *memory;
    struct memory_port port;
    struct lane *lanes;
    struct pool places;
    struct offer *offer;
    struct ring done; /* struct memtwin_done */
    uint64_t cycle;   /* the next one to tick */
    uint64_t memory_wake, next_id;
    bool ended;
    struct error error; /* a broken rule; it ends the stepping */
};

static bool more_places(struct stepped *s)
{
    const uint32_t n = s->places.size ? 2 * s->places.size : 256;
    struct offer *offer = realloc(s->offer, n * sizeof *offer);
    if (offer) s->offer = offer;
    return offer && pool_grow(&s->places, n);
}

static void part_done(struct stepped *s, uint32_t i)
{
    const struct offer *p = &s->offer[i];
    const struct memtwin_done d = {
        .tag = p->tag, .offered = p->offered, .done = s->env.sm_cycle, .sm = p->sm, .kind = p->kind};
    if (--s->offer[i].parts) return;
    if (!ring_put(&s->done, &d)) error_set(&s->error, "out of memory");
    pool_give(&s->places, i);
}

/* Calls of the memory. */

static void respond(void *context, uint32_t sm, const struct request *r)
{
    struct stepped *s = context;
    struct lane *l = &s->lanes[sm];
    if (!l->front.l1d || r->kind == REQUEST_WRITE) part_done(s, r->tag);
    if (l->front.l1d && l1d_respond(l->front.l1d, r)) l->wake = 0;
}

static void room(void *context, uint32_t sm)
{
    struct stepped *s = context;
    s->lanes[sm].wake = 0;
}

static bool port_room(void *memory, uint32_t sm, const struct request *r)
{
    return memory_room(memory, sm, r);
}

static void port_send(void *memory, uint32_t sm, const struct request *r)
{
    memory_send(memory, sm, r);
}

static bool port_empty(const void *memory)
{
    return memory_empty(memory);
}

static bool create_lane(struct stepped *s, uint32_t sm, const struct memtwin *m, struct error *err)
{
    struct lane *l = &s->lanes[sm];
    l->machine = s;
    l->wake = NEVER;
    if (!ring_init(&l->queue, sizeof(struct staged), m->queue) || !l1d_front_init(&l->front, s->c, 0))
        return error_set(err, "sm.%u: out of memory", sm);
    if (!m->enters_memory) l->front.l1d = l1d_create(&s->env, sm, err);
    return m->enters_memory || l->front.l1d;
}

static bool build(struct stepped *s, const struct memtwin *m, struct error *err)
{
    const struct memory_client client = {.respond = respond, .room = room, .context = s};
    s->lanes = calloc(s->c->sm_count, sizeof *s->lanes);
    if (!s->lanes || !more_places(s) || !ring_init_growing(&s->done, sizeof(struct memtwin_done), 64))
        return error_set(err, "out of memory");
    for (uint32_t i = 0; i < s->c->sm_count; i++)
        if (!create_lane(s, i, m, err)) return false;
    s->memory = memory_create(&s->env, &client, err);
    s->port = (struct memory_port){.room = port_room, .send = port_send, .empty = port_empty, .memory = s->memory};
    return s->memory;
}

/* A stepped machine has no warps, so it lacks the LSU and the units above the SMs.  Refuses options that need them. */
static bool can_be_stepped(const struct memtwin *m, struct error *err)
{
    if (m->config.uvm_enable)
        return error_set(err,
                         "uvm.enable: found true, expected false in a stepped machine: pages belong to a workload");
    const uint32_t in_order = policy_plain("L1D input");
    if (m->config.l1d_input != in_order && !m->enters_memory)
        return error_set(err, "l1d.input: found %s, expected %s in a stepped machine: the buffers belong to an LSU",
                         policy_at("L1D input", m->config.l1d_input)->name, policy_at("L1D input", in_order)->name);
    return true;
}

struct stepped *stepped_create(struct memtwin *m, struct error *err)
{
    if (!can_be_stepped(m, err)) return NULL;
    struct stepped *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "out of memory"), NULL;
    s->c = &m->config;
    s->env = (struct env){
        .config = s->c, .stats = &m->stats, .rtl_blocks = m->rtl_blocks, .rtl_folder = m->rtl_folder, .watched = true};
    s->memory_wake = NEVER;
    if (build(s, m, err)) return s;
    stepped_destroy(s);
    return NULL;
}

void stepped_destroy(struct stepped *s)
{
    if (!s) return;
    for (uint32_t i = 0; s->lanes && i < s->c->sm_count; i++) {
        l1d_front_free(&s->lanes[i].front);
        ring_free(&s->lanes[i].queue);
    }
    memory_destroy(s->memory);
    free(s->lanes);
    pool_free(&s->places);
    free(s->offer);
    ring_free(&s->done);
    free(s);
}

/* ---- Offers. ---- */

static bool in_range(const char *what, uint64_t found, uint64_t least, uint64_t most, struct error *err)
{
    return (found >= least && found <= most) ||
           error_set(err, "access: %s: found %" PRIu64 ", allowed: %" PRIu64 "..%" PRIu64, what, found, least, most);
}

static bool legal(const struct stepped *s, const struct memtwin_access *a, struct error *err)
{
    return in_range("sm", a->sm, 0, s->c->sm_count - 1, err) && in_range("warp", a->warp, 0, s->c->sm_warps - 1, err) &&
           in_range("kind", a->kind, MEMTWIN_READ, MEMTWIN_ATOMIC, err) && span_legal(a, err);
}

static bool goes_around(const struct stepped *s, const struct memtwin_access *a)
{
    const struct lane *l = &s->lanes[a->sm];
    const struct lane *decider = s->c->l1d_bypass_scope == BYPASS_GLOBAL ? s->lanes : l;
    return l->front.l1d && a->kind == MEMTWIN_READ && l1d_sends_around(l->front.l1d, decider->front.l1d, a->warp);
}

static struct access access_of(struct stepped *s, const struct memtwin_access *a, const struct span *span,
                               uint32_t place)
{
    static const uint8_t kinds[] = {
        [MEMTWIN_READ] = REQUEST_READ, [MEMTWIN_WRITE] = REQUEST_WRITE, [MEMTWIN_ATOMIC] = REQUEST_ATOMIC};
    struct lane *l = &s->lanes[a->sm];
    if (l->owners <= a->warp) l->owners = a->warp + 1;
    return (struct access){.line = a->address >> LINE_SHIFT,
                           .load = place,
                           .written = a->kind == MEMTWIN_WRITE && l1d_words_matter(s->c) ? span->words : 0,
                           .kind = kinds[a->kind],
                           .warp = (uint8_t)a->warp,
                           .bypass = goes_around(s, a),
                           .owner = (uint16_t)a->warp,
                           .owners = (uint16_t)l->owners};
}

static void push_parts(struct stepped *s, struct lane *l, const struct span *span, const struct access *whole)
{
    for (uint32_t i = 0; i < span->parts; i++) {
        struct staged *p = ring_push(&l->queue); /* there is room: it need not grow */
        *p = (struct staged){.a = *whole};
        p->a.id = s->next_id++;
        p->a.bytes = span->part[i].bytes;
        p->a.sector = span->part[i].sector;
    }
    if (l->front.l1d) s->env.stats->coalescer_accesses += span->parts;
    l->wake = 0;
}

/* A queue holds at least one access, however many parts that has. */
static bool has_room(const struct lane *l, uint32_t parts)
{
    return !l->queue.count || l->queue.count + parts <= l->queue.limit;
}

/* The clock stands between two cycles, or the stepping is over. */
static bool goes_on(const struct stepped *s, struct error *err)
{
    if (s->error.text[0]) return error_set(err, "%s", s->error.text);
    return !s->ended || error_set(err, "the stepping of this machine has ended: expected no call after memtwin_finish");
}

enum memtwin_answer stepped_offer(struct stepped *s, const struct memtwin_access *a, struct error *err)
{
    if (!goes_on(s, err) || !legal(s, a, err)) return MEMTWIN_FAILED;
    struct lane *l = &s->lanes[a->sm];
    const struct span span = span_of(a, l->front.l1d ? s->c->l1d_sector_bytes : 0);
    if (!has_room(l, span.parts)) return MEMTWIN_FULL;
    if (!s->places.left && !more_places(s)) return error_set(err, "out of memory"), MEMTWIN_FAILED;
    const uint32_t i = pool_take(&s->places);
    s->offer[i] = (struct offer){
        .tag = a->tag, .offered = s->cycle, .parts = span.parts, .sm = (uint16_t)a->sm, .kind = (uint8_t)a->kind};
    const struct access whole = access_of(s, a, &span, i);
    push_parts(s, l, &span, &whole);
    return MEMTWIN_TAKEN;
}

/* ---- A cycle. ---- */

static void returned(void *sender, uint32_t load)
{
    const struct lane *l = sender;
    part_done(l->machine, load);
}

/* The L1D accepted an access of the pipeline, or the oldest of the queue. */
static void accepted(void *sender, const struct staged *x)
{
    struct lane *l = sender;
    if (!x) ring_pop(&l->queue);
}

static void lane_turn(void *sender, bool free);
static const struct l1d_sender lane_sender = {.turn = lane_turn, .accepted = accepted, .returned = returned};

static void lane_turn(void *sender, bool free)
{
    struct lane *l = sender;
    const struct staged *p = ring_peek(&l->queue);
    if (p && l1d_front_send(&l->front, &lane_sender, l, p, free) == L1D_ACCEPTED) ring_pop(&l->queue);
}

static void catch_up(struct lane *l, uint64_t until)
{
    if (l->front.l1d) l1d_front_catch_up(&l->front, &lane_sender, l, until);
}

/* One request a cycle, if the crossbar has room; if not, its room() wakes the lane. */
static void tick_port(struct stepped *s, uint32_t sm)
{
    struct lane *l = &s->lanes[sm];
    const struct staged *p = ring_peek(&l->queue);
    l->wake = NEVER;
    if (!p) return;
    const struct request r = {.line = p->a.line,
                              .id = p->a.id,
                              .born = s->env.sm_cycle,
                              .tag = p->a.load,
                              .written = p->a.written,
                              .sm = (uint16_t)sm,
                              .kind = p->a.kind,
                              .bytes = p->a.bytes,
                              .sector = p->a.sector};
    if (!memory_room(s->memory, sm, &r)) return;
    memory_send(s->memory, sm, &r);
    ring_pop(&l->queue);
    l->wake = s->env.sm_cycle + 1;
}

static void tick_lane(struct stepped *s, uint32_t sm)
{
    struct lane *l = &s->lanes[sm];
    if (l->front.l1d)
        l->wake = l1d_front_tick(&l->front, &lane_sender, l, &s->port, s->env.sm_cycle, &s->error);
    else
        tick_port(s, sm);
}

/* In the order of a whole run: memory, then SMs. */
static void tick_lanes(struct stepped *s)
{
    const bool all = !s->c->sim_skip;
    if (all || s->memory_wake <= s->env.sm_cycle) memory_tick(s->memory);
    for (uint32_t i = 0; i < s->c->sm_count; i++)
        if (all || s->lanes[i].wake <= s->env.sm_cycle) tick_lane(s, i);
    s->memory_wake = memory_wake(s->memory);
}

/* The next cycle in which a unit changes, also if every cycle is ticked. */
static uint64_t next_change(const struct stepped *s)
{
    uint64_t next = s->memory_wake;
    for (uint32_t i = 0; i < s->c->sm_count; i++) next = min_u64(next, s->lanes[i].wake);
    return max_u64(next, s->cycle);
}

/* Ticks the next cycle with work before `end`, or goes to `end`. */
static bool advance(struct stepped *s, uint64_t end, struct error *err)
{
    const uint64_t next = s->c->sim_skip ? next_change(s) : s->cycle;
    if (next >= end) {
        s->cycle = end;
        return true;
    }
    s->env.sm_cycle = next;
    tick_lanes(s);
    s->cycle = next + 1;
    return !s->error.text[0] || error_set(err, "%s", s->error.text);
}

static uint64_t end_of(const struct stepped *s, uint64_t cycles)
{
    return cycles < NEVER - s->cycle ? s->cycle + cycles : NEVER;
}

bool stepped_step(struct stepped *s, uint64_t cycles, bool to_done, struct error *err)
{
    const uint64_t end = end_of(s, cycles);
    if (!goes_on(s, err)) return false;
    while (s->cycle < end && !(to_done && (s->done.count || !pool_used(&s->places))))
        if (!advance(s, end, err)) return false;
    return true;
}

static bool empty(const struct stepped *s)
{
    bool quiet = !pool_used(&s->places) && memory_empty(s->memory);
    for (uint32_t i = 0; quiet && i < s->c->sm_count; i++)
        quiet = !s->lanes[i].front.l1d || l1d_quiet(s->lanes[i].front.l1d);
    return quiet;
}

bool stepped_drain(struct stepped *s, uint64_t limit, struct error *err)
{
    const uint64_t from = s->cycle, end = end_of(s, limit);
    if (!goes_on(s, err)) return false;
    while (!empty(s)) {
        if (s->cycle >= end || next_change(s) == NEVER)
            return error_set(err, "cycle %" PRIu64 ": %u accesses in flight %" PRIu64 " cycles after the drain began%s",
                             s->cycle, pool_used(&s->places), s->cycle - from,
                             next_change(s) == NEVER ? ", and nothing can go on" : ": the limit");
        if (!advance(s, end, err)) return false;
    }
    return true;
}

bool stepped_poll(struct stepped *s, struct memtwin_done *done)
{
    const struct memtwin_done *d = ring_peek(&s->done);
    if (!d) return false;
    *done = *d;
    ring_pop(&s->done);
    return true;
}

uint64_t stepped_cycle(const struct stepped *s)
{
    return s->cycle;
}

uint64_t stepped_in_flight(const struct stepped *s)
{
    return pool_used(&s->places);
}

uint64_t stepped_next(const struct stepped *s)
{
    return next_change(s);
}

/* ---- The end. ---- */

/* Nothing is in flight any more. */
static bool counters_agree(const struct stepped *s, struct error *err)
{
    const struct stats *n = s->env.stats;
    const uint64_t below = n->l1d_misses + n->l1d_bypassed + n->l1d_writes;
    uint64_t sent = 0, received = 0;
    for (uint32_t i = 0; i < s->c->sm_count; i++) {
        sent += l1d_sent(s->lanes[i].front.l1d);
        received += l1d_received(s->lanes[i].front.l1d);
    }
    const struct law laws[] = {
        {"coalescer.accesses = l1d.accesses", true, n->coalescer_accesses, LAW_EQUAL, n->l1d_accesses},
        {"requests sent = l1d misses + bypassed + writes", true, sent, LAW_EQUAL, below},
        {"responses received = requests sent", true, received, LAW_EQUAL, sent},
        {"l1d.fills = l1d.misses", true, n->l1d_fills, LAW_EQUAL, n->l1d_misses},
        {"xbar.requests = requests sent", true, n->xbar_requests, LAW_EQUAL, sent},
    };
    return l1d_laws_hold(&s->env, err) && laws_hold("", LAWS(laws), err);
}

bool stepped_finish(struct stepped *s, struct error *err)
{
    if (!goes_on(s, err)) return false;
    s->ended = true;
    s->env.cut = !empty(s);
    s->env.sm_cycle = s->cycle - 1; /* the one ticked last; before the first, memory_finish() counts 0 cycles */
    s->env.stats->gpu_cycles = s->cycle;
    for (uint32_t i = 0; i < s->c->sm_count; i++) catch_up(&s->lanes[i], s->cycle);
    bool ok = memory_finish(s->memory, err);
    if (ok && !s->env.cut && s->lanes[0].front.l1d) ok = counters_agree(s, err);
    return ok;
}
