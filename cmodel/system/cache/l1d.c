/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of an L1D.  Its refusals are in l1d_refused.c; l1d_state.c starts and ends it. */
#include "system/cache/l1d.h"

#include <inttypes.h>

#include "system/cache/l1d_core.h"
#include "system/unit/unit.h"
#include "system/uvm/uvm.h"

static uint64_t block_of_access(const struct l1d *l, const struct access *a)
{
    return block_of(&l->cache.sectors, a->line, a->sector);
}

static uint32_t take_flight(struct l1d *l)
{
    if (!l->cache.places.left && !l1d_more_flights(l)) return 0;
    return pool_take(&l->cache.places);
}

static void return_flight(struct l1d *l, uint32_t i)
{
    l->flights[i].used = false;
    pool_give(&l->cache.places, i);
}

static inline struct request *start_flight(struct l1d *l, uint32_t i, const struct access *a)
{
    l->flights[i] = (struct flight){.r = l1d_request(l, a),
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
    if (refused) return l1d_refuse(l, a, refused);
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
    const struct request wanted = l1d_request(l, a);
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
        return l->c->l1d_bypass_path == PATH_DIRECT ? L1D_WAIT : l1d_refuse(l, &a, &s->l1d_rf_miss_queue);
    return send_around(l, &a) ? L1D_ACCEPTED : l1d_refuse(l, &a, &s->l1d_rf_bypass_slot);
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
    if (obstacle) return l1d_refuse(l, a, obstacle);
    if (!l->cache.places.left && !l1d_more_flights(l)) return L1D_WAIT;
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
    if (!ring_room(&l->misses)) return l1d_refuse(l, a, &s->l1d_rf_miss_queue);
    bool atomic = a->kind == REQUEST_ATOMIC;
    const uint64_t block = block_of_access(l, a);
    const enum tag_state state = tags_probe(l->cache.tags, block);
    if (l->allocates && !atomic && !allocate_for_write(l, a, block, state)) return l1d_refuse(l, a, &s->l1d_rf_line);
    if (state == TAG_VALID || state == TAG_WRITTEN) {
        s->l1d_write_hits++;
        cache_hold(&l->cache, &l->cache.data_free, bytes_held(l, a), l->env->sm_cycle);
    }
    if (state == TAG_VALID || state == TAG_ONLY || (state == TAG_WRITTEN && atomic)) write_found(l, block, atomic);
    const struct request r = atomic ? *start_flight(l, take_flight(l), a) : l1d_request(l, a);
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
    const struct request wanted = l1d_request(l, a);
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
    return l1d_refuses_again(l, a->pipeline, a->id) ? l1d_refuse(l, a, l->refused[a->pipeline].counter) : present(l, a);
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
    l1d_unstick(l, r->line);
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
    if (l->stuck && miss_file_changed(l->cache.file)) l1d_unstick_file(l);
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
