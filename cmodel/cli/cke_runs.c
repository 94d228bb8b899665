/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cke_runs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/blocks.h"
#include "cli/cke.h"
#include "cli/cke_partition.h"
#include "cli/command.h"
#include "cli/jobs.h"
#include "system/config/option_use.h"
#include "system/config/policy.h"

enum { PAPER_CYCLES = 2000000 };

/* All runs: first each workload alone, then the shared runs, one per case. */
struct runs {
    const struct cke_arguments *a;
    struct job *jobs;
    uint32_t alone, shared;
    char *cases[CKE_CASES];
};

/* Whether a run on this machine ends when every workload has. */
static bool until_end(const struct cke_arguments *a, const struct config *c)
{
    return a->until_end || a->pool || c->cke_concurrent;
}

static struct job new_job(const struct cke_arguments *a, const struct config *c, const char *workload, bool to_end)
{
    struct job j = {.workload = workload};
    j.result.rtl = a->rtl ? a->rtl : "";
    j.result.seed = a->seed;
    j.result.energies = a->files.energies;
    j.result.config = *c;
    if (!c->cke_cycles && !to_end) j.result.config.cke_cycles = PAPER_CYCLES;
    return j;
}

/* The run of a workload alone on this machine; cases with equal machines share it. */
static uint32_t alone_job(struct runs *r, const struct config *c, const char *workload, bool to_end)
{
    struct job j = new_job(r->a, c, workload, to_end);
    for (uint32_t i = 0; i < r->alone; i++)
        if (!strcmp(r->jobs[i].workload, workload) &&
            !memcmp(&r->jobs[i].result.config, &j.result.config, sizeof j.result.config))
            return i;
    r->jobs[r->alone] = j;
    return r->alone++;
}

static bool may_end(const struct cke_arguments *a, const struct config *c, struct error *err)
{
    return !c->cke_cycles || !(a->until_end || a->pool) ||
           error_set(err, "--%s: found cke.cycles = %u, expected 0: every workload runs to its end",
                     a->pool ? "pool" : "until-end", c->cke_cycles);
}

static bool case_config(struct runs *r, uint32_t i, struct config *c, struct given *given, struct error *err)
{
    *c = r->a->machine.config;
    if (!r->a->case_count) return may_end(r->a, c, err);
    r->cases[i] = strdup(r->a->cases[i]);
    return machine_case(r->cases[i], c, given, err) && may_end(r->a, c, err);
}

static void warn_case(const struct cke_arguments *a, const char *name, const struct given *given,
                      const struct config *c)
{
    char where[80];
    snprintf(where, sizeof where, "--case %s", name ? name : "");
    machine_warn(where, given, &c, 1, a->workload_count);
}

static void warn_all(const struct runs *r)
{
    const struct config *machines[CKE_CASES];
    for (uint32_t i = 0; i < r->shared; i++) machines[i] = &r->jobs[r->alone + i].result.config;
    machine_warn("--set", &r->a->machine.given, machines, r->shared, r->a->workload_count);
}

/* A workload runs its kernels one after the other, as beside others. */
static void as_alone(struct config *c)
{
    config_alone(c);
    c->cke_kernels = 1;
}

static bool make_jobs(struct runs *r, struct error *err)
{
    const struct cke_arguments *a = r->a;
    uint32_t cases = a->case_count ? a->case_count : 1;
    uint32_t alone[CKE_CASES][MAX_WORKLOADS];
    struct config c;
    for (uint32_t i = 0; i < cases; i++) {
        struct given given = {0};
        if (!case_config(r, i, &c, &given, err)) return false;
        const bool to_end = until_end(a, &c);
        as_alone(&c);
        for (uint32_t w = 0; w < a->workload_count; w++) alone[i][w] = alone_job(r, &c, a->workloads[w], to_end);
    }
    for (uint32_t i = 0; i < cases; i++) {
        struct job *j = &r->jobs[r->alone + r->shared++];
        struct given given = {0};
        free(r->cases[i]);
        if (!case_config(r, i, &c, &given, err)) return false;
        warn_case(a, r->cases[i], &given, &c);
        *j = new_job(a, &c, a->workloads[0], until_end(a, &c));
        j->result.case_name = r->cases[i];
        j->interval = a->files.interval;
        for (uint32_t w = 0; w < a->workload_count; w++) {
            if (w) j->beside[w - 1] = a->workloads[w];
            j->result.part[w].alone = &r->jobs[alone[i][w]].result;
        }
    }
    return true;
}

/* A workload that issued nothing has no turnaround time. */
static void check_progress(struct result *r)
{
    for (uint32_t w = 0; !r->err.text[0] && w < r->parts; w++) {
        const struct result *alone = r->part[w].alone;
        if (alone->err.text[0])
            error_set(&r->err, "its run alone failed");
        else if (!r->part[w].stats.warp_instructions)
            error_set(&r->err, "%s issued no instruction in %u cycles: cke.cycles is too short", r->part[w].workload,
                      r->config.cke_cycles);
    }
}

/* Whether one of its workloads, run alone, failed with the same message. */
static bool was_said(const struct result *x)
{
    bool said = false;
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++)
        said = said || (x->part[w].alone && !strcmp(x->part[w].alone->err.text, x->err.text));
    return said;
}

static uint32_t print_failures(const struct runs *r)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < r->alone + r->shared; i++) {
        const struct result *x = &r->jobs[i].result;
        if (!x->err.text[0] || was_said(x)) continue;
        fprintf(stderr, "memtwin: %s%s%s%s: %s\n", x->workload, i < r->alone ? " alone" : "", x->case_name ? " " : "",
                x->case_name ? x->case_name : "", x->err.text);
        failed++;
    }
    return failed;
}

static int report(struct runs *r)
{
    const struct cke_arguments *a = r->a;
    struct result *results = calloc(r->shared, sizeof *results);
    if (!results) return COMMAND_FAILED;
    for (uint32_t i = 0; i < r->shared; i++) {
        check_progress(&r->jobs[r->alone + i].result);
        results[i] = r->jobs[r->alone + i].result;
    }
    int status = print_failures(r) ? COMMAND_FAILED : 0;
    if (!a->quiet && !status) cke_table(result_table_to(&a->files), results, r->shared);
    struct error err = {""};
    if (!status && !result_write(&a->files, results, r->shared, &err)) status = command_error(&err);
    free(results);
    return status;
}

static bool make_curves(const struct cke_arguments *a, struct curves *curves, struct error *err)
{
    struct config c = a->machine.config;
    as_alone(&c);
    struct job j = new_job(a, &c, a->workloads[0], until_end(a, &a->machine.config));
    for (uint32_t w = 1; w < a->workload_count; w++) j.beside[w - 1] = a->workloads[w];
    return may_end(a, &a->machine.config, err) &&
           curves_make(curves, &j, a->tolerance, a->threads, !a->quiet && isatty(STDERR_FILENO), err);
}

/* Whether the partition of --partition is the first that is given, and serves so many workloads. */
static bool may_set(struct cke_arguments *a, struct error *err)
{
    const char *rule = cke_rules[a->rule];
    struct config *m = &a->machine.config;
    const char *partition = policy_at("block partition", m->cke_partition)->name;
    for (uint32_t w = 0; w < a->workload_count; w++)
        if (m->cke_blocks[w])
            return error_set(err, "--partition %s: found cke.blocks%u = %u, expected 0: --partition sets it", rule, w,
                             m->cke_blocks[w]);
    if (m->cke_partition != policy_plain("block partition") && strcmp(partition, rule))
        return error_set(err, "--partition %s: found cke.partition = %s, expected %s: --partition sets it", rule,
                         partition, cke_rules[RULE_EVEN]);
    return a->rule != RULE_STATIC || a->workload_count == 2 || m->cke_concurrent == 1 || m->cke_concurrent == 2 ||
           error_set(err, "--partition %s: found %u workloads, expected 2; --pool runs more of them in pairs", rule,
                     a->workload_count);
}

/* Sets cke.blocks; a case may override them. */
static bool set_partition(struct cke_arguments *a, struct error *err)
{
    struct config *m = &a->machine.config;
    struct partition p = {.least = 0};
    if (!may_set(a, err) || !make_curves(a, &p.curves, err)) return false;
    if (a->rule == RULE_BEST && !partition_best(&p, m, err)) return false;
    if (a->rule == RULE_STATIC) m->cke_partition = policy_number("block partition", cke_rules[a->rule]);
    for (uint32_t w = 0; w < a->workload_count; w++)
        m->cke_blocks[w] = a->rule == RULE_BEST ? p.blocks[w] : p.curves.curve[w].opt;
    if (a->quiet) return true;
    if (a->rule == RULE_BEST)
        partition_table(result_table_to(&a->files), &p);
    else
        curves_table(result_table_to(&a->files), &p.curves, m);
    return true;
}

int cke_show_curves(const struct cke_arguments *a)
{
    struct error err = {""};
    struct curves curves;
    if (!result_possible(&a->files, &err) || !make_curves(a, &curves, &err)) return command_error(&err);
    if (!a->quiet) curves_table(result_table_to(&a->files), &curves, &a->machine.config);
    json_t *value = curves_json(&curves, &a->machine.config);
    const bool ok = result_write_value(&a->files, value, &err);
    json_decref(value);
    return ok ? 0 : command_error(&err);
}

/* Dai17, section 4.2.4: the LSUs are stalled for at least a tenth of the run alone. */
static bool is_memory_intensive(const struct result *alone)
{
    return (double)alone->part[0].stats.l1d_rf >=
           0.1 * (double)alone->stats.gpu_cycles * (double)alone->config.sm_count;
}

/* In a pool the runs alone come first, since the order depends on them. */
static void run_jobs(struct runs *r)
{
    const struct cke_arguments *a = r->a;
    const bool progress = !a->quiet && isatty(STDERR_FILENO);
    const uint32_t first = a->pool == POOL_COMPLEMENTARY ? r->alone : 0;
    if (first) jobs_run(r->jobs, first, a->threads, progress);
    for (uint32_t i = 0; first && i < r->shared; i++) {
        struct result *x = &r->jobs[r->alone + i].result;
        for (uint32_t w = 0; w < a->workload_count; w++)
            x->config.cke_memory_intensive |= (uint32_t)is_memory_intensive(x->part[w].alone) << w;
    }
    jobs_run(r->jobs + first, r->alone + r->shared - first, a->threads, progress);
}

static int run_all(struct runs *r, struct cke_arguments *a)
{
    struct error err = {""};
    struct capture capture;
    if (a->pool && !a->machine.config.cke_concurrent) a->machine.config.cke_concurrent = 2;
    if (a->rule != RULE_EVEN && !set_partition(a, &err)) return command_error(&err);
    if (!make_jobs(r, &err) || !machine_names_differ(r->cases, a->case_count, &err))
        return command_error(&err), COMMAND_USAGE;
    if (!result_possible(&r->a->files, &err)) return command_error(&err);
    warn_all(r);
    struct job *shared = &r->jobs[r->alone];
    if (a->files.blocks) return blocks_show(shared, r->shared, &a->files, a->quiet);
    if (a->rtl && !rtl_check(a->rtl, shared, r->shared, &err)) return command_error(&err), COMMAND_USAGE;
    if (a->capture && !capture_parse(&capture, a->capture, &shared->result.config, &err))
        return command_error(&err), COMMAND_USAGE;
    if (a->capture && !capture_possible(&capture, &a->files, &err)) return command_error(&err);
    shared->capture = a->capture ? &capture : NULL;
    run_jobs(r);
    return report(r);
}

int cke_run(struct cke_arguments *a)
{
    const uint32_t cases = a->case_count ? a->case_count : 1;
    struct runs r = {.a = a, .jobs = calloc((size_t)cases * (MAX_WORKLOADS + 1), sizeof *r.jobs)};
    const int status = r.jobs ? run_all(&r, a) : COMMAND_FAILED;
    for (uint32_t i = 0; i < r.alone + r.shared && r.jobs; i++) job_free(&r.jobs[i]);
    for (uint32_t k = 0; k < a->case_count; k++) free(r.cases[k]);
    free(r.jobs);
    return status;
}
