/* SPDX-License-Identifier: Apache-2.0 */
/* SMK-P, the partition of simultaneous multikernel (Wang16, after Dai17, section 4.1): dominant resource fairness.  The
 * dominant share of a workload is its largest share of any resource of the SM.  The workload with the smallest one gets
 * the next thread block, until none fits.  Equal on every SM; recomputed at every kernel start. */
#include "system/sm/block_partition.h"

struct division {
    uint32_t has[PARTITION_RESOURCES], need[MAX_WORKLOADS][PARTITION_RESOURCES];
    uint32_t used[PARTITION_RESOURCES], blocks[MAX_WORKLOADS];
    bool takes_part[MAX_WORKLOADS];
};

struct fraction {
    uint64_t of, in; /* both below 2^32 */
};

static bool is_less(struct fraction a, struct fraction b)
{
    return a.of * b.in < b.of * a.in;
}

static struct fraction dominant_share(const struct division *d, uint32_t workload)
{
    struct fraction most = {0, 1};
    for (uint32_t i = 0; i < PARTITION_RESOURCES; i++) {
        if (!d->need[workload][i]) continue;
        const struct fraction share = {(uint64_t)d->blocks[workload] * d->need[workload][i], d->has[i]};
        if (is_less(most, share)) most = share;
    }
    return most;
}

/* The resource that a thread block exceeds; PARTITION_RESOURCES: it fits. */
static uint32_t lacking(const struct division *d, uint32_t workload)
{
    uint32_t i = 0;
    while (i < PARTITION_RESOURCES && d->has[i] - d->used[i] >= d->need[workload][i]) i++;
    return i;
}

static uint32_t smk_next(const struct division *d)
{
    uint32_t found = MAX_WORKLOADS;
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) {
        if (!d->takes_part[w] || lacking(d, w) != PARTITION_RESOURCES) continue;
        if (found == MAX_WORKLOADS || is_less(dominant_share(d, w), dominant_share(d, found))) found = w;
    }
    return found;
}

static void smk_divide(struct division *d, const struct sm_array *a)
{
    *d = (struct division){0};
    partition_has(a->c, d->has);
    for (uint32_t w = 0; w < a->workloads; w++) {
        partition_needs(&a->workload[w], d->need[w]);
        d->takes_part[w] = a->workload[w].running;
    }
    for (uint32_t w; (w = smk_next(d)) != MAX_WORKLOADS; d->blocks[w]++)
        for (uint32_t i = 0; i < PARTITION_RESOURCES; i++) d->used[i] += d->need[w][i];
}

static bool all_have_one(const struct division *d, const struct sm_array *a)
{
    for (uint32_t w = 0; w < a->workloads; w++) {
        const struct workload *k = &a->workload[w];
        if (!d->takes_part[w] || d->blocks[w]) continue;
        const uint32_t i = lacking(d, w);
        return error_set(a->error,
                         "%s: kernel %s: one thread block needs %u %s, the other workloads leave %u (%s = %u)",
                         k->source->name, k->kernel.name, d->need[w][i], partition_resource(i), d->has[i] - d->used[i],
                         partition_option(i), d->has[i]);
    }
    return true;
}

static bool smk_set_limits(struct sm_array *a)
{
    struct division d;
    smk_divide(&d, a);
    for (uint32_t w = 0; w < a->workloads; w++) partition_limit_all(a, w, d.blocks[w]);
    return all_have_one(&d, a);
}

static bool smk_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    return smk_set_limits(a);
}

static void smk_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    (void)state;
    if (k->done) smk_set_limits(a);
}

static const struct block_partition smk = {
    .policy = {"smk", "SMK-P: dominant resource fairness over thread block slots, warps, registers and shared memory"},
    .kernel_started = smk_kernel_started,
    .kernel_ended = smk_kernel_ended};
BLOCK_PARTITION_REGISTER(smk);
