/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin trace shape: the arrays of a workload and the grid of its first kernel, before any of it runs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/trace.h"
#include "trace/open.h"

static uint64_t allocated(const struct source *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->allocation_count; i++) bytes += s->allocations[i].bytes;
    return bytes;
}

static json_t *shape_json(const struct source *s, const struct kernel_info *k)
{
    return json_pack("{ss ss sI sI sI}", "workload", s->name, "kernel", k->name, "blocks", (json_int_t)kernel_blocks(k),
                     "warps", (json_int_t)kernel_warps(k), "bytes", (json_int_t)allocated(s));
}

static void print_table(const struct source *s, const struct kernel_info *k)
{
    printf("workload     %s\nfirst kernel %s, %" PRIu32 " thread blocks of %" PRIu32 " warps\nallocated    %" PRIu64
           " bytes\n",
           s->name, k->name, kernel_blocks(k), kernel_warps(k), allocated(s));
}

int trace_shape(int argc, char **argv)
{
    static const struct argp_option options[] = {
        TRACE_FORMS, {"seed", KEY_SEED, "N", 0, "seed of a built-in kernel's inputs (1)", 0}, {0}};
    static const struct argp argp = {
        options, trace_parse, "WORKLOAD", "Print the size of a workload and of its first kernel; nothing runs.",
        0,       0,           0};
    struct trace_arguments a = {.seed = 1};
    command_parse(&argp, argc, argv, &a);
    struct error err = {0};
    struct kernel_info kernel;
    struct source *source = source_open(a.path, a.seed, &err);
    if (!source) return command_error(&err);
    const enum source_status status = source->ops->next_kernel(source, &kernel, &err);
    if (status == SOURCE_END) error_set(&err, "%s: found no kernel, expected one", a.path);
    if (status == SOURCE_OK && (a.json || a.csv)) trace_print(&a, shape_json(source, &kernel));
    if (status == SOURCE_OK && !a.json && !a.csv) print_table(source, &kernel);
    source->ops->close(source);
    return status == SOURCE_OK ? 0 : command_error(&err);
}
