/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config: prints the resolved configuration as an ini file for --config, or where each value comes from; or
 * writes it for another simulator, or reads such a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/config_summary.h"
#include "lib/gpgpusim.h"
#include "cli/gpgpusim_write.h"
#include "cli/machine.h"
#include "system/stats/workload_stats.h"
#include "system/config/options.h"

static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {0}};

struct request {
    struct machine_choice machine;
    const char *output;
    FILE *report; /* of --from, in memory */
    char *report_text;
    size_t report_size;
    bool sources, summary, gpgpusim;
};

enum { SOURCES = 256, SUMMARY, FORMAT, FROM };
static const struct argp_option options[] = {
    {"sources", SOURCES, 0, 0, "Print a table: each option, its value, and the source of the value", 0},
    {"summary", SUMMARY, 0, 0, "Print sizes and peak rates derived from the options: KiB, GB/s, lines in flight", 0},
    {"from", FROM, "FILE", 0,
     "Read a gpgpusim.config, with trace.config and the crossbar's file beside it, and list its options as mapped or "
     "without counterpart",
     0},
    {"format", FORMAT, "FORMAT", 0, "ini (the default), or gpgpusim: the files of GPGPU-Sim and Accel-Sim", 0},
    {"output", 'o', "DIR", 0, "gpgpusim: the folder to write; it must not exist", 0},
    {0}};

static void read_gpgpusim(struct request *r, const char *path, struct argp_state *state)
{
    struct error err = {""};
    if (!r->report) r->report = open_memstream(&r->report_text, &r->report_size);
    if (!machine_from_gpgpusim(&r->machine, path, r->report, &err))
        argp_failure(state, COMMAND_USAGE, 0, "%s", err.text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->machine;
        return 0;
    case SOURCES:
        r->sources = true;
        return 0;
    case SUMMARY:
        r->summary = true;
        return 0;
    case FORMAT:
        r->gpgpusim = !strcmp(arg, "gpgpusim");
        if (!r->gpgpusim && strcmp(arg, "ini"))
            command_usage(state, "--format: found '%s', expected ini or gpgpusim", arg);
        return 0;
    case FROM:
        read_gpgpusim(r, arg, state);
        return 0;
    case 'o':
        r->output = arg;
        return 0;
    case ARGP_KEY_END:
        if (r->gpgpusim != (r->output != NULL))
            command_usage(state, "expected --format gpgpusim and -o DIR, both or none");
        if (r->gpgpusim + r->sources + r->summary > 1)
            command_usage(state, "found several of --sources, --summary and --format gpgpusim, expected one of them");
        return 0;
    case ARGP_KEY_ARG:
        command_usage(state, "found \"%s\", expected options only", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_option(const struct config *c, const struct config_option *o, const char *previous)
{
    size_t section = strcspn(o->key, ".");
    if (!previous || strncmp(previous, o->key, section + 1))
        printf("%s[%.*s]\n", previous ? "\n" : "", (int)section, o->key);
    char value[OPTION_TEXT], allowed[OPTION_ALLOWED], line[128];
    option_text(c, o, value);
    option_allowed(o, allowed);
    snprintf(line, sizeof line, "%s = %s", o->key + section + 1, value);
    printf("%-28s ; %s (%s)\n", line, o->text, allowed);
}

static void print_source(const struct config *c, const struct config_option *o, const char *source)
{
    char value[OPTION_TEXT], text[4 * SOURCE_TEXT];
    option_text(c, o, value);
    snprintf(text, sizeof text, "%s", source);
    text_escape(text, sizeof text);
    printf("%-26s %-12s %s\n", o->key, value, text);
}

static void print_all(const struct request *r)
{
    const struct config *c = &r->machine.config;
    uint32_t count;
    const struct config_option *o = option_list(&count);
    if (r->sources) printf("%-26s %-12s %s\n", "option", "value", "source");
    for (uint32_t i = 0; i < count; i++)
        if (r->sources)
            print_source(c, &o[i], r->machine.sources->of[i]);
        else
            print_option(c, &o[i], i ? o[i - 1].key : NULL);
}

/* As comments in front of the ini file; in front of anything else, to standard error. */
static void print_report(struct request *r)
{
    if (!r->report) return;
    const bool is_ini = !r->sources && !r->summary && !r->gpgpusim;
    if (!fclose(r->report)) fputs(r->report_text, is_ini ? stdout : stderr);
    free(r->report_text);
}

static int write_gpgpusim(const struct config *c, const char *path)
{
    struct error err = {0};
    if (!gpgpusim_write(c, path, &err)) return command_error(&err);
    gpgpusim_gaps(c, stdout, "");
    return 0;
}

static int config_main(int argc, char **argv)
{
    struct sources sources;
    struct request r = {.machine.sources = &sources};
    const struct config *const c = &r.machine.config;
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .children = children,
                              .doc =
                                  "Prints the machine that the options select, with every option resolved, as an ini "
                                  "file.  With --format gpgpusim, writes gpgpusim.config and memtwin.icnt and prints "
                                  "the options without a counterpart there.  With --from, reads such a file.\vmemtwin "
                                  "config --preset sound > my.ini; "
                                  "memtwin run --config my.ini spmv"};
    command_parse(&argp, argc, argv, &r);
    machine_warn("--set", &r.machine.given, &c, 1, MAX_WORKLOADS);
    print_report(&r);
    if (r.gpgpusim) return write_gpgpusim(c, r.output);
    if (r.summary)
        config_summary(c);
    else
        print_all(&r);
    return 0;
}

COMMAND(config, "print the resolved configuration as an ini file", config_main)
