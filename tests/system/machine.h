/* SPDX-License-Identifier: Apache-2.0 */
/* Everything below the SMs on the bench: the SMs are played by the test. */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H
#include <criterion/criterion.h>

#include "base/rng.h"
#include "system/memory.h"
#include "system/unit/unit.h"

#define MACHINE_REQUESTS 20000

struct machine {
    struct config c;
    struct stats s;
    struct env env;
    struct memory *m;
    uint32_t sent, responses, rooms;
    uint64_t at[MACHINE_REQUESTS]; /* SM cycle of request i's response */
    uint64_t line[MACHINE_REQUESTS];
    uint8_t kind[MACHINE_REQUESTS];
    uint32_t order[MACHINE_REQUESTS];
};

static inline void machine_respond(void *context, uint32_t sm, const struct request *r)
{
    struct machine *t = context;
    cr_assert_eq(r->sm, sm);
    cr_assert_eq(t->at[r->id], 0, "request %u is answered twice", (uint32_t)r->id);
    t->at[r->id] = t->env.sm_cycle;
    t->order[t->responses++] = (uint32_t)r->id;
}

static inline void machine_room(void *context, uint32_t sm)
{
    (void)sm;
    ((struct machine *)context)->rooms++;
}

static inline void machine_open(struct machine *t, const char *const *options, const struct observer *observer)
{
    struct error err = {0};
    memset(t, 0, sizeof *t);
    config_default(&t->c);
    for (; options && *options; options++) cr_assert(config_set(&t->c, *options, &err), "%s", err.text);
    cr_assert(config_check(&t->c, &err), "%s", err.text);
    t->env = (struct env){.config = &t->c, .stats = &t->s};
    env_observe(&t->env, observer);
    struct memory_client client = {machine_respond, machine_room, t};
    t->m = memory_create(&t->env, &client, &err);
    cr_assert(t->m, "%s", err.text);
}

static inline bool machine_room_for_read(const struct machine *t, uint32_t sm)
{
    return memory_room(t->m, sm, &(struct request){.kind = REQUEST_READ, .bytes = LINE_BYTES});
}

static inline uint32_t machine_send(struct machine *t, uint32_t sm, enum request_kind kind, uint64_t line,
                                    uint8_t bytes)
{
    struct request r = {.line = line, .id = t->sent, .sm = (uint16_t)sm, .kind = (uint8_t)kind, .bytes = bytes};
    cr_assert(memory_room(t->m, sm, &r));
    t->line[t->sent] = line;
    t->kind[t->sent] = (uint8_t)kind;
    memory_send(t->m, sm, &r);
    return t->sent++;
}

/* On to the next SM cycle; skipping, to the first of `limit` and the memory's wake. */
static inline void machine_step(struct machine *t, uint64_t limit)
{
    uint64_t next = t->env.sm_cycle + 1;
    if (t->c.sim_skip) {
        uint64_t wake = memory_wake(t->m);
        cr_assert(wake >= next);
        next = wake < limit ? wake : limit;
    }
    t->env.sm_cycle = next;
    memory_tick(t->m);
}

static inline void machine_until(struct machine *t, uint64_t cycle)
{
    while (t->env.sm_cycle < cycle) machine_step(t, cycle);
}

static inline void machine_drain(struct machine *t)
{
    for (uint64_t limit = t->env.sm_cycle + 1000000; !memory_empty(t->m);) {
        machine_step(t, limit);
        cr_assert(t->env.sm_cycle < limit, "requests are stuck");
    }
}

static inline void machine_close(struct machine *t)
{
    struct error err = {0};
    cr_assert(memory_finish(t->m, &err), "%s", err.text);
    memory_destroy(t->m);
}

/* The same traffic with units that sleep and with units that tick in every cycle: all responses come in the same cycle,
 * and all counters are equal.  Both machines are closed. */
static inline void machine_sleeps_as_ticked(struct machine *t, struct machine *ticked, const char *const *options,
                                            uint32_t seed, void (*traffic)(struct machine *m, uint64_t seed))
{
    machine_open(t, options, NULL);
    machine_open(ticked, options, NULL);
    ticked->c.sim_skip = false;
    traffic(t, seed);
    traffic(ticked, seed);
    machine_close(t);
    machine_close(ticked);
    cr_expect_arr_eq(t->at, ticked->at, sizeof t->at, "seed %u: some response comes in another cycle", seed);
    const uint64_t *a = (const uint64_t *)&t->s, *b = (const uint64_t *)&ticked->s;
    for (uint32_t k = 0; k < sizeof t->s / sizeof *a; k++)
        cr_expect_eq(a[k], b[k], "seed %u: counter %u is %llu, ticked %llu", seed, k, (unsigned long long)a[k],
                     (unsigned long long)b[k]);
}
#endif
