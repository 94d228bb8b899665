/* SPDX-License-Identifier: Apache-2.0 */
#include "system/bench.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/unit/ring.h"
#include "system/unit/unit.h"

/* The source. */
struct program_source {
    struct source base;
    const struct program *program;
    uint32_t kernels, open;
};

struct block_stream {
    struct program_source *source;
    uint32_t block;
    uint32_t next[128];
};

static enum source_status next_kernel(struct source *s, struct kernel_info *info, struct error *err)
{
    struct program_source *p = (struct program_source *)s;
    if (p->open) return error_set(err, "a kernel starts while %u thread blocks are open", p->open), SOURCE_ERROR;
    uint32_t kernels = p->program->kernels ? p->program->kernels : 1;
    if (p->kernels++ == kernels) return SOURCE_END;
    *info = p->kernels > 1 && p->program->then ? *p->program->then : p->program->kernel;
    if (p->program->launch) p->program->launch(p->program, p->kernels - 1, info);
    return SOURCE_OK;
}

static struct block_stream *open_block(struct source *s, uint32_t index, struct error *err)
{
    struct program_source *p = (struct program_source *)s;
    struct block_stream *b = calloc(1, sizeof *b);
    if (!b) return error_set(err, "out of memory"), NULL;
    *b = (struct block_stream){.source = p, .block = index};
    p->open++;
    return b;
}

static enum source_status next_inst(struct block_stream *b, uint32_t warp, struct inst *inst, struct error *err)
{
    (void)err;
    const struct program *p = b->source->program;
    *inst = p->inst(p, b->block, warp, b->next[warp]++);
    return SOURCE_OK;
}

static void close_block(struct block_stream *b)
{
    b->source->open--;
    free(b);
}

static const struct source_ops ops = {
    .next_kernel = next_kernel, .open_block = open_block, .next_inst = next_inst, .close_block = close_block};

/* The memory. */
struct reply {
    struct request r;
    uint64_t at;
};

struct memory_under_test {
    const struct fixed_memory *setup;
    struct env *env;
    struct memory_client client;
    uint32_t sms;
    uint64_t ticked; /* first cycle not ticked yet */
    struct ring *input;
    struct ring replies;
    uint64_t in, out, last_taken;
    bool busy;
};

static void *memory_make(void *argument, struct env *env, const struct memory_client *client, struct error *err)
{
    (void)err;
    struct memory_under_test *m = calloc(1, sizeof *m);
    *m = (struct memory_under_test){.setup = argument, .env = env, .client = *client, .sms = env->config->sm_count};
    m->input = calloc(m->sms, sizeof *m->input);
    for (uint32_t i = 0; i < m->sms; i++) ring_init(&m->input[i], sizeof(struct request), 64);
    ring_init(&m->replies, sizeof(struct reply), 64);
    return m;
}

static void memory_unmake(void *memory)
{
    struct memory_under_test *m = memory;
    for (uint32_t i = 0; i < m->sms; i++) free(m->input[i].slots);
    free(m->input);
    free(m->replies.slots);
    free(m);
}

static bool memory_has_room(void *memory, uint32_t sm, const struct request *r)
{
    const struct memory_under_test *m = memory;
    (void)r;
    return m->input[sm].count < m->setup->depth;
}

static void memory_take(void *memory, uint32_t sm, const struct request *r)
{
    struct memory_under_test *m = memory;
    cr_assert(memory_has_room(m, sm, r));
    *(struct request *)ring_push(&m->input[sm]) = *r;
    m->in++;
}

static void reply(struct memory_under_test *m, const struct request *r)
{
    struct request other = *r;
    bool now = m->setup->fault != FAULT_NONE && m->out == m->setup->fault_at;
    m->out++;
    if (now && m->setup->fault == FAULT_LOSE) return;
    if (now && m->setup->fault == FAULT_BUSY) {
        m->busy = true;
        return;
    }
    if (now && m->setup->fault == FAULT_OTHER_LINE) other.line++;
    m->client.respond(m->client.context, r->sm, &other);
    if (now && m->setup->fault == FAULT_TWICE) m->client.respond(m->client.context, r->sm, r);
}

/* Takes in cycles that are multiples of the interval, so that skipping changes nothing. */
static void take_inputs(struct memory_under_test *m, uint64_t now)
{
    if (now % m->setup->interval) return;
    for (uint32_t i = 0; i < m->sms; i++) {
        const struct request *r = ring_peek(&m->input[i]);
        if (!r) continue;
        bool full = !memory_has_room(m, i, r);
        /* The sender's cycle ends with the request in the queue: its latency counts from there. */
        *(struct reply *)ring_push(&m->replies) = (struct reply){*r, now + m->setup->latency - 1};
        ring_pop(&m->input[i]);
        if (full) m->client.room(m->client.context, i);
    }
}

static void memory_cycle(void *memory)
{
    struct memory_under_test *m = memory;
    uint64_t now = m->env->sm_cycle;
    const struct reply *r;
    while ((r = ring_peek(&m->replies)) && r->at <= now) {
        struct request back = r->r;
        ring_pop(&m->replies);
        reply(m, &back);
    }
    take_inputs(m, now);
}

static uint64_t memory_next(const void *memory)
{
    const struct memory_under_test *m = memory;
    const struct reply *r = ring_peek(&m->replies);
    uint64_t now = m->env->sm_cycle, wake = r ? r->at : m->busy ? now + 1000 : NEVER;
    for (uint32_t i = 0; i < m->sms; i++) {
        uint64_t take = (now / m->setup->interval + 1) * m->setup->interval;
        if (m->input[i].count && take < wake) wake = take;
    }
    return wake;
}

static bool memory_is_empty(const void *memory)
{
    const struct memory_under_test *m = memory;
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < m->sms; i++) waiting += m->input[i].count;
    return !waiting && !m->replies.count;
}

static bool memory_end(void *memory, struct error *err)
{
    (void)memory;
    (void)err;
    return true;
}

/* It holds no lines. */
static bool memory_forget(void *memory, uint64_t line)
{
    (void)memory, (void)line;
    return false;
}

static void record(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t cycle)
{
    (void)unit;
    struct outcome *o = context;
    if (o->events < BENCH_EVENTS) o->event[o->events++] = (struct event){*r, place, cycle};
}

static void progress(void *context, double share, uint64_t cycle)
{
    struct outcome *o = context;
    o->reports++;
    o->share = share;
    o->reported_at = cycle;
}

/* A program has one source, which a restart takes back to its start. */
static struct source *restart(void *context, uint32_t workload, struct error *err)
{
    struct program_source *s = (struct program_source *)context + workload;
    if (s->open) return error_set(err, "a restart while %u thread blocks are open", s->open), NULL;
    s->kernels = 0;
    return &s->base;
}

/* Passes over sources of their own, as the command makes them. */
static bool collect(struct ranges r[MAX_WORKLOADS], const struct program_source *s, uint32_t count,
                    const struct config *c, struct error *err)
{
    struct warp_range_rules rules;
    const bool warps = run_warp_rules(c, &rules);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        struct program_source again = s[i], third = s[i];
        ok = ranges_collect(&again.base, &r[i], NULL, err) &&
             (!warps || warp_ranges_collect(&third.base, &r[i], &rules, err));
    }
    return ok;
}

static void sample(struct outcome *o, bool kernel, uint64_t cycle, const struct stats *so_far)
{
    if (o->samples < BENCH_SAMPLES) o->sample[o->samples++] = (struct sample){cycle, kernel, *so_far};
}

static void interval_over(void *context, uint64_t cycle, const struct stats *so_far,
                          const struct workload_stats *workloads)
{
    (void)workloads;
    sample(context, false, cycle, so_far);
}

static void kernel_starts(void *context, const struct kernel_info *kernel, uint64_t cycle, const struct stats *so_far)
{
    (void)kernel;
    sample(context, true, cycle, so_far);
}

static struct outcome *run(const struct config *c, const struct program *const *p, uint32_t count,
                           const struct memory_ops *memory, bool again, bool watched)
{
    struct outcome *o = calloc(1, sizeof *o);
    struct program_source s[MAX_WORKLOADS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        s[i] = (struct program_source){.base = {.ops = &ops,
                                                .allocations = (struct allocation *)p[i]->allocations,
                                                .allocation_count = p[i]->allocation_count},
                                       .program = p[i]};
        snprintf(s[i].base.name, sizeof s[i].base.name, "%s", p[i]->source ? p[i]->source : "program");
    }
    const struct observer observer = {.trace_requests = UINT64_MAX,
                                      .request_at = record,
                                      .progress = progress,
                                      .interval = BENCH_INTERVAL,
                                      .interval_over = interval_over,
                                      .kernel_starts = kernel_starts,
                                      .context = o};
    memset(&o->stats, 0xa5, sizeof o->stats); /* a run counts from zero, not from these values */
    struct run_setup setup = {.config = *c, .source = &s[0].base, .workload_stats = o->of};
    if (watched) setup.observer = &observer;
    for (uint32_t i = 1; i < count; i++) setup.beside[i - 1] = &s[i].base;
    setup.restart = again ? restart : NULL;
    setup.context = s;
    struct ranges ranges[MAX_WORKLOADS] = {0};
    for (uint32_t i = 0; run_needs_ranges(c) && i < count; i++) setup.ranges[i] = &ranges[i];
    o->ok = (!run_needs_ranges(c) || collect(ranges, s, count, c, &o->err)) &&
            (memory ? run_workload_on(&setup, memory, &o->stats, &o->err) : run_workload(&setup, &o->stats, &o->err));
    for (uint32_t i = 0; i < count; i++) {
        o->open_blocks += s[i].open;
        ranges_free(&ranges[i]);
    }
    return o;
}

static void memory_sync_nothing(void *memory, uint64_t cycles)
{
    (void)memory;
    (void)cycles;
}

struct outcome *bench_run_beside(const struct config *c, const struct program *const *p, uint32_t count,
                                 const struct fixed_memory *m, bool again)
{
    if (!m) return run(c, p, count, NULL, again, true);
    struct fixed_memory setup = *m;
    const struct memory_ops memory = {.create = memory_make,
                                      .destroy = memory_unmake,
                                      .room = memory_has_room,
                                      .send = memory_take,
                                      .tick = memory_cycle,
                                      .wake = memory_next,
                                      .empty = memory_is_empty,
                                      .sync = memory_sync_nothing,
                                      .finish = memory_end,
                                      .drop = memory_forget,
                                      .argument = &setup};
    return run(c, p, count, &memory, again, true);
}

struct outcome *bench_run_unwatched(const struct config *c, const struct program *const *p, uint32_t count, bool again)
{
    return run(c, p, count, NULL, again, false);
}

struct outcome *bench_run(const struct config *c, const struct program *p, const struct fixed_memory *m)
{
    return bench_run_beside(c, &p, 1, m, false);
}

struct outcome *bench_run_real(const struct config *c, const struct program *p)
{
    return bench_run_beside(c, &p, 1, NULL, false);
}

const struct event *outcome_event(const struct outcome *o, enum place place, uint32_t n)
{
    for (uint32_t i = 0; i < o->events; i++)
        if (o->event[i].place == place && n-- == 0) return &o->event[i];
    return NULL;
}

static bool same_request(const struct request *a, const struct request *b)
{
    return a->line == b->line && a->id == b->id && a->born == b->born && a->tag == b->tag && a->written == b->written &&
           a->sm == b->sm && a->kind == b->kind && a->bytes == b->bytes && a->sector == b->sector &&
           a->bypass == b->bypass;
}

bool outcome_same_events(const struct outcome *a, const struct outcome *b)
{
    bool same = a->events == b->events;
    for (uint32_t i = 0; same && i < a->events; i++)
        same = same_request(&a->event[i].r, &b->event[i].r) && a->event[i].place == b->event[i].place &&
               a->event[i].cycle == b->event[i].cycle;
    return same;
}

struct config bench_config(void)
{
    struct config c;
    config_default(&c);
    c.sm_count = c.sm_schedulers = 1;
    c.sim_max_cycles = 1000000;
    return c;
}

void bench_bank(struct config *c, uint32_t banks)
{
    c->sm_coalesce = COALESCE_SECTOR;
    c->l1d_sector_bytes = SECTOR_BYTES;
    c->l1d_banks = banks;
    c->l1d_bank_bytes = 4;
    c->l1d_lookups = 4;
}

struct fixed_memory bench_memory(void)
{
    return (struct fixed_memory){.latency = 100, .depth = 64, .interval = 1};
}

struct inst inst_of(enum inst_op op, uint8_t dst, uint8_t src)
{
    struct inst i = {.op = (uint8_t)op, .size = 4, .dst = dst, .count = 1, .mask = UINT32_MAX};
    memset(i.src, INST_NO_REG, sizeof i.src);
    i.src[0] = src;
    return i;
}

struct inst inst_exit(void)
{
    return inst_of(INST_EXIT, INST_NO_REG, INST_NO_REG);
}

struct inst inst_memory(enum inst_op op, uint8_t dst, uint64_t addr, uint32_t stride, uint8_t size)
{
    struct inst i = inst_of(op, dst, INST_NO_REG);
    i.size = size;
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++) i.addr[lane] = addr + (uint64_t)lane * stride;
    return i;
}

struct inst inst_line(enum inst_op op, uint8_t dst, uint64_t line)
{
    struct inst i = inst_of(op, dst, INST_NO_REG);
    i.mask = 1;
    i.addr[0] = line << LINE_SHIFT;
    return i;
}

struct program program_of(uint32_t blocks, uint32_t warps,
                          struct inst (*inst)(const struct program *p, uint32_t block, uint32_t warp, uint32_t n))
{
    return (struct program){
        .kernel = {.name = "test", .grid = {blocks, 1, 1}, .block = {warps * WARP_SIZE, 1, 1}, .regs_per_thread = 16},
        .inst = inst};
}
