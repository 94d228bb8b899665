/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/constant.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arith.h"
#include "system/stats/law.h"
#include "system/stats/workload_stats.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

struct way {
    uint64_t block; /* number of its line in constant memory */
    uint64_t used;  /* by number of use; 0: invalid */
};

/* An MSHR entry. */
struct entry {
    uint64_t block;
    uint32_t count, next; /* accesses merged; those that have their data.  count 0: free */
    bool answered;        /* its response has come */
    bool filled;          /* its line has its way */
};

struct constant {
    struct env *env;
    const struct config *c;
    struct way *ways; /* [sets * ways] */
    struct entry *entries;
    struct constant_access *slots; /* [entries * slots] */
    struct ring to_send;           /* uint32_t: entries whose request waits for the crossbar */
    struct ring responses;         /* uint32_t: entries whose data have come from the crossbar */
    struct ring filled;            /* uint32_t: entries that are filled and not empty */
    uint64_t uses, sent, received;
    uint64_t *refusal; /* counter of the last cycle's refusal, or NULL */
    uint32_t sm, sets, shift, used;
    struct error fault;
    bool blocked; /* the oldest of `to_send` waits for room, and the crossbar wakes the SM */
};

void constant_destroy(struct constant *k)
{
    if (!k) return;
    free(k->ways);
    free(k->entries);
    free(k->slots);
    ring_free(&k->to_send);
    ring_free(&k->responses);
    ring_free(&k->filled);
    free(k);
}

static bool allocate(struct constant *k)
{
    const uint32_t entries = k->c->constant_mshr_entries;
    k->ways = calloc((size_t)k->sets * k->c->constant_ways, sizeof *k->ways);
    k->entries = calloc(entries, sizeof *k->entries);
    k->slots = calloc((size_t)entries * k->c->constant_mshr_slots, sizeof *k->slots);
    return k->ways && k->entries && k->slots && ring_init(&k->to_send, sizeof(uint32_t), entries) &&
           ring_init(&k->responses, sizeof(uint32_t), entries) && ring_init(&k->filled, sizeof(uint32_t), entries);
}

struct constant *constant_create(struct env *env, uint32_t sm, struct error *err)
{
    const struct config *c = env->config;
    if (!c->constant_bytes) return NULL;
    struct constant *k = calloc(1, sizeof *k);
    if (!k) return error_set(err, "constant.%u: out of memory", sm), NULL;
    *k = (struct constant){.env = env,
                           .c = c,
                           .sm = sm,
                           .sets = c->constant_bytes / (c->constant_line_bytes * c->constant_ways),
                           .shift = log2_floor(c->constant_line_bytes)};
    if (allocate(k)) return k;
    constant_destroy(k);
    return error_set(err, "constant.%u: out of memory", sm), NULL;
}

uint64_t constant_line(uint64_t line, uint32_t workload)
{
    return CONSTANT_BIT | workload * CONSTANT_LINES | (line & (CONSTANT_LINES - 1));
}

static uint64_t block_at(const struct constant *k, uint64_t line, uint32_t sector)
{
    return (line << LINE_SHIFT | sector * SECTOR_BYTES) >> k->shift;
}

static struct way *set_of(const struct constant *k, uint64_t block)
{
    return &k->ways[(block & (k->sets - 1)) * k->c->constant_ways];
}

static struct way *find(const struct constant *k, uint64_t block)
{
    struct way *w = set_of(k, block);
    for (uint32_t i = 0; i < k->c->constant_ways; i++)
        if (w[i].used && w[i].block == block) return &w[i];
    return NULL;
}

/* An invalid way, else the one used least recently. */
static struct way *victim(const struct constant *k, uint64_t block)
{
    struct way *w = set_of(k, block), *least = w;
    for (uint32_t i = 1; i < k->c->constant_ways; i++)
        if (w[i].used < least->used) least = &w[i];
    return least;
}

/* The entry of a line, or its number of entries. */
static uint32_t entry_of(const struct constant *k, uint64_t block)
{
    uint32_t i = 0;
    while (i < k->c->constant_mshr_entries && !(k->entries[i].count && k->entries[i].block == block)) i++;
    return i;
}

static void put(struct ring *r, uint32_t entry)
{
    *(uint32_t *)ring_push(r) = entry; /* a ring has a place for each entry: it need not grow */
}

/* An access that merged with a filled line. */
static bool drain(struct constant *k, struct constant_access *done)
{
    const uint32_t *oldest = ring_peek(&k->filled);
    if (!oldest) return false;
    struct entry *e = &k->entries[*oldest];
    *done = k->slots[*oldest * k->c->constant_mshr_slots + e->next++];
    done->usable = max_u64(done->usable, k->env->sm_cycle);
    if (e->next < e->count) return true;
    e->count = 0;
    k->used--;
    ring_pop(&k->filled);
    return true;
}

static void fill(struct constant *k)
{
    const uint32_t *oldest = ring_peek(&k->responses);
    if (!oldest) return;
    const uint32_t i = *oldest;
    struct way *w = victim(k, k->entries[i].block);
    k->env->stats->constant_evictions += w->used != 0;
    k->env->stats->constant_fills++;
    *w = (struct way){k->entries[i].block, ++k->uses};
    k->entries[i].filled = true;
    put(&k->filled, i);
    ring_pop(&k->responses);
}

static struct request request_of(const struct constant *k, uint32_t entry)
{
    const uint64_t at = k->entries[entry].block << k->shift;
    return (struct request){.line = at >> LINE_SHIFT,
                            .id = UINT64_MAX, /* --trace-request follows accesses of the L1D */
                            .born = k->env->sm_cycle,
                            .tag = entry,
                            .sm = (uint16_t)k->sm,
                            .kind = REQUEST_READ,
                            .bytes = (uint8_t)k->c->constant_line_bytes,
                            .sector = (uint8_t)(at % LINE_BYTES / SECTOR_BYTES),
                            .constant = true};
}

static void send(struct constant *k, const struct memory_port *port)
{
    const uint32_t *oldest = ring_peek(&k->to_send);
    if (!oldest) return;
    const struct request r = request_of(k, *oldest);
    k->blocked = !port->room(port->memory, k->sm, &r);
    if (k->blocked) return;
    port->send(port->memory, k->sm, &r);
    k->sent++;
    ring_pop(&k->to_send);
}

bool constant_begin(struct constant *k, const struct memory_port *port, struct constant_access *done, struct error *err)
{
    k->refusal = NULL;
    if (k->fault.text[0]) error_set(err, "%s", k->fault.text);
    const bool drained = drain(k, done);
    fill(k);
    send(k, port);
    return drained;
}

static enum constant_outcome refuse(struct constant *k, uint64_t *counter)
{
    ++*counter;
    k->refusal = counter;
    return CONSTANT_REFUSED;
}

static enum constant_outcome wait_in(struct constant *k, uint32_t entry, const struct constant_access *a)
{
    struct entry *e = &k->entries[entry];
    k->slots[entry * k->c->constant_mshr_slots + e->count++] = *a;
    k->env->stats->constant_accesses++;
    return CONSTANT_WAITS;
}

static enum constant_outcome miss(struct constant *k, const struct constant_access *a, uint64_t block)
{
    uint32_t i = 0;
    if (k->used == k->c->constant_mshr_entries) return refuse(k, &k->env->stats->constant_rf_mshr_entry);
    while (k->entries[i].count) i++;
    k->entries[i] = (struct entry){.block = block};
    k->used++;
    k->env->stats->constant_misses++;
    k->blocked &= k->to_send.count != 0;
    put(&k->to_send, i);
    return wait_in(k, i, a);
}

/* A line that was replaced while its accesses drain has an entry that takes no more. */
static enum constant_outcome merge(struct constant *k, const struct constant_access *a, uint32_t entry)
{
    const struct entry *e = &k->entries[entry];
    if (e->filled || e->count == k->c->constant_mshr_slots) return refuse(k, &k->env->stats->constant_rf_mshr_merge);
    k->env->stats->constant_merged++;
    return wait_in(k, entry, a);
}

enum constant_outcome constant_access(struct constant *k, const struct constant_access *a)
{
    const uint64_t block = block_at(k, a->line, a->sector);
    struct way *w = find(k, block);
    if (!w) {
        const uint32_t i = entry_of(k, block);
        return i < k->c->constant_mshr_entries ? merge(k, a, i) : miss(k, a, block);
    }
    w->used = ++k->uses;
    k->env->stats->constant_accesses++;
    k->env->stats->constant_hits++;
    return CONSTANT_HIT;
}

void constant_idle(struct constant *k, uint64_t cycles)
{
    if (k->refusal) *k->refusal += cycles;
}

uint64_t constant_next(const struct constant *k)
{
    const bool sends = k->to_send.count && !k->blocked;
    return sends || k->responses.count || k->filled.count ? k->env->sm_cycle + 1 : NEVER;
}

void constant_respond(struct constant *k, const struct request *r)
{
    struct entry *e = &k->entries[r->tag % k->c->constant_mshr_entries];
    k->received++;
    if (!e->count || e->answered || e->block != block_at(k, r->line, r->sector)) {
        error_set(&k->fault, "constant.%u: a response for line 0x%" PRIx64 " that no access waits for", k->sm, r->line);
        return;
    }
    e->answered = true;
    put(&k->responses, r->tag);
}

void constant_flush(struct constant *k)
{
    for (uint32_t i = 0; k && i < k->sets * k->c->constant_ways; i++) k->ways[i].used = 0;
}

void constant_flush_workload(struct constant *k, uint32_t workload)
{
    for (uint32_t i = 0; k && i < k->sets * k->c->constant_ways; i++) {
        const uint64_t line = k->ways[i].block << k->shift >> LINE_SHIFT;
        if (line / CONSTANT_LINES % MAX_WORKLOADS == workload) k->ways[i].used = 0;
    }
}

bool constant_quiet(const struct constant *k)
{
    return !k || !k->used;
}

uint64_t constant_sent(const struct constant *k)
{
    return k ? k->sent : 0;
}

uint64_t constant_received(const struct constant *k)
{
    return k ? k->received : 0;
}

uint32_t constant_in_flight(const struct constant *k)
{
    return k ? k->used : 0;
}

bool constant_laws_hold(const struct env *env, struct error *err)
{
    const struct stats *s = env->stats;
    const bool none = !env->config->constant_bytes;
    const struct law laws[] = {
        {"constant.accesses = hits + misses + merged", true, s->constant_accesses, LAW_EQUAL,
         s->constant_hits + s->constant_misses + s->constant_merged},
        {"constant.fills <= constant.misses", true, s->constant_fills, LAW_AT_MOST, s->constant_misses},
        {"constant.evictions <= constant.fills", true, s->constant_evictions, LAW_AT_MOST, s->constant_fills},
        {"constant.misses = 0 with constant.bytes = 0", none, s->constant_misses, LAW_EQUAL, 0},
    };
    return laws_hold("", LAWS(laws), err);
}
