/* SPDX-License-Identifier: Apache-2.0 */
#include "system/memory_partition.h"

#include <stdio.h>
#include <string.h>

#include "system/cache/l2_far.h"
#include "system/config/replacement_kind.h"

static uint64_t most_ahead(const struct env *env)
{
    const struct config *c = env->config;
    const bool copies = c->l2_host_copies && (c->cke_cycles || c->cke_kernels > 1);
    const bool apart = c->sim_skip && !env->watched && !c->uvm_enable && !copies && c->l2_halves == 1 &&
                       !replacement_of(c, MISS_L2)->create;
    return apart && c->l2_rop_latency ? (uint64_t)(c->l2_rop_latency - 1) * c->clock_sm_khz / c->clock_l2_khz : 0;
}

/* DRAM ticks come first in an SM cycle, so the slice's clock stands at its first tick of this cycle. */
static void dram_done(void *context, const struct dram_request *r, uint64_t clock)
{
    const struct memory_partition *p = context;
    const struct memory_partitions *all = p->all;
    (void)clock;
    const uint32_t k = (uint32_t)(r->address >> all->slice_unit_shift) & (all->slices - 1);
    l2_fill(p->l2[k], r,
            p->l2_clock.start + (all->c->dram_latency_at == LATENCY_BEHIND ? all->c->dram_extra_latency : 0));
}

static void dram_has_room(void *context)
{
    const struct memory_partition *p = context;
    for (uint32_t k = 0; k < p->all->slices; k++) l2_resume(p->l2[k]);
}

static bool create_partition(struct memory_partition *p, struct memory_partitions *all, uint32_t number,
                             struct error *err)
{
    const struct dram_client client = {.done = dram_done, .room = dram_has_room, .context = p};
    *p = (struct memory_partition){
        .all = all, .number = number, .wake = NEVER, .clock = all->clock, .l2_clock = all->l2_clock};
    p->dram = dram_create(all->env, number, &client, err);
    for (uint32_t k = 0; k < all->slices; k++) {
        if (!p->dram) return false;
        const uint32_t slice = number << all->slice_shift | k;
        p->l2[k] = all->l2[slice] = l2_create(all->env, slice, p->dram, &all->client.slice, err);
        if (!p->l2[k]) return false;
    }
    return true;
}

bool memory_partitions_create(struct memory_partitions *all, struct error *err)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (!create_partition(&all->partition[i], all, i, err)) return false;
    return true;
}

void memory_partitions_destroy(struct memory_partitions *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        for (uint32_t k = 0; k < all->slices; k++) l2_destroy(all->partition[i].l2[k]);
        dram_destroy(all->partition[i].dram);
    }
}

/* Whether it has run SM cycles ahead of the present one. */
static bool is_ahead(const struct memory_partition *p)
{
    return p->next > p->all->env->sm_cycle + 1;
}

uint32_t memory_partitions_partner(const struct memory_partitions *all, uint32_t slice)
{
    const uint32_t half = (all->count << all->slice_shift) / 2;
    return slice < half ? slice + half : slice - half;
}

/* Of a slice. */
static struct memory_partition *partition_of(struct memory_partitions *all, uint32_t slice)
{
    return &all->partition[slice >> all->slice_shift];
}

/* It may have work earlier than before. */
static void wake_slice(struct memory_partitions *all, uint32_t slice)
{
    struct memory_partition *p = partition_of(all, slice);
    p->wake = min_u64(p->wake, in_sm_cycles(&all->l2_clock, all->env->sm_cycle, l2_wake(all->l2[slice])));
    all->due[p->number] = min_u64(all->due[p->number], p->wake);
    all->soonest = min_u64(all->soonest, p->wake);
}

/* The link between a slice and its partner. */

static bool far_room(void *context, uint32_t slice)
{
    const struct memory_partitions *all = context;
    return l2_far_room(all->l2[memory_partitions_partner(all, slice)]);
}

/* It comes in a later SM cycle, whichever of the two slices is ticked first. */
static void far_send(void *context, uint32_t slice, bool answer, const struct packet *p)
{
    struct memory_partitions *all = context;
    const uint32_t partner = memory_partitions_partner(all, slice);
    struct packet comes = *p;
    comes.ready = max_u64(p->ready, all->l2_clock.end);
    l2_far_take(all->l2[partner], answer, &comes);
    wake_slice(all, partner);
}

static bool far_drop(void *context, uint32_t slice, uint64_t local, uint32_t sector)
{
    struct memory_partitions *all = context;
    const bool dropped = l2_far_drop(all->l2[memory_partitions_partner(all, slice)], local, sector);
    all->env->stats->l2_far_dropped += dropped;
    return dropped;
}

bool memory_partitions_push(struct memory_partitions *all, uint32_t slice, const struct packet *packet)
{
    struct memory_partition *p = partition_of(all, slice);
    struct l2 *l2 = all->l2[slice];
    bool *room = &p->room[slice & (all->slices - 1)];
    if (!is_ahead(p)) *room = l2_room(l2);
    if (!*room) return false;
    l2_push(l2, packet, all->l2_clock.end);
    wake_slice(all, slice);
    return true;
}

void memory_partitions_resume(struct memory_partitions *all, uint32_t slice)
{
    if (!l2_resume_responses(all->l2[slice])) return;
    struct memory_partition *p = partition_of(all, slice);
    const uint64_t next = all->env->sm_cycle + 1;
    if (all->ahead)
        all->send[slice] = next;
    else
        all->due[p->number] = p->wake = next;
    all->soonest = next;
}

bool memory_partitions_drop(struct memory_partitions *all, uint32_t slice, uint64_t local)
{
    if (all->c->l2_halves > 1) l2_drop(all->l2[memory_partitions_partner(all, slice)], local | FOREIGN);
    return l2_drop(all->l2[slice], local);
}

void memory_partitions_copied(struct memory_partitions *all, uint32_t slice, uint64_t local, uint32_t sector)
{
    l2_copied(all->l2[slice], local, sector);
    if (all->c->l2_halves > 1) far_drop(all, slice, local, sector);
}

DEFINE_RUN(dram)
DEFINE_RUN(l2)

/* With the responses that leave in each cycle. */
static inline void run_and_send(struct l2 *l2, const struct domain *d, bool skip)
{
    const struct l2_state *state = l2_state(l2);
    if (skip && min_u64(state->wake, state->send) >= d->end) return;
    for (uint64_t t = d->start; t < d->end; t++) {
        if (!skip || state->send <= t) l2_send(l2, t);
        if (!skip || state->wake <= t) l2_tick(l2, t);
    }
}

/* The k-th slice in the order of this SM cycle. */
static inline struct l2 *in_turn(const struct memory_partition *p, uint64_t cycle, uint32_t k)
{
    return p->l2[(uint32_t)(cycle + k) & (p->all->slices - 1)];
}

/* With dram.intake = channel: one request in each clock of this cycle, the slices in turn. */
static void take(struct memory_partition *p)
{
    for (uint64_t t = p->clock.start; t < p->clock.end; t++) {
        for (uint32_t k = 1; k <= p->all->slices; k++) {
            const uint32_t slice = (p->taken + k) & (p->all->slices - 1);
            if (!l2_offers(p->l2[slice])) continue;
            l2_take(p->l2[slice], p->l2_clock.start);
            p->taken = slice;
            break;
        }
    }
}

/* A slice offers the channel a request. */
static bool offered(const struct memory_partition *p)
{
    bool offers = false;
    for (uint32_t k = 0; k < p->all->slices; k++) offers |= l2_offers(p->l2[k]);
    return offers;
}

static inline void run_channel(struct memory_partition *p, uint64_t cycle, bool skip)
{
    domain_enter(&p->clock, cycle);
    run_dram(p->dram, &p->clock, skip);
    if (p->all->c->dram_intake == INTAKE_CHANNEL) take(p);
}

/* The present SM cycle. */
static inline void run_present(struct memory_partition *p, uint64_t cycle, bool skip)
{
    domain_enter(&p->l2_clock, cycle);
    run_channel(p, cycle, skip);
    for (uint32_t k = 0; k < p->all->slices; k++) run_and_send(in_turn(p, cycle, k), &p->l2_clock, skip);
}

/* One cycle ahead of the present one. */
static inline void run_next(struct memory_partition *p, uint64_t cycle)
{
    domain_enter(&p->l2_clock, cycle);
    run_channel(p, cycle, true);
    for (uint32_t k = 0; k < p->all->slices; k++) run_l2(in_turn(p, cycle, k), &p->l2_clock, true);
}

/* SM cycle of its next work after `cycle`, which is complete. */
static inline uint64_t next_work(const struct memory_partition *p, uint64_t cycle)
{
    uint64_t l2 = NEVER;
    if (p->all->c->dram_intake == INTAKE_CHANNEL && offered(p)) return cycle + 1;
    for (uint32_t k = 0; k < p->all->slices; k++) l2 = min_u64(l2, l2_wake(p->l2[k]));
    const uint64_t wake = in_sm_cycles(&p->l2_clock, cycle, l2);
    /* mutant: 1 - 1: no wake is sooner than the next cycle, so the channel's need not be asked; asking it changes
     * nothing */
    return wake == cycle + 1 ? wake : min_u64(wake, in_sm_cycles(&p->clock, cycle, dram_wake(p->dram)));
}

/* Responses will find room whether or not any leaves, the crossbar sees the same room in front of the slices, and the
 * partition is not empty. */
static inline bool is_on_its_own(const struct memory_partition *p)
{
    const uint32_t most = p->all->most_responses;
    bool busy = false, bound = false;
    for (uint32_t k = 0; k < p->all->slices; k++) {
        const struct l2_state *s = l2_state(p->l2[k]);
        bound |= (s->responses + most > s->response_limit) | (s->room != p->room[k]);
        busy |= s->busy;
    }
    return !bound && (busy || !dram_empty(p->dram));
}

/* The crossbar delivers again to slices that had no room. */
static void tell_room(struct memory_partition *p)
{
    const struct memory_partition_client *client = &p->all->client;
    for (uint32_t k = 0; k < p->all->slices; k++) {
        const bool had_room = p->room[k];
        p->room[k] = l2_room(p->l2[k]);
        if (p->room[k] && !had_room) client->room(client->context, p->number << p->all->slice_shift | k);
    }
}

/* SM cycle in which the next response of a slice is due; NEVER: none, or it was refused. */
static inline uint64_t next_send(const struct memory_partitions *all, const struct l2 *l2)
{
    return in_sm_cycles(&all->l2_clock, all->env->sm_cycle, l2_state(l2)->send);
}

/* The partition has completed the present cycle.  A partition that does not run ahead sends only in its ticks, which
 * fixes the order of request events (env_at). */
static inline void note_sends(struct memory_partition *p)
{
    for (uint32_t k = 0; k < p->all->slices; k++) {
        const uint64_t send = next_send(p->all, p->l2[k]);
        if (p->all->ahead)
            p->all->send[p->number * p->all->slices + k] = send;
        else
            p->wake = min_u64(p->wake, send);
    }
}

/* The present SM cycle, and the following ones that the partition can run on its own. */
static void run_ahead(struct memory_partition *p)
{
    const struct config *c = p->all->c;
    uint64_t cycle = p->all->env->sm_cycle, wake;
    const uint64_t last = min_u64(cycle + p->all->ahead, c->cke_cycles ? c->cke_cycles - 1 : NEVER);
    run_present(p, cycle, c->sim_skip);
    tell_room(p);
    while ((wake = next_work(p, cycle)) <= last && is_on_its_own(p)) run_next(p, cycle = wake);
    p->next = cycle + 1;
    p->wake = wake;
    note_sends(p);
}

void memory_partitions_init(struct memory_partitions *all, struct env *env,
                            const struct memory_partition_client *client)
{
    const struct config *c = env->config;
    const uint32_t slice_shift = log2_floor(c->partition_slices);
    *all = (struct memory_partitions){.env = env,
                                      .c = c,
                                      .client = *client,
                                      .clock = domain_at(c->clock_dram_khz, c->clock_sm_khz),
                                      .l2_clock = domain_at(c->clock_l2_khz, c->clock_sm_khz),
                                      .count = c->partition_count,
                                      .soonest = NEVER,
                                      .slices = c->partition_slices,
                                      .slice_shift = slice_shift,
                                      .interleave_shift = log2_floor(c->partition_interleave),
                                      .slice_unit_shift = log2_floor(config_slice_unit(c)),
                                      .most_responses =
                                          MOST_RESPONSES * (uint32_t)ceil_div(c->clock_l2_khz, c->clock_sm_khz),
                                      .ahead = most_ahead(env)};
    all->client.slice.link = (struct l2_link){.room = far_room, .send = far_send, .drop = far_drop, .context = all};
    for (uint32_t i = 0; i < MOST_PARTITIONS; i++) all->due[i] = NEVER;
    for (uint32_t i = 0; i < MOST_PARTITIONS * MOST_SLICES; i++) all->send[i] = NEVER;
}

/* A partition that is ahead reports the room of its last cycle. */
static void set_due(struct memory_partition *p)
{
    p->all->due[p->number] = is_ahead(p) ? p->next - 1 : p->wake;
}

static void tick_partition(struct memory_partition *p)
{
    const uint64_t now = p->all->env->sm_cycle;
    if (p->next <= now && (p->wake <= now || !p->all->c->sim_skip))
        run_ahead(p);
    else if (p->next == now + 1)
        tell_room(p);
    set_due(p);
}

/* A hit or a draining slot may wait for a response place: then the slice has work when a response leaves. */
static bool waits_for_place(const struct memory_partition *p, const struct l2 *l2)
{
    return l2_state(l2)->responses == l2_state(l2)->response_limit && p->next <= p->all->env->sm_cycle;
}

/* Sends due responses of a slice that is not ticked in this cycle: its partition is ahead, or asleep. */
static void send(struct memory_partitions *all, uint32_t slice)
{
    struct l2 *l2 = all->l2[slice];
    struct memory_partition *p = partition_of(all, slice);
    if (waits_for_place(p, l2)) {
        run_ahead(p);
        set_due(p);
        return;
    }
    for (uint64_t t = max_u64(all->l2_clock.start, l2_state(l2)->send); t < all->l2_clock.end;
         t = max_u64(t + 1, l2_state(l2)->send))
        l2_send(l2, t);
    all->send[slice] = next_send(all, l2);
}

/* Cycles are compared in groups, without branches.  Unused places of the last group are NEVER. */
#define GROUP 4
#define GROUPED 64u /* bits of a mask */
_Static_assert(MOST_PARTITIONS % GROUP == 0, "due_of()");

/* Mask of up to GROUPED cycles that have been reached.  The host cannot predict them, and a mask needs few branches. */
static inline uint64_t due_of(const uint64_t *cycles, uint32_t n, uint64_t now)
{
    uint64_t due = 0;
    for (uint32_t i = (n + GROUP - 1) / GROUP * GROUP; i > 0; i -= GROUP)
        for (uint32_t k = 1; k <= GROUP; k++) due = 2 * due + (cycles[i - k] <= now);
    return due;
}

static inline uint64_t earliest(const uint64_t *cycles, uint32_t n)
{
    uint64_t soonest = NEVER;
    for (uint32_t i = 0; i < n; i += GROUP)
        for (uint32_t k = 0; k < GROUP; k++) soonest = min_u64(soonest, cycles[i + k]);
    return soonest;
}

/* Of the partitions from `first` on. */
static inline uint64_t due_partitions(const struct memory_partitions *all, uint32_t first, uint64_t now)
{
    const uint32_t n = min_u32(all->count - first, GROUPED);
    return all->c->sim_skip ? due_of(&all->due[first], n, now) : ~(uint64_t)0 >> (GROUPED - n);
}

void memory_partitions_tick(struct memory_partitions *all)
{
    const uint64_t now = all->env->sm_cycle;
    const uint32_t slices = all->count << all->slice_shift;
    domain_enter(&all->l2_clock, now);
    if (all->soonest > now && all->c->sim_skip) return;
    for (uint32_t p = 0; p < all->count; p += GROUPED)
        for (uint64_t m = due_partitions(all, p, now); m; m &= m - 1)
            tick_partition(&all->partition[p + (uint32_t)__builtin_ctzll(m)]);
    for (uint32_t s = 0; s < slices; s += GROUPED)
        for (uint64_t m = due_of(&all->send[s], min_u32(slices - s, GROUPED), now); m; m &= m - 1)
            send(all, s + (uint32_t)__builtin_ctzll(m));
    all->soonest = min_u64(earliest(all->due, all->count), earliest(all->send, slices));
}

static bool empty(const struct memory_partition *p)
{
    bool empty = !is_ahead(p) && dram_empty(p->dram);
    for (uint32_t k = 0; empty && k < p->all->slices; k++) empty = l2_empty(p->l2[k]);
    return empty;
}

bool memory_partitions_empty(const struct memory_partitions *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (!empty(&all->partition[i])) return false;
    return true;
}

enum { DESCRIBED = 8 }; /* units of a kind that are named */

/* Adds ` kind.number` to the text, if it is one of the first units of its kind. */
static void name_unit(char *text, size_t size, uint32_t nth, const char *kind, uint32_t number)
{
    const size_t used = strlen(text);
    if (nth < DESCRIBED) snprintf(text + used, size - used, " %s.%u", kind, number);
    if (nth == DESCRIBED) snprintf(text + used, size - used, " and more");
}

void memory_partitions_describe(const struct memory_partitions *all, char *text, size_t size)
{
    uint32_t slices = 0, channels = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < all->count << all->slice_shift; i++)
        if (!l2_empty(all->l2[i])) name_unit(text, size, slices++, "l2", i);
    for (uint32_t i = 0; i < all->count; i++)
        if (!dram_empty(all->partition[i].dram)) name_unit(text, size, channels++, "dram", i);
}

void memory_partitions_sync(struct memory_partitions *all, uint64_t cycles)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct memory_partition *p = &all->partition[i];
        for (uint32_t k = 0; k < all->slices; k++) l2_sync(p->l2[k], ticks_before(&p->l2_clock, cycles));
        dram_sync(p->dram, ticks_before(&p->clock, cycles));
    }
}

static bool finish(const struct memory_partition *p, uint64_t cycles, struct error *err)
{
    bool ok = true;
    for (uint32_t k = 0; k < p->all->slices; k++) ok &= l2_finish(p->l2[k], ticks_before(&p->l2_clock, cycles), err);
    if (!p->all->env->cut && !dram_empty(p->dram)) ok = error_set(err, "dram.%u: requests left at the end", p->number);
    return ok;
}

bool memory_partitions_finish(struct memory_partitions *all, uint64_t cycles, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < all->count; i++) ok &= finish(&all->partition[i], cycles, err);
    return ok;
}
