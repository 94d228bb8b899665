/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cke_curves.h"

#include <stdlib.h>

#include "base/ratio.h"
#include "cli/cke.h"
#include "cli/number.h"

static struct job curve_job(const struct job *job, uint32_t workload, uint32_t blocks)
{
    struct job j = *job;
    j.workload = workload ? job->beside[workload - 1] : job->workload;
    for (uint32_t i = 0; i + 1 < MAX_WORKLOADS; i++) j.beside[i] = NULL;
    j.result.config.cke_blocks[0] = blocks;
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
static bool run_points(struct curves *p, struct job *jobs, const uint32_t *workload, uint32_t count, uint32_t threads,
                       bool progress, struct error *err)
{
    if (count) jobs_run(jobs, count, threads, progress);
    for (uint32_t i = 0; i < count; i++) job_free(&jobs[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct result *r = &jobs[i].result;
        struct curve *c = &p->curve[workload[i]];
        if (r->err.text[0])
            return error_set(err, "%s alone, %u thread blocks per SM: %.800s", r->workload, r->config.cke_blocks[0],
                             r->err.text);
        c->ipc[r->config.cke_blocks[0]] = cke_ipc(r, 0);
        c->needs = r->part[0].stats;
        snprintf(c->workload, sizeof c->workload, "%s", r->workload);
    }
    return true;
}

static bool make_curves(struct curves *p, const struct job *job, struct job *jobs, uint32_t threads, bool progress,
                        struct error *err)
{
    uint32_t workload[MAX_WORKLOADS * MOST_BLOCKS], count = 0;
    for (uint32_t w = 0; w < p->count; w++) {
        workload[w] = w;
        jobs[w] = curve_job(job, w, 1);
    }
    if (!run_points(p, jobs, workload, p->count, threads, progress, err)) return false;
    for (uint32_t w = 0; w < p->count; w++) {
        struct curve *c = &p->curve[w];
        c->most = most_blocks(&job->result.config, &c->needs);
        for (uint32_t n = 2; n <= c->most; n++) {
            workload[count] = w;
            jobs[count++] = curve_job(job, w, n);
        }
    }
    return run_points(p, jobs, workload, count, threads, progress, err);
}

/* The least thread blocks that are as fast as any, up to the tolerance. */
static void classify(struct curve *c, uint32_t tolerance)
{
    double best = 0;
    for (uint32_t n = 1; n <= c->most; n++) best = c->ipc[n] > best ? c->ipc[n] : best;
    for (c->opt = 1; c->ipc[c->opt] < best * (100 - tolerance) / 100;) c->opt++;
    c->type = c->opt == c->most ? CURVE_UP : c->opt == 1 ? CURVE_DOWN : CURVE_OPTIMAL;
}

bool curves_make(struct curves *p, const struct job *job, uint32_t tolerance, uint32_t threads, bool progress,
                 struct error *err)
{
    *p = (struct curves){.count = 1};
    while (p->count < MAX_WORKLOADS && job->beside[p->count - 1]) p->count++;
    struct job *jobs = calloc(MAX_WORKLOADS * MOST_BLOCKS, sizeof *jobs);
    if (!jobs) return error_set(err, "runs of each workload alone: out of memory");
    bool ok = make_curves(p, job, jobs, threads, progress, err);
    for (uint32_t w = 0; ok && w < p->count; w++) classify(&p->curve[w], tolerance);
    free(jobs);
    return ok;
}

const char *curve_type_name(enum curve_type type)
{
    static const char *const names[] = {"Up", "Optimal", "Down"};
    return names[type];
}

static double share(const struct curve *c, uint64_t need, uint64_t has)
{
    return ratio_of((double)c->opt * (double)need, (double)has);
}

static void use_of(const struct curve *c, const struct config *m, double use[3])
{
    use[0] = share(c, c->needs.block_warps, m->sm_warps);
    use[1] = share(c, c->needs.block_shared, m->sm_shared_bytes);
    use[2] = share(c, c->needs.block_registers, m->sm_registers);
}

void curves_print(FILE *to, const struct curves *p, const uint32_t marked[MAX_WORKLOADS])
{
    fprintf(to, "IPC alone, by thread blocks per SM\n");
    for (uint32_t w = 0; w < p->count; w++) {
        const struct curve *c = &p->curve[w];
        fprintf(to, "  kernel %u: %s\n   ", w, c->workload);
        for (uint32_t n = 1; n <= c->most; n++) fprintf(to, " %.3f%s", c->ipc[n], n == marked[w] ? "*" : "");
        fputc('\n', to);
    }
}

void curves_table(FILE *to, const struct curves *p, const struct config *m)
{
    uint32_t opt[MAX_WORKLOADS] = {0};
    for (uint32_t w = 0; w < p->count; w++) opt[w] = p->curve[w].opt;
    curves_print(to, p, opt);
    fprintf(to, "%-10s %5s %5s %9s %9s %9s  %s\n", "", "opt *", "max", "threads", "shared", "registers", "type");
    for (uint32_t w = 0; w < p->count; w++) {
        const struct curve *c = &p->curve[w];
        char text[NUMBER_TEXT];
        double use[3];
        use_of(c, m, use);
        fprintf(to, "kernel %-3u %5u %5u", w, c->opt, c->most);
        for (uint32_t i = 0; i < 3; i++) fprintf(to, " %9s", number_percent(text, use[i], 2, "%"));
        fprintf(to, "  %s\n", curve_type_name(c->type));
    }
}

static json_t *curve_json(const struct curve *c, const struct config *m)
{
    json_t *ipc = json_array();
    double use[3];
    use_of(c, m, use);
    for (uint32_t n = 1; n <= c->most; n++) json_array_append_new(ipc, json_real(c->ipc[n]));
    return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "workload", c->workload, "type",
                     curve_type_name(c->type), "opt", (int)c->opt, "max", (int)c->most, "thread_percent",
                     number_json(100 * use[0]), "shared_percent", number_json(100 * use[1]), "register_percent",
                     number_json(100 * use[2]), "ipc", ipc);
}

json_t *curves_json(const struct curves *p, const struct config *m)
{
    json_t *list = json_array();
    for (uint32_t w = 0; w < p->count; w++) json_array_append_new(list, curve_json(&p->curve[w], m));
    return json_pack("{s:o}", "curves", list);
}
