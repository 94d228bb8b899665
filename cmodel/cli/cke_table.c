/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cli/energy.h"
#include "cli/number.h"

enum { LABEL = 34, COLUMN = 11, ACROSS = 72 }; /* as wide as in result_table.c */

struct wanted {
    const char *name;
    char text[NUMBER_TEXT]; /* "": no such number */
};

static void take_whole(void *context, const char *name, uint64_t value)
{
    struct wanted *w = context;
    if (!strcmp(name, w->name)) snprintf(w->text, sizeof w->text, "%" PRIu64, value);
}

static void take_ratio(void *context, const char *name, double value)
{
    struct wanted *w = context;
    if (!strcmp(name, w->name)) number_text(w->text, value, 3);
}

static void print_row(FILE *to, int width, const char *label, const char *number, const struct result *results,
                      uint32_t count)
{
    fprintf(to, "  %-*s", LABEL - 2, label);
    for (uint32_t i = 0; i < count; i++) {
        struct wanted w = {.name = number};
        const struct cke_sink sink = {take_whole, take_ratio, &w};
        if (!results[i].err.text[0]) cke_numbers(&results[i], &sink);
        fprintf(to, " %*s", width, results[i].err.text[0] ? "failed" : w.text);
    }
    fputc('\n', to);
}

/* Of runs to the end. */
static void print_cycles(FILE *to, int width, const struct result *results, uint32_t count)
{
    fprintf(to, "  %-*s", LABEL - 2, "SM cycles");
    for (uint32_t i = 0; i < count; i++) fprintf(to, " %*" PRIu64, width, results[i].stats.gpu_cycles);
    fputc('\n', to);
}

static void print_workload(FILE *to, int width, uint32_t k, const struct result *results, uint32_t count)
{
    static const struct {
        const char *label, *number;
    } rows[] = {{"IPC alone", "ipc_alone"},
                {"IPC", "ipc"},
                {"normalized progress", "progress"},
                {"slowdown", "slowdown"},
                {"thread blocks finished", "blocks"},
                {"restarts", "restarts"},
                {"compute per memory instruction", "compute_per_memory"},
                {"requests per memory instruction", "requests_per_memory"},
                {"L1D requests", "requests"},
                {"L1D hit rate alone", "alone.l1d.hit_rate"},
                {"L1D hit rate", "l1d.hit_rate"},
                {"failures per request alone", "alone.l1d.rf_per_request"},
                {"failures per request", "l1d.rf_per_request"},
                {"LSU stalled by it alone", "alone.lsu_stalled"},
                {"LSU stalled by it", "lsu_stalled"}};
    fprintf(to, "kernel %u: %s\n", k, results[0].part[k].workload);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char number[64];
        snprintf(number, sizeof number, "cke.k%u.%s", k, rows[i].number);
        print_row(to, width, rows[i].label, number, results, count);
    }
}

static void print_some(FILE *to, int width, const struct result *results, uint32_t count)
{
    fprintf(to, "%-*s", LABEL, "");
    for (uint32_t i = 0; i < count; i++) fprintf(to, " %*s", width, results[i].case_name ? results[i].case_name : "");
    fputc('\n', to);
    if (!results[0].config.cke_cycles) print_cycles(to, width, results, count);
    print_row(to, width, "STP (more is better)", "cke.stp", results, count);
    print_row(to, width, "ANTT (less is better)", "cke.antt", results, count);
    for (uint32_t k = 1; k < results[0].parts; k++) {
        char label[64], number[64];
        snprintf(label, sizeof label, "requests, kernel %u / kernel 0", k);
        snprintf(number, sizeof number, "cke.request_ratio_%u", k);
        print_row(to, width, label, number, results, count);
    }
    for (uint32_t k = 0; k < results[0].parts; k++) print_workload(to, width, k, results, count);
    run_energy_table(to, LABEL, width, results, count);
}

void cke_table(FILE *to, const struct result *results, uint32_t count)
{
    int width = COLUMN;
    for (uint32_t i = 0; i < count; i++) {
        int n = results[i].case_name ? (int)strlen(results[i].case_name) : 0;
        width = n > width ? n : width;
    }
    uint32_t across = (uint32_t)(ACROSS / (width + 1) > 1 ? ACROSS / (width + 1) : 1);
    for (uint32_t i = 0; i < count; i += across) {
        if (i) fputc('\n', to);
        print_some(to, width, &results[i], count - i < across ? count - i : across);
    }
}
