/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/csv.h"
#include "cli/energy.h"
#include "cli/number.h"
#include "cli/result.h"
#include "system/stats/counters.h"

/* The first columns, equal for all counters of one run, kernel or interval. */
struct head {
    FILE *to;
    const struct result *of;
    const char *scope, *kernel;
    uint32_t number;
    uint64_t from, end;
};

static void begin(const struct head *h)
{
    csv_text(h->to, h->of->workload);
    putc(',', h->to);
    csv_text(h->to, h->of->case_name ? h->of->case_name : "");
    fprintf(h->to, ",%" PRIu64 ",%s,", h->of->seed, h->scope);
    csv_text(h->to, h->kernel);
    fprintf(h->to, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, h->number, h->from, h->end);
}

static void whole(void *head, const char *name, uint64_t value)
{
    const struct head *h = head;
    begin(h);
    fprintf(h->to, ",%s,%" PRIu64 "\n", name, value);
}

static void ratio(void *head, const char *name, double value)
{
    const struct head *h = head;
    begin(h);
    fprintf(h->to, ",%s,", name);
    number_csv(h->to, value);
    putc('\n', h->to);
}

static void counters(struct head *h, const struct stats *s)
{
    uint32_t count;
    const struct counter *list = counter_list(&count);
    struct counter_value *values = calloc(count, sizeof *values);
    if (values) counter_values(s, &h->of->config, values);
    for (uint32_t i = 0; values && i < count; i++)
        if (list[i].is_ratio)
            ratio(h, list[i].name, values[i].ratio);
        else
            whole(h, list[i].name, values[i].whole);
    free(values);
}

static void samples(FILE *to, const struct result *r, const char *scope, const struct samples *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct sample *x = &s->list[i];
        struct head h = {to, r, scope, x->name, i + 1, x->from, x->to};
        const struct cke_sink sink = {whole, ratio, &h};
        counters(&h, &x->stats);
        for (uint32_t w = 0; r->parts > 1 && w < r->parts; w++) cke_counts(&x->part[w], w, &sink);
        run_energy_numbers(r->energy, &r->config, &x->stats, &sink);
    }
}

/* Of kernels, or of streams. */
static void runs(FILE *to, const struct result *r, const char *scope, const struct kernel_runs *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct kernel_run *x = &list->list[i];
        struct head h = {to, r, scope, x->name ? x->name : "", i + 1, x->from, x->to};
        whole(&h, "stream", x->stream);
        kernel_run_counters(x, whole, &h);
    }
}

static void all_runs(FILE *to, const struct result *r)
{
    struct kernel_runs streams = kernel_runs_by_stream(&r->runs);
    if (r->each_kernel) runs(to, r, "kernel", &r->runs);
    runs(to, r, "stream", &streams);
    kernel_runs_free(&streams);
}

static void run(FILE *to, const struct result *r)
{
    struct head h = {to, r, "run", "", 1, 0, r->stats.gpu_cycles};
    const struct cke_sink sink = {whole, ratio, &h};
    counters(&h, &r->stats);
    if (r->part[0].alone) cke_numbers(r, &sink);
    run_energy_numbers(r->energy, &r->config, &r->stats, &sink);
    if (r->runs.count)
        all_runs(to, r);
    else if (r->each_kernel)
        samples(to, r, "kernel", &r->kernels);
    samples(to, r, "interval", &r->intervals);
}

void result_csv(FILE *to, const struct result *results, uint32_t count)
{
    fputs("workload,case,seed,scope,kernel,number,from,to,counter,value\n", to);
    for (uint32_t i = 0; i < count; i++) run(to, &results[i]);
}
