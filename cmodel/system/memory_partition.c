/* SPDX-License-Identifier: Apache-2.0 */
#include "system/memory_partition.h"

#include "system/config/replacement_kind.h"

static uint64_t most_ahead(const struct env *env)
{
    const struct config *c = env->config;
    const bool apart = c->sim_skip && !env->watched && !c->uvm_enable && !replacement_of(c, MISS_L2)->create;
    return apart && c->l2_rop_latency ? (uint64_t)(c->l2_rop_latency - 1) * c->clock_sm / c->clock_l2 : 0;
}

void memory_partitions_init(struct memory_partitions *all, struct env *env,
                            const struct memory_partition_client *client)
{
    const struct config *c = env->config;
    *all = (struct memory_partitions){.env = env,
                                      .c = c,
                                      .client = *client,
                                      .clock = domain_at(c->clock_dram, c->clock_sm),
                                      .l2_clock = domain_at(c->clock_l2, c->clock_sm),
                                      .slices = c->partition_slices,
                                      .slice_shift = log2_floor(c->partition_slices),
                                      .interleave_shift = log2_floor(c->partition_interleave),
                                      .most_responses = MOST_RESPONSES * (uint32_t)ceil_div(c->clock_l2, c->clock_sm),
                                      .ahead = most_ahead(env)};
}

/* DRAM ticks come first in an SM cycle, so the slice's clock stands at its first tick of this cycle. */
static void dram_done(void *context, const struct dram_request *r, uint64_t clock)
{
    const struct memory_partition *p = context;
    const struct memory_partitions *all = p->all;
    (void)clock;
    const uint32_t k = (uint32_t)(r->address >> all->interleave_shift) & (all->slices - 1);
    l2_fill(p->l2[k], r,
            p->l2_clock.start + (all->c->dram_latency_at == LATENCY_BEHIND ? all->c->dram_extra_latency : 0));
}

static void dram_has_room(void *context)
{
    const struct memory_partition *p = context;
    for (uint32_t k = 0; k < p->all->slices; k++) l2_resume(p->l2[k]);
}

bool memory_partition_create(struct memory_partition *p, const struct memory_partitions *all, uint32_t number,
                             struct error *err)
{
    const struct dram_client client = {.done = dram_done, .room = dram_has_room, .context = p};
    *p = (struct memory_partition){
        .all = all, .number = number, .wake = NEVER, .clock = all->clock, .l2_clock = all->l2_clock};
    p->dram = dram_create(all->env, number, &client, err);
    for (uint32_t k = 0; k < all->slices; k++) {
        if (!p->dram) return false;
        p->l2[k] = l2_create(all->env, number << all->slice_shift | k, p->dram, &all->client.slice, err);
        if (!p->l2[k]) return false;
    }
    return true;
}

void memory_partition_destroy(struct memory_partition *p)
{
    for (uint32_t k = 0; k < MOST_SLICES; k++) l2_destroy(p->l2[k]);
    dram_destroy(p->dram);
}

/* Has it done SM cycles that have not come? */
static bool is_ahead(const struct memory_partition *p)
{
    return p->next > p->all->env->sm_cycle + 1;
}

bool memory_partition_push(struct memory_partition *p, uint32_t k, const struct packet *packet)
{
    const struct domain *clock = &p->all->l2_clock;
    struct l2 *l2 = p->l2[k];
    if (!is_ahead(p)) p->room[k] = l2_room(l2);
    if (!p->room[k]) return false;
    l2_push(l2, packet, clock->end);
    p->wake = min_u64(p->wake, in_sm_cycles(clock, p->all->env->sm_cycle, l2_wake(l2)));
    return true;
}

void memory_partition_resume(struct memory_partition *p, uint32_t k)
{
    l2_resume_responses(p->l2[k]);
}

bool memory_partition_drop(struct memory_partition *p, uint32_t k, uint64_t local)
{
    return l2_drop(p->l2[k], local);
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

/* The slice that comes k-th in this SM cycle. */
static inline struct l2 *in_turn(const struct memory_partition *p, uint64_t cycle, uint32_t k)
{
    return p->l2[(uint32_t)(cycle + k) & (p->all->slices - 1)];
}

static inline void run_cycle(struct memory_partition *p, uint64_t cycle, bool sends, bool skip)
{
    domain_enter(&p->clock, cycle);
    domain_enter(&p->l2_clock, cycle);
    run_dram(p->dram, &p->clock, skip);
    for (uint32_t k = 0; k < p->all->slices; k++) {
        struct l2 *l2 = in_turn(p, cycle, k);
        if (sends)
            run_and_send(l2, &p->l2_clock, skip);
        else
            run_l2(l2, &p->l2_clock, skip);
    }
}

/* SM cycle of its next work, behind `cycle`, which it has done. */
static inline uint64_t next_work(const struct memory_partition *p, uint64_t cycle)
{
    uint64_t l2 = NEVER;
    for (uint32_t k = 0; k < p->all->slices; k++) l2 = min_u64(l2, l2_wake(p->l2[k]));
    const uint64_t wake = in_sm_cycles(&p->l2_clock, cycle, l2);
    return wake == cycle + 1 ? wake : min_u64(wake, in_sm_cycles(&p->clock, cycle, dram_wake(p->dram)));
}

/* Responses will find room whether or not any leaves, the crossbar sees the same room in front of the slices, and the
 * partition is not empty. */
static inline bool is_on_its_own(const struct memory_partition *p)
{
    bool busy = false;
    for (uint32_t k = 0; k < p->all->slices; k++) {
        const struct l2_state *s = l2_state(p->l2[k]);
        if (s->responses + p->all->most_responses > s->response_limit || s->room != p->room[k]) return false;
        busy |= s->busy;
    }
    return busy || !dram_empty(p->dram);
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

/* The present SM cycle, and those behind it that the partition can do on its own. */
static void run_ahead(struct memory_partition *p)
{
    const struct config *c = p->all->c;
    uint64_t cycle = p->all->env->sm_cycle, wake;
    const uint64_t last = min_u64(cycle + p->all->ahead, c->cke_cycles ? c->cke_cycles - 1 : NEVER);
    run_cycle(p, cycle, true, c->sim_skip);
    tell_room(p);
    while ((wake = next_work(p, cycle)) <= last && is_on_its_own(p)) run_cycle(p, cycle = wake, false, true);
    p->next = cycle + 1;
    p->wake = wake;
}

/* Of slices that are not ticked in this cycle: they are ahead, or asleep. */
static void send_responses(const struct memory_partition *p)
{
    const struct domain *clock = &p->all->l2_clock;
    for (uint32_t k = 0; k < p->all->slices; k++) {
        struct l2 *l2 = in_turn(p, p->all->env->sm_cycle, k);
        for (uint64_t t = clock->start; t < clock->end; t++)
            if (l2_state(l2)->send <= t) l2_send(l2, t);
    }
}

/* A hit or a slot may wait for the place of a response. */
static bool has_full_slice(const struct memory_partition *p)
{
    for (uint32_t k = 0; k < p->all->slices; k++)
        if (l2_state(p->l2[k])->responses == l2_state(p->l2[k])->response_limit) return true;
    return false;
}

/* One that is ahead tells its room in its last cycle. */
static uint64_t next_due(const struct memory_partition *p)
{
    uint64_t send = NEVER;
    for (uint32_t k = 0; k < p->all->slices; k++) send = min_u64(send, l2_state(p->l2[k])->send);
    const uint64_t due = min_u64(p->wake, in_sm_cycles(&p->all->l2_clock, p->all->env->sm_cycle, send));
    return is_ahead(p) ? min_u64(due, p->next - 1) : due;
}

uint64_t memory_partition_tick(struct memory_partition *p)
{
    const uint64_t now = p->all->env->sm_cycle;
    if (p->next <= now && (p->wake <= now || !p->all->c->sim_skip || has_full_slice(p)))
        run_ahead(p);
    else
        send_responses(p);
    if (p->next == now + 1) tell_room(p);
    return next_due(p);
}

bool memory_partition_empty(const struct memory_partition *p)
{
    bool empty = !is_ahead(p) && dram_empty(p->dram);
    for (uint32_t k = 0; empty && k < p->all->slices; k++) empty = l2_empty(p->l2[k]);
    return empty;
}

void memory_partition_sync(struct memory_partition *p, uint64_t cycles)
{
    for (uint32_t k = 0; k < p->all->slices; k++) l2_sync(p->l2[k], ticks_before(&p->l2_clock, cycles));
    dram_sync(p->dram, ticks_before(&p->clock, cycles));
}

bool memory_partition_finish(struct memory_partition *p, uint64_t cycles, struct error *err)
{
    bool ok = true;
    for (uint32_t k = 0; k < p->all->slices; k++) ok &= l2_finish(p->l2[k], ticks_before(&p->l2_clock, cycles), err);
    if (!p->all->env->cut && !dram_empty(p->dram)) ok = error_set(err, "dram.%u: requests left at the end", p->number);
    return ok;
}
