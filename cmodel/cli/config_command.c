/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config: prints the resolved configuration as an ini file for --config, or where each value comes from. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/machine.h"
#include "system/stats/workload_stats.h"
#include "system/config/options.h"

static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {0}};

struct request {
    struct machine_choice machine;
    bool sources;
};

enum { SOURCES = 256 };
static const struct argp_option options[] = {
    {"sources", SOURCES, 0, 0, "A table instead: each option, its value, and where the value comes from", 0}, {0}};

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

static int config_main(int argc, char **argv)
{
    struct request r = {0};
    const struct config *const c = &r.machine.config;
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .children = children,
                              .doc =
                                  "Prints the machine that the options select, with every option resolved, as an ini "
                                  "file.\vmemtwin config --preset sound > my.ini; memtwin run --config my.ini spmv"};
    argp_parse(&argp, argc, argv, 0, NULL, &r);
    machine_warn("--set", &r.machine.given, &c, 1, MAX_WORKLOADS);
    uint32_t count;
    const struct config_option *o = option_list(&count);
    if (r.sources) printf("%-26s %-12s %s\n", "option", "value", "source");
    for (uint32_t i = 0; i < count; i++)
        if (r.sources)
            print_source(c, &o[i], r.machine.sources.of[i]);
        else
            print_option(c, &o[i], i ? o[i - 1].key : NULL);
    return 0;
}

COMMAND(config, "print the resolved configuration as an ini file", config_main)
