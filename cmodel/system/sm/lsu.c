/* SPDX-License-Identifier: Apache-2.0 */
/* The LSU: memory instructions in order, one access of the L1D or of the constant cache, or one shared-memory bank
 * cycle, a cycle.
 *
 * The cycle of the L1D is that of its front (cache/l1d_front.h), whose sender is the LSU.  The LSU has what comes
 * before: the queue of instructions, of which each sends its accesses one by one, shared memory, translation, and the
 * buffers of l1d.input, and with several workloads it charges each for its part of the L1D's counts.
 *
 * With l1d.input = mrpb, accesses first enter the buffers (reorder.h), one a cycle.  The buffers offer one access a
 * cycle to the front.  With l1d.banks it is those that the L1D looks up together.  A refused access stays in the
 * buffers.  An access that the L1D holds (L1D_WAIT) leaves them and blocks the next offer.  Shared-memory instructions
 * use their banks, and constant loads their cache, at the same time. */
#include "system/sm/lsu.h"

#include <stdlib.h>

#include "system/cache/constant.h"
#include "system/sm/bank_writes.h"
#include "system/sm/mbarrier.h"
#include "system/sm/share.h"
#include "system/sm/warp.h"

static const uint8_t kind_of[INST_OPS] = {
    [INST_LOAD] = REQUEST_READ,    [INST_STORE] = REQUEST_WRITE, [INST_ATOMIC] = REQUEST_ATOMIC,
    [INST_LOAD_L2] = REQUEST_READ, [INST_COPY] = REQUEST_READ,   [INST_COPY_L2] = REQUEST_READ};

/* Doubles the table of loads. */
static bool more_loads(struct sm *sm)
{
    /* mutant: 2 + 1: the table of loads grows faster: the same loads, under other numbers */
    const uint32_t old = sm->load_places.size, n = old ? 2 * old : 256;
    struct load *loads = realloc(sm->loads, n * sizeof *loads);
    if (!loads) return false;
    sm->loads = loads;
    memset(&loads[old], 0, (n - old) * sizeof *loads);
    return pool_grow(&sm->load_places, n);
}

bool lsu_init(struct sm *sm)
{
    const struct config *c = sm->array->c;
    const uint32_t path = c->sm_reg_banks ? COLLECTORS_PATH : 0;
    return ring_init(&sm->queue, sizeof(struct memory_inst), c->sm_reg_banks ? 1 : c->sm_lsu_queue) &&
           l1d_front_init(&sm->front, c, path) && more_loads(sm);
}

static uint32_t start_load(struct sm *sm, uint32_t w, const struct memory_inst *m)
{
    struct warp *p = &sm->warps[w];
    if (!sm->load_places.left && !more_loads(sm)) {
        error_set(sm->array->error, "sm.%u: out of memory", sm->number);
        return NO_LOAD;
    }
    uint32_t i = pool_take(&sm->load_places);
    struct load *l = &sm->loads[i];
    *l = (struct load){.remaining = m->count,
                       .group = sm->copy_group[w],
                       .warp = (uint8_t)w,
                       .dst = p->inst.dst,
                       .global = inst_is_global(p->inst.op),
                       .copy = inst_is_copy(p->inst.op),
                       .around = m->around,
                       .atomic = p->inst.op == INST_ATOMIC && sm->array->c->sm_atomic_waits};
    p->pending++;
    p->atomics = (uint8_t)(p->atomics + l->atomic);
    if (l->dst != INST_NO_REG) warp_write(sm, w, l->dst, NEVER);
    return i;
}

static void memory_done(struct sm *sm, struct workload *k)
{
    k->stats.memory_done++;
    if (sm->arbiter) arbiter_retire(sm->arbiter, k->number);
}

static void load_part_done(struct sm *sm, uint32_t i, uint64_t usable)
{
    struct load *l = &sm->loads[i];
    if (--l->remaining) return;
    sm->warps[l->warp].atomics = (uint8_t)(sm->warps[l->warp].atomics - l->atomic);
    if (sm->bank_writes && l->dst != INST_NO_REG)
        bank_write(sm->bank_writes, sm->array->env->sm_cycle, l->warp, l->dst);
    if (l->global && sm->array->apart) memory_done(sm, sm->warps[l->warp].block->workload);
    if (l->arrival && mbarrier_copied(sm, l)) warps_arrived(sm, sm->warps[l->warp].block);
    warp_loaded(sm, l->warp, l->dst, usable);
    pool_give(&sm->load_places, i);
}

static void push_shared(struct sm *sm, uint32_t w, const struct inst *i, struct memory_inst *m)
{
    if (sm->arbiter) sm->shared_next &= ~warp_bit(w);
    m->bank_cycles = shared_bank_cycles(i, sm->array->c->sm_shared_banks);
    m->count = 1;
    m->constant = false;
    sm->array->env->stats->gpu_shared_conflict_cycles += m->bank_cycles - 1;
    if (sm->array->apart) sm->warps[w].block->workload->stats.shared_conflict_cycles += m->bank_cycles - 1;
    if (sm->array->ranks_shared) arbiter_issue(sm->arbiter, sm->warps[w].block->workload->number);
}

/* As in GPGPU-Sim an access for each line of the cache, in the order of sm.access_order; without a cache one. */
static void push_constant(struct sm *sm, uint32_t w, const struct inst *i, struct memory_inst *m)
{
    const struct sm_array *a = sm->array;
    const uint32_t place = a->workloads > 1 && !a->streams ? sm->warps[w].block->workload->number : 0;
    if (sm->arbiter) sm->shared_next &= ~warp_bit(w);
    m->count = 1;
    m->access[0] = (struct line_access){0};
    if (sm->constant) m->count = coalesce_blocks(i, a->c->constant_line_bytes, m->access);
    if (a->c->sm_access_order == ORDER_FROM_HIGHEST && sm->constant) coalesce_from_highest(m->access, m->count);
    for (uint32_t n = 0; sm->constant && n < m->count; n++) m->access[n].line = constant_line(m->access[n].line, place);
    m->constant = true;
    m->bank_cycles = m->count;
}

static void report_coalesced(struct sm *sm, const struct memory_inst *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct request r = {.line = m->access[i].line,
                                  .id = m->first_id + i,
                                  .born = sm->array->env->sm_cycle,
                                  .sm = (uint16_t)sm->number,
                                  .kind = m->kind,
                                  .bytes = m->access[i].bytes,
                                  .sector = m->access[i].sector,
                                  .bypass = m->bypass};
        env_at(sm->array->env, &r, AT_COALESCER, sm->number);
    }
}

static void push_apart(struct sm *sm, struct workload *k, const struct inst *i, struct memory_inst *m)
{
    m->workload = (uint8_t)k->number;
    /* mutant: > -> >=: alone, a workload has address space 0 for itself: every address stays as it is */
    for (uint32_t n = 0; sm->array->workloads > 1 && !sm->array->streams && n < m->count; n++)
        m->access[n].line = share_line(sm->array, k, m->access[n].line);
    if (i->op == INST_STORE) k->writes += m->count;
    if (sm->arbiter) arbiter_issue(sm->arbiter, k->number);
}

/* Sets the owner (l1d.bypass.level), and `owners`: one more than the highest owner number present. */
static void set_owner(const struct sm *sm, uint32_t w, struct memory_inst *m)
{
    const struct config *c = sm->array->c;
    const struct warp *p = &sm->warps[w];
    uint32_t n;
    switch (c->l1d_bypass_level) {
    case BYPASS_BLOCK:
        for (n = c->sm_blocks; !sm->blocks[n - 1].stream;) n--;
        m->owner = (uint16_t)(p->block - sm->blocks);
        break;
    case BYPASS_WARP_OF_BLOCK:
        n = p->block->workload->block_warps;
        m->owner = (uint16_t)p->number;
        break;
    default:
        n = warp_last(sm->resident) + 1;
        m->owner = (uint16_t)w;
    }
    m->owners = (uint16_t)n;
}

static bool goes_around(const struct sm *sm, uint32_t w, const struct memory_inst *m)
{
    if (sm->warps[w].block->around) return m->kind == REQUEST_READ;
    const struct sm *decider = sm->array->c->l1d_bypass_scope == BYPASS_GLOBAL ? sm->array->sms : sm;
    return m->kind == REQUEST_READ && l1d_sends_around(sm->front.l1d, decider->front.l1d, m->owner);
}

/* Marks the accesses that the L1D looks up together.  Bypassed reads and atomics go one by one. */
static void pack_cycles(const struct config *c, const struct inst *i, struct memory_inst *m)
{
    const struct bank_rules rules = {c->l1d_banks, c->l1d_bank_bytes, c->l1d_lookups};
    if (c->l1d_enable && c->l1d_sector_bytes) coalesce_cycles(i, &rules, m->access, m->count);
}

static void push_global(struct sm *sm, uint32_t w, const struct inst *i, struct memory_inst *m)
{
    struct sm_array *a = sm->array;
    m->count = i->op == INST_ATOMIC && a->c->sm_atomics == ATOMICS_APART
                   ? coalesce_apart(i, m->access)
                   : coalesce(i, (enum coalesce_unit)a->c->sm_coalesce, m->access);
    if (a->c->sm_access_order == ORDER_FROM_HIGHEST) coalesce_from_highest(m->access, m->count);
    m->kind = kind_of[i->op];
    set_owner(sm, w, m);
    const bool names_l2 = i->op == INST_LOAD_L2 || i->op == INST_COPY_L2;
    m->bypass = names_l2 || goes_around(sm, w, m);
    m->around = a->c->l1d_atomics == ATOMICS_AROUND && (names_l2 || i->op == INST_ATOMIC);
    if (a->c->l1d_banks && m->kind != REQUEST_ATOMIC && !m->bypass) pack_cycles(a->c, i, m);
    if (m->kind == REQUEST_READ && a->c->l1d_write_miss == L1_WRITE_WORDS && a->c->l1d_sector_bytes)
        coalesce_words(i, m->access, m->count);
    if (m->kind == REQUEST_WRITE && l1d_words_matter(a->c))
        for (uint32_t n = 0; n < m->count; n++) m->access[n].written = words_written(i, m->access[n].line);
    if (i->op == INST_STORE && a->c->sm_warp_end == END_STORES) sm->warps[w].pending += m->count;
    if (a->apart) push_apart(sm, sm->warps[w].block->workload, i, m);
    m->first_id = a->next_id;
    a->next_id += m->count;
    a->env->stats->coalescer_accesses += m->count;
    if (sm->reorder) {
        m->warp = (uint8_t)w;
        sm->queued[w] = (uint16_t)(sm->queued[w] + m->count);
        sm->word[w / 64].unordered |= (uint64_t)1 << w % 64;
    }
    if (a->env->observer && m->first_id < a->env->observer->trace_requests) report_coalesced(sm, m);
}

/* Cycles that the instruction occupies the LSU, if nothing refuses it. */
static uint32_t cycles_of(const struct memory_inst *m)
{
    uint32_t cycles = m->bank_cycles;
    for (uint32_t n = 0; !m->bank_cycles && n < m->count; n++) cycles += !m->access[n].beside;
    return cycles;
}

void lsu_fill(struct sm *sm, uint32_t w, struct memory_inst *m)
{
    const struct inst *i = &sm->warps[w].inst;
    m->next = m->bank_cycles = 0;
    m->workload = 0;
    m->around = false;
    m->warp = (uint8_t)w;
    if (inst_is_shared(i->op))
        push_shared(sm, w, i, m);
    else if (i->op == INST_CONST_LOAD)
        push_constant(sm, w, i, m);
    else
        push_global(sm, w, i, m);
    SM_EACH (l, &sm->array->events, occupied) l->hooks->occupied(l->state, sm, sm->warps[w].block, cycles_of(m));
    bool store = i->op == INST_STORE || i->op == INST_SHARED_STORE;
    m->load = store ? NO_LOAD : start_load(sm, w, m);
}

static struct memory_inst *push(struct sm *sm)
{
    struct memory_inst *m = ring_push(&sm->queue);
    lsu_catch_up(sm, sm->array->env->sm_cycle + 1);
    sleepers_wake(&sm->array->memory, sm->number);
    return m;
}

void lsu_push(struct sm *sm, uint32_t w)
{
    lsu_fill(sm, w, push(sm));
}

void lsu_enter(struct sm *sm, const struct memory_inst *m)
{
    memcpy(push(sm), m, offsetof(struct memory_inst, access) + m->count * sizeof *m->access);
}

static void pop(struct sm *sm)
{
    if (!ring_room(&sm->queue)) sm_wake_issue(sm);
    ring_pop(&sm->queue);
    sm->front.changed = true;
}

/* Removes so many accesses at the head from the queue. */
static void shift(struct sm *sm, struct memory_inst *m, uint32_t count)
{
    sm->front.changed = true;
    m->next += count;
    if (m->next == m->count) pop(sm);
}

/* The L1D accepted the access at the head. */
static void advance(struct sm *sm)
{
    struct memory_inst *m = ring_peek(&sm->queue);
    if (m->next + 1 == m->count && m->load == NO_LOAD && sm->array->apart)
        memory_done(sm, &sm->array->workload[m->workload]);
    shift(sm, m, 1);
}

/* SM cycles of a latency that an instruction has not spent in the operand collectors. */
static uint64_t left_of(const struct sm *sm, uint32_t latency)
{
    return latency - (sm->collectors ? COLLECTORS_PATH : 0);
}

static void constant_part_done(struct sm *sm, uint32_t i, uint64_t usable)
{
    struct load *l = &sm->loads[i];
    raise_to(&l->usable, usable);
    load_part_done(sm, i, l->usable);
}

/* Every access hits where there is no cache. */
static enum constant_outcome look_up(struct sm *sm, const struct constant_access *a)
{
    struct stats *s = sm->array->env->stats;
    if (sm->constant) return constant_access(sm->constant, a);
    s->constant_accesses++;
    s->constant_hits++;
    return CONSTANT_HIT;
}

static void __attribute__((noinline)) constant_cycle(struct sm *sm, struct memory_inst *m)
{
    const struct line_access *x = &m->access[m->next];
    const struct constant_access a = {.line = x->line,
                                      .usable = sm->array->env->sm_cycle + left_of(sm, sm->array->c->constant_latency),
                                      .load = m->load,
                                      .sector = x->sector};
    const enum constant_outcome outcome = look_up(sm, &a);
    if (outcome == CONSTANT_REFUSED) return;
    sm->front.changed = true;
    m->next++;
    if (outcome == CONSTANT_HIT) constant_part_done(sm, m->load, a.usable);
    if (!--m->bank_cycles) pop(sm);
}

static inline void bank_cycle(struct sm *sm, struct memory_inst *m)
{
    if (m->constant) {
        constant_cycle(sm, m);
        return;
    }
    sm->front.changed = true;
    if (--m->bank_cycles) return;
    if (m->load != NO_LOAD)
        load_part_done(sm, m->load, sm->array->env->sm_cycle + left_of(sm, sm->array->c->sm_shared_latency));
    pop(sm);
}

static struct staged access_of(const struct memory_inst *m, uint32_t i)
{
    const struct line_access *x = &m->access[i];
    return (struct staged){.a = {.line = x->line,
                                 .id = m->first_id + i,
                                 .load = m->load == NO_LOAD ? store_mark(m->workload, m->warp) : m->load,
                                 .kind = m->kind,
                                 .written = x->written,
                                 .bytes = x->bytes,
                                 .sector = x->sector,
                                 .warp = m->warp,
                                 .workload = m->workload,
                                 .bypass = m->bypass,
                                 .around = m->around,
                                 .beside = x->beside,
                                 .owner = m->owner,
                                 .owners = m->owners},
                           .ends_store = m->load == NO_LOAD && i + 1 == m->count};
}

/* The accesses that the L1D looks up together, the head first; their number. */
static uint32_t head_group(const struct memory_inst *m, struct staged x[L1D_WIDTH])
{
    uint32_t n = 0;
    do {
        x[n] = access_of(m, m->next + n);
        n++;
    } while (n < L1D_WIDTH && m->next + n < m->count && m->access[m->next + n].beside);
    return n;
}

/* ---- The sender of the L1D's front. ---- */

/* Charges the L1D's new counts to the workload of the current access. */
static void charge(struct sm *sm)
{
    if (!sm->array->apart) return;
    const struct memory_inst *m = ring_peek(&sm->queue);
    const struct staged *x = l1d_front_oldest(&sm->front);
    if (!x && sm->reorder) x = reorder_offer(sm->reorder);
    if (x || m) share_access(sm, x ? x->a.workload : m->workload);
}

static void counted(void *sender, uint64_t cycles)
{
    struct sm *sm = sender;
    if (cycles && sm->reorder) reorder_idle(sm->reorder, cycles);
    if (cycles && sm->translate) sm_translate_idle(sm->translate, cycles);
    if (cycles && sm->constant) constant_idle(sm->constant, cycles);
    charge(sm);
}

/* Data of an access around the L1D may be used a cycle later, as those of a fill, which drain first. */
static void returned(void *sender, uint32_t load)
{
    struct sm *sm = sender;
    load_part_done(sm, load, sm->array->env->sm_cycle + sm->loads[load].around);
}

/* The L1D accepted an access of the stages or the buffers. */
static void taken(struct sm *sm, const struct staged *x)
{
    if (x->ends_store && sm->array->apart) memory_done(sm, &sm->array->workload[x->a.workload]);
}

/* The L1D accepted an access of the stages, a parked access, or the head. */
static void accepted(void *sender, const struct staged *x)
{
    struct sm *sm = sender;
    if (x)
        taken(sm, x);
    else if (sm->translate && sm_translate_accepted(sm->translate))
        sm->front.changed = true;
    else
        advance(sm);
}

/* Id of the head; L1D_ANY_ACCESS: another part may change, or the kernel may end. */
static uint64_t next(const void *sender)
{
    const struct sm *sm = sender;
    const struct memory_inst *m = ring_peek(&sm->queue);
    if (!sm->array->halves_sleep || sm->reorder || sm->translate) return L1D_ANY_ACCESS;
    if (m) return m->bank_cycles ? L1D_ANY_ACCESS : m->first_id + m->next;
    return sm->resident || !l1d_front_empty(&sm->front) ? L1D_NO_ACCESS : L1D_ANY_ACCESS;
}

static void lsu_turn(void *sender, bool free);
static const struct l1d_sender lsu = {
    .turn = lsu_turn, .accepted = accepted, .returned = returned, .counted = counted, .next = next};

/* Looks up the page; an access that is parked leaves the LSU. */
static bool translated(struct sm *sm, const struct access *a)
{
    enum translation answer = sm_translate_access(sm->translate, a);
    sm->front.changed |= sm_translate_changed(sm->translate);
    if (answer == TRANSLATION_PARKED) advance(sm);
    return answer == TRANSLATED;
}

/* An access to the L1D, or around it. */
static enum l1d_outcome present(struct sm *sm, const struct access *a)
{
    if (!a->around) return l1d_front_present(&sm->front, &lsu, sm, a);
    if (!l1d_send_around(sm->front.l1d, a)) return L1D_WAIT;
    if (sm->array->apart) share_access(sm, a->workload);
    return L1D_ACCEPTED;
}

/* False if no parked access can proceed. */
static bool replay(struct sm *sm)
{
    const struct access *a = sm_translate_replay(sm->translate);
    if (!a) return false;
    sm->front.changed |= sm_translate_changed(sm->translate);
    if (present(sm, a) == L1D_ACCEPTED) accepted(sm, NULL);
    return true;
}

/* True: the access has left the queue for the L1D or its pipeline. */
static bool send_head(struct sm *sm, struct memory_inst *m, bool free)
{
    const struct staged x = access_of(m, m->next);
    if (sm->translate && !translated(sm, &x.a)) return false;
    if (x.a.around) {
        if (present(sm, &x.a) == L1D_ACCEPTED) accepted(sm, NULL);
        return false;
    }
    if (l1d_front_send(&sm->front, &lsu, sm, &x, free) != L1D_ACCEPTED) return false;
    if (sm->front.latency)
        shift(sm, m, 1);
    else
        accepted(sm, NULL);
    return true;
}

/* The head, and with l1d.banks the accesses beside it. */
static void send_cycle(struct sm *sm, struct memory_inst *m, bool free)
{
    while (send_head(sm, m, free) && m->next && m->next < m->count && m->access[m->next].beside) continue;
}

static void turn_in_order(struct sm *sm, bool free)
{
    if (!free && !sm->front.latency) return;
    if (sm->translate && replay(sm)) return;
    struct memory_inst *m = ring_peek(&sm->queue);
    if (!m) return;
    if (m->bank_cycles)
        bank_cycle(sm, m);
    else
        send_cycle(sm, m, free);
}

/* An access of the buffers' offer goes to the front; true: and the next one of the offer may. */
static bool drain_access(struct sm *sm, const struct staged *x, bool free)
{
    const enum l1d_outcome answer = l1d_front_send(&sm->front, &lsu, sm, x, free);
    if (answer == L1D_REFUSED) reorder_refuse(sm->reorder);
    if (answer == L1D_REFUSED || answer == L1D_NONE) return false;
    if (answer == L1D_WAIT)
        l1d_front_hold(&sm->front, x);
    else if (!sm->front.latency)
        taken(sm, x);
    const uint32_t w = x->a.warp;
    if (--sm->queued[w] == 0) sm->word[w / 64].unordered &= ~((uint64_t)1 << w % 64);
    sm_wake_issue(sm);
    return reorder_take(sm->reorder) && answer == L1D_ACCEPTED;
}

static void drain(struct sm *sm, bool free)
{
    const struct staged *x = reorder_offer(sm->reorder);
    while (x && drain_access(sm, x, free)) x = reorder_offer(sm->reorder);
}

static void turn_of_buffers(struct sm *sm, bool free)
{
    struct memory_inst *m = ring_peek(&sm->queue);
    const bool global = m && !m->bank_cycles;
    struct staged x[L1D_WIDTH];
    const uint32_t count = global ? head_group(m, x) : 0;
    const bool entered = reorder_begin(sm->reorder, global ? x : NULL, count);
    drain(sm, free);
    if (entered) shift(sm, m, count);
    if (m && !global) bank_cycle(sm, m);
    reorder_end(sm->reorder, sm->array->error);
    sm->front.changed |= reorder_changed(sm->reorder);
}

static void lsu_turn(void *sender, bool free)
{
    struct sm *sm = sender;
    if (sm->reorder)
        turn_of_buffers(sm, free);
    else
        turn_in_order(sm, free);
}

void lsu_catch_up(struct sm *sm, uint64_t until)
{
    l1d_front_catch_up(&sm->front, &lsu, sm, until);
}

/* The answers of the constant cache come before the L1D's.  True: an access has its data. */
static bool __attribute__((noinline)) begin_constants(struct sm *sm)
{
    const struct sm_array *a = sm->array;
    struct constant_access done;
    lsu_catch_up(sm, a->env->sm_cycle);
    const bool drained = constant_begin(sm->constant, &a->port, &done, a->error);
    if (drained) constant_part_done(sm, done.load, done.usable);
    return drained;
}

/* With data the kernel may end in the next cycle. */
static uint64_t wake_of(const struct sm *sm, bool drained, uint64_t wake)
{
    if (!sm->constant) return wake;
    return drained ? sm->array->env->sm_cycle + 1 : min_u64(wake, constant_next(sm->constant));
}

uint64_t lsu_tick(struct sm *sm)
{
    const struct sm_array *a = sm->array;
    const bool drained = sm->constant && begin_constants(sm);
    return wake_of(sm, drained, l1d_front_tick(&sm->front, &lsu, sm, &a->port, a->env->sm_cycle, a->error));
}
