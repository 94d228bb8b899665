/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/l2.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "system/cache/cache.h"
#include "system/cache/l2_input.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

#define WRITE_BACK UINT32_MAX

/* A line on its way to DRAM or back. */
struct transfer {
    uint64_t local, ready;
    const struct request *who;
    uint32_t write_through; /* of a write: its place in `written`, or WRITE_BACK */
    bool write;
};

struct l2 {
    uint64_t wake; /* first: unit_wake() */
    struct env *env;
    struct dram *channel;
    struct l2_client client;
    uint32_t slice, latency, rop_latency;
    uint64_t next; /* cycles below it are counted */
    enum write_miss write_miss;
    uint32_t slice_shift, unit_shift; /* log2 of the slices of a partition, of the lines of an interleave unit */

    struct ring rop; /* struct packet */
    struct l2_input input;
    struct ring responses;     /* struct packet */
    struct ring misses, fills; /* struct transfer */
    struct ring delayed;       /* struct transfer: dram.latency_at = front */
    struct cache cache;
    struct packet *waits;   /* in the MSHR file, by cache.places */
    struct packet *written; /* write misses that DRAM has not acknowledged */
    struct pool writes;     /* places in `written` */

    bool draining_dirty; /* a write or an atomic was among the slots let out so far */
    uint64_t *reported;  /* refusal of this head that was reported to request_at() */
    uint32_t waiting;    /* requests in front after the last cycle */
    struct error error;
};

static bool init(struct l2 *s, const struct config *c, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "l2.%u", s->slice);
    struct cache_setup setup = CACHE_SETUP(c, s->env->stats, l2);
    setup.unit = unit;
    setup.cache = MISS_L2;
    setup.filled = TAG_RESERVED;
    if (!cache_init(&s->cache, s->env, &setup, err)) return false;
    const struct miss_shape file = miss_kind_of(c, MISS_L2)->shape(c, MISS_L2);
    const uint32_t places = file.slots + 1; /* one more is being presented */
    const uint32_t writes =                 /* as many as there are places on the way to DRAM */
        c->l2_write_miss == WRITE_MISS_THROUGH ? c->l2_miss_queue + c->dram_front_queue + c->dram_queue + c->dram_banks
                                               : 1;
    s->waits = calloc(places, sizeof *s->waits);
    s->written = calloc(writes, sizeof *s->written);
    bool ok = s->waits && pool_grow(&s->cache.places, places) && s->written && pool_grow(&s->writes, writes) &&
              ring_init(&s->responses, sizeof(struct packet), c->l2_response_queue + c->l2_latency) &&
              ring_init(&s->misses, sizeof(struct transfer), c->l2_miss_queue + 1) &&
              ring_init(&s->delayed, sizeof(struct transfer), c->dram_front_queue) &&
              ring_init_growing(&s->rop, sizeof(struct packet), 16) &&
              ring_init(&s->fills, sizeof(struct transfer), file.lines + 1 + writes);
    if (!ok) return error_set(err, "%s: out of memory", unit);
    if (!l2_input_init(&s->input, s->env, s->slice, err)) return false;
    s->misses.limit = c->l2_miss_queue; /* in a queue of one, a victim's write-back follows the read that evicts it */
    return true;
}

struct l2 *l2_create(struct env *env, uint32_t slice, struct dram *channel, const struct l2_client *client,
                     struct error *err)
{
    const struct config *c = env->config;
    struct l2 *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "l2.%u: out of memory", slice), NULL;
    *s = (struct l2){
        .env = env, .channel = channel, .client = *client, .slice = slice, .latency = c->l2_latency, .wake = NEVER};
    s->write_miss = c->l2_write_miss;
    s->rop_latency = c->l2_rop_latency;
    s->slice_shift = log2_floor(c->partition_slices);
    s->unit_shift = log2_floor(c->partition_interleave) - LINE_SHIFT;
    if (init(s, c, err)) return s;
    l2_destroy(s);
    return NULL;
}

void l2_destroy(struct l2 *s)
{
    if (!s) return;
    l2_input_free(&s->input);
    ring_free(&s->responses);
    ring_free(&s->misses);
    ring_free(&s->delayed);
    ring_free(&s->fills);
    ring_free(&s->rop);
    pool_free(&s->writes);
    cache_free(&s->cache);
    free(s->waits);
    free(s->written);
    free(s);
}

bool l2_room(const struct l2 *s)
{
    return l2_input_room(&s->input);
}

bool l2_empty(const struct l2 *s)
{
    return !s->rop.count && !l2_input_waiting(&s->input) && !s->responses.count && !s->misses.count &&
           !s->delayed.count && !s->fills.count && !pool_used(&s->cache.places) && !pool_used(&s->writes);
}

static void enter_rop(struct l2 *s, struct packet p, uint64_t ready)
{
    p.ready = ready;
    if (!ring_put(&s->rop, &p)) error_set(&s->error, "l2.%u: out of memory", s->slice);
}

void l2_push(struct l2 *s, const struct packet *p, uint64_t next)
{
    if (s->rop_latency)
        enter_rop(s, *p, next + s->rop_latency);
    else
        l2_input_push(&s->input, p);
    s->wake = 0;
    env_at(s->env, &p->r, AT_L2_IN, s->slice);
}

/* A line of the slice as a line of its channel, whose interleave units go to the slices in turn. */
static uint64_t channel_line(const struct l2 *s, uint64_t local)
{
    const uint64_t inside = local & (((uint64_t)1 << s->unit_shift) - 1);
    const uint64_t unit = (local >> s->unit_shift) << s->slice_shift | (s->slice & ((1u << s->slice_shift) - 1));
    return unit << s->unit_shift | inside;
}

static uint64_t local_line(const struct l2 *s, uint64_t line)
{
    const uint64_t inside = line & (((uint64_t)1 << s->unit_shift) - 1);
    return line >> (s->unit_shift + s->slice_shift) << s->unit_shift | inside;
}

void l2_fill(struct l2 *s, const struct dram_request *r, uint64_t ready)
{
    if (r->write && r->tag == WRITE_BACK) return;
    const struct transfer t = {
        .local = local_line(s, r->address >> LINE_SHIFT), .ready = ready, .write_through = r->tag, .write = r->write};
    *(struct transfer *)ring_push(&s->fills) = t;
    s->wake = 0;
}

void l2_resume(struct l2 *s)
{
    s->wake = 0;
}

/* A sleeping slice need not wake: no refusal depends on a valid line. */
bool l2_drop(struct l2 *s, uint64_t local)
{
    /* DRAM has acknowledged a write that went through, and still reads its line. */
    if (s->write_miss == WRITE_MISS_THROUGH && tags_probe(s->cache.tags, local) == TAG_RESERVED) {
        tags_leave(s->cache.tags, local);
        return false;
    }
    const bool dirty = cache_drop(&s->cache, local, &s->error);
    s->env->stats->l2_dropped_dirty += dirty;
    return dirty;
}

static bool changes_line(const struct request *r)
{
    return r->kind != REQUEST_READ;
}

/* A write that goes to DRAM when it misses. */
static bool goes_through(const struct l2 *s, const struct request *r)
{
    return s->write_miss == WRITE_MISS_THROUGH && r->kind == REQUEST_WRITE;
}

static void respond(struct l2 *s, const struct packet *p, uint64_t now)
{
    struct packet *x = ring_push(&s->responses);
    *x = *p;
    x->ready = now + s->latency;
    s->cache.changed = true;
}

static void send_response(struct l2 *s, uint64_t now)
{
    const struct packet *p = ring_peek(&s->responses);
    if (!p || p->ready > now || !s->client.can_respond(s->client.context, s->slice, p)) return;
    env_at(s->env, &p->r, AT_XBAR_BACK, s->slice);
    s->client.respond(s->client.context, s->slice, p);
    ring_pop(&s->responses);
    s->cache.changed = true;
}

static void count_access(struct l2 *s, const struct request *r)
{
    struct stats *st = s->env->stats;
    st->l2_accesses++;
    *(r->kind == REQUEST_READ ? &st->l2_reads : r->kind == REQUEST_WRITE ? &st->l2_writes : &st->l2_atomics) += 1;
}

/* The head of the input has been accepted. */
static void pop_input(struct l2 *s)
{
    bool full = !s->input.block && !l2_input_room(&s->input);
    l2_input_pop(&s->input);
    s->reported = NULL;
    s->cache.changed = true;
    if (full) s->client.room(s->client.context, s->slice);
}

static void refuse(struct l2 *s, const struct packet *p, uint64_t *counter)
{
    cache_refuse(&s->cache, counter);
    l2_input_refused(&s->input);
    if (s->reported == counter) return;
    s->reported = counter;
    env_at(s->env, &p->r, AT_L2_REFUSED, s->slice);
}

static void hit(struct l2 *s, const struct packet *p, uint64_t now)
{
    struct stats *st = s->env->stats;
    if (!ring_room(&s->responses)) {
        refuse(s, p, &st->l2_rf_response);
        return;
    }
    count_access(s, &p->r);
    st->l2_hits++;
    tags_touch(s->cache.tags, p->local);
    if (changes_line(&p->r)) tags_dirty(s->cache.tags, p->local);
    env_at(s->env, &p->r, AT_L2_HIT, s->slice);
    respond(s, p, now);
    pop_input(s);
}

/* Queues a dirty victim for DRAM; the miss queue has a place for it. */
static void write_back(struct l2 *s, struct victim v)
{
    if (!v.valid || !v.dirty) return;
    s->env->stats->l2_writebacks++;
    *(struct transfer *)ring_push(&s->misses) =
        (struct transfer){.local = v.line, .write_through = WRITE_BACK, .write = true};
}

/* The miss queue has a place for the write. */
static void write_through(struct l2 *s, const struct packet *p)
{
    const uint32_t i = pool_take(&s->writes);
    s->written[i] = *p;
    s->env->stats->l2_written_through++;
    *(struct transfer *)ring_push(&s->misses) =
        (struct transfer){.local = p->local, .who = &s->written[i].r, .write_through = i, .write = true};
}

/* The MSHR file has answered the request at the head of the input. */
static void answered(struct l2 *s, enum mshr_result result)
{
    struct stats *st = s->env->stats;
    const struct packet *p = l2_input_peek(&s->input);
    struct victim victim;
    uint64_t *refused = cache_answer(&s->cache, p->local, result, &victim);
    if (refused) {
        refuse(s, p, refused);
        return;
    }
    const bool primary = result == MSHR_PRIMARY;
    struct packet *waiting = &s->waits[s->cache.place];
    *waiting = *p;
    count_access(s, &p->r);
    ++*(primary ? &st->l2_misses : &st->l2_merged);
    if (goes_through(s, &p->r)) write_through(s, p);
    if (primary) *(struct transfer *)ring_push(&s->misses) = (struct transfer){.local = p->local, .who = &waiting->r};
    write_back(s, victim);
    env_at(s->env, &p->r, primary ? AT_L2_MISS : AT_L2_MERGE, s->slice);
    pop_input(s);
}

/* Places for a read of the line and for its victim, which a merge needs not, and for a write that goes through. */
static bool miss_room(const struct l2 *s, const struct request *r, enum tag_state state)
{
    const bool may_evict = s->cache.on_miss && s->misses.limit > 1;
    const bool through = goes_through(s, r);
    const uint32_t places = (state == TAG_RESERVED ? 0 : 1 + may_evict) + through;
    if (through && !s->writes.left) return false;
    return !places || s->misses.count + places <= s->misses.limit;
}

static void miss(struct l2 *s, const struct packet *p, enum tag_state state)
{
    struct miss_answer answer = {0};
    uint64_t *counter = cache_obstacle(&s->cache, p->local, state, miss_room(s, &p->r, state));
    if (counter)
        refuse(s, p, counter);
    else if (cache_present(&s->cache, p->local, changes_line(&p->r), &answer) && answer.valid)
        answered(s, answer.result);
}

/* A write of a whole line needs nothing of what DRAM has. */
static void take_line(struct l2 *s, const struct packet *p, uint64_t now)
{
    struct stats *st = s->env->stats;
    uint64_t *counter = cache_obstacle(&s->cache, p->local, TAG_INVALID, s->misses.count < s->misses.limit);
    if (!counter && !ring_room(&s->responses)) counter = &st->l2_rf_response;
    if (counter) {
        refuse(s, p, counter);
        return;
    }
    count_access(s, &p->r);
    st->l2_misses++;
    st->l2_unfetched++;
    write_back(s, cache_take_way(&s->cache, p->local, TAG_VALID));
    tags_dirty(s->cache.tags, p->local);
    env_at(s->env, &p->r, AT_L2_MISS, s->slice);
    respond(s, p, now);
    pop_input(s);
}

static void access(struct l2 *s, uint64_t now)
{
    const struct packet *p = l2_input_peek(&s->input);
    if (!p || s->cache.presented) return;
    enum tag_state state = tags_probe(s->cache.tags, p->local);
    if (state == TAG_VALID)
        hit(s, p, now);
    else if (state == TAG_INVALID && p->r.full)
        take_line(s, p, now);
    else
        miss(s, p, state);
}

/* A slot has come out: its request is served, unless DRAM acknowledges it. */
static void drained(struct l2 *s, const struct miss_drain *d, uint64_t now)
{
    const struct packet *p = &s->waits[d->info];
    if (!goes_through(s, &p->r)) {
        env_at(s->env, &p->r, AT_L2_FILL, s->slice);
        s->draining_dirty |= changes_line(&p->r);
        respond(s, p, now);
    }
    s->cache.changed = true;
    pool_give(&s->cache.places, d->info);
    if (!d->last) return;
    tags_fill(s->cache.tags, d->line);
    if (s->draining_dirty) tags_dirty(s->cache.tags, d->line);
    s->draining_dirty = false;
}

/* DRAM has done a write that went through. */
static bool acknowledge(struct l2 *s, uint32_t i, uint64_t now)
{
    if (!ring_room(&s->responses)) return false;
    respond(s, &s->written[i], now);
    pool_give(&s->writes, i);
    return true;
}

static bool fill_line(struct l2 *s, uint64_t local)
{
    struct victim victim;
    if (!s->cache.on_miss && !ring_room(&s->misses)) return false;
    if (!cache_fill(&s->cache, local, s->cache.on_miss ? TAG_RESERVED : TAG_INVALID, &victim)) return false;
    write_back(s, victim);
    return true;
}

/* Takes the oldest of what came back from DRAM. */
static void fill(struct l2 *s, uint64_t now)
{
    const struct transfer *t = ring_peek(&s->fills);
    if (!t || t->ready > now) return;
    if (!(t->write ? acknowledge(s, t->write_through, now) : fill_line(s, t->local))) return;
    ring_pop(&s->fills);
    s->cache.changed = true;
}

static void send_to_dram(struct l2 *s, struct ring *queue)
{
    const struct transfer *t = ring_peek(queue);
    dram_push(s->channel, &(struct dram_request){.address = channel_line(s, t->local) << LINE_SHIFT,
                                                 .tag = t->write_through,
                                                 .bytes = LINE_BYTES,
                                                 .write = t->write,
                                                 .who = t->who});
    ring_pop(queue);
    s->cache.changed = true;
}

/* With a latency in front of DRAM, the oldest miss starts through it, and the one that has passed it goes on. */
static void send_miss(struct l2 *s, uint64_t now)
{
    const struct config *c = s->env->config;
    if (c->dram_latency_at == LATENCY_BEHIND) {
        if (s->misses.count && dram_room(s->channel)) send_to_dram(s, &s->misses);
        return;
    }
    const struct transfer *passed = ring_peek(&s->delayed), *t = ring_peek(&s->misses);
    if (passed && passed->ready <= now && dram_room(s->channel)) send_to_dram(s, &s->delayed);
    if (!t || !ring_room(&s->delayed)) return;
    struct transfer *last = ring_push(&s->delayed);
    *last = *t;
    last->ready = now + c->dram_extra_latency;
    ring_pop(&s->misses);
    s->cache.changed = true;
}

/* One request a cycle leaves the pipeline in front. */
static void leave_rop(struct l2 *s, uint64_t now)
{
    const struct packet *p = ring_peek(&s->rop);
    if (!p || p->ready > now || !l2_input_room(&s->input)) return;
    l2_input_push(&s->input, p);
    ring_pop(&s->rop);
    s->cache.changed = true;
}

/* Cycles slept: nothing has changed in them, so each counts what the last one counted. */
static void catch_up(struct l2 *s, uint64_t now)
{
    uint64_t slept = now - s->next;
    s->next = now;
    if (!slept) return;
    cache_idle(&s->cache, slept);
    s->env->stats->l2_input_waiting_cycles += s->waiting * slept;
    s->env->stats->l2_input_stall_cycles += l2_input_stalled(&s->input) * slept;
}

/* The clock edge of the input. */
static void end_input(struct l2 *s)
{
    if (!l2_input_end(&s->input, &s->error)) s->cache.changed = true;
    s->cache.changed |= l2_input_changed(&s->input);
    s->waiting = l2_input_waiting(&s->input);
    s->env->stats->l2_input_waiting_cycles += s->waiting;
    s->env->stats->l2_input_stall_cycles += l2_input_stalled(&s->input);
}

static uint64_t next_wake(const struct l2 *s, uint64_t now)
{
    uint64_t wake = NEVER;
    const struct packet *r = ring_peek(&s->responses), *in = ring_peek(&s->rop);
    const struct transfer *f = ring_peek(&s->fills), *d = ring_peek(&s->delayed);
    if (r && r->ready > now) wake = r->ready;
    if (in && in->ready > now) wake = min_u64(wake, in->ready);
    if (f && f->ready > now) wake = min_u64(wake, f->ready);
    if (d && d->ready > now) wake = min_u64(wake, d->ready);
    return wake;
}

void l2_tick(struct l2 *s, uint64_t now)
{
    catch_up(s, now);
    s->next = now + 1;
    cache_begin(&s->cache);
    struct miss_answer answer = {0};
    struct miss_drain drain = {0};
    bool ready;

    leave_rop(s, now);
    if (l2_input_begin(&s->input)) s->client.room(s->client.context, s->slice);
    send_response(s, now);
    ready = ring_room(&s->responses);
    miss_file_begin(s->cache.file, ready, &answer, &drain);
    if (answer.valid) answered(s, answer.result);
    if (drain.valid && ready) drained(s, &drain, now);
    fill(s, now);
    send_miss(s, now);
    access(s, now);
    cache_end(&s->cache, &s->error);
    end_input(s);
    s->wake = s->cache.changed ? now + 1 : next_wake(s, now);
}

bool l2_finish(struct l2 *s, uint64_t cycles, struct error *err)
{
    catch_up(s, cycles);
    s->env->stats->l2_dirty_at_end += tags_count_dirty(s->cache.tags);
    if (s->error.text[0]) return error_set(err, "%s", s->error.text);
    if (s->env->cut) return true;
    if (pool_used(&s->cache.places))
        return error_set(err, "l2.%u: %u requests still in the MSHR file at the end, expected 0", s->slice,
                         pool_used(&s->cache.places));
    if (!l2_empty(s)) return error_set(err, "l2.%u: queues not empty at the end", s->slice);
    return true;
}
