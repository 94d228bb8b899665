/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ratio.h"
#include "cli/energy.h"
#include "cli/number.h"
#include "cli/result.h"
#include "system/stats/counters.h"

enum cell { CELL_COUNT, CELL_RATIO, CELL_PERCENT, CELL_PER_KILO, CELL_TITLE };

/* Rows: a counter each, and its format. */
static const struct row {
    const char *label, *counter;
    enum cell cell;
} rows[] = {
    {"cycles", "gpu.cycles", CELL_COUNT},
    {"warp instructions", "gpu.warp_instructions", CELL_COUNT},
    {"IPC (warp instructions)", "gpu.ipc", CELL_RATIO},
    {"memory latency, mean", "mem.latency_avg", CELL_RATIO},
    {"L1D", 0, CELL_TITLE},
    {"hits", "l1d.hits", CELL_COUNT},
    {"misses", "l1d.misses", CELL_COUNT},
    {"merged misses", "l1d.merged", CELL_COUNT},
    {"hit rate", "l1d.hit_rate", CELL_PERCENT},
    {"MSHR slots in use", "l1d.mshr.utilisation", CELL_PERCENT},
    {"L1D reservation failures per 1000 instructions", 0, CELL_TITLE},
    {"no line", "l1d.rf.line", CELL_PER_KILO},
    {"MSHR entry-full", "l1d.rf.mshr_entry", CELL_PER_KILO},
    {"MSHR merge-full", "l1d.rf.mshr_merge", CELL_PER_KILO},
    {"MSHR draining", "l1d.rf.mshr_drain", CELL_PER_KILO},
    {"miss queue", "l1d.rf.miss_queue", CELL_PER_KILO},
    {"bypass slot", "l1d.rf.bypass_slot", CELL_PER_KILO},
    {"L2", 0, CELL_TITLE},
    {"hits", "l2.hits", CELL_COUNT},
    {"misses", "l2.misses", CELL_COUNT},
    {"merged misses", "l2.merged", CELL_COUNT},
    {"hit rate", "l2.hit_rate", CELL_PERCENT},
    {"MSHR slots in use", "l2.mshr.utilisation", CELL_PERCENT},
    {"L2 reservation failures per 1000 instructions", 0, CELL_TITLE},
    {"no line", "l2.rf.line", CELL_PER_KILO},
    {"MSHR entry-full", "l2.rf.mshr_entry", CELL_PER_KILO},
    {"MSHR merge-full", "l2.rf.mshr_merge", CELL_PER_KILO},
    {"MSHR draining", "l2.rf.mshr_drain", CELL_PER_KILO},
    {"queue to DRAM", "l2.rf.miss_queue", CELL_PER_KILO},
    {"response queue", "l2.rf.response", CELL_PER_KILO},
    {"DRAM", 0, CELL_TITLE},
    {"row-buffer hits", "dram.row_hit_rate", CELL_PERCENT},
    {"bank-level parallelism", "dram.blp", CELL_RATIO},
    {"efficiency", "dram.efficiency", CELL_PERCENT},
    {"bandwidth, GB/s", "dram.bandwidth", CELL_RATIO},
};

/* Rows for runs with uvm.enable. */
static const struct row paging_rows[] = {
    {"Unified memory", 0, CELL_TITLE},
    {"far-faults", "uvm.faults", CELL_COUNT},
    {"far-faults handled", "uvm.faults_handled", CELL_COUNT},
    {"pages prefetched", "uvm.prefetched_share", CELL_PERCENT},
    {"of these, used", "uvm.prefetch_accuracy", CELL_PERCENT},
    {"pages evicted", "uvm.evicted", CELL_COUNT},
    {"pages migrated again", "uvm.refaults", CELL_COUNT},
    {"PCIe in, KiB a transfer", "pcie.in.transfer_kib", CELL_RATIO},
    {"PCIe in, GB/s", "pcie.in.bandwidth", CELL_RATIO},
    {"PCIe in, in use", "pcie.in.utilisation", CELL_PERCENT},
    {"PCIe out, in use", "pcie.out.utilisation", CELL_PERCENT},
    {"L1 TLB hit rate", "tlb.l1.hit_rate", CELL_PERCENT},
};

#define LABEL 26
#define COLUMN 15 /* minimum; grows to the longest name */
#define ACROSS 96 /* columns side by side, if more than one run fits */

static uint32_t counter_index(const char *name)
{
    uint32_t count;
    const struct counter *list = counter_list(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name)) return i;
    abort(); /* a row above names an unknown counter: a mistake in this file */
}

/* Thousands separators: 1234567 as 1,234,567. */
static void grouped(uint64_t n, char text[static 32])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), out = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = 0;
}

static void cell_text(enum cell cell, bool is_ratio, struct counter_value v, uint64_t instructions,
                      char text[static NUMBER_TEXT])
{
    double number = is_ratio ? v.ratio : (double)v.whole;
    switch (cell) {
    case CELL_COUNT:
        grouped(v.whole, text);
        break;
    case CELL_RATIO:
        number_text(text, number, 2);
        break;
    case CELL_PERCENT:
        number_percent(text, number, 1, " %");
        break;
    case CELL_PER_KILO:
        number_text(text, ratio_of(1000 * number, (double)instructions), 1);
        break;
    case CELL_TITLE:
        text[0] = 0;
        break;
    }
}

static int longer(int width, const char *name)
{
    int n = name ? (int)strlen(name) : 0;
    return n > width ? n : width;
}

/* Names are never cut: a cut could make two runs look alike. */
static int column_width(const struct result *results, uint32_t count)
{
    int width = COLUMN;
    for (uint32_t i = 0; i < count; i++) width = longer(longer(width, results[i].workload), results[i].case_name);
    return width;
}

static void print_row(FILE *to, int width, const struct row *row, const struct result *results, uint32_t count,
                      const struct counter_value *values, uint32_t counters)
{
    if (row->cell == CELL_TITLE) {
        fprintf(to, "%s\n", row->label);
        return;
    }
    uint32_t list_count, k = counter_index(row->counter);
    bool is_ratio = counter_list(&list_count)[k].is_ratio;
    fprintf(to, "  %-*s", LABEL - 2, row->label);
    for (uint32_t i = 0; i < count; i++) {
        char text[NUMBER_TEXT];
        cell_text(row->cell, is_ratio, values[i * counters + k], results[i].stats.gpu_warp_instructions, text);
        fprintf(to, " %*s", width, results[i].err.text[0] ? "failed" : text);
    }
    fputc('\n', to);
}

static const char *const verdicts[] = {
    [VERDICT_CUT] = "cut", [VERDICT_VERIFIED] = "verified", [VERDICT_TRACE] = "a trace"};

static void print_heads(FILE *to, int width, const struct result *results, uint32_t count)
{
    fprintf(to, "%-*s", LABEL, "");
    for (uint32_t i = 0; i < count; i++) fprintf(to, " %*s", width, results[i].workload);
    fputc('\n', to);
    if (results[0].case_name) {
        fprintf(to, "%-*s", LABEL, "");
        for (uint32_t i = 0; i < count; i++) fprintf(to, " %*s", width, results[i].case_name);
        fputc('\n', to);
    }
    fprintf(to, "  %-*s", LABEL - 2, "numeric result");
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, " %*s", width, results[i].err.text[0] ? "failed" : verdicts[results[i].verdict]);
    fputc('\n', to);
}

static bool any_pages(const struct result *results, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (results[i].config.uvm_enable) return true;
    return false;
}

static bool print_some(FILE *to, int width, const struct result *results, uint32_t count)
{
    uint32_t counters;
    counter_list(&counters);
    struct counter_value *values = calloc((size_t)count * counters, sizeof *values);
    if (!values) return false;
    for (uint32_t i = 0; i < count; i++) counter_values(&results[i].stats, &results[i].config, &values[i * counters]);
    print_heads(to, width, results, count);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_row(to, width, &rows[i], results, count, values, counters);
    for (size_t i = 0; any_pages(results, count) && i < sizeof paging_rows / sizeof *paging_rows; i++)
        print_row(to, width, &paging_rows[i], results, count, values, counters);
    run_energy_table(to, LABEL, width, results, count);
    free(values);
    return true;
}

void result_table(FILE *to, const struct result *results, uint32_t count)
{
    int width = column_width(results, count);
    uint32_t across = (uint32_t)(ACROSS / (width + 1) > 1 ? ACROSS / (width + 1) : 1);
    for (uint32_t i = 0; i < count; i += across) {
        if (i) fputc('\n', to);
        if (!print_some(to, width, &results[i], count - i < across ? count - i : across))
            fprintf(to, "out of memory\n");
    }
}
