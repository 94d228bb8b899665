/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin config: prints the resolved configuration as an ini file for --config. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/machine.h"
#include "system/stats/workload_stats.h"
#include "system/config/options.h"

static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
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

static int config_main(int argc, char **argv)
{
    struct machine_choice m;
    const struct config *const c = &m.config;
    const struct argp argp = {.parser = parse,
                              .children = children,
                              .doc =
                                  "Prints the machine that the options select, with every option resolved, as an ini "
                                  "file.\vmemtwin config --preset sound > my.ini; memtwin run --config my.ini spmv"};
    argp_parse(&argp, argc, argv, 0, NULL, &m);
    machine_warn("--set", &m.given, &c, 1, MAX_WORKLOADS);
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++) print_option(c, &o[i], i ? o[i - 1].key : NULL);
    return 0;
}

COMMAND(config, "print the resolved configuration as an ini file", config_main)
