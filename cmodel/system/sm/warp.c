/* SPDX-License-Identifier: Apache-2.0 */
/* A warp: its next instruction, scoreboard, barriers and end. */
#include <inttypes.h>

#include "system/sm/mbarrier.h"
#include "system/sm/share.h"
#include "system/sm/sub_cores.h"
#include "system/sm/warp.h"

static bool bad_inst(struct sm *sm, const struct warp *w, const char *what, uint64_t found, const char *expected)
{
    struct sm_array *a = sm->array;
    return error_set(a->error,
                     "%s: kernel %s, warp %u of its thread block, pc 0x%x: %s: found 0x%" PRIx64 ", expected %s",
                     w->block->workload->source->name, w->block->workload->kernel.name, w->number, w->inst.pc, what,
                     found, expected);
}

/* Bitwise or of the addresses of all active lanes; of strided ones, of the first and the last lane, the lowest and the
 * highest address. */
static uint64_t any_address(const struct inst *i)
{
    uint64_t any = 0;
    if (i->strided)
        return inst_address(i, (uint32_t)__builtin_ctz(i->mask)) |
               inst_address(i, 31 - (uint32_t)__builtin_clz(i->mask));
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++) any |= i->addr[lane];
    return any;
}

/* Addresses have one bit less than the MSHRs keep: the end of an element fits, too. */
static bool check_addresses(struct sm *sm, const struct warp *w)
{
    uint64_t highest = 0;
    if (any_address(&w->inst) >> 47 == 0) return true;
    for (uint32_t rest = w->inst.mask; rest; rest &= rest - 1)
        highest = max_u64(highest, inst_address(&w->inst, (uint32_t)__builtin_ctz(rest)));
    return bad_inst(sm, w, "an address", highest, "below 0x800000000000");
}

static bool check_inst(struct sm *sm, const struct warp *w)
{
    const struct inst *i = &w->inst;
    if (i->op >= INST_OPS) return bad_inst(sm, w, "operation", i->op, "one of enum inst_op");
    if (i->op == INST_BARRIER || i->op == INST_EXIT) return true;
    if (!inst_is_memory(i->op))
        return i->count || i->op == INST_AWAIT || bad_inst(sm, w, "count", i->count, "at least 1");
    if (!i->mask) return bad_inst(sm, w, "active lanes", i->mask, "at least one");
    if (!i->size || i->size > INST_MAX_SIZE || (i->size & (i->size - 1)))
        return bad_inst(sm, w, "size", i->size, "1, 2, 4, 8, 16 or 32");
    return check_addresses(sm, w);
}

/* Whether a copy of the warp is in flight, of a group before its latest `groups` - 1. */
static bool copies_left(const struct sm *sm, uint32_t w, uint32_t groups)
{
    for (uint32_t i = 0; i < sm->load_places.size; i++) {
        const struct load *l = &sm->loads[i];
        if (l->remaining && l->copy && l->warp == w && l->group + groups <= sm->copy_group[w]) return true;
    }
    return false;
}

/* `quick`: sm_array.quick_issue.  A compile-time constant: the common case is compiled separately. */
static inline uint32_t word_of(uint32_t w, bool quick)
{
    return quick ? 0 : w / 64;
}

/* Adds the warp to its sets.  `at`: the cycle in which its registers are ready; NEVER: they depend on a load.  No
 * branch is hard for the host to predict.  So due[] is always written, with an empty set unless the state is FOR_TIME.
 * The one branch is rarely taken: its comparison holds for DUE cycles or more, but not for NEVER. */
static inline void wait_for(struct sm *sm, uint32_t w, uint64_t at, enum port port, bool quick)
{
    const uint64_t now = sm->array->env->sm_cycle, later = at > now, timed = later & (at != NEVER);
    struct warp_word *word = &sm->word[word_of(w, quick)];
    word->need[port] |= (uint64_t)1 << w % 64;
    word->wait[later + timed] |= (uint64_t)1 << w % 64;
    if (at - now - DUE < NEVER - now - DUE) word->far |= (uint64_t)1 << w % 64;
    sm->due[word_of(w, quick)][at % DUE] |= timed << w % 64;
    sm->due_at |= timed << at % DUE;
}

/* Whether a memory instruction is outside the arbitration. */
static bool has_no_turn(const struct sm *sm, uint8_t op)
{
    return op == INST_CONST_LOAD || (inst_is_shared(op) && !sm->array->ranks_shared);
}

static inline void sort_warp(struct sm *sm, uint32_t w, bool quick)
{
    struct warp *p = &sm->warps[w];
    const struct inst *i = &p->inst;
    const struct op_needs *needs = &sm->array->needs[i->op];
    uint64_t at = *warp_register(sm, w, i->dst);
    for (uint32_t s = 0; s < INST_MAX_SRC; s++) at = max_u64(at, *warp_register(sm, w, i->src[s]));
    if (p->atomics || (i->op == INST_WAIT && copies_left(sm, w, i->count))) at = NEVER;
    sm->port[w] = needs->port;
    if (sm->sub_cores) sub_cores_sort(sm->sub_cores, w, needs->unit);
    if (!quick && SM_HEARD(&sm->array->events, may_issue))
        sm->load_next = (sm->load_next & ~warp_bit(w)) | (inst_is_load(i->op) ? warp_bit(w) : 0);
    if (!quick && sm->arbiter && has_no_turn(sm, i->op)) sm->shared_next |= warp_bit(w);
    wait_for(sm, w, at, (enum port)needs->port, quick);
}

static void __attribute__((noinline)) classify_other(struct sm *sm, uint32_t w)
{
    sort_warp(sm, w, false);
}

/* Not inlined, so that issue() saves fewer of the host's registers. */
static void __attribute__((noinline)) classify_quick(struct sm *sm, uint32_t w)
{
    sort_warp(sm, w, true);
}

static inline void classify(struct sm *sm, uint32_t w, bool quick)
{
    if (quick)
        classify_quick(sm, w);
    else
        classify_other(sm, w);
}

void warps_due_each(struct sm *sm, uint32_t word, uint64_t due)
{
    sm->word[word].far &= ~due;
    for (; due; due &= due - 1) classify_other(sm, 64 * word + (uint32_t)__builtin_ctzll(due));
}

uint64_t warps_next_due(const struct sm *sm)
{
    const uint64_t next = sm->array->env->sm_cycle + 1;
    const uint64_t from_next = sm->due_at >> next % DUE | sm->due_at << (DUE - next % DUE) % DUE;
    return from_next ? next + (uint64_t)__builtin_ctzll(from_next) : NEVER;
}

/* The first instruction at `head` becomes the next to issue. */
static inline void take_head(struct warp *p)
{
    memcpy(&p->inst, p->head++, sizeof *p->head);
    p->heads--;
    p->left = p->inst.count;
}

/* False: read_inst() reads the next instruction. */
static bool read_heads(struct warp *p)
{
    const struct source_ops *ops = p->block->workload->source->ops;
    if (ops->next_heads) p->heads = (uint8_t)ops->next_heads(p->block->stream, p->number, &p->head, &p->inst.mask);
    return p->heads;
}

static bool read_inst(struct sm *sm, struct warp *p)
{
    const struct source_ops *ops = p->block->workload->source->ops;
    const enum source_status status = ops->next_inst(p->block->stream, p->number, &p->inst, sm->array->error);
    if (status == SOURCE_ERROR) return false;
    if (status == SOURCE_END) return bad_inst(sm, p, "no more instructions", 0, "an exit");
    p->left = p->inst.count;
    if (inst_is_arithmetic(p->inst.op) && p->inst.count) return true;
    p->left = 1;
    return check_inst(sm, p);
}

/* Reads the next instruction of a warp that has none left at `head`. */
static void __attribute__((noinline)) fetch(struct sm *sm, uint32_t w)
{
    struct warp *p = &sm->warps[w];
    if (read_heads(p))
        take_head(p);
    else if (!read_inst(sm, p))
        return;
    classify(sm, w, sm->array->quick_issue);
}

/* Clears only written registers: most warps use few, and clearing all would evict others from the host's cache. */
static void clear_registers(struct sm *sm, uint32_t w)
{
    for (uint32_t g = sm->warps[w].written; g; g &= g - 1)
        memset(&sm->usable[group_place(sm->array, (uint32_t)__builtin_ctz(g)) + w * GROUP], 0, HOST_LINE);
    sm->warps[w].written = 0;
}

static const uint8_t *const nothing; /* for sources without source_ops.reader: a prefetch of NULL has no effect */

/* The SM has been without warps since `active_from`.  With sm.turn = active these cycles do not count, but for one, if
 * a kernel has started in them. */
static void resume_turn(struct sm *sm, const struct workload *k)
{
    if (sm->array->c->sm_turn == TURN_ALWAYS || sm->turn_kernel == k->kernels_started) return;
    sm->turn += sm->active_from + 1 - sm->array->env->sm_cycle;
    sm->turn_kernel = k->kernels_started;
}

bool warp_start(struct sm *sm, uint32_t w, struct thread_block *block, uint32_t number)
{
    struct warp *p = &sm->warps[w];
    struct scheduler *s = &sm->scheduler[w % sm->array->c->sm_schedulers];
    clear_registers(sm, w);
    s->last_stays &= s->last != w;
    p->block = block;
    p->number = (uint8_t)number;
    p->pending = 0;
    p->atomics = 0;
    sm->copy_group[w] = 0;
    if (sm->mbarriers) mbarrier_warp_starts(sm, w);
    p->exited = false;
    sm->by_age[warp_count(sm->resident)] = (uint8_t)w;
    for (uint32_t i = 0; i < WARP_WORDS; i++) sm->older[i][w] = warp_set_word(sm->resident, i);
    if (!sm->resident) {
        resume_turn(sm, block->workload);
        sm->active_from = sm->array->env->sm_cycle;
    }
    sm->resident |= warp_bit(w);
    sm->of[block->workload->number] |= warp_bit(w);
    SM_EACH (l, &sm->array->events, warp_started) l->hooks->warp_started(l->state, sm, w);
    const struct source_ops *ops = block->workload->source->ops;
    sm->reader[w] = ops->reader ? ops->reader(block->stream, number) : &nothing;
    fetch(sm, w);
    return !sm->array->error->text[0];
}

static void end_await(struct sm *sm, uint32_t w)
{
    sm->awaiting &= ~warp_bit(w);
    sm->word[w / 64].wait[FOR_LOAD] &= ~((uint64_t)1 << w % 64);
    sm->warps[w].block->awaiting--;
    fetch(sm, w);
}

/* No warp of the thread block can go on, and no copy of it is on its way to an mbarrier. */
static bool waits_for_nothing(const struct thread_block *b)
{
    return b->awaiting && b->awaiting + b->arrived == b->running && !b->arrivals;
}

/* Warps go on whose mbarriers have what they need; if they can never have it, all do. */
static void release_awaiting(struct sm *sm, struct thread_block *b)
{
    for (warp_set s = sm->awaiting; s; s &= s - 1) {
        const uint32_t w = warp_first(s);
        if (sm->warps[w].block == b && mbarrier_is_open(sm, w)) end_await(sm, w);
    }
    if (!waits_for_nothing(b)) return;
    for (warp_set s = sm->awaiting; s; s &= s - 1) {
        const uint32_t w = warp_first(s);
        if (sm->warps[w].block != b) continue;
        mbarrier_give_up(sm, w);
        end_await(sm, w);
    }
}

void warps_arrived(struct sm *sm, struct thread_block *b)
{
    release_awaiting(sm, b);
    sm_wake_issue(sm);
}

/* False: the warp goes on. */
static bool await(struct sm *sm, uint32_t w)
{
    struct thread_block *b = sm->warps[w].block;
    if (mbarrier_passes(sm, w)) return false;
    sm->awaiting |= warp_bit(w);
    sm->word[w / 64].wait[FOR_LOAD] |= (uint64_t)1 << w % 64;
    b->awaiting++;
    release_awaiting(sm, b);
    return true;
}

/* Instructions that end or wait for copies.  Not inlined: most kernels have none.  False: the warp goes on. */
static bool __attribute__((noinline)) issue_for_copies(struct sm *sm, uint32_t w)
{
    switch (sm->warps[w].inst.op) {
    case INST_COMMIT:
        sm->copy_group[w]++;
        return false;
    case INST_ARRIVE:
        if (mbarrier_arrive(sm, w)) release_awaiting(sm, sm->warps[w].block);
        return false;
    case INST_AWAIT:
        return await(sm, w);
    default: /* INST_WAIT has waited */
        return false;
    }
}

/* All warps have arrived: releases the barrier. */
static void release_barrier(struct sm *sm, struct thread_block *b)
{
    if (b->awaiting) release_awaiting(sm, b);
    if (b->arrived == 0 || b->arrived < b->running) return;
    b->arrived = 0;
    for (warp_set s = sm->at_barrier; s; s &= s - 1) {
        uint32_t w = warp_first(s);
        if (sm->warps[w].block != b) continue;
        sm->at_barrier &= ~warp_bit(w);
        fetch(sm, w);
    }
}

static void __attribute__((noinline)) arrive(struct sm *sm, uint32_t w)
{
    sm->at_barrier |= warp_bit(w);
    sm->warps[w].block->arrived++;
    release_barrier(sm, sm->warps[w].block);
}

static void leave_order(struct sm *sm, uint32_t w)
{
    uint64_t *older = sm->older[w / 64];
    for (uint32_t i = 0; i < sm->array->c->sm_warps; i++) older[i] &= ~((uint64_t)1 << w % 64);
    const uint8_t *end = sm->by_age + warp_count(sm->resident);
    uint8_t *place = sm->by_age;
    while (*place != w) place++;
    memmove(place, place + 1, (size_t)(end - place - 1));
}

static void finish_warp(struct sm *sm, uint32_t w)
{
    struct thread_block *b = sm->warps[w].block;
    leave_order(sm, w);
    sm->resident &= ~warp_bit(w);
    sm->of[b->workload->number] &= ~warp_bit(w);
    SM_EACH (l, &sm->array->events, warp_ended) l->hooks->warp_ended(l->state, sm, w);
    sm->array->env->stats->gpu_warps++;
    if (!sm->resident) sm_count_active(sm, sm->array->env->sm_cycle + 1);
    if (--b->unfinished == 0) share_block_done(sm, b);
}

static void __attribute__((noinline)) exit_warp(struct sm *sm, uint32_t w)
{
    struct warp *p = &sm->warps[w];
    p->exited = true;
    p->block->running--;
    release_barrier(sm, p->block);
    if (!p->pending) finish_warp(sm, w);
}

void warp_loaded(struct sm *sm, uint32_t w, uint8_t dst, uint64_t usable)
{
    struct warp *p = &sm->warps[w];
    p->pending--;
    if (dst != INST_NO_REG) warp_write(sm, w, dst, usable);
    uint64_t *for_load = &sm->word[w / 64].wait[FOR_LOAD];
    if (*for_load >> w % 64 & 1 && !warp_in(sm->awaiting, w)) {
        *for_load &= ~((uint64_t)1 << w % 64);
        classify(sm, w, sm->array->quick_issue);
        sm_wake_issue(sm);
    }
    if (!p->exited || p->pending) return;
    finish_warp(sm, w);
    sm_wake_issue(sm);
}

bool warp_stored(struct sm *sm, uint32_t w)
{
    struct warp *p = &sm->warps[w];
    return --p->pending == 0 && p->exited;
}

void warp_finish(struct sm *sm, uint32_t w)
{
    finish_warp(sm, w);
}

/* INST_NO_REG gets 0, without a branch, which would be mispredicted. */
static void write_later(struct sm *sm, uint32_t w, uint32_t latency)
{
    const uint8_t dst = sm->warps[w].inst.dst;
    warp_write(sm, w, dst, (sm->array->env->sm_cycle + latency) & -(uint64_t)(dst != INST_NO_REG));
}

static inline void count_issue(struct sm *sm, uint32_t w, bool quick)
{
    const struct inst *i = &sm->warps[w].inst;
    struct stats *s = sm->array->env->stats;
    s->gpu_warp_instructions++;
    s->gpu_thread_instructions += (uint64_t)__builtin_popcount(i->mask);
    sm->array->issued[i->op]++;
    if (quick) return;
    SM_EACH (l, &sm->array->events, issued) l->hooks->issued(l->state, sm, w, i);
}

static inline void issue(struct sm *sm, uint32_t w, bool quick)
{
    struct warp *p = &sm->warps[w];
    if (!p->heads) __builtin_prefetch(*sm->reader[w]); /* before the misses of this one */
    count_issue(sm, w, quick);
    struct warp_word *word = &sm->word[word_of(w, quick)];
    word->need[sm->port[w]] &= ~((uint64_t)1 << w % 64);
    word->wait[FOR_PORT] &= ~((uint64_t)1 << w % 64);
    switch (p->inst.op) {
    case INST_SP:
    case INST_SFU:
    case INST_INT:
    case INST_DP:
    case INST_TENSOR:
        write_later(sm, w, sm->array->needs[p->inst.op].latency);
        break;
    case INST_COMMIT:
    case INST_WAIT:
    case INST_ARRIVE:
    case INST_AWAIT:
        if (issue_for_copies(sm, w)) return;
        break;
    case INST_BARRIER:
        arrive(sm, w);
        return;
    case INST_EXIT:
        exit_warp(sm, w);
        return;
    default: /* the LSU holds it */
        break;
    }
    if (--p->left == 0) {
        if (!p->heads) {
            fetch(sm, w);
            return;
        }
        take_head(p);
    }
    classify(sm, w, quick);
}

void warp_issue(struct sm *sm, uint32_t w)
{
    issue(sm, w, false);
}

void warp_issue_quick(struct sm *sm, uint32_t w)
{
    issue(sm, w, true);
}
