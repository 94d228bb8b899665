/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin cke: workloads concurrently on every SM, and each alone, for the same number of cycles. */
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "cli/cke_runs.h"
#include "cli/command.h"

enum {
    KEY_RTL = 256,
    KEY_CASE,
    KEY_SEED,
    KEY_PARTITION,
    KEY_CAPTURE,
    KEY_CURVES,
    KEY_TOLERANCE,
    KEY_UNTIL_END,
    KEY_POOL
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The runs:", 2},
    {"case", KEY_CASE, "NAME:KEY=VALUE,...", 0,
     "Also run the workloads on this variant of the machine; the key \"preset\" names a preset. Repeatable", 2},
    {"partition", KEY_PARTITION, "even|best|static", 0,
     "Thread blocks per SM. best, static: from runs of each workload alone with 1, 2, 3 ... thread blocks per SM: "
     "best: the partition with the smallest loss; static: the best number of one workload, the remaining resources "
     "for the other. even: the options cke.blocks, or an even share",
     2},
    {"curves", KEY_CURVES, 0, 0,
     "Print the speed of each workload alone by thread blocks per SM, its best number and type, and run nothing else",
     2},
    {"tolerance", KEY_TOLERANCE, "PERCENT", 0,
     "With --curves and --partition static: numbers of thread blocks whose speeds differ by no more than this count as "
     "equal (1)",
     2},
    {"until-end", KEY_UNTIL_END, 0, 0, "Run each workload once to its end, instead of all for cke.cycles", 2},
    {"pool", KEY_POOL, "complementary|in_order", OPTION_ARG_OPTIONAL,
     "Run each workload once, two at a time. When one ends, the next one is: in_order: the first waiting one; "
     "complementary (default): the first waiting one of the other kind, compute- or memory-intensive",
     2},
    {"seed", KEY_SEED, "N", 0, "Seed of the workloads' inputs (1)", 2},
    {"rtl", KEY_RTL, "BLOCK[=PATH],...", 0,
     "Replace the twins of these blocks by their Verilated RTL (memtwin-rtl); PATH: own RTL, a set or a folder of sets",
     2},
    {"threads", 't', "N", 0, "Parallel runs (all cores); does not change counters", 2},
    {0, 0, 0, 0, "Output:", 3},
    {"capture", KEY_CAPTURE, "UNIT=FILE.vec", 0,
     "Record the inputs of a block (for example sm.0.qbmi) in the shared run, cycle by cycle", 3},
    {"quiet", 'q', 0, 0, "Print no table and no progress", 3},
    {0}};

static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {&result_argp, 0, 0, 3}, {0}};

static void check_end(struct argp_state *state, const struct cke_arguments *a)
{
    if (a->curves && a->files.energies) command_usage(state, "--curves: has no energy; found --energy, too");
    if (a->curves && (a->case_count || a->pool || a->rule != RULE_EVEN || a->capture || a->files.interval))
        command_usage(state, "--curves: runs no workloads together; found --case, --partition, --pool, --capture or "
                             "--interval, too");
    if (a->files.blocks && (a->curves || a->pool || a->rule != RULE_EVEN || a->capture || a->rtl))
        command_usage(state, "--blocks: runs nothing; found --curves, --partition, --pool, --capture or --rtl, too");
    if (a->curves && a->workload_count == 1) return;
    if (a->workload_count < 2)
        command_usage(state, "found %u workload%s, expected 2 to %d that share the SMs", a->workload_count,
                      a->workload_count == 1 ? "" : "s", MAX_WORKLOADS);
    if (a->capture && a->case_count > 1)
        command_usage(state, "--capture: records one run; found %u cases", a->case_count);
}

/* Number of `word` in a list that ends with NULL. */
static uint32_t one_of(const struct argp_state *state, const char *option, const char *word, const char *const *list)
{
    char text[128] = "";
    size_t n = 0;
    uint32_t i = 0;
    for (uint32_t k = 0; list[k] && n < sizeof text; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k ? ", " : "", list[k]);
    while (list[i] && strcmp(list[i], word)) i++;
    if (!list[i]) command_usage(state, "%s: found \"%s\", expected one of %s", option, word, text);
    return i;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct cke_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->machine;
        state->child_inputs[1] = &a->files;
        return 0;
    case KEY_CASE:
        if (a->case_count == CKE_CASES) command_usage(state, "--case: more than %d", CKE_CASES);
        a->cases[a->case_count++] = arg;
        return 0;
    case KEY_RTL:
        a->rtl = arg;
        return 0;
    case KEY_CAPTURE:
        a->capture = arg;
        return 0;
    case KEY_PARTITION:
        a->rule = (enum cke_rule)one_of(state, "--partition", arg, cke_rules);
        return 0;
    case KEY_CURVES:
        a->curves = true;
        return 0;
    case KEY_TOLERANCE:
        a->tolerance = (uint32_t)machine_number(state, "--tolerance", arg, 0, 99);
        return 0;
    case KEY_UNTIL_END:
        a->until_end = true;
        return 0;
    case KEY_POOL:
        a->pool = POOL_COMPLEMENTARY;
        if (arg) a->pool += one_of(state, "--pool", arg, (const char *const[]){"complementary", "in_order", NULL});
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

static int cke_main(int argc, char **argv)
{
    const struct argp argp = {
        options,
        parse,
        "WORKLOAD WORKLOAD...",
        "Runs 2 to 8 workloads concurrently on every SM for cke.cycles cycles (default 2,000,000); a workload that "
        "ends earlier restarts.  Also runs each workload alone on the whole machine for the same time, and prints "
        "normalized progress, its sum (STP) and the mean slowdown (ANTT).\v"
        "  memtwin cke mvt blackscholes --preset maxwell-000-t5 --json out.json \\\n"
        "      --set cke.cycles=200000 --case plain: --case dmil:cke.scheme=dmil",
        children,
        0,
        0};
    struct cke_arguments a = {.seed = 1, .tolerance = 1, .threads = (uint32_t)get_nprocs()};
    command_parse(&argp, argc, argv, &a);
    a.files.threads = a.threads;
    const int status = a.curves ? cke_show_curves(&a) : cke_run(&a);
    free(a.files.energies);
    return status;
}

COMMAND(cke, "run workloads concurrently on every SM", cke_main)
