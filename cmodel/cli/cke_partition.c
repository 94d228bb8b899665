/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cke_partition.h"

#include <stdlib.h>

#include "cli/cke.h"

static struct job curve_job(const struct job *job, uint32_t workload, uint32_t blocks)
{
    struct job j = *job;
    j.workload = workload ? job->beside[workload - 1] : job->workload;
    for (uint32_t i = 0; i + 1 < MAX_WORKLOADS; i++) j.beside[i] = NULL;
    j.result.config.cke_blocks0 = blocks;
    return j;
}

static uint64_t fitting(uint64_t has, uint64_t need)
{
    return need ? has / need : MOST_BLOCKS;
}

static uint32_t least(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* Thread blocks of one kernel that fit an SM. */
static uint32_t most_blocks(const struct config *c, const struct workload_stats *n)
{
    uint32_t most = least(c->sm_blocks, fitting(c->sm_warps, n->block_warps));
    most = least(most, fitting(c->sm_registers, n->block_registers));
    return least(most, fitting(c->sm_shared_bytes, n->block_shared));
}

/* Runs the points of the curves; point i has blocks[i] thread blocks of workload[i] per SM. */
static bool run_points(struct partition *p, struct job *jobs, const uint32_t *workload, uint32_t count,
                       uint32_t threads, bool progress, struct error *err)
{
    if (count) jobs_run(jobs, count, threads, progress);
    for (uint32_t i = 0; i < count; i++) job_free(&jobs[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct result *r = &jobs[i].result;
        struct curve *c = &p->curve[workload[i]];
        if (r->err.text[0])
            return error_set(err, "%s alone, %u thread blocks per SM: %.800s", r->workload, r->config.cke_blocks0,
                             r->err.text);
        c->ipc[r->config.cke_blocks0] = cke_ipc(r, 0);
        c->needs = r->part[0].stats;
        snprintf(c->workload, sizeof c->workload, "%s", r->workload);
    }
    return true;
}

static bool make_curves(struct partition *p, const struct job *job, struct job *jobs, uint32_t threads, bool progress,
                        struct error *err)
{
    uint32_t workload[MAX_WORKLOADS * MOST_BLOCKS], count = 0;
    for (uint32_t w = 0; w < p->workloads; w++) {
        workload[w] = w;
        jobs[w] = curve_job(job, w, 1);
    }
    if (!run_points(p, jobs, workload, p->workloads, threads, progress, err)) return false;
    for (uint32_t w = 0; w < p->workloads; w++) {
        struct curve *c = &p->curve[w];
        c->most = most_blocks(&job->result.config, &c->needs);
        for (uint32_t n = 2; n <= c->most; n++) {
            workload[count] = w;
            jobs[count++] = curve_job(job, w, n);
        }
    }
    return run_points(p, jobs, workload, count, threads, progress, err);
}

static double best_ipc(const struct curve *c)
{
    double best = 0;
    for (uint32_t n = 1; n <= c->most; n++) best = c->ipc[n] > best ? c->ipc[n] : best;
    return best;
}

static bool fits(const struct partition *p, const struct config *c, const uint32_t *blocks)
{
    uint64_t slots = 0, warps = 0, registers = 0, shared = 0;
    for (uint32_t w = 0; w < p->workloads; w++) {
        const struct workload_stats *n = &p->curve[w].needs;
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
    for (uint32_t w = 0; w < p->workloads; w++) {
        double best = best_ipc(&p->curve[w]), share = best > 0 ? p->curve[w].ipc[blocks[w]] / best : 0;
        low = share < low ? share : low;
        sum += share;
    }
    if (p->blocks[0] && (low < p->least || (low <= p->least && sum <= p->sum))) return;
    p->least = low;
    p->sum = sum;
    for (uint32_t w = 0; w < p->workloads; w++) p->blocks[w] = blocks[w];
}

/* Next combination, the last digit fastest; false after the last one. */
static bool next(const struct partition *p, uint32_t *blocks)
{
    for (uint32_t w = p->workloads; w-- > 0;) {
        if (++blocks[w] <= p->curve[w].most) return true;
        blocks[w] = 1;
    }
    return false;
}

/* STP if the kernels did not interfere, on the scale of cke_stp(). */
static double predicted_stp(const struct partition *p)
{
    double sum = 0;
    for (uint32_t w = 0; w < p->workloads; w++) {
        const struct curve *c = &p->curve[w];
        sum += c->ipc[c->most] > 0 ? c->ipc[p->blocks[w]] / c->ipc[c->most] : 0;
    }
    return sum;
}

static bool choose(struct partition *p, const struct config *c, struct error *err)
{
    uint32_t blocks[MAX_WORKLOADS] = {1, 1, 1, 1};
    do {
        if (fits(p, c, blocks)) consider(p, blocks);
    } while (next(p, blocks));
    p->stp = predicted_stp(p);
    return p->blocks[0] || error_set(err, "--partition best: an SM has no room for one thread block of each workload");
}

bool partition_best(struct partition *p, const struct job *job, uint32_t threads, bool progress, struct error *err)
{
    *p = (struct partition){.workloads = 1};
    while (p->workloads < MAX_WORKLOADS && job->beside[p->workloads - 1]) p->workloads++;
    struct job *jobs = calloc(MAX_WORKLOADS * MOST_BLOCKS, sizeof *jobs);
    if (!jobs) return error_set(err, "--partition best: out of memory");
    bool ok = make_curves(p, job, jobs, threads, progress, err) && choose(p, &job->result.config, err);
    free(jobs);
    return ok;
}

void partition_table(FILE *to, const struct partition *p)
{
    fprintf(to, "IPC alone, by thread blocks per SM\n");
    for (uint32_t w = 0; w < p->workloads; w++) {
        const struct curve *c = &p->curve[w];
        fprintf(to, "  kernel %u: %s\n   ", w, c->workload);
        for (uint32_t n = 1; n <= c->most; n++) fprintf(to, " %.3f%s", c->ipc[n], n == p->blocks[w] ? "*" : "");
        fputc('\n', to);
    }
    fprintf(to, "partition (*):");
    for (uint32_t w = 0; w < p->workloads; w++) fprintf(to, " cke.blocks%u=%u", w, p->blocks[w]);
    fprintf(to, ", predicted STP %.3f, smallest share of peak speed %.3f\n\n", p->stp, p->least);
}
