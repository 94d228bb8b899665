/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cke_partition.h"

#include "cli/cke.h"

static double best_ipc(const struct curve *c)
{
    double best = 0;
    for (uint32_t n = 1; n <= c->most; n++) best = c->ipc[n] > best ? c->ipc[n] : best;
    return best;
}

static bool fits(const struct partition *p, const struct config *c, const uint32_t *blocks)
{
    uint64_t slots = 0, warps = 0, registers = 0, shared = 0;
    for (uint32_t w = 0; w < p->curves.count; w++) {
        const struct workload_stats *n = &p->curves.curve[w].needs;
        slots += blocks[w];
        warps += blocks[w] * n->block_warps;
        registers += blocks[w] * n->block_registers;
        shared += blocks[w] * n->block_shared;
    }
    return slots <= c->sm_blocks && warps <= c->sm_warps && registers <= c->sm_registers &&
           shared <= c->sm_shared_bytes;
}

static void consider(struct partition *p, const uint32_t *blocks)
{
    double low = 1, sum = 0;
    for (uint32_t w = 0; w < p->curves.count; w++) {
        double best = best_ipc(&p->curves.curve[w]), share = best > 0 ? p->curves.curve[w].ipc[blocks[w]] / best : 0;
        low = share < low ? share : low;
        sum += share;
    }
    if (p->blocks[0] && (low < p->least || (low <= p->least && sum <= p->sum))) return;
    p->least = low;
    p->sum = sum;
    for (uint32_t w = 0; w < p->curves.count; w++) p->blocks[w] = blocks[w];
}

/* Next combination, the last digit fastest; false after the last one. */
static bool next(const struct partition *p, uint32_t *blocks)
{
    for (uint32_t w = p->curves.count; w-- > 0;) {
        if (++blocks[w] <= p->curves.curve[w].most) return true;
        blocks[w] = 1;
    }
    return false;
}

/* STP if the kernels did not interfere, on the scale of cke_stp(). */
static double predicted_stp(const struct partition *p)
{
    double sum = 0;
    for (uint32_t w = 0; w < p->curves.count; w++) {
        const struct curve *c = &p->curves.curve[w];
        sum += c->ipc[c->most] > 0 ? c->ipc[p->blocks[w]] / c->ipc[c->most] : 0;
    }
    return sum;
}

static bool choose_partition(struct partition *p, const struct config *c, struct error *err)
{
    uint32_t blocks[MAX_WORKLOADS];
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) blocks[w] = 1;
    do {
        if (fits(p, c, blocks)) consider(p, blocks);
    } while (next(p, blocks));
    p->stp = predicted_stp(p);
    return p->blocks[0] || error_set(err, "--partition best: an SM has no room for one thread block of each workload");
}

bool partition_best(struct partition *p, const struct config *c, struct error *err)
{
    *p = (struct partition){.curves = p->curves};
    return choose_partition(p, c, err);
}

void partition_table(FILE *to, const struct partition *p)
{
    curves_print(to, &p->curves, p->blocks);
    fprintf(to, "partition (*):");
    for (uint32_t w = 0; w < p->curves.count; w++) fprintf(to, " cke.blocks%u=%u", w, p->blocks[w]);
    fprintf(to, ", predicted STP %.3f, smallest share of peak speed %.3f\n\n", p->stp, p->least);
}
