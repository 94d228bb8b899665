/* SPDX-License-Identifier: Apache-2.0 */
/* One L2 slice and its DRAM channel on the bench, all in one clock: the channel's tick, then the slice's. */
#ifndef TESTS_SLICE_H
#define TESTS_SLICE_H
#include <criterion/criterion.h>

#include "system/cache/l2.h"
#include "system/unit/unit.h"

#define SLICE_REQUESTS 4096

struct slice {
    struct config c;
    struct stats s;
    struct env env;
    struct dram *dram;
    struct l2 *l2;
    uint64_t clock;
    uint32_t pushed, responses;
    bool closed;                    /* the crossbar has no room */
    uint64_t at[SLICE_REQUESTS];    /* cycle of request i's response */
    uint32_t order[SLICE_REQUESTS]; /* requests in order of response */
};

static inline bool slice_respond(void *context, uint32_t slice, const struct packet *p)
{
    struct slice *b = context;
    (void)slice;
    if (b->closed) return false;
    cr_assert_eq(b->at[p->r.tag], 0, "request %u is answered twice", p->r.tag);
    b->at[p->r.tag] = b->clock;
    b->order[b->responses++] = p->r.tag;
    return true;
}

static inline void slice_dram_done(void *context, const struct dram_request *r, uint64_t clock)
{
    struct slice *b = context;
    l2_fill(b->l2, r, clock + (b->c.dram_latency_at == LATENCY_BEHIND ? b->c.dram_extra_latency : 0));
}

static inline void slice_dram_room(void *context)
{
    l2_resume(((struct slice *)context)->l2);
}

static inline void slice_open(struct slice *b, const char *const *options)
{
    struct error err = {0};
    memset(b, 0, sizeof *b);
    config_default(&b->c);
    b->c.l2_latency = 10;
    b->c.dram_extra_latency = 20;
    for (; options && *options; options++) cr_assert(config_set(&b->c, *options, &err), "%s", err.text);
    b->env = (struct env){.config = &b->c, .stats = &b->s};
    b->dram = dram_create(&b->env, 0, &(struct dram_client){slice_dram_done, slice_dram_room, b}, &err);
    cr_assert(b->dram, "%s", err.text);
    struct l2_client client = {.respond = slice_respond, .context = b};
    b->l2 = l2_create(&b->env, 0, b->dram, &client, &err);
    cr_assert(b->l2, "%s", err.text);
}

static inline uint32_t slice_push_request(struct slice *b, struct request r)
{
    cr_assert(l2_room(b->l2));
    r.tag = b->pushed;
    if (!r.bytes) r.bytes = 128;
    l2_push(b->l2, &(struct packet){.r = r, .local = r.line}, b->clock);
    return b->pushed++;
}

static inline uint32_t slice_push(struct slice *b, enum request_kind kind, uint64_t line)
{
    return slice_push_request(b, (struct request){.line = line, .kind = (uint8_t)kind});
}

/* A write of the whole line. */
static inline uint32_t slice_push_full(struct slice *b, uint64_t line)
{
    return slice_push_request(b, (struct request){.line = line, .kind = REQUEST_WRITE, .written = UINT32_MAX});
}

/* To one sector; of a write, these words of it (a bit each). */
static inline uint32_t slice_push_sector(struct slice *b, enum request_kind kind, uint64_t line, uint8_t sector,
                                         uint32_t words)
{
    return slice_push_request(b, (struct request){.line = line,
                                                  .kind = (uint8_t)kind,
                                                  .bytes = SECTOR_BYTES,
                                                  .sector = sector,
                                                  .written = words << 8 * sector});
}

static inline void slice_until(struct slice *b, uint64_t clock)
{
    for (; b->clock < clock; b->clock++) {
        if (!b->c.sim_skip || dram_wake(b->dram) <= b->clock) dram_tick(b->dram, b->clock);
        if (!b->c.sim_skip || l2_state(b->l2)->send <= b->clock) l2_send(b->l2, b->clock);
        if (!b->c.sim_skip || l2_wake(b->l2) <= b->clock) l2_tick(b->l2, b->clock);
    }
}

/* To the end of everything in it; the slice's own laws must hold. */
static inline void slice_drain(struct slice *b)
{
    struct error err = {0};
    for (uint64_t limit = b->clock + 100000; !l2_empty(b->l2) || !dram_empty(b->dram); slice_until(b, b->clock + 1))
        cr_assert(b->clock < limit, "the slice is stuck");
    dram_sync(b->dram, b->clock);
    cr_assert(l2_finish(b->l2, b->clock, &err), "%s", err.text);
    cr_expect_eq(b->responses, b->pushed);
}

static inline void slice_close(struct slice *b)
{
    l2_destroy(b->l2);
    dram_destroy(b->dram);
}
#endif
