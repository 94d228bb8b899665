/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin run: runs workloads on the whole machine. */
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cli/blocks.h"
#include "cli/command.h"
#include "cli/jobs.h"
#include "cli/machine.h"

#define CASES 64
#define WORKLOADS 256

struct arguments {
    struct machine_choice machine;
    const char *workloads[WORKLOADS], *cases[CASES];
    uint32_t workload_count, case_count, threads;
    const char *rtl, *capture;
    struct result_files files;
    uint64_t seed, trace_requests;
    bool quiet, kernels, accelsim;
};

enum { KEY_RTL = 256, KEY_CASE, KEY_TRACE, KEY_CAPTURE, KEY_SEED, KEY_KERNELS, KEY_FORMAT };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The runs:", 2},
    {"case", KEY_CASE, "NAME:KEY=VALUE,...", 0,
     "Also run every workload on this variant of the machine; the key \"preset\" names a preset. Repeatable", 2},
    {"seed", KEY_SEED, "N", 0, "Seed of the workloads' inputs (1)", 2},
    {"rtl", KEY_RTL, "BLOCK[=PATH],...", 0,
     "Replace the twins of these blocks by their Verilated RTL (memtwin-rtl); PATH: own RTL, a set or a folder of sets",
     2},
    {"threads", 't', "N", 0, "Parallel runs (all cores); does not change counters", 2},
    {0, 0, 0, 0, "Output:", 3},
    {"kernels", KEY_KERNELS, 0, 0, "With --json or --csv: also the counters of each kernel", 3},
    {"format", KEY_FORMAT, "NAME", 0,
     "Print \"table\", or \"accelsim\": the statistics of one run as the scripts of Accel-Sim read them", 3},
    {"trace-request", KEY_TRACE, "N", 0, "Print the path of each of the first N requests, with cycles", 3},
    {"capture", KEY_CAPTURE, "UNIT=FILE.vec", 0, "Record the inputs of a miss file (for example l1d.0), cycle by cycle",
     3},
    {"quiet", 'q', 0, 0, "Print no table and no progress", 3},
    {0}};

static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {&result_argp, 0, 0, 3}, {0}};

static void add_name(struct argp_state *state, const char **names, uint32_t *count, uint32_t room, const char *name)
{
    if (*count == room) command_usage(state, "found more than %u of a kind at \"%s\"", room, name);
    names[(*count)++] = name;
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
        add_name(state, a->cases, &a->case_count, CASES, arg);
        return 0;
    case KEY_RTL:
        a->rtl = arg;
        return 0;
    case KEY_SEED:
        a->seed = machine_number(state, "--seed", arg, 0, INT64_MAX);
        return 0;
    case KEY_TRACE:
        a->trace_requests = machine_number(state, "--trace-request", arg, 0, 1000000);
        return 0;
    case KEY_CAPTURE:
        a->capture = arg;
        return 0;
    case 't':
        a->threads = (uint32_t)machine_number(state, "--threads", arg, 1, 4096);
        return 0;
    case KEY_KERNELS:
        a->kernels = true;
        return 0;
    case KEY_FORMAT:
        a->accelsim = !strcmp(arg, "accelsim");
        if (!a->accelsim && strcmp(arg, "table"))
            command_usage(state, "--format: found \"%s\", expected table or accelsim", arg);
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        add_name(state, a->workloads, &a->workload_count, WORKLOADS, arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->workload_count)
            command_usage(state, "found no workload, expected a kernel (memtwin list kernels) or a trace");
        if (a->capture && a->workload_count * (a->case_count ? a->case_count : 1) > 1)
            command_usage(state, "--capture: records one run; found %u workloads and %u cases", a->workload_count,
                          a->case_count);
        if (a->accelsim && (a->quiet || a->files.blocks || a->trace_requests))
            command_usage(state, "--format accelsim: prints a run; found --quiet, --blocks or --trace-request, too");
        if (a->accelsim && a->workload_count * (a->case_count ? a->case_count : 1) > 1)
            command_usage(state, "--format accelsim: prints one run; found %u workloads and %u cases",
                          a->workload_count, a->case_count);
        if (a->files.blocks && (a->kernels || a->capture || a->trace_requests || a->rtl))
            command_usage(state, "--blocks: runs nothing; found --kernels, --capture, --trace-request or --rtl, too");
        if (a->kernels) result_needs_file(state, &a->files, "--kernels");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct job make_job(const struct arguments *a, const char *workload)
{
    struct job j = {.workload = workload,
                    .trace_requests = a->trace_requests,
                    .kernels = a->kernels || a->accelsim,
                    .interval = a->files.interval};
    j.result.rtl = a->rtl ? a->rtl : "";
    j.result.seed = a->seed;
    j.result.energies = a->files.energies;
    j.result.each_kernel = a->kernels;
    j.result.config = a->machine.config;
    return j;
}

static void warn_case(const char *name, const struct given *given, const struct config *c)
{
    char where[80];
    snprintf(where, sizeof where, "--case %s", name);
    machine_warn(where, given, &c, 1, 1);
}

/* Machines of the first workload's jobs; all workloads run on the same ones. */
static void warn_all(const struct arguments *a, const struct job *jobs)
{
    const struct config *machines[CASES];
    uint32_t n = a->case_count ? a->case_count : 1;
    for (uint32_t k = 0; k < n; k++) machines[k] = &jobs[k].result.config;
    machine_warn("--set", &a->machine.given, machines, n, 1);
}

/* Every workload in every case, workloads outermost. */
static bool make_jobs(const struct arguments *a, char **case_texts, struct job *jobs, struct error *err)
{
    uint32_t n = a->case_count ? a->case_count : 1;
    for (uint32_t i = 0; i < a->workload_count * n; i++) jobs[i] = make_job(a, a->workloads[i / n]);
    for (uint32_t k = 0; k < a->case_count; k++) {
        struct config c = a->machine.config;
        struct given given = {0};
        if (!machine_case(case_texts[k], &c, &given, err)) return false;
        warn_case(case_texts[k], &given, &c);
        for (uint32_t w = 0; w < a->workload_count; w++) {
            jobs[w * n + k].result.config = c;
            jobs[w * n + k].result.case_name = case_texts[k];
        }
    }
    return true;
}

/* File errors already name the file; every part is already escaped. */
static void print_failure(const struct result *r)
{
    bool named = !strncmp(r->err.text, r->workload, strlen(r->workload));
    fputs("memtwin: ", stderr);
    if (!named) fprintf(stderr, r->case_name ? "%s " : "%s: ", r->workload);
    if (r->case_name) fprintf(stderr, "%s: ", r->case_name);
    fprintf(stderr, "%s\n", r->err.text);
}

static int report(const struct arguments *a, struct job *jobs, struct result *results, uint32_t count)
{
    int status = 0;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++) {
        results[i] = jobs[i].result;
        if (jobs[i].journal && *jobs[i].journal)
            printf("%s%s%s\n%s\n", results[i].workload, results[i].case_name ? " " : "",
                   results[i].case_name ? results[i].case_name : "", jobs[i].journal);
        if (!results[i].err.text[0]) continue;
        print_failure(&results[i]);
        status = COMMAND_FAILED;
        failed++;
    }
    if (a->accelsim && !failed)
        result_accelsim(result_table_to(&a->files), results);
    else if (!a->quiet && failed < count)
        result_table(result_table_to(&a->files), results, count);
    struct error err = {""};
    /* After a failed run nothing is written. */
    if (!status && !result_write(&a->files, results, count, &err)) status = command_error(&err);
    return status;
}

static int run_all(const struct arguments *a, char **case_texts, struct job *jobs, struct result *results,
                   uint32_t count)
{
    struct error err = {""};
    if (!make_jobs(a, case_texts, jobs, &err) || !machine_names_differ(case_texts, a->case_count, &err))
        return command_error(&err), COMMAND_USAGE;
    if (a->rtl && !rtl_check(a->rtl, jobs, count, &err)) return command_error(&err), COMMAND_USAGE;
    warn_all(a, jobs);
    if (a->files.blocks) return blocks_show(jobs, count, &a->files, a->quiet);
    struct capture capture;
    if (a->capture && !capture_parse(&capture, a->capture, &jobs[0].result.config, &err))
        return command_error(&err), COMMAND_USAGE;
    if (a->capture && !capture_possible(&capture, &a->files, &err)) return command_error(&err);
    jobs[0].capture = a->capture ? &capture : NULL;
    if (!result_possible(&a->files, &err)) return command_error(&err);
    jobs_run(jobs, count, a->threads, !a->quiet && isatty(STDERR_FILENO));
    return report(a, jobs, results, count);
}

static int run_main(int argc, char **argv)
{
    const struct argp argp = {
        options,
        parse,
        "WORKLOAD...",
        "Runs workloads through the whole machine, checks their numeric results and the "
        "conservation laws, and prints one table.\v"
        "A workload is a kernel with its sizes (\"spmv:rows=4096\"; memtwin list kernels) or a trace.\n\n"
        "  memtwin run spmv bfs --preset dlmshr-002-t3.2 --json out.json \\\n"
        "      --case mshr: --case dl:preset=dlmshr",
        children,
        0,
        0};
    struct arguments a = {.seed = 1, .threads = (uint32_t)get_nprocs()};
    command_parse(&argp, argc, argv, &a);
    a.files.threads = a.threads;
    uint32_t count = a.workload_count * (a.case_count ? a.case_count : 1);
    char *case_texts[CASES] = {0};
    for (uint32_t k = 0; k < a.case_count; k++) case_texts[k] = strdup(a.cases[k]);
    struct job *jobs = calloc(count, sizeof *jobs);
    struct result *results = calloc(count, sizeof *results);
    int status = COMMAND_FAILED;
    if (jobs && results) status = run_all(&a, case_texts, jobs, results, count);
    for (uint32_t i = 0; jobs && i < count; i++) job_free(&jobs[i]);
    for (uint32_t k = 0; k < a.case_count; k++) free(case_texts[k]);
    free(jobs);
    free(results);
    free(a.files.energies);
    return status;
}

COMMAND(run, "run workloads through the whole machine", run_main)
