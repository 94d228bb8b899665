/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config: prints the resolved configuration as an ini file for --config, or writes it for another simulator. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/gpgpusim.h"
#include "cli/machine.h"
#include "system/stats/workload_stats.h"
#include "system/config/options.h"

static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {0}};

struct config_arguments {
    struct machine_choice machine;
    const char *output;
    bool gpgpusim;
};

enum { KEY_FORMAT = 256 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct config_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->machine;
        return 0;
    case KEY_FORMAT:
        a->gpgpusim = !strcmp(arg, "gpgpusim");
        if (!a->gpgpusim && strcmp(arg, "ini"))
            command_usage(state, "--format: found '%s', expected ini or gpgpusim", arg);
        return 0;
    case 'o':
        a->output = arg;
        return 0;
    case ARGP_KEY_END:
        if (a->gpgpusim != (a->output != NULL))
            command_usage(state, "expected --format gpgpusim and -o DIR, both or none");
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

static void print_ini(const struct config *c)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++) print_option(c, &o[i], i ? o[i - 1].key : NULL);
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
    static const struct argp_option options[] = {
        {"format", KEY_FORMAT, "FORMAT", 0, "ini (the default), or gpgpusim: the files of GPGPU-Sim and Accel-Sim", 0},
        {"output", 'o', "DIR", 0, "gpgpusim: the folder to write; it must not exist", 0},
        {0}};
    struct config_arguments a = {0};
    const struct config *const c = &a.machine.config;
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .children = children,
                              .doc =
                                  "Prints the machine that the options select, with every option resolved, as an ini "
                                  "file.  With --format gpgpusim, writes gpgpusim.config and memtwin.icnt and prints "
                                  "the options without a counterpart there.\vmemtwin config --preset sound > my.ini; "
                                  "memtwin run --config my.ini spmv"};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    machine_warn("--set", &a.machine.given, &c, 1, MAX_WORKLOADS);
    if (a.gpgpusim) return write_gpgpusim(c, a.output);
    print_ini(c);
    return 0;
}

COMMAND(config, "print the resolved configuration as an ini file", config_main)
