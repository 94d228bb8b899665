/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of unified memory alone: the parts above it are played by the test. */
#ifndef TESTS_UVM_BENCH_H
#define TESTS_UVM_BENCH_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "system/uvm/uvm_core.h"

enum { UVM_EVENTS = 65536, UVM_ALLOCATIONS = 64 };

struct uvm_event {
    char kind; /* 't' translated, 'u' unmapped, 'd' dropped */
    uint32_t page, sm;
    uint64_t cycle;
};

struct uvm_bench {
    struct config c;
    struct stats s;
    struct env env;
    struct source source;
    struct allocation allocation[UVM_ALLOCATIONS];
    struct uvm *u;
    struct uvm_event event[UVM_EVENTS];
    uint32_t events;
    bool dirty_lines; /* drop() finds some */
    struct error err;
};

static inline void uvm_bench_event(struct uvm_bench *b, char kind, uint32_t page, uint32_t sm)
{
    cr_assert_lt(b->events, UVM_EVENTS);
    b->event[b->events++] = (struct uvm_event){kind, page, sm, b->env.sm_cycle};
}

static inline void uvm_bench_translated(void *context, uint32_t page, uint32_t sm)
{
    uvm_bench_event(context, 't', page, sm);
}

static inline void uvm_bench_unmap(void *context, uint32_t page)
{
    uvm_bench_event(context, 'u', page, 0);
}

static inline uint32_t uvm_bench_drop(void *context, uint32_t page)
{
    struct uvm_bench *b = context;
    uvm_bench_event(b, 'd', page, 0);
    return b->dirty_lines ? 3 : 0;
}

/* Options of the configuration: 1481 MHz, tables small enough to be cleared quickly. */
static inline void uvm_bench_config(struct uvm_bench *b, const char *const *options)
{
    static const char *const own[] = {"clock.sm=1481", "uvm.enable=true", "uvm.table_pages=4096", NULL};
    memset(b, 0, sizeof *b);
    config_default(&b->c);
    for (int i = 0; own[i]; i++) cr_assert(config_set(&b->c, own[i], &b->err), "%s", b->err.text);
    for (; options && *options; options++) cr_assert(config_set(&b->c, *options, &b->err), "%s", b->err.text);
    b->env = (struct env){.config = &b->c, .stats = &b->s};
    b->source = (struct source){.name = "bench", .allocations = b->allocation};
}

static inline void uvm_bench_allocate(struct uvm_bench *b, const char *name, uint64_t addr, uint64_t bytes)
{
    struct allocation *a = &b->allocation[b->source.allocation_count++];
    snprintf(a->name, sizeof a->name, "%s", name);
    a->addr = addr;
    a->bytes = bytes;
}

/* False and b->err if the driver refuses. */
static inline bool uvm_bench_start(struct uvm_bench *b)
{
    const struct uvm_client client = {uvm_bench_translated, uvm_bench_unmap, uvm_bench_drop, b};
    b->u = uvm_create(&b->env, &b->source, &client, &b->err);
    b->env.uvm = b->u;
    return b->u;
}

/* One allocation "a" of so many KiB at 4 GiB: its pages are numbered from 0. */
static inline struct uvm_bench *uvm_bench_open(const char *const *options, uint32_t kib)
{
    struct uvm_bench *b = malloc(sizeof *b);
    cr_assert(b);
    uvm_bench_config(b, options);
    uvm_bench_allocate(b, "a", UINT64_C(1) << 32, (uint64_t)kib << 10);
    cr_assert(uvm_bench_start(b), "%s", b->err.text);
    return b;
}

/* The next cycle, or the one in which there is something to do, `limit` at the latest.  False after an error. */
static inline bool uvm_bench_step(struct uvm_bench *b, uint64_t limit)
{
    uint64_t next = b->c.sim_skip ? uvm_wake(b->u) : b->env.sm_cycle + 1;
    cr_assert_gt(next, b->env.sm_cycle);
    b->env.sm_cycle = next < limit ? next : limit;
    return uvm_tick(b->u, &b->err);
}

static inline void uvm_bench_until(struct uvm_bench *b, uint64_t cycle)
{
    while (b->env.sm_cycle < cycle) cr_assert(uvm_bench_step(b, cycle), "%s", b->err.text);
}

/* Until nothing is under way. */
static inline void uvm_bench_settle(struct uvm_bench *b)
{
    uint64_t limit = b->env.sm_cycle + 100000000;
    while (!uvm_empty(b->u) && b->env.sm_cycle < limit) cr_assert(uvm_bench_step(b, limit), "%s", b->err.text);
    cr_assert(uvm_empty(b->u), "pages are stuck");
}

/* One request of an SM in the next cycle that takes it; true if the page is there. */
static inline bool uvm_bench_ask(struct uvm_bench *b, uint32_t page, uint32_t sm)
{
    enum uvm_answer answer = UVM_RETRY;
    for (int tries = 0; answer == UVM_RETRY; tries++) {
        cr_assert_lt(tries, 1000000, "never accepted");
        cr_assert(uvm_bench_step(b, b->env.sm_cycle + 1), "%s", b->err.text);
        answer = uvm_request(b->u, page, sm);
    }
    return answer == UVM_RESIDENT;
}

/* An access to a page: asks, waits for it, uses it. */
static inline void uvm_bench_touch(struct uvm_bench *b, uint32_t page)
{
    if (!uvm_bench_ask(b, page, 0)) {
        uint32_t seen = b->events, found = 0;
        for (uint64_t limit = b->env.sm_cycle + 100000000; !found;) {
            cr_assert(uvm_bench_step(b, limit), "%s", b->err.text);
            cr_assert_lt(b->env.sm_cycle, limit, "page %u never comes", page);
            for (; seen < b->events; seen++) found |= b->event[seen].kind == 't' && b->event[seen].page == page;
        }
    }
    uvm_used(b->u, page);
}

static inline bool uvm_bench_there(const struct uvm_bench *b, uint32_t page)
{
    return b->u->pages->page[page].state == PAGE_DEVICE;
}

/* The first event of a kind for a page, or NULL. */
static inline const struct uvm_event *uvm_bench_find(const struct uvm_bench *b, char kind, uint32_t page)
{
    for (uint32_t i = 0; i < b->events; i++)
        if (b->event[i].kind == kind && b->event[i].page == page) return &b->event[i];
    return NULL;
}

static inline void uvm_bench_close(struct uvm_bench *b)
{
    uvm_bench_settle(b);
    cr_assert(uvm_finish(b->u, &b->err), "%s", b->err.text);
    uvm_destroy(b->u);
    free(b);
}
#endif
