/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing of an SM between workloads: thread blocks, addresses, counters. */
#include "system/sm/share.h"

#include "system/sm/block_partition.h"
#include "system/sm/mbarrier.h"
#include "system/sm/split.h"
#include "system/sm/streams.h"
#include "system/stats/law.h"

/* Thread blocks. */

static bool has_room(const struct sm *sm, const struct workload *k, uint32_t blocks, uint32_t shared_bytes)
{
    const struct config *c = sm->array->c;
    return sm->blocks_of[k->number] + blocks <= sm->may_hold[k->number] && sm->blocks_used + blocks <= c->sm_blocks &&
           sm->warps_used + blocks * k->block_warps <= c->sm_warps &&
           sm->registers_used + blocks * k->block_registers <= c->sm_registers &&
           sm->shared_used + blocks * k->kernel.shared_bytes <= shared_bytes;
}

/* Whether thread blocks of the kernel could start now if the SM were split for them. */
static bool waits_for_split(const struct sm *sm, const struct workload *k)
{
    if (!k->running || k->next_block == k->blocks || k->launched > sm->array->env->sm_cycle) return false;
    const uint32_t blocks = share_group(sm, k);
    return !has_room(sm, k, blocks, sm->shared_room) && has_room(sm, k, blocks, sm->array->c->sm_shared_bytes);
}

/* For those that wait, the SM gets no more thread blocks of others until it has none. */
static bool drains(const struct sm *sm, const struct workload *k)
{
    const struct sm_array *a = sm->array;
    for (uint32_t w = 0; w < a->workloads; w++)
        if (w != k->number && waits_for_split(sm, &a->workload[w])) return true;
    return false;
}

bool share_fits(const struct sm *sm, const struct workload *k, uint32_t blocks)
{
    return has_room(sm, k, blocks, sm->shared_room) && !(sm->array->splits && drains(sm, k));
}

static void account(struct sm *sm, const struct workload *k, bool in)
{
    uint32_t sign = in ? 1 : UINT32_MAX; /* modulo 2^32: plus or minus */
    sm->blocks_used += sign;
    sm->blocks_of[k->number] += sign;
    sm->warps_used += sign * k->block_warps;
    sm->registers_used += sign * k->block_registers;
    sm->shared_used += sign * k->kernel.shared_bytes;
}

/* Updates blocks_beside of each workload if the SM holds thread blocks of several. */
static void note_beside(const struct sm *sm)
{
    struct sm_array *a = sm->array;
    for (uint32_t w = 0; w < a->workloads; w++)
        if (sm->blocks_of[w] != sm->blocks_used) raise_to(&a->workload[w].stats.blocks_beside, sm->blocks_of[w]);
}

void share_take(struct sm *sm, const struct workload *k)
{
    account(sm, k, true);
    if (sm->array->workloads > 1) note_beside(sm);
}

/* Room freed by one workload may serve another. */
static void room_freed(struct sm_array *a, struct workload *k)
{
    k->dispatch = true;
    for (uint32_t w = 0; (a->splits || !a->partition->keeps_room) && w < a->workloads; w++)
        a->workload[w].dispatch = true;
}

void share_block_done(struct sm *sm, struct thread_block *b)
{
    struct workload *k = b->workload;
    struct sm_array *a = sm->array;
    k->source->ops->close_block(b->stream);
    b->stream = NULL;
    if (sm->mbarriers) mbarrier_block_ends(sm, b);
    account(sm, k, false);
    if (!sm->blocks_used) split_end(sm);
    k->finished_blocks++;
    k->stats.blocks++;
    a->env->stats->gpu_blocks++;
    room_freed(a, k);
    SM_EACH (l, &a->events, block_finished) l->hooks->block_finished(l->state, sm, b);
}

/* Addresses.  Bits 0 and 1 of a space are the address bits 45 and 46, and bit 2 is the address bit 44, which only more
 * than four spaces need. */

enum { SPACE_SHIFT = 45 - LINE_SHIFT };

static uint64_t space_line(uint64_t space)
{
    return (space & 3) << SPACE_SHIFT | (space >> 2) << (SPACE_SHIFT - 1);
}

static uint32_t space_of(uint64_t line)
{
    return (uint32_t)(line >> SPACE_SHIFT & 3) | (uint32_t)(line >> (SPACE_SHIFT - 1) & 1) << 2;
}

static bool take_space(struct sm_array *a, struct workload *k, uint32_t bits)
{
    uint32_t space = bits ^ k->number; /* the first choice, so that the order rarely matters */
    /* mutant: < -> <=: past the end of an array when all address spaces are taken: the sanitized run of `make test`
     * finds it */
    for (uint32_t i = 0; i < ADDRESS_SPACES && a->space_owner[space]; i++) space = i;
    if (a->space_owner[space])
        return error_set(a->error,
                         "%s: kernel %s: addresses of the workloads differ in bits 44 to 46 in more than %u ways",
                         k->source->name, k->kernel.name, ADDRESS_SPACES);
    a->space_owner[space] = k;
    k->space[bits] = (uint8_t)space;
    return true;
}

uint64_t share_line(struct sm_array *a, struct workload *k, uint64_t line)
{
    const uint32_t bits = space_of(line);
    if (k->space[bits] == NO_SPACE && !take_space(a, k, bits)) return line;
    return line ^ space_line(bits ^ k->space[bits]);
}

void share_flush(struct sm_array *a, const struct workload *k)
{
    for (uint64_t space = 0; space < ADDRESS_SPACES; space++)
        for (uint32_t i = 0; a->space_owner[space] == k && i < a->c->sm_count; i++)
            l1d_flush_where(a->sms[i].front.l1d, space_line(ADDRESS_SPACES - 1), space_line(space));
}

/* Counters. */

static void issued(void *state, const struct sm *sm, uint32_t w, const struct inst *i)
{
    struct workload *k = sm->warps[w].block->workload;
    const uint8_t unit = sm->array->needs[i->op].unit;
    (void)state;
    k->stats.warp_instructions++;
    k->stats.thread_instructions += (uint64_t)__builtin_popcount(i->mask);
    k->stats.memory_instructions += inst_is_global(i->op);
    k->stats.sp_instructions += unit == UNIT_SP;
    k->stats.int_instructions += unit == UNIT_INT;
    k->stats.dp_instructions += unit == UNIT_DP;
    k->stats.sfu_instructions += unit == UNIT_SFU;
    k->stats.tensor_instructions += unit == UNIT_TENSOR;
    k->stats.shared_instructions += inst_is_shared(i->op);
}

bool share_create(struct sm_array *a, struct error *err)
{
    static const struct sm_hooks hooks = {.issued = issued};
    return !a->apart || sm_events_add(a, &hooks, NULL, err);
}

/* In this order: field of struct workload_stats, the whole run's counter. */
#define L1D_COUNTERS(X)                                                                                                \
    X(requests, s->l1d_accesses)                                                                                       \
    X(l1d_hits, s->l1d_hits)                                                                                           \
    X(l1d_misses, s->l1d_misses)                                                                                       \
    X(l1d_merged, s->l1d_merged)                                                                                       \
    X(l1d_bypassed, s->l1d_bypassed)                                                                                   \
    X(l1d_writes, s->l1d_writes)                                                                                       \
    X(l1d_rf, refusals(s))

static uint64_t refusals(const struct stats *s)
{
    return s->l1d_rf_line + s->l1d_rf_mshr_entry + s->l1d_rf_mshr_merge + s->l1d_rf_mshr_drain + s->l1d_rf_miss_queue +
           s->l1d_rf_bypass_slot;
}

void share_access(struct sm *sm, uint32_t workload)
{
    struct sm_array *a = sm->array;
    const struct stats *s = a->env->stats;
    struct workload_stats *to = &a->workload[workload].stats, *charged = &a->charged;
    uint64_t requests = to->requests, refused = to->l1d_rf;
#define CHARGE(field, total) to->field += (total)-charged->field, charged->field = (total);
    L1D_COUNTERS(CHARGE)
#undef CHARGE
    if (sm->arbiter) arbiter_access(sm->arbiter, workload, to->requests - requests, to->l1d_rf - refused);
}

/* A workload that ran alone from the first to the last cycle is charged with all counts. */
static void charge_all(const struct sm_array *a, struct workload_stats *to)
{
    const struct stats *s = a->env->stats;
    to->warp_instructions = s->gpu_warp_instructions;
    to->thread_instructions = s->gpu_thread_instructions;
    to->memory_instructions = to->memory_done = s->gpu_memory_instructions;
    to->sp_instructions = s->gpu_sp_instructions;
    to->int_instructions = s->gpu_int_instructions;
    to->dp_instructions = s->gpu_dp_instructions;
    to->tensor_instructions = s->gpu_tensor_instructions;
    to->sfu_instructions = s->gpu_sfu_instructions;
    to->shared_instructions = s->gpu_shared_instructions;
    to->shared_conflict_cycles = s->gpu_shared_conflict_cycles;
    to->blocks = s->gpu_blocks;
    to->kernels = s->gpu_kernels;
#define CHARGE(field, total) to->field = (total);
    L1D_COUNTERS(CHARGE)
#undef CHARGE
}

void share_sync(struct sm_array *a)
{
    if (!a->apart) charge_all(a, &a->workload[0].stats);
    if (!a->setup.stats) return;
    if (a->streams) a->setup.stats[0] = streams_sum(a);
    for (uint32_t w = 0; !a->streams && w < a->workloads; w++) a->setup.stats[w] = a->workload[w].stats;
}

/* Laws. */

struct held {
    uint64_t waiting;              /* line accesses in the LSUs' queues and pipelines */
    uint64_t waiting_writes;       /* of these, stores' */
    uint64_t loading;              /* line accesses of loads and atomics in flight */
    uint64_t in_l1d;               /* of these, accepted by an L1D */
    uint64_t writes;               /* accepted by an L1D and not acknowledged */
    uint64_t to_send;              /* requests in the L1Ds' miss queues */
    uint64_t insts[MAX_WORKLOADS]; /* memory instructions in flight */
};

static void add_inst(const struct memory_inst *m, struct held *h)
{
    if (m->bank_cycles) return;
    h->waiting += m->count - m->next;
    if (m->load != NO_LOAD) return;
    h->waiting_writes += m->count - m->next;
    h->insts[m->workload]++;
}

/* In the LSU's queue, and in operand collectors. */
static void add_queue(const struct sm *sm, struct held *h)
{
    for (uint32_t i = 0; i < sm->queue.count; i++) add_inst(ring_at(&sm->queue, i), h);
    for (uint64_t rest = sm->collected ? sm->collected->used : 0; rest; rest &= rest - 1)
        add_inst(&sm->collected->at[__builtin_ctzll(rest)], h);
}

static void add_staged(const struct staged *x, struct held *h)
{
    h->waiting++;
    h->waiting_writes += x->a.kind == REQUEST_WRITE;
    h->insts[x->a.workload] += x->ends_store;
}

/* Between the LSU's queue and the L1D. */
static void add_stages(const struct sm *sm, struct held *h)
{
    const struct staged *x;
    for (uint32_t p = 0; p < sm->front.pipelines; p++)
        for (uint32_t i = 0; i < sm->front.stages[p].count; i++) add_staged(ring_at(&sm->front.stages[p], i), h);
    for (uint32_t i = 0; sm->reorder && (x = reorder_at(sm->reorder, i)); i++) add_staged(x, h);
}

static void add_loads(const struct sm *sm, struct held *h)
{
    for (uint32_t i = 0; i < sm->load_places.size; i++) {
        const struct load *l = &sm->loads[i];
        if (!l->remaining || !l->global) continue;
        h->loading += l->remaining;
        h->insts[sm->warps[l->warp].block->workload->number]++;
    }
}

static void add_l1d(const struct sm *sm, struct held *h)
{
    struct l1d_held l;
    l1d_holds(sm->front.l1d, &l);
    h->in_l1d += l.reads;
    h->writes += l.writes;
    h->to_send += l.to_send;
}

static bool sums_hold(const struct sm_array *a, struct error *err)
{
    struct workload_stats all = {0}, sum = {0};
    charge_all(a, &all);
    for (uint32_t w = 0; w < a->workloads; w++) {
#define WORKLOAD_STAT(field, name, text) sum.field += a->workload[w].stats.field;
#include "system/stats/workload_stats.def"
#undef WORKLOAD_STAT
    }
    all.memory_done = sum.memory_done; /* values without a counter of the run */
    all.restarts = sum.restarts;
    all.block_warps = sum.block_warps;
    all.block_registers = sum.block_registers;
    all.block_shared = sum.block_shared;
    all.blocks_beside = sum.blocks_beside;
    all.ended = sum.ended;
#define WORKLOAD_STAT(field, name, text)                                                                               \
    {"sum over workloads of " name " = the run's", true, sum.field, LAW_EQUAL, all.field},
    const struct law laws[] = {
#include "system/stats/workload_stats.def"
    };
#undef WORKLOAD_STAT
    return laws_hold("", LAWS(laws), err);
}

bool share_laws_hold(const struct sm_array *a, struct error *err)
{
    const struct stats *s = a->env->stats;
    struct held h = {0};
    uint64_t sent = 0, writes = 0;
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        add_queue(&a->sms[i], &h);
        add_stages(&a->sms[i], &h);
        add_loads(&a->sms[i], &h);
        add_l1d(&a->sms[i], &h);
        sent += l1d_sent(a->sms[i].front.l1d);
    }
    bool ok = sums_hold(a, err);
    for (uint32_t w = 0; w < a->workloads; w++) {
        const struct workload_stats *k = &a->workload[w].stats;
        const struct law law = {"memory instructions issued = complete + in flight", true, k->memory_instructions,
                                LAW_EQUAL, k->memory_done + h.insts[w]};
        writes += a->workload[w].writes;
        ok = ok && laws_hold("", &law, 1, err);
    }
    const struct law laws[] = {
        {"coalescer.accesses = l1d.accesses + waiting in the LSUs", true, s->coalescer_accesses, LAW_EQUAL,
         s->l1d_accesses + h.waiting},
        {"accesses of loads on their way = in the L1Ds + waiting in the LSUs", true, h.loading, LAW_EQUAL,
         h.in_l1d + h.waiting - h.waiting_writes},
        {"accesses of stores not acknowledged = sent by the L1Ds + waiting in the LSUs", true, writes, LAW_EQUAL,
         h.writes + h.waiting_writes},
        {"l1d misses + bypassed + writes = requests sent + waiting in the miss queues", true,
         s->l1d_misses + s->l1d_bypassed + s->l1d_writes, LAW_EQUAL, sent + h.to_send},
    };
    return ok && laws_hold("", LAWS(laws), err);
}
