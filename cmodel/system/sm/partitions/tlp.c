/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic TLP modulation (Liang17, section 4.3): the block tlp_modulator of each SM changes the limits of two workloads
 * (pair.c).  They start from the static modulation, whose best numbers alone are cke.blocks0 and
 * cke.blocks1; with a 0, or two workloads that are best with all that fits, from an even share.  A workload whose
 * kernel runs alone takes the whole SM. */
#include "system/sm/block_partition.h"

/* As many as fit half of the SM; at least one. */
static uint32_t half(const struct sm_array *a, const struct workload *k)
{
    const uint32_t blocks = partition_share(a, k, 2, NULL);
    return blocks ? blocks : 1;
}

static bool limit(struct sm_array *a)
{
    const uint32_t best[MAX_WORKLOADS] = {a->c->cke_blocks0, a->c->cke_blocks1};
    const bool both = a->workload[0].running && a->workload[1].running, known = best[0] && best[1];
    uint32_t blocks[MAX_WORKLOADS] = {0};
    const bool divided = both && known && partition_static(a, &a->workload[0], &a->workload[1], blocks);
    for (uint32_t w = 0; both && !divided && w < 2; w++) blocks[w] = half(a, &a->workload[w]);
    if (both && !partition_fits(a, blocks)) return false;
    for (uint32_t w = 0; w < 2; w++) partition_limit_all(a, w, both ? blocks[w] : UINT32_MAX);
    return true;
}

static bool kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    return limit(a);
}

static void kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    limit(a);
}

static const struct block_partition tlp = {
    .policy = {"tlp", "from static, or from an even share, as the block tlp_modulator learns"},
    .most = 2,
    .steps = true,
    .kernel_started = kernel_started,
    .kernel_ended = kernel_ended};
BLOCK_PARTITION_REGISTER(tlp);
