/* SPDX-License-Identifier: Apache-2.0 */
/* probe dram: one channel alone, in DRAM clocks.  Requests enter its queue in input order, each at its cycle or when
 * the queue has room.  Outcomes are printed in the same order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe.h"
#include "system/dram/dram.h"
#include "system/stats/observe.h"
#include "system/unit/unit.h"
#include "system/unit/watchdog.h"

struct outcome {
    struct request who; /* id: index in the input */
    uint64_t address, asked, queued, issued, done;
    bool hit, finished;
};

#define OUTCOMES 4096 /* more than can be in flight; a power of two */

struct bench {
    struct stats stats;
    struct observer observer;
    struct env env;
    struct dram *dram;
    struct outcome outcome[OUTCOMES];
    uint64_t pushed, printed, clock, hits_before;
    struct watchdog watchdog;
};

static struct outcome *at(struct bench *b, uint64_t id)
{
    return &b->outcome[id & (OUTCOMES - 1)];
}

static void issued(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t clock)
{
    struct bench *b = context;
    (void)unit;
    if (place != AT_DRAM_ISSUE) return;
    at(b, r->id)->issued = clock;
    at(b, r->id)->hit = b->stats.dram_row_hits > b->hits_before; /* at most one request is issued per clock */
    b->hits_before = b->stats.dram_row_hits;
}

static void print_finished(struct bench *b, const struct config *c)
{
    for (; b->printed < b->pushed && at(b, b->printed)->finished; b->printed++) {
        const struct outcome *o = at(b, b->printed);
        struct dram_place place = dram_map(c, o->address);
        printf("%" PRIu64 " %c 0x%" PRIx64 " queued=%" PRIu64 " issued=%" PRIu64 " done=%" PRIu64
               " row=%s bank=%u at=%" PRIu64 ":%u\n",
               o->asked, o->who.kind == REQUEST_WRITE ? 'W' : 'R', o->address, o->queued, o->issued, o->done,
               o->hit ? "hit" : "miss", place.bank, place.row, place.column);
    }
}

static void finished(void *context, const struct dram_request *r, uint64_t clock)
{
    struct bench *b = context;
    at(b, r->who->id)->done = clock;
    at(b, r->who->id)->finished = true;
}

static void room(void *context)
{
    (void)context; /* the caller checks for room before every push */
}

static bool gets_on(struct bench *b, struct error *err)
{
    const uint64_t work = b->stats.dram_data_cycles + b->printed + b->pushed;
    if (dram_empty(b->dram)) b->watchdog.since = b->clock;
    return watchdog_sees(&b->watchdog, work, b->clock, WATCHDOG_CYCLES) ||
           error_set(err,
                     "clock %" PRIu64 ": nothing has moved since clock %" PRIu64 ": dram.0 has %" PRIu64 " requests",
                     b->clock, b->watchdog.since, b->pushed - b->printed);
}

static bool tick_channel(struct bench *b, const struct config *c, struct error *err)
{
    b->env.sm_cycle = b->clock;
    dram_tick(b->dram, b->clock++);
    print_finished(b, c);
    return gets_on(b, err);
}

static bool push(struct bench *b, uint64_t asked, bool write, uint64_t address, const struct config *c,
                 struct error *err)
{
    while (b->clock < asked) {
        if (!tick_channel(b, c, err)) return false;
        uint64_t wake = dram_wake(b->dram);
        if (c->sim_skip && wake > b->clock) b->clock = wake < asked ? wake : asked;
    }
    while (!dram_room(b->dram) || b->pushed - b->printed == OUTCOMES)
        if (!tick_channel(b, c, err)) return false;
    struct outcome *o = at(b, b->pushed);
    *o = (struct outcome){.address = address & ~(uint64_t)(LINE_BYTES - 1), .asked = asked, .queued = b->clock};
    o->who = (struct request){
        .id = b->pushed++, .line = address >> LINE_SHIFT, .kind = write ? REQUEST_WRITE : REQUEST_READ};
    struct dram_request r = {.address = o->address, .bytes = LINE_BYTES, .write = write, .who = &o->who};
    dram_push(b->dram, &r);
    return true;
}

bool probe_dram(struct probe *p, struct error *err)
{
    struct bench *b = calloc(1, sizeof *b);
    if (!b) return error_set(err, "dram: out of memory");
    b->observer = (struct observer){.trace_requests = UINT64_MAX, .request_at = issued, .context = b};
    b->env = (struct env){.config = &p->machine.config, .stats = &b->stats, .rtl_blocks = ""};
    env_observe(&b->env, &b->observer);
    struct dram_client client = {finished, room, b};
    b->dram = dram_create(&b->env, 0, &client, err);
    uint64_t cycle = 0, address = 0;
    bool write = false;
    bool ok = b->dram;
    while (ok && probe_access(p, UINT64_MAX, &cycle, &write, &address, err))
        ok = push(b, cycle, write, address, &p->machine.config, err);
    while (ok && b->printed < b->pushed) ok = tick_channel(b, &p->machine.config, err);
    if (b->dram) dram_destroy(b->dram);
    free(b);
    return !err->text[0];
}
