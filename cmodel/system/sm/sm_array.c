/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/sm_array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/cache/constant.h"
#include "system/config/bypass_kind.h"
#include "system/sm/block_dispatch.h"
#include "system/sm/block_partition.h"
#include "system/sm/dispatch.h"
#include "system/sm/lsu.h"
#include "system/sm/pair.h"
#include "system/sm/share.h"
#include "system/sm/sm.h"
#include "system/sm/split.h"
#include "system/sm/streams.h"
#include "system/sm/throttle.h"
#include "system/sm/turns.h"
#include "system/sm/warp.h"
#include "system/sm/warp_scheduler.h"
#include "system/stats/law.h"

void sm_array_destroy(struct sm_array *a)
{
    if (!a) return;
    for (uint32_t i = 0; a->sms && i < a->c->sm_count; i++) sm_destroy(&a->sms[i]);
    sm_events_destroy(&a->events);
    streams_destroy(a->streams);
    free(a->sms);
    free(a->usable);
    free(a->stall_cycles);
    free(a);
}

static void init_policies(struct sm_array *a)
{
    a->scheduler = (const struct warp_scheduler *)policy_at("warp scheduler", a->c->sm_scheduler);
    a->bypass = bypass_kind_of(a->c);
    a->dispatch = (const struct block_dispatch *)policy_at("block dispatch", a->c->sm_dispatch);
}

/* Creates the policies in the order in which they receive events. */
static bool listen(struct sm_array *a, struct error *err)
{
    const struct throttle *throttle = (const struct throttle *)policy_at("throttle", a->c->sm_throttle);
    const bool ok = sm_events_add(a, &throttle->hooks, NULL, err) &&
                    sm_events_add(a, &a->scheduler->hooks, &a->scheduler_state, err) && partition_create(a, err) &&
                    pair_create(a, err) && sm_events_add(a, &a->dispatch->hooks, &a->dispatch_state, err) &&
                    share_create(a, err);
    for (uint32_t i = 0; ok && i < a->c->sm_count; i++) sm_listen(&a->sms[i]);
    return ok;
}

static void init_workloads(struct sm_array *a)
{
    a->workloads = a->setup.count;
    if (a->setup.launches) a->workloads = a->setup.lanes;
    a->apart = a->workloads > 1 || a->c->cke_cycles || a->c->cke_scheme != CKE_PLAIN;
    a->ranks_shared =
        a->c->cke_shared && a->workloads > 1 && (a->c->cke_scheme == CKE_RBMI || a->c->cke_scheme == CKE_QBMI);
    for (uint32_t w = 0; w < a->workloads; w++) {
        const uint32_t from = a->setup.launches ? 0 : w;
        a->workload[w] = (struct workload){
            .source = a->setup.source[from], .number = w, .ranges = a->setup.ranges[from], .waits = a->setup.launches};
        a->order[w] = (uint8_t)w;
        memset(a->workload[w].space, NO_SPACE, sizeof a->workload[w].space);
    }
    if (!a->setup.launches) turns_start(a);
}

static struct op_needs needs_of(const struct config *c, uint8_t op)
{
    static const uint8_t unit_of[INST_OPS] = {[INST_SP] = UNIT_SP,
                                              [INST_SFU] = UNIT_SFU,
                                              [INST_LOAD] = UNIT_KINDS,
                                              [INST_STORE] = UNIT_KINDS,
                                              [INST_ATOMIC] = UNIT_KINDS,
                                              [INST_SHARED_LOAD] = UNIT_KINDS,
                                              [INST_SHARED_STORE] = UNIT_KINDS,
                                              [INST_BARRIER] = UNIT_KINDS,
                                              [INST_EXIT] = UNIT_KINDS,
                                              [INST_LOAD_L2] = UNIT_KINDS,
                                              [INST_COPY] = UNIT_KINDS,
                                              [INST_COPY_L2] = UNIT_KINDS,
                                              [INST_COMMIT] = UNIT_INT,
                                              [INST_WAIT] = UNIT_INT,
                                              [INST_ARRIVE] = UNIT_INT,
                                              [INST_AWAIT] = UNIT_INT,
                                              [INST_INT] = UNIT_INT,
                                              [INST_DP] = UNIT_DP,
                                              [INST_TENSOR] = UNIT_TENSOR,
                                              [INST_CONST_LOAD] = UNIT_KINDS};
    const uint32_t shared[UNIT_KINDS] = {c->sm_sp_latency, c->sm_sp_latency, c->sm_sfu_latency, c->sm_sfu_latency,
                                         c->sm_sp_latency};
    const uint32_t own[UNIT_KINDS] = {c->sm_sp_latency, c->sm_int_latency, c->sm_dp_latency, c->sm_sfu_latency,
                                      c->sm_tensor_latency};
    struct op_needs n = {.port = PORT_NONE, .unit = unit_of[op]};
    if (inst_is_memory(op)) n.port = PORT_LSU;
    if (n.unit == UNIT_KINDS) return n;
    n.port = inst_is_sfu(op) && !c->sm_sub_cores ? PORT_SFU : PORT_SP;
    const bool early = c->sm_reg_banks; /* the collectors delay it */
    n.latency = (uint16_t)((c->sm_sub_cores ? own : shared)[n.unit] - early);
    if (!c->sm_sub_cores) n.unit = inst_is_sfu(op) ? UNIT_SFU : UNIT_SP;
    return n;
}

static void place_registers(struct sm_array *a)
{
    for (uint32_t r = 0; r < REGISTERS; r++) a->register_place[r] = group_place(a, group_of(r)) + (r + 1) % GROUP;
}

bool sm_array_needs_ranges(const struct config *c)
{
    const struct block_dispatch *d = (const struct block_dispatch *)policy_at("block dispatch", c->sm_dispatch);
    const struct warp_scheduler *s = (const struct warp_scheduler *)policy_at("warp scheduler", c->sm_scheduler);
    return d->needs_ranges || s->needs_ranges;
}

bool sm_array_warp_rules(const struct config *c, struct warp_range_rules *rules)
{
    const struct warp_scheduler *s = (const struct warp_scheduler *)policy_at("warp scheduler", c->sm_scheduler);
    *rules = (struct warp_range_rules){.arrays = c->sm_locality_arrays,
                                       .region_bits = c->sm_locality_region_bits,
                                       .sub_bits = c->sm_locality_sub_bits,
                                       .rule = (enum range_rule)c->sm_ranges};
    return s->needs_warps;
}

static bool has_ranges(const struct sm_array *a, struct error *err)
{
    if (!sm_array_needs_ranges(a->c)) return true;
    for (uint32_t w = 0; w < a->workloads; w++)
        if (!a->workload[w].ranges)
            return error_set(err, "sm: found no access ranges of %s, which %s reads", a->workload[w].source->name,
                             a->dispatch->needs_ranges ? "sm.dispatch" : "sm.scheduler");
    return true;
}

/* Short paths leave out hooks that no listener has, and units that the machine lacks.  The halves of an SM sleep
 * separately if nothing reads both or depends on the order of SMs within a cycle. */
static void choose_paths(struct sm_array *a)
{
    const struct sm_events *e = &a->events;
    a->halves_sleep = a->c->sim_skip && !sm_events_within(e) && !a->env->traces;
    a->quick_issue = a->c->sm_warps <= 64 && !SM_HEARD(e, issued) && !SM_HEARD(e, may_issue) && !a->scheduler->allow &&
                     !a->sms[0].reorder;
}

/* A policy refused the lanes as workloads. */
static void explain_streams(struct error *err)
{
    const struct error why = *err;
    *err = (struct error){""};
    error_set(err, "%.700s; these are kernels of several streams, which cke.kernels = 1 runs one after the other",
              why.text);
}

struct sm_array *sm_array_create(struct env *env, const struct sm_workloads *workloads, struct error *err)
{
    struct sm_array *a = calloc(1, sizeof *a);
    if (!a) return error_set(err, "sm: out of memory"), NULL;
    *a = (struct sm_array){.env = env, .c = env->config, .setup = *workloads};
    init_policies(a);
    init_workloads(a);
    env->workloads = a->workloads;
    place_registers(a);
    for (uint8_t op = 0; op < INST_OPS; op++) a->needs[op] = needs_of(a->c, op);
    a->sms = host_calloc(a->c->sm_count, sizeof *a->sms);
    a->usable = calloc(a->c->sm_count * a->c->sm_warps * REGISTERS + GROUP, sizeof *a->usable);
    a->stall_cycles = calloc((size_t)1 << a->c->sm_schedulers * STALL_BITS, sizeof *a->stall_cycles);
    bool ok = ((a->sms && a->usable && a->stall_cycles) || error_set(err, "sm: out of memory")) && has_ranges(a, err) &&
              streams_create(a, err);
    for (uint32_t i = 0; ok && i < a->c->sm_count; i++) ok = sm_init(a, i, err);
    if (ok && listen(a, err) && split_create(a, err)) return choose_paths(a), a;
    if (ok && a->streams) explain_streams(err);
    sm_array_destroy(a);
    return NULL;
}

/* A store's access is acknowledged. */
static void stored(struct sm_array *a, struct sm *sm, uint32_t mark)
{
    if (a->apart) a->workload[mark_workload(mark)].writes--;
    if (a->c->sm_warp_end != END_STORES || !warp_stored(sm, mark_warp(mark))) return;
    sm_catch_up(sm, a->env->sm_cycle);
    warp_finish(sm, mark_warp(mark));
    sm_wake(sm);
}

static void respond(void *context, uint32_t sm, const struct request *r)
{
    struct sm_array *a = context;
    if (r->constant) {
        constant_respond(a->sms[sm].constant, r);
        sm_wake_memory(&a->sms[sm]);
        return;
    }
    if (r->kind == REQUEST_WRITE) stored(a, &a->sms[sm], r->tag);
    if (l1d_respond(a->sms[sm].front.l1d, r)) sm_wake_memory(&a->sms[sm]);
}

static void room(void *context, uint32_t sm)
{
    struct sm_array *a = context;
    sm_wake_memory(&a->sms[sm]);
}

struct memory_client sm_array_client(struct sm_array *a)
{
    return (struct memory_client){.respond = respond, .room = room, .context = a};
}

void sm_array_connect(struct sm_array *a, const struct memory_port *port)
{
    a->port = *port;
}

bool sm_array_translate(struct sm_array *a, struct translate *shared, struct error *err)
{
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        a->sms[i].translate = sm_translate_create(a->env, shared, i, err);
        if (!a->sms[i].translate) return false;
    }
    return true;
}

void sm_array_answer(struct sm_array *a, uint32_t sm, uint32_t page)
{
    sm_translate_answer(a->sms[sm].translate, page);
    sm_wake_memory(&a->sms[sm]);
}

/* Wakes SMs that hold the translation: one may be asleep on an access that the L1D refused. */
uint32_t sm_array_unmap(struct sm_array *a, uint32_t page)
{
    uint32_t held = 0;
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        struct sm_translate *t = a->sms[i].translate;
        if (!sm_translate_maps(t, page)) continue;
        held += sm_translate_unmap(t, page);
        sm_wake_memory(&a->sms[i]);
    }
    return held;
}

void sm_array_drop(struct sm_array *a, uint64_t line)
{
    for (uint32_t i = 0; i < a->c->sm_count; i++) l1d_drop(a->sms[i].front.l1d, line);
}

/* Recomputes which SMs have work now, without a branch that the host cannot predict. */
static void sort_wakes(const struct sm_array *a, struct sleepers *s)
{
    const uint64_t now = a->c->sim_skip ? a->env->sm_cycle : NEVER;
    memset(s->soon, 0, sizeof s->soon);
    s->later = NEVER;
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        const uint64_t awake = s->wake[i] <= now;
        s->soon[i / 64] |= awake << i % 64;
        s->later = min_u64(s->later, s->wake[i] | -awake);
    }
}

/* `tick` returns an SM's next cycle with work. */
static inline void tick_awake(struct sm_array *a, struct sleepers *s, uint64_t (*tick)(struct sm *sm))
{
    const uint64_t next = a->env->sm_cycle + 1;
    if (s->later < next || !a->c->sim_skip) sort_wakes(a, s);
    for (uint32_t w = 0; w * 64 < a->c->sm_count; w++) {
        for (uint64_t m = s->soon[w]; m; m &= m - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(m);
            const uint64_t wake = s->wake[i] = tick(&a->sms[i]), sleeps = wake > next;
            s->soon[w] &= ~(sleeps << i % 64);
            s->later = min_u64(s->later, wake | (sleeps - 1));
        }
    }
}

static uint64_t next_wake(const struct sm_array *a, const struct sleepers *s)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w * 64 < a->c->sm_count; w++) any |= s->soon[w];
    return any ? a->env->sm_cycle + 1 : s->later;
}

static void tick_all(struct sm_array *a)
{
    if (!a->halves_sleep) {
        tick_awake(a, &a->memory, sm_tick);
        a->wake = next_wake(a, &a->memory);
        return;
    }
    tick_awake(a, &a->memory, lsu_tick);
    tick_awake(a, &a->issue, sm_issue_tick);
    a->wake = min_u64(next_wake(a, &a->memory), next_wake(a, &a->issue));
}

/* Listeners that read counts of an SM get those of all cycles before. */
static void begin(struct sm_array *a)
{
    SM_EACH (l, &a->events, begin) l->hooks->begin(l->state, a);
    SM_EACH (l, &a->events, edge)
        for (uint32_t i = 0; i < a->c->sm_count; i++) {
            if (!l->hooks->due(l->state, &a->sms[i])) continue;
            sm_catch_up(&a->sms[i], a->env->sm_cycle);
            l->hooks->edge(l->state, &a->sms[i]);
        }
}

bool sm_array_tick(struct sm_array *a, struct error *err)
{
    uint64_t now = a->env->sm_cycle;
    if (now < a->wake && a->c->sim_skip && dispatch_all_run(a))
        return true; /* no SM has work, and no kernel can start or end */
    a->error = err;
    begin(a);
    if (!dispatch_tick(a)) return false;
    SM_EACH (l, &a->events, dispatched) l->hooks->dispatched(l->state, a);
    tick_all(a);
    SM_EACH (l, &a->events, next) a->wake = min_u64(a->wake, l->hooks->next(l->state));
    a->wake = min_u64(a->wake, dispatch_wake(a));
    return !err->text[0];
}

uint64_t sm_array_wake(const struct sm_array *a)
{
    return a->wake;
}

bool sm_array_done(const struct sm_array *a)
{
    return a->done;
}

double sm_array_share(const struct sm_array *a)
{
    double sum = 0;
    for (uint32_t w = 0; w < a->workloads; w++)
        if (a->workload[w].blocks) sum += (double)a->workload[w].finished_blocks / a->workload[w].blocks;
    return sum / a->workloads;
}

static bool counters_agree(const struct sm_array *a, struct error *err)
{
    const struct stats *s = a->env->stats;
    const struct law laws[] = {
        {"issue and stall cycles = gpu.cycles * sm.count * sm.schedulers", true,
         s->gpu_issue_cycles + s->gpu_stall_memory_cycles + s->gpu_stall_lsu_cycles + s->gpu_stall_throttle_cycles +
             s->gpu_stall_other_cycles,
         LAW_EQUAL, s->gpu_cycles * a->c->sm_count * a->c->sm_schedulers},
        {"structural, raw and idle = memory, lsu and other stall cycles", true,
         s->gpu_stall_structural_cycles + s->gpu_stall_raw_cycles + s->gpu_stall_idle_cycles, LAW_EQUAL,
         s->gpu_stall_memory_cycles + s->gpu_stall_lsu_cycles + s->gpu_stall_other_cycles},
        {"gpu.issue_cycles = gpu.warp_instructions", true, s->gpu_issue_cycles, LAW_EQUAL, s->gpu_warp_instructions},
    };
    return l1d_laws_hold(a->env, err) && constant_laws_hold(a->env, err) && laws_hold("", LAWS(laws), err) &&
           (!a->apart || share_laws_hold(a, err)) && (!a->done || streams_laws_hold(a, err));
}

static bool nothing_in_flight(const struct sm_array *a, struct error *err)
{
    const struct stats *s = a->env->stats;
    uint64_t reads_below = s->l1d_misses + s->l1d_bypassed, sent = 0, received = 0;
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        sent += l1d_sent(a->sms[i].front.l1d) + constant_sent(a->sms[i].constant);
        received += l1d_received(a->sms[i].front.l1d) + constant_received(a->sms[i].constant);
    }
    const struct law laws[] = {
        {"coalescer.accesses = l1d.accesses", true, s->coalescer_accesses, LAW_EQUAL, s->l1d_accesses},
        {"requests sent = l1d misses + bypassed + writes + constant misses", true, sent, LAW_EQUAL,
         reads_below + s->l1d_writes + s->constant_misses},
        {"responses received = requests sent", true, received, LAW_EQUAL, sent},
        {"coalescer.accesses = tlb.l1.hits + tlb.l1.misses + tlb.unmanaged", true,
         a->env->uvm ? s->coalescer_accesses : 0, LAW_EQUAL, s->tlb_l1_hits + s->tlb_l1_misses + s->tlb_unmanaged},
        {"accesses parked = replayed", true, s->tlb_l1_misses, LAW_EQUAL, s->tlb_replay_replayed},
        {"l1d.fills = l1d.misses", true, s->l1d_fills, LAW_EQUAL, s->l1d_misses},
        {"constant.fills = constant.misses", true, s->constant_fills, LAW_EQUAL, s->constant_misses},
        {"mem.latency_count = l1d misses + merged + bypassed", true, s->mem_latency_count, LAW_EQUAL,
         reads_below + s->l1d_merged},
    };
    return laws_hold("", LAWS(laws), err);
}

/* Both splits of the cycles without issue. */
static void count_stalls(const struct sm_array *a)
{
    struct stats *s = a->env->stats;
    uint64_t n[STALLS] = {0};
    for (uint32_t x = 0; x < 1u << a->c->sm_schedulers * STALL_BITS; x++)
        for (uint32_t i = 0; i < a->c->sm_schedulers; i++) n[stall_of(x, i)] += a->stall_cycles[x];
    s->gpu_issue_cycles = n[STALL_NONE];
    s->gpu_stall_throttle_cycles = n[STALL_THROTTLE];
    s->gpu_stall_lsu_cycles = n[STALL_LSU];
    s->gpu_stall_memory_cycles = n[STALL_MEMORY_PORT] + n[STALL_MEMORY];
    s->gpu_stall_other_cycles = n[STALL_PORT] + n[STALL_DEPENDENCE] + n[STALL_IDLE];
    s->gpu_stall_structural_cycles = n[STALL_LSU] + n[STALL_MEMORY_PORT] + n[STALL_PORT];
    s->gpu_stall_raw_cycles = n[STALL_MEMORY] + n[STALL_DEPENDENCE];
    s->gpu_stall_idle_cycles = n[STALL_IDLE];
}

static void count_instructions(const struct sm_array *a)
{
    struct stats *s = a->env->stats;
    const uint64_t *n = a->issued;
    uint64_t by_unit[UNIT_KINDS + 1] = {0};
    s->gpu_memory_instructions = 0;
    for (uint8_t op = 0; op < INST_OPS; op++) {
        s->gpu_memory_instructions += inst_is_global(op) ? n[op] : 0;
        by_unit[a->needs[op].unit] += n[op];
    }
    s->gpu_sp_instructions = by_unit[UNIT_SP];
    s->gpu_int_instructions = by_unit[UNIT_INT];
    s->gpu_dp_instructions = by_unit[UNIT_DP];
    s->gpu_sfu_instructions = by_unit[UNIT_SFU];
    s->gpu_tensor_instructions = by_unit[UNIT_TENSOR];
    s->gpu_shared_instructions = n[INST_SHARED_LOAD] + n[INST_SHARED_STORE];
    s->gpu_constant_instructions = n[INST_CONST_LOAD];
    s->gpu_barriers = n[INST_BARRIER];
}

void sm_array_sync(struct sm_array *a, uint64_t cycles)
{
    a->env->stats->gpu_cycles = cycles;
    for (uint32_t i = 0; i < a->c->sm_count; i++) sm_sync(&a->sms[i], cycles);
    count_stalls(a);
    count_instructions(a);
    share_sync(a);
}

bool sm_array_finish(struct sm_array *a, struct error *err)
{
    sm_array_sync(a, a->env->sm_cycle + 1);
    if (!a->done && !a->env->cut) return true; /* it failed */
    return counters_agree(a, err) && (a->env->cut || nothing_in_flight(a, err));
}

bool sm_array_explain(const struct sm_array *a, const char *what, struct error *err)
{
    const struct workload *k = a->workload;
    /* mutant: + -> - (1): differs only in the words of a deadlock after the last kernel is over, when nothing is in
     * flight that could be stuck */
    while (k->done && k + 1 < a->workload + a->workloads) k++;
    uint32_t n = 0;
    while (n < a->c->sm_count && !a->sms[n].resident && sm_quiet(&a->sms[n])) n++;
    if (n == a->c->sm_count)
        return error_set(err, "cycle %" PRIu64 ": %s: kernel %s has %u of %u thread blocks finished, no SM waits",
                         a->env->sm_cycle, what, k->kernel.name, k->finished_blocks, k->blocks);
    const struct sm *sm = &a->sms[n];
    char l1d[160], pages[64] = "", constants[64] = "";
    l1d_describe(sm->front.l1d, l1d, sizeof l1d);
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < WARP_WORDS; i++) waiting += (uint32_t)__builtin_popcountll(sm->word[i].wait[FOR_LOAD]);
    if (sm->translate)
        snprintf(pages, sizeof pages, "%u accesses wait for their page; ", sm_translate_parked(sm->translate));
    if (constant_in_flight(sm->constant))
        snprintf(constants, sizeof constants, "; constant.%u has %u misses in flight", n,
                 constant_in_flight(sm->constant));
    return error_set(err,
                     "cycle %" PRIu64 ": %s: kernel %s has %u of %u thread blocks finished; sm.%u has %u warps: "
                     "%u wait for a load, %u at a barrier; LSU holds %u instructions; %sl1d.%u has %s%s",
                     a->env->sm_cycle, what, k->kernel.name, k->finished_blocks, k->blocks, n, warp_count(sm->resident),
                     waiting, warp_count(sm->at_barrier), sm->queue.count, pages, n, l1d, constants);
}
