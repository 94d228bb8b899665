/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic warp throttling by sampling cores (Khairy15, section 4.2): the block dwt_core of each SM ("sm.3.dwt") and the
 * dwt_coordinator of the GPU ("dwt").  The limit holds the oldest warps of each scheduler, as swl does.
 *
 * The coordinator is ticked in dwt_dispatched().  It has no outputs between its last ticked cycle and `due`, so these
 * cycles are skipped without inputs.  Its outputs reach all SMs in the same cycle. */
#include "dwt_coordinator.h"
#include "dwt_core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "system/block/block_socket.h"
#include "system/sm/sm.h"
#include "system/sm/throttle.h"
#include "system/sm/warp_scheduler.h"

enum { MISSES = 3 }; /* of a cycle, at most */
enum { INST_BITS = 24, MISS_BITS = 16, COUNT_BITS = 8, KERNEL_BITS = 8, NAMES = 1 << KERNEL_BITS };

struct core {
    struct block_socket socket;
    struct dwt_core_in in;
    struct dwt_core_out out; /* after the last clock edge */
    uint32_t misses;         /* not counted by it yet: an L1D with banks may miss more often in a cycle than fits */
    bool control;            /* an input that changes them */
};

struct dwt {
    struct sm_array *array;
    struct dwt_core_cfg core_cfg;
    struct dwt_coordinator_cfg cfg;
    struct block_socket socket;
    struct dwt_coordinator_in in;
    uint64_t ticked, due; /* coordinator cycles ticked so far; cycle of its next output to the SMs */
    char name[NAMES][sizeof((struct kernel_info *)0)->name]; /* of kernels, by their identities */
    uint32_t names;                                          /* given so far, in the order of first launches */
    uint32_t kernel;                                         /* identity of the one that runs */
    uint16_t kept[DWT_CORE_MAX_KERNELS]; /* identities in the SMs' tables, all alike: the one used last first */
    uint32_t kept_count;
    struct core core[];
};

static void dwt_destroy(void *state)
{
    struct dwt *d = state;
    for (uint32_t i = 0; i < d->cfg.Sms; i++) block_socket_close(&d->core[i].socket);
    block_socket_close(&d->socket);
    free(d);
}

static void dwt_configure(struct dwt *d, const struct config *c)
{
    const uint32_t warps = (uint32_t)ceil_div(c->sm_warps, c->sm_schedulers);
    d->core_cfg = (struct dwt_core_cfg){.Warps = warps,
                                        .Mpki = c->sm_dwt_mpki,
                                        .Periods = c->sm_dwt_periods,
                                        .InstW = INST_BITS,
                                        .MissW = MISS_BITS,
                                        .CountW = COUNT_BITS,
                                        .Kernels = c->sm_dwt_kernels,
                                        .KernelW = KERNEL_BITS};
    d->cfg = (struct dwt_coordinator_cfg){.Sms = c->sm_count,
                                          .Warps = warps,
                                          .Period = c->sm_dwt_period,
                                          .Samples = c->sm_dwt_samples,
                                          .InstW = INST_BITS};
}

static void read_outputs(struct core *c)
{
    block_socket_eval(&c->socket, &c->in, &c->out);
}

static bool open_core(struct dwt *d, uint32_t sm, struct error *err)
{
    struct core *c = &d->core[sm];
    char unit[32];
    snprintf(unit, sizeof unit, "sm.%u.dwt", sm);
    c->in.number_i = (uint8_t)sm;
    if (!block_socket_open(&c->socket, d->array->env, "dwt_core", &d->core_cfg, unit, err)) return false;
    read_outputs(c);
    return true;
}

static void *dwt_create(struct sm_array *a, struct error *err)
{
    if (a->workloads > 1)
        return error_set(err,
                         "sm.throttle: found dwt with %u concurrent workloads, allowed with it: one, as a limit "
                         "belongs to the kernel that runs",
                         a->workloads),
               NULL;
    struct dwt *d = calloc(1, sizeof *d + a->c->sm_count * sizeof *d->core);
    if (!d) return error_set(err, "dwt: out of memory"), NULL;
    d->array = a;
    d->due = NEVER; /* until a kernel starts */
    dwt_configure(d, a->c);
    bool ok = block_socket_open(&d->socket, a->env, "dwt_coordinator", &d->cfg, "dwt", err);
    for (uint32_t i = 0; ok && i < d->cfg.Sms; i++) ok = open_core(d, i, err);
    if (ok) return d;
    dwt_destroy(d);
    return NULL;
}

static warp_set dwt_may_issue(const void *state, const struct sm *sm)
{
    const struct dwt *d = state;
    const uint32_t limit = d->core[sm->number].out.limit_o;
    warp_set may = 0;
    if (limit == d->core_cfg.Warps) return ~(warp_set)0;
    for (uint32_t i = 0; i < sm->array->c->sm_schedulers; i++) may |= warps_oldest(sm, &sm->scheduler[i], limit);
    return may;
}

static void dwt_issued(void *state, const struct sm *sm, uint32_t w, const struct inst *i)
{
    struct core *c = &((struct dwt *)state)->core[sm->number];
    (void)w;
    c->in.inst_valid_i = true;
    c->in.inst_count_i += (uint8_t)__builtin_popcount(i->mask);
}

/* A merge is a miss, as in the paper's simulator. */
static void dwt_read(void *state, const struct sm *sm, const struct access *a, enum place how)
{
    struct core *c = &((struct dwt *)state)->core[sm->number];
    (void)a;
    if (how != AT_L1D_MISS && how != AT_L1D_MERGE) return;
    c->misses++;
}

static void count_misses(struct core *c)
{
    c->in.miss_count_i = (uint8_t)min_u32(c->misses, MISSES);
    c->in.miss_valid_i = c->in.miss_count_i != 0;
    c->misses -= c->in.miss_count_i;
}

static uint32_t kept_place(const struct dwt *d, uint32_t id)
{
    uint32_t i = 0;
    while (i < d->kept_count && d->kept[i] != id) i++;
    return i;
}

/* The SMs' tables take the identity, or move it to their front. */
static void keep(struct dwt *d, uint32_t id)
{
    uint32_t place = kept_place(d, id);
    if (place == d->kept_count && d->kept_count < d->core_cfg.Kernels) d->kept_count++;
    if (place == d->core_cfg.Kernels) place--; /* the last one leaves */
    memmove(&d->kept[1], d->kept, place * sizeof *d->kept);
    d->kept[0] = (uint16_t)id;
}

/* When all identities are in use, a kernel gets one that no table holds. */
static uint32_t identity(struct dwt *d, const char *name)
{
    const uint32_t known = d->names < NAMES ? d->names : NAMES;
    for (uint32_t i = 0; i < known; i++)
        if (!strcmp(d->name[i], name)) return i;
    while (kept_place(d, d->names % NAMES) < d->kept_count) d->names++;
    const uint32_t id = d->names++ % NAMES;
    snprintf(d->name[id], sizeof d->name[id], "%s", name);
    return id;
}

/* Input of an SM's core; the SM ticks in this cycle. */
static struct dwt_core_in *give(struct dwt *d, uint32_t sm)
{
    d->core[sm].control = true;
    sm_wake(&d->array->sms[sm]);
    return &d->core[sm].in;
}

static bool dwt_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    struct dwt *d = state;
    (void)a;
    const uint32_t id = d->kernel = identity(d, k->kernel.name);
    if (kept_place(d, id) < d->kept_count) keep(d, id);
    d->in.start_valid_i = true;
    for (uint32_t i = 0; i < d->cfg.Sms; i++) {
        struct dwt_core_in *in = give(d, i);
        in->start_valid_i = true;
        in->start_kernel_i = (uint16_t)id;
    }
    return true;
}

/* The lowest SM with a report sends it. */
static uint32_t offer_report(struct dwt *d)
{
    uint32_t sm = 0;
    while (sm < d->cfg.Sms && !d->core[sm].out.report_valid_o) sm++;
    if (sm == d->cfg.Sms) return sm;
    d->in.report_valid_i = true;
    d->in.report_count_i = d->core[sm].out.report_count_o;
    d->in.report_warps_i = d->core[sm].out.limit_o;
    return sm;
}

static void dwt_count(const struct dwt *d, const struct dwt_coordinator_out *out)
{
    struct stats *s = d->array->env->stats;
    s->dwt_samplings += out->sample_valid_o && !out->sample_second_o;
    s->dwt_second_rounds += out->sample_second_o;
    s->dwt_results += out->result_valid_o;
    s->dwt_warps_sum += out->result_warps_o;
    if (out->result_valid_o) s->dwt_warps_last = out->result_warps_o;
}

static void broadcast(struct dwt *d, const struct dwt_coordinator_out *out)
{
    for (uint32_t i = 0; i < d->cfg.Sms; i++) {
        struct dwt_core_in *in = give(d, i);
        in->period_valid_i = out->period_valid_o;
        in->sample_valid_i = out->sample_valid_o;
        in->sample_first_i = out->sample_second_o ? (uint8_t)d->cfg.Sms : 0;
        in->collect_valid_i = out->collect_valid_o;
        in->result_valid_i = out->result_valid_o;
        in->result_warps_i = out->result_warps_o;
    }
}

/* Cycle of the coordinator's next output, unless an SM requests a sampling before. */
static uint64_t next_due(const struct dwt *d, const struct dwt_coordinator_out *out, uint64_t now)
{
    if (d->in.start_valid_i) return now + d->cfg.Period;
    if (out->sample_valid_o) return now + (uint64_t)d->cfg.Samples * d->cfg.Period;
    if (out->period_valid_o) return now + d->cfg.Period;
    return out->result_valid_o ? NEVER : now + 1;
}

/* Cycles without an input. */
static void dwt_catch_up(struct dwt *d, uint64_t now)
{
    const struct dwt_coordinator_in nothing = {0};
    if (d->ticked < now && block_socket_idle(&d->socket)) {
        block_socket_skip(&d->socket, now - d->ticked);
        d->ticked = now;
    }
    for (; d->ticked < now; d->ticked++) block_socket_tick(&d->socket, &nothing);
}

static bool something(const struct dwt_coordinator_out *out)
{
    return out->period_valid_o || out->sample_valid_o || out->collect_valid_o || out->result_valid_o;
}

static void dwt_dispatched(void *state, struct sm_array *a)
{
    struct dwt *d = state;
    const uint64_t now = a->env->sm_cycle;
    struct dwt_coordinator_out out;
    if (now < d->due && !d->in.start_valid_i) return;
    dwt_catch_up(d, now);
    const uint32_t sender = offer_report(d);
    for (uint32_t i = 0; i < d->cfg.Sms; i++) d->in.ask_valid_i |= d->core[i].out.ask_o;
    block_socket_eval(&d->socket, &d->in, &out);
    if (d->in.report_valid_i && out.report_ready_o) give(d, sender)->report_ready_i = true;
    if (something(&out)) broadcast(d, &out);
    if (!something(&out) && !d->in.start_valid_i && !(d->in.report_valid_i && out.report_ready_o))
        error_set(a->error, "%s: no output in cycle %" PRIu64 ", in which one is due", d->socket.unit, now);
    if (!d->in.start_valid_i) dwt_count(d, &out);
    if (!d->in.start_valid_i && out.result_valid_o) keep(d, d->kernel);
    block_socket_tick(&d->socket, &d->in);
    d->due = next_due(d, &out, now);
    d->ticked = now + 1;
    d->in = (struct dwt_coordinator_in){0};
}

static uint64_t dwt_next(const void *state)
{
    const struct dwt *d = state;
    return d->due;
}

/* All outputs except reuse_o are registers, which instructions and misses alone do not change. */
static bool dwt_tick(void *state, const struct sm *sm, struct error *err)
{
    struct dwt *d = state;
    struct core *c = &d->core[sm->number];
    const uint8_t limit = c->out.limit_o;
    (void)err;
    count_misses(c);
    if (!c->control && !c->in.inst_valid_i && !c->in.miss_valid_i) return false;
    if (c->control) read_outputs(c);
    d->array->env->stats->dwt_reuses += c->control && c->out.reuse_o;
    block_socket_tick(&c->socket, &c->in);
    c->in = (struct dwt_core_in){.number_i = (uint8_t)sm->number};
    if (!c->control) return c->misses;
    c->control = false;
    read_outputs(c);
    if (c->out.ask_o) d->due = sm->array->env->sm_cycle + 1;
    return c->misses || c->out.limit_o != limit;
}

static const struct throttle dwt = {
    .policy = {"dwt",
               "limits each scheduler to its oldest warps; the limit is sampled across SMs when the L1D thrashes"},
    .hooks = {.create = dwt_create,
              .destroy = dwt_destroy,
              .may_issue = dwt_may_issue,
              .issued = dwt_issued,
              .read = dwt_read,
              .kernel_started = dwt_kernel_started,
              .tick = dwt_tick,
              .dispatched = dwt_dispatched,
              .next = dwt_next}};
THROTTLE_REGISTER(dwt, .blocks = {"dwt_core", "dwt_coordinator"}, .when = "sm.throttle=dwt");
