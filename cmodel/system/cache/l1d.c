/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/l1d.h"

#include <inttypes.h>
#include <stdio.h>

#include "system/cache/l1d_core.h"
#include "system/config/bypass_kind.h"
#include "system/unit/unit.h"
#include "system/uvm/uvm.h"

/* Doubles the table of flights; new entries are taken lowest first. */
static bool more_flights(struct l1d *l)
{
    const uint32_t old = l->cache.places.size, n = old ? 2 * old : 64;
    struct flight *flights = realloc(l->flights, n * sizeof *flights);
    if (flights) l->flights = flights;
    /* mutant: > -> >=: sixteen million requests in flight, which no run can have */
    if (!flights || n > 1u << MISS_INFO_BITS || !pool_grow(&l->cache.places, n))
        return error_set(&l->fault, "l1d.%u: too many in flight", l->sm);
    for (uint32_t i = old; i < n; i++) flights[i].used = false;
    return true;
}

void l1d_destroy(struct l1d *l)
{
    if (!l) return;
    cache_free(&l->cache);
    bypass_destroy(l->bypass);
    free(l->flights);
    ring_free(&l->misses);
    ring_free(&l->responses);
    /* mutant: left out: a leak: the sanitized run of `make test` finds it */
    ring_free(&l->hits);
    free(l);
}

struct l1d *l1d_create(struct env *env, uint32_t sm, struct error *err)
{
    const struct config *c = env->config;
    struct l1d *l = host_calloc(1, sizeof *l);
    if (!l) return error_set(err, "l1d.%u: out of memory", sm), NULL;
    *l = (struct l1d){.env = env, .c = c, .sm = sm, .refused_id = L1D_NO_ACCESS};
    for (uint32_t i = 0; i < L1D_WIDTH; i++) l->refused[i].id = L1D_NO_ACCESS;
    l->allocates = config_writes_allocate(c);
    char unit[32];
    snprintf(unit, sizeof unit, "l1d.%u", sm);
    struct cache_setup setup = CACHE_SETUP(c, env->stats, l1d);
    setup.unit = unit;
    setup.cache = MISS_L1D;
    setup.filled = TAG_VALID;
    setup.tags.written = l->allocates;
    setup.gate = bypass_kind_of(c)->gate;
    setup.at_once = c->l1d_fill == FILL_AT_ONCE;
    l->bypass = bypass_create(env, sm, err);
    const bool ok = cache_init(&l->cache, env, &setup, err) && l->bypass &&
                    ring_init(&l->misses, sizeof(struct request), c->l1d_miss_queue) &&
                    ring_init_growing(&l->responses, sizeof(struct request), 64) &&
                    ring_init(&l->hits, sizeof(struct hit), (l1d_latency(c) + 1) * l1d_width(c)) && more_flights(l);
    l->timed = l->cache.hooked || l->cache.stall_around;
    l->around = ok && bypass_learns(l->bypass);
    l->restless = l->timed || l->around;
    if (ok) return l;
    error_set(err, "%s: out of memory", unit);
    l1d_destroy(l);
    return NULL;
}

void l1d_listen(struct l1d *l, const struct l1d_listener *listener)
{
    l->listener = listener;
}

static uint64_t cycles_in_front(const struct l1d *l, const struct access *a)
{
    return l->c->l1d_latency_at == LATENCY_FRONT ? (uint32_t)l->env->sm_cycle - a->entered : 0;
}

static struct request make_request(const struct l1d *l, const struct access *a)
{
    return (struct request){.line = a->line,
                            .id = a->id,
                            .born = l->env->sm_cycle - cycles_in_front(l, a),
                            .written = a->kind == REQUEST_WRITE ? a->written : 0,
                            .tag = a->load,
                            .sm = (uint16_t)l->sm,
                            .kind = a->kind,
                            .bytes = a->bytes,
                            .sector = a->sector,
                            .bypass = a->bypass};
}

static uint64_t block_of_access(const struct l1d *l, const struct access *a)
{
    return block_of(&l->cache.sectors, a->line, a->sector);
}

static uint32_t take_flight(struct l1d *l)
{
    if (!l->cache.places.left && !more_flights(l)) return 0;
    return pool_take(&l->cache.places);
}

static void return_flight(struct l1d *l, uint32_t i)
{
    l->flights[i].used = false;
    pool_give(&l->cache.places, i);
}

static inline struct request *start_flight(struct l1d *l, uint32_t i, const struct access *a)
{
    l->flights[i] = (struct flight){.r = make_request(l, a),
                                    .accepted = l->env->sm_cycle,
                                    .load = a->load,
                                    .warp = a->warp,
                                    .workload = a->workload,
                                    .used = true};
    l->flights[i].r.tag = i;
    return &l->flights[i].r;
}

static void finish_flight(struct l1d *l, uint32_t i, struct l1d_done *done)
{
    struct flight *f = &l->flights[i];
    env_at(l->env, &f->r, AT_DONE, l->sm);
    return_flight(l, i);
    done->load[done->count++] = f->load;
    l->cache.changed = true;
}

static void count_latency(struct l1d *l, const struct flight *f)
{
    struct stats *s = l->env->stats;
    uint64_t cycles = l->env->sm_cycle - f->accepted;
    s->mem_latency_sum += cycles;
    s->mem_latency_count++;
    raise_to(&s->mem_latency_max, cycles);
}

/* uvm_pin() and uvm_unpin(), around a request below or at the MSHR file, or uvm_wrote() of the line's page. */
static void tell_uvm(const struct l1d *l, uint64_t line, void (*what)(struct uvm *, uint32_t))
{
    const uint32_t page = l->env->uvm ? uvm_page(l->env->uvm, line) : UVM_UNMANAGED;
    if (page != UVM_UNMANAGED) what(l->env->uvm, page);
}

static void push_miss(struct l1d *l, const struct request *r)
{
    if (r->kind != REQUEST_READ) tell_uvm(l, r->line, uvm_wrote);
    tell_uvm(l, r->line, uvm_pin);
    *(struct request *)ring_push(&l->misses) = *r; /* ring_room() held: it need not grow */
    env_at(l->env, r, AT_MISS_QUEUE, l->sm);
}

static enum l1d_outcome accept(struct l1d *l, const struct request *r, enum place place, uint64_t *counter)
{
    l->env->stats->l1d_accesses++;
    ++*counter;
    env_at(l->env, r, place, l->sm);
    l->cache.changed = true;
    l->stuck = 0;
    return L1D_ACCEPTED;
}

/* A bypassed read.  In an open cache it missed; in a closed one the tags are updated as if it were open. */
static enum place look_up_tags(struct l1d *l, const struct access *a)
{
    const struct gate *gate = &l->cache.gate;
    if (!gate->closed) return gate_access(gate, false, false), AT_L1D_BYPASS;
    const uint64_t block = block_of_access(l, a);
    const enum tag_state state = tags_probe(l->cache.tags, block);
    cache_whose(&l->cache, a->workload);
    cache_enter(&l->cache, block, state); /* its victim is clean */
    return gate_look_up(gate, state);
}

/* Sectors of one line that are looked up together are one access for what learns from accesses. */
static bool is_seen(const struct l1d *l, const struct access *a)
{
    return a->beside && a->line == l->seen;
}

/* The access of the next calls, for the replacement policy. */
static void introduce(struct l1d *l, const struct access *a)
{
    cache_whose(&l->cache, a->workload);
    l->cache.again = is_seen(l, a);
}

/* Whether the line has no way and the replacement policy lets it have none: all lines of its set are protected.
 * Sectors that are looked up together share the answer. */
static bool is_guarded(struct l1d *l, uint64_t block, enum tag_state state)
{
    if (state != TAG_INVALID) return false;
    if (!l->cache.again) l->guarded = cache_protects(&l->cache, block);
    return l->guarded;
}

/* Learning policies see a read once, when it is accepted, not its earlier refusals. */
static enum l1d_outcome accept_read(struct l1d *l, const struct access *a, const struct request *r, enum place place,
                                    uint64_t *counter)
{
    const bool again = is_seen(l, a);
    l->seen = a->line;
    if (bypass_learns(l->bypass) && !again)
        bypass_access(l->bypass, a->line, tags_set(l->cache.tags, block_of_access(l, a)), a->owner, a->owners);
    const enum place seen = place == AT_L1D_BYPASS ? look_up_tags(l, a) : place;
    if (l->listener && !again) l->listener->read(l->listener->context, a, seen);
    return accept(l, r, place, counter);
}

/* Reports the first refusal of an access. */
static void note_refused(struct l1d *l, const struct access *a, struct refused *x)
{
    x->id = a->id;
    x->line = a->line;
    const struct request r = make_request(l, a);
    env_at(l->env, &r, AT_L1D_REFUSED, l->sm);
}

/* Counted once per cycle.  A request refused late by dl_mshr already passed the way and miss-queue checks; both still
 * hold at the retry. */
static enum l1d_outcome refuse(struct l1d *l, const struct access *a, uint64_t *counter)
{
    struct refused *x = &l->refused[a->pipeline];
    const bool again = a->kind == REQUEST_READ && !a->bypass && !l->timed;
    cache_refuse(&l->cache, counter);
    x->counter = counter;
    x->inside = !a->bypass;
    l->refusals |= 1u << a->pipeline;
    l->stuck = (l->stuck & ~(1u << a->pipeline)) | (uint32_t)again << a->pipeline;
    l->refused_id = a->id;
    if (x->inside && bypass_learns(l->bypass)) bypass_failure(l->bypass);
    l->env->stats->l1d_rf_around += a->bypass;
    if (x->id != a->id) note_refused(l, a, x);
    return L1D_REFUSED;
}

/* The line of the block has been allocated a way for this flight, possibly replacing a victim. */
static void report_taken(struct l1d *l, uint64_t block, uint32_t flight, const struct victim *victim)
{
    if (!l->listener) return;
    if (victim->valid) l->listener->replaced(l->listener->context, victim->line, victim->mark);
    tags_mark(l->cache.tags, block, l->flights[flight].warp);
}

static enum l1d_outcome answered(struct l1d *l, const struct access *a, uint64_t block, enum mshr_result result)
{
    struct stats *s = l->env->stats;
    struct victim victim;
    introduce(l, a);
    uint64_t *refused = cache_answer(&l->cache, block, result, &victim);
    if (refused) return refuse(l, a, refused);
    const struct request *r = start_flight(l, l->cache.place, a);
    if (result == MSHR_SECONDARY) return accept_read(l, a, r, AT_L1D_MERGE, &s->l1d_merged);
    accept_read(l, a, r, AT_L1D_MISS, &s->l1d_misses);
    if (l->cache.on_miss) report_taken(l, block, l->cache.place, &victim);
    push_miss(l, r);
    return L1D_ACCEPTED;
}

static void to_crossbar(struct l1d *l, const struct request *r)
{
    l->port->send(l->port->memory, l->sm, r);
    l->sent++;
    l->cache.changed = true;
}

static bool room_around(const struct l1d *l, const struct access *a)
{
    if (l->c->l1d_bypass_path != PATH_DIRECT) return ring_room(&l->misses);
    const struct request wanted = make_request(l, a);
    return l->port->room(l->port->memory, l->sm, &wanted);
}

/* Requires room on the bypass path; false: no bypass slot. */
static bool send_around(struct l1d *l, const struct access *a)
{
    uint32_t slot, i = take_flight(l);
    l->around = true;
    if (!bypass_take(l->bypass, i, &slot)) return return_flight(l, i), false;
    struct request *r = start_flight(l, i, a);
    r->tag = slot;
    accept_read(l, a, r, AT_L1D_BYPASS, &l->env->stats->l1d_bypassed);
    if (l->c->l1d_bypass_path != PATH_DIRECT) return push_miss(l, r), true;
    tell_uvm(l, r->line, uvm_pin);
    to_crossbar(l, r);
    return true;
}

static enum l1d_outcome access_bypass(struct l1d *l, struct access a)
{
    struct stats *s = l->env->stats;
    a.bypass = true;
    if (bypass_taken(l->bypass)) return L1D_WAIT;
    if (!room_around(l, &a))
        return l->c->l1d_bypass_path == PATH_DIRECT ? L1D_WAIT : refuse(l, &a, &s->l1d_rf_miss_queue);
    return send_around(l, &a) ? L1D_ACCEPTED : refuse(l, &a, &s->l1d_rf_bypass_slot);
}

/* A read that was refused in this cycle. */
static enum l1d_outcome around_stall(struct l1d *l, const struct access *a)
{
    if (!cache_stalls_around(&l->cache, l->cache.refusal) || bypass_taken(l->bypass)) return L1D_REFUSED;
    struct access around = *a;
    around.bypass = true;
    const bool sent = room_around(l, &around) && send_around(l, &around);
    l->env->stats->l1d_bypassed_on_stall += sent;
    return sent ? L1D_ACCEPTED : L1D_REFUSED;
}

/* Bytes for which a hit holds the data port: with banks none, since the sender gives each cycle what they serve. */
static uint32_t bytes_held(const struct l1d *l, const struct access *a)
{
    return l->c->l1d_banks ? 0 : a->bytes;
}

/* `whole`: the block has all its data, not only the words that the read needs. */
static enum l1d_outcome hit(struct l1d *l, const struct access *a, uint64_t block, bool whole)
{
    cache_hit(&l->cache, block, bytes_held(l, a), whole, l->env->sm_cycle, &l->fault);
    const struct request *r = start_flight(l, take_flight(l), a);
    *(struct hit *)ring_push(&l->hits) = (struct hit){l->env->sm_cycle + l1d_latency_behind(l->c), r->tag};
    return accept_read(l, a, r, AT_L1D_HIT, &l->env->stats->l1d_hits);
}

/* A miss fetches the whole block. */
static struct access for_block(const struct l1d *l, const struct access *a, uint64_t block)
{
    struct access whole = *a;
    whole.sector = (uint8_t)block_sector(&l->cache.sectors, block);
    whole.bytes = (uint8_t)l->cache.sectors.bytes;
    return whole;
}

/* A miss that the replacement policy sends around, since all lines of the set are protected. */
static enum l1d_outcome access_protected(struct l1d *l, const struct access *a, uint64_t block)
{
    const enum l1d_outcome outcome = access_bypass(l, *a);
    if (outcome == L1D_ACCEPTED && !l->cache.again) tags_went_around(l->cache.tags, block);
    return outcome;
}

static enum l1d_outcome read_miss(struct l1d *l, const struct access *a, uint64_t block, enum tag_state state)
{
    uint64_t *obstacle = cache_obstacle(&l->cache, block, state, ring_room(&l->misses));
    if (obstacle) return refuse(l, a, obstacle);
    if (!l->cache.places.left && !more_flights(l)) return L1D_WAIT;
    struct miss_answer answer = {0};
    const struct access whole = for_block(l, a, block);
    const bool presented = cache_present(&l->cache, block, state, false, &answer);
    if (answer.valid) return answered(l, &whole, block, answer.result);
    if (!presented) return L1D_WAIT;
    l->waiting = whole;
    l->block = block;
    tell_uvm(l, a->line, uvm_pin);
    return L1D_WAIT;
}

/* Whether the words that the read needs are in a block that was not fetched. */
static bool finds_words(const struct l1d *l, const struct access *a, uint64_t block)
{
    return l->c->l1d_write_miss == L1_WRITE_WORDS && a->written && tags_has_words(l->cache.tags, block, a->written);
}

/* A write's block gets its words, and first a way, if it has none.  False: there is none to take. */
static bool write_words(struct l1d *l, const struct access *a, uint64_t block, enum tag_state state)
{
    if (state == TAG_INVALID && !tags_can_reserve(l->cache.tags, block)) return false;
    if (state == TAG_INVALID || state == TAG_NO_SECTOR) {
        const struct victim v = cache_take(&l->cache, block, state, TAG_WRITTEN);
        if (v.valid && l->listener) l->listener->replaced(l->listener->context, v.line, v.mark);
    } else {
        tags_touch(l->cache.tags, block);
    }
    if (state != TAG_RESERVED) tags_write_clean(l->cache.tags, block, a->written);
    return true;
}

/* The tags of a write that may take a way.  The replacement policy sees it.  False: it has to wait for a way. */
static bool allocate_for_write(struct l1d *l, const struct access *a, uint64_t block, enum tag_state state)
{
    introduce(l, a);
    const bool around = is_guarded(l, block, state);
    if (!around && !write_words(l, a, block, state)) return false;
    cache_accept(&l->cache, block, state != TAG_INVALID);
    if (l->cache.learns) l->seen = a->line;
    l->env->stats->l1d_writes_around += around;
    return true;
}

static void write_found(struct l1d *l, uint64_t block, bool atomic)
{
    if (atomic || l->c->l1d_write == WRITE_EVICT)
        tags_invalidate(l->cache.tags, block);
    else
        tags_touch(l->cache.tags, block);
}

/* A refusal of the MSHR file. */
static bool is_of_file(const struct l1d *l, const struct refused *x)
{
    return x->counter != l->cache.n.rf_line && x->counter != l->cache.n.rf_miss_queue;
}

/* An access refused last in its pipeline is refused again until the tag of its line or the cause of the refusal
 * changes. */
static bool is_stuck(const struct l1d *l, uint32_t pipeline, uint64_t id)
{
    const struct refused *x = &l->refused[pipeline];
    if (!(l->stuck >> pipeline & 1) || x->id != id) return false;
    if (is_of_file(l, x)) return miss_file_refuses_again(l->cache.file);
    return x->counter == l->cache.n.rf_line || !ring_room(&l->misses);
}

/* The MSHR file has changed. */
static void unstick_file(struct l1d *l)
{
    for (uint32_t m = l->stuck; m; m &= m - 1)
        if (is_of_file(l, &l->refused[__builtin_ctz(m)])) l->stuck &= ~(m & -m);
}

/* A fill frees its line, and a way for others. */
static void unstick(struct l1d *l, uint64_t line)
{
    for (uint32_t m = l->stuck; m; m &= m - 1) {
        const struct refused *x = &l->refused[__builtin_ctz(m)];
        if (x->counter == l->cache.n.rf_line || x->line == line) l->stuck &= ~(m & -m);
    }
}

static enum l1d_outcome access_read(struct l1d *l, const struct access *a)
{
    const uint64_t block = block_of_access(l, a);
    const enum tag_state state = tags_probe(l->cache.tags, block);
    introduce(l, a);
    if (state == TAG_VALID || (state == TAG_WRITTEN && finds_words(l, a, block)))
        return hit(l, a, block, state == TAG_VALID);
    if (is_guarded(l, block, state)) return access_protected(l, a, block);
    const bool late = l->cache.refusal && l->refused_id == a->id; /* by a dl_mshr, for the previous cycle */
    if (late && around_stall(l, a) == L1D_ACCEPTED) return L1D_ACCEPTED;
    const enum l1d_outcome outcome = read_miss(l, a, block, state);
    return outcome == L1D_REFUSED ? around_stall(l, a) : outcome;
}

static enum l1d_outcome access_write(struct l1d *l, const struct access *a)
{
    struct stats *s = l->env->stats;
    if (!ring_room(&l->misses)) return refuse(l, a, &s->l1d_rf_miss_queue);
    bool atomic = a->kind == REQUEST_ATOMIC;
    const uint64_t block = block_of_access(l, a);
    const enum tag_state state = tags_probe(l->cache.tags, block);
    if (l->allocates && !atomic && !allocate_for_write(l, a, block, state)) return refuse(l, a, &s->l1d_rf_line);
    if (state == TAG_VALID || state == TAG_WRITTEN) {
        s->l1d_write_hits++;
        cache_hold(&l->cache, &l->cache.data_free, bytes_held(l, a), l->env->sm_cycle);
    }
    if (state == TAG_VALID || state == TAG_ONLY || (state == TAG_WRITTEN && atomic)) write_found(l, block, atomic);
    const struct request r = atomic ? *start_flight(l, take_flight(l), a) : make_request(l, a);
    l->writes += !atomic;
    s->l1d_atomics += atomic;
    accept(l, &r, AT_L1D_WRITE, &s->l1d_writes);
    push_miss(l, &r);
    return L1D_ACCEPTED;
}

bool l1d_send_around(struct l1d *l, const struct access *a)
{
    struct stats *s = l->env->stats;
    const bool atomic = a->kind == REQUEST_ATOMIC;
    const struct request wanted = make_request(l, a);
    if (!l->port->room(l->port->memory, l->sm, &wanted)) return false;
    struct request *r = start_flight(l, take_flight(l), a);
    r->born = l->env->sm_cycle;
    r->tag |= AROUND;
    s->l1d_atomics += atomic;
    accept(l, r, atomic ? AT_L1D_WRITE : AT_L1D_BYPASS, atomic ? &s->l1d_writes : &s->l1d_bypassed);
    if (atomic) tell_uvm(l, r->line, uvm_wrote);
    tell_uvm(l, r->line, uvm_pin);
    to_crossbar(l, r);
    return true;
}

static enum l1d_outcome present(struct l1d *l, const struct access *a)
{
    if (a->kind == REQUEST_READ && (a->bypass || !l->c->l1d_enable || l->cache.gate.closed))
        return access_bypass(l, *a);
    if (l->cache.data_free > l->env->sm_cycle) return L1D_WAIT;
    return a->kind == REQUEST_READ ? access_read(l, a) : access_write(l, a);
}

enum l1d_outcome l1d_access(struct l1d *l, const struct access *a)
{
    return is_stuck(l, a->pipeline, a->id) ? refuse(l, a, l->refused[a->pipeline].counter) : present(l, a);
}

static void finish_hits(struct l1d *l, struct l1d_done *done)
{
    const struct hit *h;
    while ((h = ring_peek(&l->hits)) && h->ready <= l->env->sm_cycle) {
        finish_flight(l, h->flight, done);
        ring_pop(&l->hits);
    }
}

void l1d_finish(struct l1d *l, struct l1d_done *done)
{
    done->count = 0;
    finish_hits(l, done);
}

static bool in_flight(struct l1d *l, uint32_t i, uint64_t line)
{
    if (i < l->cache.places.size && l->flights[i].used && l->flights[i].r.line == line) return true;
    return error_set(&l->fault, "l1d.%u: a response for line 0x%" PRIx64 " that no access waits for", l->sm, line);
}

static void drained(struct l1d *l, const struct miss_drain *d, struct l1d_done *done)
{
    if (!in_flight(l, d->info, block_line(&l->cache.sectors, d->line))) return;
    count_latency(l, &l->flights[d->info]);
    finish_flight(l, d->info, done);
}

/* The flight of a response that fills no line; UINT32_MAX: there is none. */
static uint32_t flight_around(struct l1d *l, const struct request *r)
{
    uint32_t i = r->tag & ~AROUND;
    const bool slot = r->kind == REQUEST_READ && i == r->tag;
    return !slot || bypass_return(l->bypass, r->tag, &i) ? i : UINT32_MAX;
}

static void respond_around(struct l1d *l, const struct request *r, struct l1d_done *done)
{
    const uint32_t i = flight_around(l, r);
    l->around = true;
    if (!in_flight(l, i, r->line)) return;
    if (r->kind == REQUEST_READ) count_latency(l, &l->flights[i]);
    tell_uvm(l, r->line, uvm_unpin);
    finish_flight(l, i, done);
}

static bool fill_line(struct l1d *l, const struct request *r)
{
    struct victim victim;
    const uint64_t block = block_of(&l->cache.sectors, r->line, r->sector);
    enum tag_state state = tags_probe(l->cache.tags, block);
    if (l->cache.on_miss && state != TAG_RESERVED)
        return error_set(&l->fault, "l1d.%u: data of line 0x%" PRIx64 " came back, but no way is reserved for it",
                         l->sm, r->line);
    if (!l->cache.on_miss) cache_whose(&l->cache, l->flights[r->tag].workload);
    if (!cache_fill(&l->cache, block, state, l->env->sm_cycle, &victim)) return false;
    unstick(l, r->line);
    if (!l->cache.on_miss) report_taken(l, block, r->tag, &victim);
    tell_uvm(l, r->line, uvm_unpin);
    env_at(l->env, r, AT_L1D_FILL, l->sm);
    return true;
}

static void take_response(struct l1d *l, struct l1d_done *done)
{
    const struct request *r = ring_peek(&l->responses);
    if (!r) return;
    if (r->bypass || r->kind == REQUEST_ATOMIC)
        respond_around(l, r, done);
    else if (!fill_line(l, r))
        return;
    ring_pop(&l->responses);
    /* mutant: left out: a fill changes the MSHR file and any other response ends a flight; both set it */
    l->cache.changed = true;
}

static void send(struct l1d *l)
{
    const struct request *r = ring_peek(&l->misses);
    l->blocked = r && !l->port->room(l->port->memory, l->sm, r);
    if (!r || l->blocked) return;
    to_crossbar(l, r);
    ring_pop(&l->misses);
}

enum l1d_outcome l1d_begin(struct l1d *l, const struct memory_port *port, struct l1d_done *done)
{
    enum l1d_outcome outcome = l->cache.presented ? L1D_WAIT : L1D_NONE;
    struct miss_answer answer;
    struct miss_drain drain;
    done->count = 0;
    l->port = port;
    l->refusals = 0;
    if (cache_begin(&l->cache, l->env->sm_cycle)) tags_flush(l->cache.tags);
    miss_file_begin(l->cache.file, true, &answer, &drain);
    if (answer.valid) {
        outcome = answered(l, &l->waiting, l->block, answer.result);
        tell_uvm(l, l->waiting.line, uvm_unpin);
    }
    finish_hits(l, done);
    if (drain.valid) drained(l, &drain, done);
    take_response(l, done);
    cache_drain(&l->cache);
    send(l);
    return outcome;
}

static void end_bypass(struct l1d *l)
{
    bypass_end(l->bypass, &l->fault);
    l->cache.changed |= bypass_settling(l->bypass);
    l->env->stats->l1d_bypass_slot_cycles += bypass_used(l->bypass);
    raise_to(&l->env->stats->l1d_bypass_slots_peak, bypass_used(l->bypass));
    l->around = !bypass_rests(l->bypass);
}

bool l1d_end(struct l1d *l, struct error *err)
{
    cache_end(&l->cache, l->env->sm_cycle, &l->fault);
    if (l->stuck && miss_file_changed(l->cache.file)) unstick_file(l);
    if (l->around) end_bypass(l);
    return !l->fault.text[0] || error_set(err, "%s", l->fault.text);
}

/* The next cycle in which data of a hit comes or a port is free; NEVER: none. */
static uint64_t wake(const struct l1d *l)
{
    const struct hit *h = ring_peek(&l->hits);
    return cache_wake(&l->cache, l->env->sm_cycle, h ? h->ready : NEVER);
}

/* Whether state may change without an input.  Branch-free, because the host cannot predict the branches. */
static inline bool moves(const struct l1d *l)
{
    const bool sends = (l->misses.count != 0) & !l->blocked, takes = l->responses.count != 0;
    const bool drains = l->cache.at_once && l->cache.undrained.count;
    return sends | takes | drains | miss_file_moves(l->cache.file) | l->restless;
}

uint32_t l1d_refusals(const struct l1d *l)
{
    return l->refusals;
}

bool l1d_refuses_again(const struct l1d *l, uint32_t pipeline, uint64_t id)
{
    return is_stuck(l, pipeline, id);
}

uint64_t l1d_next(const struct l1d *l, bool changed, bool repeats)
{
    changed |= l->cache.changed;
    if (changed & (moves(l) | !repeats)) return l->env->sm_cycle + 1;
    return wake(l);
}

void l1d_idle(struct l1d *l, uint64_t cycles)
{
    cache_idle(&l->cache, cycles);
    if (l->around) l->env->stats->l1d_bypass_slot_cycles += cycles * bypass_used(l->bypass);
}

void l1d_idle_refused(struct l1d *l, uint32_t pipeline, uint64_t cycles)
{
    const struct refused *x = &l->refused[pipeline];
    *x->counter += cycles;
    if (x->inside)
        bypass_idle(l->bypass, cycles);
    else
        l->env->stats->l1d_rf_around += cycles;
}

bool l1d_respond(struct l1d *l, const struct request *r)
{
    l->received++;
    if (r->kind == REQUEST_WRITE) {
        if (l->writes-- == 0) error_set(&l->fault, "l1d.%u: more writes acknowledged than sent", l->sm);
        tell_uvm(l, r->line, uvm_unpin);
        env_at(l->env, r, AT_DONE, l->sm);
        /* mutant: 0 + 1: no message has one character */
        return l->fault.text[0];
    }
    struct request *slot = ring_push(&l->responses);
    if (slot)
        *slot = *r;
    else
        /* mutant: left out: only without memory */
        error_set(&l->fault, "l1d.%u: out of memory", l->sm);
    return true;
}

bool l1d_sends_around(const struct l1d *l, const struct l1d *decider, uint32_t owner)
{
    return bypass_decide(l->bypass, decider->bypass, owner);
}

void l1d_flush(struct l1d *l)
{
    l->stuck = 0;
    tags_flush(l->cache.tags);
    bypass_flush(l->bypass);
}

void l1d_resize(struct l1d *l, uint32_t ways)
{
    if (pool_used(&l->cache.places))
        error_set(&l->fault, "l1d.%u: gets %u ways with %u reads in flight, expected none", l->sm, ways,
                  pool_used(&l->cache.places));
    else
        tags_resize(l->cache.tags, ways);
    l1d_flush(l);
}

void l1d_flush_where(struct l1d *l, uint64_t mask, uint64_t bits)
{
    l->stuck = 0;
    tags_flush_where(l->cache.tags, mask, bits);
}

bool l1d_flush_workload(struct l1d *l, uint32_t workload)
{
    l->stuck = 0;
    return tags_flush_workload(l->cache.tags, workload);
}

void l1d_forget(struct l1d *l, uint8_t warp)
{
    tags_forget(l->cache.tags, warp);
}

void l1d_drop(struct l1d *l, uint64_t line)
{
    l->stuck = 0;
    cache_drop(&l->cache, line, &l->fault);
}
