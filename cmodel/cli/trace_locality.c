/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin trace locality: who accessed the lines of a workload's global reads before (Khairy15, figure 3). */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/ratio.h"
#include "cli/command.h"
#include "cli/number.h"
#include "cli/trace.h"
#include "trace/locality.h"
#include "trace/open.h"

#define LOCALITY_NAME(code, name, text) name,
#define LOCALITY_TEXT(code, name, text) text,
static const char *const names[] = {LOCALITY_CLASSES(LOCALITY_NAME)}, *const texts[] = {
                                                                          LOCALITY_CLASSES(LOCALITY_TEXT)};

static double share(const struct locality *l, uint32_t i)
{
    return ratio_of((double)l->of[i], (double)l->reads);
}

static void print_table(const struct locality *l)
{
    char text[NUMBER_TEXT];
    printf("workload     %s\nidentity     %s\nSMs          %" PRIu32 ", thread blocks round robin\n\n", l->name,
           l->identity, l->sms);
    printf("%-13s %14s %8s  %s\n", "class", "reads", "%", "last access to the line");
    for (uint32_t i = 0; i < LOCALITY_COUNT; i++)
        printf("%-13s %14" PRIu64 " %8s  %s\n", names[i], l->of[i], number_percent(text, share(l, i), 2, ""), texts[i]);
    printf("%-13s %14" PRIu64 " %8s\n", "total", l->reads,
           number_percent(text, ratio_of((double)l->reads, (double)l->reads), 2, ""));
}

static json_t *locality_json(const struct locality *l)
{
    json_t *classes = json_object();
    for (uint32_t i = 0; i < LOCALITY_COUNT; i++)
        json_object_set_new(classes, names[i],
                            json_pack("{sI so}", "reads", (json_int_t)l->of[i], "share", number_json(share(l, i))));
    return json_pack("{ss ss sI sI so}", "workload", l->name, "identity", l->identity, "sms", (json_int_t)l->sms,
                     "reads", (json_int_t)l->reads, "classes", classes);
}

struct collection {
    struct locality *of;
    uint32_t sms;
};

static bool collect(struct source *source, const struct trace_progress *progress, void *context, struct error *err)
{
    const struct collection *c = context;
    return locality_collect(source, c->sms, c->of, progress, err);
}

int trace_locality(int argc, char **argv)
{
    static const struct argp_option options[] = {
        TRACE_FORMS,
        {"seed", KEY_SEED, "N", 0, "seed of a built-in kernel's inputs (1)", 0},
        {"sms", KEY_SMS, "N", 0, "SMs; thread block b of a kernel is on SM b modulo N (15)", 0},
        {0}};
    static const struct argp argp = {
        options,
        trace_parse,
        "WORKLOAD",
        "Read all of a workload, check a built-in kernel's results, and classify its global reads by the last access "
        "to "
        "the line: by the same thread, warp, thread block or SM, by another SM, in an earlier kernel, or none.\v"
        "A read is a line of 128 bytes of a load after coalescing, before any cache. Thread blocks are taken in order, "
        "one after the other.",
        0,
        0,
        0};
    struct trace_arguments a = {.seed = 1, .sms = 15};
    command_parse(&argp, argc, argv, &a);
    struct error err = {0};
    struct locality l;
    struct collection c = {&l, a.sms};
    const bool verify = source_kind(a.path) == SOURCE_KERNEL;
    if (!trace_read(source_open(a.path, a.seed, &err), verify, collect, &c, &err)) return command_error(&err);
    if (a.json || a.csv)
        trace_print(&a, locality_json(&l));
    else
        print_table(&l);
    return 0;
}
