/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin list: presets, options, kernels, blocks, policies, counters and energies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/energy.h"
#include "system/block/block_ops.h"
#include "system/stats/counters.h"
#include "system/config/options.h"
#include "system/config/policy.h"
#include "trace/kernels.h"
#include "trace/suites.h"

static void list_presets(void)
{
    for (int machine = 1; machine >= 0; machine--) {
        printf(machine ? "machines, each from a paper or a published simulator:\n"
                       : "\nvariants, given after a machine:\n");
        for (uint32_t i = 0; i < preset_count(); i++) {
            const struct preset *p = preset_get(i);
            char summary[128];
            preset_summary(p, summary);
            if (preset_is_machine(p) == machine) printf("  %-18s %s\n", p->name, summary);
        }
    }
}

static void list_options(void)
{
    struct config c;
    uint32_t count;
    const struct config_option *o = option_list(&count);
    config_default(&c);
    printf("%-26s %-12s %-38s %s\n", "option", "default", "allowed", "meaning");
    for (uint32_t i = 0; i < count; i++) {
        char value[OPTION_TEXT], allowed[OPTION_ALLOWED];
        option_text(&c, &o[i], value);
        option_allowed(&o[i], allowed);
        printf("%-26s %-12s %-38s %s\n", o[i].key, value, allowed, o[i].text);
    }
}

static void list_options_of(const char *kind)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++)
        if (o[i].kind == OPTION_POLICY && !strcmp(o[i].policies, kind)) printf(" %s", o[i].key);
}

static void list_policies(void)
{
    const char *kind;
    const struct policy *p;
    for (uint32_t k = 0; (kind = policy_kind(k)); k++) {
        printf("%s%s:", k ? "\n" : "", kind);
        list_options_of(kind);
        printf("\n");
        for (uint32_t i = 0; (p = policy_at(kind, i)); i++) printf("  %-18s %s\n", p->name, p->text);
    }
}

/* Length of the default in an option's list of choices, up to '|' or the end. */
static const char *choice(const struct kernel_option *o)
{
    const char *start = o->choices;
    for (int i = 0; i < o->def && strchr(start, '|'); i++) start = strchr(start, '|') + 1;
    return start;
}

static void list_kernel_option(const struct kernel_option *o)
{
    printf("  %-14s %s", o->name, o->help);
    if (o->choices)
        printf(" (%s, default %.*s)\n", o->choices, (int)strcspn(choice(o), "|"), choice(o));
    else
        printf(" (%d..%d, default %d)\n", o->min, o->max, o->def);
}

static void list_kernel(const struct kernel_def *k)
{
    printf("%-16s %s (%s)\n", k->name, k->summary, k->origin);
    for (const struct kernel_option *o = k->options; o < k->options + KERNEL_MAX_OPTIONS && o->name; o++)
        list_kernel_option(o);
    printf("  in %s%s%s; reduced: %s\n", k->suites, k->tables ? "; named in " : "", k->tables ? k->tables : "",
           k->reduced ? k->reduced : "the default");
}

static void list_kernels_of(const char *suite)
{
    const struct kernel_def *k;
    for (uint32_t i = 0; (k = kernel_list(i)); i++)
        if (!suite || suite_has(suite, k)) list_kernel(k);
}

static void list_kernels(void)
{
    list_kernels_of(NULL);
    printf("every kernel:\n");
    list_kernel_option(&kernel_align);
    printf("  %-14s %s (NAME, default all)\n", kernel_only.name, kernel_only.help);
    list_kernel_option(&kernel_launches);
    printf("\nOptions after the name override defaults: \"vecadd:n=1000,block=64\".\n");
}

static void list_stats(void)
{
    uint32_t count;
    const struct counter *c = counter_list(&count);
    for (uint32_t i = 0; i < count; i++)
        printf("%-34s %-6s %s\n", c[i].name, c[i].is_ratio ? "ratio" : "count", c[i].text);
}

static int by_block(const void *a, const void *b)
{
    const struct block_ops *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static void list_blocks(void)
{
    uint32_t count;
    const struct block_ops *const *list = block_list(&count);
    const struct block_ops **sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) return;
    memcpy(sorted, list, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_block);
    printf("block\n");
    for (uint32_t i = 0; i < count; i++) printf("%s\n", sorted[i]->name);
    free(sorted);
}

static const struct topic {
    const char *name;
    void (*print)(void);
} topics[] = {{"presets", list_presets},    {"options", list_options},   {"kernels", list_kernels},
              {"blocks", list_blocks},      {"policies", list_policies}, {"stats", list_stats},
              {"energies", run_energy_list}};
#define TOPICS (sizeof topics / sizeof *topics)

static const char *topic_name(const void *context, size_t i)
{
    (void)context;
    return topics[i].name;
}

struct request {
    const struct topic *topic;
    const char *suite;
};

static const struct argp_option list_options_of_command[] = {
    {"suite", 's', "NAME", 0,
     "of the kernels only those of a suite, such as uvmbench, rodinia, parboil, polybench, sdk", 0},
    {0}};

static void take_suite(struct argp_state *state, struct request *request, const char *name)
{
    struct error err = {""};
    if (!suite_exists(name, &err)) command_usage(state, "%s", err.text);
    request->suite = name;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *request = state->input;
    const struct topic **chosen = &request->topic;
    char near[NEAREST_TEXT];
    switch (key) {
    case 's':
        take_suite(state, request, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (*chosen) command_usage(state, "found a second topic, \"%s\"", arg);
        for (size_t i = 0; i < TOPICS; i++)
            if (!strcmp(topics[i].name, arg)) *chosen = &topics[i];
        if (!*chosen)
            command_usage(state, "unknown topic \"%s\"%s (memtwin list --help shows all)", arg,
                          nearest_text(near, arg, TOPICS, topic_name, NULL));
        return 0;
    case ARGP_KEY_END:
        if (!*chosen)
            command_usage(state, "found no topic, expected presets, options, kernels, blocks, policies, stats or "
                                 "energies");
        if (request->suite && (*chosen)->print != list_kernels)
            command_usage(state, "found --suite, expected the topic kernels with it");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int list_main(int argc, char **argv)
{
    const struct argp argp = {list_options_of_command,
                              parse,
                              "presets|options|kernels|blocks|policies|stats|energies",
                              "Lists available names with their meaning.",
                              0,
                              0,
                              0};
    struct request request = {0};
    command_parse(&argp, argc, argv, &request);
    if (request.suite)
        list_kernels_of(request.suite);
    else
        request.topic->print();
    return 0;
}

COMMAND(list, "list presets, options, kernels, blocks, policies, stats or energies", list_main)
