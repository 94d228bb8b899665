/* SPDX-License-Identifier: Apache-2.0 */
/* probe l1d: one L1D over a memory of fixed latency that answers one request per cycle.  Accesses are presented in
 * input order, each from its cycle until it is accepted.  Outcomes are printed in the same order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe.h"
#include "cli/rtl.h"
#include "system/cache/l1d_front.h"
#include "system/cache/sectors.h"
#include "system/config/policy.h"
#include "system/cache/miss_file.h"
#include "system/unit/watchdog.h"

#define LAST_ADDRESS (((uint64_t)1 << (MISS_ADDR_BITS + LINE_SHIFT)) - 1) /* bits of an id in the miss file */
#define OUTCOMES 4096 /* more than can be in flight; a power of two */

static const char *const causes[] = {"line", "mshr_entry", "mshr_merge", "mshr_drain", "miss_queue", "bypass_slot"};
#define CAUSES (sizeof causes / sizeof *causes)

struct outcome {
    struct access access;
    uint64_t address, asked, accepted, done, refusals[CAUSES];
    const char *what; /* NULL: not accepted yet */
    bool finished;
};

struct bench {
    struct stats stats;
    struct observer observer;
    struct env env;
    struct rtl_uses uses;
    char rtl_folder[RTL_PATH];
    struct memory_port port;
    struct l1d_front front;
    struct outcome outcome[OUTCOMES];
    struct watchdog watchdog;
    uint64_t read, next, printed; /* accesses read; next to accept; next to print */
    uint64_t sending;             /* next to send: those from `next` on are in the pipeline in front of the L1D */
    struct request sent[OUTCOMES];
    uint64_t due[OUTCOMES], sent_count, answered, latency;
    uint64_t charged[CAUSES]; /* reservation failures already charged to accesses */
    uint64_t wake;            /* of the L1D */
    bool skips;
};

static struct outcome *at(struct bench *b, uint64_t id)
{
    return &b->outcome[id & (OUTCOMES - 1)];
}

static void watch(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t cycle)
{
    static const char *const accepted[PLACES] = {[AT_L1D_HIT] = "hit",
                                                 [AT_L1D_MISS] = "miss",
                                                 [AT_L1D_MERGE] = "merged",
                                                 [AT_L1D_BYPASS] = "bypass",
                                                 [AT_L1D_WRITE] = "write"};
    struct outcome *o = at(context, r->id);
    (void)unit;
    if (accepted[place]) {
        o->what = accepted[place];
        o->accepted = cycle;
    }
    if (place != AT_DONE) return;
    o->done = cycle;
    o->finished = true;
}

static void watch_block(void *context, const struct block_ops *face, const void *cfg, const char *unit)
{
    (void)cfg;
    struct bench *b = context;
    rtl_used(&b->uses, face, unit);
}

static bool room(void *memory, uint32_t sm, const struct request *r)
{
    const struct bench *b = memory;
    (void)sm, (void)r;
    return b->sent_count - b->answered < OUTCOMES;
}

static void take(void *memory, uint32_t sm, const struct request *r)
{
    struct bench *b = memory;
    (void)sm;
    b->sent[b->sent_count & (OUTCOMES - 1)] = *r;
    b->due[b->sent_count++ & (OUTCOMES - 1)] = b->env.sm_cycle + b->latency;
}

static bool empty(const void *memory)
{
    const struct bench *b = memory;
    return b->sent_count == b->answered;
}

static void failures(const struct stats *s, uint64_t count[static CAUSES])
{
    const uint64_t all[] = {s->l1d_rf_line,       s->l1d_rf_mshr_entry, s->l1d_rf_mshr_merge,
                            s->l1d_rf_mshr_drain, s->l1d_rf_miss_queue, s->l1d_rf_bypass_slot};
    memcpy(count, all, sizeof all);
}

static void print_finished(struct bench *b)
{
    for (; b->printed < b->next && at(b, b->printed)->finished; b->printed++) {
        const struct outcome *o = at(b, b->printed);
        printf("%" PRIu64 " %c 0x%" PRIx64 " %s accepted=%" PRIu64 " done=%" PRIu64, o->asked,
               o->access.kind == REQUEST_WRITE ? 'W' : 'R', o->address, o->what, o->accepted, o->done);
        for (size_t i = 0; i < CAUSES; i++)
            if (o->refusals[i]) printf(" %s=%" PRIu64, causes[i], o->refusals[i]);
        putchar('\n');
    }
}

static bool gets_on(struct bench *b, struct error *err)
{
    const uint64_t work = b->read + b->sending + b->next + b->answered + b->printed;
    if (b->printed == b->read) b->watchdog.since = b->env.sm_cycle;
    return watchdog_sees(&b->watchdog, work, b->env.sm_cycle, WATCHDOG_CYCLES) ||
           error_set(err,
                     "cycle %" PRIu64 ": nothing has moved since cycle %" PRIu64 ": l1d.0 has %" PRIu64 " accesses",
                     b->env.sm_cycle, b->watchdog.since, b->read - b->printed);
}

/* Charges new reservation failures to the oldest access, which is presented until it is accepted. */
static void counted(void *sender, uint64_t cycles)
{
    struct bench *b = sender;
    uint64_t now[CAUSES];
    (void)cycles;
    failures(&b->stats, now);
    for (size_t i = 0; i < CAUSES; i++) at(b, b->next)->refusals[i] += now[i] - b->charged[i];
    memcpy(b->charged, now, sizeof now);
}

static void accepted(void *sender, const struct staged *x)
{
    struct bench *b = sender;
    b->next++;
    if (!x) b->sending++; /* it was sent without a pipeline */
}

static void probe_turn(void *sender, bool free);
static const struct l1d_sender probe = {.turn = probe_turn, .accepted = accepted, .counted = counted};

static void probe_turn(void *sender, bool free)
{
    struct bench *b = sender;
    if (b->sending == b->read) return;
    const struct staged head = {.a = at(b, b->sending)->access};
    if (l1d_front_send(&b->front, &probe, b, &head, free) != L1D_ACCEPTED) return;
    b->sending++;
    if (!b->front.latency) b->next++;
}

static bool cycle(struct bench *b, struct error *err)
{
    const uint64_t i = b->answered & (OUTCOMES - 1);
    if (b->answered < b->sent_count && b->due[i] <= b->env.sm_cycle) {
        l1d_respond(b->front.l1d, &b->sent[i]);
        b->answered++;
    }
    b->wake = l1d_front_tick(&b->front, &probe, b, &b->port, b->env.sm_cycle, err);
    b->env.sm_cycle++;
    print_finished(b);
    return !err->text[0] && gets_on(b, err);
}

/* Skips the idle cycles before `limit`, while no access is presented. */
static void pass_idle(struct bench *b, uint64_t limit)
{
    uint64_t next = min_u64(b->wake, limit);
    if (b->next < b->read || !b->skips) return;
    if (b->answered < b->sent_count) next = min_u64(next, b->due[b->answered & (OUTCOMES - 1)]);
    b->env.sm_cycle = max_u64(b->env.sm_cycle, next);
}

static bool present(struct bench *b, const struct outcome *access, struct error *err)
{
    bool ok = true;
    while (ok && (b->env.sm_cycle < access->asked || b->read - b->printed == OUTCOMES)) {
        ok = cycle(b, err);
        if (ok && b->env.sm_cycle < access->asked) pass_idle(b, access->asked);
    }
    *at(b, b->read) = *access;
    at(b, b->read)->access.id = b->read;
    b->read++;
    return ok;
}

static bool bench_open(struct bench *b, const struct probe *p, struct error *err)
{
    b->observer =
        (struct observer){.trace_requests = UINT64_MAX, .request_at = watch, .block = watch_block, .context = b};
    b->env = (struct env){.config = &p->machine.config,
                          .stats = &b->stats,
                          .rtl_blocks = p->rtl,
                          .rtl_folder = rtl_folder(b->rtl_folder)};
    env_observe(&b->env, &b->observer);
    b->port = (struct memory_port){.room = room, .send = take, .empty = empty, .memory = b};
    b->latency = p->latency;
    b->skips = p->machine.config.sim_skip;
    if (!l1d_front_init(&b->front, b->env.config, 0)) return error_set(err, "l1d: out of memory");
    b->front.l1d = l1d_create(&b->env, 0, err);
    return b->front.l1d && rtl_all_used(p->rtl, &b->uses, "this L1D", err);
}

bool probe_l1d(struct probe *p, struct error *err)
{
    struct bench *b = calloc(1, sizeof *b);
    if (!b) return error_set(err, "l1d: out of memory");
    struct outcome o = {0};
    const struct sectors s = sectors_of(p->machine.config.l1d_sector_bytes);
    p->machine.config.l1d_bypass_mode = policy_plain("L1D bypass"); /* an access of a probe has no owner */
    bool write, ok = bench_open(b, p, err);
    while (ok && probe_access(p, LAST_ADDRESS, &o.asked, &write, &o.address, err)) {
        o.access = (struct access){.line = o.address >> LINE_SHIFT,
                                   .kind = write ? REQUEST_WRITE : REQUEST_READ,
                                   .bytes = (uint8_t)s.bytes,
                                   .sector = (uint8_t)block_sector(&s, block_at(&s, o.address))};
        ok = present(b, &o, err);
    }
    while (ok && b->printed < b->read) ok = cycle(b, err);
    l1d_front_free(&b->front);
    rtl_free(&b->uses);
    free(b);
    return !err->text[0];
}
