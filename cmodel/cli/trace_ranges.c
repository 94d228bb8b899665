/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin trace ranges: the rectangle of each array that a thread block accesses (Chen16, section 3.3.1). */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ratio.h"
#include "cli/command.h"
#include "cli/number.h"
#include "cli/trace.h"
#include "trace/open.h"
#include "trace/ranges.h"

static const char *const rules[RANGE_RULES] = {"ends", "bounds"};

static double part(uint64_t of, uint64_t all)
{
    return ratio_of((double)of, (double)all);
}

/* ---- Tables. ---- */

static void print_head(const struct ranges *r)
{
    printf("workload     %s\nidentity     %s\nelsewhere    %" PRIu64 " accesses outside all arrays\n\n", r->name,
           r->identity, r->elsewhere);
    printf("covers: accesses inside the rectangles; unused: lines of the rectangles that the block never accesses\n"
           "ends: from the first access of the first thread to that of the last; bounds: around all accesses\n");
}

static void print_rule(const struct range_rule_sum *s, uint64_t accesses)
{
    char text[4][NUMBER_TEXT];
    printf(" %9s %9s %7s %7s", number_text(text[0], part(s->width, s->rectangles), 2),
           number_text(text[1], part(s->height, s->rectangles), 2),
           number_percent(text[2], part(s->inside, accesses), 2, ""),
           number_percent(text[3], part(s->lines - s->touched, s->lines), 2, ""));
}

static void print_sum(int width, const struct range_array *a, const struct range_sum *s, uint32_t bits)
{
    const struct range_unit u = ranges_unit(a, bits);
    char size[32], unit[48];
    snprintf(size, sizeof size, "%" PRIu32 "x%" PRIu32, a->width, a->height);
    snprintf(unit, sizeof unit, "%" PRIu64 "x%" PRIu64, UINT64_C(1) << u.log2_lines, UINT64_C(1) << u.log2_rows);
    printf("  %-*s %12s %9s %9" PRIu64 " %12" PRIu64, width, a->allocation.name, size, unit, s->blocks, s->accesses);
    for (uint32_t i = 0; i < RANGE_RULES; i++) print_rule(&s->of[i], s->accesses);
    putchar('\n');
}

static void print_block(int width, const struct ranges *r, const struct range *g)
{
    printf("  block %-9" PRIu32 " %-*s %12" PRIu64, g->block, width, r->arrays[g->array].allocation.name, g->accesses);
    for (uint32_t i = 0; i < RANGE_RULES; i++) {
        const struct rect *t = &g->rect[i];
        const uint64_t lines = (uint64_t)t->width * t->height;
        char covers[NUMBER_TEXT], unused[NUMBER_TEXT];
        printf("  %s x=%" PRIu32 " y=%" PRIu32 " %" PRIu32 "x%" PRIu32 " covers %s unused %s", rules[i], t->x, t->y,
               t->width, t->height, number_percent(covers, part(g->inside[i], g->accesses), 2, ""),
               number_percent(unused, part(lines - g->touched[i], lines), 2, ""));
    }
    putchar('\n');
}

static void print_kernel(int width, const struct ranges *r, uint32_t kernel, const struct range_sum *sums,
                         const struct trace_arguments *a)
{
    const struct range_kernel *k = &r->kernels[kernel];
    printf("\nkernel %" PRIu32 "  %s  %" PRIu32 " thread blocks\n", kernel, k->info.name, kernel_blocks(&k->info));
    printf("  %-*s %12s %9s %9s %12s %9s %9s %7s %7s %9s %9s %7s %7s\n", width, "array", "lines x rows", "unit",
           "blocks", "accesses", "ends:w", "h", "covers", "unused", "bounds:w", "h", "covers", "unused");
    for (uint32_t i = 0; i < r->array_count; i++)
        if (sums[i].blocks) print_sum(width, &r->arrays[i], &sums[i], a->bits);
    for (uint64_t i = 0; a->blocks && i < k->count; i++) print_block(width, r, &r->range[k->first + i]);
}

/* ---- JSON. ---- */

static json_t *array_json(const struct range_array *a, uint32_t bits)
{
    const struct range_unit u = ranges_unit(a, bits);
    return json_pack("{ss sI sI sI sI sI sI sI}", "name", a->allocation.name, "address", (json_int_t)a->allocation.addr,
                     "bytes", (json_int_t)a->allocation.bytes, "pitch", (json_int_t)a->allocation.pitch, "row_lines",
                     (json_int_t)a->width, "rows", (json_int_t)a->height, "unit_lines", (json_int_t)1 << u.log2_lines,
                     "unit_rows", (json_int_t)1 << u.log2_rows);
}

static json_t *sum_json(const struct ranges *r, uint32_t array, const struct range_sum *s)
{
    json_t *json = json_pack("{ss sI sI}", "array", r->arrays[array].allocation.name, "blocks", (json_int_t)s->blocks,
                             "accesses", (json_int_t)s->accesses);
    for (uint32_t i = 0; i < RANGE_RULES; i++) {
        const uint64_t n = s->of[i].rectangles, lines = s->of[i].lines, touched = s->of[i].touched;
        json_object_set_new(json, rules[i],
                            json_pack("{sI sI sI sI so so so so}", "rectangles", (json_int_t)n, "lines",
                                      (json_int_t)lines, "touched", (json_int_t)touched, "inside",
                                      (json_int_t)s->of[i].inside, "width", number_json(part(s->of[i].width, n)),
                                      "height", number_json(part(s->of[i].height, n)), "inside_share",
                                      number_json(part(s->of[i].inside, s->accesses)), "unused_share",
                                      number_json(part(lines - touched, lines))));
    }
    return json;
}

static json_t *block_json(const struct ranges *r, const struct range *g)
{
    json_t *json = json_pack("{sI ss sI}", "block", (json_int_t)g->block, "array", r->arrays[g->array].allocation.name,
                             "accesses", (json_int_t)g->accesses);
    for (uint32_t i = 0; i < RANGE_RULES; i++) {
        const struct rect *t = &g->rect[i];
        json_object_set_new(json, rules[i],
                            json_pack("{sI sI sI sI sI sI}", "x", (json_int_t)t->x, "y", (json_int_t)t->y, "width",
                                      (json_int_t)t->width, "height", (json_int_t)t->height, "inside",
                                      (json_int_t)g->inside[i], "touched", (json_int_t)g->touched[i]));
    }
    return json;
}

static json_t *kernel_json(const struct ranges *r, uint32_t kernel, const struct range_sum *sums, bool blocks)
{
    const struct range_kernel *k = &r->kernels[kernel];
    json_t *arrays = json_array(), *list = json_array();
    for (uint32_t i = 0; i < r->array_count; i++)
        if (sums[i].blocks) json_array_append_new(arrays, sum_json(r, i, &sums[i]));
    for (uint64_t i = 0; blocks && i < k->count; i++)
        json_array_append_new(list, block_json(r, &r->range[k->first + i]));
    json_t *json =
        json_pack("{ss sI so}", "name", k->info.name, "blocks", (json_int_t)kernel_blocks(&k->info), "arrays", arrays);
    if (blocks) {
        json_object_set_new(json, "block_list", list);
    } else {
        json_decref(list);
    }
    return json;
}

static json_t *ranges_json(const struct ranges *r, struct range_sum *sums, const struct trace_arguments *a)
{
    json_t *kernels = json_array(), *arrays = json_array();
    for (uint32_t i = 0; i < r->array_count; i++) json_array_append_new(arrays, array_json(&r->arrays[i], a->bits));
    for (uint32_t k = 0; k < r->kernel_count; k++) {
        ranges_sum(r, k, sums);
        json_array_append_new(kernels, kernel_json(r, k, sums, a->blocks));
    }
    return json_pack("{ss ss sI sI sI so so}", "workload", r->name, "identity", r->identity, "line_bytes",
                     (json_int_t)RANGE_LINE, "bits", (json_int_t)a->bits, "elsewhere", (json_int_t)r->elsewhere,
                     "arrays", arrays, "kernels", kernels);
}

static void print_tables(const struct ranges *r, struct range_sum *sums, const struct trace_arguments *a)
{
    int width = NAME_WIDTH;
    for (uint32_t i = 0; i < r->array_count; i++) width = trace_name_width(width, r->arrays[i].allocation.name);
    print_head(r);
    for (uint32_t k = 0; k < r->kernel_count; k++) {
        ranges_sum(r, k, sums);
        print_kernel(width, r, k, sums, a);
    }
}

static bool collect(struct source *source, const struct trace_progress *progress, void *context, struct error *err)
{
    return ranges_collect(source, context, progress, err);
}

int trace_ranges(int argc, char **argv)
{
    static const struct argp_option options[] = {
        TRACE_FORMS,
        {"blocks", KEY_BLOCKS, 0, 0, "also the rectangles of every thread block", 0},
        {"bits", KEY_BITS, "N", 0, "bits of a field of a block queue's entry, for which the unit is printed (8)", 0},
        {"seed", KEY_SEED, "N", 0, "seed of a built-in kernel's inputs (1)", 0},
        {0}};
    static const struct argp argp = {
        options,
        trace_parse,
        "WORKLOAD",
        "Read all of a workload, check a built-in kernel's results, and print for each kernel and array the mean "
        "rectangle, in lines of 128 bytes and rows, that a thread block accesses: by the first accesses of its first "
        "and last thread, and around all accesses.\v"
        "An access is a line of a global instruction after coalescing. Rows are those that the workload declares; an "
        "array without a pitch is one row.",
        0,
        0,
        0};
    struct trace_arguments a = {.seed = 1, .bits = 8};
    command_parse(&argp, argc, argv, &a);
    struct error err = {0};
    struct ranges r = {0};
    const bool verify = source_kind(a.path) == SOURCE_KERNEL;
    bool done = trace_read(source_open(a.path, a.seed, &err), verify, collect, &r, &err);
    struct range_sum *sums = calloc(r.array_count + 1u, sizeof *sums);
    if (done && !sums) done = error_set(&err, "%s: out of memory", a.path);
    if (done && (a.json || a.csv)) trace_print(&a, ranges_json(&r, sums, &a));
    if (done && !a.json && !a.csv) print_tables(&r, sums, &a);
    free(sums);
    ranges_free(&r);
    return done ? 0 : command_error(&err);
}
