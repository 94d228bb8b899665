/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin trace pages: whether all pages of an allocation are accessed, and equally often (Gu20, figures 4.6, 4.7). */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/ratio.h"
#include "cli/command.h"
#include "cli/number.h"
#include "cli/csv.h"
#include "cli/trace.h"
#include "trace/kernels.h"
#include "trace/open.h"
#include "base/output.h"
#include "trace/page_counts.h"

static double share(const struct page_use *u)
{
    return ratio_of((double)u->touched, (double)u->pages);
}

/* Coefficient of variation. */
static double variation(const struct page_use *u)
{
    return ratio_of(u->deviation, u->mean);
}

static void print_use(int width, const char *name, const struct page_use *u)
{
    char text[6][NUMBER_TEXT];
    printf("%-*s %10" PRIu64 " %10" PRIu64 " %8s %14" PRIu64 " %12s %12s %9s %10s %10s\n", width, name, u->pages,
           u->touched, number_percent(text[0], share(u), 2, ""), u->accesses, number_text(text[1], u->mean, 3),
           number_text(text[2], u->deviation, 3), number_text(text[3], variation(u), 3),
           number_text(text[4], ratio_of((double)u->min, u->touched != 0), 0),
           number_text(text[5], ratio_of((double)u->max, u->touched != 0), 0));
}

static void print_table(const struct page_counts *p)
{
    int width = NAME_WIDTH;
    for (uint32_t i = 0; i < p->group_count; i++) width = trace_name_width(width, p->groups[i].allocation.name);
    printf("workload     %s\nidentity     %s\n", p->name, p->identity);
    printf("elsewhere    %" PRIu64 " accesses outside all allocations\n\n", p->elsewhere);
    printf("%-*s %10s %10s %8s %14s %12s %12s %9s %10s %10s\n", width, "allocation", "4 KiB pgs", "touched", "%",
           "accesses", "a page: mean", "deviation", "variation", "min", "max");
    for (uint32_t i = 0; i < p->group_count; i++) print_use(width, p->groups[i].allocation.name, &p->groups[i].use);
    print_use(width, "total", &p->total);
}

static json_t *use_json(const struct page_use *u)
{
    return json_pack("{sI sI so sI so so so so so}", "pages", (json_int_t)u->pages, "touched", (json_int_t)u->touched,
                     "touched_share", number_json(share(u)), "accesses", (json_int_t)u->accesses, "mean",
                     number_json(u->mean), "deviation", number_json(u->deviation), "variation",
                     number_json(variation(u)), "min", number_of(u->min, u->touched), "max",
                     number_of(u->max, u->touched));
}

static json_t *pages_json(const struct page_counts *p)
{
    json_t *groups = json_array();
    for (uint32_t i = 0; i < p->group_count; i++) {
        const struct allocation *a = &p->groups[i].allocation;
        json_t *group = use_json(&p->groups[i].use);
        json_object_set_new(group, "name", json_string(a->name));
        json_object_set_new(group, "address", json_integer((json_int_t)a->addr));
        json_object_set_new(group, "bytes", json_integer((json_int_t)a->bytes));
        json_array_append_new(groups, group);
    }
    return json_pack("{ss ss sI sI so so}", "workload", p->name, "identity", p->identity, "page_bytes",
                     (json_int_t)COUNTED_PAGE, "elsewhere", (json_int_t)p->elsewhere, "allocations", groups, "total",
                     use_json(&p->total));
}

static bool write_pages(const struct page_counts *p, const char *path, struct error *err)
{
    struct output o;
    if (!output_open(&o, path, err)) return false;
    fputs("allocation,page,accesses\n", o.file);
    for (uint32_t i = 0; i < p->group_count; i++) {
        const struct page_group *g = &p->groups[i];
        for (uint64_t k = 0; k < g->use.pages; k++) {
            csv_text(o.file, g->allocation.name);
            fprintf(o.file, ",%" PRIu64 ",%" PRIu64 "\n", g->first + k, g->accesses[k]);
        }
    }
    return output_commit(&o, err);
}

static bool collect(struct source *source, const struct trace_progress *progress, void *context, struct error *err)
{
    return page_counts_collect(source, context, progress, err);
}

int trace_pages(int argc, char **argv)
{
    static const struct argp_option options[] = {
        TRACE_FORMS,
        {"pages", KEY_PAGES, "FILE", 0,
         "also write allocation, page (its address / 4096) and accesses of every page, as comma-separated values", 0},
        {"seed", KEY_SEED, "N", 0, "seed of a built-in kernel's inputs (1)", 0},
        {0}};
    static const struct argp argp = {
        options,
        trace_parse,
        "WORKLOAD",
        "Read all of a workload, check a built-in kernel's results, and print how often its lines of 128 bytes are "
        "accessed in each page of each allocation, after coalescing and before any cache.\v"
        "Mean, standard deviation, coefficient of variation, minimum and maximum count accessed pages only. The "
        "arrays of a built-in kernel begin at multiples of 2 MiB, as in a run with unified memory.",
        0,
        0,
        0};
    struct trace_arguments a = {.seed = 1};
    command_parse(&argp, argc, argv, &a);
    struct error err = {0};
    struct page_counts p = {0};
    struct source *source = source_open_aligned(a.path, a.seed, KERNEL_ALIGN_UVM, &err);
    bool done = trace_read(source, source_kind(a.path) == SOURCE_KERNEL, collect, &p, &err);
    if (done && a.pages) done = write_pages(&p, a.pages, &err);
    if (done && (a.json || a.csv)) trace_print(&a, pages_json(&p));
    if (done && !a.json && !a.csv) print_table(&p);
    page_counts_free(&p);
    return done ? 0 : command_error(&err);
}
