/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin cke: workloads concurrently on every SM, and each alone, for the same number of cycles. */
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cli/cke.h"
#include "cli/cke_partition.h"
#include "cli/command.h"
#include "cli/jobs.h"
#include "cli/machine.h"
#include "system/config/policy.h"

enum { CASES = 1024, PAPER_CYCLES = 2000000 };

struct arguments {
    struct machine_choice machine;
    const char *workloads[MAX_WORKLOADS], *cases[CASES];
    uint32_t workload_count, case_count, threads;
    const char *rtl, *capture;
    struct result_files files;
    uint64_t seed;
    bool quiet, best;
};

enum { KEY_RTL = 256, KEY_CASE, KEY_SEED, KEY_PARTITION, KEY_CAPTURE };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The runs:", 2},
    {"case", KEY_CASE, "NAME:KEY=VALUE,...", 0,
     "Also share this variant of the machine; the key \"preset\" names a preset. Repeatable", 2},
    {"partition", KEY_PARTITION, "even|best", 0,
     "Thread blocks per SM where cke.blocks0 and so on are 0: an even share of the resources, or the partition with "
     "the smallest loss, from runs of each workload alone with 1, 2, 3 ... thread blocks per SM",
     2},
    {"seed", KEY_SEED, "N", 0, "Seed of the workloads' inputs (1)", 2},
    {"rtl", KEY_RTL, "BLOCK,...", 0, "Put the Verilated RTL of these blocks in place of their twins (memtwin-rtl)", 2},
    {"threads", 't', "N", 0, "Parallel runs (all cores); does not change counters", 2},
    {0, 0, 0, 0, "Output:", 3},
    {"capture", KEY_CAPTURE, "UNIT=FILE.vec", 0,
     "Record the inputs of a block (for example sm.0.qbmi) in the shared run, cycle by cycle", 3},
    {"quiet", 'q', 0, 0, "Print no table and no progress", 3},
    {0}};

static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {&result_argp, 0, 0, 3}, {0}};

static void check_end(struct argp_state *state, const struct arguments *a)
{
    if (a->workload_count < 2)
        command_usage(state, "found %u workload%s, expected 2 to %d that share the SMs", a->workload_count,
                      a->workload_count == 1 ? "" : "s", MAX_WORKLOADS);
    if (a->capture && a->case_count > 1)
        command_usage(state, "--capture: records one run; found %u cases", a->case_count);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->machine;
        state->child_inputs[1] = &a->files;
        return 0;
    case KEY_CASE:
        if (a->case_count == CASES) command_usage(state, "--case: more than %d", CASES);
        a->cases[a->case_count++] = arg;
        return 0;
    case KEY_RTL:
        a->rtl = arg;
        return 0;
    case KEY_CAPTURE:
        a->capture = arg;
        return 0;
    case KEY_PARTITION:
        a->best = !strcmp(arg, "best");
        if (!a->best && strcmp(arg, "even"))
            command_usage(state, "--partition: found \"%s\", expected even or best", arg);
        return 0;
    case KEY_SEED:
        a->seed = machine_number(state, "--seed", arg, 0, INT64_MAX);
        return 0;
    case 't':
        a->threads = (uint32_t)machine_number(state, "--threads", arg, 1, 4096);
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->workload_count == MAX_WORKLOADS)
            command_usage(state, "found more than %d workloads at \"%s\"", MAX_WORKLOADS, arg);
        a->workloads[a->workload_count++] = arg;
        return 0;
    case ARGP_KEY_END:
        check_end(state, a);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* All runs: first each workload alone, then the shared runs, one per case. */
struct runs {
    const struct arguments *a;
    struct job *jobs;
    uint32_t alone, shared;
    char *cases[CASES];
};

static struct job new_job(const struct arguments *a, const struct config *c, const char *workload)
{
    struct job j = {.workload = workload};
    j.result.rtl = a->rtl ? a->rtl : "";
    j.result.seed = a->seed;
    j.result.config = *c;
    if (!c->cke_cycles) j.result.config.cke_cycles = PAPER_CYCLES;
    return j;
}

/* The machine of a run alone: no partition of the SM and no arbitration between kernels. */
static struct config alone_config(struct config c)
{
    c.cke_blocks0 = c.cke_blocks1 = c.cke_blocks2 = c.cke_blocks3 = 0;
    c.cke_limit0 = c.cke_limit1 = c.cke_limit2 = c.cke_limit3 = 0;
    c.cke_scheme = CKE_PLAIN;
    if (c.sm_throttle == policy_number("throttle", "smk")) c.sm_throttle = policy_number("throttle", "none");
    if (c.l1d_replacement == policy_number("replacement", "ucp"))
        c.l1d_replacement = policy_number("replacement", "lru");
    c.cke_quota0 = c.cke_quota1 = c.cke_quota2 = c.cke_quota3 = 0;
    c.cke_quota_debt = true;
    c.cke_shared = false;
    c.cke_relax = CKE_GROW;
    c.cke_rf_bits = 12;
    return c;
}

/* The run of a workload alone on this machine; cases with equal machines share it. */
static uint32_t alone_job(struct runs *r, const struct config *c, const char *workload)
{
    struct job j = new_job(r->a, c, workload);
    for (uint32_t i = 0; i < r->alone; i++)
        if (!strcmp(r->jobs[i].workload, workload) &&
            !memcmp(&r->jobs[i].result.config, &j.result.config, sizeof j.result.config))
            return i;
    r->jobs[r->alone] = j;
    return r->alone++;
}

static bool case_config(struct runs *r, uint32_t i, struct config *c, struct given *given, struct error *err)
{
    *c = r->a->machine.config;
    if (!r->a->case_count) return true;
    r->cases[i] = strdup(r->a->cases[i]);
    return machine_case(r->cases[i], c, given, err);
}

static void warn_case(const struct arguments *a, const char *name, const struct given *given, const struct config *c)
{
    char where[80];
    snprintf(where, sizeof where, "--case %s", name ? name : "");
    machine_warn(where, given, &c, 1, a->workload_count);
}

static void warn_all(const struct runs *r)
{
    const struct config *machines[CASES];
    for (uint32_t i = 0; i < r->shared; i++) machines[i] = &r->jobs[r->alone + i].result.config;
    machine_warn("--set", &r->a->machine.given, machines, r->shared, r->a->workload_count);
}

static bool make_jobs(struct runs *r, struct error *err)
{
    const struct arguments *a = r->a;
    uint32_t cases = a->case_count ? a->case_count : 1;
    uint32_t alone[CASES][MAX_WORKLOADS];
    struct config c;
    for (uint32_t i = 0; i < cases; i++) {
        struct given given = {0};
        if (!case_config(r, i, &c, &given, err)) return false;
        c = alone_config(c);
        for (uint32_t w = 0; w < a->workload_count; w++) alone[i][w] = alone_job(r, &c, a->workloads[w]);
    }
    for (uint32_t i = 0; i < cases; i++) {
        struct job *j = &r->jobs[r->alone + r->shared++];
        struct given given = {0};
        free(r->cases[i]);
        if (!case_config(r, i, &c, &given, err)) return false;
        warn_case(a, r->cases[i], &given, &c);
        *j = new_job(a, &c, a->workloads[0]);
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

static uint32_t print_failures(const struct runs *r)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < r->alone + r->shared; i++) {
        const struct result *x = &r->jobs[i].result;
        if (!x->err.text[0]) continue;
        fprintf(stderr, "memtwin: %s%s%s%s: %s\n", x->workload, i < r->alone ? " alone" : "", x->case_name ? " " : "",
                x->case_name ? x->case_name : "", x->err.text);
        failed++;
    }
    return failed;
}

static int report(struct runs *r)
{
    const struct arguments *a = r->a;
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

/* Sets cke.blocks0 and so on; a case may override them. */
static bool set_partition(struct arguments *a, struct error *err)
{
    struct config *const m = &a->machine.config;
    uint32_t *const blocks[] = {&m->cke_blocks0, &m->cke_blocks1, &m->cke_blocks2, &m->cke_blocks3};
    for (uint32_t w = 0; w < a->workload_count; w++)
        if (*blocks[w])
            return error_set(err, "--partition best: found cke.blocks%u = %u, expected 0: --partition sets it", w,
                             *blocks[w]);
    const struct config c = alone_config(*m);
    struct job j = new_job(a, &c, a->workloads[0]);
    for (uint32_t w = 1; w < a->workload_count; w++) j.beside[w - 1] = a->workloads[w];
    struct partition p;
    if (!partition_best(&p, &j, a->threads, !a->quiet && isatty(STDERR_FILENO), err)) return false;
    for (uint32_t w = 0; w < p.workloads; w++) *blocks[w] = p.blocks[w];
    if (!a->quiet) partition_table(result_table_to(&a->files), &p);
    return true;
}

static int run_all(struct runs *r, struct arguments *a)
{
    struct error err = {""};
    struct capture capture;
    if (a->best && !set_partition(a, &err)) return command_error(&err);
    if (!make_jobs(r, &err) || !machine_names_differ(r->cases, a->case_count, &err))
        return command_error(&err), COMMAND_USAGE;
    if (!result_possible(&r->a->files, &err)) return command_error(&err);
    warn_all(r);
    struct job *shared = &r->jobs[r->alone];
    if (a->rtl && !rtl_check(a->rtl, shared, r->shared, &err)) return command_error(&err), COMMAND_USAGE;
    if (a->capture && !capture_parse(&capture, a->capture, &shared->result.config, &err))
        return command_error(&err), COMMAND_USAGE;
    if (a->capture && !capture_possible(&capture, &a->files, &err)) return command_error(&err);
    shared->capture = a->capture ? &capture : NULL;
    jobs_run(r->jobs, r->alone + r->shared, r->a->threads, !r->a->quiet && isatty(STDERR_FILENO));
    return report(r);
}

static int cke_main(int argc, char **argv)
{
    const struct argp argp = {
        options,
        parse,
        "WORKLOAD WORKLOAD...",
        "Runs 2 to 4 workloads concurrently on every SM for cke.cycles cycles (default 2,000,000); a workload that "
        "ends "
        "earlier restarts.  Also runs each workload alone on the whole machine for the same time, and prints "
        "normalized progress, its sum (STP) and the mean slowdown (ANTT).\v"
        "  memtwin cke mvt blackscholes --preset maxwell-000-t5 --set cke.cycles=200000 \\\n"
        "      --case plain: --case qbmi:cke.scheme=qbmi --case dmil:cke.scheme=dmil --json out.json",
        children,
        0,
        0};
    struct arguments a = {.seed = 1, .threads = (uint32_t)get_nprocs()};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    a.files.threads = a.threads;
    uint32_t cases = a.case_count ? a.case_count : 1;
    struct runs r = {.a = &a, .jobs = calloc((size_t)cases * (MAX_WORKLOADS + 1), sizeof *r.jobs)};
    int status = r.jobs ? run_all(&r, &a) : COMMAND_FAILED;
    for (uint32_t i = 0; i < r.alone + r.shared && r.jobs; i++) job_free(&r.jobs[i]);
    for (uint32_t k = 0; k < a.case_count; k++) free(r.cases[k]);
    free(r.jobs);
    return status;
}

COMMAND(cke, "run workloads concurrently on every SM", cke_main)
