/* SPDX-License-Identifier: Apache-2.0 */
/* Static modulation of the thread blocks on an SM (Liang17, algorithm 1), for two workloads at a time.  cke.blocks
 * are the numbers with which each is fastest alone.  The one whose speed falls first with more thread blocks gets
 * that number.  The other gets as many as still fit, up to its own number.  Two of type Up run as with left_over. */
#include <stdlib.h>

#include "system/sm/block_partition.h"
#include "system/sm/turns.h"

/* Ordered by the share left to the other. */
enum type { TYPE_UP, TYPE_OPTIMAL, TYPE_DOWN };

struct pair {
    bool in_turn; /* without limits */
};

static bool static_tlp_can_be(const struct sm_array *a, struct error *err)
{
    if (turns_at_once(a) > 2)
        return error_set(
            err,
            "cke.partition: found static with %u workloads at a time, allowed: 2; cke.concurrent = 2 (memtwin cke "
            "--pool) runs them in pairs",
            turns_at_once(a));
    for (uint32_t w = 0; w < a->workloads; w++)
        if (!a->c->cke_blocks[w])
            return error_set(
                err,
                "cke.blocks%u: found 0 with cke.partition = static, expected the thread blocks per SM with which "
                "workload %u is fastest alone (memtwin cke --partition static finds them)",
                w, w);
    return true;
}

static void *static_tlp_create(struct sm_array *a, struct error *err)
{
    struct pair *p = static_tlp_can_be(a, err) ? calloc(1, sizeof *p) : NULL;
    if (!p && !err->text[0]) error_set(err, "cke.partition: out of memory");
    return p;
}

static uint32_t best(const struct sm_array *a, const struct workload *k)
{
    return min_u32(a->c->cke_blocks[k->number], partition_most(a, k));
}

static enum type type_of(const struct sm_array *a, const struct workload *k)
{
    if (best(a, k) == partition_most(a, k)) return TYPE_UP;
    return best(a, k) == 1 ? TYPE_DOWN : TYPE_OPTIMAL;
}

/* Thread blocks of `k` that fit beside `blocks` of the other. */
static uint32_t remaining(const struct sm_array *a, const struct workload *other, uint32_t blocks,
                          const struct workload *k)
{
    uint32_t has[PARTITION_RESOURCES], taken[PARTITION_RESOURCES], needs[PARTITION_RESOURCES], most = UINT32_MAX;
    partition_has(a->c, has);
    partition_needs(other, taken);
    partition_needs(k, needs);
    for (uint32_t i = 0; i < PARTITION_RESOURCES; i++)
        if (needs[i]) most = min_u32(most, (has[i] - blocks * taken[i]) / needs[i]);
    return most;
}

bool partition_static(const struct sm_array *a, const struct workload *first, const struct workload *second,
                      uint32_t blocks[MAX_WORKLOADS])
{
    const struct workload *k = first, *other = second;
    if (type_of(a, second) > type_of(a, first)) k = second, other = first;
    blocks[k->number] = best(a, k);
    blocks[other->number] = min_u32(remaining(a, k, best(a, k), other), best(a, other));
    return type_of(a, k) != TYPE_UP && blocks[other->number];
}

static void static_tlp_set_limits(struct pair *p, struct sm_array *a)
{
    const struct workload *running[2] = {NULL, NULL};
    for (uint32_t w = 0, n = 0; w < a->workloads; w++)
        if (a->workload[w].running) running[n++] = &a->workload[w];
    uint32_t blocks[MAX_WORKLOADS];
    p->in_turn = !running[1] || !partition_static(a, running[0], running[1], blocks);
    if (p->in_turn) {
        partition_in_turn(a);
        return;
    }
    for (uint32_t i = 0; i < 2; i++) partition_limit_all(a, running[i]->number, blocks[running[i]->number]);
}

static bool static_tlp_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)k;
    static_tlp_set_limits(state, a);
    return true;
}

static void static_tlp_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    if (k->done) static_tlp_set_limits(state, a);
}

static void static_tlp_block_started(void *state, struct sm *sm, struct thread_block *b)
{
    const struct pair *p = state;
    if (p->in_turn && b->workload->next_block == b->workload->blocks) partition_in_turn(sm->array);
}

static const struct block_partition static_tlp = {
    .policy = {"static",
               "two workloads: the best number of thread blocks for one, the remaining resources for the other"},
    .hooks = {.create = static_tlp_create,
              .destroy = free,
              .kernel_started = static_tlp_kernel_started,
              .kernel_ended = static_tlp_kernel_ended,
              .block_started = static_tlp_block_started}};
BLOCK_PARTITION_REGISTER(static_tlp);
