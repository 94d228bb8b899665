/* SPDX-License-Identifier: Apache-2.0 */
/* The result of one run, and its two forms: a table and JSON. */
#ifndef MEMTWIN_RESULT_H
#define MEMTWIN_RESULT_H
#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/kernel_runs.h"
#include "cli/rtl.h"
#include "cli/samples.h"
#include "system/config/config.h"
#include "system/stats/stats.h"
#include "system/stats/workload_stats.h"

/* One of the workloads that shared the SMs in a run. */
struct part {
    char workload[256], identity[65];
    struct workload_stats stats;
    const struct result *alone; /* its run alone on the machine; NULL: none */
};

/* Whether every complete numeric result equals plain C's.  A wrong result is an error of the run. */
enum verdict {
    VERDICT_CUT,      /* cke.cycles, or a workload's launches=, ended before every workload completed once */
    VERDICT_VERIFIED, /* every workload completed at least once */
    VERDICT_TRACE     /* a trace has no numeric result */
};

struct energy_model;
struct run_energy;

struct result {
    char workload[256], identity[65]; /* of several workloads: names joined by " + "; the rest from the first */
    struct part part[MAX_WORKLOADS];
    uint32_t parts;
    const char *case_name; /* NULL: only one workload */
    const char *rtl;       /* blocks requested as RTL; "" for none */
    struct rtl_uses uses;  /* instances that ran as RTL */
    uint64_t seed;
    struct config config;
    struct stats stats;
    struct samples kernels, intervals; /* of --kernels and --interval; empty without */
    const struct energy_model *energies;
    struct run_energy *energy; /* of --energy; NULL without */
    struct kernel_runs runs;   /* of kernels of several streams at once; empty: there were none */
    bool each_kernel;          /* --kernels, too */
    enum verdict verdict;
    double seconds;
    struct error err; /* empty: success */
};

/* Prints metrics as rows and runs as columns, a few at a time.  Leaves out CPU times, so equal results print
 * equally. */
void result_table(FILE *to, const struct result *results, uint32_t count);

/* The files of a command.  Each appears complete or not at all; "-" is standard output, NULL: not wanted. */
struct result_files {
    const char *json, *csv;
    struct energy_model *energies; /* of --energy; NULL: not */
    uint64_t interval;             /* also the counters of each so many cycles; 0: not */
    uint32_t threads;
    bool blocks; /* instead of runs: the blocks of each machine (blocks.h) */
};
/* Options --blocks, --energy, --json, --csv and --interval, in group 3 of the help; the input is a struct result_files.
 */
extern const struct argp result_argp;
/* A usage error if no file takes the counters that `option` adds. */
void result_needs_file(struct argp_state *state, const struct result_files *f, const char *option);
/* JSON: an object for one result, an array for several.  CSV: a line for each counter of each run, kernel and interval.
 */
bool result_write(const struct result_files *f, const struct result *results, uint32_t count, struct error *err);
/* Another result than counters of runs: JSON, and CSV as csv_json(). */
bool result_write_value(const struct result_files *f, const json_t *value, struct error *err);
/* Whether result_write() can write there.  Call it before the work. */
bool result_possible(const struct result_files *f, struct error *err);
/* Where the table goes: to standard error if a file goes to standard output. */
FILE *result_table_to(const struct result_files *f);

void result_json(FILE *to, const struct result *results, uint32_t count, uint32_t threads);
/* The statistics of one run, as Accel-Sim prints them; needs its kernels. */
void result_accelsim(FILE *to, const struct result *r);
void result_csv(FILE *to, const struct result *results, uint32_t count);
#endif
