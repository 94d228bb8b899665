/* SPDX-License-Identifier: Apache-2.0 */
#include "system/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "system/sm/sm_array.h"
#include "system/stats/law.h"
#include "system/uvm/translate.h"
#include "system/unit/unit.h"
#include "system/unit/watchdog.h"

enum { LOOK_AT_CLOCK = 4096 }; /* loop iterations between two reads of the wall clock */

struct machine {
    struct env env;
    const struct memory_ops *ops;
    struct sm_array *sms;
    void *memory;
    uint64_t memory_wake, interval_end;
    struct translate *translate; /* NULL: uvm.enable is off */
    const struct workload_stats *workload_stats;
    uint32_t turns;
    struct watchdog watchdog;
    uint64_t patience; /* of it */
    struct timespec told;
};

/* Counters of all SM cycles below `cycles`, and of the memory's below `memory_cycles`. */
static void sync(struct machine *m, uint64_t cycles, uint64_t memory_cycles)
{
    sm_array_sync(m->sms, cycles);
    m->ops->sync(m->memory, memory_cycles);
    if (m->translate) translate_sync(m->translate);
}

/* In this cycle the memory has ticked before the SMs, or it slept. */
static void kernel_starts(void *context, const struct kernel_info *kernel)
{
    struct machine *m = context;
    const struct observer *o = m->env.observer;
    sync(m, m->env.sm_cycle, m->env.sm_cycle + 1);
    o->kernel_starts(o->context, kernel, m->env.sm_cycle, m->env.stats);
}

static void kernel_over(void *context, const struct kernel_run *run)
{
    struct machine *m = context;
    const struct observer *o = m->env.observer;
    if (!o || !o->kernel_over) return;
    if (o->kernel_starts) sync(m, m->env.sm_cycle, m->env.sm_cycle + 1);
    o->kernel_over(o->context, run, o->kernel_starts ? m->env.stats : NULL);
}

static void copied(void *context, const struct host_copy *copy)
{
    struct machine *m = context;
    m->ops->copied(m->memory, copy);
}

static struct sm_workloads workloads_of(struct machine *m, const struct run_setup *setup)
{
    const struct observer *o = setup->observer;
    struct sm_workloads w = {.source[0] = setup->source,
                             .kernel_starts = o && o->kernel_starts && !setup->launches ? kernel_starts : NULL,
                             .kernel_over = kernel_over,
                             .copied = setup->config.l2_host_copies && !setup->config.uvm_enable ? copied : NULL,
                             .launches = setup->launches,
                             .lanes = setup->lanes,
                             .kernel = setup->kernel,
                             .machine = m,
                             .count = 1,
                             .restart = setup->restart,
                             .context = setup->context,
                             .stats = setup->workload_stats};
    while (w.count < MAX_WORKLOADS && setup->beside[w.count - 1]) {
        w.source[w.count] = setup->beside[w.count - 1];
        w.count++;
    }
    memcpy(w.ranges, setup->ranges, sizeof w.ranges);
    return w;
}

static void answer(void *context, uint32_t sm, uint32_t page)
{
    struct machine *m = context;
    sm_array_answer(m->sms, sm, page);
}

static uint32_t unmap(void *context, uint32_t page)
{
    struct machine *m = context;
    return sm_array_unmap(m->sms, page);
}

static bool drop(void *context, uint64_t line)
{
    struct machine *m = context;
    sm_array_drop(m->sms, line);
    return m->ops->drop(m->memory, line);
}

static bool build_translate(struct machine *m, const struct run_setup *setup, struct error *err)
{
    const struct translate_client client = {.answer = answer, .unmap = unmap, .drop = drop, .context = m};
    if (setup->beside[0])
        return error_set(err, "uvm.enable: found several workloads, allowed: one; each has a page table of its own");
    m->translate = translate_create(&m->env, setup->source, &client, err);
    return m->translate && sm_array_translate(m->sms, m->translate, err);
}

static bool watches(const struct observer *o)
{
    return o && (o->kernel_starts || o->interval || o->trace_requests);
}

static bool build(struct machine *m, const struct run_setup *setup, struct error *err)
{
    const struct sm_workloads workloads = workloads_of(m, setup);
    env_observe(&m->env, setup->observer);
    m->env.watched = watches(setup->observer);
    m->sms = sm_array_create(&m->env, &workloads, err);
    if (!m->sms) return false;
    struct memory_client client = sm_array_client(m->sms);
    m->memory = m->ops->create(m->ops->argument, &m->env, &client, err);
    if (!m->memory) return false;
    const struct memory_port port = {
        .room = m->ops->room, .send = m->ops->send, .empty = m->ops->empty, .memory = m->memory};
    sm_array_connect(m->sms, &port);
    return !setup->config.uvm_enable || build_translate(m, setup, err);
}

static void tear_down(struct machine *m)
{
    /* mutant: negated: a leak: the sanitized run of `make test` finds it */
    if (m->memory) m->ops->destroy(m->memory);
    sm_array_destroy(m->sms);
    translate_destroy(m->translate);
}

static void tell_progress(struct machine *m)
{
    const struct observer *o = m->env.observer;
    if (!o || !o->progress) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    /* mutant: 1000 - 1: milliseconds of wall time, off by one in a thousand: no counter depends on them */
    /* mutant: 1000000 - 1: milliseconds of wall time, off by one in a million: no counter depends on them */
    int64_t ms = (now.tv_sec - m->told.tv_sec) * 1000 + (now.tv_nsec - m->told.tv_nsec) / 1000000;
    if (ms < 100) return;
    m->told = now;
    uint32_t cycles = m->env.config->cke_cycles;
    double share = cycles ? (double)m->env.sm_cycle / cycles : sm_array_share(m->sms);
    o->progress(o->context, share, m->env.sm_cycle);
}

/* Error text: `what`, then the waiting units.  Returns false. */
static bool explain(const struct machine *m, const char *what, struct error *err)
{
    char pages[256] = "", memory[256] = "";
    struct error why = {""};
    const bool walks = m->translate && !translate_empty(m->translate);
    if (walks) translate_describe(m->translate, pages, sizeof pages);
    if (m->ops->describe) m->ops->describe(m->memory, memory, sizeof memory);
    sm_array_explain(m->sms, what, &why);
    return error_set(err, "%s%s%s%s%s", why.text, walks ? "; " : "", pages, memory[0] ? "; " : "", memory);
}

/* Of each unit on the way of a request. */
static uint64_t work_done(const struct stats *s)
{
    return s->gpu_warp_instructions + s->l1d_accesses + s->xbar_requests + s->l2_accesses + s->dram_data_cycles +
           s->l2_fills + s->xbar_responses + s->l1d_fills;
}

static uint64_t patience_of(const struct config *c)
{
    const uint32_t slowest =
        min_u32(min_u32(c->clock_xbar_khz, c->clock_l2_khz), min_u32(c->clock_dram_khz, c->clock_sm_khz));
    return WATCHDOG_CYCLES * ceil_div(c->clock_sm_khz, slowest);
}

/* The driver of unified memory has a limit of its own (uvm.thrash_limit). */
static bool gets_on(struct machine *m, struct error *err)
{
    char what[80];
    struct watchdog *w = &m->watchdog;
    if (m->translate && !translate_empty(m->translate)) w->since = m->env.sm_cycle;
    if (watchdog_sees(w, work_done(m->env.stats), m->env.sm_cycle, m->patience)) return true;
    snprintf(what, sizeof what, "nothing has moved since cycle %" PRIu64, w->since);
    return explain(m, what, err);
}

/* Counts loop iterations, not cycles: an iteration is work, a skipped cycle is not. */
static bool look_around(struct machine *m, struct error *err)
{
    if (++m->turns % LOOK_AT_CLOCK) return true;
    tell_progress(m);
    return gets_on(m, err);
}

/* Intervals that are over before cycle `next`. */
static void end_intervals(struct machine *m, uint64_t next)
{
    const struct observer *o = m->env.observer;
    for (; next >= m->interval_end; m->interval_end += o->interval) {
        m->env.sm_cycle = m->interval_end - 1; /* no work until then */
        sync(m, m->interval_end, m->interval_end);
        o->interval_over(o->context, m->interval_end, m->env.stats, m->workload_stats);
    }
}

/* The next cycle with work. */
static bool advance(struct machine *m, struct error *err)
{
    struct env *env = &m->env;
    uint64_t sms = sm_array_wake(m->sms), next = sms < m->memory_wake ? sms : m->memory_wake;
    if (m->translate && translate_wake(m->translate) < next) next = translate_wake(m->translate);
    if (next == NEVER) return explain(m, "nothing can go on", err);
    if (!env->config->sim_skip || next <= env->sm_cycle) next = env->sm_cycle + 1;
    uint64_t limit = env->config->sim_max_cycles, end = env->config->cke_cycles;
    env->cut = end && next >= end;
    end_intervals(m, env->cut ? end - 1 : next);
    if (env->cut) {
        env->sm_cycle = end - 1;
        return true;
    }
    if (limit && next >= limit)
        return error_set(err,
                         "sim.max_cycles: %" PRIu64 " cycles, and the run is not over: kernel's blocks %.1f %% done",
                         limit, 100 * sm_array_share(m->sms));
    env->sm_cycle = next;
    return true;
}

static bool loop(struct machine *m, struct error *err)
{
    const struct env *env = &m->env;
    for (;;) {
        if (!env->config->sim_skip || m->memory_wake <= env->sm_cycle) m->ops->tick(m->memory);
        if (m->translate && !translate_tick(m->translate, err)) return false;
        if (!sm_array_tick(m->sms, err)) return false;
        if (sm_array_done(m->sms) && (!m->translate || translate_empty(m->translate))) return true;
        m->memory_wake = m->ops->wake(m->memory);
        if (!look_around(m, err) || !advance(m, err)) return false;
        if (env->cut) return true;
    }
}

static struct machine machine_of(const struct run_setup *setup, const struct memory_ops *ops, struct stats *stats)
{
    const struct observer *o = setup->observer;
    return (struct machine){.env = {.config = &setup->config,
                                    .stats = stats,
                                    .rtl_blocks = setup->rtl_blocks,
                                    .rtl_folder = setup->rtl_folder},
                            .ops = ops,
                            .workload_stats = setup->workload_stats,
                            .patience = patience_of(&setup->config),
                            .interval_end = o && o->interval ? o->interval : NEVER};
}

bool run_workload_on(const struct run_setup *setup, const struct memory_ops *ops, struct stats *stats,
                     struct error *err)
{
    *stats = (struct stats){0};
    struct error why = {""};
    struct machine m = machine_of(setup, ops, stats);
    if (!config_check(&setup->config, err)) return false;
    if (build(&m, setup, &why)) {
        bool ok = loop(&m, &why);
        ok = sm_array_finish(m.sms, &why) && ok; /* after a failure, too: counters catch up */
        ok = m.ops->finish(m.memory, &why) && ok;
        if (m.translate) ok = translate_finish(m.translate, &why) && ok;
    }
    tear_down(&m);
    return !why.text[0] || error_set(err, "%s", why.text);
}

bool run_needs_ranges(const struct config *c)
{
    return sm_array_needs_ranges(c);
}

bool run_warp_rules(const struct config *c, struct warp_range_rules *rules)
{
    return sm_array_warp_rules(c, rules);
}

static void *real_create(void *argument, struct env *env, const struct memory_client *client, struct error *err)
{
    (void)argument;
    return memory_create(env, client, err);
}

static void real_destroy(void *memory)
{
    memory_destroy(memory);
}

static bool real_room(void *memory, uint32_t sm, const struct request *r)
{
    return memory_room(memory, sm, r);
}

static void real_send(void *memory, uint32_t sm, const struct request *r)
{
    memory_send(memory, sm, r);
}

static void real_tick(void *memory)
{
    memory_tick(memory);
}

static uint64_t real_wake(const void *memory)
{
    return memory_wake(memory);
}

static bool real_empty(const void *memory)
{
    return memory_empty(memory);
}

static void real_describe(const void *memory, char *text, size_t size)
{
    memory_describe(memory, text, size);
}

static bool real_drop(void *memory, uint64_t line)
{
    return memory_drop(memory, line);
}

static void real_copied(void *memory, const struct host_copy *copy)
{
    memory_copied(memory, copy);
}

static void real_sync(void *memory, uint64_t cycles)
{
    memory_sync(memory, cycles);
}

static bool real_finish(void *memory, struct error *err)
{
    return memory_finish(memory, err);
}

static const struct memory_ops real_memory = {.create = real_create,
                                              .destroy = real_destroy,
                                              .room = real_room,
                                              .send = real_send,
                                              .tick = real_tick,
                                              .wake = real_wake,
                                              .empty = real_empty,
                                              .sync = real_sync,
                                              .finish = real_finish,
                                              .drop = real_drop,
                                              .copied = real_copied,
                                              .describe = real_describe};

bool run_build(const struct run_setup *setup, struct error *err)
{
    struct stats stats = {0};
    struct machine m = machine_of(setup, &real_memory, &stats);
    const bool built = config_check(&setup->config, err) && build(&m, setup, err);
    tear_down(&m);
    return built;
}

bool run_workload(const struct run_setup *setup, struct stats *stats, struct error *err)
{
    if (!run_workload_on(setup, &real_memory, stats, err)) return false;
    const struct law law = {
        "l1d misses + bypassed + writes + constant misses = xbar.requests",
        !setup->config.cke_cycles, /* else some wait in a miss queue: the laws of the SMs count them */
        stats->l1d_misses + stats->l1d_bypassed + stats->l1d_writes + stats->constant_misses, LAW_EQUAL,
        stats->xbar_requests};
    return laws_hold("", &law, 1, err);
}
