/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic TLP modulation (Liang17, section 4.3): the block tlp_modulator of each SM changes the limits of the two
 * workloads that run (pair.c).  They start from the static modulation, whose best numbers alone are cke.blocks;
 * with a 0, or two workloads that are best with all that fits, from an even share.  A workload whose
 * kernel runs alone takes the whole SM. */
#include "system/sm/block_partition.h"

/* As many as fit half of the SM; at least one. */
static uint32_t half(const struct sm_array *a, const struct workload *k)
{
    const uint32_t blocks = partition_share(a, k, 2, NULL);
    return blocks ? blocks : 1;
}

static bool tlp_divide(struct sm_array *a, const struct workload *const of[2])
{
    const bool known = a->c->cke_blocks[of[0]->number] && a->c->cke_blocks[of[1]->number];
    uint32_t blocks[MAX_WORKLOADS] = {0};
    const bool divided = known && partition_static(a, of[0], of[1], blocks);
    for (uint32_t i = 0; !divided && i < 2; i++) blocks[of[i]->number] = half(a, of[i]);
    if (!partition_fits(a, blocks)) return false;
    for (uint32_t i = 0; i < 2; i++) partition_limit_all(a, of[i]->number, blocks[of[i]->number]);
    return true;
}

static bool limit(struct sm_array *a)
{
    const struct workload *running[2] = {NULL, NULL};
    for (uint32_t w = 0, n = 0; w < a->workloads; w++)
        if (a->workload[w].running) running[n++] = &a->workload[w];
    if (running[1]) return tlp_divide(a, running);
    for (uint32_t w = 0; w < a->workloads; w++) partition_limit_all(a, w, UINT32_MAX);
    return true;
}

static bool tlp_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    return limit(a);
}

static void tlp_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    (void)state, (void)k;
    limit(a);
}

static const struct block_partition tlp = {
    .policy = {"tlp", "starts from static or an even share, then adjusted by the block tlp_modulator"},
    .steps = true,
    .hooks = {.kernel_started = tlp_kernel_started, .kernel_ended = tlp_kernel_ended}};
BLOCK_PARTITION_REGISTER(tlp, .blocks = {"tlp_modulator"}, .when = "workloads!=1; cke.partition=tlp");
