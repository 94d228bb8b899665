/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/command.h"
#include "cli/csv.h"
#include "cli/energy.h"
#include "cli/machine.h"
#include "cli/result.h"

enum { KEY_CSV = 512, KEY_INTERVAL, KEY_BLOCKS, KEY_ENERGY };

static const struct argp_option options[] = {
    {"json", 'j', "FILE", 0, "Write every counter and the configuration of each run here; - is standard output", 3},
    {"csv", KEY_CSV, "FILE", 0, "Write every counter here as comma-separated values, one a line; - is standard output",
     3},
    {"interval", KEY_INTERVAL, "N", 0, "With --json or --csv: also the counters of every N SM cycles", 3},
    {"blocks", KEY_BLOCKS, 0, 0, "Instead of running: the blocks of each machine, their parameters and number of units",
     3},
    {"energy", KEY_ENERGY, "FILE", OPTION_ARG_OPTIONAL,
     "Also the energy of each run, from its counters (memtwin list energies); FILE has your own energies. Repeatable",
     3},
    {0}};

void result_needs_file(struct argp_state *state, const struct result_files *f, const char *option)
{
    if (!f->json && !f->csv)
        command_usage(state, "%s: found no file for the counters, expected --json or --csv", option);
}

static void read_energies(struct argp_state *state, struct result_files *f, const char *path)
{
    struct error err = {""};
    if (!f->energies) f->energies = calloc(1, sizeof *f->energies);
    if (!f->energies || !run_energy_read(f->energies, path, &err))
        argp_failure(state, COMMAND_USAGE, 0, "%s", f->energies ? err.text : "out of memory");
}

static void check_energies(struct argp_state *state, const struct result_files *f)
{
    struct error err = {""};
    if (f->blocks) command_usage(state, "--blocks: runs nothing; found --energy, too");
    if (!energy_is_complete(f->energies, &err)) argp_failure(state, COMMAND_USAGE, 0, "%s", err.text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct result_files *f = state->input;
    switch (key) {
    case 'j':
        f->json = arg;
        return 0;
    case KEY_CSV:
        f->csv = arg;
        return 0;
    case KEY_INTERVAL:
        f->interval = machine_number(state, "--interval", arg, 1, UINT32_MAX);
        return 0;
    case KEY_BLOCKS:
        f->blocks = true;
        return 0;
    case KEY_ENERGY:
        read_energies(state, f, arg);
        return 0;
    case ARGP_KEY_END:
        if (f->blocks && f->interval) command_usage(state, "--blocks: runs nothing; found --interval, too");
        if (f->interval) result_needs_file(state, f, "--interval");
        if (f->energies) check_energies(state, f);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp result_argp = {.options = options, .parser = parse};

static bool standard(const char *path)
{
    return path && !strcmp(path, "-");
}

FILE *result_table_to(const struct result_files *f)
{
    return standard(f->json) || standard(f->csv) ? stderr : stdout;
}

static bool possible(const char *path, struct error *err)
{
    return !path || standard(path) || output_possible(path, err);
}

bool result_possible(const struct result_files *f, struct error *err)
{
    if (f->json && f->csv && (standard(f->json) ? standard(f->csv) : output_same(f->json, f->csv)))
        return error_set(err, "--csv: found \"%s\", which is also the file of --json", f->csv);
    return possible(f->json, err) && possible(f->csv, err);
}

typedef void writer(FILE *to, const void *what);

struct list {
    const struct result *results;
    uint32_t count, threads;
};

static void list_json(FILE *to, const void *what)
{
    const struct list *l = what;
    result_json(to, l->results, l->count, l->threads);
}

static void list_csv(FILE *to, const void *what)
{
    const struct list *l = what;
    result_csv(to, l->results, l->count);
}

static void value_json(FILE *to, const void *what)
{
    json_dumpf(what, to, JSON_INDENT(2) | JSON_SORT_KEYS);
    fputc('\n', to);
}

static void value_csv(FILE *to, const void *what)
{
    csv_json(to, what);
}

static bool write_one(writer *write, const char *path, const void *what, struct error *err)
{
    struct output o;
    if (!path) return true;
    if (standard(path)) {
        write(stdout, what);
        return (!fflush(stdout) && !ferror(stdout)) || error_set(err, "standard output: %s", strerror(errno));
    }
    if (!output_open(&o, path, err)) return false;
    write(o.file, what);
    return output_commit(&o, err);
}

bool result_write(const struct result_files *f, const struct result *results, uint32_t count, struct error *err)
{
    const struct list l = {results, count, f->threads};
    return write_one(list_json, f->json, &l, err) && write_one(list_csv, f->csv, &l, err);
}

bool result_write_value(const struct result_files *f, const json_t *value, struct error *err)
{
    return write_one(value_json, f->json, value, err) && write_one(value_csv, f->csv, value, err);
}
